"""Weights that are out of scale."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray

OUT_OF_SCALE = 16.0
"""A weight is out of scale if it is below minus this, times `ENOUGH`, times m, times the largest of the usual weights."""
ENOUGH = 4.0
"""More than 2, so that a decision with an item at the limit is worse than one of usual weights."""


@kernel
def without_outliers(weights: FloatArray, x: BoolArray, m: int) -> FloatArray:
    """Weights with a limit for items so bad that the best decision does without them, and that would round the others away.

    The usual weights are the positive ones and those of the items of x, a decision of at most m items. The best decision stays
    the same. If no weight is out of scale, the result is `weights` itself.
    """
    usual = max(weights.max(), 0.0)
    if x.any():
        usual = max(usual, np.abs(weights[x]).max())
    limit = ENOUGH * m * usual
    if limit == 0.0 or -weights.min() <= OUT_OF_SCALE * limit:  # if it is 0, no decision is better than x
        return weights
    clipped: FloatArray = np.maximum(weights, -limit)
    return clipped
