"""Assertions that stay when Python runs with -O."""

from __future__ import annotations

import numpy as np

from semibandits._typing import BoolArray
from semibandits.decisions.base import DecisionSet


def require(kept: object, promise: str) -> None:
    """Raise AssertionError with `promise` unless it is kept.

    Checks that are made often state what they got after an `if` instead: printing arrays takes longer than most checks.
    """
    if not kept:
        raise AssertionError(promise)


def require_decision(x: object, decision_set: DecisionSet, method: str, where: str = "") -> BoolArray:
    """A copy of the decision that `method` returned; the returned array is overwritten, as a caller might do."""
    d = decision_set.d
    if not isinstance(x, np.ndarray) or x.dtype != np.bool_ or x.shape != (d,):
        raise AssertionError(f"{method} must return a bool array of shape (d,) = ({d},), got {x!r}")
    if x not in decision_set:
        raise AssertionError(f"{method} must return a decision, got {x}{where}")
    kept = x.copy()
    if x.flags.writeable:
        x[:] = ~x
    return kept
