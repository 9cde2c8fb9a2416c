"""Shortest walks, gaps and blocks of an exchange graph."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import grown
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import FloatArray, IntArray


@kernel
def incidence(n: int, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Arcs grouped by one end: those of node v are ``arcs[ptr[v]:ptr[v + 1]]``, in order of index."""
    ptr = np.zeros(n + 1, dtype=np.int64)
    for v in ends:
        ptr[v + 1] += 1
    for v in range(n):
        ptr[v + 1] += ptr[v]
    fill = ptr[:-1].copy()
    arcs = np.empty(len(ends), dtype=np.int64)
    for arc in range(len(ends)):
        arcs[fill[ends[arc]]] = arc
        fill[ends[arc]] += 1
    return ptr, arcs


class Arcs(NamedTuple):
    """The arcs of a directed graph, and those out of and into each node.

    Attributes
    ----------
    tails, heads : ndarray of int, shape (a,)
        Arc k leads from ``tails[k]`` to ``heads[k]``.
    out_ptr, in_ptr : ndarray of int, shape (n + 1,)
        Start of the arcs of each node in `out_arcs` and `in_arcs`.
    out_arcs, in_arcs : ndarray of int, shape (a,)
        ``out_arcs[out_ptr[v]:out_ptr[v + 1]]`` leave node v, ``in_arcs[in_ptr[v]:in_ptr[v + 1]]`` enter it, in order of index.
    """

    tails: IntArray
    heads: IntArray
    out_ptr: IntArray
    out_arcs: IntArray
    in_ptr: IntArray
    in_arcs: IntArray


@kernel
def arcs_of(n: int, tails: IntArray, heads: IntArray) -> Arcs:
    """The arcs of a graph of n nodes."""
    out_ptr, out_arcs = incidence(n, tails)
    in_ptr, in_arcs = incidence(n, heads)
    return Arcs(tails, heads, out_ptr, out_arcs, in_ptr, in_arcs)


@kernel
def distances_to(
    target: int, tails: IntArray, costs: FloatArray, in_ptr: IntArray, in_arcs: IntArray
) -> tuple[FloatArray, IntArray]:
    """Dijkstra's method: distance of each node to `target` and the first arc of a cheapest walk; inf and -1 without a walk."""
    n = len(in_ptr) - 1
    distance = np.full(n, np.inf)
    first = np.full(n, -1, dtype=np.int64)
    distance[target] = 0.0
    heap = [(0.0, target)]
    while len(heap) > 0:
        known, v = heapq.heappop(heap)
        if known > distance[v]:
            continue
        for k in range(in_ptr[v], in_ptr[v + 1]):
            arc = in_arcs[k]
            u = tails[arc]
            if known + costs[arc] < distance[u]:
                distance[u] = known + costs[arc]
                first[u] = arc
                heapq.heappush(heap, (distance[u], u))
    return distance, first


@kernel
def lowered(
    potentials: FloatArray, heads: IntArray, costs: FloatArray, out_ptr: IntArray, out_arcs: IntArray
) -> FloatArray:
    """Largest potentials <= the given ones with ``costs + pi[tail] - pi[head] >= 0``, up to rounding, for costs >= 0.

    The result is shifted so that the smallest potential is 0. The others are at most the distance from its node, which keeps the
    digits of potentials that are much smaller than the given ones.
    """
    pi: FloatArray = potentials - potentials.min()
    relax(pi, heads, costs, out_ptr, out_arcs, 0.0, np.inf)
    return pi


@kernel
def relax(
    pi: FloatArray,
    heads: IntArray,
    costs: FloatArray,
    out_ptr: IntArray,
    out_arcs: IntArray,
    least_gain: float,
    passes: float,
) -> None:
    """Lower potentials in place by Bellman and Ford's method, until no arc lowers one by more than `least_gain`.

    Stops after the given number of passes.
    """
    n, done = len(pi), 0
    active, fresh = np.arange(n), np.empty(n, dtype=np.int64)
    queued = np.zeros(n, dtype=np.bool_)
    while len(active) > 0 and done < passes:
        done += 1
        count = 0
        queued[active] = False
        for v in active:
            for k in range(out_ptr[v], out_ptr[v + 1]):
                arc = out_arcs[k]
                w = heads[arc]
                reached = pi[v] + costs[arc]
                if reached < pi[w] - least_gain:
                    pi[w] = reached
                    if not queued[w]:
                        queued[w] = True
                        fresh[count] = w
                        count += 1
        active = fresh[:count].copy()


