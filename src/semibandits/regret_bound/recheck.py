"""What a bound that was kept still proves: its plan is checked anew, by the searches that certify results."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from semibandits._validation import checked_answer
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import InvalidInputError
from semibandits.kernels import tiers
from semibandits.regret_bound.closed_form import solve_closed_form
from semibandits.regret_bound.plan import cost_of
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.problem import Problem, Units
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult
from semibandits.regret_bound.upper_certificate import least_information

ACCURACY = 1e-5
"""Relative error that is let pass: the searches round, and a plan may be short of its rates by what they round."""
SPARE, LEAST_ASKED = 0.01, 0.5
"""A plan whose rates are still enough when it is lowered until it costs this share less than the lower bound disproves that
bound. That is not asked of lower bounds below half of the value, where the answer may take long."""
TIES = 1e-12
"""Rewards, relative to m max|theta|, are not told apart better than this."""


def check_kept(result: GravesLaiResult, *, tie_tolerance: float = TIES, time_limit: float = math.inf) -> None:
    """Refuse a result that was kept in a file if it cannot be right.

    The optimal decision and the rows of the plan must be decisions, the value what the plan costs, and the plan feasible, as
    proven anew. Then ``C(theta) <= value``. The lower bound must not exceed the value, what the plan costs when its rates are
    lowered together as far as they can be, or C(theta) where there is a formula. Other lower bounds need multipliers, which
    results do not keep: they are not proven anew.

    Parameters
    ----------
    result : GravesLaiResult
        As it was read. Without a plan, ``value`` infinite, there is little to check.
    tie_tolerance : float
        The one that it was found with.
    time_limit : float
        Seconds for the search for constraints that the plan violates, which is refused if the search does not end.

    Raises
    ------
    InvalidInputError
        If something is wrong; the message says what.
    """
    if not 0.0 <= result.lower <= result.value:
        raise InvalidInputError(f"lower must be from 0 to value = {result.value:g}, got {result.lower:g}")
    problem = Problem(result.decision_set, result.theta, result.law, tie_tolerance, ACCURACY, time_limit)
    _check_decisions(result, (tie_tolerance + TIES) * problem.size)
    if isinstance(result.decision_set, MatroidDecisions):
        _check_lower(result, solve_closed_form(problem).value)
    if not math.isfinite(result.value):
        return
    cost = cost_of(result.plan, result.optimal_decision, result.theta)
    # Gaps of near ties count as a little larger than they are.
    slack = ACCURACY * cost + TIES * problem.size * math.fsum(result.plan.rates)
    if not abs(cost - result.value) <= slack:
        raise InvalidInputError(f"value must be what the plan costs, {cost:g}, got {result.value:g}")
    share = _proven_share(problem, result.plan)
    if not share >= 1.0 - ACCURACY:
        raise InvalidInputError(
            f"the plan must explore enough, got one proven to explore {share:.4g} times that at least"
        )
    _check_lower(result, cost + slack)
    enough = (1.0 - SPARE) * result.lower / cost if cost else 0.0
    if enough > LEAST_ASKED:
        lowered = ExplorationPlan(result.plan.decisions, enough * result.plan.rates)
        if _proven_share(problem, lowered) >= 1.0 - ACCURACY:
            _check_lower(result, enough * cost)


def _check_decisions(result: GravesLaiResult, tolerance: float) -> None:
    """What should be decisions are, and no decision is better than the optimal one."""
    decision_set, plan = result.decision_set, result.plan
    optimal = result.optimal_decision
    if optimal not in decision_set:
        raise InvalidInputError("the optimal decision must be a decision, got another set of items")
    best = checked_answer(decision_set.maximize(result.theta.copy()), decision_set.d, decision_set.m)
    lost = float(gaps_below(best, optimal[None], result.theta)[0])
    if lost > tolerance:
        raise InvalidInputError(f"the optimal decision must be optimal, got one that is worse by {lost:g}")
    for k, row in enumerate(plan.decisions):
        if row not in decision_set:
            raise InvalidInputError(f"plan[{k}] must be a decision, got another set of items")
    if not (np.isfinite(plan.rates).all() and (plan.rates > 0).all()):
        raise InvalidInputError(f"rates must be finite and above 0, got {plan.rates.min():g} to {plan.rates.max():g}")


def _check_lower(result: GravesLaiResult, upper: float) -> None:
    if result.lower > upper * (1.0 + ACCURACY):
        raise InvalidInputError(f"lower must be at most C(theta), which is at most {upper:g}, got {result.lower:g}")


def _proven_share(problem: Problem, plan: ExplorationPlan) -> float:
    """How many times as much as is needed the plan is proven to explore, at least: it is feasible from 1 on."""
    problem = replace(problem, start=tiers.seconds())
    if problem.law.is_quadratic:
        units = Units.of(problem)
        problem = units.scaled(problem)
        plan = ExplorationPlan(plan.decisions, np.ldexp(plan.rates, 2 * units.reward - units.variance))
    return least_information(problem, plan)
