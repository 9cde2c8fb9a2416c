"""Gamma-distributed times and amounts, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.kernels.rewards import GAMMA
from semibandits.laws import Gamma, Law
from semibandits.rewards._checks import mean_vector, variance_proxy
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards


@final
class GammaRewards(KernelRewards):
    """Times or amounts of known shape, or minus these: travel times, waiting times, payments. Independent across items.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item: positive, or for costs negative.
    shape : float
        > 0: one over the squared coefficient of variation; 1 for exponential times.
    cost : bool
        Whether the rewards are minus the times.
    variance : float or array_like of float, shape (d,), optional
        What policies are told that reckon with variances alone, > 0. The variance of a time is ``theta^2 / shape``, which would
        give the mean away; by default all are told the largest, as one would who knows about how long times can be.

    Raises
    ------
    InvalidInputError
        If `theta` or `variance` has the wrong shape, is not finite, or exceeds 1e100; if a mean is 0 or has the wrong sign; or
        if the shape or the variance is not positive.

    Notes
    -----
    Times have no sub-Gaussian proxy: with variances alone, what is proven of policies does not hold. GLADE, OSSB and Thompson
    sampling reckon with the law itself.
    """

    def __init__(
        self, theta: ArrayLike, *, shape: float = 1.0, cost: bool = False, variance: ArrayLike | None = None
    ) -> None:
        means = mean_vector(theta)
        self._own = Gamma(shape, cost=cost)
        self._own.check(means)
        largest = float(np.abs(means).max(initial=0.0))
        told = variance_proxy(largest**2 / self._own.shape if variance is None else variance, len(means))
        floats = np.append(np.abs(means), [-1.0 if cost else 1.0, self._own.shape])
        super().__init__(means, told, CompiledRewards(GAMMA, floats, np.array([len(means)], dtype=np.int64)))

    @property
    def law(self) -> Law | None:
        """Their own, whatever the variance that policies are told; None if a subclass overrides `draw`."""
        return self._own if self._draws_the_law else None

    def _parameters(self) -> dict[str, Any]:
        return {
            "theta": described(self._theta),
            "shape": self._own.shape,
            "cost": self._own.cost,
            "variance": described(self._variance),
        }
