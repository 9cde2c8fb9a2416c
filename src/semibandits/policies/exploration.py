"""What OSSB wants explored: the Graves-Lai plan at estimated means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, SolverError
from semibandits.graves_lai import graves_lai
from semibandits.graves_lai.oracle import BestWithItem, Oracle, best_with_each_item

GUARD: Final = 0.5
"""How far gaps are kept from 0, as a share of 2 Var of the estimated gap; 1/2 is its variance."""
_EVERY: Final = -1.0
"""A tie tolerance below which no gap is: all items outside the optimal decision count as suboptimal."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Which items to explore, and by which decisions.

    Attributes
    ----------
    rates : ndarray of float, shape (d,)
        Plays wanted of each item per unit of f(t); 0 for those that need none.
    decisions : ndarray of bool, shape (k, d)
        Decisions to explore with; together they hold every item of positive rate.
    optimal : ndarray of bool, shape (d,)
        The optimal decision at the estimated means.
    """

    rates: FloatArray
    decisions: BoolArray
    optimal: BoolArray


def wanted(
    decision_set: DecisionSet, means: FloatArray, scales: FloatArray, variance: FloatArray, gap: float
) -> Wanted:
    """Plan at estimated means, with gaps kept away from 0; a function of its arguments, whatever was planned before.

    Parameters
    ----------
    decision_set : DecisionSet
        What can be played.
    means : ndarray of float, shape (d,)
        Estimated means.
    scales : ndarray of float, shape (d,)
        ``2 sigma_i^2 / n_i``, twice the variances of the estimates.
    variance : ndarray of float, shape (d,)
        ``sigma_i^2``.
    gap : float
        Relative gap to which P_GL is solved, in (0, 1).

    Returns
    -------
    Wanted
        From `graves_lai`; where that fails, the best decision with each item, at rates that are feasible and cost at most m^2 C.

    Notes
    -----
    Each item outside the optimal decision has its mean lowered, so that its smallest gap D becomes at least
    ``sqrt(D^2 + c s_i / m)``, with c = 1/2 and s_i its scale. That lowers a decision by at most the root of c times the sum of
    the scales of its items that enter, which is how far its estimated gap may be off; and, once these items have their counts
    ``w_i f(t)``, by at most the share ``c / (2 f(t))`` of its gap. So C stays finite in near-ties, and the limit is the same.
    """
    oracle = Oracle(decision_set, means)
    best = best_with_each_item(oracle, _EVERY)
    guarded = np.hypot(best.gaps, np.sqrt(GUARD / max(decision_set.m, 1) * scales[best.items]))
    lowered = means.copy()
    lowered[best.items] -= np.maximum(guarded - best.gaps, 0.0)
    try:
        result = graves_lai(decision_set, lowered, variance, gap=gap, throw=False)
    except (SolverError, InvalidInputError):
        return _simple(oracle, best, guarded, variance)
    rates = np.where(result.suboptimal_items, result.rates, 0.0)
    by_rate = np.argsort(-result.plan.rates, kind="stable")
    return Wanted(rates, result.plan.decisions[by_rate], result.optimal_decision)


def _simple(oracle: Oracle, best: BestWithItem, gaps: FloatArray, variance: FloatArray) -> Wanted:
    """The best decision with each item, at m times the least rate that the item needs: feasible, costs at most m^2 C (T5)."""
    rates = np.zeros(len(variance))
    rates[best.items] = oracle.m * (np.sqrt(2.0 * variance[best.items]) / gaps) ** 2
    return Wanted(rates, np.unique(best.decisions, axis=0), oracle.optimal)
