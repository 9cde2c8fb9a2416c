"""The items that rules of optimism and GLADE can choose, found without a look at the others.

Let item i *dominate* item j of the same role if i has at most as many plays, counting those of open rounds, and a larger mean, or
the same mean and a smaller index. The bonus of an item falls with its plays, so i can replace j in every decision without loss.
A decision with j and at most c items of that role lacks one of any c items that dominate j. Hence items that c others dominate
are not needed. Rules that give no bonus to the items of the best decision need twice as many, since up to c of the dominating
ones are in it.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from typing import Final

import numpy as np

from semibandits._typing import FloatArray, IntArray

Key = tuple[float, int]
"""Minus the mean of an item, and its index: the order of items that were played equally often."""
LAST: Final[Key] = (np.inf, 0)
SPARE: Final = 64
"""A heap is rebuilt if more than this many of its entries, and more than half of them, are out of date."""

LOOSE: Final = 0.1
"""Keys up to this share above the limit are looked up too, since the limit differs a little in the next round."""


class _Group:
    """Items of one role and one number of plays."""

    __slots__ = ("begin", "first", "heap", "known", "size", "sorted", "until")

    def __init__(self, items: IntArray, first: Key) -> None:
        # `sorted`: the items at the start, by key. Those that were updated since no longer count, and none before `begin` does.
        self.size, self.sorted, self.begin = len(items), items, 0
        self.heap: list[Key] = []  # of the items that were updated since; keys that are no longer right are out of date
        # `first`: at most the smallest key of an item of the group.
        self.first, self.until = first, LAST
        # The smallest keys, as many as can be needed, or those below `until`; None after a change.
        self.known: list[Key] | None = None

    def below(self, worst: Key, most: int) -> list[Key] | None:
        """Known keys below `worst`, at most so many; None if not all of them are known."""
        known = self.known
        if known is None or (self.until < worst and len(known) < most):
            return None
        return known[: bisect_left(known, worst)]


class Leaders:
    """Items by role, number of plays, and mean.

    `roles`, shape (d,): the role of each item, from 0 on. `needed`, shape (number of roles,): an item is needed unless so many
    others of its role dominate it. `counts` and `means`, shape (d,): plays, with those of open rounds, and estimated means. They
    are not copied: call `update` after each change.
    """

    def __init__(self, roles: IntArray, needed: IntArray, counts: FloatArray, means: FloatArray) -> None:
        self._roles, self._counts, self._means = roles, counts, means
        self._needed: list[int] = needed.tolist()
        self._known_counts, self._known_means = counts.copy(), means.copy()
        self._is_updated = np.zeros(len(roles), dtype=np.bool_)
        self._groups: list[dict[float, _Group]] = [{} for _ in self._needed]
        order = np.lexsort((np.arange(len(roles)), -means, counts, roles))
        starts = np.flatnonzero(np.diff(roles[order], prepend=-1) | (np.diff(counts[order], prepend=-1.0) != 0))
        for items in np.split(order, starts[1:]):
            first = int(items[0])
            self._groups[roles[first]][float(counts[first])] = _Group(items, self._key(first))
        self._orders = [sorted(groups) for groups in self._groups]

    def _key(self, item: int) -> Key:
        return -float(self._means[item]), item

    def update(self, items: Iterable[int]) -> None:
        """Take note of new counts or means of some items."""
        for item in items:
            count, mean = float(self._counts[item]), float(self._means[item])
            before = float(self._known_counts[item])
            if count == before and mean == self._known_means[item]:
                continue
            role = int(self._roles[item])
            groups = self._groups[role]
            if count != before:
                left = groups[before]
                left.size, left.known = left.size - 1, None
                if left.size == 0:
                    del groups[before]
                    self._orders[role].remove(before)
                if count not in groups:
                    groups[count] = _Group(np.empty(0, dtype=np.int64), LAST)
                    insort(self._orders[role], count)
                groups[count].size += 1
                self._known_counts[item] = count
            self._known_means[item], self._is_updated[item] = mean, True
            group, key = groups[count], (-mean, item)
            group.known = None
            heapq.heappush(group.heap, key)
            group.first = min(group.first, key)
            if len(group.heap) > 2 * group.size + SPARE:  # drop keys that are out of date, and those that occur twice
                group.heap = [one for one in set(group.heap) if self._is_right(one, count)]
                heapq.heapify(group.heap)

    def _is_right(self, key: Key, count: float) -> bool:
        negative, item = key
        return bool(self._counts[item] == count and self._means[item] == -negative)

    def needed(self) -> IntArray:
        """The items that are needed, ascending."""
        found: list[Key] = []
        for role, most in enumerate(self._needed):
            best: list[Key] = []  # the smallest keys so far, at most `most`
            worst, groups = LAST, self._groups[role]
            for count in self._orders[role]:
                group = groups[count]
                if not group.first < worst:
                    continue
                fresh = group.below(worst, most)
                if fresh is None:
                    group.until = worst[0] + LOOSE * abs(worst[0]), worst[1]
                    group.known = self._smallest(group, count, most, group.until)
                    fresh = group.below(worst, most) or []
                if fresh:
                    best += fresh
                    best.sort()
                    del best[most:]
                    found += fresh[: bisect_right(fresh, best[-1])]
                    worst = best[-1] if len(best) == most else LAST
        return np.array(sorted([item for _, item in found]), dtype=np.int64)

    def _smallest(self, group: _Group, count: float, most: int, worst: Key) -> list[Key]:
        """The smallest keys of the items of a group below `worst`, at most so many."""
        heap = group.heap
        taken: list[Key] = []
        while heap and len(taken) < most and heap[0] < worst:
            key = heapq.heappop(heap)
            if self._is_right(key, count) and (not taken or taken[-1] != key):
                taken.append(key)
        for key in taken:
            heapq.heappush(heap, key)
        early = self._smallest_at_start(group, most, worst)
        if early:
            taken = sorted(taken + early)[:most]
        start = self._key(int(group.sorted[group.begin])) if group.begin < len(group.sorted) else LAST
        group.first = min((*taken[:1], heap[0] if heap else LAST, start))
        return taken

    def _smallest_at_start(self, group: _Group, most: int, worst: Key) -> list[Key]:
        """The same among the items that were in the group at the start and were not updated."""
        taken: list[Key] = []
        items, end, updated = group.sorted, len(group.sorted), self._is_updated
        while group.begin < end and updated[items[group.begin]]:
            group.begin += 1
        place = group.begin
        while place < end and len(taken) < most:
            item = int(items[place])
            if not updated[item]:
                key = self._key(item)
                if not key < worst:
                    break
                taken.append(key)
            place += 1
        if place - group.begin > 2 * len(taken) + SPARE:  # most of these were updated
            rest = items[group.begin :]
            group.sorted, group.begin = rest[~updated[rest]], 0
        return taken
