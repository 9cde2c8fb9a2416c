"""One replication of one policy: a pure function of the specification and the replication's number."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle
from semibandits.errors import InvalidInputError
from semibandits.kernels import late, rounds
from semibandits.kernels.machine import tiers
from semibandits.kernels.rules.statistics import MEANS, PLAYS, SUMS
from semibandits.kernels.search.outliers import without_outliers
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent, not_a_decision
from semibandits.policies.baseline import BaselineAgent, committed_agent
from semibandits.rewards._checks import checked_rewards
from semibandits.simulation.specification import Specification
from semibandits.simulation.stopping import Watch

FIRST_ROUNDS, PAUSE_SECONDS = 64, 0.2
"""Kernels return to Python about this often, so that interrupts are handled. Results do not depend on it."""
SECONDS_TO_LEARN = 1.0
"""Time played before the remaining time is estimated."""
Delays: TypeAlias = tuple[IntArray, BoolArray]
"""Delays of some rounds, and whether their outcomes are lost."""
TIE = 1e-12
"""Decisions whose gap is at most this times m times the largest absolute mean that is not out of scale count as optimal."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Record of one replication of one policy at c checkpoints."""

    regret: FloatArray  # (c,): pseudo-regret up to each checkpoint, the sum of the gaps of the decisions played
    reward: FloatArray  # (c,): sum of the rewards received
    plays: IntArray  # (c, d): how often each item was played
    calls: IntArray  # (c, 4): linear maximisations, index maximisations, plans, and index maximisations without a proof
    optimal: IntArray  # (c,): number of rounds in which an optimal decision was played
    stops: IntArray | None = None  # (c, 2): rounds after the stop, and those of them whose decision was not good enough


def replicate(specification: Specification, policy: str, replication: int, further: int = 0) -> Trajectory:
    """Play one replication of one policy; kernels are compiled if that pays off for it and for `further` ones after it."""
    agent, rng, reward_rng = _agent(specification, policy, replication)
    game = _game(specification, agent, rng, reward_rng, is_late=specification.lateness is not None)
    delays = None  # otherwise endless blocks of delays and losses
    if (lateness := specification.lateness) is not None:
        late_rng = np.random.default_rng(specification.late_seed(replication))
        delays = (lateness.draw(late_rng) for _ in itertools.count())
    if game is None:
        return _in_python(specification, agent, rng, reward_rng, delays)
    return _by_kernels(specification, game, delays, further)


def open_parts(specification: Specification, policy: str) -> dict[str, tiers.Part]:
    """Parts that are not compiled yet and that this policy calls, by name."""
    agent, rng, reward_rng = _agent(specification, policy, 0)
    game = _game(specification, agent, rng, reward_rng, is_late=specification.lateness is not None)
    kernel: Any = rounds.play
    return {} if game is None or not hasattr(kernel, "open_parts") else kernel.open_parts(game.arguments(1))


def plan(specification: Specification, policy: str) -> None:
    """Make a plan of this policy, which must be one that plans, and compile the kernels that this calls."""
    agent, _, _ = _agent(specification, policy, 0)
    assert isinstance(agent, RuleAgent)
    agent.player.stats[MEANS], agent.player.stats[PLAYS] = specification.rewards.theta, 1.0
    with tiers.expecting(math.inf):
        agent.replan()


def _agent(specification: Specification, policy: str, replication: int) -> tuple[Agent, np.random.Generator, np.random.Generator]:
    """The agent, its generator, and the generator of the rewards."""
    rewards, own = specification.seeds(replication)
    return started(specification, policy), np.random.default_rng(own), np.random.default_rng(rewards)


def started(specification: Specification, policy: str) -> Agent:
    """A new agent of a policy, which knows the law and the prior."""
    own = specification.policies[policy].for_law(specification.rewards.told_law)
    agent = own.start(specification.decision_set, specification.rewards.variance)
    if not isinstance(agent, Agent):
        raise InvalidInputError(
            f"`start` of the policy {policy} must return an Agent, got {type(agent).__name__}: "
            "return an object of your subclass of semibandits.Agent"
        )
    if specification.prior is not None:
        agent.assume(specification.prior)
    if specification.features is not None and isinstance(agent, RuleAgent) and agent.policy.features:
        agent.share(specification.features)
    return agent


def chosen(agent: Agent, decision_set: DecisionSet, rng: np.random.Generator, t: int) -> BoolArray:
    """The decision that an agent chooses in round t; anything but a decision is refused."""
    x = agent.choose(rng)
    if x not in decision_set:
        raise not_a_decision(x, t)
    return x


