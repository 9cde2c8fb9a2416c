"""Tools that use P_LM alone: forced items, gaps, the items of I, and a pool of the decisions found."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.tables import check_table
from semibandits.decisions.ties import Ties
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import checked_answer
from semibandits.kernels.machine import tiers
from semibandits.kernels.search.outliers import without_outliers
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.timing import TimeIsUp

ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Loss of an oracle to rounding, per item of a decision and relative to the largest weight."""

NOTHING: IntArray = np.empty(0, dtype=np.int64)


class Oracle:
    """`maximize` of a decision set with items forced in and out, and gaps relative to the best decision at theta, shape (d,).
    Only `d`, `m` and `maximize` of the set are used.
    """

    def __init__(self, decision_set: DecisionSet, theta: FloatArray) -> None:
        self._decision_set, self.theta = decision_set, theta
        self.m = decision_set.m
        self.calls = 0
        self.optimal = self._maximizer(theta).copy()

    def best(self, weights: FloatArray) -> BoolArray:
        """Decision of largest weight; an answer that is not a 0/1 vector of d items with at most m ones is refused."""
        return self._maximizer(self._clipped(weights, NOTHING))

    def best_with(self, weights: FloatArray, inside: IntArray, outside: IntArray) -> BoolArray | None:
        """Decision of largest weight among those with all items `inside` and none `outside`, or None if there are none.

        Items are forced by a bonus above any difference of the weights of decisions.
        """
        clipped = self._clipped(weights, inside)
        x = self._forced(clipped, inside, outside)
        return x if x is None or self._is_unclipped(x, weights, clipped) else self._forced(weights, inside, outside)

    def best_unlike(self, x: BoolArray, weights: FloatArray, item: int) -> BoolArray | None:
        """Decision of largest weight among those that differ from the decision `x` in an item, or None if there are none."""
        inside, outside = (NOTHING, np.array([item])) if x[item] else (np.array([item]), NOTHING)
        return self.best_with(weights, inside, outside)

    def rounding(self, weights: FloatArray, sizes: FloatArray, x: BoolArray, inside: IntArray = NOTHING) -> float:
        """Bound on the weight of a decision minus that of x, which `best_with` or `best` returned, due to rounding.

        Weights are sums of terms, whose absolute values sum to `sizes`.
        """
        clipped = self._clipped(weights, inside)
        searched = clipped if self._is_unclipped(x, weights, clipped) else weights
        largest = max(float(np.abs(searched).max()), float(sizes[searched == weights].max()))
        return ROUNDING * self.m * (largest + self._bonus(searched))

    def _clipped(self, weights: FloatArray, inside: IntArray) -> FloatArray:
        """Search again with all weights if the best decision with the items `inside` has one that is clipped here."""
        usual = self.optimal.copy()
        usual[inside] = True
        return without_outliers(weights, usual, self.m)

    @staticmethod
    def _is_unclipped(x: BoolArray, weights: FloatArray, clipped: FloatArray) -> bool:
        return bool((clipped[x] == weights[x]).all())

    def _forced(self, weights: FloatArray, inside: IntArray, outside: IntArray) -> BoolArray | None:
        bonus = self._bonus(weights)
        forced = weights.copy()
        forced[inside] += bonus
        forced[outside] -= bonus
        x = self._maximizer(forced)
        return x if x[inside].all() and not x[outside].any() else None

    def _bonus(self, weights: FloatArray) -> float:
        """A number above the difference of the weights of any two decisions."""
        return 2.5 * self.m * float(np.abs(weights).max()) + float(np.finfo(np.float64).tiny)

    def _maximizer(self, weights: FloatArray) -> BoolArray:
        self.calls += 1
        return checked_answer(self._decision_set.maximize(weights.copy()), len(self.theta), self.m)

    def gap(self, x: BoolArray) -> float:
        """Reward of the optimal decision minus that of `x`."""
        return float(gaps_below(self.optimal, x[None], self.theta)[0])


