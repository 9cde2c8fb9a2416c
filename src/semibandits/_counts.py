"""How many decisions there are, as far as a limited amount of work tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from semibandits.errors import TooManyDecisionsError

LISTED_STEPS: Final = 15_000
"""What a listed decision costs beside the work that grows with d and m, in the steps of a kernel."""
FEWEST_LISTED: Final = 10
"""A list that must end before this many decisions is not worth its time."""


class DecisionCount(NamedTuple):
    """A number of decisions, as far as it is known.

    Attributes
    ----------
    exact : int or None
        The number; None if it was not found.
    more_than : int or None
        There are more than so many, if the number was not found; None if nothing is known.
    """

    exact: int | None
    more_than: int | None = None


def count_by_listing(count: Callable[[int], int], work: int, steps: int) -> DecisionCount:
    """Number of decisions by listing them.

    Parameters
    ----------
    count : callable
        Counts by listing up to a limit, and raises TooManyDecisionsError if there are more.
    work : int
        Elementary steps that the list may take.
    steps : int
        Elementary steps for each decision.
    """
    limit = most_listed(work, steps)
    if limit == 0:
        return DecisionCount(None)
    try:
        return DecisionCount(count(limit))
    except TooManyDecisionsError:
        return DecisionCount(None, limit)


def most_listed(work: int, steps: int) -> int:
    """Decisions that may be listed with so much work, at so many steps each: a power of ten, or 0 if too few."""
    affordable = work // (LISTED_STEPS + steps)
    return int(10 ** (len(str(affordable)) - 1)) if affordable >= FEWEST_LISTED else 0


def binomial_steps(n: int, k: int) -> int:
    """About the elementary steps of `math.comb`: one multiplication of up to n bits for each of the k items."""
    return min(k, n - k) * (1 + n // 30)
