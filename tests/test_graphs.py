"""Reading networkx graphs and sequences of pairs."""

import networkx as nx
import numpy as np
import pytest

from semibandits.inputs.graphs import read_edges

CROSSED = [(1, 2), (2, 1), (1, 3), (1, 2)]
"""Opposite edges are parallel only without direction."""
KEYS = nx.MultiGraph([(1, 2, "first", {}), (2, 1, "second", {}), (2, 3, "only", {})])
READ = [
    ([("b", "a"), ("a", "c"), ["c", "b"]], False, (("b", "a"), ("a", "c"), ("c", "b"))),
    (CROSSED, False, ((1, 2, 0), (2, 1, 1), (1, 3), (1, 2, 2))),
    (CROSSED, True, ((1, 2, 0), (2, 1), (1, 3), (1, 2, 1))),
    ([(1, 1), (1, 1), (2, 2)], False, ((1, 1, 0), (1, 1, 1), (2, 2))),
    (KEYS, False, ((1, 2, "first"), (1, 2, "second"), (2, 3))),
    (np.array([[0, 1], [1, 2]]), True, ((0, 1), (1, 2))),
    (zip("ab", "bc", strict=True), True, (("a", "b"), ("b", "c"))),
    ([], True, ()),
]


@pytest.mark.parametrize(("graph", "directed", "items"), READ)
def test_edges_are_numbered_in_order_and_nodes_as_first_seen(graph, directed, items):
    edges = read_edges(graph, directed=directed)
    assert edges.items == items
    assert edges.nodes == tuple(dict.fromkeys(node for item in items for node in item[:2]))
    assert (edges.n_nodes, edges.n_edges) == (len(edges.nodes), len(items))
    ends = zip(edges.tails.tolist(), edges.heads.tolist(), strict=True)
    assert [(edges.nodes[tail], edges.nodes[head]) for tail, head in ends] == [item[:2] for item in items]
    assert not edges.tails.flags.writeable
    assert not edges.heads.flags.writeable


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph])
def test_networkx_graphs_keep_isolated_nodes_and_edge_order(kind):
    graph = kind([("x", "y"), ("y", "z")])
    graph.add_node("alone")
    edges = read_edges(graph, directed=graph.is_directed())
    assert edges.nodes == ("x", "y", "z", "alone")
    assert edges.items == (("x", "y"), ("y", "z"))
