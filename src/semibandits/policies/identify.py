"""Identify: find the best decision in few rounds, whatever is lost on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.inputs.validation import number_in
from semibandits.kernels.rounds import Player
from semibandits.kernels.rules.identify import MARKS, NEXT, STAGE, START, WIDTH, identify
from semibandits.policies.rules import LawPolicy


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class Identify(LawPolicy):
    """Identify the best decision: play what adds most to the evidence against those that are hardest to rule out.

    Use it for a test that ends once it is sure, with :meth:`Learner.confidence` or ``simulate(stop_at=0.95)``; policies that
    minimise regret play the best decision nearly always, so that they take far longer to be sure. It does not minimise regret.

    The evidence against a decision x is ``Z_x = gap_x^2 / (2 sum of sigma_i^2 / n_i)`` over the items in which x and the best
    decision differ. The price of item i is by how much one more play of it adds to the evidence, weighted by
    ``exp(-sharpness Z_x)``, over the hardest decisions with each item; the decision of largest total price is played. A round
    takes three P_LM. On `Routes`, where prices cannot be maximised, it is the dearest of those decisions.

    Parameters
    ----------
    sharpness : float
        > 0. Large values look at the hardest decision only.
    forced : float
        >= 0. Items with fewer than ``sqrt(forced t / d)`` plays in round t come first, so that no item is given up by mistake.
    law : Law or str, optional
        The law of the rewards, by which the confidence of a learner is measured; by default that of the environment or the
        learner. Decisions follow from the variance only.
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
    Prices are those of docs/policies.md, Identify. When to stop is a question of its own: the
    confidence is proved for every policy. All items are played infinitely often, so that a test with one best decision ends; that
    the number of rounds approaches that of :func:`identification_time` is measured, not proved (docs/policies/identify.md).

    Examples
    --------
    >>> articles, clicks = sb.MSets(5, 2), sb.GaussianRewards([0.9, 0.8, 0.5, 0.3, 0.1], variance=0.25)
    >>> policies = [sb.Identify(), sb.ThompsonSampling()]
    >>> result = sb.simulate(articles, clicks, policies, horizon=20_000, replications=4, stop_at=0.95)
    >>> [f"{row.policy}: {row.stopped.rounds:.0f} rounds" for row in result.summary()]
    ['Identify: 181 rounds', 'ThompsonSampling: nan rounds']
    """

    sharpness: float = 1.0
    forced: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        sharpness = number_in(self.sharpness, "sharpness", 0.0, np.inf, "1 is the default", ends="()")
        forced = number_in(self.forced, "forced", 0.0, np.inf, "1 is the default, 0 forces nothing", ends="[)")
        object.__setattr__(self, "sharpness", sharpness)
        object.__setattr__(self, "forced", forced)

    @property
    def rule(self) -> Any:
        """The kernel."""
        return identify

    @property
    def searches(self) -> bool:
        """Whether the kernel requests P_IM: no."""
        return False

    @property
    def kept(self) -> int:
        """One row: the best decision."""
        return 1

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used), sharpness, and forced exploration."""
        return np.array([1.0, self.sharpness, self.forced])

    def memory(self, d: int, m: int) -> tuple[FloatArray, IntArray, BoolArray]:
        """Arrays of a rule that has decided nothing."""
        marks = np.zeros(MARKS + d * (m + 1), dtype=np.int64)
        marks[WIDTH] = m + 1
        return np.zeros(0), marks, np.zeros((0, d), dtype=np.bool_)

    def accepts(self, player: Player) -> bool:
        """Whether the state awaits no answer, and its pool holds valid items."""
        marks, d = player.marks, player.stats.shape[1]
        if marks[STAGE] != START or (marks < 0).any() or not marks[NEXT] < d or marks[WIDTH] * d != len(marks) - MARKS:
            return False
        pool = marks[MARKS:].reshape(d, -1)
        return bool((pool[:, 0] < pool.shape[1]).all() and (pool[:, 1:] < d).all())
