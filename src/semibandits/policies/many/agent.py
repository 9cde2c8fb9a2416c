"""The agent for very many interchangeable items."""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.available import no_decision_left
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle
from semibandits.kernels import rounds
from semibandits.kernels.machine.interruptible import call_interruptibly
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, SUMS, fresh_statistics
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent, Policy
from semibandits.policies.history import History
from semibandits.policies.many.draws import Draws
from semibandits.policies.many.leaders import Leaders
from semibandits.policies.many.roles import Roles
from semibandits.policies.prior import Prior
from semibandits.policies.rules import RulePolicy
from semibandits.policies.states import checked_names, damaged, plain, read_counters, read_counts, read_floats, statistics_of

MANY: Final = 50_000
"""Learners of at least this many items use this agent if they can."""
SHARE: Final = 0.1
"""It is used only if at most this share of the items is needed in a round."""
STATE: Final = ("items", "plays", "sums", "pending", "counters", "memory", "marks", "kept")


class ManyItemsAgent(RuleAgent):
    """Statistics of very many items of few roles, and a rule that is played on the few items that can matter.

    A round takes time that grows with the number of items in a decision and with the number of different counts, not with the
    number of items. Every item needs a prior, so that no round is spent on an item only because it was never played.

    CUCB plays the same decisions as `RuleAgent`. GLADE plays the same rule, on items among which a decision is plausible iff one
    is plausible among all. Thompson sampling draws from the laws of the posteriors, with other random numbers.

    Attributes
    ----------
    kept : list of ndarray of int
        The items of the decisions that the rule keeps.
    """

    def __init__(self, policy: RulePolicy, decision_set: DecisionSet, variance: FloatArray, roles: Roles) -> None:
        d, m = decision_set.d, decision_set.m
        self.policy, self.decision_set, self.variance = policy, decision_set, variance
        self._prior_plays: FloatArray = np.zeros(d)
        self._prior_sums: FloatArray = np.zeros(d)
        self.part, self.ageing = None, None
        self.defers = self.wants_plan = False
        self.oracle: CompiledOracle | None = roles.oracle
        self._roles, self._posterior = roles, policy.posterior(float(variance[0]))
        floats, marks, _ = policy.memory(0, m)
        if self._posterior is not None:
            floats = np.zeros(len(roles.most))  # levels, see `Draws`
        self.player = rounds.Player(
            params=policy.params(m, variance[:1]),
            spread=2.0 * variance,
            stats=fresh_statistics(variance.copy()),
            memory=floats,
            marks=marks,
            rows=np.zeros((0, d), dtype=np.bool_),
            exempt=np.empty(0, dtype=np.bool_),
            counters=np.zeros(rounds.COUNTERS, dtype=np.int64),
        )
        self.kept: list[IntArray] = [np.empty(0, dtype=np.int64)] * policy.kept
        self._looks: Leaders | Draws | None = None
        self._opened: list[tuple[IntArray, FloatArray]] | None = None

    @classmethod
    def of(
        cls, policy: RulePolicy, decision_set: DecisionSet, variance: FloatArray, prior: Prior, *, least: int = MANY
    ) -> Self | None:
        """The agent, without its prior; None if there are fewer than `least` items, or it cannot play this policy or set."""
        if decision_set.d < least or (prior.plays < 1.0).any() or np.ptp(variance) > 0.0:
            return None
        if policy.leaders == 0 and policy.posterior(float(variance[0])) is None:
            return None
        oracle = decision_set.compiled()
        oracle = oracle if oracle is None or policy.searches else oracle.without_search()
        roles = Roles.in_set(decision_set, oracle)
        if roles is None or 2 * int(roles.most.sum()) > SHARE * decision_set.d:
            return None
        return cls(policy, decision_set, variance, roles)

    def choose(self, rng: np.random.Generator) -> BoolArray:
        """See `RuleAgent.choose`."""
        return self._mask(self.choose_items(rng))

    def choose_items(self, rng: np.random.Generator) -> IntArray:
        """The items of the next decision, ascending, which then count as open."""
        items = self._chosen_items(rng)
        self._open_round(items)
        return items

    def chosen(self, rng: np.random.Generator) -> BoolArray:
        """See `RuleAgent.chosen`."""
        return self._mask(self._chosen_items(rng))

    def _mask(self, items: IntArray) -> BoolArray:
        x = np.zeros(self.decision_set.d, dtype=np.bool_)
        x[items] = True
        return x

    def _chosen_items(self, rng: np.random.Generator) -> IntArray:
        index = self._index()
        if isinstance(index, Draws):
            items, values = index.largest(rng, self.player.memory)
            self.player.counters[rounds.LINEAR_CALLS] += 1
            return items[self._roles.among(items).maximize(values)]
        repeated = self.policy.repeated(self.player)
        return self.kept[repeated] if repeated >= 0 else self._played_among(self._candidates(index), rng)

    def _index(self) -> Leaders | Draws:
        """Items by what the rule looks at; made anew after an error."""
        if self._looks is None:
            stats, roles = self.player.stats, self._roles
            counts, means = stats[COUNTS], stats[MEANS]
            if self._posterior is None:
                self._looks = Leaders(roles.of, self.policy.leaders * roles.most, counts, means)
            else:
                first = self._prior_sums / np.maximum(self._prior_plays, 1.0)
                draws = Draws(self._posterior, roles.of, roles.most, self._prior_plays, first)
                draws.follow(counts, means)
                self._looks = draws
        return self._looks

    def _candidates(self, leaders: Leaders) -> IntArray:
        """The items that the rule looks at in this round, ascending."""
        items = np.sort(np.concatenate((leaders.needed(), *self.kept, self.policy.remembered_items(self.player.marks))))
        return items[np.diff(items, prepend=-1) > 0]  # as np.unique, which takes longer for so few

    def _played_among(self, items: IntArray, rng: np.random.Generator) -> IntArray:
        """Play the rule on the decisions that use these items only."""
        whole, policy = self.player, self.policy
        part, head = self._part(items), len(whole.memory)
        part.memory[:head] = whole.memory
        part.marks[:] = policy.renumbered(whole.marks, lambda old: np.searchsorted(items, old))
        for row, kept in zip(part.rows, self.kept, strict=True):
            row[np.searchsorted(items, kept)] = True
        x = self._played(part, items, rng)
        whole.memory[:] = part.memory[:head]
        whole.marks[:] = policy.renumbered(part.marks, lambda old: items[old])
        self.kept = [items[row] for row in part.rows]
        return x

    def _part(self, items: IntArray) -> rounds.Player:
        """A player over these items, whose rule has decided nothing."""
        whole, policy, m, k = self.player, self.policy, self.decision_set.m, len(items)
        memory, marks, _ = policy.memory(k, m)
        return rounds.Player(
            params=policy.params(m, self.variance[:k]),
            spread=whole.spread[:k],
            stats=np.ascontiguousarray(whole.stats[:, items]),
            memory=memory,
            marks=marks,
            rows=np.zeros((policy.kept, k), dtype=np.bool_),
            exempt=np.zeros(k, dtype=np.bool_),
            counters=whole.counters.copy(),
        )

    def _played(self, part: rounds.Player, items: IntArray, rng: np.random.Generator) -> IntArray:
        """Play the rule of a player over these items."""
        oracle, work = self._roles.among(items), rounds.scratch(len(items))
        status = call_interruptibly(
            rounds.choose_next, self.rule, oracle.family, oracle.index, rounds.Oracle(oracle.data, oracle.m), part, work, rng
        )
        if status != rounds.DONE:
            self.answer(status)
        self.player.counters[:] = part.counters
        return items[work.x]

    def _chosen_among(self, available: BoolArray, rng: np.random.Generator) -> BoolArray:
        """See `RuleAgent._chosen_among`. All available items are looked at, and only the pool of the rule is kept."""
        usable, roles, stats = np.flatnonzero(available), self._roles, self.player.stats
        if not roles.contain_decision(usable):
            raise no_decision_left(self.decision_set, available)
        of = roles.of[usable]
        most = np.minimum(roles.most, np.bincount(of, minlength=len(roles.most)))
        counts, means = stats[COUNTS, usable], stats[MEANS, usable]
        if self._posterior is not None:
            places, values = Draws(self._posterior, of, most, counts, means).largest(rng, np.zeros(len(most)))
            items = usable[places]
            self.player.counters[rounds.LINEAR_CALLS] += 1
            x = self._mask(items[roles.among(items).maximize(values)])
        else:
            items = usable[Leaders(of, self.policy.leaders * most, counts, means).needed()]
            pool = self.policy.remembered_items(self.player.marks)
            items = np.union1d(items, pool[available[pool]])
            part = self._part(items)
            self.policy.lend(self.player, part, items)
            x = self._mask(self._played(part, items, rng))
            self.policy.collect(self.player, part, items)
        return x

    def saved(self) -> Any:
        """See `RuleAgent.saved`."""
        return super().saved(), list(self.kept)

    def undo(self, saved: Any) -> None:
        """See `RuleAgent.undo`."""
        before, self.kept = saved
        super().undo(before)
        self._looks = None

    def observe(self, items: IntArray, rewards: FloatArray) -> None:
        """See `RuleAgent.observe`."""
        super().observe(items, rewards)
        self.refresh(items)

    def _enter(self, items: IntArray, change: float) -> None:
        super()._enter(items, change)
        self.refresh(items)

    def refresh(self, items: IntArray) -> None:
        """See `RuleAgent.refresh`."""
        index = self._looks
        if index is not None:
            self._looks = None  # unless all of it succeeds
            index.update(items.tolist())
            self._looks = index

    def _count_unseen(self) -> None:
        self._looks = None

    def recall(self, history: History) -> None:
        """See `RuleAgent.recall`."""
        super().recall(history)
        self._looks = None

    def state(self) -> dict[str, Any]:
        """Statistics of the items whose counts are not those of the prior, counters, and what the rule keeps, as plain JSON."""
        player = self.player
        items = np.flatnonzero((player.stats[COUNTS] != self._prior_plays) | (player.stats[PLAYS] != self._prior_plays))
        stats = player.stats[:, items]
        return {
            "items": items.tolist(),
            "plays": stats[PLAYS].tolist(),
            "sums": stats[SUMS].tolist(),
            "pending": (stats[COUNTS] - stats[PLAYS]).astype(np.int64).tolist(),
            "counters": player.counters.tolist(),
            "memory": [plain(value) for value in player.memory.tolist()],
            "marks": player.marks.tolist(),
            "kept": [kept.tolist() for kept in self.kept],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """See `RuleAgent.restore`."""
        self.player, self.kept = self._restored(state)
        self._looks = None

    def _restored(self, state: dict[str, Any]) -> tuple[rounds.Player, list[IntArray]]:
        """The player and the kept decisions of a state."""
        checked_names(state, STATE)
        d, player = self.decision_set.d, self.player
        items = _items_of(state, "items", d)
        plays, sums = self._prior_plays.copy(), self._prior_sums.copy()
        pending = np.zeros(d, dtype=np.int64)
        plays[items] = read_counts(state, "plays", len(items), least=0)
        sums[items] = read_floats(state, "sums", len(items))
        pending[items] = read_counts(state, "pending", len(items), least=0)
        if not np.isfinite(sums).all() or (plays < self._prior_plays).any():
            raise damaged("plays and sums", "finite, with at least the plays of the prior")
        counters = read_counters(state)
        if counters[rounds.UNSEEN] or counters[rounds.ROUND] < int((plays - self._prior_plays + pending).max()):
            raise damaged("counters", "those of the plays")
        listed = state["kept"]
        if not isinstance(listed, list) or len(listed) != len(self.kept):
            raise damaged("kept", f"{len(self.kept)} decisions")
        kept = [_items_of({"kept": each}, "kept", d) for each in listed]
        if any(len(each) > self.decision_set.m for each in kept):
            raise damaged("kept", "decisions of the decision set")
        restored = player._replace(
            stats=statistics_of(plays, sums, pending, self.variance, None),
            counters=counters,
            memory=read_floats(state, "memory", len(player.memory)),
            marks=read_counts(state, "marks", len(player.marks), least=None),
        )
        rows = np.zeros((self.policy.kept, 0), dtype=np.bool_)
        if not self.policy.accepts(restored._replace(rows=rows)):
            raise damaged("marks", f"those of {self.policy.name}")
        return restored, kept


def _items_of(state: dict[str, Any], name: str, d: int) -> IntArray:
    """Ascending indices of items."""
    items = read_counts(state, name, None, least=0)
    if (np.diff(items) <= 0).any() or (len(items) and items[-1] >= d):
        raise damaged(name, f"ascending items below d = {d}")
    return items


def started(policy: Policy, decision_set: DecisionSet, variance: ArrayLike, prior: Prior | None, *, ages: bool) -> Agent:
    """A new agent for a learner: a `ManyItemsAgent` if it can play there, otherwise the usual one. The prior is yet to be told.

    Parameters
    ----------
    policy : Policy
        The policy.
    decision_set : DecisionSet
        The decisions.
    variance : array_like of float, scalar or shape (d,)
        As for `Policy.start`.
    prior : Prior or None
        The prior that the agent will have.
    ages : bool
        Whether outcomes lose weight, so that the counts of all items change in each round.
    """
    if isinstance(policy, RulePolicy) and prior is not None and not ages and decision_set.upper is None:
        prepared, own = policy.prepared(decision_set, variance)
        agent = ManyItemsAgent.of(prepared, decision_set, own, prior)
        if agent is not None:
            return agent
    return policy.start(decision_set, variance)
