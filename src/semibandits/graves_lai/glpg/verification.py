"""Upper certificate: the worst ratio u(x) / gap_x^2 of item rates, exactly."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.graves_lai.certificate import worst_ratio
from semibandits.graves_lai.precision import gaps_below, sharpened
from semibandits.graves_lai.reduction import ReducedProblem

MOST_LISTED = 20_000
MAX_LABELS = 5_000_000
THRESHOLDS = (1.0, 1.01, 1.1, 2.0)


def proven_ratio(problem: ReducedProblem, rates: FloatArray, deadline: float) -> float:
    """No decision x has ``sum over I of 2 sigma_i^2 / rates_i`` above this times ``gap_x^2``; rates of shape (d,), > 0 on I.

    By listing where there are at most 20,000 decisions, else by the search for the worst cycle of the exchange graph. Without
    either, or without the time: items of x have ``delta_i <= gap_x``, and there are at most m of them.
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
        return np.inf
    doubt = 2.0 * lack / float(problem.best.gaps.min())
    if doubt > 0.5:
        return np.inf
    for threshold in THRESHOLDS:
        found = worst_ratio(graph, u, at_least=threshold, max_labels=MAX_LABELS, deadline=deadline)
        if found.complete:
            return found.ratio / (1.0 - doubt) ** 2
    return np.inf


def _by_counting(problem: ReducedProblem, u: FloatArray) -> float:
    ratios = np.sort(u[problem.items] / problem.best.gaps**2)[::-1]
    return float(ratios[: problem.decision_set.m].sum()) * (1.0 + 1e-12)
