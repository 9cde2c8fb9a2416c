"""Readers for results: a folder, a bound file, a simulation file. All content is validated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from semibandits._fields import Fields, kind_of
from semibandits._files import own_file, similar_file
from semibandits._json import strict_json
from semibandits._toml import strict_toml
from semibandits.errors import InvalidInputError
from semibandits.instances import Instance, instance_from_description
from semibandits.instances.files import read_text
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.reporting.bound_payload import bound_in
from semibandits.reporting.drawings import link_labels
from semibandits.reporting.formatting import streets_of
from semibandits.reporting.report_data import About, Bracket, ReportData, Structure, assembled, same_problem
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, TIMINGS, kept_seconds
from semibandits.simulation.results import SimulationResult, load_simulation

INSTANCE: Final = "instance.json"
BOUND: Final = "bound.json"
STUDY: Final = "study.toml"
ABOUT: Final = "about.json"
REPORT: Final = "report.html"
"""Files of a results folder in addition to those of `simulate`."""
FILES: Final = (INSTANCE, BOUND, RESULT, STUDY, ABOUT, DESCRIPTION, TIMINGS, PARTS)
"""Files that are read from a folder."""


def read_results(path: Path) -> ReportData:
    """Read a results folder, a bound.json or a simulation.zip.

    Raises
    ------
    InvalidInputError
        If the path does not exist or contains no results, a file is damaged, or two files belong to different problems.
    """
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        raise InvalidInputError(
            f"{path} must be a folder of results, a bound.json or a simulation.zip, but it does not exist: "
            + similar_file(path, "check the path, or run semibandits simulate ... --output FOLDER")
        )
    if path.suffix.lower() == ".zip":
        return _simulation_alone(load_simulation(path))
    if path.suffix.lower() == ".json":
        instance, bound, applies, count = _read_bound(path)
        return _assembled(path, instance, bound, None, applies=applies, count=count)
    raise InvalidInputError(
        f"{path} must be a folder of results, a bound.json or a simulation.zip, got another file: "
        "semibandits bound --save bound.json and semibandits simulate --output FOLDER write them"
    )


def _read_folder(folder: Path) -> ReportData:
    has = {name: own_file(folder / name).exists() for name in FILES}
    if not has[RESULT] and (has[DESCRIPTION] or has[PARTS]):
        raise InvalidInputError(
            f"{folder} must contain a finished simulation, got one without {RESULT}: finish it first, with the same command "
            "and --resume, or the same study"
        )
    if not has[RESULT] and not has[BOUND]:
        raise InvalidInputError(
            f"{folder} must contain results, got neither {RESULT} nor {BOUND}: run semibandits simulate ... --output FOLDER"
        )
    path = folder / INSTANCE
    instance = _instance_in(path, _read_json(path), "Results") if has[INSTANCE] else None
    bound: GravesLaiResult | None = None
    applies, count = True, None
    if has[BOUND]:
        own, bound, applies, count = _read_bound(folder / BOUND)
        if instance is not None:
            _check_same(folder, instance, own, may_vary=not applies or not bound.law.is_quadratic)
        instance = own if instance is None else instance
    simulation = load_simulation(folder / RESULT) if has[RESULT] else None
    about = _read_about(folder / ABOUT) if has[ABOUT] else About()
    more: dict[str, Any] = {"about": about, "seconds": _read_timings(folder / TIMINGS, simulation)}
    more["study"] = _read_study(folder / STUDY) if has[STUDY] else ""
    if instance is None:
        assert simulation is not None
        return _simulation_alone(simulation, **more)
    return results_of(folder, instance, bound, simulation, applies=applies, count=count, **more)


def results_of(
    folder: Path, instance: Instance, bound: GravesLaiResult | None, simulation: SimulationResult | None, **more: Any
) -> ReportData:
    """Combine the contents of a results folder.

    Parameters
    ----------
    folder : Path
        The folder, for error messages.
    instance, bound, simulation
        Contents of instance.json, bound.json and simulation.zip.
    **more
        Other fields of :class:`ReportData`.

    Raises
    ------
    InvalidInputError
        If they are inconsistent.
    """
    missing = () if simulation is not None else (f"No {RESULT}: policies were not simulated.",)
    return _assembled(folder, instance, bound, simulation, missing=missing, **more)


def _assembled(
    where: Path, instance: Instance, bound: GravesLaiResult | None, simulation: SimulationResult | None, **more: Any
) -> ReportData:
    about = more.pop("about", None) or About(question=instance.question)
    try:
        return assembled(
            about=about,
            structure=structure_of(instance),
            theta=instance.theta,
            variance=instance.variance,
            bound=None if bound is None else Bracket.of(bound),
            simulation=simulation,
            title=about.title or instance.name or "Results",
            unit=instance.unit,
            note=instance.note,
            **more,
        )
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error}") from error


def _simulation_alone(simulation: SimulationResult, **more: Any) -> ReportData:
    """A simulation without its instance."""
    about = more.get("about", About())
    missing = (f"No {INSTANCE}: the decisions are not drawn, and items have the names of the simulation file.",)
    title = {"title": about.title} if about.title else {}
    return assembled(
        structure=None, theta=None, variance=None, bound=None, simulation=simulation, missing=missing, **title, **more
    )


def structure_of(instance: Instance) -> Structure:
    """The decision set of an instance with its names."""
    return Structure(
        family=instance.family,
        decision_set=instance.decision_set,
        labels=link_labels(instance.decision_set, instance.labels, streets_of(instance)),
        positions=instance.positions,
        geographic=instance.geographic,
        description=instance.description,
    )


def _check_same(folder: Path, instance: Instance, other: Instance, *, may_vary: bool) -> None:
    """Check that a bound belongs to the instance. With `may_vary`, its variances may differ."""
    mine, theirs = ((each.decision_set, each.theta, each.variance) for each in (instance, other))
    difference = same_problem(mine, theirs)
    if difference and not (difference == "variances" and may_vary):
        raise InvalidInputError(
            f"{folder / BOUND} must be the bound of {INSTANCE} in the same folder, got one with other {difference}: "
            "compute it again, or remove one of the two"
        )


def _text(path: Path) -> str:
    """The content of a text file that is not empty."""
    if path.is_file() and path.stat().st_size == 0:
        raise InvalidInputError(f"{path} must not be empty: remove it, or write it again")
    return read_text(path)


def _read_json(path: Path) -> Any:
    """The content of a JSON file."""
    text = _text(path)
    try:
        return strict_json(text)
    except ValueError as error:
        raise InvalidInputError(f"{path} must hold JSON, got {error}: write it again") from error


def _instance_in(path: Path, content: object, name: str) -> Instance:
    if not isinstance(content, Mapping):
        raise InvalidInputError(f"{path} must contain an instance as a JSON object, got {kind_of(content)}: write it again")
    try:
        return instance_from_description(content, name=name)
    except (InvalidInputError, OverflowError) as error:
        raise InvalidInputError(f"{path} must describe an instance, got a damaged one: {error}") from error


def _read_bound(path: Path) -> tuple[Instance, GravesLaiResult, bool, int | None]:
    """The instance of a bound.json, the bound, whether it applies, and the number of decisions if known."""
    content = _read_json(path)
    if not isinstance(content, Mapping) or not {"instance", "lower", "plan", "optimal"} <= set(content):
        raise InvalidInputError(
            f"{path} must be a file written by semibandits bound --save, got another one: compute the bound again"
        )
    name = content.get("name")
    instance = _instance_in(path, content["instance"], name if isinstance(name, str) else path.stem)
    try:
        count = Fields(content, path.name).count("decisions", None)
        applies = content.get("applies", True)
        if not isinstance(applies, bool) or (count is not None and count < 1):
            raise InvalidInputError(f"applies must be true or false and decisions at least 1, got {applies!r} and {count!r}")
        return instance, bound_in(content, instance, path.name), applies, count
    except (InvalidInputError, OverflowError) as error:
        raise InvalidInputError(f"{path} must contain a complete bound, got a damaged one: {error}") from error


def _read_about(path: Path) -> About:
    content = _read_json(path)
    if not isinstance(content, Mapping):
        raise InvalidInputError(f"{path} must contain a JSON object, got {kind_of(content)}: write it again")
    texts = {key: content.get(key) or "" for key in About.__dataclass_fields__}
    for key in texts:
        value = content.get(key)
        if value is not None and not isinstance(value, str):
            raise InvalidInputError(f"{key} in {path} must be a string or null, got {kind_of(value)}: put it in quotes")
    return About(**texts)


def _read_study(path: Path) -> str:
    text = _text(path)
    try:
        strict_toml(text)
    except ValueError as error:
        raise InvalidInputError(f"{path} must be a TOML file, got {error}: write it again, or remove it") from error
    return text


def _read_timings(path: Path, simulation: SimulationResult | None) -> dict[str, float]:
    """Mean seconds of a replication of each simulated policy; policies without timings are left out."""
    if simulation is None:
        return {}
    kept = {policy: own for policy, own in kept_seconds(path).items() if own and policy in simulation.policies}
    return {policy: math.fsum(own.values()) / len(own) for policy, own in kept.items()}
