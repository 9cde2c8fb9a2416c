"""The parts of a round, each alone in a compiled loop: the rule of the policy, its oracle, the random numbers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from semibandits.kernels import late, rounds
from semibandits.kernels.machine.uncounted import uncounted
from semibandits.kernels.oracles.calls import call_index
from semibandits.kernels.rules.actions import RATIO
from semibandits.kernels.search.branch_and_bound import NO_LIMIT, REPORT
from semibandits.kernels.search.problem import IndexProblem
from semibandits.policies.agents import RuleAgent
from semibandits.simulation.specification import Specification

RECORDED = 512
"""Number of consecutive rounds whose weights are used to time the oracle."""
LOOP_SECONDS = 0.05


@dataclass(frozen=True)
class Parts:
    """Nanoseconds per round, each the least of several runs."""

    rule: float
    oracle: float
    normals: float

    @property
    def total(self) -> float:
        return self.rule + self.oracle + self.normals


def measure_parts(specification: Specification, policy: str, warm_rounds: int) -> Parts:
    """Play some rounds, record the inputs of the oracle in the next ones, and time each part on them."""
    agent, rng = _warm_agent(specification, policy, warm_rounds)
    oracle = agent.oracle
    assert oracle is not None
    kernel_view = rounds.Oracle(oracle.data, oracle.m)
    d, m = oracle.d, oracle.m
    weights, bonuses, indexed = np.zeros((RECORDED, d)), np.zeros((RECORDED, d)), np.zeros(RECORDED, dtype=np.bool_)
    asked = 0
    reward_rng = np.random.default_rng(1)
    work = agent._work
    for _ in range(50 * RECORDED):
        before = agent.calls
        x = agent.choose(rng)
        linear, index = agent.calls[0] > before[0], agent.calls[1] > before[1]
        if linear or index:
            weights[asked], bonuses[asked], indexed[asked] = work.weights, work.bonuses, index
            asked += 1
        items = np.flatnonzero(x)
        agent.observe(items, specification.rewards.draw(items, reward_rng))
        if asked == RECORDED:
            break
    x = specification.decision_set.maximize(specification.rewards.theta)
    player = agent.player
    ratio = float(player.params[RATIO])
    oracle_time = float("nan")
    if asked == RECORDED:
        oracle_time = _least(
            lambda n: _oracles(oracle.family, oracle.index, kernel_view, weights, bonuses, indexed, ratio, x, asked, n)
        )
    rule_time = _least(lambda n: _rules(agent.rule, player, work, n))
    wanted = m + agent.policy.normals(d)
    normal_time = _least(lambda n: _normals(rng, wanted, n))
    return Parts(rule_time, oracle_time, normal_time)


def _warm_agent(specification: Specification, policy: str, warm_rounds: int) -> tuple[RuleAgent, np.random.Generator]:
    """An agent that has played `warm_rounds` rounds in the compiled loop."""
    decision_set, rewards = specification.decision_set, specification.rewards
    agent = specification.policies[policy].start(decision_set, rewards.variance)
    law = rewards.compiled()
    assert isinstance(agent, RuleAgent)
    assert agent.oracle is not None
    assert law is not None
    d, oracle = decision_set.d, agent.oracle
    environment = rounds.Environment(law.kind, law.floats, law.ints, rewards.theta.copy(), 0.0, 0.0)
    record = rounds.record(np.array([warm_rounds]), d)
    rng, reward_rng = np.random.default_rng(2), np.random.default_rng(3)
    work = rounds.scratch(d, agent.policy.normals(d))
    while True:
        status = rounds.play(
            agent.rule, oracle.family, oracle.index, rounds.Oracle(oracle.data, oracle.m),
            agent.player, environment, record, work, late.queue(0, d, decision_set.m), rng, reward_rng, warm_rounds,
        )  # fmt: skip
        if status == rounds.DONE:
            return agent, rng
        agent.answer(status)


def _least(loop: Callable[[int], object]) -> float:
    """Nanoseconds per iteration: the least of five runs of about `LOOP_SECONDS`."""
    loop(1)
    n = 16
    while True:
        start = time.perf_counter()
        loop(n)
        if time.perf_counter() - start > LOOP_SECONDS / 4:
            break
        n *= 4
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        loop(n)
        best = min(best, time.perf_counter() - start)
    return best / n * 1e9


@njit(cache=True)
def _oracles(family, index, oracle, weights, bonuses, indexed, ratio, x, asked, n):
    oracle, weights, bonuses, x = rounds.uncounted_oracle(oracle), uncounted(weights), uncounted(bonuses), uncounted(x)
    failures, report = 0, np.zeros(REPORT)
    for turn in range(n):
        row = turn % asked
        if indexed[row]:
            problem = IndexProblem(weights[row], bonuses[row], ratio, 1.0, 0.0, x, oracle.m, NO_LIMIT)
            failures += call_index(family, index, oracle.data, problem, x, report)
        else:
            failures += family.linear(oracle.data, weights[row], x)
    return failures


@njit(cache=True)
def _rules(rule, player, work, n):
    player, work = rounds.uncounted_player(player), rounds.uncounted_scratch(work)
    actions = 0
    for turn in range(n):
        actions += rule(1000 + turn, rounds.rule_state(player, work.normals), rounds.request_of(work))
    return actions


@njit(cache=True)
def _normals(rng, wanted, n):
    total = 0.0
    for _ in range(n):
        for _ in range(wanted):
            total += rng.standard_normal()
    return total
