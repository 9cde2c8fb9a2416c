"""Intersections of two partition matroids; data as in ``kernels/oracles/intersection.py``.

The paths are the same as there, for all weights and ties. An item that enters a full group takes the place of one of its members:
paths go from item to group to member, and only the cheapest way into each group counts. No matrix of all pairs is needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.matroids.intersection import FAR, Paths, change
from semibandits.kernels.matroids.uniform import partition_exchanges
from semibandits.kernels.oracles.intersection import as_integers, exchange_costs_in_both
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.search.outliers import without_outliers


class Groups(NamedTuple):
    """One of the two matroids: group of each item, remaining capacities, and the cheapest way into each group.

    ``way[g]`` is the start of that way: an item outside, or the position of a member.
    """

    group: IntArray
    room: IntArray
    cost: IntArray
    way: IntArray


class Work(NamedTuple):
    """Whether each item is free in the second matroid, (d,), and the members and the costs of the paths to them, (m,)."""

    free2: BoolArray
    members: IntArray
    cost_in: IntArray


@kernel
def begin(weights: IntArray, first: Groups, second: Groups, x: BoolArray, work: Work, paths: Paths) -> None:
    """Write the members, and the paths of one item."""
    second.cost[:] = FAR
    k = 0
    for z in range(len(x)):
        if x[z]:
            work.members[k], work.cost_in[k] = z, FAR
            k += 1
        is_free = not x[z] and first.room[first.group[z]] > 0
        work.free2[z] = not x[z] and second.room[second.group[z]] > 0
        paths.cost[z], paths.arcs[z], paths.via[z] = -weights[z] if is_free else FAR, 0, -1
        g = second.group[z]
        if is_free and not work.free2[z] and paths.cost[z] < second.cost[g]:
            second.cost[g], second.way[g] = paths.cost[z], z


@kernel
def sweep(weights: IntArray, k: int, arcs: int, groups: tuple[Groups, Groups], x: BoolArray, work: Work, paths: Paths) -> bool:
    """Extend paths from groups of the second matroid to members, their groups in the first, and items.

    Returns False if no path to a group of the second matroid has become cheaper.
    """
    first, second = groups
    first.cost[:] = FAR
    is_better = False
    for a in range(k):
        item = work.members[a]
        g = second.group[item]
        if second.cost[g] < FAR and second.cost[g] + weights[item] < work.cost_in[a]:
            work.cost_in[a], paths.via_in[a] = second.cost[g] + weights[item], second.way[g]
            g = first.group[item]
            if first.room[g] == 0 and work.cost_in[a] < first.cost[g]:
                first.cost[g], first.way[g], is_better = work.cost_in[a], a, True
    if not is_better:
        return False
    second.cost[:] = FAR
    is_better = False
    for z in range(len(x)):
        g = first.group[z]
        if first.cost[g] < FAR and not x[z] and first.cost[g] - weights[z] < paths.cost[z]:
            paths.cost[z], paths.arcs[z], paths.via[z] = first.cost[g] - weights[z], arcs, first.way[g]
            g = second.group[z]
            if not work.free2[z] and paths.cost[z] < second.cost[g]:
                second.cost[g], second.way[g], is_better = paths.cost[z], z, True
    return is_better


@kernel
def partitions_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest common independent set of the given size, along shortest augmenting paths; see also `without_outliers`."""
    status = _heaviest(data, as_integers(weights)[0], x)
    usual = without_outliers(weights, x, data[0][2])
    if status == ANSWERED and usual.min() > weights.min():
        status = _heaviest(data, as_integers(usual)[0], x)
    return status


@kernel
def _heaviest(data: tuple[IntArray, ...], integers: IntArray, x: BoolArray) -> int:
    d, size = len(integers), data[0][2]
    items, inside = np.empty((3, d), dtype=np.int64), np.empty((3, size), dtype=np.int64)
    work, paths = (Work(np.empty(d, dtype=np.bool_), inside[0], inside[1]), Paths(items[0], items[1], items[2], inside[2]))
    first = Groups(data[1], data[2].copy(), np.empty_like(data[2]), np.empty_like(data[2]))
    second = Groups(data[4], data[5].copy(), np.empty_like(data[5]), np.empty_like(data[5]))
    x[:] = False
    for k in range(size):
        begin(integers, first, second, x, work, paths)
        arcs = 2
        while arcs <= 2 * k + 2 and sweep(integers, k, arcs, (first, second), x, work, paths):
            arcs += 2
        if not change(work.members[:k], work.free2, paths, x):
            return UNANSWERED
        write(first.room, data[2])
        write(second.room, data[5])
        for z in range(d):
            if x[z]:
                first.room[data[1][z]] -= 1
                second.room[data[4][z]] -= 1
    return ANSWERED


@kernel
def partitions_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """See ``oracles/pointers.py``."""
    members = np.flatnonzero(x)
    _, swaps1 = partition_exchanges(data[1], data[2], members)
    _, swaps2 = partition_exchanges(data[4], data[5], members)
    return exchange_costs_in_both(swaps1, swaps2, weights, x, forced, exchange_costs)
