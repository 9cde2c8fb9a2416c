"""Gaussian rewards, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.kernels.rewards import GAUSSIAN
from semibandits.laws import Gaussian, Law
from semibandits.rewards._checks import mean_vector, variance_proxy
from semibandits.rewards._digest import described, in_full
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
    upper : float or array_like of float, shape (d,)
        What the means are known not to exceed, which policies are told: 0 for costs. inf if nothing is known.

    Raises
    ------
    InvalidInputError
        If `theta` or `variance` has the wrong shape, is not finite, or exceeds 1e100; if a variance is not positive; or if a mean
        is above its bound.
    """

    def __init__(self, theta: ArrayLike, *, variance: ArrayLike = 0.5, upper: ArrayLike = np.inf) -> None:
        means = mean_vector(theta)
        told = variance_proxy(variance, len(means))
        deviations = np.broadcast_to(np.sqrt(told), means.shape)
        law = CompiledRewards(GAUSSIAN, np.concatenate((means, deviations)), np.array([len(means)], dtype=np.int64))
        self._own = Gaussian(told, upper)
        self._own.check(means)
        super().__init__(means, told, law)

    @property
    def is_independent_gaussian(self) -> bool:
        """Yes, unless a subclass overrides `draw`: C(theta) ln T bounds the regret of every uniformly good policy."""
        return self._draws_the_law

    @property
    def law(self) -> Law | None:
        """With the bound on the means, if one is known; None if a subclass overrides `draw`."""
        return self._own if self._draws_the_law else None

    def _parameters(self) -> dict[str, Any]:
        bound = {} if self._own.is_quadratic else {"upper": in_full(self._own)}
        return {"theta": described(self._theta), "variance": described(self._variance), **bound}
