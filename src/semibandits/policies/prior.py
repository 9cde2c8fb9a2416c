"""What is known of the items before the first round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.inputs.costs import negated
from semibandits.inputs.labelled import in_item_order
from semibandits.inputs.outcomes import one_of
from semibandits.inputs.validation import as_floats, check_numbers, item_vector
from semibandits.laws import Law
from semibandits.laws.checks import check_possible

MOST_PLAYS = 2**53


class Prior(NamedTuple):
    """Means of items, and how many observed rewards each of them is worth."""

    means: FloatArray  # (d,): 0 for items with 0 plays, where the mean does not matter
    plays: FloatArray  # (d,): whole numbers >= 0

    @classmethod
    def of(
        cls,
        means: ArrayLike | None,
        plays: ArrayLike | None,
        decision_set: DecisionSet,
        *,
        costs: ArrayLike | None = None,
        laws: Iterable[Law | None] = (),
    ) -> Self | None:
        """A validated prior, from mean rewards or mean costs; None if neither they nor plays are given. Means that one of the
        `laws` excludes are refused.
        """
        name, in_costs = "prior_means" if costs is None else "prior_costs", costs is not None
        if means is None and costs is None and plays is None:
            return None
        if (means is None and costs is None) or plays is None:
            missing = name if plays is not None else "prior_plays"
            raise InvalidInputError(
                f"{name} and prior_plays must be given together, got no {missing}: plays are the number of observed rewards that "
                "a mean is worth"
            )
        d = decision_set.d
        given, _ = one_of(means, costs, "prior_means", "prior_costs")
        values = item_vector(np.full(d, given) if np.isscalar(given) else given, decision_set, name)
        values = negated(values) if in_costs else values
        counts = as_floats(in_item_order(plays, decision_set, "prior_plays"), "prior_plays")
        if counts.shape not in ((), (d,)):
            raise InvalidInputError(
                f"prior_plays must be a number or have shape (d,) = ({d},), got {counts.shape}: pass one number per item"
            )
        counts = np.broadcast_to(counts, (d,)).copy()
        is_wrong = (counts < 0) | (counts != np.floor(counts)) | (counts > MOST_PLAYS)
        wanted = "be whole numbers from 0 to 2**53"
        check_numbers(counts, is_wrong, "prior_plays", wanted, "they count observed rewards")
        values = np.where(counts > 0, values, 0.0)
        seen = np.flatnonzero(counts)
        for law in laws:
            check_possible(law, values[seen], seen, lambda k: repr(decision_set.items[seen[k]]), name, in_costs=in_costs)
        if decision_set.upper is not None:
            decision_set.check_means(np.where(counts > 0, values, -np.inf), in_costs=in_costs)
        return cls(values, counts)

    def added_to(self, plays: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Plays and sums of observed rewards, shape (d,) each, with those of the prior."""
        return plays + self.plays, sums + self.plays * self.means
