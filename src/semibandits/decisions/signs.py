"""Warnings where numbers are likely to have the wrong sign: the best decision is then the longest path, or has no items."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.paths import Paths
from semibandits.errors import EmptyDecisionWarning, LongestPathWarning, Option
from semibandits.inputs.validation import checked_answer

COSTS: Final = ("for the shortest one, pass costs instead",)


def warn_of_signs(
    decision_set: DecisionSet,
    theta: FloatArray,
    *,
    remedy: Sequence[str | Option] = COSTS,
    in_costs: bool = False,
    stacklevel: int,
) -> None:
    """Warn if decisions are paths and all mean rewards are positive: then the longest path is best. Routes need no warning, as
    their rewards are never positive. Warn, too, if no mean reward is positive and the best decision has no items.

    `remedy` describes how to find the shortest path. With `in_costs` the user gave costs, which then are all negative.
    `stacklevel` is the number of calls from here to the code that the warning is about, 1 for the caller.
    """
    if isinstance(decision_set, Paths) and (theta > 0).all():
        reason = "all mean rewards are positive and rewards are maximised, so the longest path is best: "
        if in_costs:
            reason, remedy = "all costs are negative, so the longest path is best: ", ("drop the minus signs",)
        warnings.warn(LongestPathWarning(reason, *remedy, ", or ignore this"), stacklevel=stacklevel + 1)
    elif chooses_nothing(decision_set, theta):
        warnings.warn(empty_decision(decision_set), stacklevel=stacklevel + 1)


def chooses_nothing(decision_set: DecisionSet, theta: FloatArray) -> bool:
    """Whether the best decision has no items because no mean reward is positive."""
    d, m = decision_set.d, decision_set.m
    if m == 0 or theta.max() > 0.0 or not theta.any():
        return False
    return not np.any(checked_answer(decision_set.maximize(np.sign(theta)), d, m))


def empty_decision(decision_set: DecisionSet) -> EmptyDecisionWarning:
    """The warning that nothing is chosen."""
    remedy = ("pass ", Option("saturate", "most"), " to match as many as possible")
    return EmptyDecisionWarning(
        "no mean reward, which is minus the cost, is positive, so the best decision has no items: ",
        *(remedy if isinstance(decision_set, Matchings) else ("leave that decision out",)),
        ", or ignore this",
    )
