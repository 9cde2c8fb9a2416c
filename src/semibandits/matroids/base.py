"""Base class of matroids."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.matroids.uniform import lightest_of_rows
from semibandits.matroids._listing import list_bases, too_many
from semibandits.matroids.counts import DecisionCount, count_by_listing, most_listed


class Matroid(ABC):
    """A matroid on the items 0 .. d - 1. Immutable.

    A matroid is a family of *independent* sets of items: subsets of independent sets are independent, and an item of a larger
    independent set can always be added to a smaller one. A *basis* is an independent set of the largest size, the rank; an item
    in no independent set is a *loop*. A subclass must implement `d`, `is_independent`, `greedy` and `exchanges`; :class:`Oracle`
    needs an independence test only.

    Notes
    -----
    `greedy` with the items in order of decreasing weight gives a basis of largest total weight (Edmonds, Mathematical
    Programming 1, 1971).

    Examples
    --------
    Three cables, of which any two connect the houses A, B and C:

    >>> cables = sb.matroids.Graphic([("A", "B"), ("B", "C"), ("C", "A")])
    >>> isinstance(cables, sb.matroids.Matroid), cables.d, cables.rank
    (True, 3, 2)
    >>> cables.is_independent(np.array([0, 1])), cables.is_independent(np.array([0, 1, 2]))
    (True, False)
    >>> cables.greedy(np.array([2, 0, 1])).tolist()  # keeps cables 2 and 0; then cable 1 closes a cycle
    [True, False, True]
    >>> cables.bases().astype(int).tolist()
    [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    """

    @property
    @abstractmethod
    def d(self) -> int:
        """Number of items."""

    @cached_property
    def rank(self) -> int:
        """Number of items in a basis."""
        return int(self.greedy(np.arange(self.d, dtype=np.int64)).sum())

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in order."""
        return tuple(range(self.d))

    @abstractmethod
    def is_independent(self, indices: IntArray) -> bool:
        """Whether the items `indices`, distinct ints of shape (k,), are independent."""

    @abstractmethod
    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` (distinct items, not necessarily all) and keep each item that preserves independence.

        The result is a bool array of shape (d,).
        """

    @abstractmethod
    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set S by one item.

        Parameters
        ----------
        members : ndarray of int, shape (k,)
            The items of S, distinct and independent.

        Returns
        -------
        free : ndarray of bool, shape (d,)
            ``free[z]``: z is not in S and S + z is independent.
        swaps : ndarray of bool, shape (k, d)
            ``swaps[a, z]``: z is not in S and S - members[a] + z is independent (all True in column z if ``free[z]``;
            all False for a loop and for z in S).
        """

    def lightest_partners(self, members: IntArray, weights: FloatArray) -> IntArray:
        """Lightest item that can leave an independent set S for another item to enter.

        Parameters
        ----------
        members : ndarray of int, shape (k,)
            The items of S, distinct and independent.
        weights : ndarray of float, shape (d,)
            Weight of each item.

        Returns
        -------
        ndarray of int, shape (d,)
            For each item z outside S that forms a circuit with S, the lightest other item of that circuit; ties go to the
            smaller index. -1 for members of S, for loops, and for items that can enter without one leaving.
        """
        free, swaps = self.exchanges(members)
        return lightest_of_rows(swaps & ~free, members, weights)

    def count_bases(self) -> int | None:
        """Exact number of bases; None if there is no formula."""
        return None

    def count_bases_within(self, work: int) -> int | None:
        """Exact number of bases; None without a formula or if it takes more than about `work` elementary steps."""
        return self.count_bases()

    @property
    def exchange_steps(self) -> int:
        """Approximate number of elementary steps for one call of `greedy` and one of `exchanges`, for a basis."""
        return self.rank * self.d

    def count_within(self, work: int) -> DecisionCount:
        """Number of bases, or a lower bound, within about `work` elementary steps.

        By a formula or by listing; the lower bound for too many bases is the number of swaps of one basis.
        """
        known = self.count_bases_within(work)
        steps = self.exchange_steps
        if known is not None or steps > work:
            return DecisionCount(known)
        members = np.flatnonzero(self.greedy(np.arange(self.d, dtype=np.int64)))
        swaps = int(np.count_nonzero(self.exchanges(members)[1]))
        if 0 < swaps >= most_listed(work - steps, steps):
            return DecisionCount(None, swaps)
        return count_by_listing(lambda limit: len(list_bases(self, limit)), work - steps, steps)

    def bases(self, limit: int = 100_000) -> BoolArray:
        """All bases in lexicographic order of their items, one per row, bool, shape ``(n, d)``.

        Parameters
        ----------
        limit : int
            Maximum number of bases to list.

        Raises
        ------
        TooManyDecisionsError
            If there are more than `limit` bases; at most `limit` are built.
        """
        count = self.count_bases()
        if count is not None and count > limit:
            raise too_many(limit, count)
        return self._list_bases(limit)

    def _list_bases(self, limit: int) -> BoolArray:
        """Bases for `bases`; override it if there is a faster method."""
        return list_bases(self, limit)
