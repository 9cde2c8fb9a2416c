"""Any law over an explicit list of decisions, for small sets.

A semi-infinite linear program in the rates of the decisions: for every decision x, and all raises e >= 0 of its suboptimal items
with ``sum e >= gap(x)``, ``sum of w_i d(theta_i, theta_i + e_i) >= 1``. Cutting planes: solve it for some raises, look for the
cheapest raises of every decision at points between its solution and the best feasible one, and add those.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.graves_lai.enumeration.listing import best_rows, listed
from semibandits.graves_lai.plan import merged_plan
from semibandits.graves_lai.raises import cheapest_raises, check_convex, stretched
from semibandits.graves_lai.rates import LAST_DIGITS, first_rates, rates_shared
from semibandits.graves_lai.result import GravesLaiResult, Status
from semibandits.kernels import tiers
from semibandits.laws import Law

MAX_ROUNDS = 300
CUTS = 150
"""Cuts that a point may add, the most violated ones."""
POINTS = (0.95, 0.5)
"""Where to cut, between the best feasible point (0) and the solution of the linear program (1)."""
DENSE = 2_000_000
"""Up to so many numbers the linear program is a dense matrix."""
LEAST_WORTH, MOST_WORTH = 1e-8, 1e7
"""Numbers of that matrix below and above these make no difference to the cost."""
ROUNDING = 1e-11
"""What values of constraints and sums of products may be off by, relatively."""


@dataclass(frozen=True, eq=False)
class _Listed:
    """Decisions that matter: of those with the same suboptimal items only the best."""

    contains: BoolArray  # (n, k): suboptimal items of each decision
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
        """About the least rate that each item may need, (k,); 1 for items that cannot rise, which need none."""
        rates = np.ones(len(self.theta))
        able = np.flatnonzero(self.law.reach(self.theta) > 0.0)
        rates[able] = first_rates(self.law.take(able), self.theta[able], self.item_gaps[able])
        return rates

    @property
    def simple_rates(self) -> FloatArray:
        """Rates that are enough whichever items rise together, (k,)."""
        return rates_shared(self.law, self.theta, self.item_gaps, int(self.sizes.max()))

    @property
    def sizes(self) -> IntArray:
        """Suboptimal items of each decision, counted, (n,)."""
        return np.asarray(self.contains.sum(axis=1))

    def raises(self, rates: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Least information of each decision, (n,), rounded down, and its cheapest raises, (n, k)."""
        rows, items = np.nonzero(self.contains)
        found = cheapest_raises(self.law, self.theta, rates, rows, items, self.gaps)
        values, table = found.values.copy(), np.zeros(self.contains.shape)
        table[rows, items] = found.rises
        finite = np.isfinite(values)
        # The value is the difference of s gap and conjugates, which are far larger next to the end of a reach.
        values[finite] -= LAST_DIGITS * (self.sizes[finite] + 2) * found.prices[finite] * self.gaps[finite]
        return values, table

    def cuts(self, values: FloatArray, rises: FloatArray) -> FloatArray:
        """Divergences of the raises of the decisions of least information, stretched until they surely add up to the gap."""
        worst = np.argsort(values, kind="stable")[:CUTS]
        worst = worst[np.isfinite(values[worst]) & rises[worst].any(axis=1)]
        rows, items = np.nonzero(self.contains[worst])
        law, theta = self.law.take(items), self.theta[items]
        table = np.zeros((len(worst), len(self.theta)))
        table[rows, items] = law.divergence(
            theta, stretched(law, theta, rises[worst][rows, items], rows, self.gaps[worst])
        )
        return table[np.isfinite(table).all(axis=1)]


