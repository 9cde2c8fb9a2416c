"""The agent that plays a rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numba import types

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.available import best_available
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle, pointer
from semibandits.decisions.ordered import maximize_in_order
from semibandits.errors import SolverError, UnsupportedError
from semibandits.features.design import Design
from semibandits.inputs.validation import checked_answer
from semibandits.kernels import rounds
from semibandits.kernels.rules.actions import COVER, GAIN_FIRST, INDEX, LINEAR, LINEAR_FIRST, PLAY, RATIO, REPLAN, WAITING
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, enter, enter_prior, fresh_statistics, observe_open
from semibandits.policies.ageing import Ageing
from semibandits.policies.availability import Part
from semibandits.policies.base import Agent, without_own_rule
from semibandits.policies.history import History
from semibandits.policies.plans import Plan
from semibandits.policies.prior import Prior
from semibandits.policies.sharing import Sharing
from semibandits.policies.states import agent_state, restored_agent, statistics_of, unseen_items

if TYPE_CHECKING:
    from semibandits.policies.many.few import FewItems
    from semibandits.policies.rules import RulePolicy

_FLOATS, _BOOLS = types.Array(types.float64, 1, "C"), types.Array(types.boolean, 1, "C")
_MARKS, _STATS, _ROWS = (types.Array(types.int64, 1, "C"), types.Array(types.float64, 2, "C"), types.Array(types.boolean, 2, "C"))
_STATE = types.NamedTuple((_FLOATS, _STATS, _FLOATS, _MARKS, _ROWS, _FLOATS), RuleState)  # type: ignore[no-untyped-call]
_REQUEST = types.NamedTuple((_FLOATS, _FLOATS, _BOOLS), Request)  # type: ignore[no-untyped-call]
RULE: Final = types.int64(types.int64, _STATE, _REQUEST)
"""Signature of rules, see :mod:`semibandits.kernels.rules`."""


class RuleAgent(Agent):
    """Statistics of the items, and a rule that chooses decisions from them.

    Unless the decision set has an upper bound on the means, rounds try unobserved items first, each by the best decision at the
    estimates among those with the most of these items that are in the fewest open rounds. With an upper bound, unobserved items
    count as having the largest mean that they can have: they are played only if a decision with them could still be the best one
    (optimism in the face of uncertainty).
    """

    def __init__(self, policy: RulePolicy, decision_set: DecisionSet, variance: FloatArray, few: FewItems | None = None) -> None:
        d, m, upper = decision_set.d, decision_set.m, decision_set.upper
        # `few`: the items that can matter, if rounds look at few of very many items.
        self.policy, self.decision_set, self.variance, self.few = policy, decision_set, variance, few
        self.prior = Prior(np.zeros(d), np.zeros(d))  # rewards that count as observed before the first round
        # State of the rule for the items that were available in the last round in which some were not.
        self.part: Part | None = None
        # By which counts the rule chooses, if not by those of `player`: of outcomes that age, or of items that share effects.
        self.ageing: Ageing | None = None
        self.sharing: Sharing | None = None
        # Whether `choose` goes on without the plans that the rule requests, and whether it has requested one that was deferred.
        self.defers = self.wants_plan = False
        self._opened: list[tuple[IntArray, FloatArray]] | None = None
        # None if the decision set has no kernels; rounds are then played in Python.
        self.oracle: CompiledOracle | None = policy.kernels(decision_set) if few is None else few.roles.oracle
        memory, marks, rows = policy.memory(d if few is None else 0, m)
        if few is None:
            rows = np.concatenate((rows, np.repeat(self.maximize(np.zeros(d))[None], policy.kept, axis=0)))
        else:
            memory = few.first_memory(memory)
        # The state, as arrays that kernels change in place.
        self.player = rounds.Player(
            params=policy.params(m, variance if few is None else variance[:1]),
            spread=2.0 * variance,
            stats=fresh_statistics(variance.copy(), upper),
            memory=memory,
            marks=marks,
            rows=rows,
            exempt=np.full(d, upper is not None),
            counters=np.zeros(rounds.COUNTERS, dtype=np.int64),
        )
        self._count_unseen()

    @cached_property
    def _work(self) -> rounds.Scratch:
        return rounds.scratch(self.decision_set.d, self.policy.normals(self.decision_set.d))

    @property
    def means(self) -> FloatArray:
        """Mean of the observed rewards of each item, 0 before the first; shape (d,)."""
        means: FloatArray = self.player.stats[MEANS].copy()
        return means

    @property
    def plays(self) -> FloatArray:
        """Number of observed rewards of each item, shape (d,)."""
        plays: FloatArray = self.player.stats[PLAYS].copy()
        return plays

    @property
    def pending(self) -> IntArray:
        """Number of open rounds with each item, shape (d,)."""
        pending: IntArray = (self.player.stats[COUNTS] - self.player.stats[PLAYS]).astype(np.int64)
        return pending

    @property
    def calls(self) -> tuple[int, int, int]:
        """Numbers of linear maximisations, index maximisations and plans so far."""
        linear, index, plans = self.player.counters[rounds.LINEAR_CALLS : rounds.PLANS + 1].tolist()
        return linear, index, plans

    @property
    def undecided(self) -> int:
        """Number of index maximisations so far whose budget ended before a proof."""
        return int(self.player.counters[rounds.UNDECIDED])

    def choose(self, rng: np.random.Generator) -> BoolArray:
        """Choose the next decision by the kernel of simulations; its items count as open until they are observed."""
        return self._mask(self.choose_items(rng))

    def choose_items(self, rng: np.random.Generator) -> IntArray:
        """The items of the decision that `choose` returns, ascending."""
        with self._view(rng):
            items = np.flatnonzero(self.chosen(rng)) if self.few is None else self.few.chosen(self, rng)
        self._open_round(items)
        return items

    def _mask(self, items: IntArray) -> BoolArray:
        x = np.zeros(self.decision_set.d, dtype=np.bool_)
        x[items] = True
        return x

    def choose_among(self, available: BoolArray, rng: np.random.Generator) -> BoolArray:
        """Choose the next decision by the rule on the decisions that use available items only; see `Agent.choose_among`.

        What the rule keeps between rounds is that of the last round with the same items available, if no other items have been
        unavailable since; otherwise the rule decides anew.
        """
        if available.all():
            return self.choose(rng)
        with self._view(rng):
            if self.few is not None:
                items = self.few.chosen_among(self, available, rng)
            elif available.any():
                part = self.part
                if part is None or not np.array_equal(part.items, np.flatnonzero(available)):
                    part = Part.of(self, available)
                items, self.part = part.chosen(self, rng)
            else:
                nothing = np.zeros(len(available))  # the decision is the empty one, if there is one
                items = np.flatnonzero(best_available(self.decision_set, available, nothing, nothing))
        self._open_round(items)
        return self._mask(items)

    def share(self, design: Design) -> Sharing:
        """Let items share effects, before the first round; `UnsupportedError` if the policy makes plans or is to ignore them."""
        self.check_plans("features")
        if not self.policy.features:
            raise UnsupportedError("features=False is for policies of simulations, got it with features of a learner: drop one")
        self.sharing = Sharing(design, self.policy.known_law, self.variance)
        return self.sharing

    def check_plans(self, option: str) -> None:
        """Refuse an option, by `UnsupportedError`, if the policy makes plans."""
        if self.policy.plans:
            raise without_own_rule(option, self.policy.name)

    def _view(self, rng: np.random.Generator) -> AbstractContextManager[None]:
        """Within the block, the rule sees the statistics and the number of rounds by which it is to choose."""
        stats, upper = self.player.stats, self.decision_set.upper
        if self.ageing is not None:
            return self._seen_as(self.ageing.statistics(stats, self.variance, upper), round(self.ageing.rounds))
        if self.sharing is None:
            return nullcontext()
        number = int(self.player.counters[rounds.ROUND]) - self.sharing.before
        stats = self.sharing.statistics(stats, self.variance, upper, rng if self.policy.draws else None, number)
        return self._seen_as(stats, number)

    @contextmanager
    def _seen_as(self, stats: FloatArray, number: int) -> Iterator[None]:
        """Within the block, statistics and the number of rounds are these; the budget of searches stays the same."""
        whole = self.player
        counters = whole.counters.copy()
        counters[rounds.ROUND] = number
        unspent = rounds.CALLS_A_ROUND * (whole.counters[rounds.ROUND] - counters[rounds.ROUND])
        counters[rounds.SEARCHED] -= unspent
        params = self.policy.at_time(whole.params, int(whole.counters[rounds.ROUND] - counters[rounds.ROUND]))
        self.player = whole._replace(params=params, stats=stats, counters=counters)
        self._count_unseen()
        self.policy.distrust(self.player, anew=self.sharing is not None and self.sharing.rows.next is not None)
        try:
            yield
        finally:
            self.player = whole
        counters[rounds.SEARCHED] += unspent
        counted = slice(rounds.LINEAR_CALLS, None)
        whole.counters[counted] = counters[counted]

    def _open_round(self, items: IntArray) -> None:
        self.player.counters[rounds.ROUND] += 1
        if self._opened is not None:
            self._opened.append((items, self.player.stats[:, items]))
        self._enter(items, 1.0)

    def follow(self, whole: RuleAgent, items: IntArray) -> None:
        """Take over statistics and counters of an agent over more items, of which this agent has `items`."""
        stats = np.ascontiguousarray(whole.player.stats[:, items])
        self.player = self.player._replace(stats=stats, counters=whole.player.counters.copy())
        self._count_unseen()
        self.prior = Prior(whole.prior.means[items], whole.prior.plays[items])
        self.defers = whole.defers

    def saved(self) -> Any:
        """What `undo` needs to take back the rounds that are chosen from now on, besides the statistics of their items."""
        self._opened = []
        changing = ("memory", "marks", "rows", "counters")
        player = self.player._replace(**{name: getattr(self.player, name).copy() for name in changing})
        return player, self.part, self.wants_plan, None if self.few is None else list(self.few.kept)

    def undo(self, saved: Any) -> None:
        """Take back the rounds that were chosen since."""
        self.player, self.part, self.wants_plan, kept = saved
        if self.few is not None:
            self.few.kept = kept
            self.few.reset()
        for items, stats in reversed(self._opened or []):
            self.player.stats[:, items] = stats
        self._opened = None

    def shares_with(self, choose: Callable[[np.random.Generator], IntArray], rng: np.random.Generator, count: int) -> FloatArray:
        """The share of the next decision and so many further draws of it that have an item, if the next one has it; shape (d,).

        Neither the agent nor `rng` changes. If an item is drawn with probability p, one over its share has the mean
        (1 - (1 - p)^(count + 1)) / p, over decisions with it, so that weights of plays are never too large on average.
        """
        opened, found = self._opened, np.ones(self.decision_set.d)
        apart = np.random.Generator(rng.bit_generator.jumped())  # type: ignore[attr-defined]
        for _ in range(count):
            saved = self.saved()
            try:
                found[choose(apart)] += 1.0
            finally:
                self.undo(saved)
                self._opened = opened
        shares: FloatArray = found / (1.0 + count)
        return shares

    def refresh(self, items: IntArray) -> None:
        """Take note that the statistics of these items have changed."""
        if self.few is not None:
            self.few.update(items)

    def reopen(self, items: IntArray) -> None:
        """Count a round with these items as open; see :meth:`Agent.reopen`."""
        self._enter(items, 1.0)

    def observe(self, items: IntArray, rewards: FloatArray) -> None:
        """Observe the rewards of the items of one decision."""
        fresh = observe_open(self.player.stats, self.player.spread, items, len(items), rewards)
        counters = self.player.counters
        counters[rounds.UNSEEN] = max(counters[rounds.UNSEEN] - fresh, 0)  # always 0 if means have an upper bound
        self.refresh(items)

    def assume(self, prior: Prior) -> None:
        """Count prior means as rewards observed before the first round; see :meth:`Agent.assume`."""
        player = self.player
        self.prior = prior
        enter_prior(player.stats, player.spread, prior.means, prior.plays)
        self._count_unseen()

    def recall(self, history: History) -> None:
        """Count rewards as observed in rounds of another system; see :meth:`Agent.recall`."""
        none_open = np.zeros(self.decision_set.d)
        self.player.stats[:] = statistics_of(
            *self.prior.added_to(history.plays, history.sums), none_open, self.variance, self.decision_set.upper,
        )  # fmt: skip
        self.player.counters[rounds.ROUND] = history.rounds
        if self.sharing is not None:
            self.sharing.before = history.rounds
        self._count_unseen()

    def _count_unseen(self) -> None:
        self.player.counters[rounds.UNSEEN] = unseen_items(self.player.stats, self.decision_set.upper)
        if self.few is not None:
            self.few.reset()

    def forget(self, items: IntArray) -> None:
        """Close a round with these items whose outcome is lost."""
        self._enter(items, -1.0)

    def _enter(self, items: IntArray, change: float) -> None:
        enter(self.player.stats, self.player.spread, items, len(items), change)
        self.refresh(items)

    def replan(self) -> None:
        """Make the plan that the rule requests."""
        self.adopt(self.plan())

    def plan(self) -> Plan:
        """The plan at the present estimates; the agent does not change."""
        return self.policy.solved(self)

    def adopt(self, plan: Plan) -> None:
        """Follow a plan from the next round on."""
        self.policy.adopt(self, plan)
        self.player.counters[rounds.PLANS] += 1
        self.wants_plan = False

    def _stand_in(self) -> BoolArray | None:
        """Go on without the plan that the rule requests: the decision, or None if the rule can choose it now.

        Without any plan it is the best decision at the estimates.
        """
        self.wants_plan = True
        if self.policy.postpone(self.player):
            return None
        self.player.counters[rounds.LINEAR_CALLS] += 1
        return self.maximize(self.player.stats[MEANS])

    def maximize(self, weights: FloatArray) -> BoolArray:
        """P_LM, by the kernel of the decision set if it has one."""
        if self.oracle is not None:
            return self.oracle.maximize(weights)
        return checked_answer(self.decision_set.maximize(weights.copy()), self.decision_set.d, self.decision_set.m)

    @cached_property
    def rule(self) -> Any:
        """Pointer to the rule, for kernels."""
        return pointer(self.policy.rule, RULE)

    def chosen(self, rng: np.random.Generator) -> BoolArray:
        """The decision that the rule chooses, before its items count as open."""
        if self.oracle is None:
            return self._chosen_in_python(rng)
        oracle = rounds.Oracle(self.oracle.data, self.oracle.m)
        while True:
            status = rounds.choose_next(self.rule, self.oracle.family, self.oracle.index, oracle, self.player, self._work, rng)
            if status == rounds.DONE:
                return self._work.x.copy()
            if status != REPLAN or not self.defers:
                self.answer(status)
            elif (x := self._stand_in()) is not None:
                return x

    def answer(self, status: int) -> None:
        """Make a plan, or raise, after a kernel has stopped without a decision."""
        if status != REPLAN:
            raise SolverError(
                f"{self.policy.name} found no decision in round {self.player.counters[rounds.ROUND] + 1}: "
                "the search for the largest index failed, or rewards are too large to be summed: scale rewards down, or use "
                "ThompsonSampling, which needs no such search"
            )
        self.replan()

    def _chosen_in_python(self, rng: np.random.Generator) -> BoolArray:
        """The same as the kernel ``rounds.choose_next``, for decision sets without kernels."""
        player, counters, work = self.player, self.player.counters, self._work
        if counters[rounds.UNSEEN] > 0:
            rounds.write_unseen(player.stats, work.bonuses)
            if (x := self._tried()) is not None:
                return x
            counters[rounds.UNSEEN] = 0
        z = np.array([rng.standard_normal() for _ in work.normals])
        request = Request(work.weights, work.bonuses, work.x)
        while True:
            player = self.player
            state = RuleState(player.params, player.stats, player.memory, player.marks, player.rows, z)
            action = rounds.act(self.rule, int(counters[rounds.ROUND]) + 1, state, request)
            if action == PLAY:
                return request.x.copy()
            if action == COVER:
                x = self._tried()
                return request.x.copy() if x is None else x
            if action == REPLAN:
                if not self.defers:
                    self.replan()
                elif (x := self._stand_in()) is not None:
                    return x
                continue
            answer = self._answered(action, request.weights, request.bonuses)
            if action in (LINEAR, INDEX):
                return answer
            request.x[:] = answer

    def _tried(self) -> BoolArray | None:
        """The same as the kernel ``rounds.try_rarest``; None if it returns ``NONE_LEFT``."""
        work = self._work
        while (fewest := rounds.write_objectives(self.decision_set.m, self.player, work)) < math.inf:
            x = maximize_in_order(self.decision_set, work.noise, work.outcomes)
            if rounds.is_tried(fewest, self.player, work._replace(x=x)):
                return x
        return None

    def _answered(self, action: int, weights: FloatArray, bonuses: FloatArray) -> BoolArray:
        """The decision that the rule requests. On failure the rule is reset, so that it no longer waits for the answer."""
        counters, player = self.player.counters, self.player
        try:
            if action in (LINEAR, LINEAR_FIRST):
                counters[rounds.LINEAR_CALLS] += 1
                return self.maximize(weights)
            assert action in (INDEX, GAIN_FIRST)
            counters[rounds.INDEX_CALLS] += 1
            most = rounds.MOST_CALLS if action == INDEX else rounds.budget(counters, len(weights))
            found = self.decision_set.search_index(weights, bonuses, float(player.params[RATIO]), most=int(most))
            counters[rounds.SEARCHED] += found.calls
            counters[rounds.UNDECIDED] += not found.is_proven
            return checked_answer(found.decision, self.decision_set.d, self.decision_set.m).copy()
        except BaseException:
            if action in (LINEAR_FIRST, GAIN_FIRST):
                player.marks[WAITING] = 0
            raise

    def state(self) -> dict[str, Any]:
        """Statistics, counters and the saved arrays of the rule as plain JSON; `part` for rounds with unavailable items."""
        state = agent_state(self)
        return state if self.part is None else {**state, "part": self.part.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of an agent of the same policy on the same decision set; on an error the agent is unchanged."""
        own = dict(state) if isinstance(state, dict) else state
        stored = own.pop("part", None) if self.few is None and isinstance(own, dict) else None
        before = self.player
        self.player, kept = restored_agent(own, self)
        try:
            part = None if stored is None else Part.restored(self, stored)
        except BaseException:
            self.player = before
            raise
        self.part = part
        if self.few is not None:
            self.few.kept = kept
            self.few.reset()
