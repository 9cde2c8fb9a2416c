"""Rounding of mean rewards to a grid, and its effect on C(theta) (Proposition 6, corrected)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import finite_number, item_vector
from semibandits.regret_bound.cuts.oracle import Oracle, best_with_each_item


@dataclass(frozen=True, eq=False)
class Discretised:
    """Mean rewards rounded up to multiples of epsilon."""

    theta: FloatArray  # (d,): epsilon times the integers below
    # ceil(theta / epsilon), shape (d,). C of these is epsilon times C of `theta`, and rates are multiplied by epsilon^2.
    integers: FloatArray
    epsilon: float
    # The set I of the *original* mean rewards, shape (d,), which the problem with rounded ones must use.
    suboptimal_items: BoolArray
    # (1 + 2 m epsilon / gap)^2. Feasible rates of the rounded problem become feasible for the original one when multiplied by it.
    scale: float
    # (1 + 4 m epsilon / gap)^6: an optimal plan of the rounded problem, scaled, costs at most this times C(theta).
    factor: float


def discretise(decision_set: DecisionSet, theta: ArrayLike, epsilon: float, *, tie_tolerance: float = 1e-12) -> Discretised:
    """Round mean rewards up to multiples of epsilon, with guarantees for the Graves-Lai problem.

    Parameters
    ----------
    decision_set : DecisionSet
        The decisions X over d items.
    theta : array_like of float, shape (d,)
        Mean reward of each item.
    epsilon : float
        Grid width, > 0 and at most ``gap / (4 m)``, with ``gap`` the smallest gap of a decision that contains an item of I.
    tie_tolerance : float
        As in `graves_lai`.

    Returns
    -------
    Discretised
        Arrays of shape (d,): `theta`, the rounded mean rewards; `integers`, these over epsilon; and `suboptimal_items`, the set I
        of the original rewards, which the rounded problem must use. Numbers: `scale`, by which feasible rates of the rounded
        problem are multiplied to be feasible for the original one, and `factor`, at most which times C(theta) they then cost if
        they are optimal for the rounded problem.

    Raises
    ------
    InvalidInputError
        If `theta` is malformed or `epsilon` is out of range. The message contains the largest value allowed.

    Notes
    -----
    Proposition 6 of Cuvelier, Combes, Gourdin (ALT 2021) with erratum 11: the range of epsilon, the exponent 6, and I
    of the original rewards. Decisions without an item of I have no constraint and are not in optimal plans, so their gaps do not
    matter.

    Examples
    --------
    >>> rounded = sb.discretise(sb.MSets(3, 1), [0.9312, 0.7147, 0.4208], epsilon=0.001)
    >>> rounded.integers.tolist(), rounded.suboptimal_items.tolist()
    ([932.0, 715.0, 421.0], [False, True, True])
    >>> round(rounded.factor, 3)  # a plan computed from the integers costs at most this times C(theta)
    1.116
    >>> sb.discretise(sb.MSets(3, 1), [0.9312, 0.7147, 0.4208], epsilon=0.1)
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: epsilon must be positive and at most gap / (4 m) = 0.054125, got 0.1: ...
    """
    theta = item_vector(theta, decision_set, "theta")
    oracle = Oracle(decision_set, theta)
    best = best_with_each_item(oracle, tie_tolerance)
    smallest = float(best.gaps.min(initial=np.inf))
    largest = smallest / (4.0 * decision_set.m) if decision_set.m else np.inf
    if not 0.0 < finite_number(epsilon, "epsilon") <= largest:
        raise InvalidInputError(
            f"epsilon must be positive and at most gap / (4 m) = {largest:g}, got {epsilon:g}: rounding must keep all gaps apart"
        )
    integers = np.ceil(theta / epsilon)
    share = decision_set.m * epsilon / smallest
    return Discretised(epsilon * integers, integers, epsilon, best.suboptimal, (1.0 + 2.0 * share) ** 2, (1.0 + 4.0 * share) ** 6)
