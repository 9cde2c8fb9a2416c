"""OSSB: play what the Graves-Lai plan says is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits._validation import finite_number
from semibandits.errors import InvalidInputError
from semibandits.kernels.rounds import Player
from semibandits.kernels.rules.statistics import MEANS, PLAYS, SCALES
from semibandits.kernels.rules.tracking import BLOCKS, EXPLORED, HEAD, PLANNED, ossb
from semibandits.policies.agents import RuleAgent
from semibandits.policies.exploration import wanted
from semibandits.policies.rules import RadiusPolicy

MOVEMENT: Final = 0.1
"""How far a mean may move without a new plan, as a share of the smallest gap that its item's rate can tell from 0."""
GROWTH: Final = 0.5
"""Share by which a count must have grown to call for a new plan."""


@final
@dataclass(frozen=True, kw_only=True)
class OSSB(RadiusPolicy):
    """Optimal sampling for structured bandits: explore each item as often as the Graves-Lai plan at the estimates asks for.

    In round t, item i has its share if ``n_i >= (1 + gamma) w_i f(t)``, with w_i its rate in the plan that solves P_GL at the
    estimated means. If all have theirs, the decision of largest estimated reward is played. Else the one of the others that was
    played least is explored, by the decision of the plan that has it and whose items together lack most.

    Parameters
    ----------
    gamma : float
        >= 0. Asks for that much more exploration than the plan.
    epsilon : float
        In [0, 1). In exploration rounds, an item with fewer plays than `epsilon` times the number of these rounds, and fewer than
        (1 + gamma) f(t), is explored first, by one of at most d decisions that cover all items.
    radius : str or Radius
        f(t): ``"log"`` for ln t; see :class:`Radius`.
    gap : float
        Relative gap to which P_GL is solved, in (0, 1).
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default what the environment or the learner states.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed or out of range.

    Notes
    -----
    Combes, Magureanu, Proutiere (NIPS 2017), Algorithm 1. It departs from the paper in this:

    - Counts are per item, with at most d decisions to cover them all, never per decision (theory section 1, 13).
    - Of the items that lack plays the rarest is explored, not the one furthest behind: near-ties want nearly endless exploration,
      and while they wait for it, an item that was underestimated could stay so for very long.
    - The plan is certainty-equivalent about x*: it takes the items of the decision x* that is best at the estimates for known.
      While the items of x* that a decision of the plan leaves out are less certain than those it brings in, exploring it would
      teach nothing, and the best decision is played instead. Without that some runs explore in every round for ever. Once x* is
      truly best, its items are played all the time, and the condition always holds.
    - Near-ties: gaps are kept away from 0 by what is known of them (:func:`semibandits.policies.exploration.wanted`), and forced
      exploration stops at f(t) plays, since in a true tie exploration rounds do not end. They cost nothing there.
    - The plan is made anew when a mean has moved by a tenth of ``sqrt(2 sigma_i^2 / w_i)`` and its count has grown by half, or
      when the decision exploited was one without an item of the plan's x*, for half as many rounds as that item's count. So the
      number of plans grows with the logarithms of the counts. Each plan is solved from scratch: started from an earlier one it
      would depend on when the learner was last restored.

    Where `graves_lai` fails, the best decision with each item takes the place of the plan, which costs at most a factor m^2.
    """

    gamma: float = 0.0
    epsilon: float = 0.01
    gap: float = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, allowed, remedy in (
            ("gamma", "be >= 0", "0 explores as the plan says"),
            ("epsilon", "lie in [0, 1)", "0.01 forces little"),
            ("gap", "lie in (0, 1)", "0.02 is accurate enough"),
        ):
            value = finite_number(getattr(self, name), name)
            if value < 0 or (name != "gamma" and value >= 1) or (name == "gap" and value == 0):
                raise InvalidInputError(f"{name} must {allowed}, got {value:g}: {remedy}")
            object.__setattr__(self, name, value)

    @property
    def rule(self) -> Any:
        """The kernel."""
        return ossb

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used), coefficients of (1 + gamma) f, epsilon, and the growth between plans."""
        log, loglog = self.coefficients(m)
        return np.array([1.0, (1.0 + self.gamma) * log, (1.0 + self.gamma) * loglog, self.epsilon, GROWTH])

    def memory(self, d: int) -> tuple[FloatArray, IntArray, BoolArray]:
        """No plan yet."""
        marks = np.full(HEAD + d, -1, dtype=np.int64)
        marks[EXPLORED] = 0
        return np.zeros(BLOCKS * d), marks, np.zeros((0, d), dtype=np.bool_)

    def accepts(self, player: Player) -> bool:
        """Whether the places that the kernel looks up are places."""
        k, covering_rows = player.marks[PLANNED], player.marks[HEAD:]
        if k < 0:
            return len(player.rows) == 0 and bool((covering_rows == -1).all())
        expected = np.where(player.cover >= 0, player.cover + k, -1)
        return len(player.rows) == k + len(player.covers) + 1 and bool(np.array_equal(covering_rows, expected))

    def plan(self, agent: RuleAgent) -> None:
        """Solve P_GL at the means and write down who explores what."""
        player = agent.player
        means, plays = player.stats[MEANS].copy(), player.stats[PLAYS].copy()
        plan = wanted(agent.decision_set, means, player.stats[SCALES].copy(), agent.variance, self.gap)
        asked = plan.rates > 0
        inverses = np.divide(1.0, plan.rates, out=np.full_like(means, np.inf), where=asked)
        resolved = np.sqrt(2.0 * agent.variance * inverses)
        tolerances = MOVEMENT * np.where(asked, resolved, resolved.min())
        k = len(plan.decisions)
        covering_rows = np.where(player.cover >= 0, player.cover + k, -1)
        agent.player = player._replace(
            memory=np.concatenate((inverses, means, tolerances, plays)),
            marks=np.concatenate(([player.marks[EXPLORED], k, 0], covering_rows)).astype(np.int64),
            rows=np.concatenate((plan.decisions, player.covers, plan.optimal[None])),
        )
