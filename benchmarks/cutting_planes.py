"""A cutting-plane method for the Graves-Lai problem in CVXPY, with the worst decision from a mixed-integer solver."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import semibandits as sb

TOLERANCE = 2e-5
"""Of u(x) - gap_x^2, in units of the smallest gap squared."""
Worst = Callable[[int, np.ndarray, np.ndarray, float, np.ndarray, float], np.ndarray | None]
"""The matching other than the best with the largest u(x) - gap_x^2, of n, u, theta, the optimum, the best one, and seconds."""


def with_cuts(
    decision_set: sb.Matchings, theta: np.ndarray, gap: float, limit: float, worst: Worst
) -> tuple[float, float, float, int]:
    """Lower and upper value, processor seconds and cuts; neither value is certified.

    The master problem has the rates of items, as flows of decisions: rates lie in the cone of the matchings, all rows and columns
    of which have the same sum. `worst` maximises u(x) - gap_x^2 over the matchings; the rates, scaled until no decision violates
    its constraint, are an upper value. Gaps are passed in units of the smallest, so that tolerances of the solver do not matter.
    """
    import cvxpy as cp

    n = decision_set.m
    best = decision_set.maximize(theta)
    optimum, items = float(theta @ best), np.flatnonzero(~best)
    place = {int(item): k for k, item in enumerate(items)}
    rates, total = cp.Variable(n * n, nonneg=True), cp.Variable(nonneg=True)
    table = cp.reshape(rates, (n, n), order="C")
    flow = [cp.sum(table, axis=0) == total, cp.sum(table, axis=1) == total]
    cost = optimum * total - theta @ rates
    rows: list[Any] = []
    gaps_alone = np.empty(len(items))
    for k, item in enumerate(items):
        push = theta.copy()
        push[item] += 10.0 * n
        x = decision_set.maximize(push)
        gaps_alone[k] = optimum - float(theta @ x)
        rows.append((np.array([place[int(i)] for i in np.flatnonzero(x & ~best)]), gaps_alone[k]))
    start, lower, upper, cuts = time.process_time(), 0.0, np.inf, 0
    units, smallest = gaps_alone**2, gaps_alone.min()
    while (left := limit - (time.process_time() - start)) > 0.0:
        scaled = cp.inv_pos(cp.multiply(rates[items], units))
        constraints = flow + [cp.sum(cp.multiply(units[on], scaled[on])) / worth**2 <= 1.0 for on, worth in rows]
        problem = cp.Problem(cp.Minimize(cost), constraints)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                problem.solve(solver=cp.CLARABEL)
            except cp.error.SolverError:
                break
        if rates.value is None:
            break
        lower = max(lower, float(problem.value))
        u = np.zeros(n * n)
        u[items] = 1.0 / np.maximum(rates.value[items], 1e-300)
        x = worst(n, u / smallest**2, theta / smallest, optimum / smallest, best, left)
        if x is None:
            break
        worth = optimum - float(theta @ x)
        ratio = float(u @ x) / worth**2
        upper = min(upper, max(ratio, 1.0) * float(problem.value))
        if upper - lower <= gap * upper:
            break
        rows.append((np.array([place[int(i)] for i in np.flatnonzero(x & ~best)]), worth))
        cuts += 1
    return lower, upper, time.process_time() - start, cuts


def worst_by_scip(
    n: int, u: np.ndarray, theta: np.ndarray, optimum: float, best: np.ndarray, seconds: float
) -> np.ndarray | None:
    """One convex mixed-integer problem in SCIP."""
    from pyscipopt import Model, quicksum

    model = Model()
    model.hideOutput()
    model.setParam("limits/time", max(seconds, 0.1))
    model.setParam("limits/absgap", TOLERANCE)
    x = [model.addVar(vtype="B") for _ in range(n * n)]
    square, lost = model.addVar(lb=0.0), model.addVar(lb=0.0)
    for k in range(n):
        model.addCons(quicksum(x[k * n + j] for j in range(n)) == 1)
        model.addCons(quicksum(x[i * n + k] for i in range(n)) == 1)
    model.addCons(lost == optimum - quicksum(float(theta[i]) * x[i] for i in range(n * n)))
    model.addCons(square >= lost * lost)
    model.addCons(quicksum(x[i] for i in np.flatnonzero(best).tolist()) <= n - 1)
    model.setObjective(quicksum(float(u[i]) * x[i] for i in np.flatnonzero(u).tolist()) - square, "maximize")
    model.optimize()
    if not model.getNSols():
        return None
    return np.array([model.getVal(one) > 0.5 for one in x])


def worst_by_highs(
    n: int, u: np.ndarray, theta: np.ndarray, optimum: float, best: np.ndarray, seconds: float
) -> np.ndarray | None:
    """Linear mixed-integer problems in HiGHS, through CVXPY: it has no squares beside integers, so tangents bound gap^2.

    The square s of the gap g is at least 2 a g - a^2 for points a: first the powers of 2, then the gap of each decision found,
    until the bound of that decision is its square.
    """
    import cvxpy as cp

    end = time.process_time() + seconds
    x, square = cp.Variable((n, n), boolean=True), cp.Variable()
    lost = optimum - cp.sum(cp.multiply(theta.reshape(n, n), x))
    constraints = [cp.sum(x, axis=0) == 1, cp.sum(x, axis=1) == 1, cp.sum(x[best.reshape(n, n)]) <= n - 1]
    constraints += [square >= 2.0 * a * lost - a * a for a in 2.0 ** np.arange(np.log2(optimum + 1.0) + 1.0)]
    objective = cp.Maximize(cp.sum(cp.multiply(u.reshape(n, n), x)) - square)
    while (left := end - time.process_time()) > 0.0:
        problem = cp.Problem(objective, constraints)
        problem.solve(solver=cp.HIGHS, time_limit=left, mip_rel_gap=0.0, mip_abs_gap=TOLERANCE, threads=1)
        if x.value is None:
            return None
        found = float(lost.value)
        if found**2 - float(square.value) <= 0.1 * TOLERANCE * found**2:
            return np.asarray(x.value > 0.5).ravel()
        constraints.append(square >= 2.0 * found * lost - found * found)
    return None
