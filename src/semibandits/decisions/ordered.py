"""Decisions that are best by one objective and, among those, by a second one."""

from __future__ import annotations

from typing import Any

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.base import LARGEST_NUMBER, DecisionSet
from semibandits.inputs.validation import checked_answer
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.search import ordered


def estimated_objectives(plays: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two objectives, shape (d,) each: few items without a reward come first, then large means of the observed rewards."""
    seen = plays > 0
    return np.where(seen, 0.0, -1.0), np.where(seen, sums / np.where(seen, plays, 1.0), 0.0)


def maximize_in_order(decision_set: DecisionSet, first: FloatArray, second: FloatArray) -> BoolArray:
    """Of the decisions of largest ``first·x`` (small integers), one of largest ``second·x``, by `maximize` of the set."""
    d, m = decision_set.d, decision_set.m
    if decision_set.upper is not None:  # at which weights are clipped, so that they cannot be scaled
        weights = np.maximum(second + (2.0 * m * np.abs(second).max(initial=0.0) + 1.0) * first, -LARGEST_NUMBER)
        return checked_answer(decision_set.maximize(np.minimum(weights, decision_set.upper)), d, m)

    def linear(_: object, weights: FloatArray, x: BoolArray) -> int:
        x[:] = checked_answer(decision_set.maximize(weights.copy()), d, m)
        return ANSWERED

    x = np.empty(d, dtype=np.bool_)
    kernel: Any = ordered.maximize_in_order
    python = getattr(kernel, "py_func", kernel)  # the same code, with a function of Python in place of a pointer
    python(linear, (), first.copy(), second.copy(), m, np.empty(d), x)
    return x
