"""Which method a problem goes to whose rewards are not Gaussian, or whose means have a known bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import TooManyDecisionsError, UnsupportedError
from semibandits.graves_lai.circulation import CirculationSolver
from semibandits.graves_lai.closed_form import solve_closed_form
from semibandits.graves_lai.enumeration.cuts import solve_enumeration
from semibandits.graves_lai.enumeration.listing import MAX_DECISIONS
from semibandits.graves_lai.result import GravesLaiResult, Progress, Status
from semibandits.kernels import tiers
from semibandits.laws import Bernoulli, Law

FEW_DECISIONS = 1_000
"""Up to so many decisions are listed where the method of cycles stalls."""


def solve_other(
    decision_set: DecisionSet, theta: FloatArray, law: Law, method: str, gap: float, start: float, limit: float,
    tie_tolerance: float, progress: Callable[[Progress], None] | None,
) -> GravesLaiResult:  # fmt: skip
    """Solve the problem for checked input; `start` is the value of `semibandits.kernels.tiers.seconds` from which `limit` counts.

    Raises
    ------
    TooManyDecisionsError
        If the decisions must be enumerated and there are too many.
    UnsupportedError
        If the method does not exist for this decision set, or not for this law.
    """
    tolerance = tie_tolerance * decision_set.m * float(np.abs(theta).max(initial=0.0))
    has_graph = type(decision_set).exchange_graph is not DecisionSet.exchange_graph
    is_free, has_cycles = method == "auto", has_graph
    if is_free:
        is_matroid = isinstance(decision_set, MatroidDecisions)
        method = "closed-form" if is_matroid else "cycles" if has_cycles else "enumeration"
    if method == "closed-form":
        if not isinstance(decision_set, MatroidDecisions):
            raise UnsupportedError(
                f"the closed form holds for matroid bases, got {type(decision_set).__name__}: use method='cycles' or 'auto'"
            )
        return solve_closed_form(decision_set, theta, law, tolerance)
    if method == "cycles":
        if not has_graph:
            raise UnsupportedError(
                f"method='cycles' needs an exchange graph, got {type(decision_set).__name__}, which has none: "
                "use method='enumeration' or 'auto'"
            )
        left = limit - (tiers.seconds() - start)
        result = CirculationSolver(decision_set, theta, law, tolerance, gap, left, progress).solve()
        if is_free and result.status == Status.STALLED:
            return _narrowed(result, tolerance, gap, start + limit)
        return result
    if method == "enumeration":
        return _listed(decision_set, theta, law, tolerance, gap, start + limit, has_cycles=has_cycles)
    raise UnsupportedError(
        f"method={method!r} is for Gaussian rewards without a known bound, got {law}: "
        "use 'closed-form', 'cycles' or 'enumeration', or leave method out"
    )


def _narrowed(result: GravesLaiResult, tolerance: float, gap: float, deadline: float) -> GravesLaiResult:
    """What two methods know together: the second one for small sets whose means are too near 0 or 1 for the first one."""
    try:
        result.decision_set.enumerate(FEW_DECISIONS)
    except (TooManyDecisionsError, UnsupportedError):
        return result
    other = solve_enumeration(result.decision_set, result.theta, result.law, tolerance, gap, deadline)
    better = min(result, other, key=lambda known: known.value)
    lower = min(max(result.lower, other.lower), better.value)
    reached = better.value == 0 or better.value - lower <= gap * better.value
    return replace(better, lower=lower, status=Status.of(reached=reached, late=tiers.seconds() > deadline))


def _listed(
    decision_set: DecisionSet, theta: FloatArray, law: Law, tolerance: float, gap: float, deadline: float, *,
    has_cycles: bool,
) -> GravesLaiResult:  # fmt: skip
    """The method "enumeration", whose errors say what else there is."""
    remedy = (
        "use method='cycles' or 'auto'"
        if has_cycles
        else "bound it by Gaussian rewards, whose variance must then hold for all means"
        if not isinstance(law, Bernoulli)
        else "bound it by rewards='gaussian' with variance=0.25, whose C(theta) is no smaller, or give the set an exchange graph"
    )
    try:
        return solve_enumeration(decision_set, theta, law, tolerance, gap, deadline)
    except TooManyDecisionsError as error:
        raise TooManyDecisionsError(
            f"method='enumeration' needs at most {MAX_DECISIONS:,} decisions, listed, got {decision_set!r} ({error}): {remedy}"
        ) from error
    except UnsupportedError as error:
        if "convex" in str(error):
            raise
        raise UnsupportedError(
            f"method='enumeration' needs at most {MAX_DECISIONS:,} decisions, listed, got {decision_set!r} ({error}): {remedy}"
        ) from error
