"""AESCB: ESCB with rounded means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.inputs.validation import number_in
from semibandits.kernels.rules.optimism import IN_REWARDS, aescb
from semibandits.policies.agents import RuleAgent
from semibandits.policies.rules import RadiusPolicy

DEVIATIONS: Final = 1024.0
"""A mean counts as at most this many of the smallest standard deviations where it determines the largest step."""


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class AESCB(RadiusPolicy):
    """Approximate ESCB: play a decision whose index is nearly the largest.

    In round t it plays an x with ``max_y {mean·y + sqrt(b·y)} <= mean·x + sqrt(b·x) / ratio + delta_t``, where
    ``b_i = 2 sigma_i^2 f(t) / n_i``. Means are rounded up to multiples of ``delta_t / m``, so that rewards take few different
    values. ``delta_t = additive * m * max sigma / t`` causes no more regret once it is below the smallest gap, so the additional
    regret is bounded.

    Parameters
    ----------
    ratio : float
        In [1e-6, 1], epsilon_t in Cuvelier et al. (2020): the bonus may be underestimated by this factor.
    additive : float
        In [1e-9, 1e9], delta_t times t, in units of m times the largest standard deviation.
    levels : float
        A cap on the work, from 1 to 2^50: at most this many steps from 0 to the mean of largest absolute value, so that delta_t
        is at least m times that value over `levels`. Without it the tables of round t would grow like t. The value counts as at
        most 1,024 of the smallest standard deviations: one outcome of 1e8, say for a timeout, does not make all others equal.
    radius : str or Radius
        f(t), as for :class:`ESCB`.
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
    Cuvelier, Combes, Gourdin (2020), whose scheme solves P_BLM for every value of the rounded means. Here P_IM is solved
    directly, by branch and bound within a budget, with the same guarantee if the search ends within it; other searches are
    counted (docs/policies/large.md). ``maximize_index`` of paths and m-sets uses labels, whose number is polynomial in integer
    rewards.

    Examples
    --------
    >>> streets = [("depot", "park"), ("depot", "bridge"), ("park", "shop"), ("bridge", "shop")]
    >>> minutes = np.array([4.0, 3.0, 9.0, 5.0])
    >>> learner = sb.Learner(sb.Paths(streets, "depot", "shop"), sb.AESCB(ratio=0.9), variance=1.0, seed=0)
    >>> for day in range(50):
    ...     today = learner.ask()
    ...     learner.tell(today.id, costs=minutes[today.items])
    >>> learner.plays.tolist()  # 8 minutes over the bridge, 13 through the park
    [1, 49, 1, 49]
    """

    ratio: float = 1.0
    additive: float = 1.0
    levels: float = 2.0**20

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, low, high in (("ratio", 1e-6, 1.0), ("additive", 1e-9, 1e9), ("levels", 1.0, 2.0**50)):
            value = number_in(getattr(self, name), name, low, high, f"leave it out for {getattr(AESCB, name):g}")
            object.__setattr__(self, name, value)

    @property
    def rule(self) -> Any:
        """The kernel."""
        return aescb

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio, coefficients of f, the rounding step times t, the largest number of steps, and what limits a mean in them."""
        step, largest = self.additive * float(np.sqrt(variance.max())), DEVIATIONS * float(np.sqrt(variance.min()))
        return np.array([self.ratio, *self.coefficients(m), step, self.levels, 0.0, largest])

    def start(self, decision_set: DecisionSet, variance: ArrayLike) -> RuleAgent:
        """An agent that has seen nothing; see :meth:`Policy.start`."""
        agent = super().start(decision_set, variance)
        agent.player.params[IN_REWARDS] = decision_set.upper is not None  # which is in the unit of the rewards
        return agent
