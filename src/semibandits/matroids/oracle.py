"""Matroids defined by an independence test."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from semibandits._typing import BoolArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.outcomes import whole_number
from semibandits.matroids._checks import as_indices
from semibandits.matroids.base import Matroid


@final
class Oracle(Matroid):
    """A matroid defined by an independence test.

    Parameters
    ----------
    d : int
        Number of items, >= 0.
    is_independent : callable
        ``is_independent(indices) -> bool`` for a sorted int array of distinct items. The empty set must be independent.

    Raises
    ------
    InvalidInputError
        If `d` is not an integer >= 0, the empty set is dependent, or the function does not return True or False.

    Notes
    -----
    The function must satisfy the matroid axioms: independent sets stay independent when items are removed, and an item of a
    larger independent set can always be added to a smaller one. Otherwise greedy bases may be suboptimal and closed forms
    wrong; :func:`check_axioms` searches for a counterexample. A basis costs d calls, all exchanges of a set of k items up to
    (k + 2) (d - k).

    Examples
    --------
    At most two couriers work, and only one of couriers 0 and 1, who share a van:

    >>> def can_work(couriers):
    ...     return len(couriers) <= 2 and not {0, 1} <= set(couriers.tolist())
    >>> shift = sb.matroids.Oracle(4, can_work)
    >>> shift.rank, len(shift.bases())
    (2, 5)
    >>> sb.matroids.check_axioms(shift)  # finds no violation
    >>> sb.MatroidBases(shift).maximize([0.9, 0.8, 0.3, 0.2]).tolist()
    [True, False, True, False]
    """

    def __init__(self, d: int, is_independent: Callable[[IntArray], bool]) -> None:
        self._d = whole_number(d, "d", remedy="pass the number of items")
        if not callable(is_independent):
            raise InvalidInputError(
                f"is_independent must be a function, got {type(is_independent).__name__}: pass is_independent(indices) -> bool"
            )
        self._function = is_independent
        if not self._query([]):
            raise InvalidInputError(
                "is_independent must return True for the empty set, got False: "
                "in a matroid every subset of an independent set is independent"
            )

    def __repr__(self) -> str:
        return f"Oracle(d={self._d}, is_independent={getattr(self._function, '__name__', self._function)!s})"

    @property
    def d(self) -> int:
        """Number of items."""
        return self._d

    def is_independent(self, indices: IntArray) -> bool:
        """Result of the function for the items `indices`."""
        return self._query(as_indices(indices, self._d).tolist())

    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` and keep each item that preserves independence; bool, shape (d,)."""
        kept: list[int] = []
        for item in as_indices(order, self._d, "order").tolist():
            if self._query([*kept, item]):
                kept.append(item)
        chosen = np.zeros(self._d, dtype=np.bool_)
        chosen[kept] = True
        return chosen

    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set by one item, with one call for each; see :meth:`Matroid.exchanges`."""
        inside = as_indices(members, self._d, "members").tolist()
        free = np.zeros(self._d, dtype=np.bool_)
        swaps = np.zeros((len(inside), self._d), dtype=np.bool_)
        for z in sorted(set(range(self._d)).difference(inside)):
            if not self._query([z]):
                continue
            free[z] = self._query([*inside, z])
            for a in range(len(inside)):
                swaps[a, z] = free[z] or self._query([*inside[:a], *inside[a + 1 :], z])
        return free, swaps

    def _query(self, items: list[int]) -> bool:
        answer = self._function(np.array(sorted(items), dtype=np.int64))
        if not isinstance(answer, bool | np.bool_):
            raise InvalidInputError(
                f"is_independent must return True or False, got {answer!r} for {sorted(items)}: wrap it in bool(...)"
            )
        return bool(answer)
