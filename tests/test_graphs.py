"""Reading networkx graphs and sequences of pairs."""

import networkx as nx
import numpy as np
import pytest

from semibandits._graphs import read_edges


def test_pairs_number_nodes_as_first_seen():
    edges = read_edges([("b", "a"), ("a", "c"), ["c", "b"]], directed=False)
    assert edges.nodes == ("b", "a", "c")
    assert edges.tails.tolist() == [0, 1, 2]
    assert edges.heads.tolist() == [1, 2, 0]
    assert edges.items == (("b", "a"), ("a", "c"), ("c", "b"))
    assert (edges.n_nodes, edges.n_edges) == (3, 3)


def test_opposite_edges_are_parallel_only_without_direction():
    pairs = [(1, 2), (2, 1), (1, 3), (1, 2)]
    assert read_edges(pairs, directed=False).items == ((1, 2, 0), (2, 1, 1), (1, 3), (1, 2, 2))
    assert read_edges(pairs, directed=True).items == ((1, 2, 0), (2, 1), (1, 3), (1, 2, 1))


def test_loops_are_kept():
    edges = read_edges([(1, 1), (1, 1), (2, 2)], directed=False)
    assert edges.items == ((1, 1, 0), (1, 1, 1), (2, 2))
    assert edges.tails.tolist() == edges.heads.tolist() == [0, 0, 1]


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_networkx_graphs_keep_isolated_nodes_and_edge_order(kind):
    graph = kind()
    graph.add_node("alone")
    graph.add_edge("x", "y", weight=3)
    graph.add_edge("y", "z")
    edges = read_edges(graph, directed=graph.is_directed())
    assert edges.nodes == ("alone", "x", "y", "z")
    assert edges.items == (("x", "y"), ("y", "z"))


def test_keys_of_parallel_edges_are_kept():
    graph = nx.MultiGraph()
    graph.add_edge(1, 2, key="first")
    graph.add_edge(2, 1, key="second")
    graph.add_edge(2, 3, key="only")
    assert [label[2:] for label in read_edges(graph, directed=False).items] == [("first",), ("second",), ()]


def test_arrays_and_generators_are_read_too():
    assert read_edges(np.array([[0, 1], [1, 2]]), directed=True).items == ((0, 1), (1, 2))
    assert read_edges(zip("ab", "bc", strict=True), directed=True).nodes == ("a", "b", "c")
    assert read_edges([], directed=True).n_edges == 0


def test_arrays_are_read_only():
    edges = read_edges([(1, 2)], directed=True)
    with pytest.raises(ValueError, match="read-only"):
        edges.tails[0] = 5
