"""The smallest gap of a decision, by ranking decisions with linear maximisation; routes rank themselves."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import count

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.constants import without_constants
from semibandits.decisions.routes import Routes
from semibandits.decisions.ties import Ties
from semibandits.errors import InvalidInputError, TooManyDecisionsError
from semibandits.inputs.arguments import hinted, whole
from semibandits.inputs.costs import item_means
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import checked_answer, number_in
from semibandits.kernels.search.outliers import without_outliers
from semibandits.optimization.rounding import exponent, rescaled


@hinted
def smallest_gap(
    decision_set: DecisionSet,
    theta: ArrayLike | None = None,
    *,
    costs: ArrayLike | None = None,
    tie_tolerance: float = 1e-12,
    most_ties: int = 1_000,
) -> float:
    """Smallest positive gap of a decision: the difference in reward between the best and the best suboptimal decision.

    Parameters
    ----------
    decision_set : DecisionSet
        The set X of decisions; its ``maximize`` and ``in`` are used, and for `Routes` their own ranking.
    theta : array_like of float, shape (d,)
        Mean reward of each item: finite, of any sign.
    costs : array_like of float, shape (d,), optional
        Mean cost of each item instead of `theta`: rewards are minus costs.
    tie_tolerance : float
        Decisions tie if their rewards differ by at most ``tie_tolerance * m`` times the largest ``|theta_i|`` of an item in which
        they differ, as in ``graves_lai``; >= 0.
    most_ties : int
        Maximum number of optimal decisions, >= 1; each takes up to d calls of ``maximize``.

    Returns
    -------
    float
        The gap, in the unit of `theta`; inf if all decisions are optimal.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given; if an argument is out of range, or ``maximize`` of a user-defined set
        does not return a decision of largest weight.
    TooManyDecisionsError
        If more than `most_ties` decisions are optimal.

    Notes
    -----
    Decisions are ranked by reward: the best one splits the others into parts, each defined by items forced in and out, and
    the best decision of each part enters a queue (Lawler, Management Science 18, 1972). Items are forced by adding M to their
    weights or subtracting it. If the maximiser respects the forced items, it is the best of its part for any M, so M starts
    at twice the largest reward and grows only if necessary: a large M would round the rewards away. Weights -1, 0 and 1
    decide without rounding whether a part is empty. Only the rounding of ``maximize`` remains: decisions that it cannot
    distinguish may be ranked in either order.

    Examples
    --------
    The best two of four articles are 0 and 1; the next best choice is 0 and 2:

    >>> round(sb.smallest_gap(sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.1]), 3)
    0.3

    The quickest route takes 8 minutes, the next one 9:

    >>> streets = [("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")]
    >>> sb.smallest_gap(sb.Paths(streets, "A", "D"), costs=[4, 2, 5, 6])
    1.0
    """
    rewards = item_means(theta, costs, decision_set)
    tolerance = number_in(tie_tolerance, "tie_tolerance", 0.0, math.inf, "pass 0 for no tolerance")
    most_ties = whole_number(whole(most_ties), "most_ties", least=1, remedy="at least one decision is optimal")
    rewards = without_constants(decision_set, rewards)
    largest = float(np.abs(rewards).max())
    if largest == 0:
        return math.inf
    power = exponent(largest)
    scaled = rescaled(rewards, largest, power)
    best = _maximizer(decision_set, scaled.copy())
    ties, optimal = Ties.of(scaled, best, decision_set.m, tolerance), None
    # Weights above the bounds of routes do not force items.
    ranked = decision_set.ranked(rewards) if isinstance(decision_set, Routes) else _ranked(decision_set, scaled)
    for rank, x in enumerate(ranked):
        optimal = x if optimal is None else optimal
        gap = math.fsum([*scaled[optimal & ~x], *-scaled[x & ~optimal]])
        if not ties.with_best(optimal, x[None], np.array([gap]))[0]:
            return math.ldexp(gap, -power)
        if rank >= most_ties:
            raise TooManyDecisionsError(
                f"at most most_ties = {most_ties:,} decisions may be optimal, got more: raise most_ties, or perturb theta"
            )
    return math.inf


def _ranked(decision_set: DecisionSet, theta: FloatArray) -> Iterator[BoolArray]:
    """All decisions by decreasing reward, as a generator."""
    no_items = np.zeros(decision_set.d, dtype=np.bool_)
    order = count()  # ties go to the decision found first
    queue: list[tuple[float, int, BoolArray, BoolArray, BoolArray]] = []
    known = _maximizer(decision_set, theta)
    parts: Iterator[tuple[BoolArray, BoolArray]] = iter([(no_items, no_items)])
    while True:
        for inside, outside in parts:
            best = _best(decision_set, theta, known, inside, outside)
            if best is not None:
                heapq.heappush(queue, (-math.fsum(theta[best]), next(order), best, inside, outside))
        if not queue:
            return
        _, _, x, inside, outside = heapq.heappop(queue)
        if x not in decision_set:
            raise _not_a_maximiser("a vector that is not `in` the set")
        yield x
        parts = _split(decision_set, x, inside, outside)


def _split(
    decision_set: DecisionSet, x: BoolArray, inside: BoolArray, outside: BoolArray
) -> Iterator[tuple[BoolArray, BoolArray]]:
    """Disjoint parts (forced in, forced out) whose union is a part without its decision x."""
    inside, outside = inside.copy(), outside.copy()
    for i in np.flatnonzero(x & ~inside):
        outside[i] = True
        yield inside.copy(), outside.copy()
        outside[i], inside[i] = False, True
    if np.count_nonzero(x) == decision_set.m:
        return
    # Whether a decision is a proper superset of x without items of `outside`; the weights are integers.
    weights = np.where(x, decision_set.d + 1.0, np.where(outside, -decision_set.d - 1.0, 1.0))
    y = _maximizer(decision_set, weights)
    if not y[x].all() or y[outside].any() or np.count_nonzero(y) <= np.count_nonzero(x):
        return
    for i in np.flatnonzero(~x & ~outside):
        inside[i] = True
        yield inside.copy(), outside.copy()
        inside[i], outside[i] = False, True


def _best(
    decision_set: DecisionSet, theta: FloatArray, known: BoolArray, inside: BoolArray, outside: BoolArray
) -> BoolArray | None:
    """Decision of largest reward with all items of `inside` and none of `outside`; None if no decision has them.

    Given a decision `known`, it is first searched without items that are out of scale.
    """
    usual = without_outliers(theta, known | inside, decision_set.m)
    x = _best_forced(decision_set, usual, inside, outside)
    return x if x is None or (usual[x] == theta[x]).all() else _best_forced(decision_set, theta, inside, outside)


def _best_forced(decision_set: DecisionSet, theta: FloatArray, inside: BoolArray, outside: BoolArray) -> BoolArray | None:
    forced = inside.astype(np.float64) - outside
    largest = float(np.abs(theta).max()) or 1.0
    strength = 2.0 * largest
    x = _maximizer(decision_set, theta + strength * forced)
    if _is_in_part(x, inside, outside):
        return x
    if not _is_in_part(_maximizer(decision_set, forced), inside, outside):
        return None
    while strength <= 2.0 * decision_set.m * largest:  # beyond, one forced item outweighs all rewards
        strength *= 4.0
        x = _maximizer(decision_set, theta + strength * forced)
        if _is_in_part(x, inside, outside):
            return x
    raise _not_a_maximiser("one of less weight")


def _is_in_part(x: BoolArray, inside: BoolArray, outside: BoolArray) -> bool:
    return bool(x[inside].all() and not x[outside].any())


def _maximizer(decision_set: DecisionSet, weights: FloatArray) -> BoolArray:
    return checked_answer(decision_set.maximize(weights), decision_set.d, decision_set.m)


def _not_a_maximiser(got: str) -> InvalidInputError:
    return InvalidInputError(
        f"maximize must return a decision of largest weight, got {got}: "
        "run semibandits.testing.check_decision_set to find the reason"
    )
