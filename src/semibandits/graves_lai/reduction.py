"""Steps 0 and 1 of GLPG: the items of I, and the problem in d variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits._validation import checked_answer, item_vector, variance_vector
from semibandits.decisions.base import DecisionSet
from semibandits.graves_lai.oracle import BestWithItem, Oracle, best_with_each_item

FLAT = 1e-9
"""Lengths below this, of differences of 0/1 vectors along a unit vector, are rounding."""


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """P_GL in the item rates w: minimise ``cost · w`` over the cone of the decisions, with one row per decision.

    Where some c has ``c · x = 1`` for all decisions x, the number of plays is ``c · w`` and the cost is
    ``q = (theta · x*) c - theta``. Where there is none (say, the empty decision is one), every decision gets one more item, of
    reward 0, that counts the plays; then w has d + 1 entries.

    Attributes
    ----------
    decision_set, theta, variance
        The problem: X, mean rewards (d,), variances (d,).
    tolerance : float
        Largest difference of rewards that counts as a tie.
    optimal_decision : ndarray of bool, shape (d,)
        x*.
    best : BestWithItem
        The items of I, and the best decision with each of them.
    count : ndarray of float, shape (n,)
        c, with n = d, or d + 1 where plays are counted apart: ``c · w`` is the number of plays.
    cost : ndarray of float, shape (n,)
        q.
    """

    decision_set: DecisionSet
    theta: FloatArray
    variance: FloatArray
    tolerance: float
    optimal_decision: BoolArray
    best: BestWithItem
    count: FloatArray
    cost: FloatArray

    @staticmethod
    def of(
        decision_set: DecisionSet, theta: ArrayLike, variance: ArrayLike = 0.5, *, tie_tolerance: float = 1e-12
    ) -> ReducedProblem:
        """Set the problem up with P_LM alone: one call per item for I, at most two per item for the cost.

        Parameters
        ----------
        decision_set : DecisionSet
        theta : array_like of float, shape (d,)
            Mean rewards.
        variance : array_like of float, scalar or shape (d,)
            Variances of the rewards, > 0.
        tie_tolerance : float
            Two decisions tie iff their rewards differ by at most ``tie_tolerance * m * max|theta|``.

        Raises
        ------
        InvalidInputError
            If `theta` or `variance` is malformed.

        Notes
        -----
        Cuvelier, Combes, Gourdin (ALT 2021), sections 4.3 and 4.4, with q mended (theory §1, erratum 1).
        """
        theta = item_vector(theta, decision_set.d, "theta").copy()
        tolerance = tie_tolerance * decision_set.m * float(np.abs(theta).max(initial=0.0))
        return reduced(decision_set, theta, variance_vector(variance, decision_set.d), tolerance)

    @property
    def n(self) -> int:
        """Number of variables: d, or d + 1 where plays are counted apart."""
        return len(self.cost)

    @property
    def counter(self) -> bool:
        """Whether the last variable counts the plays."""
        return self.n > self.decision_set.d

    @property
    def items(self) -> IntArray:
        """The items of I."""
        return self.best.items

    @property
    def twice_variance(self) -> FloatArray:
        """v_i = 2 sigma_i^2 of the items of I."""
        v: FloatArray = 2.0 * self.variance[self.best.items]
        return v

    @property
    def suboptimal_items(self) -> BoolArray:
        """The set I as a mask, shape (d,)."""
        mask = np.zeros(self.decision_set.d, dtype=np.bool_)
        mask[self.best.items] = True
        return mask

    def lifted(self, decisions: BoolArray) -> FloatArray:
        """Decisions as points of the cone: with a last entry 1 where plays are counted apart."""
        points = decisions.astype(np.float64)
        return np.column_stack((points, np.ones(len(points)))) if self.counter else points


def reduced(decision_set: DecisionSet, theta: FloatArray, variance: FloatArray, tolerance: float) -> ReducedProblem:
    """The reduced problem for checked input."""
    oracle = Oracle(decision_set, theta)
    best = best_with_each_item(oracle, tolerance)
    optimum = float(oracle.optimal @ theta)
    known = plays_counter(decision_set)
    count = np.append(np.zeros(decision_set.d), 1.0) if known is None else known
    cost = optimum * count
    cost[: decision_set.d] -= theta
    return ReducedProblem(decision_set, theta, variance, tolerance, oracle.optimal, best, count, cost)


def plays_counter(decision_set: DecisionSet) -> FloatArray | None:
    """The shortest c with ``c · x = 1`` for every decision x, or None if there is none.

    It is ``p / |p|^2`` for the point p of the affine hull of X next to 0. The affine hull is found by P_LM: a direction in which
    all decisions are equal is normal to it, any other one gives a new decision to span it.
    """
    d = decision_set.d

    def extreme(direction: FloatArray) -> FloatArray:
        return checked_answer(decision_set.maximize(direction.copy()), d, decision_set.m).astype(np.float64)

    origin = extreme(np.zeros(d))
    found = np.empty((0, d))  # orthonormal: directions of the hull, and normals of it
    within: list[FloatArray] = []
    for axis in np.eye(d):
        while True:
            direction = _normal_part(axis, found)
            if direction is None:
                break
            ends = (extreme(direction) - origin, extreme(-direction) - origin)
            step = max(ends, key=lambda end: abs(float(end @ direction)))
            if abs(float(step @ direction)) > FLAT:
                inside = _normal_part(step, found)
                if inside is None:
                    break
                within.append(inside)
                found = np.vstack((found, inside))
            else:
                found = np.vstack((found, direction))
    basis = np.array(within).reshape(-1, d)
    nearest = origin - basis.T @ (basis @ origin)
    nearest -= basis.T @ (basis @ nearest)
    length = float(nearest @ nearest)
    return nearest / length if length > FLAT else None


def _normal_part(vector: FloatArray, basis: FloatArray) -> FloatArray | None:
    """Unit vector along the part of `vector` normal to the rows of `basis`; None if there is no such part."""
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        return None
    part = vector / length
    for _ in range(2):
        part = part - basis.T @ (basis @ part)
    rest = float(np.linalg.norm(part))
    return part / rest if rest > FLAT else None
