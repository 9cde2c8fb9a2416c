"""Decomposition of circulations into cycles."""

import networkx as nx
import numpy as np
import pytest

from semibandits.kernels.graphs.cycle_decomposition import decompose_into_cycles
from semibandits.kernels.graphs.exchange import incidence


@pytest.mark.parametrize("seed", range(60))
def test_cycles_add_up_to_the_circulation(seed):
    rng = np.random.default_rng(seed)
    n, a = int(rng.integers(2, 8)), 20
    tails, heads = rng.integers(0, n, a), rng.integers(0, n, a)
    graph = nx.MultiDiGraph()
    for arc in range(a):
        graph.add_edge(int(tails[arc]), int(heads[arc]), key=arc)
    flow = np.zeros(a)
    for nodes in list(nx.simple_cycles(nx.DiGraph(graph)))[:8]:
        rate = 10.0 ** rng.uniform(-6, 6)
        for t, h in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
            flow[next(iter(graph[t][h]))] += rate
    rates, ptr, arcs = decompose_into_cycles(flow, tails, heads, *incidence(n, tails))
    assert len(rates) <= a
    assert (rates > 0).all()
    total = np.zeros(a)
    for k in range(len(rates)):
        cycle = arcs[ptr[k] : ptr[k + 1]]
        assert (heads[cycle] == np.roll(tails[cycle], -1)).all()
        assert len(set(tails[cycle].tolist())) == len(cycle)
        total[cycle] += rates[k]
    # Exact but for rounding of the large flows that were added up to make the small ones.
    assert np.abs(total - flow).max() <= 1e-12 * flow.max(initial=1.0)


def test_small_flows_survive_beside_huge_ones():
    # Two cycles through node 0, thirteen orders of magnitude apart.
    tails, heads = np.array([0, 1, 0, 2]), np.array([1, 0, 2, 0])
    flow = np.array([1e13, 1e13, 1.0, 1.0])
    rates, ptr, arcs = decompose_into_cycles(flow, tails, heads, *incidence(3, tails))
    total = np.zeros(4)
    for k in range(len(rates)):
        total[arcs[ptr[k] : ptr[k + 1]]] += rates[k]
    np.testing.assert_array_equal(total, flow)


def test_a_dead_end_is_given_up_and_nothing_else():
    tails, heads = np.array([0, 1, 1]), np.array([1, 0, 2])
    rates, ptr, arcs = decompose_into_cycles(np.array([1.0, 1.0, 1e-9]), tails, heads, *incidence(3, tails))
    assert rates.tolist() == [1.0]
    assert sorted(arcs[ptr[0] : ptr[1]].tolist()) == [0, 1]
