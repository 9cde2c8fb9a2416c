"""One replication of one policy: a pure function of the specification and the replication's number."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.compiled import CompiledOracle
from semibandits.errors import InvalidInputError
from semibandits.kernels import rounds
from semibandits.kernels.heard import heard
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Agent
from semibandits.rewards._checks import checked_rewards
from semibandits.rewards.base import CompiledRewards
from semibandits.simulation.specification import Specification

FIRST_ROUNDS, PAUSE_SECONDS = 64, 0.2
"""Kernels come back to Python about every so many seconds, where an interrupt is heard. What is played does not depend on it."""
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
    calls : ndarray of int, shape (c, 3)
        Numbers of linear maximisations, index maximisations, and plans.
    """

    regret: FloatArray
    reward: FloatArray
    plays: IntArray
    calls: IntArray


def replicate(specification: Specification, policy: str, replication: int) -> Trajectory:
    """Play one replication of one policy."""
    rewards, own = specification.seeds(replication)
    agent = specification.policies[policy].start(specification.decision_set, specification.rewards.variance)
    reward_rng, rng = np.random.default_rng(rewards), np.random.default_rng(own)
    law = specification.rewards.compiled()
    if isinstance(agent, RuleAgent) and agent.oracle is not None and law is not None:
        return _by_kernels(specification, agent, agent.oracle, law, rng, reward_rng)
    return _in_python(specification, agent, rng, reward_rng)


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


def _by_kernels(
    specification: Specification,
    agent: RuleAgent,
    oracle: CompiledOracle,
    law: CompiledRewards,
    rng: np.random.Generator,
    reward_rng: np.random.Generator,
) -> Trajectory:
    c, d = len(specification.checkpoints), specification.decision_set.d
    environment = rounds.Environment(
        law.kind, law.floats, law.ints, specification.rewards.theta.copy(), *_best(specification)
    )
    record = rounds.Record(
        specification.checkpoints.copy(), np.zeros((c, 2)), np.zeros((c, d + 3), dtype=np.int64), np.zeros(2)
    )
    work = rounds.scratch(d, samples=agent.policy.samples)
    most = FIRST_ROUNDS
    while True:
        start = time.perf_counter()
        status = heard(
            rounds.play, agent.rule, oracle.linear, oracle.index, rounds.Oracle(oracle.data, oracle.m, oracle.searched),
            agent.player, environment, record, work, rng, reward_rng, most,
        )  # fmt: skip
        if status == rounds.DONE:
            break
        if status == rounds.PAUSED:
            most = most * 2 if time.perf_counter() - start < PAUSE_SECONDS / 2 else max(most // 2, 1)
        else:
            agent.answer(status)
    return Trajectory(
        record.sums[:, 0].copy(), record.sums[:, 1].copy(), record.counts[:, :d].copy(), record.counts[:, d:].copy()
    )


def _in_python(
    specification: Specification, agent: Agent, rng: np.random.Generator, reward_rng: np.random.Generator
) -> Trajectory:
    """The same rounds for decision sets, rewards or policies that kernels cannot see."""
    decision_set, theta = specification.decision_set, specification.rewards.theta
    best, tie = _best(specification)
    regret = reward = 0.0
    plays = np.zeros(decision_set.d, dtype=np.int64)
    rows: list[tuple[float, float, IntArray, tuple[int, int, int]]] = []
    for t in range(1, specification.horizon + 1):
        x = agent.choose(rng)
        if x not in decision_set:
            raise InvalidInputError(
                f"policies must choose decisions, got {x!r} in round {t}: mend the policy, or `maximize` of the decision set"
            )
        items = np.flatnonzero(x)
        outcomes = checked_rewards(specification.rewards.draw(items, reward_rng), len(items), "draw")
        agent.observe(items, outcomes)
        gap = best - _total(theta, items)
        regret += gap if gap > tie else 0.0
        for outcome in outcomes.tolist():
            reward += outcome
        plays[items] += 1
        if t == specification.checkpoints[len(rows)]:
            rows.append((regret, reward, plays.copy(), agent.calls))
    regrets, rewards, counts, calls = zip(*rows, strict=True)
    return Trajectory(
        np.array(regrets), np.array(rewards), np.array(counts), np.array(calls, dtype=np.int64).reshape(len(rows), 3)
    )
