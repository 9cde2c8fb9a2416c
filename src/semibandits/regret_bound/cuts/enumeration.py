"""The Graves-Lai problem over an explicit list of decisions, for any law: the reference for small sets.

For Gaussian rewards without a known bound it is one second-order cone program. For other laws it is a semi-infinite linear
program in the rates of the decisions, see `cuts.py`. Bounds are computed from the output of the solvers in plain numpy.
"""

from __future__ import annotations

import math
from typing import final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.kernels.machine import tiers
from semibandits.laws import Bernoulli
from semibandits.regret_bound.certificates.pricing_bound import pricing_bound
from semibandits.regret_bound.cuts.cones import cone_program
from semibandits.regret_bound.cuts.rounds import ROUNDING, CutRounds, Listed
from semibandits.regret_bound.plan import cover_rates, merged_plan
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.raises import check_convex, convex_information
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult

MAX_DECISIONS = 20_000
ACCURACIES = (1e-9, 1e-8, 1e-7, 1e-6)
"""Tolerances of the conic solver, tried in turn until the gap is reached."""


def solve_enumeration(problem: Problem) -> GravesLaiResult:
    """Both bounds over all decisions. `TooManyDecisionsError` if there are more than 20,000; `UnsupportedError` if the family
    cannot list them, or raises matter at which the divergence is not convex.
    """
    decisions, gaps, suboptimal, rows = listed_decisions(problem)
    value = lower = 0.0
    rates = np.zeros(len(rows))
    if len(rows):
        listed = _listed(problem, decisions, gaps, suboptimal, rows)
        bracket = _bracket_by_cones if problem.law.is_quadratic else _bracket_by_cuts
        value, rates, lower = bracket(listed, problem)
        check_convex(listed.law, listed.theta, rates @ listed.contains, np.flatnonzero(suboptimal))
    solved, best = Bracket(value, lower, merged_plan(decisions[rows], rates)), decisions[int(np.argmin(gaps))].copy()
    return problem.result("enumeration", solved, best, suboptimal, {"decisions": len(decisions)})


def information_over_list(problem: Problem, plan: ExplorationPlan) -> float:
    """Lower bound on the least information about a decision at the item rates of the plan. The plan is feasible if it is >= 1.
    `TooManyDecisionsError` if there are more than 20,000 decisions; `UnsupportedError` if the family cannot list them.
    """
    decisions, gaps, suboptimal, rows = listed_decisions(problem)
    if not len(rows):
        return math.inf
    listed, rates = _listed(problem, decisions, gaps, suboptimal, rows), plan.item_rates[suboptimal]
    needed = listed.simple_rates > 0.0
    simple = (rates[needed] / listed.simple_rates[needed]).min(initial=math.inf)
    beyond = convex_information(listed.law, listed.theta, rates) * (1.0 - listed.law.rounding)
    return max(min(float(listed.raises(rates)[0].min()), float(beyond.min())), float(simple))


def listed_decisions(problem: Problem) -> tuple[BoolArray, FloatArray, BoolArray, IntArray]:
    """All decisions, their gaps, the items of I, and the row numbers of the decisions that matter.

    Of the decisions with the same items of I, only the one of smallest gap matters. Rows are in order of gaps.
    """
    decision_set, theta = problem.decision_set, problem.theta
    try:
        decisions = decision_set.enumerate(MAX_DECISIONS)
    except (TooManyDecisionsError, UnsupportedError) as error:
        raise type(error)(
            f"method='enumeration' needs a list of at most {MAX_DECISIONS:,} decisions, got {decision_set!r} ({error}): "
            f"{_remedy(problem)}"
        ) from error
    gaps = gaps_below(decisions[int(np.argmax(decisions @ theta))], decisions, theta)
    gaps -= gaps.min()
    optimal = problem.ties.with_best(decisions[int(np.argmin(gaps))], decisions, gaps)
    suboptimal = np.asarray(decisions.any(axis=0) & ~decisions[optimal].any(axis=0))
    rows = np.flatnonzero(~optimal & decisions[:, suboptimal].any(axis=1))
    rows = rows[np.argsort(gaps[rows], kind="stable")]
    _, first = np.unique(decisions[rows][:, suboptimal], axis=0, return_index=True)
    return decisions, gaps, suboptimal, rows[np.sort(first)]


