"""The decisions that use available items only, as a decision set over these items."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final, final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.ordered import maximize_in_order
from semibandits.errors import Infeasible, Option, SolverError
from semibandits.inputs.validation import checked_answer, item_vector
from semibandits.matroids._listing import too_many
from semibandits.optimization.problems import IndexAnswer

MOST_LISTED: Final = 100_000
"""Number of decisions of the whole set that are listed for any limit on those that are left."""
MOST_SHOWN: Final = 3
"""Number of unavailable items that an error names."""


def available_decisions(decision_set: DecisionSet, available: BoolArray) -> DecisionSet:
    """The decisions that use only the `available` items, shape (d,), at least one, as a set over these items in the same order:
    of the same family where the family can leave out items, otherwise an `AvailableDecisions`. Raises `Infeasible` if every
    decision uses another item, unless the set is one of `best_effort`.
    """
    places = np.flatnonzero(available)
    general = None if decision_set.best_effort else AvailableDecisions(decision_set, places)
    own = decision_set.restricted_to(places)
    return own or general or AvailableDecisions(decision_set, places)


def is_left(decision_set: DecisionSet, available: BoolArray | None, x: BoolArray) -> bool:
    """Whether x, shape (d,), is a decision of the available items, all if None; not whether it also uses others."""
    if not decision_set.best_effort or available is None or available.all() or not available.any():
        return x in decision_set
    return x[available] in available_decisions(decision_set, available)


def best_available(decision_set: DecisionSet, available: BoolArray, first: FloatArray, second: FloatArray) -> BoolArray:
    """The decision of `maximize_in_order` among those of available items only, shape (d,); `Infeasible` if there is none."""
    x = np.zeros(decision_set.d, dtype=np.bool_)
    if available.any():
        left = available_decisions(decision_set, available)
        x[available] = maximize_in_order(left, first[available], second[available])
    elif x not in decision_set:
        raise no_decision_left(decision_set, available)
    return x


@final
class AvailableDecisions(DecisionSet):
    """The decisions of any set that use only the items in `places`, ascending, at least one: item i of the new set is
    ``places[i]`` of the old one. Raises `Infeasible` if every decision uses another item.

    The oracles are those of the set, with weights for the other items that are so low that no decision makes up for them.
    """

    def __init__(self, decision_set: DecisionSet, places: IntArray) -> None:
        self._whole, self.places = decision_set, places.copy()
        self._is_missing: BoolArray = np.ones(decision_set.d, dtype=np.bool_)
        self._is_missing[places] = False
        upper = decision_set.upper
        self._upper = None if upper is None else upper[places]
        for array in (self.places, self._is_missing, self._upper):
            if array is not None:
                array.setflags(write=False)
        x = self._answer(np.zeros(len(places)))
        if x[self._is_missing].any():
            raise no_decision_left(decision_set, ~self._is_missing)

    def __repr__(self) -> str:
        return f"AvailableDecisions({self._whole!r}, d={self.d})"

    @property
    def d(self) -> int:
        """Number of available items."""
        return len(self.places)

    @property
    def m(self) -> int:
        """A bound on the number of items of a decision: that of the whole set, or the number of available items."""
        return min(self._whole.m, self.d)

    @cached_property
    def items(self) -> tuple[object, ...]:
        """Labels of the available items."""
        labels = self._whole.items
        return tuple(labels[i] for i in self.places.tolist())

    @property
    def upper(self) -> FloatArray | None:
        """Largest mean reward that each available item can have; see :attr:`DecisionSet.upper`."""
        return self._upper

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Decision of largest total weight; `SolverError` if the weights are too large to be compared with lower ones."""
        return self._part(self._answer(item_vector(weights, self, "weights")))

    def index_of(self, rewards: FloatArray, bonuses: FloatArray, x: BoolArray) -> float:
        """Index of a decision; see :meth:`DecisionSet.index_of`."""
        return self._whole.index_of(self._filled(rewards, 0.0), self._filled(bonuses, 0.0), self._decision(x))

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """The available ones among all decisions, in their order. `TooManyDecisionsError` if there are more than `limit`, or if
        the whole set has more than `limit` and more than 100,000.
        """
        rows = self._whole.enumerate(max(limit, MOST_LISTED))
        left = rows[~rows[:, self._is_missing].any(axis=1)][:, self.places]
        if len(left) > limit:
            raise too_many(limit, len(left))
        return left

    def count(self, limit: int = 1_000_000) -> int:
        """Number of available decisions, by listing those of the whole set; see :meth:`DecisionSet.count`."""
        return len(self.enumerate(limit))

    def _contains(self, x: BoolArray) -> bool:
        return self._decision(x) in self._whole

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        whole = self._whole.maximize_index(*self._index_arguments(rewards, bonuses, ratio), ratio)
        return self._part(checked_answer(whole, self._whole.d, self._whole.m))

    def _search_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float, most: int) -> IndexAnswer:
        found = self._whole.search_index(*self._index_arguments(rewards, bonuses, ratio), ratio, most=most)
        whole = checked_answer(found.decision, self._whole.d, self._whole.m)
        return replace(found, decision=self._part(whole))

    def _answer(self, weights: FloatArray) -> BoolArray:
        """Answer of the whole set to these weights."""
        lowest = -self._more_than(weights, 0.0)
        whole = self._whole.maximize(self._filled(weights, lowest))
        return checked_answer(whole, self._whole.d, self._whole.m)

    def _index_arguments(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> tuple[FloatArray, FloatArray]:
        """Rewards and bonuses for all items, 0 for bonuses of missing items."""
        lowest = -self._more_than(rewards, float(np.sqrt(bonuses.max())) / ratio)
        if -lowest > LARGEST_NUMBER:
            raise SolverError(f"rewards must be at most about 1e95, got {np.abs(rewards).max():g}: scale them down")
        return self._filled(rewards, lowest), self._filled(bonuses, 0.0)

    def _more_than(self, weights: FloatArray, bonus: float) -> float:
        """A number above the difference of any two decisions of at most m items, with bonuses of at most m times `bonus`."""
        largest = float(np.abs(weights).max())
        if self._upper is not None:
            largest = max(largest, float(np.abs(self._upper).max()))  # at which weights are clipped
        return (2.0 * self._whole.m + 1.0) * (largest + bonus) or 1.0

    def _filled(self, values: FloatArray, other: float) -> FloatArray:
        """Values of the available items, and another one for all missing items."""
        filled = np.full(self._whole.d, other)
        filled[self.places] = values
        return filled

    def _decision(self, x: BoolArray) -> BoolArray:
        whole = np.zeros(self._whole.d, dtype=np.bool_)
        whole[self.places] = x
        return whole

    def _part(self, whole: BoolArray) -> BoolArray:
        """The available items of a decision that has no others."""
        if whole[self._is_missing].any():
            raise SolverError(
                "maximize must avoid items of very low weight, got a decision with an unavailable item although others exist: "
                "scale rewards down, or fix maximize of the decision set"
            )
        return whole[self.places]


def no_decision_left(decision_set: DecisionSet, available: BoolArray) -> Infeasible:
    """The error if every decision uses an item that is not available."""
    labels, missing = decision_set.items, np.flatnonzero(~available)
    named = ", ".join(repr(labels[i]) for i in missing[:MOST_SHOWN].tolist())
    rest = f" and {len(missing) - MOST_SHOWN} others" if len(missing) > MOST_SHOWN else ""
    largest = isinstance(decision_set, Matchings) and not decision_set.best_effort
    return Infeasible(
        f"available must leave a decision, got {np.count_nonzero(available)} of {len(available)} items, and every decision of "
        f"{decision_set!r} uses one of {named}{rest}: wait until more are available",
        *((", or build the set with ", Option("saturate", "most"), " to match as many as possible") if largest else ()),
    )
