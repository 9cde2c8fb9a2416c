"""Thompson sampling that draws the means of those items only whose draws can be among the largest.

Items of one role, with equally many plays and similar means, form a *class*. A draw is the number that the posterior of the item
exceeds with a probability v, uniform on [0, 1]. For a level, let q be at least the probability that the posterior of the largest
mean of the class exceeds it: items with v > q are below the level, whatever their mean in the class. The number of items with
v <= q is binomial, they are any items of the class, and their v are uniform on [0, q]. So only they are drawn. If at least as
many draws of a role exceed its level as a decision can have items of this role, the largest draws are known. Otherwise the level
is lowered; the v of the other items are then uniform on [q, 1]. The draws of all items have the same law as if each were drawn.

Random numbers depend on the counts and means at the start and now only, not on those between, so that a restored learner draws
the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from scipy.special import ndtr

from semibandits._typing import FloatArray, IntArray
from semibandits.policies.many.ascending import Ascending
from semibandits.policies.many.posteriors import WIDE, Posterior

BIN: Final = 0.25
"""Width of a class in standard deviations of its posterior."""
MORE: Final = 2.0
"""A level fits if the expected number of draws above it is the one that is wanted, or up to MORE times as large."""
STEPS: Final = 60
FEW: Final = 2
CLOSE: Final = 5.0
"""Classes of at most FEW items whose posteriors are less than CLOSE standard deviations below the level are drawn as a whole."""


class _Class:
    """Items of one class."""

    __slots__ = ("first", "key", "left", "others")

    def __init__(self, key: tuple[int, float, int]) -> None:
        self.key = key  # role, plays, and bin
        self.first: IntArray = np.empty(0, dtype=np.int64)  # the items at the start, ascending
        self.left = 0  # number of those that are in the class now
        self.others = Ascending()  # the other items


class Draws:
    """Classes of items, and draws from their posteriors.

    `roles`, shape (d,): the role of each item, from 0 on. `most`, shape (number of roles,): number of largest draws needed of
    each role, at most the number of its items. `counts` and `means`, shape (d,): plays, at least 1, and means at the start.
    """

    def __init__(self, posterior: Posterior, roles: IntArray, most: IntArray, counts: FloatArray, means: FloatArray) -> None:
        self._posterior, self._roles, self._counts, self._means = posterior, roles, counts.copy(), means.copy()
        self._most, self._n_of_role = most, np.bincount(roles, minlength=len(most))
        self._wanted = np.minimum(most + 2.0 * np.sqrt(most) + 2.0, self._n_of_role)
        d = len(roles)
        self._class: IntArray = np.empty(d, dtype=np.int64)
        self._known: dict[tuple[int, float, int], int] = {}
        self._classes: list[_Class] = []
        self._table: FloatArray = np.zeros((5, 64))  # of each class: role, plays, largest mean, number of items, bin
        self._few: IntArray = np.full((FEW, 64), -1)  # the items of classes of at most FEW, where they were needed
        self._last: FloatArray = np.full((2, 64), np.nan)  # of each class: the level of its last tail, and the tail
        self._unused: list[int] = []
        self._order: IntArray | None = None  # numbers of the classes with items, by key; None if it must be made anew
        bins = self._bins(counts, means)
        order = np.lexsort((bins, counts, roles))
        is_first = np.ones(d, dtype=np.bool_)
        is_first[1:] = (np.diff(bins[order]) != 0) | (np.diff(counts[order]) != 0) | (np.diff(roles[order]) != 0)
        for items in np.split(order, np.flatnonzero(is_first)[1:]):
            first = items[0]
            number = self._numbered((int(roles[first]), float(counts[first]), int(bins[first])))
            self._classes[number].first, self._classes[number].left = items, len(items)
            self._table[3, number] = len(items)
            self._class[items] = number
        self._first_class = self._class.copy()

    def follow(self, counts: FloatArray, means: FloatArray) -> None:
        """Use these counts and means from now on. They are not copied: call `update` after each change."""
        changed = np.flatnonzero((counts != self._counts) | (means != self._means))
        self._counts, self._means = counts, means
        self.update(changed.tolist())

    def _bins(self, counts: FloatArray, means: FloatArray) -> IntArray:
        """Class of each mean among those with the same number of plays; the class b reaches up to the position b * BIN."""
        bins: IntArray = np.ceil(self._posterior.position(counts, means) / BIN).astype(np.int64)
        return bins

    def _numbered(self, key: tuple[int, float, int]) -> int:
        """The number of a class, which is new if it has no items."""
        number = self._known.get(key)
        if number is not None:
            return number
        role, count, at = key
        largest = self._posterior.mean_at(np.array([count]), np.array([at * BIN]))[0]
        # Rounding must not put the largest mean of the class below that of an item.
        largest += 1e-12 * (abs(largest) + 1.0)
        if self._unused:
            number = self._unused.pop()
            self._classes[number] = _Class(key)
        else:
            number = len(self._classes)
            self._classes.append(_Class(key))
        self._known[key] = number
        if number == self._table.shape[1]:
            self._table = np.concatenate((self._table, np.zeros_like(self._table)), axis=1)
            self._few = np.concatenate((self._few, np.full_like(self._few, -1)), axis=1)
            self._last = np.concatenate((self._last, np.full_like(self._last, np.nan)), axis=1)
        self._table[:, number] = role, count, largest, 0.0, at
        self._last[0, number] = np.nan
        return number

    def update(self, items: Iterable[int]) -> None:
        """Take note of new counts or means of some items."""
        listed = np.fromiter(items, dtype=np.int64)
        bins = self._bins(self._counts[listed], self._means[listed])
        for item, at in zip(listed.tolist(), bins.tolist(), strict=True):
            old = int(self._class[item])
            new = self._numbered((int(self._roles[item]), float(self._counts[item]), at))
            if new == old:
                continue
            for number, change in ((old, -1), (new, 1)):
                group = self._classes[number]
                if self._first_class[item] == number:
                    group.left += change
                elif change > 0:
                    group.others.add(item)
                else:
                    group.others.remove(item)
                self._table[3, number] += change
                self._few[:, number] = -1
            self._class[item] = new
            group = self._classes[old]
            if self._table[3, old] == 0 and not len(group.first):
                del self._known[group.key]
                self._unused.append(old)
        self._order = None

    def _used(self) -> IntArray:
        """Numbers of the classes that have items, in an order that depends on their keys only."""
        if self._order is None:
            used = np.flatnonzero(self._table[3, : len(self._classes)])
            role, n, _, _, at = self._table[:, used]
            self._order = used[np.lexsort((at, n, role))]
        return self._order

    def largest(self, rng: np.random.Generator, start: FloatArray) -> tuple[IntArray, FloatArray]:
        """Items with the largest draws of each role, as many as are needed at least, and their draws; by index.

        `start`, shape (number of roles,): where the search for levels begins, such as the levels of the last round; overwritten
        with those of this round.
        """
        used = self._used()
        role, n, _, sizes, _ = self._table[:, used]
        roles = role.astype(np.int64)
        items, values = np.empty(0, dtype=np.int64), np.empty(0)
        before, drawn = np.zeros(len(n)), np.zeros(len(n))
        wanted, open_roles = self._wanted, self._most > 0
        levels = np.where(open_roles, self._fitting(wanted, start), np.inf)
        np.copyto(start, levels, where=np.isfinite(levels))
        while open_roles.any():
            tails = self._tails(used, levels[roles])
            tails = np.where(open_roles[roles], np.maximum(tails, before), before)
            left = np.maximum(sizes - drawn, 0.0)
            share = np.divide(tails - before, 1.0 - before, out=np.zeros(len(n)), where=before < 1.0)
            numbers = rng.binomial(left.astype(np.int64), np.minimum(share, 1.0))
            fresh, v = self._uniform(used, numbers, (before, tails), items, rng)
            items = np.concatenate((items, fresh))
            values = np.concatenate((values, self._posterior.draw(v, self._counts[fresh], self._means[fresh])))
            drawn, before = drawn + numbers, tails
            above = np.bincount(self._roles[items[values > levels[self._roles[items]]]], minlength=len(levels))
            known = np.bincount(self._roles[items], minlength=len(levels))
            open_roles = open_roles & (above < self._most) & (known < self._n_of_role)
            wanted = 2.0 * wanted + 1.0
            levels = np.where(open_roles, self._fitting(wanted, levels), levels)
        order = np.argsort(items)
        return items[order], values[order]

    def _tails(self, used: IntArray, level: FloatArray) -> FloatArray:
        """At least the probability that the posterior of the largest mean of each class exceeds its level."""
        _, n, mean, sizes, _ = self._table[:, used]
        tails = np.zeros(len(n))
        tails[level == -np.inf] = 1.0
        distance = self._posterior.position(n, level) - self._posterior.position(n, mean)
        is_open = np.isfinite(level)
        is_few = (sizes <= FEW) & (distance < CLOSE)
        tails[is_open & is_few] = 1.0  # all of them are drawn, which takes less time than a tail
        near = np.flatnonzero(is_open & ~is_few & (distance < WIDE))
        # Levels seldom change from round to round.
        new = near[self._last[0, used[near]] != level[near]]
        self._last[:, used[new]] = level[new], self._posterior.tail(level[new], n[new], mean[new])
        tails[near] = self._last[1, used[near]]
        return tails

    def _uniform(
        self, used: IntArray, numbers: IntArray, bounds: tuple[FloatArray, FloatArray], known: IntArray,
        rng: np.random.Generator,
    ) -> tuple[IntArray, FloatArray]:  # fmt: skip
        """So many items of each class that are not known yet, and their v, uniform between the bounds of their class."""
        whole = (numbers > 0) & (numbers <= FEW) & (numbers == self._table[3, used])
        parts, seen = [self._members(used[whole])], set(known.tolist())
        others = np.flatnonzero((numbers > 0) & ~whole)
        parts += [self._any_of(int(used[at]), int(numbers[at]), seen, rng) for at in others.tolist()]
        drawn = np.concatenate((np.flatnonzero(whole), others))
        low, high = (np.repeat(bound[drawn], numbers[drawn]) for bound in bounds)
        return np.concatenate(parts), low + (high - low) * (1.0 - rng.random(len(low)))

    def _members(self, numbers: IntArray) -> IntArray:
        """All items of these classes, of at most FEW items each, class by class."""
        for number in numbers[self._few[0, numbers] < 0].tolist():
            members = np.sort(self._all_of(number))
            self._few[: len(members), number] = members
        listed = self._few[:, numbers].T
        result: IntArray = listed[listed >= 0]
        return result

    def _all_of(self, number: int) -> IntArray:
        """All items of a class."""
        group = self._classes[number]
        first = group.first[self._class[group.first] == number] if group.left else group.first[:0]
        return np.concatenate((first, np.array(group.others.all(), dtype=np.int64)))

    def _any_of(self, number: int, k: int, seen: set[int], rng: np.random.Generator) -> IntArray:
        """Any k items of a class that were not seen, each with the same probability."""
        group, size = self._classes[number], int(self._table[3, number])
        rare = 8 * group.left < len(group.first)
        if rare or 4 * k >= size or (seen and 2 * len(seen) >= size):
            members = self._all_of(number)
            return rng.permutation(members[[item not in seen for item in members.tolist()]])[:k]
        chosen: dict[int, None] = {}
        while len(chosen) < k:
            places = rng.integers(size, size=k - len(chosen))
            others = group.others.at((places[places >= group.left] - group.left).tolist())
            # For each of the other places, any of the items that were in the class at the start and still are.
            n_first, firsts = int(np.count_nonzero(places < group.left)), np.empty(0, dtype=np.int64)
            while len(firsts) < n_first:
                tried = group.first[rng.integers(len(group.first), size=2 * n_first)]
                firsts = np.concatenate((firsts, tried[self._class[tried] == number]))
            chosen |= dict.fromkeys(item for item in (*firsts[:n_first].tolist(), *others) if item not in seen)
        return np.fromiter(chosen, dtype=np.int64, count=k)

    def _fitting(self, wanted: FloatArray, levels: FloatArray) -> FloatArray:
        """Levels that about so many draws of each role exceed, by a normal approximation; -inf where all items are wanted."""
        role, n, mean, sizes, _ = self._table[:, self._used()]
        roles = role.astype(np.int64)
        low, high = np.full(len(levels), -np.inf), np.full(len(levels), np.inf)
        is_open = wanted < self._n_of_role
        levels = np.where(np.isfinite(levels), levels, 0.0)
        at, step = self._posterior.position(n, mean), np.full(len(levels), 0.25)
        unit = np.full(len(levels), 1e-9)  # for each role, the standard deviation of the widest posterior
        np.maximum.at(unit, roles, self._posterior.mean_at(n, at + 1.0) - mean)
        for _ in range(STEPS):
            excess = self._posterior.position(n, levels[roles]) - at
            expected = np.bincount(roles, sizes * ndtr(-excess), minlength=len(levels))
            too_many, too_few = expected > MORE * wanted, expected < wanted
            if not (is_open & (too_many | too_few)).any():
                break
            low, high = np.where(too_many, levels, low), np.where(too_few, levels, high)
            is_bracketed = np.isfinite(low) & np.isfinite(high)
            moved = np.where(too_many, levels + step * unit, np.where(too_few, levels - step * unit, levels))
            with np.errstate(invalid="ignore"):
                levels = np.where(is_bracketed & (too_many | too_few), 0.5 * (low + high), moved)
            step = np.where(is_bracketed, step, 2.0 * step)
        return np.where(is_open, levels, -np.inf)
