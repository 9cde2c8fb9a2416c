"""Calls through the pointers of a decision set."""

from __future__ import annotations

from collections.abc import Callable

from semibandits.kernels.index.problem import FAILED, SOLVED
from semibandits.kernels.index.search import index_search
from semibandits.kernels.oracles.status import ANSWERED, LARGEST_NUMBER
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel(calls=True)
def call_linear(linear: Callable[..., int], data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """P_LM."""
    return linear(data, weights, x)


@kernel(calls=True)
def call_index(
    linear: Callable[..., int], index: Callable[..., int], searched: bool, data: tuple[IntArray, ...],
    rewards: FloatArray, bonuses: FloatArray, ratio: float, share: float, hint: float, guess: BoolArray, m: int,
    x: BoolArray, most: int, report: FloatArray,
) -> int:  # fmt: skip
    """P_IM by the family's own kernel, or by search through `linear`; see :func:`index_search` for arguments and statuses."""
    for i in range(len(rewards)):
        if not (abs(rewards[i]) <= LARGEST_NUMBER and bonuses[i] <= LARGEST_NUMBER * LARGEST_NUMBER):
            return FAILED
    if searched:
        return index_search(linear, data, rewards, bonuses, ratio, share, hint, guess, m, x, most, report)
    report[:] = 0.0
    return SOLVED if index(data, rewards, bonuses, ratio, x) == ANSWERED else FAILED


@kernel
def no_index(data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, ratio: float, x: BoolArray) -> int:
    """Stand-in of families without a kernel of their own for P_IM."""
    return FAILED
