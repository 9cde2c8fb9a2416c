"""Calls through the pointers of a decision set."""

from __future__ import annotations

from collections.abc import Callable

from numba import njit

from semibandits.kernels.index_search import MAX_NODES, SOLVED, STOPPED, index_search
from semibandits.kernels.oracles.status import ANSWERED, LARGEST_NUMBER, UNANSWERED
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray, opaque

FEW_NODES = opaque(2_000)
"""Parts that a search looks at before the family's own kernel is asked, if it has one."""


@njit(cache=True)
def call_linear(linear: Callable[..., int], data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """P_LM."""
    return linear(data, weights, x)


@njit(cache=True)
def call_index(
    linear: Callable[..., int], index: Callable[..., int], searched: bool, data: tuple[IntArray, ...],
    rewards: FloatArray, bonuses: FloatArray, ratio: float, m: int, x: BoolArray,
) -> int:  # fmt: skip
    """P_IM by the family's own kernel, or by search through `linear`; the own kernel, if any, then takes over hard cases."""
    for i in range(len(rewards)):
        if not (abs(rewards[i]) <= LARGEST_NUMBER and bonuses[i] <= LARGEST_NUMBER * LARGEST_NUMBER):
            return UNANSWERED
    if searched:
        status = index_search(linear, data, rewards, bonuses, ratio, m, x, FEW_NODES)
        if status == STOPPED:
            if index(data, rewards, bonuses, ratio, x) == ANSWERED:
                return ANSWERED
            status = index_search(linear, data, rewards, bonuses, ratio, m, x, MAX_NODES)
        return ANSWERED if status == SOLVED else UNANSWERED
    return index(data, rewards, bonuses, ratio, x)


@njit(cache=True)
def no_index(data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, ratio: float, x: BoolArray) -> int:
    """Stand-in of families without a kernel of their own for P_IM."""
    return UNANSWERED
