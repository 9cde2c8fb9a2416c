"""Strongly connected components."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import IntArray


@kernel
def strong_components(n: int, tails: IntArray, heads: IntArray) -> IntArray:
    """Component of each of n nodes, numbered from 0, by Tarjan's algorithm."""
    ptr, arcs = incidence(n, tails)
    out, position = heads[arcs], ptr[:-1].copy()
    component = np.full(n, -1, dtype=np.int64)
    number = np.full(n, -1, dtype=np.int64)
    low = np.zeros(n, dtype=np.int64)
    path, pending = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    visited = components = waiting = 0
    for root in range(n):
        depth = 0
        if number[root] < 0:
            path[0], pending[waiting] = root, root
            number[root] = low[root] = visited
            depth, visited, waiting = 1, visited + 1, waiting + 1
        while depth > 0:
            v = path[depth - 1]
            if position[v] < ptr[v + 1]:
                w = out[position[v]]
                position[v] += 1
                if number[w] < 0:
                    path[depth], pending[waiting] = w, w
                    number[w] = low[w] = visited
                    depth, visited, waiting = depth + 1, visited + 1, waiting + 1
                elif component[w] < 0:
                    low[v] = min(low[v], number[w])
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[v])
            if low[v] == number[v]:
                w = -1
                while w != v:
                    waiting -= 1
                    w = pending[waiting]
                    component[w] = components
                components += 1
    return component
