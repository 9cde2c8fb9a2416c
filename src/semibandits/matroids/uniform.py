"""The uniform matroid: any m of d items."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from typing import final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.outcomes import whole_number
from semibandits.matroids._checks import as_indices
from semibandits.matroids.base import Matroid
from semibandits.matroids.counts import binomial_steps


@final
class Uniform(Matroid):
    """Sets of at most `m` of `d` items.

    Parameters
    ----------
    d : int
        Number of items, >= 0.
    m : int
        Maximum size of an independent set, 0 <= m <= d.

    Raises
    ------
    InvalidInputError
        If `d` or `m` is not such an integer.

    Examples
    --------
    At most two of four articles:

    >>> articles = sb.matroids.Uniform(4, 2)
    >>> articles.rank, articles.count_bases()
    (2, 6)
    >>> articles.is_independent(np.array([0, 3])), articles.is_independent(np.array([0, 1, 3]))
    (True, False)
    """

    def __init__(self, d: int, m: int) -> None:
        self._d = whole_number(d, "d", remedy="pass the number of items")
        self._m = whole_number(m, "m", remedy="pass the number of items to choose")
        if self._m > self._d:
            raise InvalidInputError(f"m must be at most d = {d}, got {m}: lower m, or add items")

    def __repr__(self) -> str:
        return f"Uniform(d={self._d}, m={self._m})"

    @property
    def d(self) -> int:
        """Number of items."""
        return self._d

    def is_independent(self, indices: IntArray) -> bool:
        """Whether there are at most m items in `indices`."""
        return len(as_indices(indices, self._d)) <= self._m

    def greedy(self, order: IntArray) -> BoolArray:
        """Keep the first m items of `order`; bool, shape (d,)."""
        chosen = np.zeros(self._d, dtype=np.bool_)
        chosen[as_indices(order, self._d, "order")[: self._m]] = True
        return chosen

    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set by one item; see :meth:`Matroid.exchanges`."""
        members = as_indices(members, self._d, "members")
        outside = np.ones(self._d, dtype=np.bool_)
        outside[members] = False
        free = outside if len(members) < self._m else np.zeros(self._d, dtype=np.bool_)
        return free, np.tile(outside, (len(members), 1))

    def lightest_partners(self, members: IntArray, weights: FloatArray) -> IntArray:
        """Lightest member for every other item if the set is a basis; see :meth:`Matroid.lightest_partners`."""
        members = as_indices(members, self._d, "members")
        lightest = np.full(self._d, -1, dtype=np.int64)
        if 0 < self._m == len(members):
            ascending = np.sort(members)
            lightest[:] = ascending[np.argmin(weights[ascending])]
            lightest[members] = -1
        return lightest

    def count_bases(self) -> int:
        """Number of bases: d choose m."""
        return comb(self._d, self._m)

    def count_bases_within(self, work: int) -> int | None:
        """Number of bases; None if it takes more than about `work` elementary steps."""
        return self.count_bases() if binomial_steps(self._d, self._m) <= work else None

    def _list_bases(self, limit: int) -> BoolArray:
        n = self.count_bases()
        chosen = np.fromiter(chain.from_iterable(combinations(range(self._d), self._m)), np.int64, n * self._m)
        rows = np.zeros((n, self._d), dtype=np.bool_)
        rows[np.arange(n)[:, np.newaxis], chosen.reshape(n, self._m)] = True
        return rows
