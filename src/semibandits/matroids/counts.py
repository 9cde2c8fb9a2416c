"""Counting decisions with a limited amount of work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from semibandits.errors import TooManyDecisionsError

LISTED_STEPS: Final = 15_000
"""Fixed cost of a listed decision in kernel steps, besides the work that grows with d and m."""
FEWEST_LISTED: Final = 10
"""Smallest limit at which decisions are listed."""


class DecisionCount(NamedTuple):
    """Number of decisions, exactly or as a lower bound."""

    exact: int | None  # None if it was not found
    more_than: int | None = None  # a number that it exceeds, if `exact` is None; None if nothing is known


def count_by_listing(count: Callable[[int], int], work: int, steps: int) -> DecisionCount:
    """Count decisions by listing them in at most `work` elementary steps, `steps` for each decision.

    `count` counts up to a limit by listing, and raises TooManyDecisionsError if there are more decisions.
    """
    limit = most_listed(work, steps)
    if limit == 0:
        return DecisionCount(None)
    try:
        return DecisionCount(count(limit))
    except TooManyDecisionsError:
        return DecisionCount(None, limit)


def most_listed(work: int, steps: int) -> int:
    """Number of decisions that can be listed with this work, at `steps` each: a power of ten, or 0 if too few."""
    affordable = work // (LISTED_STEPS + steps)
    return int(10 ** (len(str(affordable)) - 1)) if affordable >= FEWEST_LISTED else 0


def binomial_steps(n: int, k: int) -> int:
    """Approximate elementary steps of `math.comb`: one multiplication of up to n bits for each of the k items."""
    return min(k, n - k) * (1 + n // 30)
