"""ESCB: optimism for whole decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.rules.optimism import escb
from semibandits.policies.rules import RadiusPolicy


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class ESCB(RadiusPolicy):
    """Efficient sampling for combinatorial bandits: play the decision of largest upper confidence bound.

    The bound of a decision x is ``mean·x + sqrt(sum over x of 2 sigma_i^2 f(t) / n_i)``. Errors of independent items cancel in
    part, and the bonus is smaller than that of CUCB by up to a factor sqrt(m). One P_IM per round, exact if the search ends
    within its budget (docs/policies/large.md); regret O(d (ln m)^2 ln T / Delta_min), with Delta_min the smallest gap.

    Parameters
    ----------
    radius : str or Radius
        f(t): "log" (ln t), "log-loglog" (ln t + 4 m ln ln t, for which the regret bound is proved), or a :class:`Radius`.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default that of the environment or the learner.
    features : bool
        False for a policy that plays as without features in a simulation with them, to see what they are worth.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed.

    Notes
    -----
    Combes, Talebi, Proutiere, Lelarge (2015), index b; Degenne and Perchet (2016) for the bound. "log" is the radius of Cuvelier,
    Combes, Gourdin (2021). Rewards must be independent across items.

    Examples
    --------
    >>> articles = sb.MSets(8, 4)  # show four of eight
    >>> clicks = sb.GaussianRewards([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1], variance=0.25)
    >>> result = sb.simulate(articles, clicks, [sb.CUCB(), sb.ESCB()], horizon=200, replications=5, seed=0)
    >>> for policy, regret in result.regret.items():
    ...     print(f"{policy}: {regret[:, -1].mean():.1f}")
    CUCB: 18.5
    ESCB: 15.5
    """

    @property
    def rule(self) -> Any:
        """The kernel."""
        return escb

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio 1 and the coefficients of f."""
        return np.array([1.0, *self.coefficients(m)])
