"""Items that every decision contains, whose means are a constant of all rewards."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet

OUT_OF_SCALE = 1e8
"""Means are out of scale if they are more than this times the smallest one."""
MOST = 16
"""Means out of scale that are tested, the largest ones."""


def without_constants(decision_set: DecisionSet, theta: FloatArray) -> FloatArray:
    """Means, near 0 for items that every decision contains if their means are so large that they would round others away.

    This shifts the rewards of all decisions alike. Means are 0, or the upper limit of the set.
    """
    sizes = np.abs(theta)
    large = np.flatnonzero(sizes / OUT_OF_SCALE > sizes[sizes > 0.0].min(initial=math.inf))
    if not len(large):
        return theta
    shifted, most = theta.copy(), np.zeros(len(theta)) if decision_set.upper is None else decision_set.upper
    for i in large[np.argsort(-sizes[large], kind="stable")][:MOST]:
        weights = most.copy()
        weights[i] -= 1.0 + np.abs(most).sum()
        if decision_set.maximize(weights)[i]:
            shifted[i] = most[i]
    return shifted
