"""Validation of outcomes that the caller tells."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np

from semibandits._costs import about_costs, negated
from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, PositiveRewardsWarning
from semibandits.learning.round import Outcome, Round
from semibandits.policies.base import Policy
from semibandits.policies.rules import LawPolicy

SUSPICIOUS: Final = 3
"""Number of rounds from the first on in which only positive rewards on routes cause a warning."""


class OutcomeCheck:
    """Checks outcomes against their round and the law of the policy.

    Attributes
    ----------
    positive_rounds : int
        Number of rounds on routes with positive rewards only, from the first on; `SUSPICIOUS` once they no longer matter.
    """

    def __init__(self, policy: Policy, decision_set: DecisionSet) -> None:
        law = policy.known_law if isinstance(policy, LawPolicy) else None
        self._law, self._is_bounded = law, decision_set.upper is not None
        self.positive_rounds = 0

    def rewards(self, asked: Round, outcome: Outcome, *, in_costs: bool, partial: bool) -> FloatArray:
        """Rewards of the items of an open round, from rewards or costs, NaN where the outcome is lost; shape (k,).

        Raises
        ------
        InvalidInputError
            If the outcome is malformed, or the law excludes it.
        """
        with about_costs(in_costs):
            values = asked.rewards(outcome, partial=partial)
        values = negated(values) if in_costs else values
        self._refuse_impossible(asked, values, in_costs=in_costs)
        if self._is_bounded and self.positive_rounds < SUSPICIOUS:
            self._warn_of_sign(values, in_costs=in_costs)
        return values

    def _refuse_impossible(self, asked: Round, values: FloatArray, *, in_costs: bool) -> None:
        """Refuse rewards that the law of the policy excludes."""
        law = self._law
        low, high = (-np.inf, np.inf) if law is None else law.outcomes
        wrong = np.flatnonzero((values < low) | (values > high))
        if len(wrong):
            assert law is not None
            sign, name, ends = (-1.0, "costs", (0.0 - high, 0.0 - low)) if in_costs else (1.0, "rewards", (low, high))
            raise InvalidInputError(
                f"{name} must be from {ends[0]:g} to {ends[1]:g} under the law {law.name}, got {sign * values[wrong[0]]:g} for "
                f"{asked.labels[wrong[0]]!r}: correct it, or use another law"
            )

    def _warn_of_sign(self, values: FloatArray, *, in_costs: bool) -> None:
        """Warn of costs on routes that were passed as rewards."""
        known = values[~np.isnan(values)]
        if not len(known):
            return
        self.positive_rounds = self.positive_rounds + 1 if (known > 0.0).all() else SUSPICIOUS
        if self.positive_rounds == SUSPICIOUS and (known > 0.0).all():
            warnings.warn(
                f"all {'costs' if in_costs else 'rewards'} so far are {'negative' if in_costs else 'positive'}, but routes have "
                f"{'positive costs' if in_costs else 'negative rewards'}: pass positive costs as costs=",
                PositiveRewardsWarning,
                stacklevel=6,
            )
