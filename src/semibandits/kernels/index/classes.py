"""Items that can stand for each other.

Two items of one *role* may be exchanged in every decision: exchanging them maps the decision set to itself. Roles come with
the data of a decision set: items of a group, items that lie in the same innermost set, parallel edges. Items of one role with
equal reward and equal bonus form a *class*. Permuting a class changes neither rewards nor bonuses, so among the best decisions
of a part is one that takes the first items of each class, in the order of their indices. Hence a part is split by how many
items of a class it takes, not by which: more than p means that the first p + 1 are in, at most p that the others are out.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.index.problem import FORCED, Search
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import FloatArray, IntArray


@kernel
def write_classes(
    roles: IntArray, rewards: FloatArray, bonuses: FloatArray, order: IntArray, place: IntArray, start: IntArray
) -> None:
    """Sort the items by class, of a class by index: `order`, the place of each item in it, and where its class starts there.

    Without roles every item is a class of its own.
    """
    d = len(rewards)
    if len(roles) == 0:
        for i in range(d):
            order[i] = place[i] = start[i] = i
        return
    sorted_items = np.argsort(bonuses, kind="mergesort")
    sorted_items = sorted_items[np.argsort(rewards[sorted_items], kind="mergesort")]
    by_role = roles[sorted_items].astype(np.float64)  # a sort of ints would have to be compiled, too
    sorted_items = sorted_items[np.argsort(by_role, kind="mergesort")]
    first = 0
    for p in range(d):
        i, j = sorted_items[p], sorted_items[first]
        if roles[i] != roles[j] or rewards[i] != rewards[j] or bonuses[i] != bonuses[j]:
            first = p
        order[p], place[i], start[i] = i, p, first


@kernel
def class_end(s: Search, i: int) -> int:
    """Place behind the last item of the class of item i."""
    first, p = s.start[i], s.place[i] + 1
    while p < len(s.order) and s.start[s.order[p]] == first:
        p += 1
    return int(p)


@kernel
def branching_item(s: Search, left: int, right: int) -> int:
    """Of the free items in which two decisions differ, up to permutations of classes, the one with the largest bonus.

    It is the first item of its class that the decision with fewer of them can do without; -1 if the decisions hold equally many
    of each class.
    """
    rows, bonuses, forced, order = s.rows, s.bonuses, s.forced, s.order
    d, best, p = len(bonuses), -1, 0
    while p < d:
        first, n_left, n_right, n_free = p, 0, 0, 0
        while p < d and s.start[order[p]] == s.start[order[first]]:
            i = order[p]
            if forced[i] == 0:
                n_left += rows[left, i]
                n_right += rows[right, i]
                n_free += 1
            p += 1
        if n_left != n_right and (best < 0 or bonuses[order[first]] > bonuses[best]):
            best = _free_item(s, int(first), min(n_left, n_right))
    return best


@kernel
def _free_item(s: Search, first: int, number: int) -> int:
    """Free item of this number, counted from 0, among those from place `first` on."""
    p = first
    while True:
        if s.forced[s.order[p]] == 0:
            if number == 0:
                return int(s.order[p])
            number -= 1
        p += 1


@kernel
def force(s: Search, item: int, side: int) -> None:
    """Force an item that stands last on the path to a side, and with it those of its class: those before it in, or after it
    out.
    """
    s.forced[item] = side
    p = s.start[item] if side > 0 else s.place[item] + 1
    end = s.place[item] if side > 0 else class_end(s, item)
    while p < end:
        i = s.order[p]
        if s.forced[i] == 0:
            depth = s.counts[FORCED]
            s.forced[i], s.path[depth], s.is_second[depth] = side, i, True
            s.counts[FORCED] += 1
        p += 1
