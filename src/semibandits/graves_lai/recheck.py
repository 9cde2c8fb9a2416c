"""What a bound that was kept still proves: its plan is checked anew, by the searches that certify results."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray
from semibandits._validation import checked_answer
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import InvalidInputError
from semibandits.graves_lai.circulation import CirculationSolver
from semibandits.graves_lai.enumeration.cuts import least_information
from semibandits.graves_lai.glpg.verification import proven_ratio
from semibandits.graves_lai.plan import cost_of
from semibandits.graves_lai.precision import gaps_below
from semibandits.graves_lai.rates import rates_alone
from semibandits.graves_lai.reduction import reduced
from semibandits.graves_lai.result import ExplorationPlan, GravesLaiResult
from semibandits.graves_lai.solve import graves_lai
from semibandits.graves_lai.units import Units
from semibandits.kernels import tiers
from semibandits.laws import Gaussian, Law

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
    size = _size(result.decision_set, result.theta)
    _check_decisions(result, (tie_tolerance + TIES) * size)
    if isinstance(result.decision_set, MatroidDecisions):
        _check_lower(result, _formula(result, tie_tolerance))
    if not math.isfinite(result.value):
        return
    cost = cost_of(result.plan, result.optimal_decision, result.theta)
    # Gaps of near ties count as a little larger than they are.
    slack = ACCURACY * cost + TIES * size * math.fsum(result.plan.rates)
    if not abs(cost - result.value) <= slack:
        raise InvalidInputError(f"value must be what the plan costs, {cost:g}, got {result.value:g}")
    share = _proven_share(result, result.plan, tie_tolerance, time_limit)
    if not share >= 1.0 - ACCURACY:
        raise InvalidInputError(
            f"the plan must explore enough, got one proven to explore {share:.4g} times that at least"
        )
    _check_lower(result, cost + slack)
    enough = (1.0 - SPARE) * result.lower / cost if cost else 0.0
    if enough > LEAST_ASKED:
        lowered = ExplorationPlan(result.plan.decisions, enough * result.plan.rates)
        if _proven_share(result, lowered, tie_tolerance, time_limit) >= 1.0 - ACCURACY:
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


def _formula(result: GravesLaiResult, tie_tolerance: float) -> float:
    """C(theta) of matroid bases, rounded up."""
    return graves_lai(
        result.decision_set, result.theta, method="closed-form", tie_tolerance=tie_tolerance, law=result.law
    ).value


def _proven_share(result: GravesLaiResult, plan: ExplorationPlan, tie_tolerance: float, time_limit: float) -> float:
    """How many times as much as is needed the plan is proven to explore, at least: it is feasible from 1 on."""
    law, theta = result.law, result.theta
    if isinstance(result.decision_set, MatroidDecisions):
        return _share_of_swaps(result.decision_set, theta, law, plan, tie_tolerance)
    if law.is_quadratic:
        units = Units.of(theta, result.variance)
        theta, variance = units.scaled(theta, result.variance)
        law = Gaussian(variance)
        plan = ExplorationPlan(plan.decisions, np.ldexp(plan.rates, 2 * units.reward - units.variance))
    tolerance = tie_tolerance * _size(result.decision_set, theta)
    if _has_graph(result.decision_set):
        solver = CirculationSolver(result.decision_set, theta, law, tolerance, ACCURACY, time_limit, None)
        return solver.least_information(plan)
    if not law.is_quadratic:
        return least_information(result.decision_set, theta, law, tolerance, plan.item_rates)
    problem = reduced(result.decision_set, theta, variance, tolerance)
    if not len(problem.items):
        return math.inf
    rates = plan.item_rates
    if not (rates[problem.items] > 0.0).all():
        return 0.0
    return 1.0 / proven_ratio(problem, rates, tiers.seconds() + time_limit)


def _share_of_swaps(
    decision_set: MatroidDecisions, theta: FloatArray, law: Law, plan: ExplorationPlan, tie_tolerance: float
) -> float:
    """The same for bases of matroids, where single swaps are all the constraints, whatever the law (theory L2)."""
    gaps = decision_set.swaps(theta).gaps
    items = np.flatnonzero(np.isfinite(gaps) & (gaps > tie_tolerance * _size(decision_set, theta)))
    items = items[rates_alone(law.take(items), theta[items], gaps[items]) > 0.0]
    shares = plan.item_rates[items] * law.take(items).divergence(theta[items], gaps[items])
    return float(shares.min(initial=math.inf))


def _has_graph(decision_set: DecisionSet) -> bool:
    return type(decision_set).exchange_graph is not DecisionSet.exchange_graph


def _size(decision_set: DecisionSet, theta: FloatArray) -> float:
    """Largest reward of a decision, about: m max|theta|."""
    return decision_set.m * float(np.abs(theta).max(initial=0.0))
