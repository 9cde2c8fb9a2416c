"""Thompson sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits._validation import finite_number
from semibandits.errors import InvalidInputError
from semibandits.kernels.laws import BERNOULLI
from semibandits.kernels.rules.thompson import thompson
from semibandits.policies.rules import LawPolicy


@final
@dataclass(frozen=True, kw_only=True)
class ThompsonSampling(LawPolicy):
    """Thompson sampling: the best decision of a world drawn from the posterior.

    The mean of item i is drawn from the normal law with the mean of what was seen and variance ``scale^2 sigma_i^2 / n_i``, which
    for `scale` 1 is the posterior of Gaussian rewards under a flat prior. One P_LM and d normal numbers a round. Where rounds
    are open, n_i counts them too: the variance is that of the posterior once their outcomes are told. This loses less than the
    posterior of today, by up to a twentieth with outcomes 1,000 rounds late (docs/policies/delays.md).

    Where the law is known not to be Gaussian, posteriors are those of the law under Jeffreys' prior, S being the sum of n_i
    rewards: of probabilities Beta(S + 1/2, n_i - S + 1/2), of counts Gamma(S + 1/2) / n_i, of times of shape k
    S k / Gamma(n_i k). They are drawn as functions of normal numbers (Wilson and Hilferty 1931), two for a probability: within
    1 % from two rewards of size 1 on, with tails that are never lighter. A known bound on Gaussian means is not used.

    Parameters
    ----------
    scale : float
        > 0. Above 1 it explores more: as if 1 / scale^2 as many rewards had been seen.
    law : Law or str, optional
        The law of the rewards; by default what the environment or the learner states. ``Gaussian(variance)`` makes all posteriors
        normal, whatever is known.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default what the environment or the learner states.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed or out of range.

    Notes
    -----
    Wang and Chen (2018); Perrault, Boursier, Perchet, Valko (2020). The paper's posterior variance 1 / n_i is that of variance 1.
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        value = finite_number(self.scale, "scale")
        if value <= 0:
            raise InvalidInputError(f"scale must be positive, got {value:g}: 1 is the posterior")
        object.__setattr__(self, "scale", value)

    @property
    def rule(self) -> Any:
        """The kernel."""
        return thompson

    def normals(self, d: int) -> int:
        """One an item, and one more where some item has a probability."""
        return 2 * d if (self.codes(d)[:d] == BERNOULLI).any() else d

    @property
    def searches(self) -> bool:
        """It asks for P_LM only."""
        return False

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used), the scale in units of the root of 2 sigma_i^2 / n_i, and the law."""
        return np.concatenate(([1.0, self.scale * float(np.sqrt(0.5))], self.codes(len(variance))))
