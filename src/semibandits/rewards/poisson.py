"""Poisson counts, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.inputs.arguments import hinted
from semibandits.kernels.rewards import POISSON
from semibandits.laws import Poisson
from semibandits.laws.checks import check_law
from semibandits.rewards._checks import mean_vector, variance_proxy
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards


@final
class PoissonRewards(KernelRewards):
    """Counts, or minus counts: orders, accidents, goals. Independent across items.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item: at least 0, or for costs at most 0.
    costs : array_like of float, shape (d,), optional
        Mean count of each item instead of `theta` and `cost`: rewards are minus the counts.
    cost : bool
        Whether the rewards are minus the counts.
    variance : float or array_like of float, shape (d,), optional
        Variance that policies receive, > 0; those that use the law ignore it. The variance of a count is its mean, which
        policies must not receive; the default is the largest of them for all items, as if only the order of magnitude of the
        counts were known.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given; if it or `variance` has the wrong shape, is not finite, or exceeds
        1e100; if a mean has the wrong sign; or if the variance is not positive, as it is if all means are 0 and `variance` is
        left out.

    Notes
    -----
    Counts have no sub-Gaussian proxy, so that the guarantees of policies that use variances alone do not hold. GLADE, OSSB and
    Thompson sampling use the law itself.

    Examples
    --------
    >>> orders = sb.PoissonRewards([2.0, 5.0])  # mean orders of two dishes a day
    >>> orders.draw([0, 1], np.random.default_rng(0)).tolist()
    [2.0, 4.0]
    >>> orders.variance, orders.law  # the larger mean is the variance for both
    (5.0, Poisson(cost=False))
    >>> accidents = sb.PoissonRewards(costs=[2.0, 5.0])
    >>> accidents.theta.tolist()  # rewards are minus the counts
    [-2.0, -5.0]
    """

    @hinted
    def __init__(
        self,
        theta: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        cost: bool = False,
        variance: ArrayLike | None = None,
    ) -> None:
        means = mean_vector(theta, costs)
        law = Poisson(cost=cost or costs is not None)
        check_law(law, means, in_costs=costs is not None)
        proxy = variance_proxy(np.abs(means).max(initial=0.0) if variance is None else variance, len(means))
        floats = np.append(np.abs(means), -1.0 if law.cost else 1.0)
        super().__init__(means, proxy, CompiledRewards(POISSON, floats, np.array([len(means)], dtype=np.int64)), law)
        self._cost = law.cost

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta), "cost": self._cost, "variance": described(self._variance)}
