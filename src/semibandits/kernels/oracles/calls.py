"""Calls through the pointers of a decision set."""

from __future__ import annotations

from collections.abc import Callable

from semibandits.kernels.index.problem import FAILED, IndexProblem
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import LARGEST_NUMBER
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel(calls=True)
def call_linear(linear: Callable[..., int], data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Linear maximisation (P_LM)."""
    return linear(data, weights, x)


@kernel
def no_index(
    family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray, report: FloatArray
) -> int:
    """Index maximisation for policies that never request it."""
    return FAILED


@kernel(calls=True)
def call_index(
    family: OraclePointers, index: Callable[..., int], data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray,
    report: FloatArray,
) -> int:  # fmt: skip
    """Index maximisation (P_IM); see :func:`semibandits.kernels.index.search.index_search` for arguments and statuses."""
    rewards, bonuses = problem.rewards, problem.bonuses
    for i in range(len(rewards)):
        if not (abs(rewards[i]) <= LARGEST_NUMBER and bonuses[i] <= LARGEST_NUMBER * LARGEST_NUMBER):
            return FAILED
    return index(family, data, problem, x, report)