@dataclass(frozen=True, eq=False)
class BestWithItem:
    """The set I, and the best decision with each of its items."""

    items: IntArray  # (k,): the items of I, in increasing order
    decisions: BoolArray  # (k, d): a best decision among those that contain the item
    gaps: FloatArray  # (k,): its gap delta_i, above the tie tolerance

    @property
    def suboptimal(self) -> BoolArray:
        """The set I as a mask, shape (d,)."""
        mask = np.zeros(self.decisions.shape[1], dtype=np.bool_)
        mask[self.items] = True
        return mask


def best_with_each_item(oracle: Oracle, tie_tolerance: float | None, deadline: float = math.inf) -> BestWithItem:
    """The items that are in some decision and in no optimal one, from the best decision with each item.

    An item is in I iff the best decision that contains it does not tie with the optimum; without a tolerance, all outside the
    optimum are. If one of these decisions is better than the optimum, due to rounding, it becomes the optimum. Raises
    `TooManyDecisionsError` if these decisions do not fit into memory, and `TimeIsUp` if they are not found by the value
    `deadline` of `tiers.seconds`.
    """
    d = len(oracle.theta)
    changes: list[IntArray] = []
    items = []
    optimal = oracle.optimal
    for item in np.flatnonzero(~oracle.optimal):
        if tiers.seconds() > deadline:
            raise TimeIsUp
        x = oracle.best_with(oracle.theta, np.array([item]), NOTHING)
        if x is not None:
            check_table(len(changes) + 1, d)
            changes.append(np.flatnonzero(x != optimal))
            items.append(item)
    decisions = np.tile(optimal, (len(items), 1))
    for x, changed in zip(decisions, changes, strict=True):
        x[changed] ^= True
    gaps = gaps_below(oracle.optimal, decisions, oracle.theta)
    if gaps.min(initial=0.0) < 0:
        oracle.optimal = decisions[int(np.argmin(gaps))]
        gaps -= gaps.min()
    free = oracle.optimal
    if tie_tolerance is not None:
        ties = Ties.of(oracle.theta, oracle.optimal, oracle.m, tie_tolerance)
        free = free | decisions[ties.with_best(oracle.optimal, decisions, gaps)].any(axis=0)
    keep = ~free[np.array(items, dtype=np.int64)]
    return BestWithItem(np.array(items, dtype=np.int64)[keep], decisions[keep], gaps[keep])


class DecisionPool:
    """The decisions found so far that contain an item of I (`items`); of those with the same items of I, the best one."""

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
        """Whether each decision contains each item of I, 0 or 1, shape (n, k)."""
        return self._contains[: len(self)]

    @property
    def gaps(self) -> FloatArray:
        """Gap of each decision, > 0, shape (n,)."""
        return self._gaps[: len(self)]

    def add(self, x: BoolArray, gap: float) -> tuple[int, bool]:
        """Add a decision; return its row number, and whether it is new or better than the previous one with the same items of I.

        The row number is -1 if the decision contains no item of I.
        """
        held = x[self.items]
        if not held.any():
            return -1, False
        if not gap > 0.0:
            raise InvalidInputError(
                f"tie_tolerance must be above the rounding of rewards, got a decision with gap {gap:g} that contains an item of "
                "no optimal decision: increase it"
            )
        key = np.packbits(held).tobytes()
        row = self._index.get(key, -1)
        if row < 0:
            row = len(self)
            if row == len(self._gaps):
                check_table(2 * row, self._decisions.shape[1])
                check_table(2 * row, len(self.items), self._contains.itemsize)
                self._decisions = np.concatenate((self._decisions, np.empty_like(self._decisions)))
                self._contains = np.concatenate((self._contains, np.empty_like(self._contains)))
                self._gaps = np.concatenate((self._gaps, np.empty_like(self._gaps)))
            self._index[key] = row
        elif gap >= self._gaps[row]:
            return row, False
        self._decisions[row], self._contains[row], self._gaps[row] = x, held, gap
        return row, True
