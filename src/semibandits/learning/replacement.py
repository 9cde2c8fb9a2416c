"""Replacement of a decision set: the items that two sets share, and what is kept of a learner."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.learning.progress import Progress
from semibandits.learning.round import Round
from semibandits.policies.history import History
from semibandits.policies.prior import Prior

MISSING = -1


@dataclass(frozen=True, eq=False)
class SharedItems:
    """Where the items of an old set are in a new one."""

    old_places: IntArray  # (d_new,): index of each item of the new set in the old one, -1 if it is new
    new_places: IntArray  # (d_old,): index of each item of the old set in the new one, -1 if it has left

    @classmethod
    def of(cls, old: DecisionSet, new: DecisionSet) -> Self:
        """The items with equal labels; two items of one set must not have the same one."""
        before, after = _places(old), _places(new)
        return cls(
            np.array([before.get(label, MISSING) for label in after], dtype=np.int64),
            np.array([after.get(label, MISSING) for label in before], dtype=np.int64),
        )

    def values(self, values: FloatArray, new: FloatArray | None = None) -> FloatArray:
        """Values of the items of the new set, shape (d_new,): those of the old set, and `new` (by default 0) of new items."""
        kept = self.old_places != MISSING
        result = np.zeros(len(self.old_places)) if new is None else new.copy()
        result[kept] = values[self.old_places[kept]]
        return result

    def variance(self, variance: float | list[float]) -> float | FloatArray:
        """The variance of the old learner for the items of the new set; refused if it differs by item and there are new items."""
        if not isinstance(variance, list):
            return variance
        if (self.old_places == MISSING).any():
            raise InvalidInputError(
                f"variance must be given, since it differs from item to item and {np.sum(self.old_places == MISSING)} items are "
                "new, got None: pass one number per item"
            )
        return self.values(np.array(variance))

    def prior(self, old: Prior | None, new: Prior | None) -> Prior | None:
        """The old prior of the items that the old set has, and the new one of the others."""
        if old is None and new is None:
            return None
        nothing = np.zeros(len(self.new_places))
        means, plays = (nothing, nothing) if old is None else (old.means, old.plays)
        return Prior(
            self.values(means, None if new is None else new.means), self.values(plays, None if new is None else new.plays)
        )

    def order(self, asked: Round) -> IntArray:
        """Places in an open round of the items that the new set has, in its order."""
        places = self.new_places[asked.items]
        kept = np.flatnonzero(places != MISSING)
        return kept[np.argsort(places[kept])]

    def moved(self, asked: Round, order: IntArray, labels: tuple[Hashable, ...]) -> Round:
        """The open round over the items of the new set, which have these labels."""
        gone = asked.gone
        if not np.array_equal(order, np.arange(len(asked.items))):
            left = np.flatnonzero(self.new_places[asked.items] == MISSING)
            gone = (*(gone or ()), *(asked.labels[k] for k in left))
        probabilities = None if asked.probabilities is None else asked.probabilities[order]
        return Round.of_items(asked.id, self.new_places[asked.items[order]], labels, probabilities, gone)


def move(old: Progress, new: Progress, shared: SharedItems) -> None:
    """Let a new learner on another set keep what was learnt about its items on the old one; the new one already has the prior of
    all of its items.
    """
    if old.drift is not None and new.drift is not None:
        new.drift.follow(old.drift, shared.old_places, new.labels)
    if old.ageing is not None and new.ageing is not None:
        new.ageing.follow(old.ageing, shared.old_places)
    new.recall(History(shared.values(old.plays), shared.values(old.sums), old.next_id))
    if old.sharing is not None and new.sharing is not None:
        new.sharing.before = old.sharing.before
        new.sharing.rows.follow(old.sharing.rows, shared.old_places)
    for asked in old.open.values():
        order = shared.order(asked)
        if len(order) or not len(asked.items):
            new.open[asked.id] = shared.moved(asked, order, new.labels)
            new.agent.reopen(new.open[asked.id].items.copy())
            if new.sharing is not None and old.sharing is not None:
                new.sharing.rows.reopen(asked.id, old.sharing.rows, order)


def _places(decision_set: DecisionSet) -> dict[Hashable, int]:
    """Index of each label."""
    labels = decision_set.items
    places = {label: i for i, label in enumerate(labels)}
    if len(places) < len(labels):
        double = next(label for i, label in enumerate(labels) if places[label] != i)
        raise InvalidInputError(
            f"labels must be distinct for their items to be found again, got {double!r} twice in {decision_set!r}: rename one"
        )
    return places
