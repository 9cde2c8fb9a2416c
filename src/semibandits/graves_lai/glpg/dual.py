"""Lower bound from the multipliers that GLPG has accumulated: prices by a small cone program, made sound by P_LM (theory T4)."""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray
from semibandits.graves_lai.oracle import DecisionPool, Oracle
from semibandits.graves_lai.pricing_bound import priced, pricing_bound
from semibandits.graves_lai.reduction import ReducedProblem

MAX_ROUNDS = 30
SLACK = 1e-6
"""Prices that buy so little more than allowed are scaled down instead of solved again."""


class DualBound:
    """Lower bounds on C(theta) for one set of multipliers after the other.

    The prices that are best for given multipliers maximise ``sum_i sqrt(v_i y_i p_i)`` subject to ``p · x <= gap_x``; over the
    decisions met so far that is a cone program, P_LM finds the decision that breaks its rows most, and in the end prices are
    divided by the ratio that P_LM proves. The value is that of the Lagrangian dual function, so errors of the multipliers
    count only to second order.
    """

    def __init__(self, problem: ReducedProblem) -> None:
        self._problem = problem
        self._oracle = Oracle(problem.decision_set, problem.theta)
        self._oracle.optimal = problem.optimal_decision
        self._pool = DecisionPool(problem.items, problem.decision_set.d)
        self.best = 0.0
        for x, gap in zip(problem.best.decisions, problem.best.gaps, strict=True):
            self._pool.add(x, float(gap))

    def __len__(self) -> int:
        return len(self._pool)

    def update(self, decisions: BoolArray, gaps: FloatArray, multipliers: FloatArray) -> float:
        """The best bound so far, these multipliers mu_x >= 0 included; any scale."""
        rows = np.array(
            [self._pool.add(x, float(gap))[0] for x, gap in zip(decisions, gaps, strict=True)], dtype=np.int64
        )
        mu = np.zeros(len(self._pool))
        np.add.at(mu, rows, multipliers)
        v, base = self._problem.twice_variance, self._problem.best.gaps
        y = mu @ self._pool.contains
        if not (y > 0).any():
            return self.best
        for _ in range(MAX_ROUNDS):
            contains, pool_gaps = self._pool.contains, self._pool.gaps
            prices = _prices(contains, pool_gaps, v * y, base)
            outcome = priced(self._oracle, self._problem.best, prices, 1.0)
            all_mu = np.append(mu, np.zeros(len(pool_gaps) - len(mu)))
            self.best = max(
                self.best, pricing_bound(contains, pool_gaps, v, all_mu, prices, max(outcome.ratio, 1e-300))
            )
            known = len(self._pool)
            for x in outcome.met:
                self._pool.add(x, self._oracle.gap(x))
            if outcome.ratio <= 1.0 + SLACK or len(self._pool) == known:
                break
        return self.best


def _prices(contains: FloatArray, gaps: FloatArray, weights: FloatArray, base: FloatArray) -> FloatArray:
    """Maximise ``sum_i sqrt(weights_i p_i)`` over ``contains @ p <= gaps, p >= 0``; items of weight 0 get price 0.

    In units of the smallest gap of each item, where all rows are about 1: variables p / base and roots t with t^2 <= p / base.
    """
    live = np.flatnonzero(weights > 0)
    k, n = len(live), len(gaps)
    rows = sparse.hstack([sparse.csr_array(contains[:, live] * base[live] / gaps[:, None]), sparse.csr_array((n, k))])
    cone, item = 3 * np.arange(k), np.arange(k)
    roots = sparse.csr_array(
        (np.repeat((-1.0, -1.0, -2.0), k), (np.concatenate((cone, cone + 1, cone + 2)), np.concatenate((item, item, k + item)))),
        shape=(3 * k, 2 * k),
    )  # fmt: skip
    worth = np.sqrt(weights[live] * base[live])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix((2 * k, 2 * k)),
        np.append(np.zeros(k), -worth / worth.sum()),
        sparse.csc_matrix(sparse.vstack([rows, roots])),
        np.append(np.ones(n), np.tile((1.0, -1.0, 0.0), k)),
        [clarabel.NonnegativeConeT(n), *[clarabel.SecondOrderConeT(3)] * k],
        settings,
    ).solve()
    prices = np.zeros(len(weights))
    prices[live] = np.maximum(np.nan_to_num(np.array(solution.x)[:k]), 0.0) * base[live]
    return prices
