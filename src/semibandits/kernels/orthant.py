"""Projected subgradient descent where the decisions are the single items, so that the cone is the orthant."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import FloatArray, IntArray


@kernel
def descend_orthant(
    start: FloatArray, lower: FloatArray, cost: FloatArray, items: IntArray, twice_variance: FloatArray,
    squared_gaps: FloatArray, penalty: float, step: float, ratio: float, steps: int,
) -> tuple[FloatArray, FloatArray, IntArray]:  # fmt: skip
    """As many steps of GLPG; returns the last iterate, the sum of w^1 .. w^steps, and how often each item's penalty was on.

    `items` are those of I, with `twice_variance` and `squared_gaps` in the same order. Item i stands for the decision {i}.
    """
    w = start.copy()
    total = np.zeros(len(w))
    counts = np.zeros(len(items), dtype=np.int64)
    for _ in range(steps):
        worst, excess = 0, -np.inf
        for k in range(len(items)):
            h = twice_variance[k] / (ratio * w[items[k]]) - squared_gaps[k]
            if h > excess:
                worst, excess = k, h
        at = w[items[worst]]
        for i in range(len(w)):
            w[i] -= step * cost[i]
        if excess > 0.0:
            w[items[worst]] += step * penalty * twice_variance[worst] / (ratio * square(at))
            counts[worst] += 1
        for i in range(len(w)):
            w[i] = max(w[i], lower[i])
            total[i] += w[i]
    return w, total, counts
