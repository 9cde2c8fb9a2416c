"""Uniform and partition matroids, and kernels for all matroids: index checks and the lightest partner of each item."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


@kernel
def first_bad_index(indices: IntArray, d: int) -> int:
    """Position of the first index that is outside 0 .. d - 1 or repeated, -1 if all are valid."""
    seen = np.zeros(d, dtype=np.bool_)
    for position in range(len(indices)):
        i = indices[position]
        if i < 0 or i >= d or seen[i]:
            return position
        seen[i] = True
    return -1


@kernel
def lightest_of_rows(swaps: BoolArray, members: IntArray, weights: FloatArray) -> IntArray:
    """For each column of `swaps` the lightest of the `members` whose entry is True, the smaller index on ties; or -1."""
    k, d = swaps.shape
    lightest = np.full(d, -1, dtype=np.int64)
    for a in range(k):
        j = members[a]
        for z in range(d):
            if swaps[a, z]:
                best = lightest[z]
                if best < 0 or weights[j] < weights[best] or (weights[j] == weights[best] and j < best):
                    lightest[z] = j
    return lightest


@kernel
def uniform_exchanges(d: int, m: int, members: IntArray) -> tuple[BoolArray, BoolArray]:
    """Items that can join the `members` (d,), and items that can replace each member (k, d)."""
    outside = np.ones(d, dtype=np.bool_)
    outside[members] = False
    swaps = np.empty((len(members), d), dtype=np.bool_)
    for k in range(len(members)):
        write(swaps[k], outside)
    return outside if len(members) < m else np.zeros(d, dtype=np.bool_), swaps


@kernel
def partition_greedy(group: IntArray, capacity: IntArray, order: IntArray) -> BoolArray:
    """Scan `order` and keep each item whose group has room; mask over all items."""
    chosen = np.zeros(len(group), dtype=np.bool_)
    room = capacity.copy()
    for item in order:
        if room[group[item]] > 0:
            room[group[item]] -= 1
            chosen[item] = True
    return chosen


@kernel
def partition_exchanges(group: IntArray, capacity: IntArray, members: IntArray) -> tuple[BoolArray, BoolArray]:
    """Items whose group has room (d,), and items that can replace each member (k, d)."""
    d = len(group)
    free = np.zeros(d, dtype=np.bool_)
    swaps = np.zeros((len(members), d), dtype=np.bool_)
    inside = np.zeros(d, dtype=np.bool_)
    room = capacity.copy()
    for item in members:
        inside[item] = True
        room[group[item]] -= 1
    for z in range(d):
        free[z] = not inside[z] and room[group[z]] > 0
    for a in range(len(members)):
        for z in range(d):
            swaps[a, z] = free[z] or (not inside[z] and group[z] == group[members[a]])
    return free, swaps


@kernel
def partition_lightest(group: IntArray, capacity: IntArray, members: IntArray, weights: FloatArray) -> IntArray:
    """Lightest member of the full group of each other item, the smaller index on ties; -1 for members and in groups with room."""
    inside = np.zeros(len(group), dtype=np.bool_)
    room = capacity.copy()
    best = np.full(len(capacity), -1, dtype=np.int64)
    for j in members:
        g = group[j]
        inside[j] = True
        room[g] -= 1
        b = best[g]
        if b < 0 or weights[j] < weights[b] or (weights[j] == weights[b] and j < b):
            best[g] = j
    lightest = np.full(len(group), -1, dtype=np.int64)
    for z in range(len(group)):
        if not inside[z] and room[group[z]] == 0:
            lightest[z] = best[group[z]]
    return lightest
