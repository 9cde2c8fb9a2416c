"""Projected subgradient descent for decisions that are single items, where the cone is the orthant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray


class Constraints(NamedTuple):
    """Constraints of the items in I, where item i stands for the decision {i}; one entry per item of I."""

    items: IntArray
    twice_variance: FloatArray
    squared_gaps: FloatArray


@kernel
def descend_orthant(
    start: FloatArray, lower: FloatArray, cost: FloatArray, constraints: Constraints, penalty: float, step: float,
    ratio: float, steps: int,
) -> tuple[FloatArray, FloatArray, IntArray]:  # fmt: skip
    """Make `steps` steps of GLPG.

    Returns the last iterate, the sum of w^1 .. w^steps, and the number of steps with the penalty of each item of I.
    """
    items, twice_variance, squared_gaps = constraints
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
