"""Matroid bases of every kind, m-sets and spanning trees: P_LM, swaps and exchange graphs against enumeration."""

import networkx as nx
import numpy as np
import pytest
from brute_force import costs_of_potentials
from hypothesis import given, settings
from hypothesis import strategies as st

from matroid_cases import KINDS, defined_matroids
from semibandits import matroids
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.spanning_trees import SpanningTrees
from strategies import FAR_APART, connected_edges, items_of, small_msets, with_vectors

FAMILIES = {kind: defined_matroids(kind, least=1).map(lambda pair: MatroidBases(pair[0])) for kind in KINDS} | {
    "m-sets": small_msets(7),
    "spanning trees": connected_edges().map(SpanningTrees),
}


def single_swaps(x, bases):
    """(j, i, basis) for every basis of the form x - j + i."""
    changes = [(np.flatnonzero(x & ~y), np.flatnonzero(y & ~x), y) for y in bases]
    return [(leaving[0], entering[0], y) for leaving, entering, y in changes if len(leaving) == 1]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=150)
@given(data=st.data())
def test_swaps_and_exchange_graph_are_the_single_swaps(family, data):
    """Among bases of equal weight, the best one is that whose sorted list of (weight, index) comes first."""
    decisions, theta = data.draw(with_vectors(FAMILIES[family], FAR_APART, size=items_of))
    swaps, graph, x = decisions.swaps(theta), decisions.exchange_graph(theta), decisions.maximize(theta)
    bases = decisions.enumerate()
    assert np.array_equal(x, min(bases, key=lambda y: sorted((-theta[i], i) for i in np.flatnonzero(y))))
    assert np.array_equal(swaps.decision, x)
    assert np.array_equal(graph.decision, x)
    expected = single_swaps(x, bases)
    for i in range(decisions.d):
        partners = [j for j, entering, _ in expected if entering == i]
        j = min(partners, key=lambda j: (theta[j], j), default=-1)
        assert swaps.leaving[i] == j
        assert swaps.gaps[i] == (theta[j] - theta[i] if j >= 0 else np.inf)
    assert (swaps.gaps >= 0).all()
    check_star(graph, theta, expected)


def check_star(graph, theta, expected):
    """Every single swap is a cycle of two arcs through the hub, and there are no other cycles."""
    assert graph.n_nodes == 1 + len({i for _, i, _ in expected})
    assert graph.costs == pytest.approx(costs_of_potentials(graph, theta), abs=1e-12)
    assert len(graph.hub) == 0
    out, back = np.flatnonzero(graph.tails == 0), np.flatnonzero(graph.heads == 0)
    assert sorted([*out, *back]) == list(range(graph.n_arcs))
    assert sorted(graph.tails[back]) == list(range(1, graph.n_nodes))
    assert (graph.costs >= 0).all()
    assert (graph.entering[out] == -1).all()
    assert (graph.leaving[back] == -1).all()
    into = {graph.tails[arc]: arc for arc in back}
    cycles = {}
    for arc in out:
        pair = np.array([arc, into[graph.heads[arc]]])
        cycles[graph.leaving[arc], graph.entering[pair[1]]] = (graph.costs[pair].sum(), graph.apply(pair))
    assert len(cycles) == len(out)
    assert set(cycles) == {(j, i) for j, i, _ in expected}
    for j, i, y in expected:
        gap, decision = cycles[j, i]
        assert gap == theta[j] - theta[i]
        assert np.array_equal(decision, y)


def test_labels_come_from_the_matroid():
    decisions = MatroidBases(matroids.Graphic(nx.Graph([("a", "b"), ("b", "c")])))
    assert decisions.items == (("a", "b"), ("b", "c"))
    assert repr(decisions) == "MatroidBases(Graphic(d=2, nodes=3))"
    assert decisions.matroid.rank == 2


def test_results_are_read_only():
    swaps = MatroidBases(matroids.Uniform(3, 1)).swaps([1, 2, 3])
    for array in (swaps.decision, swaps.leaving, swaps.gaps):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_trees_of_a_large_graph_match_networkx_and_its_path_minima():
    graph = nx.gnm_random_graph(300, 1500, seed=4)
    graph.add_edges_from((v, v + 1) for v in range(299))
    decisions = SpanningTrees(graph)
    theta = np.random.default_rng(4).permutation(decisions.d).astype(float)
    for i, (u, v) in enumerate(decisions.items):
        graph.edges[u, v]["weight"] = theta[i]
    tree = nx.maximum_spanning_tree(graph)
    x = decisions.maximize(theta)
    assert {frozenset(decisions.items[i]) for i in np.flatnonzero(x)} == {frozenset(edge) for edge in tree.edges}
    swaps = decisions.swaps(theta)
    for i in np.flatnonzero(~x)[::10]:
        path = nx.utils.pairwise(nx.shortest_path(tree, *decisions.items[i]))
        assert theta[swaps.leaving[i]] == min(tree.edges[edge]["weight"] for edge in path)
