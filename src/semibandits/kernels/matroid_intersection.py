"""Paths and cycles in the exchange graph of two matroids.

Throughout, S is a common independent set with the items ``members`` (k,). ``swaps1[a, z]`` is whether S - members[a] + z is
independent in the first matroid (arc members[a] -> z), ``swaps2[a, z]`` whether it is in the second (arc z -> members[a]).
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, IntArray

FAR = 1 << 62


@kernel
def cheapest_ways(
    weights: IntArray, members: IntArray, free1: BoolArray, swaps1: BoolArray, swaps2: BoolArray
) -> tuple[IntArray, IntArray, IntArray, IntArray, bool]:
    """Path of smallest (cost, arcs) to each item outside S from any item that is free in the first matroid.

    Items outside S cost minus their weight, items of S their weight. Returns for each item the cost (``FAR`` without a path), the
    number of arcs and the position of the member before it (-1 at the start); for each member the item before it; and whether the
    graph has no negative cycle.
    """
    k, d = swaps1.shape
    cost, arcs, via = np.full(d, FAR), np.zeros(d, dtype=np.int64), np.full(d, -1, dtype=np.int64)
    cost_in, via_in = np.full(k, FAR), np.full(k, -1, dtype=np.int64)
    active, active_in = free1.copy(), np.zeros(k, dtype=np.bool_)
    cost[free1] = -weights[free1]
    sweeps = 0
    # Sweep s finds the paths through s members, so that the first of equally cheap paths has the fewest arcs.
    while active.any() and sweeps <= k:
        sweeps += 1
        fresh = np.flatnonzero(active)
        active[:] = False
        for a in range(k):
            for z in fresh:
                if swaps2[a, z] and cost[z] + weights[members[a]] < cost_in[a]:
                    cost_in[a], via_in[a], active_in[a] = cost[z] + weights[members[a]], z, True
        for a in range(k):
            for v in range(d if active_in[a] else 0):
                if swaps1[a, v] and cost_in[a] - weights[v] < cost[v]:
                    cost[v], arcs[v], via[v], active[v] = cost_in[a] - weights[v], 2 * sweeps, a, True
        active_in[:] = False
    return cost, arcs, via, via_in, not active.any()


@kernel
def augmenting_path(
    weights: IntArray, members: IntArray, free1: BoolArray, swaps1: BoolArray, free2: BoolArray, swaps2: BoolArray
) -> tuple[IntArray, bool]:
    """Path from an item that is free in the first matroid to one that is free in the second.

    Returns the items of a cheapest path with the fewest arcs, in order, empty if there is no path, and whether the graph has no
    negative cycle. It has none if S has the largest weight of all common independent sets of its size.
    """
    cost, arcs, via, via_in, ok = cheapest_ways(weights, members, free1, swaps1, swaps2)
    end = -1
    for z in range(len(cost)):
        better = end < 0 or cost[z] < cost[end] or (cost[z] == cost[end] and arcs[z] < arcs[end])
        if free2[z] and cost[z] < FAR and better:
            end = z
    if end < 0 or not ok:
        return np.empty(0, dtype=np.int64), ok
    path = np.empty(arcs[end] + 1, dtype=np.int64)
    for position in range(arcs[end], 0, -2):
        path[position] = end
        path[position - 1] = members[via[end]]
        end = via_in[via[end]]
    path[0] = end
    return path, True


@kernel
def shortest_cycle(item: int, members: IntArray, swaps1: BoolArray, swaps2: BoolArray) -> IntArray:
    """Items, in reverse order, of a cycle with the fewest arcs through `item` without smaller items; empty if there is no cycle.

    Such a cycle has no shortcut, so that S changed along it is independent in both matroids.
    """
    k, d = swaps1.shape
    start = k + item  # nodes 0 .. k - 1 are the members in order, k + z is item z
    for a in range(k):
        if members[a] == item:
            start = a
    parent = np.full(k + d, -1, dtype=np.int64)
    queue = np.empty(k + d, dtype=np.int64)
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        first, last = (k + item, k + d) if u < k else (0, k)
        for v in range(first, last):
            if not (swaps1[u, v - k] if u < k else swaps2[v, u - k]):
                continue
            if v < k and members[v] < item:
                continue
            if v == start:
                cycle = np.empty(k + d, dtype=np.int64)
                length = 0
                while u >= 0:
                    cycle[length] = members[u] if u < k else u - k
                    length += 1
                    u = parent[u]
                return cycle[:length]
            if parent[v] < 0:
                parent[v] = u
                queue[tail] = v
                tail += 1
    return np.empty(0, dtype=np.int64)


@kernel
def neighbours(x: BoolArray, start: int, members: IntArray, swaps1: BoolArray, swaps2: BoolArray) -> tuple[BoolArray, IntArray]:
    """One common independent set for each item i >= `start` that can be changed without changing the items before it.

    Returns the sets, one per row, and the items i in ascending order. These partition the other common independent sets of the
    size of x that agree with x before `start` by the first item at which they differ from x.
    """
    d = len(x)
    rows = np.empty((d, d), dtype=np.bool_)
    items = np.empty(d, dtype=np.int64)
    found = 0
    for item in range(start, d):
        cycle = shortest_cycle(item, members, swaps1, swaps2)
        if len(cycle) > 0:
            rows[found] = x
            for i in cycle:
                rows[found, i] = not x[i]
            items[found] = item
            found += 1
    return rows[:found], items[:found]
