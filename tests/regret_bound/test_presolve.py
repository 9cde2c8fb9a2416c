"""Presolve against lists of cycles: gaps, merged nodes, free arcs, loops, blocks, and the way back to the exchange graph."""

import itertools

import networkx as nx
import numpy as np
import pytest
from bound_checks import exchange_graph, within
from enumeration_reference import least_costs, listed_cycles, simple_cycles
from hypothesis import given
from hypothesis import strategies as st

import semibandits as sb
from example_sets import matching
from semibandits.laws import Gaussian
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import presolve
from semibandits.regret_bound.plan import exchanged, unfolded

TOLERANCE = 1e-9


@st.composite
def graphs(draw):
    """Random graphs with ties, loops, parallel arcs, dead ends, isolated nodes, and maybe a hub joined by free arcs."""
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    cost = draw(
        st.sampled_from([st.sampled_from([0.0, 0.0, 1.0, 2.0]), st.floats(0.1, 2.0), st.sampled_from([0.0, 1e-11, 1e-3, 1.0])])
    )
    arcs = draw(st.lists(st.tuples(node, node, cost, st.booleans()), min_size=1, max_size=12))
    hub = sorted(draw(st.sets(node, max_size=3)))
    # As on a path: one may go back along x* at no cost; the other way is free as far as entering items go.
    arcs += [(v, u, 0.0, False) for u, v in itertools.pairwise(hub)]
    return exchange_graph(n, arcs, hub if len(hub) > 1 else [])


@given(graphs())
def test_gaps_merged_nodes_and_free_arcs(graph):
    cycles = listed_cycles(graph)
    gaps = least_costs(cycles, graph.costs)
    found = presolve(graph, Gaussian(), np.zeros(graph.n_arcs), within(TOLERANCE, graph))
    np.testing.assert_allclose(found.gaps, gaps, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(found.free, gaps <= TOLERANCE)
    together = nx.Graph()
    together.add_nodes_from(range(graph.n_nodes))
    together.add_edges_from(itertools.pairwise(graph.hub.tolist()))
    for cycle in cycles:
        if graph.costs[cycle].sum() <= TOLERANCE:
            ends = graph.tails[cycle].tolist() + graph.heads[cycle].tolist()
            together.add_edges_from(itertools.pairwise(ends))
    for group in nx.connected_components(together):
        assert len({int(found.merged[v]) for v in group}) == 1
    assert len(set(found.merged.tolist())) == nx.number_connected_components(together)


@given(graphs())
def test_every_cycle_with_an_item_is_a_loop_or_lies_in_one_block(graph):
    found = presolve(graph, Gaussian(), np.zeros(graph.n_arcs), within(TOLERANCE, graph))
    tails, heads = found.merged[graph.tails], found.merged[graph.heads]
    place = np.full(graph.n_arcs, -1)
    for b, block in enumerate(found.blocks):
        assert (place[block.arcs] == -1).all()
        place[block.arcs] = b
    inner = (tails == heads) & ~found.free
    np.testing.assert_array_equal(found.loops, np.flatnonzero(inner & (graph.entering >= 0)))
    on_cycle = np.zeros(graph.n_arcs, dtype=bool)
    for cycle in simple_cycles(tails, heads):
        if found.free[cycle].any() or inner[cycle].any():
            continue
        on_cycle[cycle] = True
        if (graph.entering[cycle] >= 0).any():
            assert len({int(place[arc]) for arc in cycle}) == 1
            assert place[cycle[0]] >= 0
    assert on_cycle[place >= 0].all()


@given(graphs())
def test_blocks_agree_with_their_description(graph):
    v = np.linspace(1.0, 2.0, graph.n_arcs)
    found = presolve(graph, Gaussian(v / 2.0), np.zeros(graph.n_arcs), within(TOLERANCE, graph))
    for block in found.blocks:
        digraph = block.graph
        np.testing.assert_array_equal(found.merged[graph.tails[block.arcs]], block.nodes[digraph.tails])
        np.testing.assert_array_equal(found.merged[graph.heads[block.arcs]], block.nodes[digraph.heads])
        np.testing.assert_array_equal(graph.costs[block.arcs], digraph.costs)
        np.testing.assert_array_equal(block.informative, graph.entering[block.arcs] >= 0)
        np.testing.assert_array_equal(block.twice_variance[block.informative], v[block.arcs[block.informative]])
        assert len(np.unique(block.nodes)) == digraph.n
        assert nx.is_strongly_connected(nx.MultiDiGraph(zip(digraph.tails.tolist(), digraph.heads.tolist(), strict=True)))
        cycles = list(simple_cycles(digraph.tails, digraph.heads))
        gaps = least_costs(cycles, digraph.costs)
        np.testing.assert_allclose(block.gaps, gaps, rtol=1e-12)
        assert (gaps > 0).all()
        if digraph.has_hub:
            assert all(0 in digraph.tails[cycle] for cycle in cycles)
            inner = (digraph.tails > 0) & (digraph.heads > 0)
            assert (digraph.tails[inner] < digraph.heads[inner]).all()
        known = {tuple(sorted(cycle)) for cycle in cycles}
        assert len(block.cheapest) == block.informative.sum()
        for k, arc in enumerate(np.flatnonzero(block.informative)):
            cycle = block.cheapest[k]
            assert arc in cycle
            assert tuple(sorted(cycle.tolist())) in known
            assert digraph.costs[cycle].sum() == pytest.approx(gaps[arc], rel=1e-12)


TIED = {
    "paths": lambda: sb.Paths([(i, j) for i in range(6) for j in range(i + 1, 6)], 0, 5),
    "perfect matchings": lambda: matching(4),
    "any matchings": lambda: matching(3, saturate="none"),
    "m-sets": lambda: sb.MSets(7, 3),
    "trees": lambda: sb.SpanningTrees([(i, j) for i in range(5) for j in range(i)]),
}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("family", TIED)
def test_unfolded_cycles_are_exchanges_of_the_same_gap(family, seed):
    """With many ties: cycles of merged nodes become closed walks of the exchange graph that lead to decisions."""
    decision_set = TIED[family]()
    theta = np.random.default_rng(seed).integers(0, 2, decision_set.d).astype(float)
    graph = decision_set.exchange_graph(theta)
    found = presolve(graph, Gaussian(), theta, within(TOLERANCE, graph))
    parts = [Cycles(block.cheapest.ptr, block.arcs[block.cheapest.arcs]) for block in found.blocks]
    parts.append(Cycles(np.arange(len(found.loops) + 1), found.loops))
    folded = Cycles.joined(parts)
    walks = unfolded(graph, found, folded)
    assert len(walks) == len(folded)
    decisions = exchanged(graph, walks)
    for k in range(len(walks)):
        walk = walks[k]
        np.testing.assert_array_equal(graph.heads[walk], np.roll(graph.tails[walk], -1))
        assert set(folded[k].tolist()) <= set(walk.tolist())
        assert graph.costs[walk].sum() == pytest.approx(found.gaps[folded[k]].max(), abs=1e-12)
        if len(set(graph.tails[walk].tolist())) == len(walk):
            assert decisions.mask(k) in decision_set
            assert graph.decision @ theta - decisions.mask(k) @ theta == pytest.approx(graph.costs[walk].sum(), abs=1e-12)
