"""CUCB: optimism item by item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.rules.optimism import cucb
from semibandits.policies.rules import LawPolicy, RadiusPolicy

if TYPE_CHECKING:
    from semibandits._typing import ArrayLike
    from semibandits.laws import Law


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class CUCB(RadiusPolicy, LawPolicy):
    """Combinatorial UCB: play the decision of largest total upper confidence bound.

    The bound of item i is ``mean_i + sqrt(2 sigma_i^2 f(t) / n_i)``, or with a law of divergence d the largest q with
    ``n_i d(mean_i, q) <= f(t)``. One P_LM per round; regret O(d m ln T / Delta_min), with Delta_min the smallest gap.

    Parameters
    ----------
    radius : str or Radius
        f(t): "log" (ln t), "log-loglog" (ln t + 4 m ln ln t), "kveton" (3 ln t), or a :class:`Radius`.
    law : Law or str, optional
        The law of the rewards, for bounds as in KL-UCB. Without it, bounds follow from the variance, also if the law of the
        environment or the learner is known. User-defined laws are treated as Gaussian.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default that of the environment or the learner. Bounds with a law do not use it.
    features : bool
        False for a policy that plays as without features in a simulation with them, to see what they are worth.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed.

    Notes
    -----
    Kveton, Wen, Ashkan, Szepesvári (2015), with "kveton" as radius. "log" is the radius of Cuvelier, Combes, Gourdin (2021),
    section on algorithms, whose index lacks the root. With a law: Combes, Talebi, Proutiere, Lelarge (2015), KL-UCB index of each
    item; for m = 1, KL-UCB of Garivier and Cappé (2011).

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

    def for_law(self, law: Law | None) -> LawPolicy:
        """Itself: only a law that was given replaces the variance."""
        return self

    def _bounded_by(self, upper: FloatArray | None, variance: ArrayLike) -> LawPolicy:
        """See `LawPolicy._bounded_by`; without a law, bounds on means are not used."""
        return self if self.law is None else super()._bounded_by(upper, variance)

    @property
    def leaders(self) -> int:
        """See `RulePolicy.leaders`."""
        law = self.known_law
        return 1 if law is None or law.size is None else 0

    @property
    def searches(self) -> bool:
        """Whether the kernel requests P_IM: no."""
        return False

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used), the coefficients of f, and the law."""
        return np.concatenate(([1.0, *self.coefficients(m)], self.codes(len(variance))))
