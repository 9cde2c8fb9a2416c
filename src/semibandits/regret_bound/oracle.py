"""P_LM as the only thing that is known of a decision set: forced items, gaps, the items of I, and a pool of decisions met."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits._validation import checked_answer
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.tables import check_table

ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""What an oracle may lose to rounding, for each item of a decision and relative to the largest weight."""


class Oracle:
    """`maximize` of a decision set, with items forced in and out, and gaps counted from the best decision met at the start.

    Parameters
    ----------
    decision_set : DecisionSet
        Of which `d`, `m` and `maximize` are used, and nothing else.
    theta : ndarray of float, shape (d,)
        Mean rewards.
    """

    def __init__(self, decision_set: DecisionSet, theta: FloatArray) -> None:
        self._decision_set, self.theta = decision_set, theta
        self.m = decision_set.m
        self.calls = 0
        self.optimal = self.best(theta).copy()

    def best(self, weights: FloatArray) -> BoolArray:
        """Decision of largest weight.

        Raises
        ------
        InvalidInputError
            If `maximize` returns something else than a 0/1 vector of d items, at most m of them 1.
        """
        self.calls += 1
        return checked_answer(self._decision_set.maximize(weights.copy()), len(self.theta), self.m)

    def best_with(self, weights: FloatArray, inside: IntArray, outside: IntArray) -> BoolArray | None:
        """Decision of largest weight among those with all items `inside` and none `outside`; None if there are none.

        A bonus of more than any difference of weights makes the oracle obey if it can.
        """
        bonus = self.bonus(weights)
        forced = weights.copy()
        forced[inside] += bonus
        forced[outside] -= bonus
        x = self.best(forced)
        return x if x[inside].all() and not x[outside].any() else None

    def bonus(self, weights: FloatArray) -> float:
        """More than the difference of the weights of two decisions."""
        return 2.5 * self.m * float(np.abs(weights).max()) + float(np.finfo(np.float64).tiny)

    def rounding(self, weights: FloatArray) -> float:
        """How much more weight than the answer of `best_with` a decision may have."""
        return ROUNDING * self.m * (float(np.abs(weights).max()) + self.bonus(weights))

    def gap(self, x: BoolArray) -> float:
        """Reward of the optimal decision less that of `x`."""
        return float(gaps_below(self.optimal, x[None], self.theta)[0])


@dataclass(frozen=True, eq=False)
class BestWithItem:
    """The set I, and the best decision with each of its items.

    Attributes
    ----------
    items : ndarray of int, shape (k,)
        The items of I, in the order of the item's number.
    decisions : ndarray of bool, shape (k, d)
        A best decision among those that hold the item.
    gaps : ndarray of float, shape (k,)
        Its gap delta_i, above the tie tolerance.
    """

    items: IntArray
    decisions: BoolArray
    gaps: FloatArray

    @property
    def suboptimal(self) -> BoolArray:
        """The set I as a mask, shape (d,)."""
        mask = np.zeros(self.decisions.shape[1], dtype=np.bool_)
        mask[self.items] = True
        return mask


def best_with_each_item(oracle: Oracle, tolerance: float) -> BestWithItem:
    """The items that are in some decision and in no optimal one, by asking for the best decision with each item.

    An item is in I iff the best decision that holds it is worse than the optimum by more than the tie tolerance. If one of them
    is better than the optimum, by rounding, it becomes the optimum.

    Raises
    ------
    TooManyDecisionsError
        If these decisions are too many to be held in memory.
    """
    d = len(oracle.theta)
    nothing = np.empty(0, dtype=np.int64)
    rows: list[BoolArray] = []
    items = []
    for item in np.flatnonzero(~oracle.optimal):
        x = oracle.best_with(oracle.theta, np.array([item]), nothing)
        if x is not None:
            check_table(len(rows) + 1, d)
            rows.append(x)
            items.append(item)
    decisions = np.array(rows, dtype=np.bool_).reshape(-1, d)
    gaps = gaps_below(oracle.optimal, decisions, oracle.theta)
    if gaps.min(initial=0.0) < 0:
        oracle.optimal = decisions[int(np.argmin(gaps))]
        gaps -= gaps.min()
    free = oracle.optimal | decisions[gaps <= tolerance].any(axis=0)
    keep = ~free[np.array(items, dtype=np.int64)]
    return BestWithItem(np.array(items, dtype=np.int64)[keep], decisions[keep], gaps[keep])


class DecisionPool:
    """The decisions met so far that hold an item of I; of those with the same items of I the best one.

    Parameters
    ----------
    items : ndarray of int, shape (k,)
        The items of I.
    d : int
        Number of items.
    """

    def __init__(self, items: IntArray, d: int) -> None:
        self.items = items
        self._index: dict[bytes, int] = {}
        self._decisions = np.empty((64, d), dtype=np.bool_)
        self._contains = np.empty((64, len(items)))
        self._gaps = np.empty(64)

    @staticmethod
    def of(best: BestWithItem) -> DecisionPool:
        """The best decisions with each item."""
        pool = DecisionPool(best.items, best.decisions.shape[1])
        for x, gap in zip(best.decisions, best.gaps, strict=True):
            pool.add(x, float(gap))
        return pool

    def __len__(self) -> int:
        return len(self._index)

    @property
    def decisions(self) -> BoolArray:
        """The decisions, shape (n, d)."""
        return self._decisions[: len(self)]

    @property
    def contains(self) -> FloatArray:
        """Which items of I each decision holds, 0 or 1, shape (n, k)."""
        return self._contains[: len(self)]

    @property
    def gaps(self) -> FloatArray:
        """Gap of each decision, > 0, shape (n,)."""
        return self._gaps[: len(self)]

    def add(self, x: BoolArray, gap: float) -> tuple[int, bool]:
        """Number of the decision in the pool, and whether it is new or better than the one with the same items of I before.

        The number is -1 if it holds no item of I.
        """
        held = x[self.items]
        if not held.any():
            return -1, False
        if not gap > 0.0:
            raise InvalidInputError(
                f"tie_tolerance must be above the rounding of rewards, got a decision with a gap of {gap:g} and an item that "
                "is in no optimal decision: raise it"
            )
        key = np.packbits(held).tobytes()
        row = self._index.get(key, -1)
        if row < 0:
            row = len(self)
            if row == len(self._gaps):
                self._double()
            self._index[key] = row
        elif gap >= self._gaps[row]:
            return row, False
        self._decisions[row], self._contains[row], self._gaps[row] = x, held, gap
        return row, True

    def _double(self) -> None:
        check_table(2 * len(self._gaps), self._decisions.shape[1])
        check_table(2 * len(self._gaps), len(self.items), self._contains.itemsize)
        self._decisions = np.concatenate((self._decisions, np.empty_like(self._decisions)))
        self._contains = np.concatenate((self._contains, np.empty_like(self._contains)))
        self._gaps = np.concatenate((self._gaps, np.empty_like(self._gaps)))
