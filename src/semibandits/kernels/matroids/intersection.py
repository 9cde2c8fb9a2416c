"""Paths and cycles in the exchange graph of two matroids.

Throughout, S is a common independent set with the items ``members`` (k,). ``swaps1[a, z]`` is whether S - members[a] + z is
independent in the first matroid (arc members[a] -> z), ``swaps2[a, z]`` whether it is in the second (arc z -> members[a]).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, IntArray

FAR = 1 << 62
CHANGED, NO_PATH, NEGATIVE_CYCLE = 0, 1, 2
"""Results of :func:`augment`."""


class Exchanges(NamedTuple):
    """Ways to change an independent set by one item, as in ``Matroid.exchanges``: ``free`` (d,), ``swaps`` (k, d)."""

    free: BoolArray
    swaps: BoolArray


class Paths(NamedTuple):
    """Cheapest known paths to the items, (d,), and to the members, (k,).

    ``cost[z]`` and ``arcs[z]`` are the cost and the number of arcs of the path to item z; ``via[z]`` is the position of the last
    member on it, -1 if it starts at z. ``via_in[a]`` is the last item on the path to the member at position a.
    """

    cost: IntArray
    arcs: IntArray
    via: IntArray
    via_in: IntArray


@kernel
def new_paths(d: int) -> Paths:
    """Room for paths."""
    room = np.empty((4, d), dtype=np.int64)
    return Paths(room[0], room[1], room[2], room[3])


@kernel
def augment(
    weights: IntArray, members: IntArray, first: Exchanges, second: Exchanges, x: BoolArray, paths: Paths, everywhere: bool
) -> int:
    """Change x along a cheapest path with the fewest arcs from an item free in the first matroid to one free in the second.

    Returns ``CHANGED``, ``NO_PATH``, or ``NEGATIVE_CYCLE`` if the graph has one; it has none if x is a heaviest common
    independent set of its size. `paths` is overwritten.

    For matroids and a heaviest set all cycles cost 0 or more. Hence a cheapest way to an item that is free in the first one
    starts there, and a cheapest path with the fewest arcs ends at the first item that is free in the second. Longer paths are
    considered only if `everywhere`, since exchanges of other set systems may have negative cycles.
    """
    cost, arcs, via, via_in = paths.cost, paths.arcs, paths.via, paths.via_in
    k, d = first.swaps.shape
    cost_in, is_active = np.full(k, FAR), np.zeros(k, dtype=np.bool_)
    fresh, targets = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64)
    n_fresh = n_targets = 0
    for z in range(d):
        cost[z], arcs[z], via[z] = -weights[z] if first.free[z] else FAR, 0, -1
        if first.free[z] and (everywhere or not second.free[z]):
            fresh[n_fresh] = z
            n_fresh += 1
        if not x[z] and (everywhere or not first.free[z]):
            targets[n_targets] = z
            n_targets += 1
    sweeps = 0
    # Sweep s finds the paths through s members, so that the first of equally cheap paths has the fewest arcs.
    while n_fresh > 0 and sweeps <= k:
        sweeps += 1
        for z in fresh[:n_fresh]:
            for a in range(k):
                if second.swaps[a, z] and cost[z] + weights[members[a]] < cost_in[a]:
                    cost_in[a], via_in[a], is_active[a] = cost[z] + weights[members[a]], z, True
        for a in range(k):
            if not is_active[a]:
                continue
            is_active[a] = False
            for z in targets[:n_targets]:
                if first.swaps[a, z] and cost_in[a] - weights[z] < cost[z]:
                    cost[z], arcs[z], via[z] = cost_in[a] - weights[z], 2 * sweeps, a
        n_fresh = 0
        for z in targets[:n_targets]:
            if arcs[z] == 2 * sweeps and (everywhere or not second.free[z]):
                fresh[n_fresh] = z
                n_fresh += 1
    if everywhere and n_fresh > 0:
        return NEGATIVE_CYCLE
    return CHANGED if change(members, second.free, paths, x) else NO_PATH


@kernel
def change(members: IntArray, free2: BoolArray, paths: Paths, x: BoolArray) -> bool:
    """Change x along the best of the paths that end at an item free in the second matroid; False if there are no paths."""
    end = -1
    for z in range(len(x)):
        better = (
            end < 0 or paths.cost[z] < paths.cost[end] or (paths.cost[z] == paths.cost[end] and paths.arcs[z] < paths.arcs[end])
        )
        if free2[z] and paths.cost[z] < FAR and better:
            end = z
    if end < 0:
        return False
    while paths.via[end] >= 0:
        x[end] = True
        x[members[paths.via[end]]] = False
        end = paths.via_in[paths.via[end]]
    x[end] = True
    return True


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
            write(rows[found], x)
            for i in cycle:
                rows[found, i] = not x[i]
            items[found] = item
            found += 1
    return rows[:found], items[:found]
