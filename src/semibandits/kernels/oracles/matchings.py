"""Bipartite matchings: data = ptr, others, items, (number of other nodes, whether leading nodes may stay free).

As in `kernels.graphs.assignment`, entry k joins a leading node to ``others[k]`` and corresponds to item ``items[k]``. See
``oracles/pointers.py``.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.graphs.assignment import Bipartite, heaviest_matching_with_duals
from semibandits.kernels.graphs.exchange import shortest_walks
from semibandits.kernels.graphs.forests import find_root
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.pointers import KNOWN
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED


@kernel
def matchings_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest matching, by shortest augmenting paths."""
    ptr, others, items, sizes = data[0], data[1], data[2], data[3]
    graph = Bipartite(ptr, others, sizes[0], sizes[1] != 0)
    matched, stuck = heaviest_matching_with_duals(_by_entry(weights, items), graph)
    _write(matched.entry, items, x)
    return ANSWERED if len(stuck) == 0 else UNANSWERED


@kernel
def _by_entry(weights: FloatArray, items: IntArray) -> FloatArray:
    result = np.empty(len(items))
    for k in range(len(items)):
        result[k] = weights[items[k]]
    return result


@kernel
def _write(entries: IntArray, items: IntArray, x: BoolArray) -> None:
    x[:] = False
    for k in entries:
        if k >= 0:
            x[items[k]] = True


@kernel
def matchings_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """A leading node takes a node of the other side from another leading node, or from an extra node that holds the free ones."""
    exchange_costs[:] = np.inf
    ptr, others, items = data[0], data[1], data[2]
    n, optional = len(ptr) - 1, data[3][1] != 0
    mine, owner = np.full(n, -1, dtype=np.int64), np.full(data[3][0], n, dtype=np.int64)
    held, moves = np.zeros(n), np.ones(n + 1, dtype=np.bool_)
    for r in range(n):
        for k in range(ptr[r], ptr[r + 1]):
            if x[items[k]]:
                mine[r], owner[others[k]], held[r] = items[k], r, weights[items[k]]
                moves[r] = forced[items[k]] == 0
    walks = np.full((n + 1, n + 1), np.inf)
    for r in range(n):
        if not moves[r]:
            continue
        walks[n, r] = 0.0
        if optional and mine[r] >= 0:
            walks[r, n] = held[r]
        for k in range(ptr[r], ptr[r + 1]):
            i, b = items[k], owner[others[k]]
            if i != mine[r] and forced[i] == 0 and moves[b]:
                walks[r, b] = min(walks[r, b], held[r] - weights[i])
    lengths = shortest_walks(walks)
    for r in range(n):
        if not moves[r]:
            continue
        for k in range(ptr[r], ptr[r + 1]):
            i, b = items[k], owner[others[k]]
            if i != mine[r] and forced[i] == 0 and moves[b]:
                exchange_costs[i] = held[r] - weights[i] + lengths[b, r]
        if mine[r] >= 0:
            for b in range(n + 1):
                exchange_costs[mine[r]] = min(exchange_costs[mine[r]], walks[r, b] + lengths[b, r])
    return KNOWN


@kernel
def matchings_cycles(data: tuple[IntArray, ...], x: BoolArray, y: BoolArray, number: IntArray) -> int:
    """The components of the symmetric difference."""
    ptr, others, items = data[0], data[1], data[2]
    rows = len(ptr) - 1
    parent = np.arange(rows + data[3][0])
    for r in range(rows):
        for k in range(ptr[r], ptr[r + 1]):
            if x[items[k]] != y[items[k]]:
                parent[find_root(parent, rows + others[k])] = find_root(parent, r)
    of_root, n = np.full(len(parent), -1, dtype=np.int64), 0
    for r in range(rows):
        for k in range(ptr[r], ptr[r + 1]):
            if x[items[k]] != y[items[k]]:
                root = find_root(parent, r)
                if of_root[root] < 0:
                    of_root[root] = n
                    n += 1
                number[items[k]] = of_root[root]
    return n
