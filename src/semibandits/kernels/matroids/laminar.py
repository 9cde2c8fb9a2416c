"""Laminar matroids: a forest of nested sets, with the `innermost` set of each item and the set `above` each set, or -1."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


@kernel
def laminar_greedy(innermost: IntArray, above: IntArray, capacity: IntArray, order: IntArray) -> BoolArray:
    """Scan `order` and keep each item all of whose sets have room; mask over all items."""
    chosen = np.zeros(len(innermost), dtype=np.bool_)
    room = capacity.copy()
    for item in order:
        s = innermost[item]
        while s >= 0 and room[s] > 0:
            s = above[s]
        if s >= 0:
            continue
        chosen[item] = True
        s = innermost[item]
        while s >= 0:
            room[s] -= 1
            s = above[s]
    return chosen


@kernel
def full_sets(innermost: IntArray, above: IntArray, capacity: IntArray, members: IntArray) -> IntArray:
    """For each item the innermost of its sets that the independent set `members` fills, -1 if all have room."""
    room = capacity.copy()
    for item in members:
        s = innermost[item]
        while s >= 0:
            room[s] -= 1
            s = above[s]
    full = np.full(len(innermost), -1, dtype=np.int64)
    for z in range(len(innermost)):
        s = innermost[z]
        while s >= 0 and room[s] > 0:
            s = above[s]
        full[z] = s
    return full


@kernel
def laminar_exchanges(innermost: IntArray, above: IntArray, capacity: IntArray, members: IntArray) -> tuple[BoolArray, BoolArray]:
    """Items all of whose sets have room (d,), and items that can replace each member (k, d)."""
    d = len(innermost)
    full = full_sets(innermost, above, capacity, members)
    inside = np.zeros(d, dtype=np.bool_)
    inside[members] = True
    free = np.zeros(d, dtype=np.bool_)
    swaps = np.zeros((len(members), d), dtype=np.bool_)
    for z in range(d):
        free[z] = full[z] < 0 and not inside[z]
    for a in range(len(members)):
        holds = np.zeros(len(above), dtype=np.bool_)
        s = innermost[members[a]]
        while s >= 0:
            holds[s] = True
            s = above[s]
        for z in range(d):
            swaps[a, z] = free[z] or (not inside[z] and holds[full[z]])
    return free, swaps


@kernel
def laminar_lightest(
    innermost: IntArray, above: IntArray, capacity: IntArray, members: IntArray, weights: FloatArray
) -> IntArray:
    """Lightest member of the innermost full set of each other item, the smaller index on ties; -1 without such a set."""
    full = full_sets(innermost, above, capacity, members)
    best = np.full(len(above), -1, dtype=np.int64)
    inside = np.zeros(len(innermost), dtype=np.bool_)
    for j in members:
        inside[j] = True
        s = innermost[j]
        while s >= 0:
            b = best[s]
            if b < 0 or weights[j] < weights[b] or (weights[j] == weights[b] and j < b):
                best[s] = j
            s = above[s]
    lightest = np.full(len(innermost), -1, dtype=np.int64)
    for z in range(len(innermost)):
        if not inside[z] and full[z] >= 0:
            lightest[z] = best[full[z]]
    return lightest
