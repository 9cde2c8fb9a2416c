"""CUCB: optimism item by item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.rules.optimism import cucb
from semibandits.policies.rules import RadiusPolicy


@final
@dataclass(frozen=True, kw_only=True)
class CUCB(RadiusPolicy):
    """Combinatorial UCB: play the decision of largest total upper confidence bound.

    The bound of item i is ``mean_i + sqrt(2 sigma_i^2 f(t) / n_i)``. One P_LM per round; regret O(d m ln T / Delta_min), with
    Delta_min the smallest gap.

    Parameters
    ----------
    radius : str or Radius
        f(t): "log" (ln t), "log-loglog" (ln t + 4 m ln ln t), "kveton" (3 ln t), or a :class:`Radius`.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default that of the environment or the learner.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed.

    Notes
    -----
    Kveton, Wen, Ashkan, Szepesvári (2015), with "kveton" as radius. "log" is the radius of Cuvelier, Combes, Gourdin (2021),
    section on algorithms, whose index lacks the root.

    Examples
    --------
    >>> articles = sb.MSets(4, 2, items=["arts", "science", "sport", "travel"])  # show two of four
    >>> learner = sb.Learner(articles, sb.CUCB(), law="bernoulli", seed=0)
    >>> click_rates, rng = np.array([0.2, 0.7, 0.6, 0.1]), np.random.default_rng(0)
    >>> for visitor in range(200):
    ...     shown = learner.ask()
    ...     learner.tell(shown.id, rng.random(2) < click_rates[shown.items])
    >>> learner.plays.tolist()
    [14, 197, 168, 21]
    """

    @property
    def rule(self) -> Any:
        """The kernel."""
        return cucb

    @property
    def leaders(self) -> int:
        """See `RulePolicy.leaders`."""
        return 1

    @property
    def searches(self) -> bool:
        """Whether the kernel requests P_IM: no."""
        return False

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used) and the coefficients of f."""
        return np.array([1.0, *self.coefficients(m)])
