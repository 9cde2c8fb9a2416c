"""Laminar matroids: capacities on nested sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from typing import TYPE_CHECKING, Final, final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.outcomes import whole_number
from semibandits.kernels.matroids.laminar import laminar_exchanges, laminar_greedy, laminar_lightest
from semibandits.matroids._checks import as_collections, as_indices
from semibandits.matroids.base import Matroid
from semibandits.matroids.counts import binomial_steps

if TYPE_CHECKING:
    from scipy.sparse import csr_array

STEPS_A_PRODUCT: Final = 60
"""Elementary steps, the unit of `work`, that a product of two numbers in Python takes."""


@final
class Laminar(Matroid):
    """Sets that respect a capacity on each of several sets, any two of which are nested or disjoint.

    Parameters
    ----------
    sets : sequence of collections of int
        The items of each set. Items in no set are unrestricted.
    capacities : int or sequence of int
        Maximum number of chosen items of each set, >= 0: one for all sets, or one per set.
    d : int, optional
        Number of items; by default the largest item in a set, plus one.

    Raises
    ------
    InvalidInputError
        If two sets are equal or overlap without being nested, a set does not consist of distinct items, or a capacity is
        missing, negative or not an integer.

    Examples
    --------
    At most two of the articles 0 to 3, and at most one of the articles 0 and 1:

    >>> page = sb.matroids.Laminar([[0, 1, 2, 3], [0, 1]], [2, 1])
    >>> page.rank, page.count_bases()
    (2, 5)
    >>> page.is_independent(np.array([0, 1])), page.is_independent(np.array([0, 2]))
    (False, True)
    >>> sb.MatroidBases(page).maximize([0.9, 0.8, 0.3, 0.2]).tolist()
    [True, False, True, False]
    """

    def __init__(self, sets: Sequence[Iterable[int]], capacities: int | Sequence[int], *, d: int | None = None) -> None:
        members = _read_sets(sets, d)
        limits = _read_capacities(capacities, len(members))
        if d is None:
            d = max((int(items.max()) + 1 for items in members if len(items)), default=0)
        # From here on, the nonempty sets are numbered from the largest to the smallest.
        order = sorted((s for s in range(len(members)) if len(members[s])), key=lambda s: -len(members[s]))
        self._innermost, self._above = _nest(members, order, d)
        self._capacity = np.array([min(limits[s], len(members[s])) for s in order], dtype=np.int64)

    def __repr__(self) -> str:
        return f"Laminar(d={self.d}, sets={len(self._above)})"

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self._innermost)

    @property
    def capacities(self) -> IntArray:
        """Maximum number of items of each nonempty set, from the largest to the smallest one, at most its size."""
        return self._capacity.copy()

    @property
    def members(self) -> csr_array:
        """Whether each of these sets (row) contains each item (column): 0 or 1, shape (number of sets, d)."""
        from scipy.sparse import csr_array

        rows, columns, at = [], [], self._innermost
        while (at >= 0).any():
            columns.append(np.flatnonzero(at >= 0))
            rows.append(at[columns[-1]])
            at = np.where(at >= 0, self._above[at], -1)
        entries = np.concatenate([np.empty(0, dtype=np.int64), *rows]), np.concatenate([np.empty(0, dtype=np.int64), *columns])
        return csr_array((np.ones(len(entries[0])), entries), shape=(len(self._above), self.d))

    def is_independent(self, indices: IntArray) -> bool:
        """Whether no set has more items in `indices` than its capacity."""
        indices = as_indices(indices, self.d)
        return bool(laminar_greedy(self._innermost, self._above, self._capacity, indices)[indices].all())

    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` and keep each item whose sets are all below capacity; bool, shape (d,)."""
        return laminar_greedy(self._innermost, self._above, self._capacity, as_indices(order, self.d, "order"))

    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set by one item; see :meth:`Matroid.exchanges`."""
        return laminar_exchanges(self._innermost, self._above, self._capacity, as_indices(members, self.d, "members"))

    def lightest_partners(self, members: IntArray, weights: FloatArray) -> IntArray:
        """Lightest member of the innermost full set of each item; see :meth:`Matroid.lightest_partners`."""
        members = as_indices(members, self.d, "members")
        return laminar_lightest(self._innermost, self._above, self._capacity, members, weights)

    def count_bases(self) -> int:
        """Number of bases, from the number of independent sets of each size in each set, innermost sets first."""
        own = np.bincount(self._innermost[self._innermost >= 0], minlength=len(self._above)).tolist()
        limits = self._capacity.tolist()
        sizes = [[comb(n, k) for k in range(min(n, limit) + 1)] for n, limit in zip(own, limits, strict=True)]
        bases = 1
        for s in reversed(range(len(sizes))):
            outer = int(self._above[s])
            if outer < 0:
                bases *= sizes[s][-1]
            else:
                sizes[outer] = _convolve(sizes[outer], sizes[s])[: limits[outer] + 1]
        return bases

    def count_bases_within(self, work: int) -> int | None:
        """Number of bases; None if it takes more than about `work` elementary steps."""
        own = np.bincount(self._innermost[self._innermost >= 0], minlength=len(self._above)).tolist()
        limits = self._capacity.tolist()
        lengths = [min(n, limit) + 1 for n, limit in zip(own, limits, strict=True)]
        steps = sum(length * binomial_steps(n, n // 2) for n, length in zip(own, lengths, strict=True))
        product = STEPS_A_PRODUCT * (1 + self.d // 1_000)
        for s in reversed(range(len(lengths))):
            outer = int(self._above[s])
            steps += product * lengths[s] * (lengths[outer] if outer >= 0 else 1)
            if outer >= 0:
                lengths[outer] = min(lengths[outer] + lengths[s], limits[outer] + 2) - 1
        return self.count_bases() if steps <= work else None


def _read_sets(sets: Sequence[Iterable[int]], d: int | None) -> list[IntArray]:
    if d is not None:
        d = whole_number(d, "d", remedy="pass the number of items, or omit it")
    result = []
    for s, items in enumerate(as_collections(sets, "items", "[[0, 1], [0, 1, 2]]")):
        array = np.asarray(items)
        bound = d
        if bound is None:  # one more than the largest item; 0 if the array is empty or does not contain integers
            bound = max(1, int(array.max()) + 1) if array.size and array.dtype.kind in "iu" else 0
        result.append(as_indices(array, bound, f"sets[{s}]"))
    return result


def _read_capacities(capacities: int | Sequence[int], n_sets: int) -> list[int]:
    if not isinstance(capacities, Iterable):
        return [whole_number(capacities, "capacities", remedy="pass one integer for all sets or one per set")] * n_sets
    limits = [
        whole_number(c, f"capacities[{s}]", remedy="pass the maximum number of chosen items of the set")
        for s, c in enumerate(capacities)
    ]
    if len(limits) != n_sets:
        raise InvalidInputError(
            f"capacities must have one entry per set, got {len(limits)} for {n_sets} sets: add or drop entries, "
            "or pass one integer for all sets"
        )
    return limits


def _nest(members: list[IntArray], order: list[int], d: int) -> tuple[IntArray, IntArray]:
    """Innermost set of each item and the smallest set around each set, -1 if none; sets are numbered along `order`."""
    innermost = np.full(d, -1, dtype=np.int64)
    above = np.full(len(order), -1, dtype=np.int64)
    for number, s in enumerate(order):
        around = innermost[members[s]]
        if (around != around[0]).any():
            raise _crossing(members, order, s, around)
        above[number] = around[0]
        outer = order[around[0]] if around[0] >= 0 else s
        if outer != s and len(members[outer]) == len(members[s]):
            raise InvalidInputError(
                f"sets must be distinct, got the same items in sets {min(s, outer)} and {max(s, outer)}: "
                "keep the one with the smaller capacity"
            )
        innermost[members[s]] = number
    return innermost, above


def _crossing(members: list[IntArray], order: list[int], s: int, around: IntArray) -> InvalidInputError:
    """Error for set `s`, whose items have different innermost sets (``around``) among the sets at least as large."""
    second = int(np.flatnonzero(around != around[0])[0])
    item, other, number = members[s][0], members[s][second], around[0]
    if number < 0 or other in members[order[number]]:
        item, other, number = other, item, around[second]
    t = order[number]
    return InvalidInputError(
        f"sets must be nested or disjoint, got sets {min(s, t)} and {max(s, t)}, which share item {item} while "
        f"item {other} is only in set {s}: split one of them, or use an intersection of two matroids"
    )


def _convolve(a: list[int], b: list[int]) -> list[int]:
    """Product of two polynomials with integer coefficients."""
    product = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return product
