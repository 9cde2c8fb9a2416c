"""Kernels for paths in a directed acyclic graph, against plain Python."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.graphs.dag import acyclic_order, longest_path, paths_by_rank
from semibandits.kernels.graphs.exchange import incidence
from strategies import WHOLE, ends_of, multigraphs, ordered_networks, vectors


def grouped(n, own, other):
    ptr, items = incidence(n, own)
    return ptr, other[items], items


def twin_paths(arcs, v, last):
    """All paths from v to the last node as tuples of items, in lexicographic order."""
    if v == last:
        return [()]
    return [(k, *rest) for k, (u, w) in enumerate(arcs) if u == v for rest in twin_paths(arcs, w, last)]


@settings(max_examples=150)
@given(multigraphs((1, 7), (0, 16)))
def test_acyclic_order_omits_nodes_reachable_from_a_cycle(instance):
    n, arcs = instance
    graph = nx.DiGraph(arcs)
    graph.add_nodes_from(range(n))
    on_cycles = {v for part in nx.strongly_connected_components(graph) if len(part) > 1 for v in part}
    on_cycles |= {v for v in graph if graph.has_edge(v, v)}
    behind = on_cycles.union(*(nx.descendants(graph, v) for v in on_cycles))
    order = acyclic_order(n, *ends_of(arcs)).tolist()
    assert sorted(order) == sorted(set(range(n)) - behind)
    assert all(order.index(u) < order.index(v) for u, v in arcs if v in order)


@settings(max_examples=150)
@given(ordered_networks(6, 10), st.data())
def test_longest_path_against_all_paths(instance, data):
    n, arcs = instance
    tails, heads = ends_of(arcs)
    weights = data.draw(vectors(len(arcs), WHOLE))
    x, heaviest = longest_path(weights, *grouped(n, heads, tails))
    assert heaviest.tolist() == [max(sum(weights[k] for k in path) for path in twin_paths(arcs, 0, v)) for v in range(n)]
    assert tuple(sorted(np.flatnonzero(x), key=lambda k: tails[k])) == twin_longest(arcs, weights, n - 1)


def twin_longest(arcs, weights, v):
    """Heaviest path from node 0 to v; of equally heavy ones, that with the smallest index of the last arc, and so on."""
    if v == 0:
        return ()
    ways = [((*twin_longest(arcs, weights, u), k), k) for k, (u, w) in enumerate(arcs) if w == v]
    return max(ways, key=lambda way: (sum(weights[k] for k in way[0]), -way[1]))[0]


@settings(max_examples=150)
@given(ordered_networks(6, 10))
def test_paths_by_rank_against_recursion(instance):
    n, arcs = instance
    tails, heads = ends_of(arcs)
    expected = twin_paths(arcs, 0, n - 1)
    rows = paths_by_rank(len(arcs), len(expected), *grouped(n, tails, heads))
    assert [tuple(sorted(np.flatnonzero(row), key=lambda k: tails[k])) for row in rows] == expected
