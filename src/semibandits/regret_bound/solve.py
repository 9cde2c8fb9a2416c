"""`graves_lai`: validate the input, choose a method, check the status of the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet, check_decision_set
from semibandits.decisions.constants import without_constants
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.decisions.routes import Routes
from semibandits.decisions.signs import warn_of_signs
from semibandits.errors import InvalidInputError, SolverError, TooManyDecisionsError, UnsupportedError
from semibandits.features.design import Design
from semibandits.inputs.arguments import hinted
from semibandits.inputs.costs import item_means
from semibandits.inputs.labelled import in_item_order
from semibandits.inputs.validation import as_floats, check_choice, variance_vector
from semibandits.kernels.machine import tiers
from semibandits.laws import Bernoulli, Gaussian, Law, law_from
from semibandits.laws.checks import check_law
from semibandits.laws.gaussian import DEFAULT_VARIANCE, bounded_by
from semibandits.regret_bound.closed_form import solve_closed_form
from semibandits.regret_bound.cuts.columns import ColumnSolver
from semibandits.regret_bound.cuts.enumeration import solve_enumeration
from semibandits.regret_bound.cuts.linear import check_span, solve_linear
from semibandits.regret_bound.cuts.routes import RouteSolver
from semibandits.regret_bound.cycles.circulation import CirculationSolver
from semibandits.regret_bound.glpg.algorithm import solve_glpg
from semibandits.regret_bound.problem import Bracket, Problem, Units, check_precision
from semibandits.regret_bound.progress import reporter
from semibandits.regret_bound.result import GravesLaiResult, Progress, Rewards, Status
from semibandits.regret_bound.timing import TimeIsUp

Method = Literal["auto", "closed-form", "cycles", "columns", "glpg", "enumeration"]

FEW_DECISIONS = 500
"""Number of decisions up to which "auto" enumerates: about as fast as generating those that matter."""
LISTED_IF_STALLED = 1_000
"""Number of decisions up to which "auto" also enumerates if the method "cycles" stalls."""


@hinted
def graves_lai(
    decision_set: DecisionSet,
    theta: ArrayLike | None = None,
    variance: ArrayLike = DEFAULT_VARIANCE,
    method: Method = "auto",
    gap: float = 1e-4,
    time_limit: float | None = None,
    throw: bool = True,
    *,
    costs: ArrayLike | None = None,
    tie_tolerance: float = 1e-12,
    progress: bool | Callable[[Progress], None] | None = None,
    warm_start: GravesLaiResult | None = None,
    rewards: Rewards = "gaussian",
    law: Law | str | None = None,
    features: Any = None,
) -> GravesLaiResult:
    """Regret lower bound C(theta) with a certificate, and the exploration plan that attains it.

    The regret of every uniformly good policy is asymptotically at least C(theta) ln T. A policy that plays the decisions of the
    plan at the rates of the plan, per ln T, explores just enough.

    Parameters
    ----------
    decision_set : DecisionSet
        The decisions X over d items.
    theta : array_like of float, shape (d,)
        Mean reward of each item; for costs, pass `costs`.
    variance : array_like of float, scalar or shape (d,)
        Variance of the independent Gaussian rewards, > 0: one number for all items, or one per item.
    method : {"auto", "closed-form", "cycles", "columns", "glpg", "enumeration"}
        "closed-form" applies to m-sets, spanning trees and matroid bases, "cycles" to every family with an exchange graph,
        "columns" to every decision set (it only uses `maximize`), and "enumeration" to sets of at most 20,000 decisions. "auto"
        uses the closed form or cycles if available, otherwise enumeration for at most 500 decisions and columns for more. "glpg"
        is the projected subgradient method of the paper with a practical schedule, for gaps of a few percent.
    gap : float
        Relative gap ``(value - lower) / value`` to reach, in (0, 1).
    time_limit : float or None
        Seconds after which to stop with the bracket reached. Compilation time does not count, see docs/learner.md.
    throw : bool
        Whether to raise `SolverError` if the gap is not reached. If False, check the `status` of the result.
    costs : array_like of float, shape (d,), optional
        Mean cost of each item instead of `theta`: rewards are minus costs, so that the decision of least cost is best.
    tie_tolerance : float
        Two decisions tie iff their rewards differ by at most ``tie_tolerance * m`` times the largest ``|theta_i|`` of an item in
        which they differ or that is in the best one. Items in neither of them set no scale, however large their means are.
    progress : bool, callable or None
        True to print a line on the error stream every two seconds; or a function that is called with a `Progress` after
        each round of cycles or columns, and each stage of GLPG.
    warm_start : GravesLaiResult or None
        An earlier result for the same decision set (the same object) at a similar theta. It saves time with the methods "cycles"
        and "columns". The bracket is proved anew, but the plan may differ from that of a solve from scratch. Problems of other
        laws are solved from scratch.
    rewards : {"gaussian", "bernoulli"}
        "bernoulli" is short for ``law=Bernoulli()``: `theta` holds probabilities, and `variance` must be left out.
    law : Law or str, optional
        The law of the rewards, independent across items, also as text, such as "poisson:cost"
        (:func:`semibandits.laws.law_from`); see :mod:`semibandits.laws` and docs/laws.md. It replaces `variance` and `rewards`,
        which must then be left out. ``Gaussian(variance)`` is the same as `variance`. Other laws and known upper bounds support
        the methods "closed-form", "cycles" and "enumeration". Gaps that items can only close by rising to within 1e-12 of the
        limit of their law count as out of reach: an item competing with a probability of 1 - 1e-12 is not explored. The largest
        mean must lie between 1e-100 and 1e100 in size, or be 0.
    features : array_like of shape (d, k), frame, mapping by label, or "additive", optional
        The means are known to be linear in these features and a constant, as by :class:`Learner`: then observing an item tells of
        others, and C(theta) is smaller, as small as 0. For Gaussian rewards and sets of at most 20,000 decisions, with the
        methods "auto" and "enumeration"; `warm_start` is not used.

    Returns
    -------
    GravesLaiResult
        With ``lower <= C(theta) <= value``, both proved outside the conic solver.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given, or if an argument is invalid, or if the means are not linear in the
        features, up to 1e-9 of the largest one.
    SolverError
        If the gap is not reached and `throw` is true. Its attribute `result` holds the result.
    TooManyDecisionsError
        If the decisions must be enumerated and there are too many, or if the plan does not fit into memory: it stores one byte
        for each of its decisions and each item.
    UnsupportedError
        If the method does not support this decision set or law; or if a gamma reward would have to more than double its mean,
        except for matroid bases. With features, if rewards are not Gaussian, means have a known upper bound, or the decisions
        cannot be listed: no bound is known here.

    Warns
    -----
    LongestPathWarning
        If the decisions are paths and all mean rewards are positive: the longest path is best, which is likely a mistake. Not
        for probabilities, which cannot be costs.
    EmptyDecisionWarning
        If no mean reward is positive, and the best decision has no items.

    Notes
    -----
    Problem P_GL of Cuvelier, Combes, Gourdin (ALT 2021), for any variances and laws. T2 and the like are statements of
    docs/explanations/theory.md. Closed form: T2, L2. Cycles: circulations of the exchange graph with cycle cuts, T0, T1, T3;
    for other laws than Gaussian, labels over a grid of prices, L1, L3; certificates L4 and L5. Columns: column-and-cut
    generation with branch and bound for the cuts, which takes exponential time in the worst case. Its bracket assumes that
    `maximize` is exact up to rounding. Features: the problem of Lattimore, Szepesvari (AISTATS 2017) for linear bandits and
    Combes, Magureanu, Proutiere (NIPS 2017) for any structure, with one observation of each item of a decision. All optimal
    decisions are free, and so is what their items show.

    Examples
    --------
    >>> streets = [("home", "park"), ("home", "bridge"), ("park", "office"), ("bridge", "office"), ("park", "bridge")]
    >>> bound = sb.graves_lai(sb.Paths(streets, "home", "office"), costs=[4.0, 5.0, 7.0, 4.0, 2.0], variance=1.0)
    >>> [street for street, used in zip(streets, bound.optimal_decision, strict=True) if used]
    [('home', 'bridge'), ('bridge', 'office')]
    >>> f"C(theta) = {bound.value:.2f} minutes per ln T", bound.gap <= 1e-4
    ('C(theta) = 4.87 minutes per ln T', True)
    >>> for items, rate in zip(bound.plan.items, bound.plan.rates, strict=True):
    ...     print(f"{rate:.1f} times per ln T: {[streets[i] for i in items]}")
    3.7 times per ln T: [('home', 'park'), ('bridge', 'office'), ('park', 'bridge')]
    0.6 times per ln T: [('home', 'park'), ('park', 'office')]
    >>> sb.graves_lai(sb.MSets(3, 1), [0.5, 0.2, 0.4], law="bernoulli").rates.round(2).tolist()
    [0.0, 5.19, 49.66]
    >>> shops = sb.graves_lai(sb.MSets(4, 1), [0.2, 0.4, 0.6, 0.8], features=[1, 2, 3, 4])  # sales grow with the size of a shop
    >>> f"{shops.value:.2f} per ln T, of {sb.graves_lai(sb.MSets(4, 1), [0.2, 0.4, 0.6, 0.8]).value:.2f} without features"
    '1.67 per ln T, of 9.17 without features'
    """
    check_decision_set(decision_set, "build one of the families, EnumeratedDecisions from a list, or derive your own")
    means, in_costs = item_means(theta, costs, decision_set), costs is not None
    if rewards != "bernoulli" and not isinstance(law, Bernoulli):
        warn_of_signs(decision_set, means, in_costs=in_costs, stacklevel=3)
    return solve_bound(
        decision_set, means, variance, method, gap, time_limit, throw, tie_tolerance=tie_tolerance, progress=progress,
        warm_start=warm_start, rewards=rewards, law=law, features=features, in_costs=in_costs,
    )  # fmt: skip


def solve_bound(
    decision_set: DecisionSet,
    theta: FloatArray,
    variance: ArrayLike = DEFAULT_VARIANCE,
    method: Method = "auto",
    gap: float = 1e-4,
    time_limit: float | None = None,
    throw: bool = True,
    *,
    tie_tolerance: float = 1e-12,
    progress: bool | Callable[[Progress], None] | None = None,
    warm_start: GravesLaiResult | None = None,
    rewards: Rewards = "gaussian",
    law: Law | str | None = None,
    features: Any = None,
    in_costs: bool = False,
) -> GravesLaiResult:
    """`graves_lai` for the library itself: without warnings. `theta`, shape (d,), is copied. With `in_costs` the user gave costs,
    and errors are about costs.
    """
    start = tiers.seconds()
    theta = theta.copy()
    decision_set.check_means(theta, in_costs=in_costs)
    check_choice(method, get_args(Method), "method", "leave it out to let the library choose")
    check_precision(gap, time_limit, tie_tolerance)
    _check_warm_start(warm_start, decision_set)
    variance = in_item_order(variance, decision_set, "variance")
    given = law_of(theta, variance, rewards, law, in_costs=in_costs)
    problem = Problem(
        decision_set, theta, bounded_by(given, decision_set.upper), tie_tolerance, gap,
        math.inf if time_limit is None else float(time_limit), reporter(progress),
        None if warm_start is None else warm_start._memory, start,
    )  # fmt: skip
    if features is not None:
        problem = _with_features(problem, Design.of(features, decision_set), method, "costs" if in_costs else "theta")
    is_gaussian = isinstance(problem.law, Gaussian)
    shifted = replace(problem, theta=without_constants(decision_set, theta)) if is_gaussian else problem
    if problem.law.is_quadratic:
        units = Units.of(shifted)
        result = units.unscaled(_solved_in_time(units.scaled(shifted), method), problem)
    else:
        check_size(theta, given)
        result = replace(_solved_in_time(shifted, method), theta=theta, law=given)
    if throw and result.status is not Status.OPTIMAL:
        bracket = "in Python, throw=False returns this bracket"
        remedy = f"allow more time or a larger gap; {bracket}"
        if result.status is Status.STALLED and type(problem.law).__module__.partition(".")[0] != "semibandits":
            remedy = f"test the law with semibandits.testing.check_law, or allow a larger gap; {bracket}"
        elif result.status is Status.STALLED and isinstance(decision_set, Routes):
            remedy = (
                "the lower bound also allows walks that visit a node twice, and no better bound is known in polynomial time "
                f"(approximating C(theta) over routes is NP-hard): allow a larger gap; {bracket}"
            )
        raise SolverError(
            f"the relative gap must be at most {gap:g}, reached {result.gap:.2g} ({result.status}): "
            f"{result.lower:.6g} <= C(theta) <= {result.value:.6g}; {remedy}",
            result,
        )
    return result


def check_size(theta: FloatArray, law: Law) -> None:
    """Refuse means too large or too small to solve in their own unit, but not if all are 0; only Gaussian problems are scaled."""
    largest = float(np.abs(theta).max())
    if largest > LARGEST_NUMBER or 0.0 < largest < 1.0 / LARGEST_NUMBER:
        raise InvalidInputError(
            f"theta must have its largest mean between {1.0 / LARGEST_NUMBER:g} and {LARGEST_NUMBER:g} in size for "
            f"{law.name} rewards, got {largest:g}: choose another unit"
        )


def _solved_in_time(problem: Problem, method: str) -> GravesLaiResult:
    """The result of `_solve`, or the bracket from 0 to infinity if time is up before the problem is set up."""
    try:
        return _solve(problem, method)
    except TimeIsUp:
        return problem.unsolved(_method_for(problem) if method == "auto" else method)


def _solve(problem: Problem, method: str) -> GravesLaiResult:
    """Solve by the given method, or by the fastest one that applies."""
    family, law, is_free = type(problem.decision_set).__name__, problem.law, method == "auto"
    if is_free:
        method = _method_for(problem)
    if method == "closed-form":
        if not isinstance(problem.decision_set, MatroidDecisions):
            raise UnsupportedError(f"the closed form holds for matroid bases, got {family}: use method='cycles' or 'auto'")
        return solve_closed_form(problem)
    if method == "enumeration":
        return solve_enumeration(problem) if problem.features is None else solve_linear(problem)
    if method == "columns" and isinstance(problem.decision_set, Routes):
        result = RouteSolver(problem).solve()
        return _narrowed_by_enumeration(result, problem) if is_free and result.status == Status.STALLED else result
    if method == "cycles":
        if not problem.has_graph:
            raise UnsupportedError(
                f"method='cycles' needs an exchange graph, got {family}, which has none: use method='enumeration' or 'auto'"
            )
        result = CirculationSolver(problem).solve()
        is_stuck = is_free and result.status == Status.STALLED and not law.is_quadratic
        return _narrowed_by_enumeration(result, problem) if is_stuck else result
    if not law.is_quadratic:
        raise UnsupportedError(
            f"method={method!r} is for Gaussian rewards without a known bound, got {law}: "
            "use 'closed-form', 'cycles' or 'enumeration', or leave method out"
        )
    return ColumnSolver(problem).solve() if method == "columns" else solve_glpg(problem)


def _method_for(problem: Problem) -> Literal["closed-form", "cycles", "columns", "enumeration"]:
    """Fastest method that applies to the family and the law."""
    if problem.features is not None:
        return "enumeration"
    if isinstance(problem.decision_set, MatroidDecisions):
        return "closed-form"
    if problem.has_graph:
        return "cycles"
    if isinstance(problem.decision_set, Routes):
        return "columns"
    if not problem.law.is_quadratic:
        return "enumeration"
    try:
        return "enumeration" if problem.decision_set.count(FEW_DECISIONS) <= FEW_DECISIONS else "columns"
    except (TooManyDecisionsError, UnsupportedError):
        return "columns"


def _narrowed_by_enumeration(result: GravesLaiResult, problem: Problem) -> GravesLaiResult:
    """Best bounds of the result and of enumeration. For small sets with means too close to 0 or 1 for the method "cycles"."""
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


def _with_features(problem: Problem, design: Design, method: str, name: str) -> Problem:
    """The problem with means that are linear in the features. `name` is that of the means."""
    if not problem.law.is_quadratic:
        got = f"{problem.law.name} rewards{' with one' if isinstance(problem.law, Gaussian) else ''}"
        raise UnsupportedError(
            f"no bound is known here under features unless rewards are Gaussian without a known upper bound on means, got {got}: "
            "leave features out"
        )
    if method not in ("auto", "enumeration"):
        raise UnsupportedError(f"features need method='enumeration' or 'auto', got {method!r}: leave method out")
    check_span(design.matrix, problem.theta, name)
    return replace(problem, features=design.matrix)


def _check_warm_start(warm_start: object, decision_set: DecisionSet) -> None:
    if warm_start is None:
        return
    if not isinstance(warm_start, GravesLaiResult):
        raise InvalidInputError(
            f"warm_start must be a GravesLaiResult or None, got {type(warm_start).__name__}: pass the result of an earlier call"
        )
    if warm_start.decision_set is not decision_set:
        raise InvalidInputError(
            f"warm_start must be a result for the same decision set, {decision_set!r}, got one for "
            f"{warm_start.decision_set!r}: pass the same object in both calls, or leave warm_start out"
        )


def law_of(theta: FloatArray, variance: ArrayLike, rewards: str, law: Law | str | None, *, in_costs: bool) -> Law:
    """The law that the arguments specify, checked against the means."""
    has_variance = variance is None or not np.array_equal(as_floats(variance, "variance"), DEFAULT_VARIANCE)
    if law is not None:
        if isinstance(law, type) and issubclass(law, Law):
            name = law.__name__
            raise InvalidInputError(f"law must be a Law, got the class {name}: pass an instance, such as {name}()")
        law = law_from(law)
        if has_variance or rewards != "gaussian":
            raise InvalidInputError("variance and rewards must be left out if a law is given, got both: the law determines them")
    else:
        remedy = "leave it out for Gaussian rewards, or pass a law"
        check_choice(rewards, ("gaussian", "bernoulli"), "rewards", remedy)
        law = Bernoulli() if rewards == "bernoulli" else Gaussian(variance_vector(variance, len(theta)))
    check_law(law, theta, in_costs=in_costs)
    if isinstance(law, Bernoulli) and has_variance:
        raise InvalidInputError(f"variance must be left out for Bernoulli rewards, got {variance!r}: it is theta (1 - theta)")
    return law
