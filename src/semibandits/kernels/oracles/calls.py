"""Calls through the pointers of a decision set."""

from __future__ import annotations

from collections.abc import Callable

from semibandits.kernels.index.problem import FAILED
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import LARGEST_NUMBER
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel(calls=True)
def call_linear(linear: Callable[..., int], data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """P_LM."""
    return linear(data, weights, x)


@kernel
def no_index(
    family: OraclePointers, data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, ratio: float, share: float,
    hint: float, guess: BoolArray, m: int, x: BoolArray, most: int, report: FloatArray,
) -> int:  # fmt: skip
    """P_IM for policies that never ask for it."""
    return FAILED


@kernel(calls=True)
def call_index(
    family: OraclePointers, index: Callable[..., int], data: tuple[IntArray, ...], rewards: FloatArray,
    bonuses: FloatArray, ratio: float, share: float, hint: float, guess: BoolArray, m: int, x: BoolArray, most: int,
    report: FloatArray,
) -> int:  # fmt: skip
    """P_IM; see :func:`semibandits.kernels.index.search.index_search` for arguments and statuses."""
    for i in range(len(rewards)):
        if not (abs(rewards[i]) <= LARGEST_NUMBER and bonuses[i] <= LARGEST_NUMBER * LARGEST_NUMBER):
            return FAILED
    return index(family, data, rewards, bonuses, ratio, share, hint, guess, m, x, most, report)
