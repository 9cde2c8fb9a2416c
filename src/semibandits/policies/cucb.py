"""CUCB: optimism item by item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.rules.optimism import cucb
from semibandits.policies.radius import Radius, as_radius
from semibandits.policies.rules import RulePolicy


@final
@dataclass(frozen=True, kw_only=True)
class CUCB(RulePolicy):
    """Combinatorial UCB: the decision of largest total upper confidence bound.

    Item i counts as ``mean_i + sqrt(2 sigma_i^2 f(t) / n_i)``: one P_LM a round, regret O(d m ln T / Delta_min).

    Parameters
    ----------
    radius : str or Radius
        f(t): "log" (ln t, as in the paper), "log-loglog" (ln t + 4 m ln ln t), "kveton" (3 ln t), or one of your own.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default what the environment or the learner states.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed.

    Notes
    -----
    Kveton, Wen, Ashkan, Szepesvári (2015); the paper, section on algorithms, whose index lacks the root.
    """

    radius: str | Radius = "log"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", as_radius(self.radius))

    @property
    def rule(self) -> Any:
        """The kernel."""
        return cucb

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used) and the coefficients of f."""
        return np.array([1.0, *as_radius(self.radius).coefficients(m)])
