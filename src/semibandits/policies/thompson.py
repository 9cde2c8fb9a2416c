"""Thompson sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.inputs.validation import number_in
from semibandits.kernels.laws import BERNOULLI
from semibandits.kernels.rules.thompson import thompson
from semibandits.laws import Bernoulli
from semibandits.policies.many.posteriors import Beta, Normal, Posterior
from semibandits.policies.rules import LawPolicy


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class ThompsonSampling(LawPolicy):
    """Thompson sampling: play the best decision for means drawn from the posterior. ``sb.Thompson`` is short for it.

    The mean of item i is drawn from the normal law with the observed mean and variance ``scale^2 sigma_i^2 / n_i``. For `scale` 1
    this is the posterior of Gaussian rewards under a flat prior. One P_LM and d normal numbers per round. n_i includes open
    rounds: the variance is that of the posterior once their outcomes are observed. The regret is smaller than with the current
    posterior, by up to a twentieth if outcomes are delayed by 1,000 rounds (docs/policies/delays.md).

    If the law is known not to be Gaussian, posteriors are those of the law under Jeffreys' prior. With S the sum of n_i rewards,
    they are Beta(S + 1/2, n_i - S + 1/2) for probabilities, Gamma(S + 1/2) / n_i for counts, and S k / Gamma(n_i k) for times of
    shape k. Draws are functions of normal numbers (Wilson and Hilferty 1931), two for a probability: within 1 % from two rewards
    of size 1 on, with tails that are never lighter. A known bound on Gaussian means is not used.

    Parameters
    ----------
    scale : float
        > 0. Values above 1 explore more, as if 1 / scale^2 as many rewards had been observed.
    law : Law or str, optional
        The law of the rewards; by default that of the environment or the learner. ``Gaussian(variance)`` makes all posteriors
        normal, whatever law is known.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default that of the environment or the learner.
    features : bool
        False for a policy that plays as without features in a simulation with them, to see what they are worth.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed or out of range.

    Notes
    -----
    Wang and Chen (2018); Perrault, Boursier, Perchet, Valko (2020). The posterior variance 1 / n_i of Cuvelier, Combes, Gourdin
    (2021) is that of rewards of variance 1.

    Examples
    --------
    >>> articles = sb.MSets(4, 2, items=["arts", "science", "sport", "travel"])  # show two of four
    >>> learner = sb.Learner(articles, sb.ThompsonSampling(), law="bernoulli", seed=0)
    >>> click_rates, rng = np.array([0.2, 0.7, 0.6, 0.1]), np.random.default_rng(0)
    >>> for visitor in range(200):
    ...     shown = learner.ask()
    ...     learner.tell(shown.id, rng.random(2) < click_rates[shown.items])
    >>> learner.plays.tolist()
    [7, 193, 189, 11]
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        value = number_in(self.scale, "scale", 0.0, np.inf, "1 is the posterior", ends="()")
        object.__setattr__(self, "scale", value)

    @property
    def rule(self) -> Any:
        """The kernel."""
        return thompson

    def normals(self, d: int) -> int:
        """One per item, or two if the law of some item is Bernoulli."""
        return 2 * d if (self.codes(d)[:d] == BERNOULLI).any() else d

    @property
    def searches(self) -> bool:
        """Whether the kernel requests P_IM: no."""
        return False

    @property
    def draws(self) -> bool:
        """Whether the kernel draws means: yes."""
        return True

    def posterior(self, variance: float) -> Posterior | None:
        """See `RulePolicy.posterior`: normal without another law, Beta for the Bernoulli law."""
        law = self.known_law
        if law is None or law.is_quadratic:
            return Normal(self.scale * float(np.sqrt(variance)))
        return Beta(self.scale) if isinstance(law, Bernoulli) else None

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used), the scale in units of sqrt(2 sigma_i^2 / n_i), and the law."""
        return np.concatenate(([1.0, self.scale * float(np.sqrt(0.5))], self.codes(len(variance))))


Thompson = ThompsonSampling
