"""What changes in a learner from call to call, with undo on errors."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.available import best_available, is_left
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.ordered import estimated_objectives, maximize_in_order
from semibandits.errors import InvalidInputError
from semibandits.features.design import Design, RoundFeatures
from semibandits.inputs.outcomes import round_number
from semibandits.inputs.validation import as_decision
from semibandits.kernels.rounds import Player
from semibandits.learning.drift import DriftCheck
from semibandits.learning.round import Round
from semibandits.policies.ageing import Ageing
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent, not_a_decision, without_own_rule
from semibandits.policies.history import History
from semibandits.policies.plans import Plan
from semibandits.policies.prior import Prior
from semibandits.policies.sharing import Sharing


class Progress:
    """Agent, generator, open rounds and statistics of a learner. A step that fails leaves all of them unchanged."""

    def __init__(self, decision_set: DecisionSet, agent: Agent, rng: np.random.Generator, prior: Prior | None) -> None:
        # The generator is the only source of randomness. Rewards of the prior count for the agent as observed before the first
        # round.
        self.decision_set, self.agent, self.rng, self.prior = decision_set, agent, rng, prior
        self.rule = agent if isinstance(agent, RuleAgent) else None  # the agent, if the policy is of the library
        if prior is not None:
            agent.assume(prior)
        self.labels = decision_set.items
        self.open: dict[int, Round] = {}  # rounds neither told nor forgotten, by id, oldest first
        self.next_id = 0  # number of rounds so far
        self.plays, self.sums = np.zeros(decision_set.d), np.zeros(decision_set.d)  # of observed rewards, without the prior
        self.drift: DriftCheck | None = None  # observes the same rewards
        self.ageing: Ageing | None = None  # weights of the same rewards by age, None if they do not lose weight
        self.sharing: Sharing | None = None  # what the items tell of each other, None if nothing
        self.probability_draws = 0  # number of further draws of each decision, for the probabilities of its items

    def share(self, design: Design) -> None:
        """Let items share effects, before the first round; `UnsupportedError` if the policy is the user's or makes plans."""
        if self.rule is None:
            raise without_own_rule("features", type(self.agent).__name__)
        self.sharing = self.rule.share(design)

    def age(self, ageing: Ageing) -> None:
        """Let outcomes lose weight, before the first round; `UnsupportedError` if the policy is the user's or makes plans."""
        rule = self.rule
        if rule is None:
            raise without_own_rule("half_life", type(self.agent).__name__)
        rule.check_plans("half_life")
        rule.ageing = self.ageing = ageing

    @property
    def means(self) -> FloatArray:
        """Mean of the observed rewards of each item, by their weights, 0 before the first, shape (d,)."""
        if self.ageing is not None:
            return self.ageing.means
        return self.sums / np.maximum(self.plays, 1.0)

    @property
    def pending(self) -> IntArray:
        """Number of open rounds with each item, shape (d,)."""
        counts = np.zeros(self.decision_set.d, dtype=np.int64)
        for asked in self.open.values():
            counts[asked.items] += 1
        return counts

    def recall(self, history: History, contexts: Any = None) -> None:
        """Start with rounds of another system, in which this was known."""
        if self.sharing is not None and contexts is not None:
            self.sharing.recall(history, contexts)
        self.agent.recall(history)
        self.plays, self.sums, self.next_id = history.plays, history.sums, history.rounds

    @property
    def known(self) -> tuple[FloatArray, FloatArray]:
        """Plays and sums of rewards by their weights, with the prior, shape (d,) each."""
        if self.ageing is not None:
            return self.ageing.plays, self.ageing.sums
        return (self.plays, self.sums) if self.prior is None else self.prior.added_to(self.plays, self.sums)

    def best(self, mask: BoolArray | None, seen: RoundFeatures | None = None) -> BoolArray:
        """Decision of largest estimated mean reward among those of available items; see `Learner.best`."""
        x = self.decision_set
        plays, sums = self.known
        unseen, means = estimated_objectives(plays, sums)
        if self.sharing is not None:
            unseen, means = np.zeros(len(means)), self.sharing.posterior(plays, sums, seen).means
            means = means if x.upper is None else np.minimum(means, x.upper)
        if mask is None or mask.all():
            return maximize_in_order(x, unseen, means)
        return best_available(x, mask, unseen, means)

    def open_round(self, round_id: object) -> Round:
        """The open round with this id; the id of another round is refused."""
        number = round_number(round_id)
        asked = self.open.get(number)
        if asked is None:
            reason = "this round is closed" if 0 <= number < self.next_id else "there is no such round"
            raise InvalidInputError(f"round_id must be that of an open round, got {number}: {reason}; see learner.open_rounds")
        return asked

    def ask(self, mask: BoolArray | None, seen: RoundFeatures | None = None, count: int = 1) -> tuple[Round, ...]:
        """Open so many rounds on the available items, or none; see `Learner.ask_many`."""
        rule, rounds, sharing = self.rule, [], self.sharing

        def choose(rng: np.random.Generator) -> IntArray:
            if rule is not None and rule.oracle is not None and (mask is None or bool(mask.all())):
                return rule.choose_items(rng)
            return np.flatnonzero(self._chosen(mask, rng))

        with self._undone_on_error():
            if sharing is not None:
                sharing.rows.begin(seen)
            for _ in range(count):
                shares = None
                if rule is not None and self.draws_probabilities:
                    shares = rule.shares_with(choose, self.rng, self.probability_draws)
                items = choose(self.rng)
                probabilities = self.sure(len(items)) if shares is None else shares[items]
                asked = Round.of_items(self.next_id, items, self.labels, probabilities)
                self.open[asked.id] = asked
                self.next_id = asked.id + 1
                if self.ageing is not None:
                    self.ageing.advance()
                if sharing is not None:
                    sharing.rows.enter(asked.id, asked.items)
                rounds.append(asked)
            return tuple(rounds)

    @property
    def draws_probabilities(self) -> bool:
        """Whether probabilities of items are estimated by draws."""
        return self.rule is not None and self.rule.policy.draws and self.probability_draws > 0

    def sure(self, count: int) -> FloatArray | None:
        """The probabilities of so many chosen items: 1 if the policy draws nothing, else None, unknown."""
        return np.ones(count) if self.rule is not None and not self.rule.policy.draws else None

    @property
    def wants_plan(self) -> bool:
        """Whether the policy wants a plan that was deferred."""
        return self.rule is not None and self.rule.wants_plan

    def planner(self) -> RuleAgent:
        """A copy of the agent that can make its plan while the agent plays on."""
        assert self.rule is not None
        planner = copy.copy(self.rule)
        planner.player = planner.player._replace(stats=planner.player.stats.copy())
        return planner

    def adopt(self, plan: Plan) -> None:
        """Follow a plan from the next round on."""
        assert self.rule is not None
        with self._undone_on_error():
            self.rule.adopt(plan)

    def _chosen(self, available: BoolArray | None, rng: np.random.Generator) -> BoolArray:
        """The decision of the next round, checked."""
        is_whole = available is None or bool(available.all())
        agent, x = self.agent, None
        if is_whole:
            x = as_decision(agent.choose(rng), self.decision_set.d)
        elif available is not None:
            x = as_decision(agent.choose_among(available.copy(), rng), self.decision_set.d)
        trusted = (is_whole or self.decision_set.best_effort) and self.rule is not None and self.rule.oracle is not None
        if x is None or not (trusted or is_left(self.decision_set, available, x)):
            raise not_a_decision(x, self.next_id)
        if available is not None and (x & ~available).any():
            first = int(np.argmax(x & ~available))
            raise InvalidInputError(
                f"policies must choose available items, got {self.labels[first]!r} in round {self.next_id}: fix `choose_among`"
            )
        return x

    def observe(self, asked: Round, rewards: FloatArray) -> None:
        """Observe the rewards of an open round, NaN where they are lost, and close it."""
        lost = np.isnan(rewards)
        items, values = asked.items[~lost], rewards[~lost]
        with self._closing(asked):
            if lost.any():
                self.agent.forget(asked.items[lost])
            if len(items) or not len(asked.items):
                self.plays[items] += 1.0
                self.sums[items] += values
                if self.sharing is not None and self.rule is not None:
                    self.sharing.observe(asked.id, items, values, ~lost, self.rule.player.stats)
                self.agent.observe(items, values)
                if self.ageing is not None:
                    self.ageing.observe(items, values, self.next_id - 1 - asked.id)
                if self.drift is not None:
                    self.drift.observe(items, values, self.labels, asked.id)

    def expire(self, limit: int) -> tuple[Round, ...]:
        """Forget the open rounds whose ids are below the limit."""
        old = tuple(asked for asked in self.open.values() if asked.id < limit)
        for asked in old:
            self.forget(asked)
        return old

    def forget(self, asked: Round) -> None:
        """Close an open round whose outcome is lost."""
        with self._closing(asked):
            self.agent.forget(asked.items.copy())

    @contextmanager
    def _closing(self, asked: Round) -> Iterator[None]:
        """Close a round at the end of the block; if the block raises, restore the statistics of its items."""
        items, rule = asked.items, self.rule
        player = None if rule is None else rule.player
        drift, found = self.drift, None
        if drift is not None:
            drift.reserve(items)
            found = drift.found, drift.count
        rows = None if self.sharing is None else self.sharing.rows
        kept = None if rows is None else (rows.within, dict(rows.open))
        before = [array[..., items] for array in self._by_item(player)]
        counters = np.empty(0, dtype=np.int64) if player is None else player.counters.copy()
        try:
            yield
            if rows is not None:
                rows.close(asked.id)
            del self.open[asked.id]
        except BaseException:
            if rows is not None and kept is not None:
                rows.within, rows.open = kept
            for array, values in zip(self._by_item(player), before, strict=True):
                array[..., items] = values
            if rule is not None and player is not None:
                rule.refresh(items)
                player.counters[:] = counters
            if drift is not None and found is not None:
                drift.found, drift.count = found
            self.open[asked.id] = asked
            raise

    def _by_item(self, player: Player | None) -> list[FloatArray]:
        """Arrays with a column for each item that outcomes change."""
        others = [] if self.drift is None else [self.drift.plays, self.drift.sums, self.drift.starts]
        if self.ageing is not None:
            others.append(self.ageing.numbers)
        if self.sharing is not None:
            others.append(self.sharing.rows.typical.T)
        return [self.plays, self.sums, *([] if player is None else [player.stats]), *others]

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        """Restore the generator, the policy's state and the open rounds if the block raises."""
        bits, upcoming = self.rng.bit_generator.state, self.next_id
        rule, ageing = self.rule, self.ageing
        weights = None if ageing is None else (ageing.numbers, ageing.rounds)  # rounds replace these numbers
        saved = None if rule is None else rule.saved()
        known = None if self.sharing is None else self.sharing.learnt
        try:
            yield
        except BaseException:
            self.rng.bit_generator.state = bits
            for round_id in range(upcoming, self.next_id + 1):
                self.open.pop(round_id, None)
            self.next_id = upcoming
            if ageing is not None and weights is not None:
                ageing.numbers, ageing.rounds = weights
            if self.sharing is not None and known is not None:
                self.sharing.undo(known, upcoming)
            if rule is not None:
                rule.undo(saved)
            raise
