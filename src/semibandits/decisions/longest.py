"""A warning where numbers are likely to be costs: the longest path is best if all mean rewards are positive."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Final

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.paths import Paths
from semibandits.errors import LongestPathWarning, Option

COSTS: Final = ("for the shortest one, pass costs instead",)


def warn_of_longest_path(
    decision_set: DecisionSet,
    theta: FloatArray,
    *,
    remedy: Sequence[str | Option] = COSTS,
    in_costs: bool = False,
    stacklevel: int,
) -> None:
    """Warn if decisions are paths and all mean rewards are positive: then the longest path is best. Routes need no warning, as
    their rewards are never positive.

    `remedy` describes how to find the shortest path. With `in_costs` the user gave costs, which then are all negative.
    `stacklevel` is the number of calls from here to the code that the warning is about, 1 for the caller.
    """
    if not isinstance(decision_set, Paths) or not (theta > 0).all():
        return
    reason = "all mean rewards are positive and rewards are maximised, so the longest path is best: "
    if in_costs:
        reason, remedy = "all costs are negative, so the longest path is best: ", ("drop the minus signs",)
    warnings.warn(LongestPathWarning(reason, *remedy, ", or ignore this"), stacklevel=stacklevel + 1)
