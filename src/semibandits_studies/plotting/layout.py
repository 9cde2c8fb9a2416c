"""Positions of the nodes of a graph: given ones, or a computed layout."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

import networkx as nx
import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.families.family import Network
from semibandits.inputs.validation import node_places

SWEEPS: Final = 12
SMALL: Final = 150
"""Largest number of nodes for which the slower and clearer layout is used."""
STEEPEST: Final = 80.0
"""Degrees of latitude beyond which the map projection stretches too much; positions are then drawn unprojected."""


def node_positions(network: Network, positions: Mapping[Hashable, tuple[float, float]] | None) -> FloatArray:
    """Positions of the nodes of a network, shape (n, 2): the given ones, else layers for paths, else springs.

    On springs the target of routes is to the right of their source, at the same height.
    """
    if positions is not None:
        return node_places(network.nodes, positions)
    if network.order is not None:
        return layered_layout(network.order, network.tails, network.heads)
    places = spring_layout(len(network.nodes), network.tails, network.heads)
    if network.source is None or network.target is None:
        return places
    x, y = places[network.target] - places[network.source]
    turned: FloatArray = places @ np.array([[x, -y], [y, x]]) / np.hypot(x, y)
    return turned


def part_of(tails: IntArray, heads: IntArray, ends: Sequence[int]) -> tuple[IntArray, IntArray, IntArray]:
    """The nodes of some links and the `ends`, ascending, and the tails and heads of the links as positions among these nodes."""
    nodes = np.unique(np.concatenate((tails, heads, np.array(ends, dtype=np.int64))))
    return nodes, np.searchsorted(nodes, tails), np.searchsorted(nodes, heads)


def layered_layout(order: IntArray, tails: IntArray, heads: IntArray) -> FloatArray:
    """Positions, shape (n, 2), of the nodes of a directed acyclic graph from left to right; `order` is a topological order.

    x is the number of arcs on a longest path to the node. Within a layer, y is near the mean of the neighbours, by sweeps to the
    right and to the left (the barycentre heuristic).
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
        neighbours, ordered = (before, layers) if sweep % 2 == 0 else (after, layers[::-1])
        for nodes in ordered:
            target = {v: float(np.mean(y[neighbours[v]])) if neighbours[v] else float(y[v]) for v in nodes}
            y[sorted(nodes, key=lambda v: (target[v], v))] = _spread(len(nodes))
    return np.column_stack([layer.astype(np.float64), y])


def spring_layout(n: int, tails: IntArray, heads: IntArray) -> FloatArray:
    """Deterministic positions of the nodes of an undirected graph, shape (n, 2)."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(zip(tails.tolist(), heads.tolist(), strict=True))
    place = nx.kamada_kawai_layout(graph) if n <= SMALL else nx.spring_layout(graph, seed=0)
    return np.array([place[v] for v in range(n)], dtype=np.float64).reshape(n, 2)


def is_map(places: FloatArray) -> bool:
    """Whether longitudes and latitudes, shape (n, 2), can be drawn as a map."""
    return bool(np.abs(places[:, 1]).max() <= STEEPEST and np.abs(places[:, 0]).max() <= 360.0)


def _spread(count: int) -> FloatArray:
    """`count` positions one apart, centred at 0."""
    return np.arange(count, dtype=np.float64) - (count - 1) / 2
