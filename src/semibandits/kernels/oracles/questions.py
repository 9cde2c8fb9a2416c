"""P_LM and P_IM for callers in Python, who may be interrupted."""

from __future__ import annotations

from collections.abc import Callable

from semibandits.kernels.oracles.calls import call_index, call_linear
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.signals import raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel(calls=True)
def ask_linear(linear: Callable[..., int], data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """P_LM."""
    status = call_linear(linear, data, weights, x)
    raise_interrupt()
    return status


@kernel(calls=True)
def ask_index(
    linear: Callable[..., int], exchange_costs: Callable[..., int], swaps: Callable[..., int], cycles: Callable[..., int],
    index: Callable[..., int], data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, ratio: float, m: int,
    x: BoolArray, most: int, report: FloatArray,
) -> int:  # fmt: skip
    """P_IM, see :func:`index_search`."""
    status = call_index(
        OraclePointers(linear, exchange_costs, swaps, cycles),
        index,
        data,
        rewards,
        bonuses,
        ratio,
        1.0,
        0.0,
        x,
        m,
        x,
        most,
        report,
    )
    raise_interrupt()
    return status
