"""Where to draw the nodes of a graph that has no positions of its own."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import networkx as nx
import numpy as np

from semibandits._typing import FloatArray, IntArray

SWEEPS: Final = 12
SMALL: Final = 150
"""Largest number of nodes for which the slow and handsome layout is used."""
STEEPEST: Final = 80.0
"""Beyond this latitude the projection stretches too much, and positions are drawn as they are."""


def layered_layout(order: IntArray, tails: IntArray, heads: IntArray) -> FloatArray:
    """Positions of the nodes of a directed acyclic graph, from left to right.

    Parameters
    ----------
    order : ndarray of int, shape (n,)
        All nodes in topological order.
    tails, heads : ndarray of int, shape (a,)
        The arcs.

    Returns
    -------
    ndarray of float, shape (n, 2)
        x is the number of arcs on a longest path to the node. Within a layer, y puts each node near the mean of its
        neighbours, by sweeps to the right and to the left (the barycentre heuristic).
    """
    n = len(order)
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        before[head].append(tail)
        after[tail].append(head)
    layer = np.zeros(n, dtype=np.int64)
    for node in order.tolist():
        layer[node] = max((layer[tail] + 1 for tail in before[node]), default=0)
    layers = [np.flatnonzero(layer == k).tolist() for k in range(int(layer.max(initial=0)) + 1)]
    y = np.zeros(n)
    for nodes in layers:
        y[nodes] = _spread(len(nodes))
    for sweep in range(SWEEPS):
        near, walk = (before, layers) if sweep % 2 == 0 else (after, layers[::-1])
        for nodes in walk:
            wish = {v: float(np.mean(y[near[v]])) if near[v] else float(y[v]) for v in nodes}
            ranked = [v for _, v in sorted((wish[v], v) for v in nodes)]
            y[ranked] = _spread(len(nodes))
    return np.column_stack([layer.astype(np.float64), y])


def spring_layout(n: int, tails: IntArray, heads: IntArray) -> FloatArray:
    """Positions of the nodes of an undirected graph, shape (n, 2), the same ones every time."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(tails.tolist(), heads.tolist(), strict=True))
    place = nx.kamada_kawai_layout(graph) if n <= SMALL else nx.spring_layout(graph, seed=0)
    return np.array([place[v] for v in range(n)], dtype=np.float64).reshape(n, 2)


def is_map(places: FloatArray) -> bool:
    """Whether longitudes and latitudes, shape (n, 2), can be drawn as a map."""
    return bool(np.abs(places[:, 1]).max() <= STEEPEST and np.abs(places[:, 0]).max() <= 360.0)


def _spread(count: int) -> FloatArray:
    """So many places, one apart and centred at 0."""
    return np.arange(count, dtype=np.float64) - (count - 1) / 2
