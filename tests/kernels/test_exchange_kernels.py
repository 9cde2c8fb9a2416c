"""Cheapest cycles of large graphs against plain searches; small graphs are in `regret_bound/test_presolve.py`."""

import numpy as np
import pytest

from semibandits.kernels.graphs.exchange import arcs_of, cheapest_cycles, distances_to


def check_cycle(cycle, arc, cost, tails, heads, costs):
    """Its arcs, the first of which is `arc` and the others in any order, are a simple cycle of this cost."""
    assert cycle[0] == arc
    after, walk = dict(zip(tails[cycle], heads[cycle], strict=True)), [tails[arc]]
    while after[walk[-1]] not in walk:
        walk.append(after[walk[-1]])
    assert after[walk[-1]] == walk[0]
    assert len(walk) == len(cycle)
    assert costs[cycle].sum() == pytest.approx(cost, abs=1e-12)


def test_cheapest_cycles_of_large_graphs_with_laps_of_cost_zero_are_simple():
    """The searches from both ends meet halfway, and where many walks are equally cheap the two parts may overlap."""
    rng = np.random.default_rng(0)
    n = 200
    tails, heads = rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n)
    costs = rng.integers(0, 2, 3 * n) * rng.random(3 * n).round(1)
    graph, wanted = arcs_of(n, tails, heads), np.ones(3 * n, dtype=np.int64)
    gaps, ptr, arcs = cheapest_cycles(np.arange(n), wanted, graph, costs)
    distance = np.array([distances_to(v, graph, costs, np.ones(n, dtype=np.bool_))[0] for v in range(n)])
    np.testing.assert_allclose(gaps, costs + distance[tails, heads], rtol=1e-12)
    for k, arc in enumerate(graph.out_arcs):
        cycle = arcs[ptr[k] : ptr[k + 1]]
        assert (len(cycle) > 0) == np.isfinite(gaps[arc])
        assert (heads[cycle] == np.roll(tails[cycle], -1)).all()
        if len(cycle):
            check_cycle(cycle, arc, gaps[arc], tails, heads, costs)
