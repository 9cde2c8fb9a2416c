"""Bases of a laminar matroid that together contain every item that is in any."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import grown
from semibandits.kernels.heap import Heap, decrease, empty_heap, pop
from semibandits.kernels.signals import check_signals
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import IntArray


class Members(NamedTuple):
    """Items of each innermost set, ascending: ``items[start[s]:start[s + 1]]``. Those before ``covered[s]`` are in a basis."""

    start: IntArray
    items: IntArray
    covered: IntArray


@kernel
def greedy_layers(home: IntArray, above: IntArray, capacity: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Bases, each with as many items as possible that no earlier one contains; of several such items the smaller ones.

    Each is the greedy basis for the order in which items of no earlier basis come first, by index, then the others, by index. A
    basis takes time in proportion to its size and the number of sets, not to the number of items.

    Parameters
    ----------
    home : ndarray of int, shape (d,)
        Innermost set of each item.
    above, capacity : ndarray of int, shape (sets,)
        The set around each set, -1 if none, and its capacity.

    Returns
    -------
    cover : ndarray of int, shape (d,)
        The first basis that contains each item, -1 if there is none.
    ptr, toggled : ndarray of int
        ``toggled[ptr[k]:ptr[k + 1]]`` are the items in which basis k differs from basis k - 1, the first one from the empty set.
    """
    d = len(home)
    of = members_of(home, len(above))
    cover, last = (
        np.full(d, -1, dtype=np.int64),
        np.full(d, -2, dtype=np.int64),
    )  # `last` is the last basis with each item
    before, basis, held = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64), 0
    ptr, toggled, k = np.zeros(d + 1, dtype=np.int64), np.empty(16, dtype=np.int64), 0
    heap = empty_heap(len(above))
    while True:
        check_signals()
        room, known = capacity.copy(), of.covered.copy()
        fresh = scan(heap, of.items, of.covered, of.start[1:], above, room, basis, 0)
        if fresh == 0:
            return cover, ptr[: k + 1].copy(), toggled[: ptr[k]].copy()
        for p in range(fresh):
            cover[basis[p]] = k
        size = scan(heap, of.items, of.start[: len(above)].copy(), known, above, room, basis, fresh)
        filled = ptr[k]
        if len(toggled) < filled + size + held:
            toggled = grown(toggled, 2 * (filled + size + held))
        for p in range(size):
            if last[basis[p]] != k - 1:
                toggled[filled] = basis[p]
                filled += 1
            last[basis[p]] = k
        for p in range(held):
            if last[before[p]] != k:
                toggled[filled] = before[p]
                filled += 1
        before, basis, held, k = basis, before, size, k + 1
        ptr[k] = filled


@kernel
def members_of(home: IntArray, sets: int) -> Members:
    """Items of each innermost set; none is covered."""
    start, items = np.zeros(sets + 1, dtype=np.int64), np.empty(len(home), dtype=np.int64)
    for s in home:
        start[s + 1] += 1
    for s in range(sets):
        start[s + 1] += start[s]
    filled = start[:sets].copy()
    for i in range(len(home)):
        items[filled[home[i]]] = i
        filled[home[i]] += 1
    return Members(start, items, start[:sets].copy())


@kernel
def scan(
    heap: Heap, items: IntArray, at: IntArray, stop: IntArray, above: IntArray, room: IntArray, basis: IntArray, size: int
) -> int:  # fmt: skip
    """Scan the items from ``at[s]`` to ``stop[s]`` of all sets, by index, and add those with room to a basis of `size` items.

    Writes into `at` where the scan of each set has ended: behind its last item, or at one for which a set is full, as it then is
    for all later ones. Returns the size of the basis.
    """
    for s in range(len(above)):
        if at[s] < stop[s]:
            decrease(heap, s, float(items[at[s]]))
    while heap.size[0] > 0:
        first = pop(heap)
        s = first
        while s >= 0 and room[s] > 0:
            s = above[s]
        if s >= 0:
            continue
        basis[size] = items[at[first]]
        size += 1
        s = first
        while s >= 0:
            room[s] -= 1
            s = above[s]
        at[first] += 1
        if at[first] < stop[first]:
            decrease(heap, first, float(items[at[first]]))
    return size
