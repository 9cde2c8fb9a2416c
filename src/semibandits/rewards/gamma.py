"""Gamma-distributed times and amounts, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.inputs.arguments import hinted
from semibandits.kernels.rewards import GAMMA
from semibandits.laws import Gamma
from semibandits.laws.checks import check_law
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
    costs : array_like of float, shape (d,), optional
        Mean time of each item instead of `theta` and `cost`: rewards are minus the times.
    shape : float
        > 0: one over the squared coefficient of variation; 1 for exponential times.
    cost : bool
        Whether the rewards are minus the times.
    variance : float or array_like of float, shape (d,), optional
        Variance that policies receive, > 0; those that use the law ignore it. The variance of a time is ``theta^2 / shape``,
        which would reveal the mean; the default is the largest of them for all items, as if only the order of magnitude of the
        times were known.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given; if it or `variance` has the wrong shape, is not finite, or exceeds
        1e100; if a mean is 0 or has the wrong sign; or if the shape or the variance is not positive.

    Notes
    -----
    Times have no sub-Gaussian proxy, so that the guarantees of policies that use variances alone do not hold. GLADE, OSSB and
    Thompson sampling use the law itself.

    Examples
    --------
    >>> trips = sb.GammaRewards(costs=[10.0, 20.0], shape=4.0)  # mean minutes by two routes
    >>> trips.theta.tolist(), trips.law
    ([-10.0, -20.0], Gamma(shape=4.0, cost=True))
    >>> trips.variance  # 20**2 / 4
    100.0
    >>> trips.draw([0, 1], np.random.default_rng(0)).round(1).tolist()
    [-9.8, -25.2]
    """

    @hinted
    def __init__(
        self,
        theta: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        shape: float = 1.0,
        cost: bool = False,
        variance: ArrayLike | None = None,
    ) -> None:
        means = mean_vector(theta, costs)
        law = Gamma(shape, cost=cost or costs is not None)
        check_law(law, means, in_costs=costs is not None)
        largest = float(np.abs(means).max(initial=0.0))
        proxy = variance_proxy(largest**2 / law.shape if variance is None else variance, len(means))
        floats = np.append(np.abs(means), [-1.0 if law.cost else 1.0, law.shape])
        super().__init__(means, proxy, CompiledRewards(GAMMA, floats, np.array([len(means)], dtype=np.int64)), law)
        self._own = {"shape": law.shape, "cost": law.cost}

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta), **self._own, "variance": described(self._variance)}