def _listed(problem: Problem, decisions: BoolArray, gaps: FloatArray, suboptimal: BoolArray, rows: IntArray) -> Listed:
    """The decisions of these rows, restricted to the suboptimal items."""
    law = problem.law.take(np.flatnonzero(suboptimal))
    return Listed(decisions[rows][:, suboptimal], gaps[rows], problem.theta[suboptimal], law)


def _remedy(problem: Problem) -> str:
    if problem.has_graph or problem.law.is_quadratic:
        return f"use method='{'cycles' if problem.has_graph else 'columns'}' or 'auto'"
    if not isinstance(problem.law, Bernoulli):
        return "bound C(theta) with Gaussian rewards, whose variance must hold for all means"
    return "use rewards='gaussian' with variance=0.25, whose C(theta) is no smaller, or give the set an exchange graph"


def _bracket_by_cones(listed: Listed, problem: Problem) -> tuple[float, FloatArray, float]:
    """Best upper bound, its rates, and the best lower bound over a few accuracies, until the gap is reached."""
    contains, gaps = listed.contains.astype(np.float64), listed.gaps
    v = 2.0 * listed.law.variance_proxy(listed.theta)
    value, best = _scaled(listed, cover_rates(listed.contains, listed.gaps, listed.first_rates))
    lower = 0.0
    for accuracy in ACCURACIES:
        rates, multipliers, prices = cone_program(contains, gaps, contains, gaps**2, v, accuracy, problem.deadline)
        upper, scaled = _scaled(listed, rates)
        if upper < value:
            value, best = upper, scaled
        lower = max(lower, pricing_bound(contains, gaps, v, multipliers, prices, 1.0 + ROUNDING))
        if value - lower <= problem.gap * value or tiers.seconds() > problem.deadline:
            break
    return value, best, min(lower, value)


def _scaled(listed: Listed, rates: FloatArray) -> tuple[float, FloatArray]:
    """See `Listed.scaled`."""
    return listed.scaled(rates, float(listed.raises(rates @ listed.contains)[0].min()))


@final
class ListRounds(CutRounds):
    """Rounds over all decisions, which are both the columns and the rows."""

    share, patience, finds_rows, near, loose = 1.0, 50, False, math.inf, 3.0

    def __init__(self, listed: Listed, problem: Problem) -> None:
        super().__init__(listed, listed, problem, tiers.seconds(), problem.deadline)
        self.rates = cover_rates(listed.contains, listed.gaps, listed.simple_rates)
        self.value = math.fsum(self.rates * listed.gaps)  # feasible whatever the precision next to means of 1

    def price(self, multipliers: FloatArray, cuts: FloatArray) -> None:
        """See `CutRounds.price`. Weak duality: with prices y = sum of mu times cuts, the bound is sum mu times the largest t with
        t y.x <= gap_x for all x.

        Rates alpha that are feasible cost ``sum alpha gap >= t sum alpha y.x = t y.w >= t sum mu``.
        """
        worth = self.columns.contains @ (multipliers @ cuts)
        if worth.any():
            share = float((self.columns.gaps[worth > 0] / worth[worth > 0]).min())
            self.lower = max(self.lower, share * float(multipliers.sum()) * (1.0 - ROUNDING))

    def search(self, plays: FloatArray) -> None:
        """All decisions are rows already."""

    def prove(self) -> bool:
        """All decisions are rows, so that the best rates are feasible."""
        if self.estimate < self.value:
            self.value, self.rates = self.estimate, self.best
        return False


def _bracket_by_cuts(listed: Listed, problem: Problem) -> tuple[float, FloatArray, float]:
    """Upper bound, its rates, and the lower bound."""
    rounds = ListRounds(listed, problem)
    rounds.run()
    return rounds.value, rounds.rates, min(rounds.lower, rounds.value)