@dataclass(eq=False)
class _Game:
    """State of rounds in kernels."""

    agent: RuleAgent
    oracle: CompiledOracle
    environment: rounds.Environment
    record: rounds.Record
    work: rounds.Scratch
    queue: late.Queue
    rng: np.random.Generator
    reward_rng: np.random.Generator

    def arguments(self, most: int) -> tuple[Any, ...]:
        """Arguments of `rounds.play` for at most `most` rounds."""
        agent, oracle = self.agent, self.oracle
        return (
            agent.rule, oracle.family, oracle.index, rounds.Oracle(oracle.data, oracle.m), agent.player, self.environment,
            self.record, self.work, self.queue, self.rng, self.reward_rng, most,
        )  # fmt: skip


def _game(
    specification: Specification, agent: Agent, rng: np.random.Generator, reward_rng: np.random.Generator, *, is_late: bool
) -> _Game | None:
    """The state for kernels; None for decision sets, rewards or policies without kernels."""
    law = specification.rewards.compiled()
    if isinstance(agent, BaselineAgent) and agent.decisions is not None:
        known = (specification.decision_set, specification.rewards.variance, agent.decisions, specification.prior)
        agent = committed_agent(*known)
    if not isinstance(agent, RuleAgent) or agent.oracle is None or law is None or agent.sharing is not None:
        return None
    d, m = specification.decision_set.d, specification.decision_set.m
    return _Game(
        agent=agent,
        oracle=agent.oracle,
        environment=rounds.Environment(law.kind, law.floats, law.ints, specification.rewards.theta.copy(), *_best(specification)),
        record=rounds.record(specification.checkpoints, d),
        work=rounds.scratch(d, agent.policy.normals(d)),
        queue=late.queue(FIRST_ROUNDS if is_late else 0, d, m),
        rng=rng,
        reward_rng=reward_rng,
    )


def _best(specification: Specification) -> tuple[float, float]:
    """Largest mean of a decision, and the gap below which a decision counts as optimal."""
    theta = specification.rewards.theta
    x = specification.decision_set.maximize(theta.copy())
    usual = without_outliers(theta.copy(), x, specification.decision_set.m)
    return _total(theta, np.flatnonzero(x)), TIE * specification.decision_set.m * float(np.abs(usual).max())


def _total(values: FloatArray, items: IntArray) -> float:
    """Sum in the order of the items, as in the kernels."""
    total = 0.0
    for value in values[items].tolist():
        total += value
    return total


