"""The Graves-Lai problem for decision sets that can do no more than maximise: column-and-cut generation (theory §3)."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels import tiers
from semibandits.regret_bound.circulation import thread_pools
from semibandits.regret_bound.cones import cone_program
from semibandits.regret_bound.decision_search import DecisionSearch, simple_ratio
from semibandits.regret_bound.oracle import DecisionPool, Oracle, best_with_each_item
from semibandits.regret_bound.plan import merged_plan
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.pricing_bound import priced, pricing_bound
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.result import GravesLaiResult, Progress
from semibandits.regret_bound.warm_start import DecisionMemory

ACCURACIES = (1e-8, 1e-9, 1e-7)
"""Tolerances of the conic solver, one after the other where rounds no longer help."""
PATIENCE = 4
"""Rounds without gain before the next tolerance."""
REPAIRS = 4
USES = 20
"""A decision enters the master if one of its items is in fewer than so many of those that enter with it."""
SLACK = 0.7
"""Constraints below this value, of decisions that are not played, leave a master of more than `CROWD` rows an item."""
CROWD = 4


class ColumnSolver:
    """One solve. The same decisions are the columns and the rows of the master problem.

    Rounds of: solve the master over some of the decisions met; price its dual prices out (lower bound, new columns); separate
    at its rates, by exact search (upper bound, new rows); add rates until all decisions met hold, and separate again.

    Of the decision set `d`, `m` and `maximize` are used; rewards are Gaussian without a known bound.
    """

    def __init__(self, problem: Problem) -> None:
        self._start, self._problem = tiers.seconds(), problem
        self._gap, self._deadline = problem.gap, problem.deadline
        self._oracle = Oracle(problem.decision_set, problem.theta)
        self._best = best_with_each_item(self._oracle, problem.tolerance)
        self._pool = DecisionPool(self._best.items, problem.decision_set.d)
        first = [self._pool.add(x, float(g))[0] for x, g in zip(self._best.decisions, self._best.gaps, strict=True)]
        self._first = np.array(first, dtype=np.int64)
        self._active = np.unique(self._first)
        self._remember(problem.memory)
        self._twice_variance = 2.0 * problem.variance[self._best.items]
        self._value, self._lower = 0.0, 0.0
        self._rates = np.empty(0)
        self._rounds = self._nodes = 0

    def _remember(self, memory: object) -> None:
        """Begin with the decisions of the last master of an earlier solve, where they still hold items of I."""
        if not isinstance(memory, DecisionMemory) or not len(self._best.items):
            return
        gaps = gaps_below(self._oracle.optimal, memory.decisions, self._oracle.theta)
        known = zip(memory.decisions[gaps > 0.0], gaps[gaps > 0.0], strict=True)
        rows = np.array([self._pool.add(x, float(g))[0] for x, g in known], dtype=np.int64)
        self._active = np.unique(np.concatenate((self._first, rows[rows >= 0])))

    def solve(self) -> GravesLaiResult:
        """Run rounds until the gap is reached, time is up, or nothing helps any more.

        On one thread, so that the result has the same bits wherever it runs.
        """
        with thread_pools().limit(limits=1, user_api="blas"):
            return self._solve()

    def _solve(self) -> GravesLaiResult:
        if len(self._best.items):
            self._begin()
            self._iterate()
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

    def _begin(self) -> None:
        """A bracket without any search (theory T5): each item needs at least v/delta^2, and m times that is enough."""
        v, deltas = self._twice_variance, self._best.gaps
        rates = np.bincount(self._first, v / deltas**2, len(self._pool)).astype(np.float64)
        self._improve(rates, simple_ratio(self._oracle, self._best, v / (rates @ self._pool.contains)))
        self._lower = float((v / deltas).max()) * (1.0 - 1e-12)

    def _done(self) -> bool:
        return self._value - self._lower <= self._gap * self._value

    def _late(self) -> bool:
        return tiers.seconds() > self._deadline

    def _iterate(self) -> None:
        level = idle = 0
        while not self._done() and not self._late():
            before = self._value - self._lower
            added = self._round(ACCURACIES[level])
            idle = 0 if self._value - self._lower < 0.98 * before else idle + 1
            if idle >= PATIENCE or not added:
                level, idle = level + 1, 0
            if level == len(ACCURACIES):
                break

    def _round(self, accuracy: float) -> int:
        """One master problem and what follows from it; the number of decisions that enter the next one."""
        rates, multipliers, prices = self._master(accuracy)
        self._rounds += 1
        self._price(multipliers, prices)
        u = self._twice_variance / (rates @ self._pool.contains[: len(rates)])
        if not self._done():
            # Items of large gaps cost next to nothing, and the conic solver may leave their rates too low.
            near = self._excess(u) <= 1.0 + max(0.3 * self._gap, 0.3 * (1.0 - self._lower / self._value))
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
        # Rates that cost next to nothing are noise of the solver, and would only make the plan long.
        costs = active_rates * gaps
        active_rates[costs < 1e-3 * self._gap * costs.sum() / len(costs)] = 0.0
        rates = np.zeros(len(self._pool))
        rates[active] = active_rates
        # Each item needs at least v/delta^2, which the solver may lose where large gaps stand beside small ones.
        need = self._twice_variance / self._best.gaps**2
        lack = need - rates @ self._pool.contains
        np.add.at(rates, self._first, np.where(lack > 0.01 * need, lack, 0.0))
        self._forget(active_rates, contains, gaps)
        return rates, multipliers, prices

    def _forget(self, rates: FloatArray, contains: FloatArray, gaps: FloatArray) -> None:
        """Drop decisions that neither bind nor are played from a crowded master; they stay in the pool."""
        self._solved = self._active
        if len(self._active) <= CROWD * len(self._twice_variance):
            return
        item_rates = np.maximum(rates @ contains, np.finfo(float).tiny)
        values = contains @ (self._twice_variance / item_rates) / gaps**2
        keep = (values > SLACK) | (rates > 0) | np.isin(self._active, self._first)
        self._active = self._active[keep]

    def _activate(self, prices: FloatArray, u: FloatArray) -> int:
        """Decisions of the pool that the prices or the constraints call for, the worst first, no item too often."""
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
        """Lower bound from the master's duals; the decisions that are worth more than they cost join the pool."""
        if not (prices > 0).any() or not np.isfinite(prices).all():
            return
        ratio = float((self._pool.contains @ prices / self._pool.gaps).max())
        outcome = priced(self._oracle, self._best, prices, ratio)
        for x in outcome.met:
            self._meet(x)
        contains, gaps = self._pool.contains[self._solved], self._pool.gaps[self._solved]
        bound = pricing_bound(contains, gaps, self._twice_variance, multipliers, prices, outcome.ratio)
        self._lower = max(self._lower, bound)
        weights = self._oracle.theta.copy()
        weights[self._best.items] += prices
        nothing: IntArray = np.empty(0, dtype=np.int64)
        for item in self._best.items:
            if self._late():
                return
            x = self._oracle.best_with(weights, np.array([item]), nothing)
            if x is not None:
                self._meet(x)

    def _meet(self, x: np.ndarray) -> None:
        self._pool.add(x, self._oracle.gap(x))

    def _excess(self, u: FloatArray) -> float:
        """The worst ratio of a decision in the pool."""
        return float((self._pool.contains @ u / self._pool.gaps**2).max())

    def _separate(self, rates: FloatArray) -> float:
        """Exact worst ratio of the rates, and with it an upper bound."""
        u = self._twice_variance / (rates @ self._pool.contains[: len(rates)])
        slack = min(0.05, max(0.2 * self._gap, 0.05 * (1.0 - self._lower / self._value)))
        outcome = DecisionSearch(self._oracle, self._best, self._pool, u, slack, self._deadline).run()
        self._nodes += outcome.nodes
        self._improve(rates, outcome.ratio)
        return outcome.ratio

    def _improve(self, rates: FloatArray, ratio: float) -> None:
        cost = math.fsum(rates * self._pool.gaps[: len(rates)])
        if self._value == 0.0 or ratio * cost < self._value:
            self._value, self._rates = ratio * cost, ratio * rates

    def _repair(self, rates: FloatArray) -> None:
        """Upper bounds from these rates, and from them raised until all decisions met hold, a few times."""
        for _ in range(REPAIRS):
            ratio = self._separate(rates)
            cost = math.fsum(rates * self._pool.gaps[: len(rates)])
            near = ratio - 1.0 <= max(0.3 * self._gap, 0.5 * (1.0 - self._lower / cost))
            if near or self._done() or self._late():
                return
            rates = self._raised(rates)

    def _raised(self, rates: FloatArray) -> FloatArray:
        """Rates of violated decisions raised, the worst first, until each holds by itself."""
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
