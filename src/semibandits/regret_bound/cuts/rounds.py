"""Cutting planes for the semi-infinite linear program of any law: one loop for listed decisions and for routes.

For every constraint, a decision or a detour, and all raises e >= 0 of its items with ``sum e >= gap``, the rates w of items must
satisfy ``sum of w_i d(theta_i, theta_i + e_i) >= 1``. The program in the rates of known decisions, the *columns*, is solved for
some raises of known constraints, the *rows*. The cheapest raises of every row, at points between the solution and the best
feasible point, are added as cuts. Bounds are computed from the output of the solver in plain numpy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.machine import tiers
from semibandits.laws import Law
from semibandits.regret_bound.plan import cover_rates
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.raises import cheapest_raises, stretched
from semibandits.regret_bound.rates import LAST_DIGITS, first_rates, rates_shared
from semibandits.regret_bound.result import Progress

MAX_ROUNDS = 300
CUTS = 150
"""Largest number of cuts that a point adds, the most violated ones."""
POINTS = (0.95, 0.5)
"""Points at which to cut, between the best feasible point (0) and the solution of the linear program (1)."""
DENSE = 2_000_000
"""Number of entries up to which the linear program uses a dense matrix."""
LEAST_WORTH, MOST_WORTH = 1e-8, 1e7
"""Range of the entries of that matrix: smaller and larger ones make no difference to the cost."""
ROUNDING = 1e-11
"""Bound on the relative error of constraint values and sums of products."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Decisions, or parts of them that a constraint or a column is about, by their suboptimal items."""

    contains: BoolArray  # (n, k): suboptimal items of each; walks may contain an item several times
    gaps: FloatArray  # (n,)
    theta: FloatArray  # (k,)
    law: Law  # of these items

    @cached_property
    def item_gaps(self) -> FloatArray:
        """Gap of the best decision with each item, (k,)."""
        gaps: FloatArray = np.where(self.contains, self.gaps[:, None], np.inf).min(axis=0)
        return gaps

    @property
    def first_rates(self) -> FloatArray:
        """Approximate least rate of each item, (k,); 1 for items that cannot rise, which need no plays."""
        rates = np.ones(len(self.theta))
        able = np.flatnonzero(self.law.reach(self.theta) > 0.0)
        rates[able] = first_rates(self.law.take(able), self.theta[able], self.item_gaps[able])
        return rates

    def take(self, rows: IntArray | BoolArray) -> Listed:
        """Some of them."""
        return Listed(self.contains[rows], self.gaps[rows], self.theta, self.law)

    def joined(self, contains: Any, gaps: FloatArray) -> Listed:
        """These and more of them."""
        return Listed(np.vstack((self.contains, contains)), np.append(self.gaps, gaps), self.theta, self.law)

    @cached_property
    def simple_rates(self) -> FloatArray:
        """Rates that are enough if any items of a decision rise together, (k,)."""
        return rates_shared(self.law, self.theta, self.item_gaps, int(self.sizes.max()))

    @cached_property
    def sizes(self) -> IntArray:
        """Number of suboptimal items of each decision, (n,)."""
        return np.asarray(self.contains.sum(axis=1))

    def raises(self, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Least information of each decision, (n,), rounded down, and its cheapest raises, (n, k)."""
        rows, items = np.nonzero(self.contains)
        found = cheapest_raises(self.law, self.theta, rates, rows, items, self.gaps)
        values, table = found.values.copy(), np.zeros(self.contains.shape)
        table[rows, items] = found.raises
        finite = np.isfinite(values)
        # Values are differences of s gap and conjugates, which are far larger than the value near the end of a reach.
        values[finite] -= LAST_DIGITS * (self.sizes[finite] + 2) * found.prices[finite] * self.gaps[finite]
        return values, table

    def scaled(self, rates: FloatArray, least: float) -> tuple[float, FloatArray]:
        """Cost of rates of the first ones once they are divided by this information, and these rates; infinite if it may be 0."""
        if least <= 0.0:
            return math.inf, rates
        rates = rates * ((1.0 + ROUNDING) / least)
        return math.fsum(rates * self.gaps[: len(rates)]), rates

    def cuts(self, values: FloatArray, raises: FloatArray) -> FloatArray:
        """Divergences of raises of the decisions of least information, stretched until they surely add up to the gap."""
        worst = np.argsort(values, kind="stable")[:CUTS]
        worst = worst[np.isfinite(values[worst]) & raises[worst].any(axis=1)]
        rows, items = np.nonzero(self.contains[worst])
        law, theta = self.law.take(items), self.theta[items]
        table = np.zeros((len(worst), len(self.theta)))
        table[rows, items] = law.divergence(theta, stretched(law, theta, raises[worst][rows, items], rows, self.gaps[worst]))
        return table[np.isfinite(table).all(axis=1)]


class CutRounds(ABC):
    """Rounds of a linear program over columns under cuts of rows, until the bracket is narrow or nothing helps.

    The columns are the decisions that may be played, the rows those whose constraints are cut; subclasses may find more of both.
    The values of `tiers.seconds` are `start` at the start, and `stop_at` after which no round begins.
    """

    share: ClassVar[float]
    """Share of the gap at which the best rates are proved."""
    patience: ClassVar[int]
    """Rounds in succession with a bracket that hardly narrows, after which `prove` is the last resort."""
    finds_rows: ClassVar[bool]
    """Whether `search` or `prove` add rows, so that the best rates must be checked again."""
    near: ClassVar[float]
    """Rows of more information than this times the least are not cut."""
    loose: ClassVar[float]
    """Cuts of more information than this at the solution are dropped, if they have no multiplier."""

    def __init__(self, columns: Listed, rows: Listed, problem: Problem, start: float, stop_at: float) -> None:
        self.columns, self.rows, self.problem, self.start, self.stop_at = columns, rows, problem, start, stop_at
        # Rates of columns that satisfy the constraints of all known rows, shape (n,), and their cost.
        self.best, self.estimate = np.empty(0), math.inf
        # Rates of columns that are proved to be feasible, shape (n,), their cost, and a proved lower bound on the cost of
        # feasible rates.
        self.rates, self.value, self.lower = np.empty(0), math.inf, 0.0
        self.rounds = 0  # number of rounds so far

    @abstractmethod
    def price(self, multipliers: FloatArray, cuts: FloatArray) -> None:
        """Improve the lower bound by multipliers of the cuts, and add columns that are worth more than they cost."""

    @abstractmethod
    def search(self, plays: FloatArray) -> None:
        """Add rows that these rates of items violate."""

    @abstractmethod
    def prove(self) -> bool:
        """Prove that the best rates are feasible; whether to go on, with rows that the proof has added."""

    @property
    def relaxed(self) -> Listed | None:
        """Columns of a relaxation, for a second solution of each round that is only priced."""
        return None

    @property
    def is_late(self) -> bool:
        """Whether the time for rounds is over."""
        return tiers.seconds() > self.stop_at

    def run(self) -> None:
        """Run rounds."""
        start = self.best = cover_rates(self.columns.contains, self.columns.gaps, self.columns.first_rates)
        cuts, idle = self._cuts([start]), 0
        while self.estimate > 0.0 and self.rounds < MAX_ROUNDS and not self.is_late:
            self.rounds += 1
            before, scale = self.estimate - self.lower, min(self.estimate, self.value)
            # Item rates vary by many orders of magnitude. Relative to feasible rates, all are about 1.
            plays = self.plays(self.best) + 1e-6 * self.plays(start)
            unit = 1.0 / np.where(plays > 0.0, plays, 1.0)
            solved = program(self.columns, cuts, unit, scale, self.stop_at)
            if solved is None:
                break
            rates, multipliers = solved
            self.price(multipliers, cuts)
            relaxed = self.relaxed
            if relaxed is not None and (again := program(relaxed, cuts, unit, scale, self.stop_at)) is not None:
                self.price(again[1], cuts)
            slack = (cuts @ self.plays(rates) > self.loose) & (multipliers <= 0.0)
            best = self._padded(self.best, len(rates))
            points = [share * rates + (1.0 - share) * best for share in POINTS]
            for point in points:
                if not self.is_late:
                    self.search(self.plays(point))
            cuts = np.concatenate((cuts[~slack], self._cuts([*points, best] if self.finds_rows else points)))
            idle = 0 if self.estimate - self.lower < 0.98 * before else idle + 1
            if self.problem.progress is not None:
                now, upper = tiers.seconds() - self.start, min(self.estimate, self.value)
                self.problem.progress(Progress(self.rounds, len(self.rows.gaps), self.lower, upper, now))
            # Whether the bracket of the known rows is narrow enough for a proof.
            is_narrow = self.estimate - self.lower <= self.share * self.problem.gap * self.estimate < math.inf
            if is_narrow or idle >= self.patience:
                if not self.prove():
                    return
                cuts, idle = np.concatenate((cuts, self._cuts([self.best]))), 0
        self.prove()

    def plays(self, rates: FloatArray) -> FloatArray:
        """Rate of each item under rates of the first columns."""
        return rates @ self.columns.contains[: len(rates)]

    @staticmethod
    def _padded(rates: FloatArray, count: int) -> FloatArray:
        return np.append(rates, np.zeros(count - len(rates)))

    def _cuts(self, points: list[FloatArray]) -> FloatArray:
        """Cuts of the rows at these rates; the best of them, scaled so that no known row is violated, is kept."""
        parts = []
        if self.finds_rows:
            self.estimate = math.inf
        for point in points:
            point = self._padded(point, len(self.columns.gaps))
            values, raises = self.rows.raises(self.plays(point))
            if values.min() <= 0.0:  # new rows, none of whose items are played
                missed = self.rows.contains[values <= 0.0].any(axis=0) & (self.plays(point) <= 0.0)
                needs = np.where(missed, self.columns.first_rates, 0.0)
                point = point + cover_rates(self.columns.contains, self.columns.gaps, needs)
                values, raises = self.rows.raises(self.plays(point))
            cost, scaled = self.columns.scaled(point, float(values.min()))
            if cost < self.estimate:
                self.estimate, self.best = cost, scaled
            near = values < self.near * max(1.0, float(values.min()))
            parts.append(self.rows.take(near).cuts(values[near], raises[near]))
        return np.concatenate(parts)


def program(
    listed: Listed, cuts: FloatArray, unit: FloatArray, scale: float, deadline: float
) -> tuple[FloatArray, FloatArray] | None:
    """Cheapest rates that satisfy the cuts, and multipliers. The variables are rate * gap / scale.

    None if the solver fails, or has no solution at the value `deadline` of `tiers.seconds`. Large programs also have a variable
    ``w_i * unit_i`` for each item, so that their matrix stays sparse.
    """
    n, k, columns, shares = len(listed.gaps), 0, scale / listed.gaps, np.ones(len(cuts))
    matrix: Any
    if len(cuts) * n <= DENSE:
        # What a unit of spending on each decision contributes to each cut. Beyond a limit, larger entries make no difference to
        # the cost but would cost the solver digits. The multipliers of such cuts are too large by what they lack.
        with np.errstate(over="ignore", invalid="ignore"):
            worth = np.nan_to_num(cuts @ listed.contains.T * columns)
        shares = MOST_WORTH / np.maximum(worth.max(axis=1, initial=0.0), MOST_WORTH)
        matrix = -np.where(worth > LEAST_WORTH, np.minimum(worth, MOST_WORTH), 0.0)
    else:
        k = len(unit)
        plays = sparse.csr_array(listed.contains.T * columns * unit[:, None])
        limited = sparse.csr_array(np.hstack((np.zeros((len(cuts), n)), -cuts / unit)))
        matrix = sparse.vstack((sparse.hstack((-plays, sparse.eye_array(k))), limited))
    objective, limits = np.append(np.ones(n), np.zeros(k)), np.append(np.zeros(k), -np.ones(len(cuts)))
    from scipy.optimize import linprog

    left = max(deadline - tiers.seconds(), 1e-3)
    options: Any = {"time_limit": left} if math.isfinite(left) else {}
    solution = linprog(objective, A_ub=matrix, b_ub=limits, method="highs", options=options)
    if solution.status != 0 or solution.x is None:
        return None
    multipliers = np.maximum(-solution.ineqlin.marginals[k:], 0.0) * shares * scale
    return np.maximum(solution.x[:n], 0.0) * scale / listed.gaps, multipliers
