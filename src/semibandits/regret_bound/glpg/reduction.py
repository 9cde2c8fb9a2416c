"""Steps 0 and 1 of GLPG: the items of I, and the problem in d variables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.ties import TIE_TOLERANCE, Ties
from semibandits.formats.text import brief
from semibandits.inputs.validation import checked_answer, item_vector, variance_vector
from semibandits.kernels.machine import tiers
from semibandits.regret_bound.cuts.oracle import BestWithItem, Oracle, best_with_each_item
from semibandits.regret_bound.timing import TimeIsUp

FLAT = 1e-9
"""Differences from 1 below this count as rounding."""
INDEPENDENT = 1e-10
"""A decision depends on others if its part orthogonal to them is below this share of it, both squared."""


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """P_GL in the item rates w: minimise ``cost · w`` over the cone of the decisions, with one row per decision.

    If there is a c with ``c · x = 1`` for all decisions x, the number of plays is ``c · w`` and the cost is
    ``q = (theta · x*) c - theta``. Otherwise (for instance if the empty set is a decision), an item of reward 0 that counts plays
    is added to every decision, and w has d + 1 entries.

    Attributes
    ----------
    decision_set : DecisionSet
        X.
    theta, variance : ndarray of float, shape (d,)
        Mean rewards, and variances of the rewards.
    tolerance : float
        Largest difference of rewards at which any two decisions tie.
    optimal_decision : ndarray of bool, shape (d,)
        x*.
    best : BestWithItem
        The items of I, and the best decision with each of them.
    count : ndarray of float, shape (n,)
        c, with n = d, or d + 1 with a separate item that counts plays: ``c · w`` is the number of plays.
    cost : ndarray of float, shape (n,)
        q.
    tie_tolerance : float
        Two decisions tie iff their rewards differ by at most ``tie_tolerance * m`` times the largest ``|theta_i|`` of an item in
        which they differ or that is in the best one.

    Notes
    -----
    Cuvelier, Combes, Gourdin (ALT 2021), sections 4.3 and 4.4. :meth:`of` constructs the problem.

    Examples
    --------
    >>> problem = sb.ReducedProblem.of(sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.3], variance=0.5)
    >>> problem.optimal_decision.tolist(), problem.items.tolist()
    ([True, True, False, False], [2, 3])
    >>> problem.count.round(2).tolist()  # each play plays two items, so that (w_1 + ... + w_4) / 2 is the number of plays
    [0.5, 0.5, 0.5, 0.5]
    >>> problem.cost.round(2).tolist()  # (0.9 + 0.8) / 2 - theta
    [-0.05, 0.05, 0.35, 0.55]
    """

    decision_set: DecisionSet
    theta: FloatArray
    variance: FloatArray
    tolerance: float
    optimal_decision: BoolArray
    best: BestWithItem
    count: FloatArray
    cost: FloatArray
    tie_tolerance: float = TIE_TOLERANCE

    def __repr__(self) -> str:
        return brief(self)

    @staticmethod
    def of(
        decision_set: DecisionSet, theta: ArrayLike, variance: ArrayLike = 0.5, *, tie_tolerance: float = 1e-12
    ) -> ReducedProblem:
        """Construct the problem with P_LM alone: one call per item for I, at most two per item for the cost.

        Parameters
        ----------
        decision_set : DecisionSet
        theta : array_like of float, shape (d,)
            Mean rewards.
        variance : array_like of float, scalar or shape (d,)
            Variances of the rewards, > 0.
        tie_tolerance : float
            As in the attribute.

        Raises
        ------
        InvalidInputError
            If `theta` or `variance` is malformed.

        Notes
        -----
        Cuvelier, Combes, Gourdin (ALT 2021), sections 4.3 and 4.4, with q corrected (erratum 1).
        """
        theta = item_vector(theta, decision_set, "theta").copy()
        return reduced(decision_set, theta, variance_vector(variance, decision_set), tie_tolerance)

    @property
    def n(self) -> int:
        """Number of variables: d, or d + 1 with an item that counts plays."""
        return len(self.cost)

    @property
    def counter(self) -> bool:
        """Whether the last variable is the item that counts plays."""
        return self.n > self.decision_set.d

    @property
    def items(self) -> IntArray:
        """The items of I, ascending."""
        return self.best.items

    @property
    def twice_variance(self) -> FloatArray:
        """v_i = 2 sigma_i^2 of the items of I, in their order."""
        return 2.0 * self.variance[self.best.items]

    @property
    def suboptimal_items(self) -> BoolArray:
        """The set I as a mask, shape (d,)."""
        return self.best.suboptimal

    def lifted(self, decisions: BoolArray) -> FloatArray:
        """Decisions, shape (k, d), as points of the cone, shape (k, n): the last entry is 1 if an item counts plays."""
        points = decisions.astype(np.float64)
        return np.column_stack((points, np.ones(len(points)))) if self.counter else points


def reduced(
    decision_set: DecisionSet, theta: FloatArray, variance: FloatArray, tie_tolerance: float, deadline: float = math.inf
) -> ReducedProblem:
    """The reduced problem for validated input. Raises `TimeIsUp` if it is not done by the deadline."""
    oracle = Oracle(decision_set, theta)
    best = best_with_each_item(oracle, tie_tolerance, deadline)
    optimum = float(oracle.optimal @ theta)
    known = plays_counter(decision_set, deadline)
    count = np.append(np.zeros(decision_set.d), 1.0) if known is None else known
    cost = optimum * count
    cost[: decision_set.d] -= theta
    most = Ties.of(theta, oracle.optimal, oracle.m, tie_tolerance).most
    return ReducedProblem(decision_set, theta, variance, most, oracle.optimal, best, count, cost, tie_tolerance)


def plays_counter(decision_set: DecisionSet, deadline: float = math.inf) -> FloatArray | None:
    """The c of least norm with ``c · x = 1`` for every decision x, or None if there is no such c.

    The c of least norm for some decisions is valid for all if P_LM finds no decision with ``c · x`` above or below 1. Otherwise
    the decisions found, which are affinely independent of the others, are added: each one moves c along its part that is
    orthogonal to those before.
    """
    d = decision_set.d
    basis, count = np.empty((0, d)), 0
    c: FloatArray = np.zeros(d)
    while True:
        if tiers.seconds() > deadline:
            raise TimeIsUp
        ends = [checked_answer(decision_set.maximize(side), d, decision_set.m) for side in (c.copy(), -c)]
        fresh = [x.astype(np.float64) for x in ends if abs(float(x @ c) - 1.0) > FLAT]
        if not fresh:
            return c
        for x in fresh:
            lack = 1.0 - float(x @ c)
            if abs(lack) <= FLAT:
                continue
            rest = x.copy()
            for _ in range(2):  # the second time removes the rounding of the first
                rest -= (basis[:count] @ rest) @ basis[:count]
            part = float(rest @ x)
            if part <= INDEPENDENT * float(x @ x):
                return None
            if count == len(basis):
                basis = np.vstack((basis, np.empty((max(count, 16), d))))
            basis[count] = rest / math.sqrt(part)
            count += 1
            c = c + (lack / part) * rest
