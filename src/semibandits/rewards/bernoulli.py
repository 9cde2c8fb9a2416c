"""Bernoulli rewards, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.inputs.arguments import hinted
from semibandits.inputs.validation import check_numbers
from semibandits.kernels.rewards import BERNOULLI
from semibandits.laws import Bernoulli
from semibandits.rewards._checks import mean_vector
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards


@final
class BernoulliRewards(KernelRewards):
    """Rewards 0 or 1, independent across items.

    Policies receive the variance 1/4, the smallest sub-Gaussian proxy that is valid for every mean: theta (1 - theta) would
    reveal theta.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Probability of the reward 1 of each item, in [0, 1].

    Raises
    ------
    InvalidInputError
        If `theta` has the wrong shape, is not finite, or leaves [0, 1].

    Examples
    --------
    >>> clicks = sb.BernoulliRewards([0.5, 0.2, 0.9])  # probabilities of a click on three articles
    >>> clicks.draw([0, 2], np.random.default_rng(0)).tolist()  # articles 0 and 2 are shown
    [0.0, 1.0]
    >>> clicks.variance, clicks.law
    (0.25, Bernoulli())
    >>> sb.BernoulliRewards([0.5, 1.2])
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: theta must be in [0, 1], got 1.2 for item 1: ...

    References
    ----------
    Hoeffding (1963), "Probability inequalities for sums of bounded random variables", equation 4.16.
    """

    @hinted
    def __init__(self, theta: ArrayLike) -> None:
        means = mean_vector(theta)
        remedy = "pass probabilities, or use BoundedRewards for rewards in another interval"
        check_numbers(means, (means < 0) | (means > 1), "theta", "be in [0, 1]", remedy)
        compiled = CompiledRewards(BERNOULLI, means.copy(), np.array([len(means)], dtype=np.int64))
        super().__init__(means, 0.25, compiled, Bernoulli())

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta)}
