"""OSSB: explore the items that lack plays according to the Graves-Lai plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.inputs.validation import number_in
from semibandits.kernels.rounds import Player
from semibandits.kernels.rules.statistics import MEANS, PLAYS
from semibandits.kernels.rules.tracking import BLOCKS, EXPLORED, MARKS, PLANNED, ossb, ossb_state
from semibandits.policies.agents import RuleAgent
from semibandits.policies.plans import Plan
from semibandits.policies.rules import NamedLawPolicy, RadiusPolicy
from semibandits.policies.states import read_counts

if TYPE_CHECKING:
    from semibandits.laws import Law
    from semibandits.policies.exploration import Wanted

MOVEMENT: Final = 0.1
"""Distance that a mean may move without a new plan, as a share of the smallest gap that the rate of its item resolves."""
GROWTH: Final = 0.5
"""Share by which a count must have grown to require a new plan."""


@final
@dataclass(frozen=True, kw_only=True, repr=False)
class OSSB(RadiusPolicy, NamedLawPolicy):
    """Optimal sampling for structured bandits: explore each item as often as the Graves-Lai plan at the estimates requires.

    In round t, item i has its share if ``n_i >= (1 + gamma) w_i f(t)``, with w_i its rate in the plan that solves P_GL at the
    estimated means. If all items have their share, the decision of largest estimated reward is played. Otherwise the least played
    of the other items is explored, by the decision of the plan that contains it and whose items together lack most plays.

    Parameters
    ----------
    gamma : float
        >= 0. Explores by this share more than the plan.
    epsilon : float
        In [0, 1). In exploration rounds, an item with fewer plays than `epsilon` times the number of these rounds, and fewer than
        (1 + gamma) f(t), is explored first: of the decisions with the most of the least played of these items, by the best one
        at the estimates.
    radius : str or Radius
        f(t): ``"log"`` for ln t; see :class:`Radius`.
    gap : float
        Relative gap to which P_GL is solved, in (0, 1).
    law : Law or str, optional
        The law for which the plan is made, which may be user-defined; by default that of the environment or the learner. The
        Bernoulli plan requires fewer plays of items whose means are near 0 or 1 than the plan for Gaussian rewards of variance
        1/4. It is safe for other rewards in [0, 1], which vary at most as much as rewards of 0 or 1 of the same mean.
    rewards : {"auto", "gaussian", "bernoulli"}
        "bernoulli" is short for ``law=Bernoulli()``; "gaussian" plans with the variance only, whatever law is known.
    variance : float or sequence of float, shape (d,), optional
        Variance of the rewards, > 0; by default that of the environment or the learner. Plans for other laws
        do not use it.
    features : bool
        False for a policy that plays as without features in a simulation with them, to see what they are worth.

    Raises
    ------
    InvalidInputError
        If a parameter is malformed or out of range.

    Notes
    -----
    Combes, Magureanu, Proutiere (NIPS 2017), Algorithm 1. Differences from the paper:

    - Counts are per item, never per decision: forced exploration plays the best decision, at the estimates, among those with the
      most of the least played items.
    - Among the items that lack plays the rarest is explored, not the one furthest behind. Near-ties need nearly endless
      exploration, and an item that is underestimated could meanwhile stay so for very long.
    - The plan is certainty-equivalent about x*: it treats the items of the decision x* that is best at the estimates as known.
      While the items of x* that leave for a decision of the plan are less certain than those that enter, exploring this decision
      gives no information, and the best decision is played instead. Otherwise some runs would explore in every round for ever.
      Once x* is truly best, its items are played all the time, and the condition always holds.
    - Near-ties: gaps are kept away from 0 by their uncertainty (:func:`semibandits.policies.exploration.wanted`), and forced
      exploration stops at f(t) plays, since in a true tie exploration rounds do not end. They cost nothing there.
    - A new plan is made when a mean has moved by a tenth of ``sqrt(2 sigma_i^2 / w_i)`` and its count has grown by half, or when
      decisions without an item of the plan's x* were exploited for half as many rounds as the count of that item. So the number
      of plans grows with the logarithms of the counts. Each plan is solved from scratch: a plan that started from an earlier one
      would depend on when the learner was last restored.

    If `graves_lai` fails, the best decision with each item replaces the plan, which costs at most a factor m^2 with Gaussian
    rewards. For plans for other laws see :func:`semibandits.policies.exploration.wanted_of_law`; the raise e with
    ``w_i d(theta_i, theta_i + e) = 1`` replaces the square root.

    Examples
    --------
    >>> scores = np.array([0.9, 0.6, 0.3, 0.0])  # of four articles, of which one is shown
    >>> learner = sb.Learner(sb.MSets(4, 1), sb.OSSB(), variance=0.25, seed=0)
    >>> for visitor in range(300):
    ...     shown = learner.ask()
    ...     learner.tell(shown.id, scores[shown.items])
    >>> learner.plays.tolist()  # the worse an article, the fewer plays are needed to rule it out
    [283, 9, 5, 3]
    """

    gamma: float = 0.0
    epsilon: float = 0.01
    gap: float = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, high, ends, remedy in (
            ("gamma", np.inf, "[)", "0 explores as much as the plan"),
            ("epsilon", 1.0, "[)", "0.01 forces little"),
            ("gap", 1.0, "()", "0.02 is accurate enough"),
        ):
            object.__setattr__(self, name, number_in(getattr(self, name), name, 0.0, high, remedy, ends=ends))

    @property
    def rule(self) -> Any:
        """The kernel."""
        return ossb

    @property
    def searches(self) -> bool:
        """Whether the kernel requests P_IM: no."""
        return False

    def params(self, m: int, variance: FloatArray) -> FloatArray:
        """Ratio (not used), coefficients of (1 + gamma) f, epsilon, and the growth between plans."""
        log, loglog = self.coefficients(m)
        return np.array([1.0, (1.0 + self.gamma) * log, (1.0 + self.gamma) * loglog, self.epsilon, GROWTH])

    def memory(self, d: int, m: int) -> tuple[FloatArray, IntArray, BoolArray]:
        """Arrays of a rule without a plan."""
        marks = np.full(MARKS, -1, dtype=np.int64)
        marks[EXPLORED] = 0
        return np.zeros(BLOCKS * d), marks, np.zeros((0, d), dtype=np.bool_)

    def accepts(self, player: Player) -> bool:
        """Whether the state has the rows of its plan."""
        return len(player.rows) == max(int(player.marks[PLANNED]) + 1, 0)

    def current_form(self, state: dict[str, Any], d: int) -> dict[str, Any]:
        """Without the decisions that covered all items in version 1.0.0, kept before the optimal one, and their row numbers."""
        marks, rows = state["marks"], state["rows"]
        if not (isinstance(marks, list) and len(marks) == MARKS + d and isinstance(rows, list)):
            return state
        k = read_counts(state, "marks", None, least=None)[PLANNED]
        return {**state, "marks": marks[:MARKS], "rows": [*rows[: max(k, 0)], *rows[-1:]]}

    def lend(self, whole: Player, part: Player, items: IntArray, *, alike: bool = True) -> None:
        """Copy the number of exploration rounds."""
        part.marks[EXPLORED] = whole.marks[EXPLORED]

    def collect(self, whole: Player, part: Player, items: IntArray, *, alike: bool = True) -> None:
        """Copy the number of exploration rounds back."""
        whole.marks[EXPLORED] = part.marks[EXPLORED]

    @property
    def plans(self) -> bool:
        """Whether the kernel requests plans: yes."""
        return True

    def share(self, whole: Player, part: RuleAgent, items: IntArray) -> None:
        """Let the part explore items by the decisions of the plan that are left; items in none of them are not explored."""
        if whole.marks[PLANNED] < 0:
            return
        s = ossb_state(whole.memory, whole.marks, whole.rows, whole.stats.shape[1])
        others = np.ones(len(s.optimal), dtype=np.bool_)
        others[items] = False
        rows = s.planned[~s.planned[:, others].any(axis=1)][:, items]
        numbers = np.stack([block[items] for block in (s.inverses, s.references, s.tolerances, s.observed)])
        numbers[0, ~rows.any(axis=0)] = np.inf
        self.adopt(part, Plan(numbers.ravel(), rows, part.maximize(part.player.stats[MEANS])))

    def postpone(self, player: Player) -> bool:
        """Count the present plan as new, so that the rule goes on with it; False if there is none."""
        k, d = player.marks[PLANNED], player.stats.shape[1]
        if k < 0:
            return False
        s = ossb_state(player.memory, player.marks, player.rows, d)
        s.references[:], s.observed[:], s.exploited[:] = player.stats[MEANS], player.stats[PLAYS], 0
        return True

    def solved(self, agent: RuleAgent) -> Plan:
        """Solve P_GL at the means; the agent does not change."""
        from semibandits.policies.exploration import wanted, wanted_of_law

        player = agent.player
        means, plays = player.stats[MEANS].copy(), player.stats[PLAYS].copy()
        law = self.known_law
        if law is not None and not law.is_quadratic:
            plan = wanted_of_law(agent.decision_set, law, means, plays, self.gap)
            # If all rewards were 0, the mean stays, but its estimate depends on the counts: tolerances refer to estimates.
            means = law.estimates(means, plays)
            tolerances = MOVEMENT * _resolved_of_law(plan, law, means, plays, agent)
        else:
            scales = player.spread / np.maximum(plays, 1.0)
            plan = wanted(agent.decision_set, means, scales, agent.variance, self.gap)
            resolved = np.sqrt(2.0 * agent.variance * _inverses(plan))  # the gap that the rate of each item distinguishes from 0
            tolerances = MOVEMENT * np.where(plan.rates > 0, resolved, resolved.min())
        return Plan(np.concatenate((_inverses(plan), means, tolerances, plays)), plan.decisions, plan.optimal)

    def adopt(self, agent: RuleAgent, plan: Plan) -> None:
        """Follow a plan from the next round on."""
        player = agent.player
        agent.player = player._replace(
            memory=plan.memory.copy(),
            marks=np.array([player.marks[EXPLORED], len(plan.decisions), 0], dtype=np.int64),
            rows=np.ascontiguousarray(np.concatenate((plan.decisions, plan.optimal[None]))),
        )


def _inverses(plan: Wanted) -> FloatArray:
    """``1 / w``, infinite for items without a rate."""
    return np.divide(1.0, plan.rates, out=np.full_like(plan.rates, np.inf), where=plan.rates > 0)


def _resolved_of_law(plan: Wanted, law: Law, means: FloatArray, plays: FloatArray, agent: RuleAgent) -> FloatArray:
    """The gap that the rate of each item distinguishes from 0 under a law, at its estimates; the smallest one without a rate.

    An item outside x* may need no plays because no mean of it could compensate for the items that it would replace. This depends
    on the means of other items, by a margin that no rate reflects. Means then count as moved after a tenth of their own
    uncertainty, which shrinks as the items are played.
    """
    from semibandits.policies.exploration import resolved_by

    resolved = resolved_by(law, means, plan.rates)
    resolved = np.where(plan.rates > 0, resolved, resolved.min())
    left_out = ~plan.optimal & (plan.rates == 0)
    if agent.decision_set.upper is None and (agent.maximize(left_out.astype(np.float64)) & left_out).any():
        resolved = np.minimum(resolved, np.sqrt(law.variance_at(means) / np.maximum(plays, 1.0)))
    return resolved