def solve_enumeration(
    decision_set: DecisionSet, theta: FloatArray, law: Law, tolerance: float, gap: float, deadline: float
) -> GravesLaiResult:
    """Cutting planes over all decisions; both bounds are computed from solutions of linear programs in plain numpy.

    Raises
    ------
    TooManyDecisionsError
        If there are more than 20,000 decisions.
    """
    decisions, gaps, optimal, suboptimal = listed(decision_set, theta, tolerance)
    value = lower = 0.0
    plan = merged_plan(np.empty((0, decision_set.d), dtype=np.bool_), np.empty(0))
    if suboptimal.any():
        problem, rows = _of_listed(decisions, gaps, optimal, suboptimal, theta, law)
        value, rates, lower = _bracket(problem, gap, deadline)
        plan = merged_plan(decisions[rows], rates)
        check_convex(problem.law, problem.theta, rates @ problem.contains, np.flatnonzero(suboptimal))
    reached = value == 0 or value - lower <= gap * value
    return GravesLaiResult(
        value=value,
        lower=lower,
        status=Status.of(reached=reached, late=tiers.seconds() > deadline),
        method="enumeration",
        plan=plan,
        optimal_decision=decisions[int(np.argmin(gaps))].copy(),
        suboptimal_items=suboptimal,
        decision_set=decision_set,
        theta=theta,
        variance=law.told_variance(theta),
        stats={"decisions": len(decisions)},
        law=law,
    )


def least_information(
    decision_set: DecisionSet, theta: FloatArray, law: Law, tolerance: float, item_rates: FloatArray
) -> float:
    """A lower bound on the information about a decision that is gained at these rates of items, (d,); 1 is needed.

    Raises
    ------
    TooManyDecisionsError
        If there are more than 20,000 decisions.
    """
    decisions, gaps, optimal, suboptimal = listed(decision_set, theta, tolerance)
    if not suboptimal.any():
        return math.inf
    problem, _ = _of_listed(decisions, gaps, optimal, suboptimal, theta, law)
    values, _ = problem.raises(item_rates[suboptimal])
    alone = problem.simple_rates
    needed = alone > 0.0
    simple = (item_rates[suboptimal][needed] / alone[needed]).min(initial=math.inf)
    return max(float(values.min()), float(simple))


def _of_listed(
    decisions: BoolArray, gaps: FloatArray, optimal: BoolArray, suboptimal: BoolArray, theta: FloatArray, law: Law
) -> tuple[_Listed, IntArray]:
    """The problem over the decisions that matter, and which these are."""
    rows = np.flatnonzero(~optimal & decisions[:, suboptimal].any(axis=1))
    rows = rows[best_rows(decisions[rows][:, suboptimal], gaps[rows])]
    inside = law.take(np.flatnonzero(suboptimal))
    return _Listed(decisions[rows][:, suboptimal], gaps[rows], theta[suboptimal], inside), rows


def _bracket(problem: _Listed, gap: float, deadline: float) -> tuple[float, FloatArray, float]:
    """Upper bound with its rates, and lower bound."""
    start = _along_best(problem, problem.first_rates)
    values, rises = problem.raises(start @ problem.contains)
    if np.isinf(values).all():
        return 0.0, np.zeros(len(start)), 0.0  # no law lets a decision look optimal: nothing is to be explored
    alone = _along_best(problem, problem.simple_rates)
    simple = float(alone @ problem.gaps)  # feasible whatever can be computed next to means of 1
    value, best = _scaled(problem, start, values)
    cuts = problem.cuts(values, rises)
    lower = 0.0
    for _ in range(MAX_ROUNDS):
        # Rates of items vary by many orders of magnitude: relative to feasible ones all are about 1.
        unit = 1.0 / ((best + 1e-6 * start) @ problem.contains)
        solved = _program(problem, cuts, unit, min(value, simple))
        if solved is None:
            break
        rates, multipliers = solved
        lower = max(lower, _dual_bound(problem, cuts, multipliers))
        if value - lower <= gap * value or tiers.seconds() > deadline:
            break
        slack = cuts @ (rates @ problem.contains) > 3.0
        parts = [cuts[~slack]]
        for share in POINTS:
            point = share * rates + (1.0 - share) * best
            values, rises = problem.raises(point @ problem.contains)
            upper, scaled = _scaled(problem, point, values)
            if upper < value:
                value, best = upper, scaled
            parts.append(problem.cuts(values, rises))
        cuts = np.concatenate(parts)
    value, best = min((value, best), (simple, alone), key=lambda known: known[0])
    return value, best, min(lower, value)


