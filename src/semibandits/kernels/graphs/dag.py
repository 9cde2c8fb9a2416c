"""Paths in a directed acyclic graph.

In `longest_path` and `paths_by_rank` the nodes 0 .. n - 1 are in topological order and each lies on a path from 0 to n - 1.
Arcs are grouped by one end: those of node v are at ``ptr[v]:ptr[v + 1]``, with their item and their other end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.graphs.exchange import incidence, ready_order
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


class ArcGroups(NamedTuple):
    """Arcs grouped by one end: those of node v are at the places ``ptr[v]`` to ``ptr[v + 1] - 1``."""

    ptr: IntArray  # (n + 1,)
    ends: IntArray  # (a,): the other end of each arc
    items: IntArray  # (a,): its item


@kernel
def acyclic_order(n: int, tails: IntArray, heads: IntArray) -> IntArray:
    """Nodes in topological order, without those that a cycle reaches."""
    out_ptr, out_arcs = incidence(n, tails)
    waiting = np.zeros(n, dtype=np.int64)
    for v in heads:
        waiting[v] += 1
    return ready_order(waiting, heads, out_ptr, out_arcs)


@kernel
def nodes_between(source: int, target: int, order: IntArray, tails: IntArray, heads: IntArray) -> BoolArray:
    """Nodes on a path from `source` to `target`, for `order` a topological order of all nodes."""
    n = len(order)
    out_ptr, out_arcs = incidence(n, tails)
    after, before = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    after[source] = before[target] = True
    for v in order:
        for k in range(out_ptr[v], out_ptr[v + 1]):
            after[heads[out_arcs[k]]] |= after[v]
    for v in order[::-1]:
        for k in range(out_ptr[v], out_ptr[v + 1]):
            before[v] |= before[heads[out_arcs[k]]]
    return after & before


@kernel
def is_path(x: BoolArray, tails: IntArray, heads: IntArray, n: int) -> bool:
    """Whether the chosen arcs are a path from 0 to n - 1. No path contains an arc with an end of -1.

    In an acyclic graph it suffices that the flow of the chosen arcs is conserved.
    """
    surplus = np.zeros(n, dtype=np.int64)
    surplus[0], surplus[n - 1] = 1, -1
    for arc in range(len(x)):
        if x[arc]:
            if tails[arc] < 0 or heads[arc] < 0:
                return False
            surplus[tails[arc]] -= 1
            surplus[heads[arc]] += 1
    return not surplus.any()


@kernel
def longest_path(weights: FloatArray, in_ptr: IntArray, in_tails: IntArray, in_items: IntArray) -> tuple[BoolArray, FloatArray]:
    """Items of a heaviest path from the first node to the last, and the weight of a heaviest path to each node.

    Of equally heavy paths to a node, the one whose last arc comes first in its group is taken.
    """
    x = np.empty(len(weights), dtype=np.bool_)
    return x, longest_path_into(weights, in_ptr, in_tails, in_items, x)


@kernel
def longest_path_into(weights: FloatArray, in_ptr: IntArray, in_tails: IntArray, in_items: IntArray, x: BoolArray) -> FloatArray:
    """Write the path of :func:`longest_path` into `x`; returns the weight of a heaviest path to each node."""
    n = len(in_ptr) - 1
    heaviest, last = np.empty(n), np.empty(n, dtype=np.int64)
    heaviest[0] = 0.0
    for v in range(1, n):
        best, best_k = -np.inf, -1
        for k in range(in_ptr[v], in_ptr[v + 1]):
            weight = heaviest[in_tails[k]] + weights[in_items[k]]
            if weight > best or best_k < 0:
                best, best_k = weight, k
        heaviest[v], last[v] = best, best_k
    x[:] = False
    v = n - 1
    while v > 0:
        x[in_items[last[v]]] = True
        v = in_tails[last[v]]
    return heaviest


@kernel
def paths_by_rank(d: int, n_paths: int, out_ptr: IntArray, out_heads: IntArray, out_items: IntArray) -> BoolArray:
    """The first `n_paths` paths as rows of d items, in lexicographic order of the arcs' places in their groups.

    `n_paths` must not exceed the number of paths, which must fit into int64.
    """
    n = len(out_ptr) - 1
    onward = np.zeros(n, dtype=np.int64)
    onward[n - 1] = 1
    for v in range(n - 2, -1, -1):
        for k in range(out_ptr[v], out_ptr[v + 1]):
            onward[v] += onward[out_heads[k]]
    rows = np.zeros((n_paths, d), dtype=np.bool_)
    for row in range(n_paths):
        v, rank = 0, row
        while v < n - 1:
            k = out_ptr[v]
            while rank >= onward[out_heads[k]]:
                rank -= onward[out_heads[k]]
                k += 1
            rows[row, out_items[k]] = True
            v = out_heads[k]
    return rows
