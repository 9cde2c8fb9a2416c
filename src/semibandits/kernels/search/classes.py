"""Interchangeable items.

Exchanging two items of one *role* maps the decision set to itself. Roles are part of the data of a decision set: items of a
group, items with the same innermost set, parallel edges. Items of one role with equal reward and equal bonus form a *class*.
Permuting a class changes neither rewards nor bonuses, so one of the best decisions of a part contains the first items of each
class, in the order of their indices. Hence a part is split by the number of items of a class: with more than p, the first p + 1
items are in; with at most p, the others are out.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import stable_order
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray
from semibandits.kernels.search.problem import FORCED, Search


@kernel
def write_classes(
    roles: IntArray, rewards: FloatArray, bonuses: FloatArray, order: IntArray, place: IntArray, start: IntArray
) -> None:
    """Write the items sorted by class, then by index, the place of each item in this order, and the place where its class starts.

    Without roles every item forms its own class.
    """
    d = len(rewards)
    if len(roles) == 0:
        for i in range(d):
            order[i] = place[i] = start[i] = i
        return
    sorted_items = stable_order(bonuses)
    sorted_items = sorted_items[stable_order(rewards[sorted_items])]
    by_role = roles[sorted_items].astype(np.float64)  # a sort of ints would be compiled in addition
    sorted_items = sorted_items[stable_order(by_role)]
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
    """The free item of largest bonus in which two decisions differ, up to permutations of classes.

    It is the first free item of its class beyond the number that the decision with fewer of them contains; -1 if the decisions
    contain equally many of each class.
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
    """The free item number `number`, counted from 0, among those from place `first` on."""
    p = first
    while True:
        if s.forced[s.order[p]] == 0:
            if number == 0:
                return int(s.order[p])
            number -= 1
        p += 1


@kernel
def force(s: Search, item: int, side: int) -> None:
    """Force the last item of the path to a side, and also the items of its class: those before it in, or those after it out."""
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
