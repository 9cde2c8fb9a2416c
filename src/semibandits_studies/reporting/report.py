"""The report: one HTML file that shows a bound, a simulation, or both (docs/report.md)."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.families.enumerated import ENUMERATED
from semibandits.families.registry import family_of
from semibandits.families.texts import item_labels
from semibandits.formats.files import read_bytes, write_whole
from semibandits.instances import Instance
from semibandits.regret_bound.result import GravesLaiResult
from semibandits.simulation.results import SimulationResult
from semibandits_studies.datasets.base import Dataset
from semibandits_studies.instances.files import check_target
from semibandits_studies.reporting.drawings import link_labels
from semibandits_studies.reporting.payload import payload_of
from semibandits_studies.reporting.report_data import About, ReportData, Structure, assembled, same_problem
from semibandits_studies.reporting.sources import fields_of

MARK: Final = b"Report of a combinatorial semi-bandit"
"""Above the title of each report."""


def write_report(
    path: str | os.PathLike[str],
    *,
    simulation: SimulationResult | None = None,
    bound: GravesLaiResult | None = None,
    instance: Instance | Dataset | None = None,
    decision_set: DecisionSet | None = None,
    title: str | None = None,
    unit: str | None = None,
    question: str | None = None,
    labels: Sequence[str] | None = None,
    positions: Mapping[Hashable, tuple[float, float]] | None = None,
    geographic: bool | None = None,
) -> None:
    """Write results as one HTML file, which needs no network, no server and no other file.

    Parameters
    ----------
    path : path
        The file, replaced in one step if it exists; its name must end in ``.html``.
    simulation : SimulationResult, optional
        Regret and plays of policies.
    bound : GravesLaiResult, optional
        C(theta) with its plan. By default the bound of the simulation, which has no plan.
    instance : Instance or Dataset, optional
        Decisions, mean rewards, names and positions. A bound contains decisions and mean rewards itself.
    decision_set : DecisionSet, optional
        The decisions alone, if there is neither an instance nor a bound: they are drawn without mean rewards.
    title, unit, question : str, optional
        Title of the report, unit of the rewards, and the question that the report answers; by default those of the instance.
    labels : sequence of str, length d, optional
        Names of the items; by default those of the instance, or of the decision set.
    positions : mapping from node to (x, y), optional
        Positions of the nodes of a graph; by default those of the instance, or a layout.
    geographic : bool, optional
        Whether positions are longitude and latitude in degrees, to be drawn on a map.

    Raises
    ------
    InvalidInputError
        If there is nothing to report, two results belong to different problems, labels or positions do not match the
        items, or the file cannot be written.

    Notes
    -----
    Equal results give equal bytes.

    Examples
    --------
    >>> from pathlib import Path
    >>> articles, theta = sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.3]
    >>> result = sb.simulate(articles, sb.GaussianRewards(theta), sb.OSSB(), horizon=100, replications=2)
    >>> bound = sb.graves_lai(articles, theta)
    >>> sb.write_report("articles.html", simulation=result, bound=bound, title="Two of four articles", unit="clicks")
    >>> Path("articles.html").exists()
    True
    """
    data = report_data(simulation, bound, instance, decision_set)
    data = retitled(data, title=title, unit=unit, question=question)
    data = _renamed(data, labels=labels, positions=positions, geographic=geographic)
    write_payload(payload_of(data), Path(path))


def write_payload(payload: Mapping[str, Any], path: Path) -> None:
    """Write the page of a payload in one step."""
    from semibandits_studies.reporting.page import render

    check_report(path)
    write_whole(path, render(payload).encode("utf-8", "replace"))


def check_report(path: Path) -> None:
    """Check that a report can be written to `path`. Its ending must be that of HTML, so that it replaces no results."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidInputError(f"the report must end in .html, got {str(path)!r}: change its ending")
    check_target(path)


def is_report(path: Path) -> bool:
    """Whether a file is a report of this library, of any version."""
    return MARK in read_bytes(path)


