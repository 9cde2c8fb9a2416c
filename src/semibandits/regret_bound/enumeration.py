"""The Graves-Lai problem over an explicit list of decisions, for any law: the reference for small sets.

For Gaussian rewards without a known bound it is one second-order cone program. For other laws it is a semi-infinite linear
program in the rates of the decisions: for every decision x, and all raises e >= 0 of its suboptimal items with
``sum e >= gap(x)``, ``sum of w_i d(theta_i, theta_i + e_i) >= 1``. It is solved with cutting planes: solve it for some raises,
find the cheapest raises of every decision at points between the solution and the best feasible point, and add those. Bounds are
computed from the output of the solvers in plain numpy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.kernels import tiers
from semibandits.laws import Bernoulli, Law
from semibandits.regret_bound.cones import cone_program
from semibandits.regret_bound.plan import cover_rates, merged_plan
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.pricing_bound import pricing_bound
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.raises import cheapest_raises, check_convex, convex_information, stretched
from semibandits.regret_bound.rates import LAST_DIGITS, first_rates, rates_shared
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult

MAX_DECISIONS = 20_000
ACCURACIES = (1e-9, 1e-8, 1e-7, 1e-6)
"""Tolerances of the conic solver, tried in turn until the gap is reached."""
MAX_ROUNDS, PATIENCE = 300, 50
"""Rounds of cuts in all, and in succession with a bracket that narrows by less than a hundredth."""
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
    """Decisions that matter: of those with the same suboptimal items, only the best one."""

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
        """Approximate least rate of each item, (k,); 1 for items that cannot rise, which need no plays."""
        rates = np.ones(len(self.theta))
        able = np.flatnonzero(self.law.reach(self.theta) > 0.0)
        rates[able] = first_rates(self.law.take(able), self.theta[able], self.item_gaps[able])
        return rates

    @staticmethod
    def of(problem: Problem, decisions: BoolArray, gaps: FloatArray, suboptimal: BoolArray, rows: IntArray) -> Listed:
        """The decisions of these rows, restricted to the suboptimal items."""
        law = problem.law.take(np.flatnonzero(suboptimal))
        return Listed(decisions[rows][:, suboptimal], gaps[rows], problem.theta[suboptimal], law)

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

    def cuts(self, values: FloatArray, raises: FloatArray) -> FloatArray:
        """Divergences of raises of the decisions of least information, stretched until they surely add up to the gap."""
        worst = np.argsort(values, kind="stable")[:CUTS]
        worst = worst[np.isfinite(values[worst]) & raises[worst].any(axis=1)]
        rows, items = np.nonzero(self.contains[worst])
        law, theta = self.law.take(items), self.theta[items]
        table = np.zeros((len(worst), len(self.theta)))
        table[rows, items] = law.divergence(theta, stretched(law, theta, raises[worst][rows, items], rows, self.gaps[worst]))
        return table[np.isfinite(table).all(axis=1)]


def solve_enumeration(problem: Problem) -> GravesLaiResult:
    """Both bounds over all decisions.

    Raises
    ------
    TooManyDecisionsError
        If there are more than 20,000 decisions.
    UnsupportedError
        If the family cannot list its decisions, or raises matter at which the divergence is not convex.
    """
    decisions, gaps, suboptimal, rows = _decisions(problem)
    value = lower = 0.0
    rates = np.zeros(len(rows))
    if len(rows):
        listed = Listed.of(problem, decisions, gaps, suboptimal, rows)
        bracket = _bracket_by_cones if problem.law.is_quadratic else _bracket_by_cuts
        value, rates, lower = bracket(listed, problem.gap, problem.deadline)
        check_convex(listed.law, listed.theta, rates @ listed.contains, np.flatnonzero(suboptimal))
    solved, best = Bracket(value, lower, merged_plan(decisions[rows], rates)), decisions[int(np.argmin(gaps))].copy()
    return problem.result("enumeration", solved, best, suboptimal, {"decisions": len(decisions)})


def information_over_list(problem: Problem, plan: ExplorationPlan) -> float:
    """Lower bound on the least information about a decision at the item rates of the plan. The plan is feasible if it is >= 1.

    Raises
    ------
    TooManyDecisionsError, UnsupportedError
        If there are more than 20,000 decisions, or the family cannot list them.
    """
    decisions, gaps, suboptimal, rows = _decisions(problem)
    if not len(rows):
        return math.inf
    listed, rates = Listed.of(problem, decisions, gaps, suboptimal, rows), plan.item_rates[suboptimal]
    needed = listed.simple_rates > 0.0
    simple = (rates[needed] / listed.simple_rates[needed]).min(initial=math.inf)
    beyond = convex_information(listed.law, listed.theta, rates) * (1.0 - listed.law.rounding)
    return max(min(float(listed.raises(rates)[0].min()), float(beyond.min())), float(simple))


def _decisions(problem: Problem) -> tuple[BoolArray, FloatArray, BoolArray, IntArray]:
    """All decisions, their gaps, the items of I, and the row numbers of the decisions that matter.

    Of the decisions with the same items of I, only the one of smallest gap matters. Rows are in order of gaps.
    """
    decision_set, theta = problem.decision_set, problem.theta
    try:
        decisions = decision_set.enumerate(MAX_DECISIONS)
    except (TooManyDecisionsError, UnsupportedError) as error:
        raise type(error)(
            f"method='enumeration' needs a list of at most {MAX_DECISIONS:,} decisions, got {decision_set!r} ({error}): "
            f"{_remedy(problem)}"
        ) from error
    gaps = gaps_below(decisions[int(np.argmax(decisions @ theta))], decisions, theta)
    gaps -= gaps.min()
    optimal = problem.ties.with_best(decisions[int(np.argmin(gaps))], decisions, gaps)
    suboptimal = np.asarray(decisions.any(axis=0) & ~decisions[optimal].any(axis=0))
    rows = np.flatnonzero(~optimal & decisions[:, suboptimal].any(axis=1))
    rows = rows[np.argsort(gaps[rows], kind="stable")]
    _, first = np.unique(decisions[rows][:, suboptimal], axis=0, return_index=True)
    return decisions, gaps, suboptimal, rows[np.sort(first)]


def _remedy(problem: Problem) -> str:
    if problem.has_graph or problem.law.is_quadratic:
        return f"use method='{'cycles' if problem.has_graph else 'columns'}' or 'auto'"
    if not isinstance(problem.law, Bernoulli):
        return "bound C(theta) with Gaussian rewards, whose variance must hold for all means"
    return "use rewards='gaussian' with variance=0.25, whose C(theta) is no smaller, or give the set an exchange graph"


def _bracket_by_cones(listed: Listed, gap: float, deadline: float) -> tuple[float, FloatArray, float]:
    """Best upper bound, its rates, and the best lower bound over a few accuracies, until the gap is reached."""
    contains, gaps = listed.contains.astype(np.float64), listed.gaps
    v = 2.0 * listed.law.variance_proxy(listed.theta)
    start = cover_rates(listed.contains, listed.gaps, listed.first_rates)
    value, best = _scaled(listed, start, listed.raises(start @ contains)[0])
    lower = 0.0
    for accuracy in ACCURACIES:
        rates, multipliers, prices = cone_program(contains, gaps, contains, gaps**2, v, accuracy, deadline)
        upper, scaled = _scaled(listed, rates, listed.raises(rates @ contains)[0])
        if upper < value:
            value, best = upper, scaled
        lower = max(lower, pricing_bound(contains, gaps, v, multipliers, prices, 1.0 + ROUNDING))
        if value - lower <= gap * value or tiers.seconds() > deadline:
            break
    return value, best, min(lower, value)


def _bracket_by_cuts(listed: Listed, gap: float, deadline: float) -> tuple[float, FloatArray, float]:
    """Upper bound, its rates, and the lower bound."""
    start = cover_rates(listed.contains, listed.gaps, listed.first_rates)
    values, raises = listed.raises(start @ listed.contains)
    if np.isinf(values).all():
        return 0.0, np.zeros(len(start)), 0.0  # no decision can look optimal: no exploration is needed
    alone = cover_rates(listed.contains, listed.gaps, listed.simple_rates)
    simple = float(alone @ listed.gaps)  # feasible whatever the precision next to means of 1
    value, best = _scaled(listed, start, values)
    cuts = listed.cuts(values, raises)
    lower, narrowest, idle = 0.0, math.inf, 0
    for _ in range(MAX_ROUNDS):
        # Item rates vary by many orders of magnitude. Relative to feasible rates, all are about 1.
        unit = 1.0 / ((best + 1e-6 * start) @ listed.contains)
        solved = program(listed, cuts, unit, min(value, simple), deadline)
        if solved is None:
            break
        rates, multipliers = solved
        lower = max(lower, _dual_bound(listed, cuts, multipliers))
        if value - lower < 0.99 * narrowest:
            narrowest, idle = value - lower, 0
        else:
            idle += 1
        if value - lower <= gap * value or idle >= PATIENCE or tiers.seconds() > deadline:
            break
        slack = cuts @ (rates @ listed.contains) > 3.0
        parts = [cuts[~slack]]
        for share in POINTS:
            point = share * rates + (1.0 - share) * best
            values, raises = listed.raises(point @ listed.contains)
            upper, scaled = _scaled(listed, point, values)
            if upper < value:
                value, best = upper, scaled
            parts.append(listed.cuts(values, raises))
        cuts = np.concatenate(parts)
    value, best = min((value, best), (simple, alone), key=lambda known: known[0])
    return value, best, min(lower, value)


def _scaled(listed: Listed, rates: FloatArray, values: FloatArray) -> tuple[float, FloatArray]:
    """Cost of the rates scaled by their least information, and the scaled rates; infinite if the information may be 0."""
    least = float(values.min())
    if least <= 0.0:
        return math.inf, rates
    rates = rates * ((1.0 + ROUNDING) / least)
    return float(rates @ listed.gaps), rates


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


def _dual_bound(listed: Listed, cuts: FloatArray, multipliers: FloatArray) -> float:
    """Weak duality: with prices y = sum of mu times cuts, the bound is sum mu times the largest t with t y.x <= gap_x for all x.

    Rates alpha that are feasible cost ``sum alpha gap >= t sum alpha y.x = t y.w >= t sum mu``.
    """
    worth = listed.contains @ (multipliers @ cuts)
    if not worth.any():
        return 0.0
    share = float((listed.gaps[worth > 0] / worth[worth > 0]).min())
    return share * float(multipliers.sum()) * (1.0 - ROUNDING)
