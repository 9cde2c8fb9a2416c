"""Step 3 of GLPG: from item rates to decisions and their rates."""

from __future__ import annotations

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.tables import check_table
from semibandits.errors import UnsupportedError
from semibandits.regret_bound.glpg.polytopes import Polytope, polytope
from semibandits.regret_bound.glpg.reduction import ReducedProblem
from semibandits.regret_bound.plan import merged_plan, plan_by_columns
from semibandits.regret_bound.result import ExplorationPlan

ZERO = 1e-9
"""Slacks and rates below this share of the number of plays count as rounding."""
COLUMN_ACCURACY = 1e-6


def exploration_plan(problem: ReducedProblem, rates: FloatArray, deadline: float) -> ExplorationPlan:
    """A plan of suboptimal decisions that plays each item of I at least at its rate in `rates`, shape (n,).

    Rates in the cone are decomposed exactly within their minimal face if conv(X) has a compact description without auxiliaries,
    and by column generation with P_LM otherwise. Optimal decisions are left out, since they contain no item of I. This is step 3
    of Cuvelier, Combes, Gourdin (ALT 2021), corrected (erratum 8).
    """
    best, d = problem.best, problem.decision_set.d
    target = np.zeros(d)
    target[best.items] = np.maximum(rates[best.items], 0.0)
    try:
        hull = polytope(problem.decision_set)
    except UnsupportedError:
        hull = None
    if hull is None or hull.auxiliaries:
        cost = max(float(problem.cost @ rates), float(np.finfo(np.float64).tiny))
        return plan_by_columns(
            problem.decision_set, problem.theta, problem.optimal_decision, target, cost, best.decisions, COLUMN_ACCURACY, deadline
        )  # fmt: skip
    decisions, weights = decomposed(problem, hull, rates)
    keep = decisions[:, best.items].any(axis=1)
    decisions, weights = decisions[keep], weights[keep]
    lack = np.maximum(target[best.items] - (weights @ decisions)[best.items], 0.0)
    return merged_plan(np.vstack((decisions, best.decisions)), np.append(weights, lack))


def decomposed(problem: ReducedProblem, hull: Polytope, rates: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Decisions and rates > 0 that add up to `rates`, shape (n,), a point of the cone, up to rounding. `hull` has no auxiliaries.

    Rows of the description that are tight at w are tight at every decision in a decomposition of w. P_LM finds a decision at
    which all of them are tight. Its rate is the largest that the other rows allow, which makes one more row tight. So there are
    at most dim + 1 terms.
    """
    d = problem.decision_set.d
    check_table(*hull.inequalities.shape, entry=8)
    rows: FloatArray = hull.inequalities.toarray()
    w, plays = rates[:d].copy(), float(problem.count @ rates)
    zero = ZERO * plays
    decisions, weights = [], []
    for _ in range(len(rows) + 1):
        slack = hull.limits * plays - rows @ w
        tight = slack <= zero
        x = problem.decision_set.maximize(rows[tight].sum(axis=0))
        room = hull.limits - rows @ x
        most = float(np.min(slack[room > 0.5] / room[room > 0.5], initial=plays))
        if plays <= zero or most <= 0.0:
            break
        decisions.append(x)
        weights.append(most)
        w, plays = w - most * x, plays - most
    return np.array(decisions, dtype=np.bool_).reshape(-1, d), np.array(weights)
