"""Spanning trees against enumeration and networkx."""

from itertools import combinations

import networkx as nx
import numpy as np
from brute_force import assert_same_exchanges
from hypothesis import given, settings

from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.matroids import Oracle
from strategies import FAR_APART, connected_edges, with_vectors


def is_tree(edges, chosen):
    graph = nx.MultiGraph()
    graph.add_nodes_from({node for edge in edges for node in edge})
    graph.add_edges_from(edges[i] for i in chosen)
    return nx.is_tree(graph)


def all_trees(edges):
    n = len({node for edge in edges for node in edge})
    return [s for s in combinations(range(len(edges)), n - 1) if is_tree(edges, s)]


@settings(max_examples=150)
@given(with_vectors(connected_edges(), FAR_APART))
def test_maximize_equals_enumeration_and_prefers_small_indices(instance):
    """Kruskal with ties to smaller indices finds the tree whose sorted list of (weight, index) comes first."""
    edges, theta = instance
    decisions = SpanningTrees(edges)
    best = min(all_trees(edges), key=lambda s: sorted((-theta[i], i) for i in s))
    assert np.flatnonzero(decisions.maximize(theta)).tolist() == list(best)


@settings(max_examples=150)
@given(with_vectors(connected_edges(), FAR_APART))
def test_swaps_and_exchange_graph_are_those_of_the_matroid_given_by_an_oracle(instance):
    """The oracle uses networkx; `test_matroid_bases` compares its swaps with brute force."""
    edges, theta = instance
    decisions = SpanningTrees(edges)

    def independent(indices):
        graph = nx.MultiGraph([edges[i] for i in indices])
        return graph.number_of_nodes() == 0 or nx.is_forest(graph)

    reference = MatroidBases(Oracle(len(edges), independent))
    assert_same_exchanges(decisions, reference, theta)


def test_a_large_graph_matches_networkx_and_its_path_minima():
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
