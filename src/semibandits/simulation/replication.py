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
from semibandits.decisions.compiled import CompiledOracle
from semibandits.errors import InvalidInputError
from semibandits.kernels import late, rounds, tiers
from semibandits.kernels.interruptible import call_interruptibly
from semibandits.kernels.rules.statistics import MEANS, PLAYS
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent
from semibandits.rewards._checks import checked_rewards
from semibandits.simulation.specification import Specification

FIRST_ROUNDS, PAUSE_SECONDS = 64, 0.2
"""Kernels come back to Python about every so many seconds, where an interrupt is heard. What is played does not depend on it."""
SECONDS_TO_LEARN = 1.0
"""After so many it is foreseen how long the rest will take."""
Delays: TypeAlias = tuple[IntArray, BoolArray]
"""Delays of some rounds, and whether their outcomes are lost."""
TIE = 1e-12
"""Decisions whose gap is at most this times m times the largest mean in size count as optimal, as for `graves_lai`."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What is kept of one replication of one policy.

    Attributes
    ----------
    regret : ndarray of float, shape (c,)
        Pseudo-regret up to each checkpoint: the sum of the gaps of the decisions played.
    reward : ndarray of float, shape (c,)
        Sum of the rewards received.
    plays : ndarray of int, shape (c, d)
        How often each item was played.
    calls : ndarray of int, shape (c, 4)
        Numbers of linear maximisations, index maximisations, plans, and index maximisations without a proof.
    """

    regret: FloatArray
    reward: FloatArray
    plays: IntArray
    calls: IntArray


def replicate(specification: Specification, policy: str, replication: int, further: int = 0) -> Trajectory:
    """Play one replication of one policy, which so many others will follow: kernels are compiled if that pays for all."""
    agent, rng, reward_rng = _agent(specification, policy, replication)
    game = _game(specification, agent, rng, reward_rng, is_late=specification.lateness is not None)
    delays = _delays(specification, replication)
    if game is None:
        return _in_python(specification, agent, rng, reward_rng, delays)
    return _by_kernels(specification, game, delays, further)


def open_parts(specification: Specification, policy: str) -> dict[str, tiers.Part]:
    """What must be compiled to play this policy and is not, by its name."""
    agent, rng, reward_rng = _agent(specification, policy, 0)
    game = _game(specification, agent, rng, reward_rng, is_late=specification.lateness is not None)
    kernel: Any = rounds.play
    return {} if game is None or not hasattr(kernel, "open_parts") else kernel.open_parts(game.arguments(1))


def plan(specification: Specification, policy: str) -> None:
    """Make a plan of this policy, which makes some, and compile what that calls."""
    agent, _, _ = _agent(specification, policy, 0)
    assert isinstance(agent, RuleAgent)
    agent.player.stats[MEANS], agent.player.stats[PLAYS] = specification.rewards.theta, 1.0
    with tiers.expecting(math.inf):
        agent.replan()


def _agent(
    specification: Specification, policy: str, replication: int
) -> tuple[Agent, np.random.Generator, np.random.Generator]:
    """The agent, its own random numbers, and those of the rewards."""
    rewards, own = specification.seeds(replication)
    chosen = specification.policies[policy].for_law(specification.rewards.told_law)
    agent = chosen.start(specification.decision_set, specification.rewards.variance)
    return agent, np.random.default_rng(own), np.random.default_rng(rewards)


@dataclass(eq=False)
class _Game:
    """All that rounds in kernels read and change."""

    agent: RuleAgent
    oracle: CompiledOracle
    environment: rounds.Environment
    record: rounds.Record
    work: rounds.Scratch
    queue: late.Queue
    rng: np.random.Generator
    reward_rng: np.random.Generator

    def arguments(self, most: int) -> tuple[Any, ...]:
        """Those of `rounds.play`, for so many rounds at most."""
        agent, oracle = self.agent, self.oracle
        return (
            agent.rule, oracle.family, oracle.index, rounds.Oracle(oracle.data, oracle.m), agent.player, self.environment,
            self.record, self.work, self.queue, self.rng, self.reward_rng, most,
        )  # fmt: skip


def _game(
    specification: Specification,
    agent: Agent,
    rng: np.random.Generator,
    reward_rng: np.random.Generator,
    *,
    is_late: bool,
) -> _Game | None:
    """None for decision sets, rewards or policies that kernels cannot see."""
    law = specification.rewards.compiled()
    if not isinstance(agent, RuleAgent) or agent.oracle is None or law is None:
        return None
    d, m = specification.decision_set.d, specification.decision_set.m
    return _Game(
        agent=agent,
        oracle=agent.oracle,
        environment=rounds.Environment(
            law.kind, law.floats, law.ints, specification.rewards.theta.copy(), *_best(specification)
        ),
        record=rounds.record(specification.checkpoints, d),
        work=rounds.scratch(d, agent.policy.normals(d)),
        queue=late.queue(FIRST_ROUNDS if is_late else 0, d, m),
        rng=rng,
        reward_rng=reward_rng,
    )


def _delays(specification: Specification, replication: int) -> Iterator[Delays] | None:
    """Blocks of delays and losses, without end; None where no outcome is late."""
    lateness = specification.lateness
    if lateness is None:
        return None
    rng = np.random.default_rng(specification.late_seed(replication))
    return (lateness.draw(rng) for _ in itertools.count())


