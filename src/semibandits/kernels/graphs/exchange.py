"""Shortest walks, gaps and blocks of an exchange graph."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import grown
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


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
    """The arcs of a directed graph, and those out of and into each node."""

    # Arc k leads from tails[k] to heads[k].
    tails: IntArray
    heads: IntArray
    # out_arcs[out_ptr[v]:out_ptr[v + 1]] leave node v, in_arcs[in_ptr[v]:in_ptr[v + 1]] enter it, in order of index.
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
def distances_to(target: int, graph: Arcs, costs: FloatArray, alive: BoolArray) -> tuple[FloatArray, IntArray]:
    """Distance of each node to `target` through nodes that are alive, and the first arc of a cheapest walk; inf and -1 without
    a walk. Dijkstra's method.
    """
    tails, in_ptr, in_arcs = graph.tails, graph.in_ptr, graph.in_arcs
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
            if alive[u] and known + costs[arc] < distance[u]:
                distance[u] = known + costs[arc]
                first[u] = arc
                heapq.heappush(heap, (distance[u], u))
    return distance, first


@kernel
def lowered(potentials: FloatArray, heads: IntArray, costs: FloatArray, out_ptr: IntArray, out_arcs: IntArray) -> FloatArray:
    """Largest potentials <= the given ones with ``costs + pi[tail] - pi[head] >= 0``, up to rounding, for costs >= 0.

    The result is shifted so that the smallest potential is 0. The others are at most the distance from its node, which keeps the
    digits of potentials that are much smaller than the given ones.
    """
    pi: FloatArray = potentials - potentials.min()
    relax(pi, heads, costs, out_ptr, out_arcs, 0.0, np.inf)
    return pi


@kernel
def relax(
    pi: FloatArray, heads: IntArray, costs: FloatArray, out_ptr: IntArray, out_arcs: IntArray, least_gain: float, passes: float
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


class Reached(NamedTuple):
    """A search by Dijkstra's method from one node: distances, inf where unknown; elsewhere the last arc of a cheapest walk."""

    distance: FloatArray
    arc: IntArray
    touched: IntArray


@kernel
def _searches(n: int) -> Reached:
    return Reached(np.full(n, np.inf), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64))


@kernel
def _forget(search: Reached, touched: int) -> None:
    for k in range(touched):
        search.distance[search.touched[k]] = np.inf


@kernel
def cheapest_cycles(sources: IntArray, wanted: IntArray, graph: Arcs, costs: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Cheapest cycle through each arc that leaves one of the `sources`: the costs, and the cycles where ``wanted > 0``.

    Returns ``gaps`` (a,), inf for arcs on no cycle and arcs of other nodes, and the cycles as ``arcs[ptr[k]:ptr[k + 1]]``, in
    order of the sources and of the arcs of each. Each starts with its arc; an arc on no cycle has an empty one.

    Dijkstra's method runs backwards from the tail of an arc, and from its head as well if the tail has few arcs; the search from
    the tail is shared by its arcs. A walk on which the two meet is the cheapest once it costs no more than both radii together.
    """
    tails, heads, out_ptr, out_arcs, in_ptr, in_arcs = graph
    n = len(in_ptr) - 1
    gaps, ptr = np.full(len(tails), np.inf), np.zeros(len(tails) + 1, dtype=np.int64)
    pool, used, rows = np.empty(max(16, 4 * len(tails)), dtype=np.int64), 0, 0
    back, ahead, place = _searches(n), _searches(n), np.full(n, -1, dtype=np.int64)
    for s in sources:
        back.distance[s], back.touched[0] = 0.0, s
        behind, back_heap = 1, [(0.0, s)]
        meet = (out_ptr[s + 1] - out_ptr[s]) * (out_ptr[s + 1] - out_ptr[s]) < n
        for k in range(out_ptr[s], out_ptr[s + 1]):
            arc = out_arcs[k]
            h = heads[arc]
            ahead.distance[h], ahead.touched[0] = 0.0, h
            reached, heap = 1, [(0.0, h)]
            best, at = back.distance[h], h
            while len(heap) > 0 and len(back_heap) > 0 and heap[0][0] + back_heap[0][0] < best:
                forwards = meet and len(heap) <= len(back_heap)
                known, v = heapq.heappop(heap) if forwards else heapq.heappop(back_heap)
                here, there = (ahead, back) if forwards else (back, ahead)
                if known > here.distance[v]:
                    continue
                begin, end = (out_ptr[v], out_ptr[v + 1]) if forwards else (in_ptr[v], in_ptr[v + 1])
                for i in range(begin, end):
                    step = out_arcs[i] if forwards else in_arcs[i]
                    w, through = heads[step] if forwards else tails[step], known + costs[step]
                    if through >= here.distance[w]:
                        continue
                    if here.distance[w] == np.inf:
                        here.touched[reached if forwards else behind] = w
                        reached, behind = reached + forwards, behind + (not forwards)
                    here.distance[w], here.arc[w] = through, step
                    if forwards:
                        heapq.heappush(heap, (through, w))
                    else:
                        heapq.heappush(back_heap, (through, w))
                    if through + there.distance[w] < best:
                        best, at = through + there.distance[w], w
            gaps[arc] = costs[arc] + best
            if wanted[arc] > 0:
                if used + 2 * n + 1 > len(pool):
                    pool = grown(pool, 2 * len(pool) + 2 * n + 1)
                if best < np.inf:
                    used = _write_cycle(pool, used, arc, at, (ahead.arc, back.arc), (tails, heads), place)
                rows += 1
                ptr[rows] = used
            _forget(ahead, reached)
        _forget(back, behind)
    return gaps, ptr[: rows + 1].copy(), pool[:used].copy()


@kernel
def _write_cycle(
    pool: IntArray, used: int, arc: int, at: int, trees: tuple[IntArray, IntArray], ends: tuple[IntArray, IntArray],
    place: IntArray,
) -> int:  # fmt: skip
    """Write an arc, the walk from its head to the node `at` and the one from there to its tail; return the new end of the pool.

    Where the second walk meets the first one, which happens only with laps of cost 0, the lap between is left out.
    """
    (last, first), (tails, heads) = trees, ends
    pool[used] = arc
    begin = used + 1
    v, count = at, 0
    while v != heads[arc]:
        count += 1
        v = tails[last[v]]
    v = at
    for k in range(begin + count - 1, begin - 1, -1):
        pool[k] = last[v]
        place[v] = k + 1
        v = tails[last[v]]
    place[heads[arc]] = begin
    filled = begin + count
    v = at
    while v != tails[arc]:
        pool[filled] = first[v]
        v = heads[first[v]]
        filled += 1
        if place[v] >= 0:
            filled = place[v]
    place[heads[arc]] = -1
    v = at
    while v != heads[arc]:
        place[v] = -1
        v = tails[last[v]]
    return filled


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
def cheapest_cycles_through_hub(wanted: IntArray, graph: Arcs, costs: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
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
