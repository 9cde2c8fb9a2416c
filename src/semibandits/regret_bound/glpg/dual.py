"""Lower bound from the multipliers of GLPG, with prices from a small cone program, proved with P_LM (theory T4)."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.kernels.machine import tiers
from semibandits.regret_bound.certificates.pricing_bound import priced, pricing_bound
from semibandits.regret_bound.cuts.cones import cone_program
from semibandits.regret_bound.cuts.oracle import DecisionPool, Oracle
from semibandits.regret_bound.glpg.reduction import ReducedProblem
from semibandits.regret_bound.timing import SHORTLY

MAX_ROUNDS = 30
ACCURACY = 1e-8
"""Accuracy of the cone program."""
SLACK = 1e-6
"""Prices that exceed gaps by at most this share are scaled down instead of solved for again."""


class DualBound:
    """Lower bounds on C(theta) from successive multipliers.

    The best prices for given multipliers maximise ``sum_i sqrt(v_i y_i p_i)`` subject to ``p · x <= gap_x``. Over the decisions
    found so far this is a cone program, P_LM finds the decision whose row is violated most, and finally prices are divided by the
    ratio that P_LM proves. The bound is the Lagrangian dual function, so errors of the multipliers only have a second-order
    effect. After `deadline`, a value of `tiers.seconds`, prices are not improved.
    """

    def __init__(self, problem: ReducedProblem, deadline: float = math.inf) -> None:
        self._problem, self.deadline = problem, deadline
        self._oracle = Oracle(problem.decision_set, problem.theta)
        self._oracle.optimal = problem.optimal_decision
        self._pool = DecisionPool.of(problem.best)
        self.best = 0.0

    def __len__(self) -> int:
        return len(self._pool)

    def update(self, decisions: BoolArray, gaps: FloatArray, multipliers: FloatArray) -> float:
        """Update with multipliers mu_x >= 0, in any scale, and return the best bound so far."""
        rows = np.array([self._pool.add(x, float(gap))[0] for x, gap in zip(decisions, gaps, strict=True)], dtype=np.int64)
        mu = np.zeros(len(self._pool))
        np.add.at(mu, rows, multipliers)
        v = self._problem.twice_variance
        y = mu @ self._pool.contains
        live = np.flatnonzero(y > 0)
        if not len(live):
            return self.best
        limit = np.array([y @ self._problem.best.gaps**2])
        for _ in range(MAX_ROUNDS):
            contains, pool_gaps = self._pool.contains, self._pool.gaps
            # Prices of the cheapest rates w with sum_i y_i v_i / w_i <= 1, in any scale; 0 for items with y = 0.
            held, prices = contains[:, live], np.zeros(len(y))
            some, deadline = held.any(axis=1), max(self.deadline, tiers.seconds() + SHORTLY)
            _, _, prices[live] = cone_program(held[some], pool_gaps[some], y[None, live], limit, v[live], ACCURACY, deadline)
            outcome = priced(self._oracle, self._problem.best, prices, 1.0)
            all_mu = np.append(mu, np.zeros(len(pool_gaps) - len(mu)))
            self.best = max(self.best, pricing_bound(contains, pool_gaps, v, all_mu, prices, max(outcome.ratio, 1e-300)))
            known = len(self._pool)
            for x in outcome.met:
                self._pool.add(x, self._oracle.gap(x))
            if outcome.ratio <= 1.0 + SLACK or len(self._pool) == known or tiers.seconds() > self.deadline:
                break
        return self.best
