"""Which method a Bernoulli problem goes to."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import UnsupportedError
from semibandits.graves_lai.bernoulli.circulation import BernoulliCirculationSolver
from semibandits.graves_lai.bernoulli.closed_form import solve_closed_form
from semibandits.graves_lai.bernoulli.enumeration import solve_enumeration
from semibandits.graves_lai.result import GravesLaiResult, Progress


def solve_bernoulli(
    decision_set: DecisionSet, theta: FloatArray, method: str, gap: float, start: float, limit: float,
    tie_tolerance: float, progress: Callable[[Progress], None] | None,
) -> GravesLaiResult:  # fmt: skip
    """Solve the problem for checked input; `start` is the value of `time.perf_counter` from which `limit` counts.

    Raises
    ------
    UnsupportedError
        If the method does not exist for this decision set, or not for Bernoulli rewards.
    """
    tolerance = tie_tolerance * decision_set.m * float(np.abs(theta).max(initial=0.0))
    has_graph = type(decision_set).exchange_graph is not DecisionSet.exchange_graph
    is_matroid = isinstance(decision_set, MatroidDecisions)
    if method == "auto":
        method = "closed-form" if is_matroid else "cycles" if has_graph else "enumeration"
    if method == "closed-form":
        if not isinstance(decision_set, MatroidDecisions):
            raise UnsupportedError(
                f"the closed form holds for matroid bases, got {type(decision_set).__name__}: use method='cycles' or 'auto'"
            )
        return solve_closed_form(decision_set, theta, tolerance)
    if method == "cycles":
        left = limit - (time.perf_counter() - start)
        return BernoulliCirculationSolver(decision_set, theta, tolerance, gap, left, progress).solve()
    if method == "enumeration":
        return solve_enumeration(decision_set, theta, tolerance, gap, start + limit)
    raise UnsupportedError(
        f"method={method!r} is for Gaussian rewards, got rewards='bernoulli': "
        "use 'closed-form', 'cycles' or 'enumeration', or leave method out"
    )
