"""Readers for results: a folder, a bound file, a simulation file. All content is validated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from semibandits.errors import InvalidInputError
from semibandits.formats.files import own_file, read_json, read_text, similar_file
from semibandits.formats.toml import strict_toml
from semibandits.inputs.fields import Fields
from semibandits.instances import Instance, instance_from_description
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.simulation.parts import DESCRIPTION, PARTS, RESULT, TIMINGS, mean_seconds
from semibandits.simulation.results import SimulationResult, load_simulation
from semibandits_studies.reporting.bound_payload import bound_in
from semibandits_studies.reporting.drawings import link_labels
from semibandits_studies.reporting.formatting import streets_of
from semibandits_studies.reporting.report_data import About, ReportData, Structure, assembled, same_problem

INSTANCE: Final = "instance.json"
BOUND: Final = "bound.json"
STUDY: Final = "study.toml"
ABOUT: Final = "about.json"
REPORT: Final = "report.html"
"""Files of a results folder in addition to those of `simulate`."""
FILES: Final = (INSTANCE, BOUND, RESULT, STUDY, ABOUT, DESCRIPTION, TIMINGS, PARTS)
"""Files that are read from a folder."""
AGAIN: Final = "write it again"


def read_results(path: Path) -> ReportData:
    """Read a results folder, a bound.json or a simulation.zip."""
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
    instance, bound = None, None
    if has[INSTANCE]:
        content = read_json(folder / INSTANCE, remedy=AGAIN)
        with _intact(folder / INSTANCE, "an instance"):
            instance = instance_from_description(content, name="Results")
    applies, count = True, None
    if has[BOUND]:
        own, bound, applies, count = _read_bound(folder / BOUND)
        if instance is not None:
            difference = same_problem(instance, own, may_vary=not applies or not bound.law.is_quadratic)
            if difference:
                raise InvalidInputError(
                    f"{folder / BOUND} must be the bound of {INSTANCE} in the same folder, got one with other {difference}: "
                    "compute it again, or remove one of the two"
                )
        instance = own if instance is None else instance
    simulation = load_simulation(folder / RESULT) if has[RESULT] else None
    about = _read_about(folder / ABOUT) if has[ABOUT] else About()
    seconds = {} if simulation is None else mean_seconds(folder / TIMINGS)
    more: dict[str, Any] = {
        "about": about,
        "seconds": {policy: mean for policy, mean in seconds.items() if simulation and policy in simulation.policies},
        "study": _read_study(folder / STUDY) if has[STUDY] else "",
    }
    if instance is None:
        assert simulation is not None
        return _simulation_alone(simulation, **more)
    return results_of(folder, instance, bound, simulation, applies=applies, count=count, **more)


def results_of(
    folder: Path, instance: Instance, bound: GravesLaiResult | None, simulation: SimulationResult | None, **more: Any
) -> ReportData:
    """Combine instance.json, bound.json and simulation.zip of a folder; `more` are other fields of :class:`ReportData`."""
    missing = () if simulation is not None else (f"No {RESULT}: policies were not simulated.",)
    return _assembled(folder, instance, bound, simulation, missing=missing, **more)


def _assembled(
    where: Path, instance: Instance, bound: GravesLaiResult | None, simulation: SimulationResult | None, **more: Any
) -> ReportData:
    try:
        return assembled(**fields_of(instance, more.pop("about", None)), bound=bound, simulation=simulation, **more)
    except InvalidInputError as error:
        raise InvalidInputError(f"{where}: {error}") from error


def _simulation_alone(simulation: SimulationResult, about: About | None = None, **more: Any) -> ReportData:
    """A simulation without its instance."""
    missing = (f"No {INSTANCE}: the decisions are not drawn, and items have the names of the simulation file.",)
    if about is not None:
        more |= {"about": about} | ({"title": about.title} if about.title else {})
    return assembled(simulation=simulation, missing=missing, **more)


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


def fields_of(instance: Instance, about: About | None = None) -> dict[str, Any]:
    """What an instance gives to :class:`ReportData`."""
    about = about or About(question=instance.question)
    return {
        "structure": structure_of(instance),
        "theta": instance.theta,
        "variance": instance.variance,
        "title": about.title or instance.name or "Results",
        "unit": instance.unit,
        "note": instance.note,
        "about": about,
    }


@contextmanager
def _intact(path: Path, what: str) -> Iterator[None]:
    """Name the file in errors about its content."""
    try:
        yield
    except (InvalidInputError, OverflowError) as error:
        raise InvalidInputError(f"{path} must describe {what}, got a damaged one: {error}") from error


def _read_bound(path: Path) -> tuple[Instance, GravesLaiResult, bool, int | None]:
    """The instance of a bound.json, the bound, whether it applies, and the number of decisions if known."""
    content = read_json(path, remedy=AGAIN)
    if not isinstance(content, Mapping) or not {"instance", "lower", "plan", "optimal"} <= set(content):
        raise InvalidInputError(
            f"{path} must be a file written by semibandits bound --save, got another one: compute the bound again"
        )
    name, applies = content.get("name"), content.get("applies", True)
    with _intact(path, "a complete bound"):
        instance = instance_from_description(content["instance"], name=name if isinstance(name, str) else path.stem)
        count = Fields(content, path.name).count("decisions", None)
        if not isinstance(applies, bool) or (count is not None and count < 1):
            raise InvalidInputError(f"applies must be true or false and decisions at least 1, got {applies!r} and {count!r}")
        return instance, bound_in(content, instance, path.name), applies, count


def _read_about(path: Path) -> About:
    content = read_json(path, remedy=AGAIN)
    known = {key: value for key, value in content.items() if value is not None} if isinstance(content, dict) else content
    with _intact(path, "a dataset"):
        fields = Fields(known, path.name)
        return About(**{key: fields.text(key, "") for key in About.__dataclass_fields__})


def _read_study(path: Path) -> str:
    text = read_text(path)
    try:
        if not strict_toml(text):
            raise ValueError("no tables")
    except ValueError as error:
        raise InvalidInputError(f"{path} must be a TOML file, got {error}: {AGAIN}, or remove it") from error
    return text
