"""The Graves-Lai problem if means are linear in known features, over an explicit list of decisions.

With theta = Phi beta, the optimal decisions show beta along the features of their items. Let psi_i, shape (r,), be what is left
of the features of item i, and c_x the sum of psi over the items of x, divided by the gap of x. Let v be twice the variances, and
B the sum of ``n_i psi_i psi_i' / v_i`` at item rates n. These suffice if and only if ``c_x . B^-1 c_x <= 1`` for every suboptimal
decision x: then any change delta of beta that closes the gap, ``c_x . delta >= 1``, has the information
``sum_i n_i (psi_i . delta)^2 / v_i >= 1``. A decision with c = 0 cannot become optimal. With independent features this is P_GL.

Rows, the constraints, and columns, the decisions to play, are generated. Both bounds are computed over all decisions in plain
numpy from the output of the conic solver.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import clarabel
import numpy as np
from scipy import sparse
from scipy.linalg import qr, solve_triangular

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError, TooManyDecisionsError, UnsupportedError
from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.threads import one_thread
from semibandits.regret_bound.cuts.cones import solver_settings
from semibandits.regret_bound.cuts.enumeration import MAX_DECISIONS, listed_decisions
from semibandits.regret_bound.plan import merged_plan
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Progress

IN_SPAN = 1e-9
"""Largest distance of means from the span of the features, relative to the largest mean."""
RANK = 1e-10
"""Features are dependent up to rounding if a combination of unit length is below this share of the longest one."""
KNOWN = 1e-9
"""A feature is known from the optimal decisions if less than this share of it is left."""
ACCURACIES = (1e-8, 1e-9, 1e-7)
"""Tolerances of the conic solver. The next one is used when rounds no longer help."""
PATIENCE = 2
"""Rounds without progress before the next tolerance."""
NEW = 40
"""Largest number of rows, and of columns, that a round adds: of each item the most violated one, as far as they go."""
SLACK = 0.5
"""Rows without a multiplier leave the program if their value is below this, and unplayed columns if their worth is."""
SPARE = 0.05
"""Share of the gap that may be spent on rates that a proof needs, and on those that are dropped from the plan."""
SHARES = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5)
"""Shares of the largest multiplier below which a row is not used."""
LEAST_UNIT = 0.01
"""Least unit of the rate of an item, as a share of its rate if all were spent on the best decision with it."""
CONE = np.array([[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, -2.0, 0.0]])
"""Rows of a second-order cone that hold for a rate n, a weight w and a bound t if and only if ``w^2 <= n t``."""
EPSILON = float(np.finfo(np.float64).eps)


def span_distance(features: FloatArray, theta: FloatArray) -> float:
    """Largest distance of a mean from the span of the features, shape (d, k), relative to the largest mean."""
    basis = _basis(features)
    scaled = theta / (float(np.abs(theta).max(initial=0.0)) or 1.0)
    return float(np.abs(scaled - basis @ (basis.T @ scaled)).max(initial=0.0))


def check_span(features: FloatArray, theta: FloatArray, name: str) -> None:
    """Refuse means that are no linear function of the features. `name` is that of the means."""
    distance = span_distance(features, theta)
    if distance > IN_SPAN:
        raise InvalidInputError(
            f"{name} must be linear in the features and a constant, got means up to {distance:.2g} of the largest one away from "
            "any linear function of them: add features, pass the fitted means, or leave features out"
        )


def solve_linear(problem: Problem) -> GravesLaiResult:
    """Both bounds over all decisions. `UnsupportedError` if they cannot be listed."""
    decisions, gaps, suboptimal, rows = _all_decisions(problem)
    value = lower = 0.0
    rates, stats = np.zeros(len(rows)), {"decisions": float(len(decisions))}
    with one_thread():
        listed = LinearList.of(problem, decisions, gaps, suboptimal, rows)
        if listed is not None:
            solver = LinearSolver(listed, problem)
            with suppress(np.linalg.LinAlgError):  # axes out of scale: the bracket so far
                solver.solve()
            value, lower = solver.value, solver.lower
            rates[listed.columns] = solver.rates
            stats |= {"rounds": float(solver.rounds), "rows": float(len(solver.active)), "columns": float(len(solver.used))}
    bracket, best = Bracket(value, lower, merged_plan(decisions[rows], rates)), decisions[int(np.argmin(gaps))].copy()
    return problem.result("enumeration", bracket, best, suboptimal, stats)


def information_with_features(problem: Problem, plan: ExplorationPlan) -> float:
    """Lower bound on the least information about a decision at the item rates of the plan, which is feasible if it is >= 1."""
    listed = LinearList.of(problem, *_all_decisions(problem))
    return math.inf if listed is None else 1.0 / float(listed.needs(plan.item_rates[listed.items]).max())


def _all_decisions(problem: Problem) -> tuple[BoolArray, FloatArray, BoolArray, IntArray]:
    """See `listed_decisions`."""
    try:
        return listed_decisions(problem)
    except (TooManyDecisionsError, UnsupportedError) as error:
        raise UnsupportedError(
            f"no bound is known here under features: they need a list of at most {MAX_DECISIONS:,} decisions, got "
            f"{problem.decision_set!r}: leave features out for the bound without them, which is no smaller"
        ) from error


def _basis(features: FloatArray) -> FloatArray:
    """Orthonormal basis of the span of the columns."""
    left, sizes, _ = np.linalg.svd(features, full_matrices=False)
    return np.asarray(left[:, sizes > RANK * sizes.max(initial=0.0)])


def _unknown(features: FloatArray, known: BoolArray) -> tuple[FloatArray, IntArray]:
    """Features of items, shape (n, r), in the directions that the known items do not show, and the r items that are the axes."""
    basis = _basis(features)
    _, sizes, directions = np.linalg.svd(basis[known])
    rest = basis @ directions[np.count_nonzero(sizes > KNOWN) :].T
    rest[known | (np.abs(rest).max(axis=1, initial=0.0) <= KNOWN)] = 0.0
    if not rest.any():
        return np.empty((len(features), 0)), np.empty(0, dtype=np.int64)
    _, triangle, order = qr(rest.T, mode="economic", pivoting=True)
    axes, r = np.empty_like(rest), rest.shape[1]
    axes[order] = solve_triangular(triangle[:, :r], triangle).T
    axes[np.abs(axes) <= 1e-14] = 0.0
    return axes, order[:r]


def _first_with_each(contains: sparse.csr_array) -> IntArray:
    """The first row that contains each item, for items in some row, each once."""
    by_item = contains.tocsc()
    return np.unique(by_item.indices[by_item.indptr[:-1][np.diff(by_item.indptr) > 0]]).astype(np.int64)


@final
@dataclass(frozen=True, eq=False)
class LinearList:
    """Decisions that show something unknown, the columns, and those that could become optimal, the rows."""

    items: IntArray  # (q,): items that show something unknown
    psi: FloatArray  # (q, r)
    v: FloatArray  # (q,): twice the variances
    columns: IntArray  # (n,): numbers of the decisions, in order of gaps
    contains: sparse.csr_array  # (n, q), 0 and 1
    gaps: FloatArray  # (n,)
    rows: IntArray  # (p,): numbers of the columns that are rows
    start: FloatArray  # (n,): rates at which B is regular

    @staticmethod
    def of(problem: Problem, decisions: BoolArray, gaps: FloatArray, suboptimal: BoolArray, rows: IntArray) -> LinearList | None:
        """From the results of `listed_decisions`; None if no decision could become optimal."""
        assert problem.features is not None
        used = np.flatnonzero(decisions.any(axis=0))
        rest, axes = _unknown(problem.features[used], ~suboptimal[used])
        shown = np.flatnonzero(rest.any(axis=1))
        items, psi = used[shown], rest[shown]
        columns = np.flatnonzero(decisions[rows][:, items].any(axis=1))
        table, gaps = decisions[rows[columns]][:, items], gaps[rows[columns]]
        row, column = np.nonzero(table)
        contains = sparse.csr_array((np.ones(len(row)), (row, column)), shape=table.shape)
        sums = np.abs(np.asarray(contains @ psi)).max(axis=1, initial=0.0)
        confusing = np.flatnonzero(sums > KNOWN * np.asarray(contains @ np.abs(psi)).max(axis=1, initial=0.0))
        if not len(confusing):
            return None
        start, v = np.zeros(len(gaps)), 2.0 * problem.variance[items]
        for item in np.searchsorted(shown, axes):
            cheapest = int(table[:, item].argmax())  # gaps increase
            start[cheapest] = max(start[cheapest], v[item] / gaps[cheapest] ** 2)
        return LinearList(items, psi, v, columns, contains, gaps, confusing, start).turned(start)

    def turned(self, rates: FloatArray) -> LinearList:
        """The same in axes in which B is the identity at these rates of decisions."""
        factor = np.linalg.cholesky(self.precision(self.psi, rates @ self.contains))
        return replace(self, psi=solve_triangular(factor, self.psi.T, lower=True).T)

    def precision(self, psi: FloatArray, rates: FloatArray) -> FloatArray:
        """B at these item rates."""
        return np.asarray(psi.T @ (psi * (rates / self.v)[:, None]))

    @cached_property
    def directions(self) -> FloatArray:
        """The vector c of each row, shape (p, r)."""
        return np.asarray((self.contains @ self.psi)[self.rows] / self.gaps[self.rows, None])

    @cached_property
    def sizes(self) -> FloatArray:
        """What `directions` would be without cancellation."""
        return np.asarray((self.contains @ np.abs(self.psi))[self.rows] / self.gaps[self.rows, None])

    @property
    def digits(self) -> float:
        """Bound on the relative rounding of sums of products without cancellation."""
        return 8.0 * (sum(self.psi.shape) + 8) * EPSILON

    def needs(self, rates: FloatArray) -> FloatArray:
        """``c . B^-1 c`` of each row at these item rates, rounded up, shape (p,); infinite if B is singular up to rounding.

        For any y, ``c . B^-1 c = 2 c . y - y . B y + e . B^-1 e`` with ``e = c - B y``, and y is about ``B^-1 c``.
        """
        b, size = self.precision(self.psi, rates), self.precision(np.abs(self.psi), rates)
        scale = 1.0 / np.sqrt(np.where(np.diag(b) > 0.0, np.diag(b), 1.0))
        b, size, c = b * scale * scale[:, None], size * scale * scale[:, None], self.directions * scale
        least = float(np.linalg.eigvalsh(b)[0]) - self.digits * float(size.max())
        if not least > 0.0:
            return np.full(len(c), np.inf)
        y = np.linalg.solve(b, c.T).T
        missed = np.abs(c - y @ b) + EPSILON * (np.abs(y) @ size)
        spread = ((self.sizes * scale + np.abs(y) @ size) * np.abs(y)).sum(axis=1)
        values = 2.0 * (c * y).sum(axis=1) - ((y @ b) * y).sum(axis=1) + (missed**2).sum(axis=1) / least
        return np.asarray(values + self.digits * spread)


@final
class LinearSolver:
    """One solve: conic programs over some rows and columns, until the bracket is narrow enough."""

    def __init__(self, listed: LinearList, problem: Problem) -> None:
        self._list, self._problem = listed, problem
        self.value, self.rates, self.lower, self.rounds = math.inf, listed.start, 0.0, 0
        values = self._improve(listed.start)
        self._start, self._start_value = self.rates, self.value
        self.active = self._worst(values, listed.rows, 0.0)[: max(NEW, listed.psi.shape[1])]
        self.used = np.union1d(np.flatnonzero(listed.start), _first_with_each(listed.contains)[:NEW])

    def solve(self) -> None:
        """Run rounds until the gap is reached, time is up, or the last tolerance of the conic solver brings no progress."""
        listed, level, idle = self._list, 0, 0
        each, limit = np.arange(len(listed.gaps)), 1.0 + 0.1 * self._problem.gap
        while level < len(ACCURACIES) and not self._done(self.value) and tiers.seconds() <= self._problem.deadline:
            before, self.rounds = self.value - self.lower, self.rounds + 1
            rates, multipliers, deltas = self._program(ACCURACIES[level])
            worth = self._bound(multipliers, deltas)
            few = SPARE * self._problem.gap * self.value / self._start_value
            values = np.minimum(self._improve(rates), self._improve(rates + few * self._start))  # B may be singular at the rates
            if self._problem.progress is not None:
                seconds = tiers.seconds() - self._problem.start
                self._problem.progress(Progress(self.rounds, len(self.active), self.lower, self.value, seconds))
            rows, columns = (self._worst(all_, which, limit)[:NEW] for all_, which in ((values, listed.rows), (worth, each)))
            is_new = bool(np.setdiff1d(rows, self.active).size + np.setdiff1d(columns, self.used).size)
            idle = 0 if self.value - self.lower < 0.98 * before else idle + 1
            bound = (values[self.active] > SLACK) | (multipliers > SHARES[0] * multipliers.max(initial=0.0))
            kept = (worth[self.used] > SLACK) | (self._start[self.used] > 0.0) | (self.rates[self.used] > 0.0)
            self.active, self.used = np.union1d(self.active[bound], rows), np.union1d(self.used[kept], columns)
            if idle >= PATIENCE or not is_new:
                level, idle = level + 1, 0
        self._prune()

    def _done(self, value: float) -> bool:
        return value - self.lower <= self._problem.gap * value < math.inf

    def _improve(self, rates: FloatArray, *, fewer: bool = False) -> FloatArray:
        """Scale rates so that they suffice, and keep them if they cost less, or if they are `fewer` and cost about as much; the
        values of the rows before.
        """
        values = self._list.needs(rates @ self._list.contains)
        if (most := float(values.max())) < math.inf:
            cost = math.fsum(rates * most * self._list.gaps) * (1.0 + 8.0 * EPSILON)
            if cost < self.value or (fewer and self._done(cost)):
                self.value, self.rates = cost, rates * most
        return values

    def _worst(self, values: FloatArray, columns: IntArray, limit: float) -> IntArray:
        """Of rows or columns, those of largest value with each item, if it is above the limit, in order of values."""
        order = np.argsort(-values, kind="stable")
        order = order[(values[order] > limit) & np.isfinite(values[order])]
        return order[_first_with_each(self._list.contains[columns[order]])]

    def _bound(self, multipliers: FloatArray, deltas: FloatArray) -> FloatArray:
        """Weak duality; the worth of each column at the prices of the conic solver, in gaps, shape (n,).

        With ``c_x . delta_x = 1``, feasible rates satisfy ``sum_i n_i (psi_i . delta_x)^2 / v_i >= 1``. So they cost at least the
        sum of mu if ``sum_x mu_x sum_{i in y} (psi_i . delta_x)^2 / v_i <= gap_y`` for all decisions y.

        The multipliers of rows that hardly count have few correct digits, and may make some decision worth more than its gap.
        Several shares are tried below which rows are left out.
        """
        listed = self._list
        closed = (listed.directions[self.active] * deltas).sum(axis=1)
        best, found = 0.0, np.zeros(len(listed.gaps))
        for share in SHARES:
            use = np.flatnonzero((multipliers > share * multipliers.max(initial=0.0)) & (closed > 0.0))
            if not len(use):
                break
            some, mu = deltas[use] / closed[use, None], 0.25 * closed[use] ** 2 / multipliers[use]
            changes = np.abs(listed.psi @ some.T) + listed.digits * (np.abs(listed.psi) @ np.abs(some).T)  # rounded up
            worth = np.asarray(listed.contains @ (changes**2 @ mu / listed.v)) / listed.gaps
            # The relative rounding of c . delta = 1, the other sum with cancellation.
            spread = float((listed.sizes[self.active[use]] * np.abs(some)).sum(axis=1).max())
            proved = math.fsum(mu) / float(worth.max()) * (1.0 - 4.0 * listed.digits * spread)
            if best < proved < math.inf:
                best, found = proved, worth * self.value
        self.lower = max(self.lower, min(best, self.value))
        return found

    def _prune(self) -> None:
        """Drop decisions that hardly count from the plan, if the rates still suffice at about the same cost."""
        shares = self.rates * self._list.gaps
        order = np.argsort(shares, kind="stable")
        rates = self.rates.copy()
        rates[order[np.cumsum(shares[order]) <= SPARE * self._problem.gap * self.value]] = 0.0
        self._improve(rates, fewer=True)

    def _program(self, accuracy: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Cheapest rates of the columns in use for the active rows, the multipliers of these rows, and their directions delta.

        ``c . B^-1 c`` is the least ``sum_i v_i w_i^2 / n_i`` of weights w with ``sum_i w_i psi_i = c``. Variables: shares of the
        cost; item rates, relative to those of a plan; for each row and item, a weight, and a bound on its square over the rate.
        """
        listed = self._list
        plan = 0.5 * (self.rates + self.value / self._start_value * self._start)
        turned = listed.turned(plan)
        mine = listed.contains[self.used]
        items = np.unique(mine.indices)
        contains, gaps = mine[:, items].tocoo(), listed.gaps[self.used]
        most = np.zeros(len(items))  # rates if all is spent on one decision
        np.maximum.at(most, contains.col, self.value / gaps[contains.row])
        unit = np.maximum((plan @ listed.contains)[items], LEAST_UNIT * most)
        grams = turned.psi[items] * np.sqrt(unit / listed.v[items])[:, None]
        c = turned.directions[self.active]
        (n, q), r, k = contains.shape, grams.shape[1], len(c)
        worth = -self.value / (gaps[contains.row] * unit[contains.col])
        spent = sparse.csr_array((worth, (contains.col, contains.row)), shape=(q, n))
        eye, kron, each = sparse.eye_array, sparse.kron, sparse.eye_array(k * q)
        squares = [kron(kron(np.ones((k, 1)), eye(q)), CONE[:, :1]), kron(each, CONE[:, 1:2]), kron(each, CONE[:, 2:])]
        blocks: Any = [
            [None, None, kron(eye(k), grams.T), None],
            [spent, eye(q), None, None],
            [-eye(n), None, None, None],
            [None, None, None, kron(eye(k), np.ones((1, q)))],
            [None, *squares],
        ]
        matrix = sparse.csc_matrix(sparse.block_array(blocks))
        matrix.eliminate_zeros()
        limits = np.concatenate((c.ravel(), np.zeros(q + n), np.ones(k), np.zeros(3 * k * q)))
        objective = np.concatenate((np.ones(n), np.zeros(q + 2 * k * q)))
        cones = [clarabel.ZeroConeT(k * r), clarabel.NonnegativeConeT(q + n + k), *[clarabel.SecondOrderConeT(3)] * (k * q)]
        no_quadratic, settings = sparse.csc_matrix((matrix.shape[1],) * 2), solver_settings(accuracy, self._problem.deadline)
        solution = clarabel.DefaultSolver(no_quadratic, objective, matrix, limits, cones, settings).solve()
        primal, dual = np.nan_to_num(np.array(solution.x)), np.nan_to_num(np.array(solution.z))
        rates = np.zeros(len(listed.gaps))
        rates[self.used] = np.maximum(primal[:n], 0.0) * self.value / gaps
        multipliers = np.maximum(dual[k * r + q + n : k * r + q + n + k], 0.0)
        factor = np.linalg.cholesky(listed.precision(listed.psi, plan @ listed.contains))
        deltas = solve_triangular(factor, -dual[: k * r].reshape(k, r).T, lower=True, trans="T").T
        return rates, multipliers, deltas
