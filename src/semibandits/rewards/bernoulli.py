"""Bernoulli rewards, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.errors import InvalidInputError
from semibandits.kernels.rewards import BERNOULLI
from semibandits.laws import Bernoulli, Law
from semibandits.rewards._checks import mean_vector
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards


@final
class BernoulliRewards(KernelRewards):
    """Rewards 0 or 1, independent across items.

    Policies are told the variance 1/4, the smallest sub-Gaussian proxy that is right for every mean: theta (1 - theta) would give
    theta away.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Probability of the reward 1 of each item, in [0, 1].

    Raises
    ------
    InvalidInputError
        If `theta` has the wrong shape, is not finite, or leaves [0, 1].

    References
    ----------
    Hoeffding (1963), "Probability inequalities for sums of bounded random variables", equation 4.16.
    """

    def __init__(self, theta: ArrayLike) -> None:
        means = mean_vector(theta)
        bad = np.flatnonzero((means < 0) | (means > 1))
        if bad.size:
            raise InvalidInputError(
                f"theta must be in [0, 1], got {means[bad[0]]} for item {bad[0]}: "
                "pass probabilities, or use BoundedRewards for rewards in another interval"
            )
        super().__init__(means, 0.25, CompiledRewards(BERNOULLI, means.copy(), np.array([len(means)], dtype=np.int64)))

    @property
    def law(self) -> Law | None:
        """Their own, whatever the variance that policies are told; None if a subclass overrides `draw`."""
        return Bernoulli() if self._draws_the_law else None

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta)}
