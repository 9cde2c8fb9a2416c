"""Verification of a stored bound: its plan is checked with the searches that certify results."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from semibandits.decisions.matroids import MatroidDecisions
from semibandits.decisions.ties import Ties
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import checked_answer
from semibandits.kernels.machine import tiers
from semibandits.laws.gaussian import bounded_by
from semibandits.regret_bound.certificates.upper import least_information
from semibandits.regret_bound.closed_form import solve_closed_form
from semibandits.regret_bound.plan import cost_of
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.problem import Problem, Units
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult

ACCURACY = 1e-5
"""Relative error that is tolerated: the searches round, and rates of a plan may be too low by this rounding."""
SPARE, LEAST_TESTED = 0.01, 0.5
"""The lower bound is wrong if the plan is still feasible with its rates lowered until it costs this share less than the lower
bound. This is not tested for lower bounds below half of the value, where the search may take long."""
TIES = 1e-12
"""Rounding of rewards, relative to m times those in which decisions differ."""


def check_kept(result: GravesLaiResult, *, tie_tolerance: float = TIES, time_limit: float = math.inf) -> None:
    """Refuse a stored result that cannot be right.

    The optimal decision and the rows of the plan must be decisions, the value must be the cost of the plan, and the plan must be
    feasible, which is proved again. Then ``C(theta) <= value``. The lower bound must not exceed the value, the cost of the plan
    with its rates lowered to the limit of feasibility, or C(theta) in families with a closed form. Apart from that, lower bounds
    are not proved again: this needs multipliers, which results do not store. If the result has no plan and an infinite value,
    there is little to check.

    The tie tolerance is that of the original solve. `time_limit` is in seconds, for the search for constraints that the plan
    violates; the result is refused if the search does not end.
    """
    if not 0.0 <= result.lower <= result.value:
        raise InvalidInputError(f"lower must be from 0 to value = {result.value:g}, got {result.lower:g}")
    law = bounded_by(result.law, result.decision_set.upper)
    problem = Problem(result.decision_set, result.theta, law, tie_tolerance, ACCURACY, time_limit, features=result.features)
    _check_decisions(result, replace(problem, tie_tolerance=tie_tolerance + TIES).ties)
    if isinstance(result.decision_set, MatroidDecisions):
        _check_lower(result, solve_closed_form(problem).value)
    if not math.isfinite(result.value):
        return
    cost = cost_of(result.plan, result.optimal_decision, result.theta)
    # Gaps of near ties are taken slightly too large.
    ties = replace(problem, tie_tolerance=TIES).ties
    rows = zip(result.plan.rates.tolist(), result.plan.items.masks(), strict=True)
    slack = ACCURACY * cost + math.fsum(rate * ties.apart(result.optimal_decision, x[None])[0] for rate, x in rows)
    if not abs(cost - result.value) <= slack:
        raise InvalidInputError(f"value must be the cost of the plan, {cost:g}, got {result.value:g}")
    share = _proved_share(problem, result.plan)
    if not share >= 1.0 - ACCURACY:
        raise InvalidInputError(
            f"the plan must explore enough, but is only proved to explore {share:.4g} times as much as necessary"
        )
    _check_lower(result, cost + slack)
    enough = (1.0 - SPARE) * result.lower / cost if cost else 0.0
    if enough > LEAST_TESTED:
        lowered = ExplorationPlan(result.plan.items, enough * result.plan.rates)
        if _proved_share(problem, lowered) >= 1.0 - ACCURACY:
            _check_lower(result, enough * cost)


def _check_decisions(result: GravesLaiResult, ties: Ties) -> None:
    """Check that the optimal decision and the rows of the plan are decisions, and that the former is optimal."""
    decision_set, plan = result.decision_set, result.plan
    optimal = result.optimal_decision
    if optimal not in decision_set:
        raise InvalidInputError("the optimal decision must be a decision of the decision set, got another set of items")
    best = checked_answer(decision_set.maximize(result.theta.copy()), decision_set.d, decision_set.m)
    lost = gaps_below(best, optimal[None], result.theta)
    if not ties.with_best(best, optimal[None], lost)[0]:
        raise InvalidInputError(f"the optimal decision must be optimal, but its reward is {lost[0]:g} below the optimum")
    for k, row in enumerate(plan.items.masks()):
        if row not in decision_set:
            raise InvalidInputError(f"plan[{k}] must be a decision of the decision set, got another set of items")
    if not (np.isfinite(plan.rates).all() and (plan.rates > 0).all()):
        raise InvalidInputError(f"rates must be finite and above 0, got {plan.rates.min():g} to {plan.rates.max():g}")


def _check_lower(result: GravesLaiResult, upper: float) -> None:
    if result.lower > upper * (1.0 + ACCURACY):
        raise InvalidInputError(f"lower must be at most C(theta) <= {upper:g}, got {result.lower:g}")


def _proved_share(problem: Problem, plan: ExplorationPlan) -> float:
    """Proved lower bound on the least information at the plan's rates; the plan is feasible if it is at least 1."""
    problem = replace(problem, start=tiers.seconds())
    if problem.law.is_quadratic:
        units = Units.of(problem)
        problem = units.scaled(problem)
        plan = ExplorationPlan(plan.items, np.ldexp(plan.rates, 2 * units.reward - units.variance))
    return least_information(problem, plan)
