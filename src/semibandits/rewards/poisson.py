"""Poisson counts, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.kernels.rewards import POISSON
from semibandits.laws import Law, Poisson
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
    cost : bool
        Whether the rewards are minus the counts.
    variance : float or array_like of float, shape (d,), optional
        What policies are told that reckon with variances alone, > 0. The variance of a count is its mean, which policies must
        not be told; by default all are told the largest, as one would who knows about how large counts can be.

    Raises
    ------
    InvalidInputError
        If `theta` or `variance` has the wrong shape, is not finite, or exceeds 1e100; if a mean has the wrong sign; or if the
        variance is not positive, as where it is left out and all means are 0.

    Notes
    -----
    Counts have no sub-Gaussian proxy: with variances alone, what is proven of policies does not hold. GLADE, OSSB and Thompson
    sampling reckon with the law itself.
    """

    def __init__(self, theta: ArrayLike, *, cost: bool = False, variance: ArrayLike | None = None) -> None:
        means = mean_vector(theta)
        self._own = Poisson(cost=cost)
        self._own.check(means)
        told = variance_proxy(np.abs(means).max(initial=0.0) if variance is None else variance, len(means))
        floats = np.append(np.abs(means), -1.0 if cost else 1.0)
        super().__init__(means, told, CompiledRewards(POISSON, floats, np.array([len(means)], dtype=np.int64)))

    @property
    def law(self) -> Law | None:
        """Their own, whatever the variance that policies are told; None if a subclass overrides `draw`."""
        return self._own if self._draws_the_law else None

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta), "cost": self._own.cost, "variance": described(self._variance)}
