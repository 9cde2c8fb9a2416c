"""One instance of each family, with means drawn once: nothing was chosen by what came out."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np

import semibandits as sb

SEED = 2026
VARIANCE = 0.5


def instances() -> dict[str, tuple[sb.DecisionSet, np.ndarray]]:
    """Decision set and means, uniform on (0, 1), by name."""
    sets = {
        "m-sets": sb.MSets(8, 2),
        "trees": sb.SpanningTrees(nx.complete_graph(5)),
        "matroid": sb.MatroidBases(sb.matroids.Laminar([range(4), range(4, 8), range(8, 12), range(8)], [2, 2, 1, 3])),
        "paths": sb.Paths(_grid(4), (0, 0), (3, 3)),
        "matchings": sb.Matchings(list(itertools.product(range(5), range(5)))),
        "intersection": sb.MatroidIntersection(
            sb.matroids.Partition([i % 4 for i in range(16)], 1),
            sb.matroids.Partition([i // 3 for i in range(16)], 1),
        ),
        "list": sb.EnumeratedDecisions(_listed(12, 20)),
    }
    rng = np.random.default_rng(SEED)
    return {name: (decision_set, rng.random(decision_set.d)) for name, decision_set in sets.items()}


def _grid(n: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Arcs right, down and diagonally."""
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
