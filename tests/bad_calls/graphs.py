"""Graphs and edges that cannot be read."""

import networkx as nx
import numpy as np

from semibandits._graphs import read_edges

CALLS = [
    (lambda: read_edges(nx.Graph([(1, 2)]), directed=True), "graph must be directed, got a Graph"),
    (lambda: read_edges(nx.MultiDiGraph([(1, 2)]), directed=False), "graph must be undirected, got a MultiDiGraph"),
    (lambda: read_edges([(1, 2), (1, 2, 3)], directed=True), r"pair \(u, v\), got \(1, 2, 3\) at position 1"),
    (lambda: read_edges(["ab"], directed=False), r"pair \(u, v\), got 'ab'"),
    (lambda: read_edges([(1, [2])], directed=False), r"hashable, got \[2\] in the edge at position 0"),
    (lambda: read_edges([(1, float("nan"))], directed=False), "got NaN in the edge at position 0"),
    (lambda: read_edges({(1, 2)}, directed=False), "sequence of pairs, got set"),
    (lambda: read_edges({1: 2}, directed=False), "sequence of pairs, got dict"),
    (lambda: read_edges(3, directed=False), "sequence of pairs, got int"),
    (lambda: read_edges("ab", directed=False), "sequence of pairs, got str"),
    (lambda: read_edges(np.array([1, 2]), directed=False), r"pair \(u, v\), got 1 at position 0"),
]  # fmt: skip
