"""Thompson sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits._validation import finite_number
from semibandits.errors import InvalidInputError
from semibandits.kernels.rules.thompson import thompson
from semibandits.policies.rules import RulePolicy


@final
@dataclass(frozen=True, kw_only=True)
class ThompsonSampling(RulePolicy):
    """Thompson sampling: the best decision of a world drawn from the posterior.

    The mean of item i is drawn from the normal law with the mean of what was seen and variance ``scale^2 sigma_i^2 / n_i``, which
    for `scale` 1 is the posterior of Gaussian rewards under a flat prior. One P_LM and d normal numbers a round. Where rounds
    are open, n_i counts them too: the variance is that of the posterior once their outcomes are told. This loses less than the
    posterior of today, by up to a twentieth with outcomes 1,000 rounds late (docs/policies/delays.md).

    Parameters
    ----------
    scale : float
        > 0. Above 1 it explores more.
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

    @property
    def samples(self) -> bool:
        """Whether the kernel wants a normal number per item: yes."""
        return True

    @property
    def searches(self) -> bool:
        """It asks for P_LM only."""
        return False

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used), and the scale in units of the root of 2 sigma_i^2 / n_i."""
        return np.array([1.0, self.scale * float(np.sqrt(0.5))])