def _best(specification: Specification) -> tuple[float, float]:
    """Largest mean of a decision, and the gap below which a decision counts as optimal."""
    theta = specification.rewards.theta
    x = specification.decision_set.maximize(theta.copy())
    return _total(theta, np.flatnonzero(x)), TIE * specification.decision_set.m * float(np.abs(theta).max())


def _total(values: FloatArray, items: IntArray) -> float:
    """Sum in the order of the items, as the kernels add."""
    total = 0.0
    for value in values[items].tolist():
        total += value
    return total


def _by_kernels(specification: Specification, game: _Game, delays: Iterator[Delays] | None, further: int) -> Trajectory:
    agent, d = game.agent, specification.decision_set.d
    most, counters = FIRST_ROUNDS, agent.player.counters
    played, spent = [0.0], [0.0]
    while True:
        start = tiers.seconds()
        with tiers.expecting(_seconds_ahead(played, spent, specification.horizon, further)):
            status = call_interruptibly(rounds.play, *game.arguments(most))
        seconds = tiers.seconds() - start
        played.append(float(counters[rounds.ROUND]))
        spent.append(spent[-1] + seconds)
        if status == rounds.DONE:
            break
        if status == rounds.PAUSED:
            most = most * 2 if seconds < PAUSE_SECONDS / 2 else max(most // 2, 1)
        elif status == rounds.WANTING:
            game.queue = _supplied(game.queue, delays)
        else:
            agent.answer(status)
    sums, counts = game.record.sums, game.record.counts
    return Trajectory(sums[:, 0].copy(), sums[:, 1].copy(), counts[:, :d].copy(), counts[:, d:].copy())


def _seconds_ahead(played: list[float], spent: list[float], horizon: int, further: int) -> float:
    """What so many rounds and the seconds they took say of the rest and of further replications: seconds grow as a power of t.

    The power is that of the second half so far. GLADE asks ever more rarely, ESCB in every round.
    """
    if spent[-1] < SECONDS_TO_LEARN:
        return 0.0
    earlier = float(np.interp(played[-1] / 2.0, played, spent))
    power = min(max(math.log2(spent[-1] / earlier), 0.0), 1.0) if earlier > 0.0 else 1.0
    whole = spent[-1] * float((horizon / played[-1]) ** power)
    return whole - spent[-1] + further * whole


def _supplied(queue: late.Queue, delays: Iterator[Delays] | None) -> late.Queue:
    """A queue with room and a delay for the next round."""
    assert delays is not None
    if late.is_full(queue):
        queue = late.widened(queue)
    if queue.counts[late.DRAWN] == len(queue.delays):
        queue.counts[late.DRAWN] = 0
        drawn, lost = next(delays)
        queue = queue._replace(delays=drawn, losses=lost)
    return queue


def _in_python(
    specification: Specification,
    agent: Agent,
    rng: np.random.Generator,
    reward_rng: np.random.Generator,
    delays: Iterator[Delays] | None,
) -> Trajectory:
    """The same rounds for decision sets, rewards or policies that kernels cannot see."""
    decision_set, theta = specification.decision_set, specification.rewards.theta
    best, tie = _best(specification)
    regret = reward = 0.0
    plays = np.zeros(decision_set.d, dtype=np.int64)
    rows: list[tuple[float, float, IntArray, tuple[int, int, int, int]]] = []
    waiting: list[tuple[int, int, bool, IntArray, FloatArray]] = []  # a heap by due date, then by number of the round
    terms = None if delays is None else itertools.chain.from_iterable(zip(*block, strict=True) for block in delays)
    for t in range(1, specification.horizon + 1):
        while waiting and waiting[0][0] < t:
            _close(agent, *heapq.heappop(waiting)[2:])
        x = agent.choose(rng)
        if x not in decision_set:
            raise InvalidInputError(
                f"policies must choose decisions, got {x!r} in round {t}: fix the policy, or `maximize` of the decision set"
            )
        items = np.flatnonzero(x)
        outcomes = checked_rewards(specification.rewards.draw(items, reward_rng), len(items), "draw")
        if terms is None:
            agent.observe(items, outcomes)
        else:
            delay, is_lost = next(terms)
            heapq.heappush(waiting, (t + int(delay), t, bool(is_lost), items, outcomes))
        gap = best - _total(theta, items)
        regret += gap if gap > tie else 0.0
        for outcome in outcomes.tolist():
            reward += outcome
        plays[items] += 1
        if t == specification.checkpoints[len(rows)]:
            rows.append((regret, reward, plays.copy(), (*agent.calls, agent.undecided)))
    regrets, rewards, counts, calls = zip(*rows, strict=True)
    return Trajectory(
        np.array(regrets), np.array(rewards), np.array(counts), np.array(calls, dtype=np.int64).reshape(len(rows), 4)
    )


def _close(agent: Agent, is_lost: bool, items: IntArray, outcomes: FloatArray) -> None:
    """Tell an agent what a round brought, or that it is lost."""
    if is_lost:
        agent.forget(items)
    else:
        agent.observe(items, outcomes)
