"""Projection on M, the cone of the decisions with lower bounds: by formulas, or by quadratic programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import clarabel
import numpy as np
from scipy import sparse

from semibandits._typing import FloatArray
from semibandits.decisions.polytopes import Polytope, beside, is_uniform, polytope, stacked
from semibandits.errors import SolverError, UnsupportedError
from semibandits.inputs.validation import check_choice
from semibandits.kernels.solver.projection import project_on_msets
from semibandits.regret_bound.cuts.cones import solver_settings
from semibandits.regret_bound.glpg.reduction import ReducedProblem

Route = Literal["auto", "orthant", "msets", "compact", "columns"]
ACCURACY = 1e-9
MAX_ROUNDS = 1000


class Projector(ABC):
    """Projects on ``M = {w in cone(X) : w >= lower}`` in the norm ``sum_i weights_i w_i^2``, all of shape (n,).

    The last of the n variables counts plays if ``problem.counter``. Lower bounds are >= 0; positive ones are only allowed for
    items that are in some decision. Weights are > 0, all 1 for the Euclidean projection.
    """

    def __init__(self, problem: ReducedProblem, lower: FloatArray, weights: FloatArray) -> None:
        self.problem, self.lower, self.weights = problem, lower, weights

    @abstractmethod
    def project(self, point: FloatArray) -> FloatArray:
        """The point of M closest to `point`, shape (n,)."""


class OrthantProjector(Projector):
    """Exact projection if the decisions are the single items, entry by entry."""

    def project(self, point: FloatArray) -> FloatArray:
        """See `Projector.project`."""
        return np.maximum(point, self.lower)


class MSetProjector(Projector):
    """Projection for m-sets, exact up to rounding, by bisection over the number of plays and the multiplier of the sum."""

    def project(self, point: FloatArray) -> FloatArray:
        """See `Projector.project`."""
        return project_on_msets(point, self.lower, self.weights, self.problem.decision_set.m)


class CompactProjector(Projector):
    """Quadratic program over the compact description with an interior-point method (Clarabel).

    With v plays, w is in the cone iff ``A (w, z) = b v, G (w, z) <= h v`` for some z, v >= 0. If the solver does not reach its
    accuracy (descriptions without an interior, such as trees with bridges, are hard for it), columns are used instead.
    """

    @cached_property
    def _columns(self) -> ColumnProjector:
        return ColumnProjector(self.problem, self.lower, self.weights)

    def __init__(self, problem: ReducedProblem, lower: FloatArray, weights: FloatArray) -> None:
        super().__init__(problem, lower, weights)
        hull: Polytope = polytope(problem.decision_set)
        d, width = hull.d, hull.d + hull.auxiliaries
        self._where = np.append(np.arange(d), width) if problem.counter else np.arange(d)
        bounds = np.flatnonzero(lower > 0)
        unit = np.sqrt(weights)
        column = np.ones(width + 1)
        column[self._where] = 1.0 / unit
        bounded = sparse.csr_array(
            (-np.ones(len(bounds)), (np.arange(len(bounds)), self._where[bounds])), shape=(len(bounds), width + 1)
        )
        plays = sparse.csr_array((-np.ones(1), ([0], [width])), shape=(1, width + 1))
        equal = beside(hull.equalities, sparse.csr_array(-hull.totals[:, None]))
        below = beside(hull.inequalities, sparse.csr_array(-hull.limits[:, None]))
        rows = stacked(equal, below, plays, bounded) @ sparse.diags_array(column)
        self._unit, self._size = unit, width + 1
        square = np.zeros(width + 1)
        square[self._where] = 1.0
        right = np.zeros(rows.shape[0])
        if len(bounds):
            right[-len(bounds) :] = -lower[bounds]
        cones = [clarabel.ZeroConeT(len(hull.totals)), clarabel.NonnegativeConeT(len(hull.limits) + 1 + len(bounds))]
        self._program = _Program(sparse.diags_array(square), rows, right, cones)

    def project(self, point: FloatArray) -> FloatArray:
        """See `Projector.project`."""
        linear = np.zeros(self._size)
        linear[self._where] = -point * self._unit
        primal, _ = self._program.solve(linear)
        if not self._program.solved:
            return self._columns.project(point)
        return np.maximum(primal[self._where] / self._unit, self.lower)


@dataclass(frozen=True, eq=False)
class ColumnProjection:
    """A point w = sum of decisions with rates >= 0, and a bound on its distance from the projection.

    ``distance`` bounds ``sqrt(sum_i weights_i (w_i - exact_i)^2)``. It is proved by one call of P_LM.
    """

    point: FloatArray
    distance: float


class ColumnProjector(Projector):
    """Projection with P_LM alone: project on the cone of the decisions found so far until P_LM finds no better one.

    This is the min-norm-point method for a cone with bounds: fully corrective Frank-Wolfe, which optimises the weights of all
    decisions kept.
    """

    def __init__(self, problem: ReducedProblem, lower: FloatArray, weights: FloatArray) -> None:
        super().__init__(problem, lower, weights)
        self._columns: dict[bytes, FloatArray] = {}
        best = problem.lifted(problem.best.decisions)
        covers = {int(item): row for item, row in zip(problem.items, best, strict=True)}
        self._bounds = np.flatnonzero(lower > 0)
        for item in self._bounds.tolist():
            if item not in covers:
                push = np.zeros(problem.decision_set.d)
                push[item] = 1.0
                covers[item] = self._heaviest(push)
        self._cover = np.array([covers[item] for item in self._bounds.tolist()]).reshape(len(self._bounds), problem.n)
        for row in (*problem.lifted(problem.optimal_decision[None]), *self._cover):
            self._add(row)
        self._program: _Program | None = None

    def project(self, point: FloatArray) -> FloatArray:
        """See `Projector.project`."""
        return self.certified(point).point

    def certified(self, point: FloatArray) -> ColumnProjection:
        """The projection with a proved bound on its error; `SolverError` if 1000 rounds do not suffice."""
        for _ in range(MAX_ROUNDS):
            w, pull = self._restricted(point)
            fresh = self._heaviest(pull[: self.problem.decision_set.d])
            result = ColumnProjection(w, self._distance(point, w, pull, fresh))
            if float(pull @ fresh) <= ACCURACY * float(np.abs(pull).max()) or not self._add(fresh):
                return result
            self._program = None
        raise SolverError(f"projection by columns must converge within {MAX_ROUNDS} rounds, but did not: rescale the point")

    def _restricted(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Projection on the cone of the current columns, and ``pull``, the gain per unit of each variable."""
        unit = np.sqrt(self.weights)
        columns = np.array(list(self._columns.values()))
        k, n = columns.shape
        if self._program is None:
            to_w = beside(sparse.csr_array((columns * unit).T), -sparse.eye_array(n))
            signs = beside(-sparse.eye_array(k), sparse.csr_array((k, n)))
            low = sparse.csr_array(
                (-1.0 / unit[self._bounds], (np.arange(len(self._bounds)), k + self._bounds)), shape=(len(self._bounds), k + n)
            )
            square = sparse.diags_array(np.append(np.zeros(k), np.ones(n)))
            right = np.concatenate((np.zeros(n + k), -self.lower[self._bounds]))
            cones = [clarabel.ZeroConeT(n), clarabel.NonnegativeConeT(k + len(self._bounds))]
            self._program = _Program(square, stacked(to_w, signs, low), right, cones)
        primal, dual = self._program.solve(np.append(np.zeros(k), -point * unit))
        w = np.maximum(primal[:k], 0.0) @ columns
        w = w + np.maximum(self.lower - w, 0.0)[self._bounds] @ self._cover
        pull = self.weights * (point - w)
        pull[self._bounds] += np.maximum(dual[n + k :], 0.0)
        return w, pull

    def _heaviest(self, weights: FloatArray) -> FloatArray:
        """The decision of largest weight, as a point of the cone."""
        point: FloatArray = self.problem.lifted(self.problem.decision_set.maximize(weights)[None])[0]
        return point

    def _distance(self, point: FloatArray, w: FloatArray, pull: FloatArray, fresh: FloatArray) -> float:
        """Bound on the error of w by weak duality.

        Let xi = pull - weights (point - w), and y = pull lowered until y · x <= 0 for all decisions x. Half of the squared
        distance of `point` from M is at least ``-|xi - y|^2 / (2 weights) - (xi - y) · point + xi · lower``.
        """
        problem = self.problem
        xi = np.maximum(pull - self.weights * (point - w), 0.0)
        xi[self.lower <= 0] = 0.0
        y = pull - max(float(pull @ fresh), 0.0) * problem.count
        difference = xi - y
        bound = -0.5 * float(difference**2 @ (1.0 / self.weights)) - float(difference @ point) + float(xi @ self.lower)
        primal = 0.5 * float(self.weights @ (w - point) ** 2)
        return float(np.sqrt(2.0 * max(primal - bound, 0.0)))

    def _add(self, column: FloatArray) -> bool:
        key = column.tobytes()
        known = key in self._columns
        self._columns[key] = column
        return not known


