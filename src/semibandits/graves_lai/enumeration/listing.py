"""The decisions of a set as a list, and those of them that matter."""

from __future__ import annotations

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.graves_lai.precision import gaps_below

MAX_DECISIONS = 20_000


def listed(
    decision_set: DecisionSet, theta: FloatArray, tolerance: float
) -> tuple[BoolArray, FloatArray, BoolArray, BoolArray]:
    """All decisions, their gaps, which are optimal, and the items of I.

    Raises
    ------
    TooManyDecisionsError
        If there are more than 20,000 decisions.
    """
    decisions = decision_set.enumerate(MAX_DECISIONS)
    gaps = gaps_below(decisions[int(np.argmax(decisions @ theta))], decisions, theta)
    gaps -= gaps.min()
    optimal = np.asarray(gaps <= tolerance)
    return decisions, gaps, optimal, np.asarray(decisions.any(axis=0) & ~decisions[optimal].any(axis=0))


def best_rows(contains: BoolArray, gaps: FloatArray) -> IntArray:
    """Of rows that are equal the one of smallest gap, in order of gaps."""
    order = np.argsort(gaps, kind="stable")
    _, first = np.unique(contains[order], axis=0, return_index=True)
    best: IntArray = order[np.sort(first)]
    return best
