"""Graphs and edges that cannot be read."""

import networkx as nx
import numpy as np

from semibandits._graphs import read_edges

CALLS = [
    (lambda: read_edges(nx.Graph([(1, 2)]), directed=True), "graph must be directed, got a Graph"),
    (lambda: read_edges(nx.MultiDiGraph([(1, 2)]), directed=False), "graph must be undirected, got a MultiDiGraph"),
    (lambda: read_edges([(1, 2), (1, 2, 3)], directed=True), r"pair \(u, v\), got \(1, 2, 3\) at position 1"),
    *((lambda *, edges=edges: read_edges(edges, directed=False), message) for edges, message in (
        (["ab"], r"pair \(u, v\), got 'ab'"), (np.array([1, 2]), r"pair \(u, v\), got 1 at position 0"),
        ([(1, [2])], r"hashable, got \[2\] in the edge at position 0"),
        ([(1, float("nan"))], "got NaN in the edge at position 0"),
        ({(1, 2)}, "sequence of pairs, got set"), ("ab", "sequence of pairs, got str"),
    )),
]  # fmt: skip