class _Program:
    """Quadratic program: minimise ``x' P x / 2 + q · x`` subject to ``rows x + s = right, s in cones``, for successive q."""

    def __init__(self, square: Any, rows: Any, right: FloatArray, cones: list[object]) -> None:
        settings = solver_settings(1e-11)
        settings.presolve_enable = False
        self.solved = False
        self._solver = clarabel.DefaultSolver(
            sparse.csc_matrix(square), np.zeros(square.shape[0]), sparse.csc_matrix(rows), right, cones, settings
        )

    def solve(self, linear: FloatArray) -> tuple[FloatArray, FloatArray]:
        self._solver.update(q=linear)
        solution = self._solver.solve()
        self.solved = solution.status == clarabel.SolverStatus.Solved
        primal, dual = np.array(solution.x), np.array(solution.z)
        if not np.isfinite(primal).all():
            raise SolverError(f"Clarabel must solve the projection, got status {solution.status}: rescale the problem")
        return primal, np.nan_to_num(dual)


def projector(problem: ReducedProblem, lower: FloatArray, weights: FloatArray | None = None, route: Route = "auto") -> Projector:
    """The projection on M, by the given route or the fastest that applies; `UnsupportedError` if the set does not have the route.

    "orthant" (decisions are the single items) and "msets" are exact. "compact" is a quadratic program over the compact
    description. "columns" only needs P_LM. "auto" uses the first that applies. Lower bounds >= 0 and weights > 0 of squared
    distances, 1 by default, have shape (n,). Section "Projection step" of the appendix of Cuvelier, Combes, Gourdin (ALT 2021).
    """
    check_choice(route, get_args(Route), "route", "leave it out")
    unit = np.ones(problem.n) if weights is None else weights
    decision_set = problem.decision_set
    # Whether the decisions are {0}, ..., {d - 1}: at most one item each, none empty, no item missing.
    singles = decision_set.m == 1 and not problem.counter and all(row in decision_set for row in np.eye(decision_set.d))
    uniform = is_uniform(decision_set) and decision_set.m >= 1
    if route == "orthant" and not singles:
        raise UnsupportedError("route='orthant' needs decisions of one item each: use route='auto'")
    if route == "msets" and not uniform:
        raise UnsupportedError(f"route='msets' needs m-sets, got {type(decision_set).__name__}: use route='auto'")
    if route == "orthant" or (route == "auto" and singles):
        return OrthantProjector(problem, lower, unit)
    if route == "msets" or (route == "auto" and uniform):
        return MSetProjector(problem, lower, unit)
    if route == "columns":
        return ColumnProjector(problem, lower, unit)
    try:
        return CompactProjector(problem, lower, unit)
    except UnsupportedError:
        if route == "compact":
            raise
        return ColumnProjector(problem, lower, unit)
