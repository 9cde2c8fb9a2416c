"""Rewards so low that their items can matter nowhere, such as a cost of 1e12 that stands for "forbidden" or for a timeout.

Searches and bounds are precise to a share of the largest reward, in which all other differences would vanish.
"""

from __future__ import annotations

from semibandits.kernels.tiers import kernel

OUT_OF_SCALE = 2.0**20
"""Rewards further below 0 than this many times what can matter are raised."""


@kernel
def limit_of_hopeless(value: float, highest: float, bonus: float, m: int) -> float:
    """The number to which lower rewards may be raised: a decision that contains one of them stays far below the best ones.

    Parameters
    ----------
    value : float
        Reward of some decision.
    highest : float
        Largest reward of an item.
    bonus : float
        Most that counts in addition to the reward of a decision.
    m : int
        Number of items of the largest decision.

    Notes
    -----
    With h the largest reward, at least 0, a decision with an item of reward r is worth at most ``r + (m - 1) h + bonus``. At
    ``r = -OUT_OF_SCALE (|value| + m h + bonus)`` that is less than `value`, by nearly `OUT_OF_SCALE` times everything else.
    """
    return -OUT_OF_SCALE * (abs(value) + m * max(highest, 0.0) + bonus)
