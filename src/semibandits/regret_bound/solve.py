"""The entry point: check the input, choose a method, check the outcome."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits._validation import as_floats, finite_number, item_vector, variance_vector
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import InvalidInputError, SolverError, TooManyDecisionsError, UnsupportedError
from semibandits.kernels import tiers
from semibandits.laws import Bernoulli, Gaussian, Law
from semibandits.laws.gaussian import DEFAULT_VARIANCE
from semibandits.regret_bound.circulation import CirculationSolver
from semibandits.regret_bound.closed_form import solve_closed_form
from semibandits.regret_bound.columns import ColumnSolver
from semibandits.regret_bound.enumeration import solve_enumeration
from semibandits.regret_bound.glpg.algorithm import solve_glpg
from semibandits.regret_bound.problem import Bracket, Problem, Units
from semibandits.regret_bound.result import GravesLaiResult, Progress, Rewards, Status

Method = Literal["auto", "closed-form", "cycles", "columns", "glpg", "enumeration"]

FEW_DECISIONS = 500
"""Up to so many decisions, listing them is about as fast as generating those that matter."""
LISTED_IF_STALLED = 1_000
"""Up to so many decisions are listed where the method of cycles stalls."""


def graves_lai(
    decision_set: DecisionSet,
    theta: ArrayLike,
    variance: ArrayLike = DEFAULT_VARIANCE,
    method: Method = "auto",
    gap: float = 1e-4,
    time_limit: float | None = None,
    throw: bool = True,
    *,
    tie_tolerance: float = 1e-12,
    progress: Callable[[Progress], None] | None = None,
    warm_start: GravesLaiResult | None = None,
    rewards: Rewards = "gaussian",
    law: Law | None = None,
) -> GravesLaiResult:
    """Regret lower bound C(theta) with a certificate, and the exploration plan that attains it.

    Every uniformly good policy has regret at least C(theta) ln T as T grows; a policy that plays the plan's decisions at the
    plan's rates per ln T explores just enough.

    Parameters
    ----------
    decision_set : DecisionSet
        The decisions X over d items.
    theta : array_like of float, shape (d,)
        Mean reward of each item.
    variance : array_like of float, scalar or shape (d,)
        Variance of the (independent, Gaussian) rewards, > 0; one number for all items, or one per item.
    method : {"auto", "closed-form", "cycles", "columns", "glpg", "enumeration"}
        "closed-form" for m-sets, spanning trees and matroid bases; "cycles" for every family with an exchange graph; "columns"
        for every decision set, through `maximize` alone; "enumeration" for at most 20,000 decisions. "auto" takes the closed
        form or cycles where there are such, enumeration for at most 500 listed decisions, and columns else. "glpg" is the
        paper's projected subgradient method with its practical schedule: for gaps of percents.
    gap : float
        Relative gap ``(value - lower) / value`` to reach, in (0, 1).
    time_limit : float or None
        Seconds after which to stop with the bracket reached, without what is spent on compiling, see docs/learner.md.
    throw : bool
        Whether to raise `SolverError` if the gap is not reached; otherwise see the result's `status`.
    tie_tolerance : float
        Two decisions tie iff their rewards differ by at most ``tie_tolerance * m * max|theta|``.
    progress : callable or None
        Called with a `Progress` after each round of cycles or columns, and each stage of GLPG.
    warm_start : GravesLaiResult or None
        An earlier result for the same decision set (the same object), at a theta close by. It only saves time, with the methods
        "cycles" and "columns"; the bracket is proven anew, but which plan within it is found depends on where the search began.
        Problems of other laws are solved from scratch.
    rewards : {"gaussian", "bernoulli"}
        Short for ``law=Bernoulli()``: `theta` holds probabilities, and `variance` is left out.
    law : Law or None
        The law of the rewards, independent across items, in place of `variance` and `rewards`, which are then left out: see
        :mod:`semibandits.laws` and docs/laws.md. ``Gaussian(variance)`` is the same as `variance`. Other laws, and known bounds,
        have the methods "closed-form", "cycles" and "enumeration". A gap that items could close only by rising to within 1e-12
        of all that their law allows counts as out of reach: beside a probability of 1 - 1e-12 nothing is explored.

    Returns
    -------
    GravesLaiResult
        With ``lower <= C(theta) <= value``, both proven outside the conic solver.

    Raises
    ------
    InvalidInputError
        If an argument breaks the rules above.
    SolverError
        If the gap was not reached and `throw` is true; it carries the result reached.
    TooManyDecisionsError
        If the decisions must be enumerated and there are too many, or the plan has too many for the memory: it holds a truth
        value for each of its decisions and each item.
    UnsupportedError
        If the method does not exist for this decision set, or for this law; or, other than for matroid bases, if a gamma reward
        would have to more than double its mean.

    Notes
    -----
    Problem P_GL of Cuvelier, Combes, Gourdin (ALT 2021), for any variances and laws. Closed form: theory T2, L2. Cycles:
    circulations of the exchange graph with cycle cuts, T0, T1, T3, for laws other than Gaussian with labels over a grid of
    prices, L1, L3 (docs/laws.md); certificates L4 and L5. Columns: column-and-cut generation, with branch and bound for the
    cuts, which takes exponential time at worst; its bracket trusts `maximize` to be right up to rounding.
    """
    start = tiers.seconds()
    if not isinstance(decision_set, DecisionSet):
        raise InvalidInputError(
            f"decision_set must be a DecisionSet, got {type(decision_set).__name__}: build one of the families, "
            "EnumeratedDecisions from a list, or derive your own"
        )
    theta = item_vector(theta, decision_set.d, "theta").copy()
    _check_options(method, gap, time_limit, tie_tolerance)
    _check_warm_start(warm_start, decision_set)
    problem = Problem(
        decision_set, theta, _law(theta, variance, rewards, law), tie_tolerance, gap,
        math.inf if time_limit is None else float(time_limit), progress,
        None if warm_start is None else warm_start._memory, start,
    )  # fmt: skip
    if problem.law.is_quadratic:
        units = Units.of(problem)
        result = units.unscaled(_solve(units.scaled(problem), method), problem)
    else:
        result = _solve(problem, method)
    if throw and result.status is not Status.OPTIMAL:
        remedy = "allow more time or a larger gap, or pass throw=False"
        if result.status is Status.STALLED and type(problem.law).__module__.partition(".")[0] != "semibandits":
            remedy = "check the law by semibandits.testing.check_law, allow a larger gap, or pass throw=False"
        raise SolverError(
            f"asked for a relative gap of {gap:g}, reached {result.gap:.2g} ({result.status}): "
            f"{result.lower:.6g} <= C(theta) <= {result.value:.6g}; {remedy}",
            result,
        )
    return result


def _solve(problem: Problem, method: str) -> GravesLaiResult:
    """The problem to the method for it."""
    family, law, is_free = type(problem.decision_set).__name__, problem.law, method == "auto"
    if is_free:
        method = _method_for(problem)
    if method == "closed-form":
        if not isinstance(problem.decision_set, MatroidDecisions):
            raise UnsupportedError(
                f"the closed form holds for matroid bases, got {family}: use method='cycles' or 'auto'"
            )
        return solve_closed_form(problem)
    if method == "enumeration":
        return solve_enumeration(problem)
    if method == "cycles":
        if not problem.has_graph:
            raise UnsupportedError(
                f"method='cycles' needs an exchange graph, got {family}, which has none: "
                "use method='enumeration' or 'auto'"
            )
        result = CirculationSolver(problem).solve()
        is_stuck = is_free and result.status == Status.STALLED and not law.is_quadratic
        return _narrowed(result, problem) if is_stuck else result
    if not law.is_quadratic:
        raise UnsupportedError(
            f"method={method!r} is for Gaussian rewards without a known bound, got {law}: "
            "use 'closed-form', 'cycles' or 'enumeration', or leave method out"
        )
    return ColumnSolver(problem).solve() if method == "columns" else solve_glpg(problem)


def _method_for(problem: Problem) -> Literal["closed-form", "cycles", "columns", "enumeration"]:
    """The fastest method that applies to the family and the law."""
    if isinstance(problem.decision_set, MatroidDecisions):
        return "closed-form"
    if problem.has_graph:
        return "cycles"
    if not problem.law.is_quadratic:
        return "enumeration"
    try:
        return "enumeration" if problem.decision_set.count(FEW_DECISIONS) <= FEW_DECISIONS else "columns"
    except (TooManyDecisionsError, UnsupportedError):
        return "columns"


def _narrowed(result: GravesLaiResult, problem: Problem) -> GravesLaiResult:
    """What two methods know together: the second one for small sets whose means are too near 0 or 1 for the first one."""
    try:
        problem.decision_set.enumerate(LISTED_IF_STALLED)
    except (TooManyDecisionsError, UnsupportedError):
        return result
    other = solve_enumeration(problem)
    better = min(result, other, key=lambda known: known.value)
    bracket = Bracket(better.value, max(result.lower, other.lower), better.plan)
    return problem.result(
        better.method, bracket, better.optimal_decision, better.suboptimal_items, better.stats, memory=better._memory
    )


def _check_warm_start(warm_start: object, decision_set: DecisionSet) -> None:
    if warm_start is None:
        return
    if not isinstance(warm_start, GravesLaiResult):
        raise InvalidInputError(
            f"warm_start must be a GravesLaiResult or None, got {type(warm_start).__name__}: pass what an earlier call returned"
        )
    if warm_start.decision_set is not decision_set:
        raise InvalidInputError(
            f"warm_start must be a result for this decision set, {decision_set!r}, got one for another, "
            f"{warm_start.decision_set!r}: pass the same object both times, or leave it out"
        )


def _law(theta: FloatArray, variance: ArrayLike, rewards: str, law: Law | None) -> Law:
    """The law asked for, which can have these means."""
    is_told = variance is None or not np.array_equal(as_floats(variance, "variance"), DEFAULT_VARIANCE)
    if law is not None:
        if not isinstance(law, Law):
            is_class = isinstance(law, type) and issubclass(law, Law)
            got, instance = (f"the class {law.__name__}", law.__name__) if is_class else (type(law).__name__, "Poisson")
            raise InvalidInputError(f"law must be a Law, got {got}: pass an instance, such as {instance}()")
        if is_told or rewards != "gaussian":
            raise InvalidInputError(
                "variance and rewards must be left out where a law is given, got both: the law says it all"
            )
    elif rewards == "gaussian":
        law = Gaussian(variance_vector(variance, len(theta)))
    elif rewards == "bernoulli":
        law = Bernoulli()
    else:
        raise InvalidInputError(
            f"rewards must be 'gaussian' or 'bernoulli', got {rewards!r}: leave it out for Gaussian rewards, or pass a law"
        )
    law.check(theta)
    if isinstance(law, Bernoulli) and is_told:
        raise InvalidInputError(
            f"variance must be left out for Bernoulli rewards, got {variance!r}: leave variance out, it is theta (1 - theta)"
        )
    return law


def _check_options(method: str, gap: float, time_limit: float | None, tie_tolerance: float) -> None:
    if method not in get_args(Method):
        known = ", ".join(get_args(Method))
        raise InvalidInputError(
            f"method must be one of {known}, got {method!r}: leave it out to let the library choose"
        )
    if not 0.0 < finite_number(gap, "gap") < 1.0:
        raise InvalidInputError(f"gap must lie in (0, 1), got {gap}: 1e-4 asks for four digits")
    if time_limit not in (None, math.inf) and not finite_number(time_limit, "time_limit") > 0.0:
        raise InvalidInputError(
            f"time_limit must be positive seconds or None, got {time_limit}: leave it out for no limit"
        )
    if not 0.0 <= finite_number(tie_tolerance, "tie_tolerance") < 1e-3:
        raise InvalidInputError(
            f"tie_tolerance must lie in [0, 1e-3), got {tie_tolerance}: it is relative to m * max|theta|"
        )