def report_data(
    simulation: SimulationResult | None,
    bound: GravesLaiResult | None,
    instance: Instance | Dataset | None,
    decision_set: DecisionSet | None,
) -> ReportData:
    """Combine results in memory; see :func:`write_report` for the parameters and errors."""
    _check_types(simulation=simulation, bound=bound, instance=instance, decision_set=decision_set)
    known = instance.instance if isinstance(instance, Dataset) else instance
    decisions = bound.decision_set if bound is not None else decision_set
    fields: dict[str, Any] = {}
    if known is not None:
        fields = fields_of(known, About.of(instance) if isinstance(instance, Dataset) else None)
        difference = "" if bound is None else same_problem(known, bound, may_vary=not bound.law.is_quadratic)
        if difference:
            raise InvalidInputError(
                f"bound must belong to the instance, got one with other {difference}: "
                "pass graves_lai(instance.decision_set, instance.theta, instance.variance)"
            )
    elif decisions is not None:
        family = (family_of(decisions) or ENUMERATED).name
        labels = link_labels(decisions, item_labels(family, decisions))
        fields["structure"] = Structure(family=family, decision_set=decisions, labels=labels)
        fields["title"] = f"{type(decisions).__name__}, {decisions.d:,} items"
        if bound is not None:
            fields |= {"theta": bound.theta, "variance": bound.variance}
    return assembled(**fields, bound=bound, simulation=simulation)


def _check_types(**given: object) -> None:
    kinds = {
        "simulation": (SimulationResult,),
        "bound": (GravesLaiResult,),
        "instance": (Instance, Dataset),
        "decision_set": (DecisionSet,),
    }
    for name, value in given.items():
        if value is not None and not isinstance(value, kinds[name]):
            wanted = " or ".join(kind.__name__ for kind in kinds[name])
            raise InvalidInputError(f"{name} must be a {wanted}, got {type(value).__name__}: leave it out")
    if all(given[name] is None for name in ("simulation", "bound", "instance")):
        raise InvalidInputError(
            "a report must have contents, got no results: pass simulation=simulate(...), bound=graves_lai(...) or instance="
        )
    if given["decision_set"] is not None and (given["instance"] is not None or given["bound"] is not None):
        raise InvalidInputError(
            "decision_set must be given without an instance and a bound, got one of these as well: leave decision_set out"
        )


def retitled(data: ReportData, *, title: str | None, unit: str | None, question: str | None) -> ReportData:
    """The data with other texts, where they are given."""
    texts = {"title": title, "unit": unit, "question": question}
    given: dict[str, Any] = {key: text for key, text in texts.items() if text is not None}
    if not all(isinstance(text, str) for text in given.values()):
        raise InvalidInputError(f"{', '.join(given)} must be strings, got {given}: put them in quotes")
    asked = given.pop("question", data.about.question)
    return replace(data, **given, about=replace(data.about, question=asked))


def _renamed(
    data: ReportData,
    *,
    labels: Sequence[str] | None,
    positions: Mapping[Hashable, tuple[float, float]] | None,
    geographic: bool | None,
) -> ReportData:
    """The data with the names and positions that the caller gave."""
    structure, names = data.structure, data.labels
    if labels is not None:
        names = tuple(labels)
        wrong = next((name for name in names if not isinstance(name, str)), None)
        if isinstance(labels, str) or len(names) != len(data.labels) or wrong is not None:
            got = f"{len(names)} entries" if wrong is None else f"{wrong!r} among them"
            raise InvalidInputError(f"labels must be d = {len(data.labels)} strings, got {got}: name each item, in order")
    if structure is None and positions is not None:
        raise InvalidInputError(
            "positions must be given with decisions, got a simulation alone: pass instance=, bound= or decision_set="
        )
    if structure is not None:
        structure = replace(
            structure,
            labels=names,
            positions=structure.positions if positions is None else positions,
            geographic=structure.geographic if geographic is None else geographic,
        )
    return replace(data, structure=structure, labels=names)
