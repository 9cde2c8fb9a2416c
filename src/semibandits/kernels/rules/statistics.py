"""What is known of each item: the rows of an array of shape (5, d).

``PLAYS``: how often it was played; ``SUMS``, ``MEANS`` of its rewards; ``SCALES``: 2 sigma_i^2 / max(plays, 1), twice the
variance of its mean; ``ROOTS``: their square roots.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from semibandits.kernels.typing import FloatArray, IntArray

PLAYS, SUMS, MEANS, SCALES, ROOTS = 0, 1, 2, 3, 4
ROWS = 5


@njit(cache=True)
def fresh_statistics(variance: FloatArray) -> FloatArray:
    """Nothing seen yet."""
    stats = np.zeros((ROWS, len(variance)))
    stats[SCALES] = 2.0 * variance
    stats[ROOTS] = np.sqrt(2.0 * variance)
    return stats


@njit(cache=True, error_model="numpy")
def observe(stats: FloatArray, spread: FloatArray, items: IntArray, k: int, outcomes: FloatArray) -> int:
    """Take in the rewards ``outcomes[:k]`` of ``items[:k]``; the number of items seen for the first time."""
    fresh = 0
    for p in range(k):
        i = items[p]
        n = stats[PLAYS, i] + 1.0
        fresh += n == 1.0
        stats[PLAYS, i] = n
        stats[SUMS, i] += outcomes[p]
        stats[MEANS, i] = stats[SUMS, i] / n
        stats[SCALES, i] = spread[i] / n
        stats[ROOTS, i] = math.sqrt(stats[SCALES, i])
    return fresh


@njit(cache=True)
def exploration(t: int, log: float, loglog: float) -> float:
    """f(t) = log * ln t + loglog * ln ln t, whose second term counts from round 3 on."""
    log_t = math.log(t)
    return log * log_t + (loglog * math.log(log_t) if t > 2 else 0.0)
