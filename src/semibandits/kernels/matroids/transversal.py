"""Transversal matroids: augmenting paths. Item i may serve ``places[start[i] : start[i + 1]]``."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, IntArray


@kernel
def explore(item: int, start: IntArray, places: IntArray, holder: IntArray, reached_by: IntArray) -> int:
    """Search alternating paths from `item` for a free place; returns the place, or -1.

    ``holder[p]`` is the item that serves place p, or -1. `reached_by` must be -1, or -2 for places that the paths must avoid; the
    search writes the item from which it reaches each place.
    """
    queue = np.empty(len(holder) + 1, dtype=np.int64)
    queue[0] = item
    done, filled = 0, 1
    while done < filled:
        i = queue[done]
        done += 1
        for q in range(start[i], start[i + 1]):
            p = places[q]
            if reached_by[p] != -1:
                continue
            reached_by[p] = i
            if holder[p] < 0:
                return int(p)
            queue[filled] = holder[p]
            filled += 1
    return -1


@kernel
def serve(item: int, start: IntArray, places: IntArray, holder: IntArray, held: IntArray, reached_by: IntArray) -> bool:
    """Give `item` a place, moving other items along an augmenting path. If there is no path, return False and change nothing."""
    reached_by[:] = -1
    return augment(item, start, places, holder, held, reached_by)


@kernel
def augment(item: int, start: IntArray, places: IntArray, holder: IntArray, held: IntArray, reached_by: IntArray) -> bool:
    """:func:`serve` without the places where `reached_by` is -2; it must be -1 elsewhere."""
    p = explore(item, start, places, holder, reached_by)
    while p >= 0:
        i = reached_by[p]
        before = held[i]
        holder[p], held[i] = i, p
        if i == item:
            return True
        p = before
    return False


@kernel
def transversal_greedy(n_places: int, start: IntArray, places: IntArray, order: IntArray) -> BoolArray:
    """Scan `order` and keep each item that can be given a place together with those kept before; mask over all items."""
    d = len(start) - 1
    chosen = np.zeros(d, dtype=np.bool_)
    holder = np.full(n_places, -1, dtype=np.int64)
    held = np.full(d, -1, dtype=np.int64)
    reached_by = np.empty(n_places, dtype=np.int64)
    left = n_places
    for item in order:
        if left == 0:
            break
        if serve(item, start, places, holder, held, reached_by):
            chosen[item] = True
            left -= 1
    return chosen


@kernel
def transversal_exchanges(n_places: int, start: IntArray, places: IntArray, members: IntArray) -> tuple[BoolArray, BoolArray]:
    """Items that can join the `members` (d,), and items that can replace each member (k, d)."""
    d = len(start) - 1
    holder = np.full(n_places, -1, dtype=np.int64)
    held = np.full(d, -1, dtype=np.int64)
    reached_by = np.empty(n_places, dtype=np.int64)
    row = np.full(d, -1, dtype=np.int64)
    for a in range(len(members)):
        serve(members[a], start, places, holder, held, reached_by)
        row[members[a]] = a
    free = np.zeros(d, dtype=np.bool_)
    swaps = np.zeros((len(members), d), dtype=np.bool_)
    for z in range(d):
        if row[z] >= 0:
            continue
        reached_by[:] = -1
        if explore(z, start, places, holder, reached_by) >= 0:
            free[z] = True
            swaps[:, z] = True
            continue
        for p in range(n_places):
            if reached_by[p] >= 0:
                swaps[row[holder[p]], z] = True
    return free, swaps
