"""Small graphs of every kind, with routes, for tests."""

import networkx as nx
import numpy as np
from hypothesis import strategies as st

import semibandits as sb

KINDS = (nx.DiGraph, nx.MultiDiGraph, nx.Graph, nx.MultiGraph)


@st.composite
def graphs(draw, most_nodes=6, most_edges=12):
    """A graph of any kind with a path from node 0 to the last one; also parallel edges, self-loops and isolated nodes."""
    n = draw(st.integers(2, most_nodes))
    graph = draw(st.sampled_from(KINDS))()
    graph.add_nodes_from(range(n))
    node = st.integers(0, n - 1)
    graph.add_edges_from(draw(st.lists(st.tuples(node, node), max_size=most_edges)))
    if not nx.has_path(graph, 0, n - 1):
        graph.add_edge(0, n - 1)
    return graph


@st.composite
def routes(draw, **limits):
    """Routes, and mean costs that are at least their least costs; many ties and zeros, or none."""
    graph = draw(graphs(**limits))
    d = graph.number_of_edges()
    cost = draw(st.sampled_from((st.integers(0, 3).map(float), st.floats(0.01, 3.0))))
    costs = np.array(draw(st.lists(cost, min_size=d, max_size=d)))
    share = draw(st.sampled_from((0.0, 0.5, 0.9, 1.0)))
    return sb.Routes(graph, 0, graph.number_of_nodes() - 1, least=share * costs), costs


def street_grid(rows, columns, kind, rng, *, spread="narrow", least=0.0):
    """Two-way streets on a grid: routes from corner to corner, and mean costs. `kind`: items are "separate" or "shared"."""
    graph = nx.grid_2d_graph(rows, columns)
    if kind == "separate":
        graph = graph.to_directed()
    d = graph.number_of_edges()
    costs = rng.uniform(0.5, 1.5, d) if spread == "narrow" else np.exp(rng.uniform(-2.5, 0.5, d))
    return sb.Routes(graph, (0, 0), (rows - 1, columns - 1), least=least * costs), costs
