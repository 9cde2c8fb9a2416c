"""The decision x^t with the most violated constraint, from the budgeted problem."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import Infeasible, InvalidInputError, TooManyDecisionsError, UnsupportedError
from semibandits.inputs.validation import checked_answer
from semibandits.regret_bound.cuts.decision_search import DecisionSearch
from semibandits.regret_bound.cuts.oracle import DecisionPool, Oracle
from semibandits.regret_bound.glpg.reduction import ReducedProblem
from semibandits.regret_bound.precision import gaps_below

MOST_LISTED = 2_000
SLACK = 1e-3
"""Relative excess of the largest ratio over the one found that branch and bound allows."""


class WorstDecision(ABC):
    """Search for x^t given information u, shape (d,): u_i = 2 sigma_i^2 / w_i on I, 0 elsewhere.

    Absolute: x^t maximises ``u(x)/epsilon - gap_x^2``. Relative: x^t maximises ``u(x) / gap_x^2``. Only decisions with items of I
    are considered; their gaps are positive. Then the maximum of ``u(x) - gap_x^2`` is at most ``u(x^t)/epsilon - gap^2``, or that
    of ``u(x) / gap_x^2`` at most ``u(x^t) / (epsilon gap^2)``.

    After `deadline`, a value of `tiers.seconds`, a long search returns the best decision found so far.
    """

    def __init__(self, problem: ReducedProblem, ratio: float, relative: bool) -> None:
        self.problem, self.ratio, self.relative = problem, ratio, relative
        self.deadline = math.inf

    @abstractmethod
    def find(self, information: FloatArray) -> tuple[BoolArray, float]:
        """x^t and its gap."""

    def _choose(self, worths: FloatArray, gaps: FloatArray) -> int:
        if self.relative:
            return int(np.argmax(worths / gaps**2))
        return int(np.argmax(worths / self.ratio - gaps**2))


class ListedDecisions(WorstDecision):
    """Exact search over all decisions, for small sets."""

    def __init__(self, problem: ReducedProblem, ratio: float, relative: bool) -> None:
        super().__init__(problem, ratio, relative)
        decisions = problem.decision_set.enumerate(MOST_LISTED)
        self._decisions = decisions[decisions[:, problem.items].any(axis=1)]
        self._gaps = gaps_below(problem.optimal_decision, self._decisions, problem.theta)
        self._matrix = self._decisions.astype(np.float64)

    def find(self, information: FloatArray) -> tuple[BoolArray, float]:
        """See `WorstDecision.find`."""
        k = self._choose(self._matrix @ information, self._gaps)
        return self._decisions[k], float(self._gaps[k])


class BudgetFrontDecisions(WorstDecision):
    """Exact search over the front of (u(x), theta · x), which contains a most violated decision."""

    def find(self, information: FloatArray) -> tuple[BoolArray, float]:
        """See `WorstDecision.find`."""
        problem = self.problem
        decisions = problem.decision_set.budget_front(information, problem.theta).decisions
        decisions = decisions[decisions[:, problem.items].any(axis=1)]
        gaps = gaps_below(problem.optimal_decision, decisions, problem.theta)
        k = self._choose(decisions @ information, gaps)
        return decisions[k], float(gaps[k])


class SearchedDecisions(WorstDecision):
    """Relative search by branch and bound, within `SLACK`, for sets whose front takes one search for each of its points."""

    def __init__(self, problem: ReducedProblem, ratio: float, relative: bool) -> None:
        super().__init__(problem, ratio, relative)
        self._oracle = Oracle(problem.decision_set, problem.theta)
        self._oracle.optimal = problem.optimal_decision
        self._pool = DecisionPool.of(problem.best)

    def find(self, information: FloatArray) -> tuple[BoolArray, float]:
        """See `WorstDecision.find`."""
        pool, best = self._pool, self.problem.best
        u = information[best.items]
        DecisionSearch(self._oracle, best, pool, u, SLACK, self.deadline).run()
        k = self._choose(pool.contains @ u, pool.gaps)
        return pool.decisions[k].copy(), float(pool.gaps[k])


class BudgetedDecisions(WorstDecision):
    """One budgeted problem for each gap s = 1, 2, ..., solved to the ratio, for integer mean rewards.

    Proposition "x^t" of Cuvelier, Combes, Gourdin (ALT 2021), with the choice of erratum 7.
    """

    def __init__(self, problem: ReducedProblem, ratio: float, relative: bool) -> None:
        super().__init__(problem, ratio, relative)
        theta = problem.theta
        if (theta != np.rint(theta)).any():
            raise InvalidInputError(
                f"theta must contain integers for ratio < 1, got {theta[theta != np.rint(theta)][0]}: see discretise"
            )
        worst = checked_answer(problem.decision_set.maximize(-theta), len(theta), problem.decision_set.m)
        self._largest = int(gaps_below(problem.optimal_decision, worst[None], theta)[0])

    def find(self, information: FloatArray) -> tuple[BoolArray, float]:
        """See `WorstDecision.find`."""
        problem, found = self.problem, [*self.problem.best.decisions]
        optimum = float(problem.theta @ problem.optimal_decision)
        for s in range(1, self._largest + 1):
            try:
                x = problem.decision_set.maximize_budgeted(information, problem.theta, optimum - s, self.ratio)
            except Infeasible:
                continue
            if x[problem.items].any():
                found.append(x)
        decisions = np.array(found)
        gaps = gaps_below(problem.optimal_decision, decisions, problem.theta)
        k = self._choose(decisions @ information, gaps)
        return decisions[k], float(gaps[k])


def worst_decision(problem: ReducedProblem, ratio: float, relative: bool) -> WorstDecision:
    """The way that suits the problem.

    With ratio < 1, one problem per gap. Otherwise a list of all decisions if there are at most 2,000; the front of all budgets
    if the family has a fast one or the search is absolute; and else branch and bound.
    """
    if ratio < 1.0:
        return BudgetedDecisions(problem, ratio, relative)
    try:
        return ListedDecisions(problem, ratio, relative)
    except (TooManyDecisionsError, UnsupportedError):
        has_front = type(problem.decision_set)._budget_front is not DecisionSet._budget_front
        kind = BudgetFrontDecisions if has_front or not relative else SearchedDecisions
        return kind(problem, ratio, relative)