def _along_best(problem: _Listed, needs: FloatArray) -> FloatArray:
    """Rates of the decisions that play each item as often as it needs along the best decision that holds it."""
    rates = np.zeros(len(problem.gaps))
    np.add.at(rates, np.where(problem.contains, problem.gaps[:, None], np.inf).argmin(axis=0), needs)
    return rates


def _scaled(problem: _Listed, rates: FloatArray, values: FloatArray) -> tuple[float, FloatArray]:
    """Cost of the rates after scaling them by the least information, and the scaled rates; infinite if it may be 0."""
    least = float(values.min())
    if least <= 0.0:
        return math.inf, rates
    rates = rates * ((1.0 + ROUNDING) / least)
    return float(rates @ problem.gaps), rates


def _program(
    problem: _Listed, cuts: FloatArray, unit: FloatArray, scale: float
) -> tuple[FloatArray, FloatArray] | None:
    """Cheapest rates that satisfy the cuts, and multipliers; variables rate * gap / scale."""
    if len(cuts) * len(problem.gaps) > DENSE:
        return _sparse_program(problem, cuts, unit, scale)
    # What a unit of spending on each decision does for each cut. Beyond a limit more makes no difference to the cost, and the
    # solver does not lose sight of the rest.
    with np.errstate(over="ignore", invalid="ignore"):
        worth = np.nan_to_num(cuts @ problem.contains.T * (scale / problem.gaps))
    worth = np.where(worth > LEAST_WORTH, np.minimum(worth, MOST_WORTH), 0.0)
    from scipy.optimize import linprog

    solution = linprog(np.ones(worth.shape[1]), A_ub=-worth, b_ub=-np.ones(len(cuts)), method="highs")
    if solution.status != 0 or solution.x is None:
        return None
    multipliers = np.maximum(-solution.ineqlin.marginals, 0.0) * scale
    return np.maximum(solution.x, 0.0) * scale / problem.gaps, multipliers


def _sparse_program(
    problem: _Listed, cuts: FloatArray, unit: FloatArray, scale: float
) -> tuple[FloatArray, FloatArray] | None:
    """The same with a variable ``w_i * unit_i`` for each item, so that the matrix stays sparse."""
    n, k = problem.contains.shape
    plays = sparse.csr_array(problem.contains.T * (scale / problem.gaps) * unit[:, None])
    limited = sparse.csr_array(np.hstack((np.zeros((len(cuts), n)), -cuts / unit)))
    matrix: Any = sparse.vstack((sparse.hstack((-plays, sparse.eye_array(k))), limited))
    limits = np.concatenate((np.zeros(k), -np.ones(len(cuts))))
    objective = np.concatenate((np.ones(n), np.zeros(k)))
    from scipy.optimize import linprog

    solution = linprog(objective, A_ub=matrix, b_ub=limits, method="highs")
    if solution.status != 0 or solution.x is None:
        return None
    multipliers = np.maximum(-solution.ineqlin.marginals[k:], 0.0) * scale
    return np.maximum(solution.x[:n], 0.0) * scale / problem.gaps, multipliers


def _dual_bound(problem: _Listed, cuts: FloatArray, multipliers: FloatArray) -> float:
    """Weak duality: with prices y = sum of mu times cuts, scaled so that no decision costs more than its gap, sum mu.

    Rates alpha that are feasible cost ``sum alpha gap >= t sum alpha y.x = t y.w >= t sum mu``.
    """
    worth = problem.contains @ (multipliers @ cuts)
    if not worth.any():
        return 0.0
    share = float((problem.gaps[worth > 0] / worth[worth > 0]).min())
    return share * float(multipliers.sum()) * (1.0 - ROUNDING)
