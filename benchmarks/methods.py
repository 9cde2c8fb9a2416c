"""Time of each method to a certified bracket, on the same instances: GLPG as published and the faster methods."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import semibandits as sb
from instances import grid, matching
from reporting import Report, digits

GAPS = (0.05, 0.01, 1e-4)
METHODS = ("glpg", "columns", "enumeration", "cycles", "closed-form")
TIME_LIMIT = 60.0
MATROIDS = (sb.MSets, sb.SpanningTrees, sb.MatroidBases)


@dataclass(frozen=True)
class Instance:
    """A decision set with rewards, built from a seed."""

    name: str
    build: Callable[[], tuple[sb.DecisionSet, np.ndarray]]


def _mset() -> tuple[sb.DecisionSet, np.ndarray]:
    return sb.MSets(8, 3), np.random.default_rng(0).random(8)


def _trees() -> tuple[sb.DecisionSet, np.ndarray]:
    edges = [(i, j) for i in range(5) for j in range(i)]
    return sb.SpanningTrees(edges), np.random.default_rng(0).random(len(edges))


def _partition() -> tuple[sb.DecisionSet, np.ndarray]:
    return sb.MatroidBases(sb.matroids.Partition([0, 0, 0, 1, 1, 1, 2, 2, 2], 1)), np.random.default_rng(0).random(9)


def _intersection() -> tuple[sb.DecisionSet, np.ndarray]:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 4, (2, 12)).tolist()
    quotas = [sb.matroids.Partition(row, 2) for row in labels]
    return sb.MatroidIntersection(quotas[0], quotas[1], size=3), rng.random(12)


INSTANCES = (
    Instance("paths, 4 × 4 grid", lambda: grid(4)),
    Instance("matchings, 4 × 4", lambda: matching(4)),
    Instance("3 of 8 items", _mset),
    Instance("spanning trees of K5", _trees),
    Instance("one of each of 3 groups", _partition),
    Instance("3 items, two quotas", _intersection),
    Instance("paths, 7 × 7 grid", lambda: grid(7)),
    Instance("matchings, 7 × 7", lambda: matching(7)),
    Instance("paths, 12 × 12 grid", lambda: grid(12)),
    Instance("matchings, 12 × 12", lambda: matching(12)),
)
GLPG_MOST = 250
"""GLPG as published runs only with at most this number of decisions: beyond, it does not end in time."""


def run_methods(report: Report) -> None:
    """One line per instance and gap."""
    _warm_up()
    lines = []
    for instance in INSTANCES:
        decision_set, theta = instance.build()
        count = decision_set.count()
        for gap in GAPS:
            cells = []
            for method in METHODS:
                report.doing(f"{instance.name}, gap {gap:g}, {method}")
                row = {"instance": instance.name, "decisions": count, "wanted": gap, "method": method}
                outcome = _time(decision_set, theta, method, gap, count)
                report.row("methods", {**row, **outcome})
                cells.append(_cell(outcome))
            lines.append([instance.name if gap == GAPS[0] else "", f"{count:,}" if gap == GAPS[0] else "", f"{gap:g}", *cells])
        lines.append([])
    report.done()
    report.table(
        f"Seconds to a certified gap by each method (limit {TIME_LIMIT:.0f} s), θ ~ U(0, 1)",
        ("instance", "decisions", "gap", *METHODS),
        lines,
    )
    report.line("In brackets: the gap reached if the method ended above the requested one. –: not applicable.", "")


def _warm_up() -> None:
    for build in (lambda: grid(3), lambda: matching(3), _mset, _trees, _partition, _intersection):
        decision_set, theta = build()
        for method in METHODS:
            _time(decision_set, theta, method, 0.05, decision_set.count())


def _time(decision_set: sb.DecisionSet, theta: np.ndarray, method: str, gap: float, count: int) -> dict[str, Any]:
    is_matroid = isinstance(decision_set, MATROIDS)
    beyond = (method == "glpg" and count > GLPG_MOST) or (method == "enumeration" and count > 20_000)
    if beyond or (method == "closed-form" and not is_matroid):
        return {"seconds": None, "gap": None}
    start = time.perf_counter()
    result = sb.graves_lai(decision_set, theta, method=method, gap=gap, time_limit=TIME_LIMIT, throw=False)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "gap": result.gap, "lower": result.lower, "value": result.value, "reached": result.gap <= gap}


def _cell(outcome: dict[str, Any]) -> str:
    if outcome["seconds"] is None:
        return "–"
    text = digits(outcome["seconds"], 2)
    return text if outcome["reached"] else f"{text} ({outcome['gap']:.1g})"
