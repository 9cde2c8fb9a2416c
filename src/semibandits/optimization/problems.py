"""P_BLM and P_IM for any set of decisions, by search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from semibandits._typing import BoolArray, FloatArray
from semibandits.optimization.criteria import AtLeast, SquareRoot
from semibandits.optimization.rounding import granularity
from semibandits.optimization.search import search


def budget_criterion(rewards: FloatArray, budgets: FloatArray, at_least: float) -> AtLeast:
    """P_BLM's criterion, sharper where the numbers are integers: sums lie on multiples of a common divisor."""
    step = granularity(budgets)
    return AtLeast(step * math.ceil(at_least / step) if step else at_least, granularity(rewards))


def budgeted_by_search(
    maximize: Callable[[FloatArray], BoolArray], rewards: FloatArray, budgets: FloatArray, at_least: float, m: int
) -> BoolArray | None:
    """Decision of largest reward with ``budgets·x >= at_least`` exactly, None if there is none."""
    criterion = budget_criterion(rewards, budgets, at_least)
    return search(maximize, rewards, budgets, criterion, m=m, keep=0).decision


@dataclass(frozen=True, eq=False)
class IndexAnswer:
    """What a search for the largest index found within its budget.

    Attributes
    ----------
    decision : ndarray of bool, shape (d,)
        The best decision met.
    value : float
        Its index, ``rewards·x + sqrt(bonuses·x)``.
    bound : float
        No decision has a larger index (up to rounding).
    is_proven : bool
        Whether the search ended, so that the decision is what was asked for.
    calls : int
        Linear maximisations (P_LM).
    """

    decision: BoolArray
    value: float
    bound: float
    is_proven: bool
    calls: int

    def __post_init__(self) -> None:
        self.decision.setflags(write=False)


def index_by_search(
    maximize: Callable[[FloatArray], BoolArray],
    rewards: FloatArray,
    bonuses: FloatArray,
    ratio: float,
    m: int,
    most: int | None = None,
) -> IndexAnswer:
    """Decision x of largest ``rewards·x + sqrt(bonuses·x)``, or with ``rewards·x + sqrt(bonuses·x) / ratio`` at least that.

    The search stops after about `most` linear maximisations.
    """
    found = search(maximize, rewards, bonuses, SquareRoot(), m=m, ratio=ratio, keep=0, most=most)
    assert found.decision is not None  # every decision has a value
    bound = max(found.bound, found.value)
    return IndexAnswer(found.decision, found.value, bound, found.is_finished, found.oracle_calls)
