"""Rounds on very many interchangeable items, which look at those items only that can matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.available import no_decision_left
from semibandits.decisions.base import DecisionSet
from semibandits.kernels import rounds
from semibandits.kernels.rules.statistics import COUNTS, MEANS
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent, Policy
from semibandits.policies.many.draws import Draws
from semibandits.policies.many.leaders import Leaders
from semibandits.policies.many.posteriors import Posterior
from semibandits.policies.many.roles import Roles
from semibandits.policies.prior import Prior
from semibandits.policies.rules import RulePolicy

if TYPE_CHECKING:
    from semibandits.kernels.rounds import Player

MANY: Final = 50_000
"""Learners of at least this many items look at few of them in a round if they can."""
SHARE: Final = 0.1
"""They do so only if at most this share of the items is needed in a round."""


class FewItems:
    """The items of few roles that can matter in a round, found by their means and plays, or by draws.

    A round takes time that grows with the number of items in a decision and with the number of different counts, not with the
    number of items. Every item needs a prior, so that no round is spent on an item only because it was never played.

    CUCB plays the same decisions as without. GLADE plays the same rule, on items among which a decision is plausible iff one is
    plausible among all. Thompson sampling draws from the laws of the posteriors, with other random numbers.
    """

    def __init__(self, roles: Roles, leaders: int, posterior: Posterior | None, kept: int) -> None:
        # `kept`: the items of the decisions that the rule keeps.
        self.roles, self.kept = roles, [np.empty(0, dtype=np.int64)] * kept
        self._leaders, self._posterior = leaders, posterior
        self._index: Leaders | Draws | None = None

    @classmethod
    def of(
        cls, policy: RulePolicy, decision_set: DecisionSet, variance: FloatArray, prior: Prior, *, least: int = MANY
    ) -> Self | None:
        """None if there are fewer than `least` items, or rounds of this policy on this set may need all of them."""
        if decision_set.d < least or (prior.plays < 1.0).any() or np.ptp(variance) > 0.0 or decision_set.upper is not None:
            return None
        posterior = policy.posterior(float(variance[0]))
        if policy.leaders == 0 and posterior is None:
            return None
        roles = Roles.in_set(decision_set, policy.kernels(decision_set))
        if roles is None or 2 * int(roles.most.sum()) > SHARE * decision_set.d:
            return None
        return cls(roles, policy.leaders, posterior, policy.kept)

    def first_memory(self, memory: FloatArray) -> FloatArray:
        """What the whole agent keeps: that of the rule, or the level of the draws of each role."""
        return memory if self._posterior is None else np.zeros(len(self.roles.most))

    def reset(self) -> None:
        """Statistics of any items have changed."""
        self._index = None

    def update(self, items: IntArray) -> None:
        """Statistics of these items have changed."""
        index = self._index
        if index is not None:
            self._index = None  # unless all of it succeeds
            index.update(items.tolist())
            self._index = index

    def chosen(self, whole: RuleAgent, rng: np.random.Generator) -> IntArray:
        """The items of the decision that the rule of an agent chooses, ascending."""
        policy, player, index = whole.policy, whole.player, self._index
        if index is None:
            index = self._index = self._whole_index(whole)
        if isinstance(index, Draws):
            return self._best_draw(whole, *index.largest(rng, player.memory))
        repeated = policy.repeated(player)
        if repeated >= 0:
            return self.kept[repeated]
        items = self.candidates(whole, index)
        part, head = self._part(whole, items), len(player.memory)
        part.memory[:head] = player.memory
        part.marks[:] = policy.renumbered(player.marks, lambda old: np.searchsorted(items, old))
        for row, kept in zip(part.rows, self.kept, strict=True):
            row[np.searchsorted(items, kept)] = True
        x = self._played(whole, part, items, rng)
        player.memory[:] = part.memory[:head]
        player.marks[:] = policy.renumbered(part.marks, lambda old: items[old])
        self.kept = [items[row] for row in part.rows]
        return x

    def candidates(self, whole: RuleAgent, leaders: Leaders) -> IntArray:
        """The items that the rule looks at in this round, ascending."""
        remembered = whole.policy.remembered_items(whole.player.marks)
        items = np.sort(np.concatenate((leaders.needed(), *self.kept, remembered)))
        return items[np.diff(items, prepend=-1) > 0]  # as np.unique, which takes longer for so few

    def _whole_index(self, whole: RuleAgent) -> Leaders | Draws:
        roles, stats = self.roles, whole.player.stats
        if self._posterior is None:
            return Leaders(roles.of, self._leaders * roles.most, stats[COUNTS], stats[MEANS])
        plays, means = whole.prior.plays, whole.prior.means
        draws = Draws(self._posterior, roles.of, roles.most, plays, plays * means / plays)
        draws.follow(stats[COUNTS], stats[MEANS])
        return draws

    def chosen_among(self, whole: RuleAgent, available: BoolArray, rng: np.random.Generator) -> IntArray:
        """The same for available items only. All of them are looked at, and only the pool of the rule is kept."""
        policy, player, roles, usable = whole.policy, whole.player, self.roles, np.flatnonzero(available)
        if not roles.contain_decision(usable):
            raise no_decision_left(whole.decision_set, available)
        of = roles.of[usable]
        most = np.minimum(roles.most, np.bincount(of, minlength=len(roles.most)))
        counts, means = player.stats[COUNTS, usable], player.stats[MEANS, usable]
        if self._posterior is not None:
            places, values = Draws(self._posterior, of, most, counts, means).largest(rng, np.zeros(len(most)))
            return self._best_draw(whole, usable[places], values)
        pool = policy.remembered_items(player.marks)
        items = usable[Leaders(of, self._leaders * most, counts, means).needed()]
        items = np.union1d(items, pool[available[pool]])
        part = self._part(whole, items)
        policy.lend(player, part, items)
        x = self._played(whole, part, items, rng)
        policy.collect(player, part, items)
        return x

    def _best_draw(self, whole: RuleAgent, items: IntArray, values: FloatArray) -> IntArray:
        whole.player.counters[rounds.LINEAR_CALLS] += 1
        best: IntArray = items[self.roles.among(items).maximize(values)]
        return best

    def _part(self, whole: RuleAgent, items: IntArray) -> Player:
        """A player over these items, whose rule has decided nothing."""
        player, policy, m, k = whole.player, whole.policy, whole.decision_set.m, len(items)
        memory, marks, _ = policy.memory(k, m)
        return rounds.Player(
            params=policy.params(m, whole.variance[:k]),
            spread=player.spread[:k],
            stats=np.ascontiguousarray(player.stats[:, items]),
            memory=memory,
            marks=marks,
            rows=np.zeros((policy.kept, k), dtype=np.bool_),
            exempt=np.zeros(k, dtype=np.bool_),
            counters=player.counters.copy(),
        )

    def _played(self, whole: RuleAgent, part: Player, items: IntArray, rng: np.random.Generator) -> IntArray:
        """Play the rule of a player over these items."""
        oracle, work = self.roles.among(items), rounds.scratch(len(items))
        status = rounds.choose_next(
            whole.rule, oracle.family, oracle.index, rounds.Oracle(oracle.data, oracle.m), part, work, rng
        )
        if status != rounds.DONE:
            whole.answer(status)
        whole.player.counters[:] = part.counters
        return items[work.x]


def started(policy: Policy, decision_set: DecisionSet, variance: ArrayLike, prior: Prior | None, *, ages: bool) -> Agent:
    """A new agent for a learner, which looks at few items if it can; it does not count the plays of `prior` yet, see
    `Agent.assume`. With `ages`, outcomes lose weight, so that the counts of all items change in each round.
    """
    if isinstance(policy, RulePolicy) and prior is not None and not ages:
        prepared, own = policy.prepared(decision_set, variance)
        few = FewItems.of(prepared, decision_set, own, prior)
        if few is not None:
            return RuleAgent(prepared, decision_set, own, few)
    return policy.start(decision_set, variance)
