"""Result of `identification_time`: the bracket, the sampling plan, and the exchanges that are hardest to refute."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.lists import Decisions
from semibandits.families.texts import NamedItems, decision_text
from semibandits.formats.numbers import amount, bracket_text, counted, number_text
from semibandits.formats.text import brief, shortened
from semibandits.identification.evidence import Evidence, Observed, Sizes, Stop, needed_evidence
from semibandits.identification.exchanges import Exchange
from semibandits.inputs.pandas_objects import new_frame
from semibandits.laws import Law
from semibandits.regret_bound.result import Status
from semibandits.regret_bound.summary import LONGEST_CHANGE, LONGEST_DECISION, TOP

if TYPE_CHECKING:
    from pandas import DataFrame

SYMBOL: Final = "T*(θ)"
ABOUT: Final = 1.001
"""Relative accuracy of a number of rounds, which is an estimate in any case."""
MOST_ROUNDS: Final = 2.0**60
HARDEST: Final = 10
"""Number of exchanges that are kept."""


@dataclass(frozen=True, eq=False)
class SamplingPlan:
    """How often to play each decision in order to identify the best one soonest; the best one is usually among them.

    Attributes
    ----------
    items : Decisions
        The decisions, as a sequence of k arrays of item numbers, ascending; the most played first.
    shares : ndarray of float, shape (k,)
        Share of the rounds in which each of them is played, > 0, which add up to 1.

    Examples
    --------
    >>> plan = sb.identification_time(sb.MSets(2, 1), [1.0, 0.6], variance=[1.0, 4.0]).plan
    >>> [f"{items.tolist()} {share:.0%}" for items, share in zip(plan.items, plan.shares, strict=True)]
    ['[1] 67%', '[0] 33%']
    """

    items: Decisions
    shares: FloatArray
    _decision_set: DecisionSet = field(repr=False)

    def __len__(self) -> int:
        return len(self.shares)

    def __repr__(self) -> str:
        return brief(self)

    @property
    def item_shares(self) -> FloatArray:
        """Share of the rounds in which each item is played, shape (d,)."""
        return self.items.totals(self.shares)

    def to_frame(self, labels: Sequence[str] | None = None) -> DataFrame:
        """The plan as a pandas frame.

        Parameters
        ----------
        labels : sequence of str, length d, optional
            Names of the items; by default those of the decision set.

        Returns
        -------
        DataFrame
            One row a decision, the most played first: share of the rounds, and items, a tuple of labels.

        Raises
        ------
        SemibanditsError
            If pandas is not installed.
        InvalidInputError
            If the number of labels is not d.
        """
        self.items.check_listing()
        names = NamedItems.of(self._decision_set, labels).labels
        return new_frame({"share": self.shares.copy(), "items": [tuple(names[i] for i in row) for row in self.items]})


@dataclass(frozen=True, eq=False)
class IdentificationTime:
    """Certified time that it takes to identify the best decision: ``lower <= T*(theta) <= value``.

    Attributes
    ----------
    value : float
        Upper bound on the characteristic time T*(theta), in rounds: that of `plan`. It is 0 if there is one decision only, and
        inf if another decision ties with the best one and `within` is 0.
    lower : float
        Certified lower bound on T*(theta).
    status : Status
        Reason why the solver stopped.
    confidence : float
        The probability with which the best decision is to be identified.
    within : float
        By how much the decision sought may be worse than the best one, in the unit of the rewards.
    plan : SamplingPlan
        How often each decision is to be played, the best one included; empty if `value` is 0 or inf.
    optimal_decision : ndarray of bool, shape (d,)
        The best decision x*.
    decision_set : DecisionSet
        X.
    theta, variance : ndarray of float, shape (d,)
        Mean rewards, and variances of the rewards.
    law : Law
        The law of the rewards.
    stats : mapping
        Rounds, exchanges, seconds. For information only.

    Notes
    -----
    Returned by :func:`identification_time`, whose notes contain the sources.

    Examples
    --------
    >>> time = sb.identification_time(sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.3], variance=0.25)
    >>> time.lower <= time.value, f"{time.value:.1f}"
    (True, '14.5')
    >>> for line in time.summary(labels=["news", "sport", "weather", "chess"]).splitlines()[2:]:
    ...     print(line)
    Rounds    at least 38.42 on average to be 95 % sure
    Test      about 146 rounds of the plan, by the proved threshold
    Plan      4 sets, the best one in 21.4% of the rounds
              69.2% of the time: weather instead of sport
              20.5% of the time: weather instead of news
              10.4% of the time: chess instead of sport
    """

    value: float
    lower: float
    status: Status
    confidence: float
    within: float
    plan: SamplingPlan
    optimal_decision: BoolArray
    decision_set: DecisionSet
    theta: FloatArray
    variance: FloatArray
    law: Law
    stats: Mapping[str, float]
    _hardest: tuple[tuple[Exchange, float], ...] = field(repr=False)

    def __repr__(self) -> str:
        bracket = f"{bracket_text(self.lower, self.value, symbol=SYMBOL)} rounds, gap {self.gap:.1e}, {self.status}"
        return f"IdentificationTime({bracket}, {self.decision_set!r}, plan of {counted(len(self.plan), 'decision', 'decisions')})"

    @property
    def gap(self) -> float:
        """Relative width of the bracket, ``(value - lower) / value``; 0 if both are 0 or inf, 1 if only the value is inf."""
        if self.value == self.lower:
            return 0.0
        return (self.value - self.lower) / self.value if math.isfinite(self.value) else 1.0

    @property
    def least_rounds(self) -> float:
        """Rounds that every rule needs on average, at least, to be wrong with probability at most 1 - confidence.

        It is ``lower * kl(delta, 1 - delta)`` with ``delta = 1 - confidence``, where kl is the divergence of Bernoulli laws.
        """
        delta = 1.0 - self.confidence
        return self.lower * binary_divergence(delta) if self.lower else 0.0

    def about_rounds(self, threshold: str = "proved") -> float:
        """About how many rounds a test takes that plays the plan and stops by :meth:`Learner.confidence`.

        Parameters
        ----------
        threshold : {"proved", "customary"}
            See :meth:`Learner.confidence`.

        Returns
        -------
        float
            The rounds after which the plan gives the wanted confidence if the observed means are the true ones: 0 if there is one
            decision only, inf without a plan. Numbers of tests vary around it, since observed means differ from the true ones.

        Raises
        ------
        InvalidInputError
            If `threshold` is neither of these.
        """
        stop = Stop(self.confidence, self.within, threshold)
        if not len(self.plan):
            return self.value
        shares, needed, sizes = self.plan.item_shares, needed_evidence(stop), Sizes(self.decision_set)

        def is_enough(rounds: float) -> bool:
            observed = Observed(self.theta, rounds * shares, round(rounds), self.law)
            return Evidence(self.decision_set, self.optimal_decision, observed, stop, needed, sizes).least() >= needed

        low, high = 1.0, max(2.0, self.lower)
        while not is_enough(high) and high < MOST_ROUNDS:
            low, high = high, 2.0 * high
        while high > ABOUT * low:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high

    @property
    def hardest(self) -> list[tuple[str, float]]:
        """The exchanges that are hardest to refute, in words, and the share of each in the time, the largest first.

        At most ten; their shares, of all exchanges, are the weights of the lower bound.
        """
        return self._hardest_texts(None)

    def _hardest_texts(self, labels: Sequence[str] | None) -> list[tuple[str, float]]:
        names = NamedItems.of(self.decision_set, labels).labels
        found = []
        for one, share in self._hardest:
            enters = ", ".join(str(names[i]) for i in one.items if not self.optimal_decision[i])
            leaves = ", ".join(str(names[i]) for i in one.items if self.optimal_decision[i])
            found.append((f"{enters or 'nothing'} instead of {leaves or 'nothing'}", share))
        return found

    def summary(self, labels: Sequence[str] | None = None, *, top: int = TOP) -> str:
        """The best decision, the time, the rounds for the confidence, and what is hardest, as a text of a few lines.

        Parameters
        ----------
        labels : sequence of str, length d, optional
            Names of the items; by default those of the decision set.
        top : int
            Number of exchanges to show.

        Returns
        -------
        str

        Raises
        ------
        InvalidInputError
            If the number of labels is not d.
        """
        named = NamedItems.of(self.decision_set, labels)
        one = named.nouns.decision
        if math.isinf(self.lower):
            time = f"infinite, since {self._hardest_texts(labels)[0][0]} makes no difference beyond tie_tolerance: pass within"
        elif math.isinf(self.value):
            time = f"at least {number_text(self.lower, 6)} rounds; no plan was proved in time"
        else:
            time = f"{number_text(self.value, 6)} rounds, certified {bracket_text(self.lower, self.value, symbol=SYMBOL)}"
        lines = [(f"Best {one}", shortened(decision_text(named, self.optimal_decision), LONGEST_DECISION)), (SYMBOL, time)]
        if math.isfinite(self.value) and self.value > 0.0:
            best = float(self.plan.shares @ np.array([np.array_equal(x, self.optimal_decision) for x in self.plan.items.masks()]))
            wanted = f"be {100.0 * self.confidence:.12g} % sure" + (f", within {self.within:g}" if self.within else "")
            lines.append(("Rounds", f"at least {amount(self.least_rounds)} on average to {wanted}"))
            if self.status is Status.OPTIMAL:  # otherwise the plan may be far from the best one
                about = float(f"{self.about_rounds():.3g}")
                lines.append(("Test", f"about {about:,.0f} rounds of the plan, by the proved threshold"))
            lines += [
                ("Plan", f"{counted(len(self.plan), one, named.nouns.decisions)}, the best one in {best:.1%} of the rounds")
            ]
            for text, share in self._hardest_texts(labels)[:top]:
                lines.append(("", f"{share:5.1%} of the time: {shortened(text, LONGEST_CHANGE)}"))
        width = max(len(name) for name, _ in lines)
        return "\n".join(f"{name:{width}}  {text}" for name, text in lines)


def binary_divergence(delta: float) -> float:
    """Divergence kl(delta, 1 - delta) of two Bernoulli laws."""
    return (1.0 - 2.0 * delta) * math.log((1.0 - delta) / delta)
