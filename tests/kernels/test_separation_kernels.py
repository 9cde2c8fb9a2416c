"""Separation over cycles through a hub against the list of all simple cycles."""

from __future__ import annotations

import numpy as np
import pytest

from cycle_lists import all_cycles
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.kernels.solver.separation import hub_walks


def instance(seed):
    """Random costs >= 0 and u >= 0 with u = 0 on cycles of no cost, as after presolve."""
    rng = np.random.default_rng(seed)
    n, a = int(rng.integers(2, 7)), int(rng.integers(3, 16))
    tails, heads = rng.integers(0, n, a), rng.integers(0, n, a)
    keep = (tails < heads) | ((heads == 0) & (tails > 0))
    tails, heads = tails[keep], heads[keep]
    a = len(tails)
    costs = rng.integers(0, 3, a).astype(float) if seed % 2 else rng.random(a)
    u = np.where(rng.random(a) < 0.3, 0.0, rng.random(a) ** 2)
    for cycle in all_cycles(n, tails, heads):
        if costs[cycle].sum() == 0:
            u[cycle] = 0.0
    return n, tails, heads, costs, u


def worst(cycles, costs, u):
    return max((u[c].sum() / costs[c].sum() ** 2 for c in cycles if u[c].sum() > 0), default=0.0)


def families(ptr, arcs):
    return [arcs[ptr[k] : ptr[k + 1]] for k in range(len(ptr) - 1)]


@pytest.mark.parametrize("lean", [0.0, 0.3, 1.0])
def test_searches_through_a_hub_find_the_worst_ratio(lean):
    for seed in range(150):
        n, tails, heads, costs, u = instance(seed)
        cycles, graph = all_cycles(n, tails, heads), arcs_of(n, tails, heads)
        expected, known = worst(cycles, costs, u), {tuple(sorted(c)) for c in cycles}
        for threshold in (0.05 * expected + 1e-3, 0.5 * expected + 1e-3, expected * (1 + 1e-9) + 1e-3):
            best, ptr, arcs, ratios, labels = hub_walks(graph, costs, u, threshold, lean, 2, 10**6)
            assert labels >= 0
            found = families(ptr, arcs)
            np.testing.assert_allclose(ratios, [u[c].sum() / costs[c].sum() ** 2 for c in found], rtol=1e-12)
            last, counts = np.unique(np.array([c[0] for c in found], dtype=int), return_counts=True)
            assert (heads[last] == 0).all()
            assert (counts <= 2).all()
            assert best == pytest.approx(max(expected, threshold), rel=1e-9), seed
            assert all(tuple(sorted(c)) in known for c in found)
            if expected > threshold:
                assert worst(found, costs, u) == pytest.approx(expected, rel=1e-9)


def test_a_label_limit_is_reported_and_not_passed_over():
    rng = np.random.default_rng(0)
    n = 40
    pairs = [(i, j) for i in range(n) for j in range(n) if i < j or (j == 0 and i > 0)]
    tails, heads = np.array(pairs).T.copy()
    costs, u = rng.random(len(pairs)), rng.random(len(pairs))
    graph = arcs_of(n, tails, heads)
    assert hub_walks(graph, costs, u, 1e-6, 0.0, 3, 100)[-1] == -1