def _by_kernels(specification: Specification, game: _Game, delays: Iterator[Delays] | None, further: int) -> Trajectory:
    agent, d, watch = game.agent, specification.decision_set.d, _watch(specification)
    most, counters = FIRST_ROUNDS, agent.player.counters
    played, spent = [0.0], [0.0]
    while True:
        start = tiers.seconds()
        left = most if watch is None else min(most, watch.due - int(counters[rounds.ROUND]))
        with tiers.expecting(_seconds_ahead(played, spent, specification.horizon, further)):
            status = rounds.play(*game.arguments(left))
        if watch is not None and counters[rounds.ROUND] == watch.due and status in (rounds.PAUSED, rounds.DONE):
            _stop_if_sure(specification, game, watch)
        seconds = tiers.seconds() - start
        played.append(float(counters[rounds.ROUND]))
        spent.append(spent[-1] + seconds)
        if status == rounds.DONE:
            break
        if status == rounds.PAUSED:
            if left == most:
                most = most * 2 if seconds < PAUSE_SECONDS / 2 else max(most // 2, 1)
        elif status == rounds.WANTING:  # room in the queue and a delay for the next round
            assert delays is not None
            if late.is_full(game.queue):
                game.queue = late.widened(game.queue)
            if game.queue.counts[late.DRAWN] == len(game.queue.delays):
                game.queue.counts[late.DRAWN] = 0
                drawn, lost = next(delays)
                game.queue = game.queue._replace(delays=drawn, losses=lost)
        else:
            game.agent.answer(status)
    sums, counts = game.record.sums, game.record.counts
    plays = counts[:, :d].copy()
    if specification.prior is not None and specification.lateness is None:  # then statistics are recorded
        plays -= specification.prior.plays.astype(np.int64)
    optimal = sums[:, 2].astype(np.int64)
    stops = _stops(specification, watch, game.environment.best - game.environment.tie)
    return Trajectory(sums[:, 0].copy(), sums[:, 1].copy(), plays, counts[:, d:].copy(), optimal, stops)


def _watch(specification: Specification) -> Watch | None:
    return None if specification.stop is None else Watch(specification, specification.stop)


def _stops(specification: Specification, watch: Watch | None, enough: float) -> IntArray | None:
    """See `Watch.stops`; decisions of a mean reward of `enough` tie with the best one."""
    if watch is None:
        return None
    items = np.flatnonzero(watch.decision) if watch.decision is not None else None
    return watch.stops(specification.checkpoints, 0.0 if items is None else enough - _total(specification.rewards.theta, items))


def _stop_if_sure(specification: Specification, game: _Game, watch: Watch) -> None:
    """Let the agent of a game play its best decision from now on if it is sure enough."""
    player, prior = game.agent.player, specification.prior
    plays, sums = player.stats[PLAYS].copy(), player.stats[SUMS].copy()
    if prior is not None:
        plays, sums = plays - prior.plays, sums - prior.plays * prior.means
    x = watch.stopped(int(player.counters[rounds.ROUND]), plays, sums)
    if x is not None:
        game.agent = committed_agent(specification.decision_set, specification.rewards.variance, x[None])
        own = game.agent.player
        game.agent.player = player._replace(rows=own.rows, params=own.params, memory=own.memory, marks=own.marks)


def _seconds_ahead(played: list[float], spent: list[float], horizon: int, further: int) -> float:
    """Estimated seconds for the rest of the replication and for `further` ones, assuming that they grow as a power of t.

    The power is fitted to the second half of the rounds so far: GLADE calls oracles ever more rarely, ESCB in every round.
    """
    if spent[-1] < SECONDS_TO_LEARN:
        return 0.0
    earlier = float(np.interp(played[-1] / 2.0, played, spent))
    power = min(max(math.log2(spent[-1] / earlier), 0.0), 1.0) if earlier > 0.0 else 1.0
    whole = spent[-1] * float((horizon / played[-1]) ** power)
    return whole - spent[-1] + further * whole


def _in_python(
    specification: Specification,
    agent: Agent,
    rng: np.random.Generator,
    reward_rng: np.random.Generator,
    delays: Iterator[Delays] | None,
) -> Trajectory:
    """The same rounds for decision sets, rewards or policies without kernels."""
    decision_set, theta = specification.decision_set, specification.rewards.theta
    best, tie = _best(specification)
    regret = reward = 0.0
    optimal = 0
    plays = np.zeros(decision_set.d, dtype=np.int64)
    rows: list[tuple[float, float, IntArray, tuple[int, int, int, int], int]] = []
    waiting: list[tuple[int, int, bool, IntArray, FloatArray]] = []  # a heap, ordered by due round, then by round
    watch, observed = _watch(specification), np.zeros((2, decision_set.d))  # plays and sums of observed rewards

    def observe(items: IntArray, outcomes: FloatArray) -> None:
        agent.observe(items, outcomes)
        observed[0, items] += 1.0
        observed[1, items] += outcomes

    terms = None if delays is None else itertools.chain.from_iterable(zip(*block, strict=True) for block in delays)
    for t in range(1, specification.horizon + 1):
        while waiting and waiting[0][0] < t:
            _, _, is_lost, items, outcomes = heapq.heappop(waiting)
            if is_lost:
                agent.forget(items)
            else:
                observe(items, outcomes)
        committed = None if watch is None else watch.decision
        items = np.flatnonzero(chosen(agent, decision_set, rng, t) if committed is None else committed)
        outcomes = checked_rewards(specification.rewards.draw(items, reward_rng), len(items), "draw")
        if committed is not None:
            pass  # nothing more is learnt
        elif terms is None:
            observe(items, outcomes)
        else:
            delay, is_lost = next(terms)
            heapq.heappush(waiting, (t + int(delay), t, bool(is_lost), items, outcomes))
        gap = best - _total(theta, items)
        regret += gap if gap > tie else 0.0
        optimal += gap <= tie
        for outcome in outcomes.tolist():
            reward += outcome
        plays[items] += 1
        if watch is not None and t == watch.due:
            watch.stopped(t, *observed)
        if t == specification.checkpoints[len(rows)]:
            rows.append((regret, reward, plays.copy(), (*agent.calls, agent.undecided), optimal))
    regrets, rewards, counts, calls, optima = zip(*rows, strict=True)
    numbers = np.array(calls, dtype=np.int64).reshape(len(rows), 4)
    stops = _stops(specification, watch, best - tie)
    return Trajectory(np.array(regrets), np.array(rewards), np.array(counts), numbers, np.array(optima, dtype=np.int64), stops)
