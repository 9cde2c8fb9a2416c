"""Reading networkx graphs and sequences of pairs."""

import networkx as nx
import numpy as np
import pytest

from semibandits._graphs import read_edges
from semibandits.errors import InvalidInputError


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


@pytest.mark.parametrize(
    ("kind", "directed"),
    [(nx.Graph, False), (nx.MultiGraph, False), (nx.DiGraph, True), (nx.MultiDiGraph, True)],
)
def test_networkx_graphs_keep_isolated_nodes_and_edge_order(kind, directed):
    graph = kind()
    graph.add_node("alone")
    graph.add_edge("x", "y", weight=3)
    graph.add_edge("y", "z")
    edges = read_edges(graph, directed=directed)
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


@pytest.mark.parametrize(
    ("graph", "directed", "message"),
    [
        (nx.Graph([(1, 2)]), True, "graph must be directed, got a Graph"),
        (nx.MultiDiGraph([(1, 2)]), False, "graph must be undirected, got a MultiDiGraph"),
        ([(1, 2), (1, 2, 3)], True, r"pair \(u, v\), got \(1, 2, 3\) at position 1"),
        (["ab"], False, r"pair \(u, v\), got 'ab'"),
        ([(1, [2])], False, r"hashable, got \[2\] in the edge at position 0"),
        ([(1, float("nan"))], False, "got NaN in the edge at position 0"),
        ({(1, 2)}, False, "sequence of pairs, got set"),
        ({1: 2}, False, "sequence of pairs, got dict"),
        (3, False, "sequence of pairs, got int"),
        ("ab", False, "sequence of pairs, got str"),
        (np.array([1, 2]), False, r"pair \(u, v\), got 1 at position 0"),
    ],
)
def test_malformed_graphs_are_refused(graph, directed, message):
    with pytest.raises(InvalidInputError, match=message):
        read_edges(graph, directed=directed)


def test_arrays_are_read_only():
    edges = read_edges([(1, 2)], directed=True)
    with pytest.raises(ValueError, match="read-only"):
        edges.tails[0] = 5
