"""Validation of outcomes that the caller tells."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Hashable
from pathlib import Path
from typing import Final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.signs import chooses_nothing, empty_decision
from semibandits.errors import OutlierWarning, PositiveRewardsWarning, SignChangeWarning
from semibandits.inputs.costs import negated
from semibandits.inputs.outcomes import Outcome, about_costs
from semibandits.inputs.validation import variance_vector
from semibandits.laws import Gaussian
from semibandits.laws.checks import check_possible
from semibandits.learning.progress import Progress
from semibandits.learning.round import Round
from semibandits.policies.base import Policy
from semibandits.policies.rules import LawPolicy, RulePolicy

SUSPICIOUS: Final = 3
"""Number of rounds from the first on in which only positive rewards on routes cause a warning; before it, none is an outlier."""
DEVIATIONS: Final = 4096.0
"""An outlier is more than so many standard deviations of a reward in size,"""
MULTIPLE: Final = 1000.0
"""and more than so many times as large as all rewards before."""

SIGN_EVIDENCE: Final = 30.0
"""Least value of 2 ln(likelihood ratio) for the opposite sign; by chance it is exceeded in at most one of 3e6 rounds."""
SIGN_SHARE: Final = 0.9
"""Least share of plays whose items have means of the same sign as the items of the round."""

_LIBRARY: Final = str(Path(__file__).parents[1])


class OutcomeCheck:
    """Checks outcomes against their round and the law of the policy."""

    def __init__(self, policy: Policy, decision_set: DecisionSet, variance: ArrayLike) -> None:
        self.law = policy.known_law if isinstance(policy, LawPolicy) else None  # None if any reward is possible
        self._is_bounded, self._source = decision_set.upper is not None, "routes have"
        self._in_rewards: DecisionSet | None = decision_set  # None once costs were told
        # Number of rounds on routes with positive rewards only, from the first on; `SUSPICIOUS` once they no longer matter.
        self.positive_rounds = 0
        own = policy.variance if isinstance(policy, RulePolicy) else None
        is_known = self.law is None or isinstance(self.law, Gaussian)
        self._variance = variance_vector(variance if own is None else own, decision_set.d) if is_known else None
        self._rounds, self._largest = 0, 0.0
        self._warns_of_outliers = self._warns_of_signs = True
        self._squares, self._compared = 0.0, 0  # sum of `least` over rounds of another sign, and number of their outcomes

    def expect_costs(self) -> None:
        """Warn if the first rewards are all positive, since what is known before them are costs."""
        self._is_bounded, self._source = True, "the prior has costs, which are"
        self.positive_rounds = SUSPICIOUS - 1

    def rewards(self, asked: Round, outcome: Outcome, progress: Progress, *, in_costs: bool, partial: bool) -> FloatArray:
        """Rewards of the items of an open round, from rewards or costs, NaN where the outcome is lost; shape (k,). Rewards that
        the law excludes are refused.
        """
        with about_costs(in_costs):
            values = asked.rewards(outcome, partial=partial)
        values = self._possible(values, asked.items, asked.labels, in_costs=in_costs)
        if in_costs and self._in_rewards is not None and (values < 0.0).any() and not (values > 0.0).any():
            told, self._in_rewards = self._in_rewards, None
            if chooses_nothing(told, np.full(told.d, -1.0)):
                _warn(empty_decision(told))
        if self._is_bounded and self.positive_rounds < SUSPICIOUS:
            self._warn_of_sign(values, in_costs=in_costs)
        if self._variance is not None:
            deviations = np.sqrt(self._variance[asked.items])
            rows = None if progress.sharing is None else progress.sharing.rows
            has_fixed_means = rows is None or not (rows.within is not None or asked.id in rows.open)
            if self._warns_of_signs and has_fixed_means:
                self._warn_of_sign_change(asked, values, deviations, progress, in_costs=in_costs)
            if self._warns_of_outliers:
                self._warn_of_outlier(asked, values, deviations, in_costs=in_costs)
        return values

    def rewards_of_gone(self, asked: Round, outcome: Outcome, *, in_costs: bool) -> FloatArray:
        """Rewards of the items of an open round that have left, NaN where the outcome is lost; shape (len(asked.gone),).

        They are checked against the range of the law at the first item, since the law has no parameters for items that have left.
        """
        if not asked.gone:
            return np.zeros(0)
        with about_costs(in_costs):
            values = asked.rewards_of_gone(outcome)
        return self._possible(values, np.zeros(len(values), dtype=np.int64), asked.gone, in_costs=in_costs)

    def _possible(self, values: FloatArray, items: IntArray, labels: tuple[Hashable, ...], *, in_costs: bool) -> FloatArray:
        """Rewards from rewards or costs, which the law must allow."""
        values, name = (negated(values), "costs") if in_costs else (values, "rewards")
        check_possible(self.law, values, items, lambda k: repr(labels[k]), name, in_costs=in_costs)
        return values

    def statistics(self, progress: Progress) -> None:
        """Refuse means of observed rewards that the law excludes, in a state or after a change of the law."""
        self._refuse_means(progress.plays, progress.means, progress.labels)
        if progress.rule is not None:
            self._refuse_means(progress.rule.plays, progress.rule.means, progress.labels)

    def _refuse_means(self, plays: FloatArray, means: FloatArray, labels: tuple[Hashable, ...]) -> None:
        items, name = np.flatnonzero(plays), "means of observed rewards"
        check_possible(self.law, means[items], items, lambda k: repr(labels[items[k]]), name, in_costs=False)

    def _warn_of_sign(self, values: FloatArray, *, in_costs: bool) -> None:
        """Warn of costs on routes that were passed as rewards."""
        known = values[~np.isnan(values)]
        if not len(known):
            return
        self.positive_rounds = self.positive_rounds + 1 if (known > 0.0).all() else SUSPICIOUS
        if self.positive_rounds == SUSPICIOUS and (known > 0.0).all():
            _warn(
                f"all {'costs' if in_costs else 'rewards'} so far are {'negative' if in_costs else 'positive'}, but "
                f"{self._source} {'positive costs' if in_costs else 'negative rewards'}: pass positive costs as costs=",
                PositiveRewardsWarning,
            )

    def _warn_of_sign_change(
        self, asked: Round, values: FloatArray, deviations: FloatArray, progress: Progress, *, in_costs: bool
    ) -> None:
        """Warn once if the negated outcomes fit the earlier means of their items, and the outcomes do not."""
        if progress.sums[asked.items] @ values >= 0.0:  # the same sign as before
            return
        known = ~np.isnan(values) & (progress.plays[asked.items] > 0.0)
        items, values = asked.items[known], values[known]
        plays = progress.plays[items]
        means = progress.sums[items] / plays
        with np.errstate(all="ignore"):  # NaN, from infinite numbers, gives no warning
            precisions = plays / (1.0 + plays) / np.square(deviations[known])  # of outcome minus mean
            both, product = (float(precisions @ v) for v in (values * values + means * means, values * means))
        # Chi-square statistics with k degrees of freedom: of the negated outcomes, and the smaller one of both signs.
        k, mirrored, least = len(items), both + 2.0 * product, both - 2.0 * abs(product)
        scale = max(1.0, self._squares / max(self._compared, 1))  # in case the variance was given too small
        self._squares, self._compared = self._squares + least, self._compared + k
        if not (-4.0 * product > scale * SIGN_EVIDENCE and mirrored < scale * (k + 4.0 * math.sqrt(2.0 * k))):
            return
        share = progress.plays[progress.sums * means.sum() > 0.0].sum() / progress.plays.sum()
        if share >= SIGN_SHARE:
            factor = -1.0 if in_costs else 1.0
            _warn(
                f"{'costs' if in_costs else 'rewards'} of the same items must keep their sign, got {factor * values.mean():g} on "
                f"average in round {asked.id}, and {factor * means.mean():g} before: pass what is better small as costs=, "
                "everything else as rewards, in every round",
                SignChangeWarning,
            )
            self._warns_of_signs = False

    def _warn_of_outlier(self, asked: Round, values: FloatArray, deviations: FloatArray, *, in_costs: bool) -> None:
        """Warn once of an outcome that is thousands of standard deviations away from all outcomes before."""
        sizes = np.nan_to_num(np.abs(values))
        far = np.flatnonzero(sizes > np.maximum(DEVIATIONS * deviations, MULTIPLE * self._largest))
        if self._rounds >= SUSPICIOUS and far.size:
            self._warns_of_outliers, first = False, int(far[0])
            _warn(
                f"{'costs' if in_costs else 'rewards'} so far are at most {self._largest:g} in size, got "
                f"{(0.0 - values if in_costs else values)[first]:g} for {asked.labels[first]!r}, which is "
                f"{sizes[first] / deviations[first]:.1g} standard deviations away: pass partial=True and leave out what was not "
                "measured, or make items unavailable in ask",
                OutlierWarning,
            )
        self._rounds, self._largest = self._rounds + 1, max(self._largest, float(sizes.max(initial=0.0)))


def _warn(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn of a call, at the first frame outside the library."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
