"""Step 3 of GLPG: from item rates to decisions and their rates."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.polytopes import decomposed, polytope
from semibandits.errors import UnsupportedError
from semibandits.regret_bound.glpg.reduction import ReducedProblem
from semibandits.regret_bound.plan import merged_plan, plan_by_columns
from semibandits.regret_bound.result import ExplorationPlan

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
    decisions, weights = decomposed(problem.decision_set, hull, rates[:d], float(problem.count @ rates))
    keep = decisions[:, best.items].any(axis=1)
    decisions, weights = decisions[keep], weights[keep]
    lack = np.maximum(target[best.items] - (weights @ decisions)[best.items], 0.0)
    return merged_plan(np.vstack((decisions, best.decisions)), np.append(weights, lack))
