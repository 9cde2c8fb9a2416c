"""Upper certificate: the worst ratio u(x) / gap_x^2 of item rates, exactly."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.graves_lai.decision_search import DecisionSearch
from semibandits.graves_lai.oracle import DecisionPool, Oracle
from semibandits.graves_lai.precision import gaps_below, sharpened
from semibandits.graves_lai.reduction import ReducedProblem
from semibandits.graves_lai.worst_cycle import worst_ratio

MOST_LISTED = 20_000
MAX_LABELS = 5_000_000
THRESHOLDS = (1.0, 1.01, 1.1, 2.0)
SLACK = 1e-6


def proven_ratio(problem: ReducedProblem, rates: FloatArray, deadline: float) -> float:
    """No decision x has ``sum over I of 2 sigma_i^2 / rates_i`` above this times ``gap_x^2``; rates of shape (d,), > 0 on I.

    By listing where there are at most 20,000 decisions, else by the search for the worst cycle of the exchange graph, or where
    there is none by branch and bound with P_LM. Without the time: items of x have ``delta_i <= gap_x``, and there are at
    most m of them.
    """
    u = np.zeros(problem.decision_set.d)
    u[problem.items] = problem.twice_variance / rates[problem.items]
    try:
        decisions = problem.decision_set.enumerate(MOST_LISTED)
    except (TooManyDecisionsError, UnsupportedError):
        return min(_by_cycles(problem, u, deadline), _by_counting(problem, u))
    decisions = decisions[decisions[:, problem.items].any(axis=1)]
    gaps = gaps_below(problem.optimal_decision, decisions, problem.theta)
    return float((decisions @ u / gaps**2).max()) * (1.0 + 1e-13)


def _by_cycles(problem: ReducedProblem, u: FloatArray, deadline: float) -> float:
    try:
        graph, lack = sharpened(problem.decision_set.exchange_graph(problem.theta), problem.theta)
    except UnsupportedError:
        return _by_search(problem, u, deadline)
    doubt = 2.0 * lack / float(problem.best.gaps.min())
    if doubt > 0.5:
        return np.inf
    for threshold in THRESHOLDS:
        found = worst_ratio(graph, u, at_least=threshold, max_labels=MAX_LABELS, deadline=deadline)
        if found.complete:
            return found.ratio / (1.0 - doubt) ** 2
    return np.inf


def _by_search(problem: ReducedProblem, u: FloatArray, deadline: float) -> float:
    oracle = Oracle(problem.decision_set, problem.theta)
    oracle.optimal = problem.optimal_decision
    pool = DecisionPool(problem.items, problem.decision_set.d)
    for x, gap in zip(problem.best.decisions, problem.best.gaps, strict=True):
        pool.add(x, float(gap))
    return DecisionSearch(oracle, problem.best, pool, u[problem.items], SLACK, deadline).run().ratio


def _by_counting(problem: ReducedProblem, u: FloatArray) -> float:
    ratios = np.sort(u[problem.items] / problem.best.gaps**2)[::-1]
    return float(ratios[: problem.decision_set.m].sum()) * (1.0 + 1e-12)
