"""The content of a report as one plain JSON object without time stamps and paths (docs/report.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits._version import __version__
from semibandits.errors import InvalidInputError
from semibandits.families.registry import FAMILIES
from semibandits.policies.radius import RADII
from semibandits.policies.registry import build
from semibandits.regret_bound.result import Status
from semibandits.simulation.results import SimulationResult, recorded
from semibandits.simulation.statistics import PolicySummary
from semibandits_studies.datasets.borders import BORDERS_PROVENANCE
from semibandits_studies.reporting.drawings import drawing_of
from semibandits_studies.reporting.formatting import (
    change_text,
    counted,
    features_text,
    lateness_text,
    prior_text,
    stop_of,
    stop_text,
)
from semibandits_studies.reporting.page import SCHEMA
from semibandits_studies.reporting.report_data import Bracket, ReportData, Structure
from semibandits_studies.reporting.reproduce import MOST_NUMBERS, changed, reproduction
from semibandits_studies.reporting.selection import MOST_ITEMS, shown_items
from semibandits_studies.reporting.shapes import nouns_of
from semibandits_studies.reporting.simulation_payload import finite, summary_payload
from semibandits_studies.reporting.summary_cards import bound_text, rewards_text, summary_cards

MOST_NAMED: Final = 4
"""Decisions of the plan whose streets are named on a map."""
MOST_ROWS: Final = 100
"""Listed decisions of a plan; further ones are only counted."""


def payload_of(data: ReportData) -> dict[str, Any]:
    """The payload of a report, plain JSON without nan and infinity. Equal data give equal objects."""
    bound, simulation, structure = data.bound, data.simulation, data.structure
    shown = shown_items(data)
    routes = [] if data.best is None else [data.best]  # whose streets are named on a map
    if bound is not None and bound.result is not None and bound.has_plan:
        routes += bound.result.plan.items.masks(MOST_NAMED)
    drawing = None if structure is None else drawing_of(structure, shown, routes)
    return {
        "schema": SCHEMA,
        "title": data.title,
        "subtitle": _subtitle(data),
        "unit": data.unit,
        "note": data.note,
        "answers": summary_cards(data),
        "bound": None if bound is None else _bound(bound, data),
        "simulation": None if simulation is None else _simulation(data, simulation),
        "items": _items(data, shown),
        "plan": None if bound is None or structure is None else _plan(bound, structure, shown),
        "drawing": drawing,
        "layers": _layers(data, shown),
        "tables": {"provenance": _provenance(data, drawing), "again": reproduction(data)},
        "version": __version__,
    }


def _subtitle(data: ReportData) -> str:
    if data.about.question:
        return data.about.question
    parts = []
    if data.structure is not None:
        nouns = nouns_of(data.structure)
        parts.append(counted(len(data.labels), nouns.item, nouns.items))
    if data.simulation is not None:
        result = data.simulation
        parts.append(counted(len(result.policies), "policy", "policies"))
        parts.append(counted(result.replications, "replication", "replications"))
        parts.append(counted(result.horizon, "round", "rounds"))
        late = lateness_text(recorded(result, "specification"))
        parts += [f"outcomes {late}"] if late else []
    return ", ".join(parts)


def _bound(bound: Bracket, data: ReportData) -> dict[str, Any]:
    return {
        "lower": bound.lower,
        "value": finite(bound.value),
        "gap": finite(bound.gap),
        "method": "" if bound.result is None else bound.result.method,
        "status": "" if bound.result is None else str(bound.result.status),
        "applies": data.applies,
        "exception": data.exception,
        "text": bound_text(bound),
    }


def _simulation(data: ReportData, result: SimulationResult) -> dict[str, Any]:
    seed = recorded(result, "specification").get("seed")
    return {
        "rewards": rewards_text(data),
        "horizon": result.horizon,
        "replications": result.replications,
        "seed": seed if isinstance(seed, int) and not isinstance(seed, bool) else None,
        "checkpoints": result.checkpoints.tolist(),
        "policies": [_policy(data, result, summary) for summary in data.summaries],
    }


def _policy(data: ReportData, result: SimulationResult, summary: PolicySummary) -> dict[str, Any]:
    band = result.bands(summary.policy)
    single = result.replications == 1
    own = recorded(result, "specification", "policies", summary.policy)
    try:
        shown = set(changed(build(own)))
    except (InvalidInputError, KeyError, TypeError):  # a policy from outside the library: all its parameters
        shown = set(own) - {"name", "baseline"}
    parameters = [f"{key}={_value(own[key])}" for key in sorted(own) if key in shown and own[key] is not None]
    return {
        "name": summary.policy,
        "parameters": ", ".join(parameters),
        "mean": band.mean.tolist(),
        "lower": None if single else band.lower.tolist(),
        "upper": None if single else band.upper.tolist(),
        **summary_payload(summary, data.seconds),
    }


def _value(value: object) -> str:
    if isinstance(value, dict):
        name = next((name for name, radius in RADII.items() if asdict(radius) == value), None)
        return name or "(" + ", ".join(f"{key}={_value(part)}" for key, part in sorted(value.items())) + ")"
    if isinstance(value, list | tuple) and len(value) > MOST_NUMBERS:
        return f"{len(value):,} numbers"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _items(data: ReportData, shown: IntArray) -> dict[str, Any]:
    bound, d, count, note = data.bound, len(data.labels), len(shown), ""
    if count < d:
        nouns = nouns_of(data.structure)
        most = " most" if count == MOST_ITEMS else ""
        those = f"those of the best {nouns.decision} and those that the plan or a policy plays{most}"
        note = f"Shown are {counted(count, nouns.item, nouns.items)} of {d:,}: {those}."
    return {
        "labels": [data.labels[i] for i in shown.tolist()],
        "theta": _list(data.theta, shown),
        "variance": _list(data.variance, shown),
        "optimal": _list(data.best, shown),
        "suboptimal": _list(None if bound is None else bound.suboptimal, shown),
        "total": d,
        "numbers": None if count == d else shown.tolist(),
        "note": note,
    }


def _list(values: FloatArray | BoolArray | None, shown: IntArray) -> list[Any] | None:
    return None if values is None else values[shown].tolist()


def _plan(bound: Bracket, structure: Structure, shown: IntArray) -> dict[str, Any] | None:
    if bound.result is None or not bound.has_plan:
        return None
    plan, gaps, best = bound.result.plan, bound.result.plan_gaps, bound.result.optimal_decision
    one = nouns_of(structure).decision
    rows = [
        {
            "text": change_text(structure, plan.items.mask(k), best),
            "gap": float(gaps[k]),
            "rate": float(plan.rates[k]),
            "share": float(plan.rates[k] * gaps[k] / bound.value) if bound.value else 0.0,
            "items": np.flatnonzero(plan.items.mask(k)[shown]).tolist(),
        }
        for k in range(min(MOST_ROWS, len(plan)))
    ]
    changes = "detours from" if FAMILIES[structure.family].reads_along else "changes to"
    return {"rows": rows, "more": len(plan) - len(rows), "words": f"{changes} the best {one}"}


def _layers(data: ReportData, shown: IntArray) -> list[dict[str, Any]]:
    """Values by which the drawing can be coloured."""
    layers: list[tuple[str, str, str, str, FloatArray]] = []
    bound, result = data.bound, data.simulation
    if bound is not None and bound.rates is not None:
        text = "How often the cheapest sufficient exploration plays each item, apart from plays of the best decision."
        layers.append(("plan", "Exploration plan", text, "plays per ln T", bound.rates))
    if result is not None:
        played = f"each item in {counted(result.horizon, 'round', 'rounds')}, on average over the replications."
        for policy in result.policies:
            text = f"How often {policy} played {played}"
            layers.append((f"policy:{policy}", policy, text, "plays", result.item_plays(policy).mean))
    if data.theta is not None:
        text = "Mean reward of one play of each item, which policies do not know."
        layers.append(("theta", "Mean reward", text, data.unit, data.theta))
    return [
        {"key": key, "label": label, "text": text, "unit": unit, "values": values[shown].tolist()}
        for key, label, text, unit, values in layers
    ]


def _provenance(data: ReportData, drawing: dict[str, Any] | None) -> list[dict[str, str]]:
    about, result, bound = data.about, data.simulation, data.bound
    rows: list[tuple[str, str]] = [
        ("Mean rewards", about.origin),
        ("Numbers", data.note),
        ("Source", about.provenance),
        ("Licence", about.licence),
        ("Map", BORDERS_PROVENANCE if drawing is not None and drawing.get("borders") else ""),
    ]
    if result is not None:
        seed = recorded(result, "specification").get("seed")
        played = f"{counted(len(result.policies), 'policy', 'policies')}, "
        played += f"{counted(result.replications, 'replication', 'replications')} each"
        played += f" of {counted(result.horizon, 'round', 'rounds')}" + ("" if seed is None else f", seed {seed}")
        rows += [("Rewards played", rewards_text(data)), ("Played", played)]
        rows.append(("Features", features_text(recorded(result, "specification"))))
        rows.append(("Prior", prior_text(recorded(result, "specification"), data.theta)))
        if (stop := stop_of(recorded(result, "specification"))) is not None:
            rows.append(("Stops", stop_text(stop, nouns_of(data.structure).decision)))
    if bound is not None:
        text = bound_text(bound)
        if bound.result is not None:
            text += f", by {bound.result.method}"
            if bound.result.status is not Status.OPTIMAL:
                text += f", stopped early ({bound.result.status.replace('_', ' ')})"
        rows.append(("Bound", text if data.applies else f"{text}; for independent Gaussian rewards. {data.exception}"))
    if result is not None:
        versions = sorted(recorded(result, "versions").items())
        rows.append(("Versions", ", ".join(f"{name} {version}" for name, version in versions)))
    rows += [("Missing", text) for text in data.missing]
    return [{"label": label, "text": text} for label, text in rows if text]
