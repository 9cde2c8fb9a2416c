"""Gaussian rewards, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.kernels.rewards import GAUSSIAN
from semibandits.rewards._checks import mean_vector, told_variance
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards


@final
class GaussianRewards(KernelRewards):
    """Gaussian rewards, independent across items.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item, of any sign.
    variance : float or array_like of float, shape (d,)
        Variance of the rewards, > 0: one number for all items, or one each. Policies are told it.

    Raises
    ------
    InvalidInputError
        If `theta` or `variance` has the wrong shape, is not finite, or exceeds 1e100; or if a variance is not positive.
    """

    def __init__(self, theta: ArrayLike, *, variance: ArrayLike = 0.5) -> None:
        means = mean_vector(theta)
        told = told_variance(variance, len(means))
        deviations = np.broadcast_to(np.sqrt(told), means.shape)
        law = CompiledRewards(GAUSSIAN, np.concatenate((means, deviations)), np.array([len(means)], dtype=np.int64))
        super().__init__(means, told, law)

    @property
    def is_independent_gaussian(self) -> bool:
        """Yes, unless a subclass overrides `draw`: C(theta) ln T bounds the regret of every uniformly good policy."""
        return self._draws_the_law

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta), "variance": described(self._variance)}
