"""Gaussian rewards over an explicit list of decisions: one second-order cone program, the plain reference for small sets."""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.graves_lai.enumeration.listing import best_rows, listed
from semibandits.graves_lai.plan import merged_plan
from semibandits.graves_lai.result import ExplorationPlan, GravesLaiResult, Status
from semibandits.kernels import tiers

ACCURACIES = (1e-9, 1e-8, 1e-7, 1e-6)


@dataclass(frozen=True, eq=False)
class Listed:
    """P_GL with one row per suboptimal decision; of decisions with the same suboptimal items only the best is kept."""

    contains: FloatArray  # (n, k): suboptimal items of each decision
    gaps: FloatArray  # (n,)
    item_gaps: FloatArray  # (k,): smallest gap of a decision with the item
    twice_variance: FloatArray  # (k,)


def solve_enumeration(
    decision_set: DecisionSet, theta: FloatArray, variance: FloatArray, tolerance: float, gap: float, deadline: float
) -> GravesLaiResult:
    """Scaled second-order cone program over all decisions; bounds are computed from its solution in plain numpy.

    Raises
    ------
    TooManyDecisionsError
        If there are more than 20,000 decisions.
    """
    decisions, gaps, optimal, suboptimal = listed(decision_set, theta, tolerance)
    optimal_decision = decisions[int(np.argmin(gaps))].copy()
    empty = ExplorationPlan(np.empty((0, decision_set.d), dtype=np.bool_), np.empty(0))
    value = lower = 0.0
    plan = empty
    if suboptimal.any():
        rows = np.flatnonzero(~optimal & decisions[:, suboptimal].any(axis=1))
        problem, rows = _reduced(decisions[rows][:, suboptimal], gaps[rows], 2.0 * variance[suboptimal], rows)
        value, rates, lower = _bracket(problem, gap, deadline)
        plan = merged_plan(decisions[rows], rates)
    reached = value == 0 or value - lower <= gap * value
    late = tiers.seconds() > deadline
    return GravesLaiResult(
        value=value,
        lower=lower,
        status=Status.of(reached=reached, late=late),
        method="enumeration",
        plan=plan,
        optimal_decision=optimal_decision,
        suboptimal_items=suboptimal,
        decision_set=decision_set,
        theta=theta,
        variance=variance,
        stats={"decisions": len(decisions)},
    )


def _reduced(
    contains: BoolArray, gaps: FloatArray, twice_variance: FloatArray, rows: np.ndarray
) -> tuple[Listed, np.ndarray]:
    keep = best_rows(contains, gaps)
    kept = contains[keep].astype(np.float64)
    item_gaps = np.where(contains[keep], gaps[keep, None], np.inf).min(axis=0)
    return Listed(kept, gaps[keep], item_gaps, twice_variance), rows[keep]


def _bracket(problem: Listed, gap: float, deadline: float) -> tuple[float, FloatArray, float]:
    """Best upper bound with its rates, and best lower bound, over a few accuracies until the gap is reached."""
    # T5: v/gap^2 along the best decision of each item is feasible once scaled by the worst row.
    start = np.zeros(len(problem.gaps))
    with_item = np.where(problem.contains > 0, problem.gaps[:, None], np.inf).argmin(axis=0)
    np.add.at(start, with_item, problem.twice_variance / problem.item_gaps**2)
    value, rates = _feasible(problem, start)
    lower = 0.0
    for accuracy in ACCURACIES:
        candidate, multipliers, prices = cone_program(problem, accuracy, deadline)
        upper, scaled = _feasible(problem, candidate)
        if upper < value:
            value, rates = upper, scaled
        lower = max(lower, _dual_bound(problem, multipliers, prices))
        if value - lower <= gap * value or tiers.seconds() > deadline:
            break
    return value, rates, min(lower, value)


def _feasible(problem: Listed, rates: FloatArray) -> tuple[float, FloatArray]:
    """Cost of the rates after scaling them by the worst ratio of a row, and the scaled rates."""
    item_rates = rates @ problem.contains
    if not np.isfinite(item_rates).all() or (item_rates <= 0).any():
        return np.inf, rates
    ratio = float(((problem.contains @ (problem.twice_variance / item_rates)) / problem.gaps**2).max())
    return ratio * float(rates @ problem.gaps), ratio * rates


def _dual_bound(problem: Listed, multipliers: FloatArray, prices: FloatArray) -> float:
    """Weak duality (theory T4): any mu >= 0, and prices scaled so that no decision costs more than its gap."""
    prices = prices / max((problem.contains @ prices / problem.gaps).max(), np.finfo(float).tiny)
    y = multipliers @ problem.contains
    weight = float(multipliers @ problem.gaps**2)
    root = float(np.sqrt(problem.twice_variance * y * prices).sum())
    return root**2 / weight * (1.0 - 1e-12) if weight > 0 and np.isfinite(root) else 0.0


def cone_program(
    problem: Listed, accuracy: float, deadline: float
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Rates, row multipliers and item prices from Clarabel; items scaled by v/gap^2, rows by their squared gap.

    Variables: rates, item rates, scaled information. Rows: each item's rate is at most the sum of its decisions' rates; rates
    are not negative; decisions; item rate times information >= 1.
    """
    n, k = problem.contains.shape
    scale = problem.twice_variance / problem.item_gaps**2
    unit = float((scale * problem.item_gaps).sum())
    member, item = np.nonzero(problem.contains)
    decision, variable, cone = np.arange(n), np.arange(k), k + 2 * n + 3 * np.arange(k)
    rows = (item, variable, k + decision, k + n + member, cone, cone, cone + 2, cone + 2)
    columns = (
        member, n + variable, decision, n + k + item, n + variable, n + k + variable, n + variable, n + k + variable,
    )  # fmt: skip
    values = (
        -unit / (problem.gaps[member] * scale[item]), np.ones(k), -np.ones(n),
        problem.item_gaps[item] ** 2 / problem.gaps[member] ** 2, -np.ones(3 * k), np.ones(k),
    )  # fmt: skip
    shape = (4 * k + 2 * n, n + 2 * k)
    matrix = sparse.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
    bounds = np.concatenate((np.zeros(k + n), np.ones(n), np.tile([0.0, 2.0, 0.0], k)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.time_limit = max(1e-3, deadline - tiers.seconds())
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
    objective = np.concatenate((np.ones(n), np.zeros(2 * k)))
    cones = [clarabel.NonnegativeConeT(k + 2 * n)] + [clarabel.SecondOrderConeT(3)] * k
    no_quadratic = sparse.csc_matrix((n + 2 * k, n + 2 * k))
    solution = clarabel.DefaultSolver(no_quadratic, objective, matrix, bounds, cones, settings).solve()
    primal, dual = np.nan_to_num(np.array(solution.x)), np.nan_to_num(np.array(solution.z))
    rates = np.maximum(primal[:n], 0.0) * unit / problem.gaps
    multipliers = np.maximum(dual[k + n : k + 2 * n], 0.0) / problem.gaps**2
    return rates, multipliers, np.maximum(dual[:k], 0.0) / scale
