"""What is known of the items before the first round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray
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
        given, gaps = _without_gaps(given, decision_set, name)
        values = item_vector(np.full(d, given) if np.isscalar(given) else given, decision_set, name)
        values = negated(values) if in_costs else values
        counts = as_floats(_without_gaps(plays, decision_set, "prior_plays")[0], "prior_plays")
        if counts.shape not in ((), (d,)):
            raise InvalidInputError(
                f"prior_plays must be a number or have shape (d,) = ({d},), got {counts.shape}: pass one number per item"
            )
        contradicted = np.flatnonzero(gaps & (counts > 0)) if counts.ndim and gaps.any() else np.zeros(0)
        if contradicted.size:
            first = int(contradicted[0])
            raise InvalidInputError(
                f"prior_plays must be 0 where there is no mean, got {counts[first]:g} for {decision_set.items[first]!r} without "
                "one: fill in the mean"
            )
        counts = np.where(gaps, 0.0, np.broadcast_to(counts, (d,)))
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

    @property
    def is_in_costs(self) -> bool:
        """Whether its means are those of costs: none is positive, and some are negative."""
        known = self.means[self.plays > 0]
        return bool((known <= 0.0).all() and known.any())

    def added_to(self, plays: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Plays and sums of observed rewards, shape (d,) each, with those of the prior."""
        return plays + self.plays, sums + self.plays * self.means


def _without_gaps(values: ArrayLike, decision_set: DecisionSet, name: str) -> tuple[ArrayLike, BoolArray]:
    """Numbers for the items in their order, with 0 in gaps (NaN or None), and where the gaps are; one number has none."""
    ordered, none = in_item_order(values, decision_set, name), np.zeros(decision_set.d, dtype=np.bool_)
    try:
        array = np.array(ordered, dtype=np.float64)
    except (TypeError, ValueError):
        return ordered, none
    gaps = np.isnan(array)
    has_gaps = array.shape == none.shape and gaps.any() and not gaps.all()
    return (np.where(gaps, 0.0, array), gaps) if has_gaps else (ordered, none)
