"""Decisions that take memory for their changes of a common base only, not for every item of the set.

They are one array of integers, as each further array in a record slows down every round: the number n of decisions, n + 1 places,
the items of the base, and the items in which each decision differs from it. Those of decision k are between places k and k + 1;
the base ends at place 0.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import grown
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, IntArray


def no_lists() -> IntArray:
    """No decisions."""
    return np.array([0, 2], dtype=np.int64)


def base_of(lists: IntArray) -> IntArray:
    """Items of the base, ascending."""
    return lists[lists[0] + 2 : lists[1]]


def changes_of(lists: IntArray, k: int) -> IntArray:
    """Items that decision k adds to the base or removes from it, in any order."""
    return lists[lists[k + 1] : lists[k + 2]]


@kernel
def write_row(lists: IntArray, k: int, x: BoolArray) -> None:
    """Write decision k into x."""
    for i in range(len(x)):
        x[i] = False
    for e in range(lists[0] + 2, lists[1]):
        x[lists[e]] = True
    for e in range(lists[k + 1], lists[k + 2]):
        x[lists[e]] = not x[lists[e]]


@kernel
def on_common_base(d: int, ptr: IntArray, toggled: IntArray) -> IntArray:
    """Lists of decisions over d items, as changes of the items that most of them contain: no other base has fewer changes.

    ``toggled[ptr[k]:ptr[k + 1]]`` are the items in which decision k differs from the one before, the first one from no items.
    """
    n = len(ptr) - 1
    base = np.flatnonzero(most_common(d, ptr, toggled))
    lists = np.empty(n + 2 + len(base), dtype=np.int64)
    lists[0] = n
    lists[n + 2 :] = base
    # The items in which a decision differs from the base, in any order, and the place of each among them.
    different, place = np.empty(d, dtype=np.int64), np.full(d, -1, dtype=np.int64)
    for is_counting in (True, False):
        size, filled = 0, n + 2 + len(base)
        for p in range(len(base)):
            size = toggle(base[p], different, place, size)
        for k in range(n):
            lists[k + 1] = filled
            for e in range(ptr[k], ptr[k + 1]):
                size = toggle(toggled[e], different, place, size)
            if not is_counting:
                lists[filled : filled + size] = different[:size]
            filled += size
        lists[n + 1] = filled
        if is_counting:
            lists = grown(lists, filled)
        while size > 0:
            size = toggle(different[size - 1], different, place, size)
    return lists


@kernel
def most_common(d: int, ptr: IntArray, toggled: IntArray) -> BoolArray:
    """Items that more than half of the rows contain."""
    n = len(ptr) - 1
    count, since = np.zeros(d, dtype=np.int64), np.full(d, -1, dtype=np.int64)
    for k in range(n):
        for e in range(ptr[k], ptr[k + 1]):
            i = toggled[e]
            if since[i] < 0:
                since[i] = k
            else:
                count[i] += k - since[i]
                since[i] = -1
    base = np.zeros(d, dtype=np.bool_)
    for i in range(d):
        last = n - since[i] if since[i] >= 0 else 0
        base[i] = 2 * (count[i] + last) > n
    return base


@kernel
def toggle(i: int, items: IntArray, place: IntArray, size: int) -> int:
    """Add item i to the first `size` items, or remove it from them; return how many there are then."""
    at = place[i]
    if at < 0:
        items[size], place[i] = i, size
        return size + 1
    last = items[size - 1]
    items[at], place[last] = last, at
    place[i] = -1
    return size - 1
