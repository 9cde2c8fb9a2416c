"""What a law allows: means, and outcomes of rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.laws.base import Law

ROUNDING: Final = 1e-12
"""Means and shares may exceed an end of their law by this relative error."""


def check_law(law: Law, theta: FloatArray, *, in_costs: bool) -> None:
    """Refuse means that the law does not allow; the error is about costs if they were given as costs."""
    try:
        law.check(theta)
    except InvalidInputError as error:
        if not in_costs or not theta.size:
            raise
        low, high = 0.0 - theta.max(), 0.0 - theta.min()
        kind = type(law).__name__
        remedy = f"pass {kind}(cost=True)" if getattr(law, "cost", True) is False else "check their sign, or use another law"
        raise InvalidInputError(
            f"costs must be allowed by the law of the rewards, minus costs, got {low:g} to {high:g} for {kind}: {remedy}"
        ) from error


def check_possible(
    law: Law | None, rewards: FloatArray, items: IntArray, where: Callable[[int], str], name: str, *, in_costs: bool
) -> None:
    """Refuse rewards of k items, or means of them, that are not possible under the law of the policy; NaN is lost, not wrong.

    Any number is possible without a law. `rewards` are minus the costs if `in_costs`; `where` names the item at a place in 0 .. k
    - 1.
    """
    if law is None:
        return
    low, high = (end[items] if isinstance(end, np.ndarray) else np.full(len(items), end) for end in law.outcomes)
    wrong = np.flatnonzero((rewards < low - ROUNDING * np.abs(low)) | (rewards > high + ROUNDING * np.abs(high)))
    if wrong.size:
        first = int(wrong[0])
        got, ends = rewards[first], (low[first], high[first])
        if in_costs:
            got, ends = 0.0 - got, (0.0 - ends[1], 0.0 - ends[0])
        raise InvalidInputError(
            f"{name} must be from {ends[0]:g} to {ends[1]:g} under the law {law.name}, got {got:g} for {where(first)}: "
            "correct it, or use another law"
        )
