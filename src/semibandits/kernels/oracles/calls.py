"""Calls through the pointers of a decision set."""

from __future__ import annotations

import math
from collections.abc import Callable

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import ANSWERED, LARGEST_NUMBER
from semibandits.kernels.search.outliers import least_reward
from semibandits.kernels.search.problem import FAILED, IndexProblem


@kernel(calls=True)
def call_linear(linear: Callable[..., int], data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Linear maximisation (P_LM)."""
    return linear(data, weights, x)


@kernel
def no_index(family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray, report: FloatArray) -> int:
    """Index maximisation for policies that never request it."""
    return FAILED


@kernel(calls=True)
def call_index(
    family: OraclePointers, index: Callable[..., int], data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray,
    report: FloatArray,
) -> int:  # fmt: skip
    """Index maximisation (P_IM); see ``branch_and_bound.index_search`` for arguments and statuses."""
    rewards, bonuses = problem.rewards, problem.bonuses
    for i in range(len(rewards)):
        if not (abs(rewards[i]) <= LARGEST_NUMBER and bonuses[i] <= LARGEST_NUMBER * LARGEST_NUMBER):
            return FAILED
    raised = rewards_without_outliers(family, data, problem, x)
    question = IndexProblem(raised, bonuses, problem.ratio, problem.share, problem.hint, problem.guess, problem.m, problem.budget)
    return index(family, data, question, x, report)


@kernel(calls=True)
def rewards_without_outliers(
    family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray
) -> FloatArray:
    """The rewards, with those raised that are too low to matter; see :mod:`semibandits.kernels.search.outliers`."""
    rewards, m, most, lowest, highest = problem.rewards, problem.m, 0.0, 0.0, 0.0
    for i in range(len(rewards)):
        most, lowest, highest = max(most, problem.bonuses[i]), min(lowest, rewards[i]), max(highest, rewards[i])
    bonus = math.sqrt(m * most) / problem.ratio
    if most == 0.0 or lowest >= least_reward(0.0, highest, bonus, m):
        return rewards
    known, value = x.copy(), 0.0
    if problem.share == 1.0 and family.linear(data, rewards, known) != ANSWERED:
        return rewards
    for i in range(len(rewards)):
        value += rewards[i] if known[i] else 0.0
    raised, limit = rewards.copy(), least_reward(value, highest, bonus, m)
    for i in range(len(rewards)):
        raised[i] = max(raised[i], limit)
    return raised
