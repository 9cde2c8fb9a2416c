"""Explicit lists of decisions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import cast, final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._labels import different_labels
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle, compiled_oracle
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.validation import check_sums, item_vector
from semibandits.kernels.oracles.enumerated import enumerated_index, enumerated_linear
from semibandits.matroids._checks import check_bits
from semibandits.matroids._listing import too_many
from semibandits.matroids.counts import DecisionCount


@final
class EnumeratedDecisions(DecisionSet):
    """Decisions listed one by one.

    Parameters
    ----------
    matrix : array_like of 0 and 1, shape (n, d)
        One decision per row, all different; n >= 1, d >= 1. A row of zeros is the empty decision.
    items : sequence of hashable, optional
        Label of each item, all different; 0 .. d - 1 by default.

    Raises
    ------
    InvalidInputError
        If `matrix` has another shape or other entries, two rows are equal, or `items` are not d different labels.

    Examples
    --------
    Three menus of a canteen, one per row:

    >>> dishes = ["soup", "salad", "bread", "fish", "rice"]
    >>> menus = sb.EnumeratedDecisions([[1, 0, 0, 1, 0], [0, 1, 0, 1, 1], [0, 0, 1, 0, 1]], items=dishes)
    >>> menus
    EnumeratedDecisions(n=3, d=5, m=3)
    >>> best = menus.maximize([2.0, 1.0, 1.0, 1.0, 3.0])
    >>> [menus.items[i] for i in np.flatnonzero(best)]
    ['salad', 'fish', 'rice']
    """

    @hinted
    def __init__(self, matrix: ArrayLike, *, items: Iterable[Hashable] | None = None) -> None:
        from scipy.sparse import csr_array

        self._decisions = _as_rows(matrix)
        self._index = _index_rows(self._decisions)
        self._items = different_labels(items, self.d) or tuple(range(self.d))
        self._m = int(self._decisions.sum(axis=1).max())
        self._sums = csr_array(self._decisions, dtype=np.float64)

    def __repr__(self) -> str:
        return f"EnumeratedDecisions(n={len(self._decisions)}, d={self.d}, m={self._m})"

    @property
    def d(self) -> int:
        """Number of items."""
        return int(self._decisions.shape[1])

    @property
    def m(self) -> int:
        """Number of items in the largest decision."""
        return self._m

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in order."""
        return self._items

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """The row of largest total weight, summed in the order of the items; ties go to the first row.

        Raises
        ------
        InvalidInputError
            If `weights` is malformed or its sums overflow.
        """
        theta = item_vector(weights, self, "weights")
        totals: FloatArray = np.asarray(self._sums @ theta)
        check_sums(bool(np.isfinite(totals).all()), theta)
        return np.array(self._decisions[np.argmax(totals)])

    def count(self, limit: int = 1_000_000) -> int:
        """Number of rows; `limit` is ignored."""
        return len(self._decisions)

    def count_within(self, work: int) -> DecisionCount:
        """Number of rows; `work` is ignored."""
        return DecisionCount(len(self._decisions))

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions in the order given, shape ``(n, d)``, read-only.

        Raises
        ------
        TooManyDecisionsError
            If there are more than `limit` decisions.
        """
        if len(self._decisions) > limit:
            raise too_many(limit, len(self._decisions))
        return self._decisions

    def _maximize_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """By comparing all decisions, at any ratio."""
        values = np.where(self._totals(budgets) >= at_least, self._totals(rewards), -np.inf)
        best = int(np.argmax(values))
        return None if values[best] == -np.inf else np.array(self._decisions[best])

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """By comparing all decisions, at any ratio."""
        return np.array(self._decisions[np.argmax(self._totals(rewards) + np.sqrt(self._totals(bonuses)))])

    def _budget_front(self, rewards: FloatArray, budgets: FloatArray) -> BoolArray:
        """All decisions; the caller drops the dominated ones."""
        return self._decisions

    def _totals(self, weights: FloatArray) -> FloatArray:
        """Total weight of each decision."""
        return cast("FloatArray", self._sums @ weights)

    def _restricted_to(self, items: IntArray) -> EnumeratedDecisions:
        missing = np.delete(self._decisions, items, axis=1)
        return EnumeratedDecisions(self._decisions[~missing.any(axis=1)][:, items])

    def _compiled(self) -> CompiledOracle | None:
        arrays = (self._sums.indptr.astype(np.int64), self._sums.indices.astype(np.int64))
        return compiled_oracle(arrays, self.d, self._m, enumerated_linear, index=enumerated_index)

    def _contains(self, x: BoolArray) -> bool:
        return np.packbits(x).tobytes() in self._index


def _as_rows(matrix: ArrayLike) -> BoolArray:
    """Read-only boolean copy of a 0/1 matrix."""
    try:
        array = np.asarray(matrix)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"matrix must have rows of equal length, got {error}: pass one row per decision") from error
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidInputError(
            f"matrix must have shape (n, d) with n, d >= 1, got {array.shape}: pass a row per decision, a column per item"
        )
    if array.dtype.kind not in "biuf":
        raise InvalidInputError(f"matrix must contain 0 and 1, got entries of type {array.dtype}: pass numbers or booleans")
    check_bits(array, "pass 1 for items of the decision and 0 for others")
    decisions = array.astype(np.bool_)
    decisions.setflags(write=False)
    return decisions


def _index_rows(decisions: BoolArray) -> frozenset[bytes]:
    """Set of packed rows, which must be different."""
    first: dict[bytes, int] = {}
    for row, packed in enumerate(np.packbits(decisions, axis=1)):
        earlier = first.setdefault(packed.tobytes(), row)
        if earlier != row:
            raise InvalidInputError(
                f"matrix must have different rows, got the same decision in rows {earlier} and {row}: drop one of them"
            )
    return frozenset(first)
