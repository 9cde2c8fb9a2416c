"""Gaps, cheapest cycles, blocks and orders against networkx and plain searches."""

import itertools

import networkx as nx
import numpy as np
import pytest

from semibandits.kernels.graphs.exchange import arcs_of, cheapest_cycles, distances_to, incidence, topological_order


def random_digraph(rng, n, a, *, loops=False):
    """Arcs and their costs."""
    tails, heads = rng.integers(0, n, a), rng.integers(0, n, a)
    keep = (tails != heads) | loops
    costs = rng.integers(0, 4, a).astype(float) if rng.random() < 0.5 else rng.random(a)
    return tails[keep], heads[keep], costs[keep]


def floyd(n, tails, heads, costs):
    distance = np.where(np.eye(n, dtype=bool), 0.0, np.inf)
    np.minimum.at(distance, (tails, heads), costs)
    for k in range(n):
        distance = np.minimum(distance, distance[:, [k]] + distance[[k], :])
    return distance


def check_cycle(cycle, arc, cost, tails, heads, costs):
    """Its arcs, the first of which is `arc` and the others in any order, are a simple cycle of this cost."""
    assert cycle[0] == arc
    after, walk = dict(zip(tails[cycle], heads[cycle], strict=True)), [tails[arc]]
    while after[walk[-1]] not in walk:
        walk.append(after[walk[-1]])
    assert after[walk[-1]] == walk[0]
    assert len(walk) == len(cycle)
    assert costs[cycle].sum() == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_distances_and_cheapest_cycles(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    tails, heads, costs = random_digraph(rng, n, 20, loops=True)
    reference = floyd(n, tails, heads, costs)
    graph = arcs_of(n, tails, heads)
    for target in range(n):
        distance, first = distances_to(target, graph, costs, np.ones(n, dtype=np.bool_))
        np.testing.assert_allclose(distance, reference[:, target], atol=1e-12)
        for v in range(n):
            if v != target and np.isfinite(distance[v]):
                arc = first[v]
                assert tails[arc] == v
                assert distance[v] == pytest.approx(costs[arc] + distance[heads[arc]], abs=1e-12)
    wanted = rng.integers(0, 2, len(tails))
    sources = rng.permutation(n)[: rng.integers(1, n + 1)]
    gaps, ptr, arcs = cheapest_cycles(sources, wanted, graph, costs)
    inside = np.isin(tails, sources)
    np.testing.assert_allclose(gaps, np.where(inside, costs + reference[heads, tails], np.inf), atol=1e-12)
    own = [arc for s in sources for arc in np.flatnonzero((tails == s) & (wanted > 0))]
    assert len(ptr) == len(own) + 1
    for k, arc in enumerate(own):
        cycle = arcs[ptr[k] : ptr[k + 1]]
        assert (len(cycle) > 0) == np.isfinite(gaps[arc])
        if len(cycle):
            check_cycle(cycle, arc, gaps[arc], tails, heads, costs)


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


@pytest.mark.parametrize("seed", range(40))
def test_topological_order_exists_iff_the_rest_is_acyclic(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    tails, heads, _ = random_digraph(rng, n, int(rng.integers(1, 12)))
    for hub in range(n):
        order = topological_order(hub, tails, heads, *incidence(n, tails))
        rest = nx.DiGraph([(t, h) for t, h in zip(tails.tolist(), heads.tolist(), strict=True) if hub not in (t, h)])
        assert (len(order) > 0) == nx.is_directed_acyclic_graph(rest)
        if len(order):
            place = np.argsort(order)
            assert order[0] == hub
            assert all(place[t] < place[h] for t, h in itertools.product(range(n), repeat=2) if rest.has_edge(t, h))
