"""The Graves-Lai problem as a practitioner would first write it: all decisions listed in a modelling tool, unscaled."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from instances import listed_matchings


@dataclass(frozen=True)
class DirectSolve:
    """Result of the modelling tool, checked against the listed decisions."""

    seconds: float
    value: float
    status: str
    worst_row: float
    """Largest left side over right side of a constraint at the rates returned: at most 1 if they are feasible."""

    def outside(self, lower: float, upper: float) -> float:
        """Signed relative distance of the value from a bracket; 0 within it, nan if there is no value."""
        if not np.isfinite(self.value):
            return float("nan")
        return max(0.0, self.value / upper - 1.0) + min(0.0, self.value / lower - 1.0)


def solve_matchings(n: int, theta: np.ndarray, *, one_by_one: bool = False) -> DirectSolve:
    """P_GL over all n! perfect matchings at variance 1/2, through CVXPY and Clarabel with their defaults.

    The unknowns are the rate alpha of each decision and the rate w of each item that is not in the best one:

        minimise gaps'alpha   subject to   w = items'alpha,   sum of 1/w over the items of x <= gap_x^2 for all x except the best.

    The constraints are written as one product with a sparse matrix, which is fastest in the tool, or `one_by_one`, as in the
    paper. The time includes listing, modelling and solving.
    """
    start = time.perf_counter()
    decisions = listed_matchings(n)
    rewards = decisions @ theta
    best = int(rewards.argmax())
    items = np.flatnonzero(decisions[[best]].toarray().ravel() == 0)
    others = np.flatnonzero(np.arange(len(rewards)) != best)
    gaps, contains = rewards[best] - rewards[others], decisions[others][:, items]
    alpha = cp.Variable(len(gaps), nonneg=True)
    w = cp.Variable(len(items))
    if one_by_one:
        rows = [contains[[x]].indices for x in range(len(gaps))]
        constraints = [cp.sum(cp.inv_pos(w[row])) <= gap**2 for row, gap in zip(rows, gaps, strict=True)]
    else:
        constraints = [contains @ cp.inv_pos(w) <= gaps**2]
    problem = cp.Problem(cp.Minimize(gaps @ alpha), [w == contains.T @ alpha, *constraints])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Solution may be inaccurate")
        try:
            problem.solve(solver=cp.CLARABEL)
        except cp.error.SolverError:
            return DirectSolve(time.perf_counter() - start, np.nan, "failed", np.nan)
    seconds = time.perf_counter() - start
    rates = contains.T @ np.maximum(alpha.value, 0.0)
    return DirectSolve(seconds, float(problem.value), problem.status, worst_row(contains, gaps, rates))


def worst_row(contains, gaps: np.ndarray, rates: np.ndarray) -> float:
    """Largest ``sum 1/w / gap^2`` of a decision."""
    with np.errstate(divide="ignore"):
        return float(((contains @ (1.0 / rates)) / gaps**2).max())


def worst_row_of(result) -> float:
    """The same at the rates of a result of `sb.graves_lai` for perfect matchings, over all matchings."""
    n = result.decision_set.m
    decisions = listed_matchings(n)
    rewards = decisions @ result.theta
    items = np.flatnonzero(result.suboptimal_items)
    others = np.flatnonzero(np.arange(len(rewards)) != rewards.argmax())
    return worst_row(decisions[others][:, items], rewards.max() - rewards[others], result.rates[items])
