"""One instance of each family, chosen independently of the results of policies, and road networks."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np

import semibandits as sb

SEED = 2026
VARIANCE = 0.5
MOST_EXPLORED = 10_000
"""Largest number of explored rounds in a million."""


def instances() -> dict[str, tuple[sb.DecisionSet, np.ndarray]]:
    """Decision set and means by name.

    Means are uniform on (0, 1). If the Graves-Lai plan needs more than one percent of 10^6 rounds, the last decade is not
    asymptotic yet; such a draw is kept as "near-tie", and another instance of the family is drawn.
    """
    rng = np.random.default_rng(SEED)
    first = {name: (decision_set, rng.random(decision_set.d)) for name, decision_set in _sets().items()}
    plain, near_ties = {}, {}
    for name, (decision_set, theta) in first.items():
        if _explored(decision_set, theta) > MOST_EXPLORED:
            near_ties[f"{name}-near-tie"] = decision_set, theta
        while _explored(decision_set, theta) > MOST_EXPLORED:
            theta = rng.random(decision_set.d)
        plain[name] = decision_set, theta
    return plain | near_ties


def networks() -> dict[str, sb.datasets.Dataset]:
    """Road networks of cities by name."""
    return {name: sb.datasets.load(f"{name}-routing") for name in ("sioux-falls", "nauru")}


def _explored(decision_set: sb.DecisionSet, theta: np.ndarray) -> float:
    """Rounds that the plan explores in a million."""
    return float(sb.graves_lai(decision_set, theta, VARIANCE).plan.rates.sum()) * math.log(1_000_000)


def _sets() -> dict[str, sb.DecisionSet]:
    return {
        "m-sets": sb.MSets(8, 2),
        "trees": sb.SpanningTrees(nx.complete_graph(5)),
        "matroid": sb.MatroidBases(sb.matroids.Laminar([range(4), range(4, 8), range(8, 12), range(8)], [2, 2, 1, 3])),
        "paths": sb.Paths(_grid(4), (0, 0), (3, 3)),
        "matchings": sb.Matchings(list(itertools.product(range(5), range(5)))),
        "intersection": sb.MatroidIntersection(
            sb.matroids.Partition([i % 4 for i in range(16)], 1), sb.matroids.Partition([i // 3 for i in range(16)], 1)
        ),
        "list": sb.EnumeratedDecisions(_listed(12, 20)),
    }


def _grid(n: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Arcs right, down and diagonal."""
    steps = ((0, 1), (1, 0), (1, 1))
    return [
        ((r, c), (r + down, c + right))
        for r, c in itertools.product(range(n), range(n))
        for down, right in steps
        if r + down < n and c + right < n
    ]


def _listed(d: int, n: int) -> np.ndarray:
    """Different decisions of 3 to 6 items."""
    rng = np.random.default_rng(SEED)
    rows: dict[bytes, np.ndarray] = {}
    while len(rows) < n:
        row = np.zeros(d, dtype=bool)
        row[rng.choice(d, size=rng.integers(3, 7), replace=False)] = True
        rows.setdefault(row.tobytes(), row)
    return np.array(list(rows.values()))
