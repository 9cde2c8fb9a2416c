"""The Graves-Lai problem for decision sets known only through `maximize`: column-and-cut generation."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.threads import one_thread
from semibandits.regret_bound.certificates.pricing_bound import priced, pricing_bound, without_large
from semibandits.regret_bound.cuts.cones import cone_program
from semibandits.regret_bound.cuts.decision_search import DecisionSearch, simple_ratio
from semibandits.regret_bound.cuts.oracle import NOTHING, DecisionPool, Oracle, best_with_each_item
from semibandits.regret_bound.cycles.warm_start import DecisionMemory
from semibandits.regret_bound.plan import merged_plan
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.result import GravesLaiResult, Progress

ACCURACIES = (1e-8, 1e-9, 1e-7)
"""Tolerances of the conic solver. The next one is used when rounds no longer help."""
PATIENCE = 4
"""Rounds without progress before the next tolerance."""
REPAIRS = 4
USES = 20
"""A decision enters the master if one of its items is in fewer than this number of the decisions that enter with it."""
SLACK = 0.7
"""Constraints of unplayed decisions leave a master of more than `CROWD` rows per item if their value is below this."""
CROWD = 4


class ColumnSolver:
    """One solve. The columns and the rows of the master problem are the same decisions.

    Each round solves the master over some decisions of the pool, prices out its dual prices (lower bound, new columns), separates
    at its rates by exact search (upper bound, new rows), adds rates until the constraints of all decisions in the pool hold, and
    separates again.

    Only `d`, `m` and `maximize` of the decision set are used. Rewards are Gaussian without a known bound.
    """

    def __init__(self, problem: Problem) -> None:
        self._start, self._problem = tiers.seconds(), problem
        self._gap, self._deadline = problem.gap, problem.deadline
        self._oracle = Oracle(problem.decision_set, problem.theta)
        self._best = best_with_each_item(self._oracle, problem.tie_tolerance, problem.set_up_by)
        self._pool = DecisionPool(self._best.items, problem.decision_set.d)
        first = [self._pool.add(x, float(g))[0] for x, g in zip(self._best.decisions, self._best.gaps, strict=True)]
        self._first = np.array(first, dtype=np.int64)
        self._active = np.unique(self._first)
        if isinstance(problem.memory, DecisionMemory) and len(self._best.items):
            # Start with the decisions of the last master of an earlier solve that still contain items of I.
            earlier = problem.memory.decisions
            gaps = gaps_below(self._oracle.optimal, earlier, self._oracle.theta)
            known = zip(earlier[gaps > 0.0], gaps[gaps > 0.0], strict=True)
            rows = np.array([self._pool.add(x, float(g))[0] for x, g in known], dtype=np.int64)
            self._active = np.unique(np.concatenate((self._first, rows[rows >= 0])))
        self._twice_variance = 2.0 * problem.variance[self._best.items]
        self._value, self._lower = 0.0, 0.0
        self._rates = np.empty(0)
        self._rounds = self._nodes = 0

    def solve(self) -> GravesLaiResult:
        """Run rounds until the gap is reached, time is up, or there is no more progress.

        One thread is used, so that the result has the same bits everywhere.
        """
        with one_thread():
            return self._solve()

    def _solve(self) -> GravesLaiResult:
        if len(self._best.items):
            self._run()
        plan = merged_plan(self._pool.decisions[: len(self._rates)], self._rates)
        stats = {
            "rounds": self._rounds,
            "decisions": len(self._pool),
            "oracle_calls": self._oracle.calls,
            "nodes": self._nodes,
            "seconds": tiers.seconds() - self._start,
        }
        return self._problem.result(
            "columns", Bracket(self._value, self._lower, plan), self._oracle.optimal, self._best.suboptimal, stats,
            memory=DecisionMemory(self._pool.decisions[self._active]),
        )  # fmt: skip

    def _run(self) -> None:
        """Run rounds until the gap is reached, time is up, or the last tolerance of the conic solver brings no progress.

        The initial bracket needs no search (theory T5): each item needs at least v/delta^2, and m times that is enough.
        """
        v, deltas = self._twice_variance, self._best.gaps
        rates = np.bincount(self._first, v / deltas**2, len(self._pool)).astype(np.float64)
        self._improve(rates, simple_ratio(self._oracle, self._best, v / (rates @ self._pool.contains)))
        self._lower = float((v / deltas).max()) * (1.0 - 1e-12)
        level = idle = 0
        while not self._done() and not self._late():
            before = self._value - self._lower
            added = self._round(ACCURACIES[level])
            idle = 0 if self._value - self._lower < 0.98 * before else idle + 1
            if idle >= PATIENCE or not added:
                level, idle = level + 1, 0
            if level == len(ACCURACIES):
                break

    def _done(self) -> bool:
        return self._value - self._lower <= self._gap * self._value

    def _late(self) -> bool:
        return tiers.seconds() > self._deadline

    def _round(self, accuracy: float) -> int:
        """Solve one master problem and update both bounds; return the number of decisions that enter the next master."""
        rates, multipliers, prices = self._master(accuracy)
        self._rounds += 1
        self._price(multipliers, prices)
        u = self._twice_variance / (rates @ self._pool.contains[: len(rates)])
        if not self._done():
            # The rates of items with large gaps cost almost nothing, and the conic solver may leave them too low.
            excess = float((self._pool.contains @ u / self._pool.gaps**2).max())
            near = excess <= 1.0 + max(0.3 * self._gap, 0.3 * (1.0 - self._lower / self._value))
            self._repair(rates if near else self._raised(rates))
        if self._problem.progress is not None:
            seconds = tiers.seconds() - self._start
            self._problem.progress(Progress(self._rounds, len(self._pool), self._lower, self._value, seconds))
        return self._activate(prices, u)

    # ------------------------------------------------------------------ master

    def _master(self, accuracy: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rates of the decisions in the pool, multipliers of the active ones, prices of the items."""
        active = self._active
        contains, gaps = self._pool.contains[active], self._pool.gaps[active]
        active_rates, multipliers, prices = cone_program(
            contains, gaps, contains, gaps**2, self._twice_variance, accuracy, self._deadline
        )
        # Rates that cost almost nothing are solver noise and would only lengthen the plan.
        costs = active_rates * gaps
        active_rates[costs < 1e-3 * self._gap * costs.sum() / len(costs)] = 0.0
        rates = np.zeros(len(self._pool))
        rates[active] = active_rates
        # Each item needs at least v/delta^2. The solver may miss that if there are both large and small gaps.
        need = self._twice_variance / self._best.gaps**2
        lack = need - rates @ self._pool.contains
        np.add.at(rates, self._first, np.where(lack > 0.01 * need, lack, 0.0))
        self._solved = active
        if len(active) > CROWD * len(self._twice_variance):
            # Decisions that neither bind nor are played leave a large master. They stay in the pool.
            item_rates = np.maximum(active_rates @ contains, np.finfo(float).tiny)
            values = contains @ (self._twice_variance / item_rates) / gaps**2
            self._active = active[(values > SLACK) | (active_rates > 0) | np.isin(active, self._first)]
        return rates, multipliers, prices

    def _activate(self, prices: FloatArray, u: FloatArray) -> int:
        """Activate decisions of the pool that price out or are violated, the worst first, limiting the uses of each item."""
        contains, gaps = self._pool.contains, self._pool.gaps
        fresh: list[int] = []
        known = np.zeros(len(self._pool), dtype=np.bool_)
        known[self._active] = True
        for score in (contains @ prices / gaps, contains @ u / gaps**2):
            uses = np.zeros(len(prices), dtype=np.int64)
            wanted = np.flatnonzero(~known & (score > 1.0 + 0.05 * self._gap))
            for row in wanted[np.argsort(-score[wanted], kind="stable")]:
                held = contains[row] > 0
                if (uses[held] < USES).any():
                    uses[held] += 1
                    known[row] = True
                    fresh.append(int(row))
        self._active = np.append(self._active, np.array(fresh, dtype=np.int64))
        return len(fresh)

    # ------------------------------------------------------------------ bounds

    def _price(self, multipliers: FloatArray, prices: FloatArray) -> None:
        """Lower bound from the duals of the master. Decisions that are worth more than they cost join the pool."""
        if not (prices > 0).any() or not np.isfinite(prices).all():
            return
        contains, gaps = self._pool.contains[self._solved], self._pool.gaps[self._solved]
        prices = without_large(prices, np.sqrt(self._twice_variance * (multipliers @ contains) * prices), self._gap)
        ratio = float((self._pool.contains @ prices / self._pool.gaps).max())
        outcome = priced(self._oracle, self._best, prices, ratio)
        for x in outcome.met:
            self._add(x)
        bound = pricing_bound(contains, gaps, self._twice_variance, multipliers, prices, outcome.ratio)
        self._lower = max(self._lower, bound)
        weights = self._oracle.theta.copy()
        weights[self._best.items] += prices
        for item in self._best.items:
            if self._late():
                return
            x = self._oracle.best_with(weights, np.array([item]), NOTHING)
            if x is not None:
                self._add(x)

    def _add(self, x: np.ndarray) -> None:
        self._pool.add(x, self._oracle.gap(x))

    def _improve(self, rates: FloatArray, ratio: float) -> None:
        cost = math.fsum(rates * self._pool.gaps[: len(rates)])
        if self._value == 0.0 or ratio * cost < self._value:
            self._value, self._rates = ratio * cost, ratio * rates

    def _repair(self, rates: FloatArray) -> None:
        """Update the upper bound from these rates; then a few times raise them until the pool's constraints hold, and repeat."""
        for _ in range(REPAIRS):
            u = self._twice_variance / (rates @ self._pool.contains[: len(rates)])
            slack = min(0.05, max(0.2 * self._gap, 0.05 * (1.0 - self._lower / self._value)))
            outcome = DecisionSearch(self._oracle, self._best, self._pool, u, slack, self._deadline).run()
            self._nodes += outcome.nodes
            self._improve(rates, outcome.ratio)
            cost = math.fsum(rates * self._pool.gaps[: len(rates)])
            near = outcome.ratio - 1.0 <= max(0.3 * self._gap, 0.5 * (1.0 - self._lower / cost))
            if near or self._done() or self._late():
                return
            rates = self._raised(rates)

    def _raised(self, rates: FloatArray) -> FloatArray:
        """Raise the rates of violated decisions, the worst first, each until its own constraint holds."""
        contains, gaps, v = self._pool.contains, self._pool.gaps, self._twice_variance
        rates = np.append(rates, np.zeros(len(self._pool) - len(rates)))
        item_rates = rates @ contains
        ratios = contains @ (v / item_rates) / gaps**2
        for row in np.argsort(-ratios, kind="stable")[: int((ratios > 1.0).sum())]:
            held = contains[row] > 0
            extra = _needed(v[held], item_rates[held], gaps[row] ** 2)
            rates[row] += extra
            item_rates[held] += extra
        return rates


def _needed(v: FloatArray, item_rates: FloatArray, limit: float) -> float:
    """Smallest t >= 0 with ``sum v / (item_rates + t) <= limit``: Newton's method, from below, on a convex function."""
    t = 0.0
    for _ in range(100):
        terms = v / (item_rates + t)
        excess = float(terms.sum()) - limit
        if excess <= 1e-12 * limit:
            break
        t += excess / float((terms / (item_rates + t)).sum())
    return t
