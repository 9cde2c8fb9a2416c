"""Gaussian rewards, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.inputs.arguments import hinted
from semibandits.kernels.rewards import GAUSSIAN
from semibandits.laws import Gaussian
from semibandits.laws.checks import check_law
from semibandits.rewards._checks import mean_vector, variance_proxy
from semibandits.rewards._digest import described, full_repr
from semibandits.rewards.base import CompiledRewards, KernelRewards


@final
class GaussianRewards(KernelRewards):
    """Gaussian rewards, independent across items.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item, of any sign.
    costs : array_like of float, shape (d,), optional
        Mean cost of each item instead of `theta`: rewards are minus costs.
    variance : float or array_like of float, shape (d,)
        Variance of the rewards, > 0: one number for all items, or one per item. Policies receive it.
    upper : float or array_like of float, shape (d,)
        Known upper bound on the mean rewards, which policies receive: 0 for costs, inf if none is known.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given; if it or `variance` has the wrong shape, is not finite, or exceeds
        1e100; if a variance is not positive; or if a mean is above its upper bound.

    Examples
    --------
    >>> sales = sb.GaussianRewards([3.0, 5.0, 4.0], variance=[1.0, 4.0, 1.0])  # of three shops
    >>> sales.draw([1, 2], np.random.default_rng(0)).round(2).tolist()  # of shops 1 and 2 in one round
    [5.25, 3.87]
    >>> trips = sb.GaussianRewards(costs=[10.0, 12.0], variance=9.0, upper=0.0)  # minutes
    >>> trips.theta.tolist()  # rewards are minus costs
    [-10.0, -12.0]
    """

    @hinted
    def __init__(
        self,
        theta: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        variance: ArrayLike = 0.5,
        upper: ArrayLike = np.inf,
    ) -> None:
        means = mean_vector(theta, costs)
        own = variance_proxy(variance, len(means))
        deviations = np.broadcast_to(np.sqrt(own), means.shape)
        floats = np.concatenate((means, deviations))
        self._own = Gaussian(own, upper)
        check_law(self._own, means, in_costs=costs is not None)
        super().__init__(means, own, CompiledRewards(GAUSSIAN, floats, np.array([len(means)], dtype=np.int64)), self._own)

    @property
    def is_independent_gaussian(self) -> bool:
        """Whether `draw` is not overridden by a subclass."""
        return self._draws_the_law

    def _parameters(self) -> dict[str, Any]:
        bound = {} if self._own.is_quadratic else {"upper": full_repr(self._own)}
        return {"theta": described(self._theta), "variance": described(self._variance), **bound}
