"""Exploration plan of OSSB: the Graves-Lai plan at estimated means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, SolverError, TooManyDecisionsError, UnsupportedError
from semibandits.kernels.search.outliers import least_reward
from semibandits.laws import Law
from semibandits.regret_bound.cuts.oracle import BestWithItem, Oracle, best_with_each_item
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.rates import rates_shared
from semibandits.regret_bound.result import GravesLaiResult, Status
from semibandits.regret_bound.solve import solve_bound

GUARD: Final = 0.5
"""Gaps are kept away from 0 by this share of 2 Var of the estimated gap; 1/2 is its variance."""
LOWEST: Final = 0.1
"""Means may be lowered to this share of their distance from the least mean of the law."""
HALVINGS, DOUBLINGS = 40, 60


@dataclass(frozen=True, eq=False)
class Wanted:
    """Items to explore, and decisions to explore them with."""

    rates: FloatArray  # (d,): plays of each item per unit of f(t); 0 for items that need no exploration
    decisions: BoolArray  # (k, d): together they contain every item of positive rate
    optimal: BoolArray  # (d,): the optimal decision at the estimated means


def wanted(decision_set: DecisionSet, means: FloatArray, scales: FloatArray, variance: FloatArray, gap: float) -> Wanted:
    """Plan at estimated means, with gaps kept away from 0. It does not depend on earlier plans.

    It is the plan of `graves_lai` to the relative gap `gap`, in (0, 1); if that fails, the best decision with each item, at rates
    that are feasible and cost at most m^2 C. `variance` holds ``sigma_i^2`` and `scales` ``s_i = 2 sigma_i^2 / n_i``, twice the
    variances of the estimates, shape (d,) each.

    The mean of each item outside the optimal decision is lowered, so that its smallest gap D becomes at least
    ``sqrt(D^2 + c s_i / m)``, with c = 1/2. This lowers a decision by at most the root of c times the sum of the scales of its
    items that enter, which is the uncertainty of its estimated gap; and, once these items have their counts ``w_i f(t)``, by at
    most the share ``c / (2 f(t))`` of its gap. So C stays finite in near-ties, and the limit is the same.
    """
    oracle = _oracle(decision_set, means, variance)
    best = best_with_each_item(oracle, None)
    guarded = _guarded(best.gaps, scales[best.items], oracle.m)
    lowered = oracle.theta.copy()
    lowered[best.items] -= np.maximum(guarded - best.gaps, 0.0)
    try:
        return _of(solve_bound(decision_set, lowered, variance, gap=gap, throw=False))
    except (SolverError, InvalidInputError, TooManyDecisionsError):
        rates = np.zeros(len(means))
        rates[best.items] = oracle.m * (np.sqrt(2.0 * variance[best.items]) / guarded) ** 2
        return Wanted(rates, np.unique(best.decisions, axis=0), oracle.optimal)


def wanted_of_law(decision_set: DecisionSet, law: Law, means: FloatArray, plays: FloatArray, gap: float) -> Wanted:
    """The same plan for rewards of a law. `means`, shape (d,), of observed rewards are replaced by the nearest ones in its range.

    If `graves_lai` fails, or stops before it reaches `gap` with a plan that costs more, the plan is the best decision with each
    item, at the rates ``1/d(theta_i, theta_i + D_i/m)``. These are feasible: raises that add up to a gap raise one of at most m
    items by an m-th of it or more, and the smallest gap D_i of that item is no larger.

    Estimates are kept away from the ends of the law by a margin common to all items, see `Law.estimates`. With the estimate
    ``(sum + 1/2) / (n + 1)`` for each item separately, an item that failed in its only trial would have the estimate 1/4, above
    items known to be worth less; the plan would treat it as known, and the best decision at the means would be exploited without
    it for ever. An estimate of 0 leads to enough exploration: for an item that succeeds with probability q, n trials all fail
    with probability ``(1 - q)^n = exp(-n d(0, q))``.

    A mean of 0 or 1 is still uncertain: the variances that guard against near-ties are `Law.estimated_variance`. Means are
    lowered as in `wanted`, with the scales ``2 V_i / n_i``, but never below a tenth of their distance from the least mean of the
    law.
    """
    variance = law.estimated_variance(means, plays)
    oracle = _oracle(decision_set, law.estimates(means, plays), variance)
    best = best_with_each_item(oracle, None)
    scales = 2.0 * variance / np.maximum(plays, 1.0)
    guarded = _guarded(best.gaps, scales[best.items], oracle.m)
    lowered = oracle.theta.copy()
    lowered[best.items] -= np.maximum(guarded - best.gaps, 0.0)
    least = law.least(oracle.theta)
    with np.errstate(invalid="ignore"):
        floor = np.where(np.isfinite(least), least + LOWEST * (oracle.theta - least), -np.inf)
    lowered = np.maximum(lowered, floor)
    gaps = best.gaps + (oracle.theta - lowered)[best.items]
    rates = np.zeros(len(means))
    rates[best.items] = rates_shared(law.take(best.items), lowered[best.items], gaps, oracle.m)
    cost = float(rates[best.items] @ gaps_below(oracle.optimal, best.decisions, lowered))
    try:
        result = solve_bound(decision_set, lowered, gap=gap, throw=False, law=law)
        if result.status is Status.OPTIMAL or result.value <= cost:
            return _with_edges(_of(result), law, means, best)
    except (SolverError, InvalidInputError, UnsupportedError, TooManyDecisionsError):
        pass
    rows = best.decisions[rates[best.items] > 0.0]
    return _with_edges(Wanted(rates, np.unique(rows, axis=0), oracle.optimal), law, means, best)


def _with_edges(plan: Wanted, law: Law, means: FloatArray, best: BestWithItem) -> Wanted:
    """The plan with more exploration of items whose observed mean the law excludes, see `Law.possible`."""
    possible, rates = law.possible(means), plan.rates.copy()
    edges = (possible != means)[best.items] & (rates[best.items] > 0.0) & (best.gaps > 0.0)
    items = best.items[edges]
    rates[items] = np.maximum(rates[items], 1.0 / law.take(items).divergence(possible[items], best.gaps[edges]))
    return Wanted(rates, plan.decisions, plan.optimal)


def resolved_by(law: Law, means: FloatArray, rates: FloatArray) -> FloatArray:
    """The raise e of each mean with ``w d(theta, theta + e) = 1``, which its rate distinguishes from 0; infinite at rate 0."""
    raises = np.full(len(means), np.inf)
    items = np.flatnonzero(rates > 0.0)
    own, theta, w = law.take(items), means[items], rates[items]
    low, high = np.zeros(len(items)), np.minimum(np.sqrt(2.0 * own.variance_at(theta) / w), own.reach(theta))
    for _ in range(DOUBLINGS):
        short = (w * own.divergence(theta, high) < 1.0) & (high < own.reach(theta))
        if not short.any():
            break
        high = np.where(short, np.minimum(2.0 * high + 1.0 / w, own.reach(theta)), high)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        enough = w * own.divergence(theta, middle) > 1.0
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    raises[items] = high
    return raises


def _oracle(decision_set: DecisionSet, theta: FloatArray, variance: FloatArray) -> Oracle:
    """The oracle at these means, without means so low that no difference of the others would count beside them.

    A decision with such an item has a gap of a million standard deviations or more, so that its rate is practically 0 either way.
    """
    oracle = Oracle(decision_set, theta)
    x, m = oracle.optimal, oracle.m
    spread = m * float(np.sqrt(variance[x].max(initial=0.0)))
    limit = least_reward(float(theta[x].sum()), float(theta.max()), spread, m)
    if spread == 0.0 or theta.min() >= limit:
        return oracle
    return Oracle(decision_set, np.maximum(theta, limit))


def _guarded(gaps: FloatArray, scales: FloatArray, m: int) -> FloatArray:
    """Gaps kept away from 0 by a share of their estimated variance."""
    return np.asarray(np.hypot(gaps, np.sqrt(GUARD / max(m, 1) * scales)))


def _of(result: GravesLaiResult) -> Wanted:
    """The plan of a result; `SolverError` if it has none."""
    if not math.isfinite(result.value):
        raise SolverError("no feasible plan was found")
    rates = np.where(result.suboptimal_items, result.rates, 0.0)
    return Wanted(rates, result.plan.decisions, result.optimal_decision)
