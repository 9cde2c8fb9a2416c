"""Least information at given rates, for any decision set and law. If it is at least 1, their cost bounds C(theta) (theory L5)."""

from __future__ import annotations

import math

import numpy as np

from semibandits.decisions.matroids import MatroidDecisions
from semibandits.decisions.routes import Routes
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.regret_bound.closed_form import suboptimal_swaps
from semibandits.regret_bound.cuts import enumeration
from semibandits.regret_bound.cuts.decision_search import DecisionSearch
from semibandits.regret_bound.cuts.linear import information_with_features
from semibandits.regret_bound.cuts.oracle import DecisionPool, Oracle, best_with_each_item
from semibandits.regret_bound.cuts.routes import RouteSolver
from semibandits.regret_bound.cycles.circulation import CirculationSolver
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.rates import rates_alone
from semibandits.regret_bound.result import ExplorationPlan
from semibandits.regret_bound.timing import TimeIsUp

SLACK = 1e-6


def least_information(problem: Problem, plan: ExplorationPlan) -> float:
    """Lower bound on the least information about a decision at the item rates of the plan. The plan is feasible if it is >= 1.

    For bases of matroids, single swaps are all the constraints, for any law (theory L2). Other sets are enumerated if they have
    at most 20,000 decisions. Otherwise the bound comes from the search for the worst cycle of the exchange graph, or, for routes,
    for the worst detour, which proves not much more than 1, and for all others from branch and bound with P_LM. If labels or time
    run out, a bound without a search is returned, or 0 if time is up before the search is set up. For laws other than Gaussian
    without an exchange graph, decisions must be enumerated; `TooManyDecisionsError` or `UnsupportedError` if they cannot be. With
    features, too.
    """
    if problem.features is not None:
        return information_with_features(problem, plan)
    if isinstance(problem.decision_set, MatroidDecisions):
        swaps = problem.decision_set.swaps(problem.theta)
        items = np.flatnonzero(suboptimal_swaps(problem, swaps))
        items = items[rates_alone(problem.law.take(items), problem.theta[items], swaps.gaps[items]) > 0.0]
        nats = problem.law.take(items).divergence(problem.theta[items], swaps.gaps[items])
        return float((plan.item_rates[items] * nats).min(initial=math.inf))
    try:
        return enumeration.information_over_list(problem, plan)
    except (TooManyDecisionsError, UnsupportedError):
        if isinstance(problem.decision_set, Routes):
            return RouteSolver(problem).least_information(plan)
        if problem.has_graph:
            try:
                return CirculationSolver(problem).least_information(plan)
            except TimeIsUp:
                return 0.0
        if not problem.law.is_quadratic:
            raise
    oracle = Oracle(problem.decision_set, problem.theta)
    best = best_with_each_item(oracle, problem.tie_tolerance)
    if not len(best.items):
        return math.inf
    rates = plan.item_rates[best.items]
    if not (rates > 0.0).all():
        return 0.0
    u = 2.0 * problem.variance[best.items] / rates
    return 1.0 / DecisionSearch(oracle, best, DecisionPool.of(best), u, SLACK, problem.deadline).run().ratio