@kernel
def cheapest_cycles(wanted: IntArray, graph: Arcs, costs: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Cheapest cycle through each arc: the costs for all arcs, and the cycles for the arcs with ``wanted > 0``.

    Returns ``gaps`` (a,), and the cycles as ``arcs[ptr[k]:ptr[k + 1]]`` in order of the wanted arcs; each starts with its arc. An
    arc on no cycle has gap inf and an empty cycle.
    """
    tails, heads, out_ptr, out_arcs, in_ptr, in_arcs = graph
    n, a = len(in_ptr) - 1, len(tails)
    gaps = np.full(a, np.inf)
    length = np.zeros(a, dtype=np.int64)
    start = np.zeros(a, dtype=np.int64)
    pool = np.empty(max(16, 4 * a), dtype=np.int64)
    used = 0
    for s in range(n):
        if out_ptr[s] == out_ptr[s + 1]:
            continue
        distance, first = distances_to(s, tails, costs, in_ptr, in_arcs)
        for k in range(out_ptr[s], out_ptr[s + 1]):
            arc = out_arcs[k]
            gaps[arc] = costs[arc] + distance[heads[arc]]
            if wanted[arc] == 0 or not np.isfinite(gaps[arc]):
                continue
            if used + n + 1 > len(pool):
                pool = grown(pool, 2 * len(pool) + n + 1)
            start[arc] = used
            pool[used] = arc
            used += 1
            v = heads[arc]
            while v != s:
                pool[used] = first[v]
                used += 1
                v = heads[first[v]]
            length[arc] = used - start[arc]
    arcs = np.empty(used, dtype=np.int64)
    ptr = np.zeros(np.count_nonzero(wanted) + 1, dtype=np.int64)
    k = filled = 0
    for arc in range(a):
        if wanted[arc] == 0:
            continue
        arcs[filled : filled + length[arc]] = pool[start[arc] : start[arc] + length[arc]]
        filled += length[arc]
        k += 1
        ptr[k] = filled
    return gaps, ptr, arcs


@kernel
def biconnected_blocks(graph: Arcs) -> tuple[IntArray, int]:
    """Block of each arc and number of blocks: biconnected components of the undirected multigraph, without self-loops."""
    tails, heads, out_ptr, out_arcs, in_ptr, in_arcs = graph
    n, a = len(out_ptr) - 1, len(tails)
    block = np.full(a, -1, dtype=np.int64)
    number = np.full(n, -1, dtype=np.int64)
    low = np.zeros(n, dtype=np.int64)
    position = np.zeros(n, dtype=np.int64)
    parent_arc = np.full(n, -1, dtype=np.int64)
    seen = np.zeros(a, dtype=np.bool_)
    open_arcs = np.empty(a, dtype=np.int64)
    stack = np.empty(n + 1, dtype=np.int64)
    visited = blocks = opened = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        stack[0] = root
        depth = 1
        number[root] = low[root] = visited
        visited += 1
        while depth > 0:
            v = stack[depth - 1]
            n_out = out_ptr[v + 1] - out_ptr[v]
            if position[v] < n_out + in_ptr[v + 1] - in_ptr[v]:
                k = position[v]
                position[v] += 1
                arc = out_arcs[out_ptr[v] + k] if k < n_out else in_arcs[in_ptr[v] + k - n_out]
                if seen[arc]:
                    continue
                seen[arc] = True
                w = heads[arc] if k < n_out else tails[arc]
                open_arcs[opened] = arc
                opened += 1
                if number[w] < 0:
                    number[w] = low[w] = visited
                    visited += 1
                    parent_arc[w] = arc
                    stack[depth] = w
                    depth += 1
                else:
                    low[v] = min(low[v], number[w])
                continue
            depth -= 1
            if depth == 0:
                continue
            u = stack[depth - 1]
            low[u] = min(low[u], low[v])
            if low[v] >= number[u]:
                arc = -1
                while arc != parent_arc[v]:
                    opened -= 1
                    arc = open_arcs[opened]
                    block[arc] = blocks
                blocks += 1
    return block, blocks


@kernel
def topological_order(hub: int, tails: IntArray, heads: IntArray, out_ptr: IntArray, out_arcs: IntArray) -> IntArray:
    """The hub, then the other nodes in topological order of the graph without the hub; empty if this graph has a cycle."""
    n = len(out_ptr) - 1
    waiting = np.zeros(n, dtype=np.int64)
    for arc in range(len(tails)):
        if tails[arc] != hub and heads[arc] != hub:
            waiting[heads[arc]] += 1
    waiting[hub] = len(tails) + 1
    order = ready_order(waiting, heads, out_ptr, out_arcs)
    return np.append(hub, order) if len(order) == n - 1 else order[:0]


@kernel
def ready_order(waiting: IntArray, heads: IntArray, out_ptr: IntArray, out_arcs: IntArray) -> IntArray:
    """List each node once as many arcs into it as it is `waiting` for leave listed nodes; `waiting` is overwritten."""
    order = np.empty(len(waiting), dtype=np.int64)
    found = done = 0
    for v in range(len(waiting)):
        if waiting[v] == 0:
            order[found] = v
            found += 1
    while done < found:
        v = order[done]
        done += 1
        for k in range(out_ptr[v], out_ptr[v + 1]):
            w = heads[out_arcs[k]]
            waiting[w] -= 1
            if waiting[w] == 0:
                order[found] = w
                found += 1
    return order[:found]


@kernel
def cheapest_cycles_through_hub(
    wanted: IntArray, graph: Arcs, costs: FloatArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """:func:`cheapest_cycles` for a graph whose node 0 is on every cycle and whose other nodes are in topological order."""
    tails, heads, out_ptr, out_arcs, in_ptr, in_arcs = graph
    n, a = len(in_ptr) - 1, len(tails)
    there = np.full(n, np.inf)
    back = np.full(n, np.inf)
    there[0] = back[0] = 0.0
    first = np.full(n, -1, dtype=np.int64)
    last = np.full(n, -1, dtype=np.int64)
    for v in range(n - 1, 0, -1):
        for k in range(out_ptr[v], out_ptr[v + 1]):
            arc = out_arcs[k]
            if costs[arc] + back[heads[arc]] < back[v]:
                back[v] = costs[arc] + back[heads[arc]]
                first[v] = arc
    for v in range(1, n):
        for k in range(in_ptr[v], in_ptr[v + 1]):
            arc = in_arcs[k]
            if there[tails[arc]] + costs[arc] < there[v]:
                there[v] = there[tails[arc]] + costs[arc]
                last[v] = arc
    gaps = np.empty(a)
    arcs = np.empty(max(16, 4 * a), dtype=np.int64)
    ptr = np.zeros(np.count_nonzero(wanted) + 1, dtype=np.int64)
    used = row = 0
    for arc in range(a):
        gaps[arc] = there[tails[arc]] + costs[arc] + back[heads[arc]]
        if wanted[arc] == 0:
            continue
        if np.isfinite(gaps[arc]):
            if used + 2 * n > len(arcs):
                arcs = grown(arcs, 2 * len(arcs) + 2 * n)
            arcs[used] = arc
            used += 1
            v = heads[arc]
            while v != 0:
                arcs[used] = first[v]
                used += 1
                v = heads[first[v]]
            v = tails[arc]
            while v != 0:
                arcs[used] = last[v]
                used += 1
                v = tails[last[v]]
        row += 1
        ptr[row] = used
    return gaps, ptr, arcs[:used].copy()


@kernel
def shortest_walks(walks: FloatArray) -> FloatArray:
    """Lengths of shortest walks between all pairs of nodes, 0 from a node to itself, given the lengths of single arcs.

    Cycles have negative length by rounding only. Potentials (Bellman, Ford) first make all lengths nonnegative, so that rounding
    errors do not add up; then walks are composed node by node (Floyd, Warshall).
    """
    n = len(walks)
    potential = np.zeros(n)
    for _ in range(n):
        changed = False
        for a in range(n):
            for b in range(n):
                reached = potential[a] + walks[a, b]
                if reached < potential[b]:
                    potential[b] = reached
                    changed = True
        if not changed:
            break
    lengths = np.empty((n, n))
    for a in range(n):
        for b in range(n):
            lengths[a, b] = max(walks[a, b] + potential[a] - potential[b], 0.0)
        lengths[a, a] = 0.0
    for via in range(n):
        for a in range(n):
            first = lengths[a, via]
            if first < np.inf:
                for b in range(n):
                    lengths[a, b] = min(lengths[a, b], first + lengths[via, b])
    for a in range(n):
        for b in range(n):
            lengths[a, b] += potential[b] - potential[a]
    return lengths
