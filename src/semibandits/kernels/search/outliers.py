"""Numbers so low that their items can matter nowhere, such as a cost of 1e12 that stands for "forbidden" or for a timeout.

Searches and bounds are precise to a share of the largest number, in which all other differences would vanish. So such numbers are
raised to a limit at which a decision with one of them still is worse than a known decision.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray

OUT_OF_SCALE = 16.0
"""Weights are out of scale if they are below this many times the limit to which they are raised."""
ENOUGH = 4.0
"""More than 2, so that a decision with an item at the limit is worse than one of usual weights."""
FAR_BELOW = 2.0**20
"""The same for rewards beside bonuses. They are looked at in each round, and such small bonuses come up without any outlier."""


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


@kernel
def least_reward(value: float, highest: float, bonus: float, m: int) -> float:
    """The limit for rewards to which bonuses are added, as in P_IM. `value` is the reward of some decision, `highest` the largest
    reward of an item, and `bonus` the most that counts in addition to the reward of a decision; decisions have at most m items.

    With h the largest reward, at least 0, a decision with an item of reward r is worth at most ``r + (m - 1) h + bonus``. At
    ``r = -FAR_BELOW (|value| + m h + bonus)`` that is less than `value`, by nearly `FAR_BELOW` times everything else.
    """
    return -FAR_BELOW * (abs(value) + m * max(highest, 0.0) + bonus)
