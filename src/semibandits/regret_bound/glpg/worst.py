"""The decision x^t with the most violated constraint, from the budgeted problem."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits._validation import checked_answer
from semibandits.errors import Infeasible, InvalidInputError, TooManyDecisionsError, UnsupportedError
from semibandits.regret_bound.glpg.reduction import ReducedProblem
from semibandits.regret_bound.precision import gaps_below

MOST_LISTED = 2_000


class WorstDecision(ABC):
    """Search for x^t given information u, shape (d,): u_i = 2 sigma_i^2 / w_i on I, 0 elsewhere.

    Absolute: x^t maximises ``u(x)/epsilon - gap_x^2``. Relative: x^t maximises ``u(x) / gap_x^2``. Only decisions with items of I
    are considered; their gaps are positive. Then the maximum of ``u(x) - gap_x^2`` is at most ``u(x^t)/epsilon - gap^2``, or that
    of ``u(x) / gap_x^2`` at most ``u(x^t) / (epsilon gap^2)``.
    """

    def __init__(self, problem: ReducedProblem, ratio: float, relative: bool) -> None:
        self.problem, self.ratio, self.relative = problem, ratio, relative

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


class BudgetedDecisions(WorstDecision):
    """One budgeted problem for each gap s = 1, 2, ..., solved to the ratio, for integer mean rewards.

    Proposition "x^t" of Cuvelier, Combes, Gourdin (ALT 2021), with the choice of theory §1, erratum 7.
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
    """With ratio < 1, one problem per gap. Otherwise all decisions if there are at most 2,000, else the front of all budgets."""
    if ratio < 1.0:
        return BudgetedDecisions(problem, ratio, relative)
    try:
        return ListedDecisions(problem, ratio, relative)
    except (TooManyDecisionsError, UnsupportedError):
        return BudgetFrontDecisions(problem, ratio, relative)
