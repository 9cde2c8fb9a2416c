"""P_LM, P_IM and P_BLM for callers in Python; Ctrl-C interrupts them."""

from __future__ import annotations

from collections.abc import Callable

from semibandits.kernels.machine.signals import raise_interrupt
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.calls import call_index, call_linear
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.search.branch_and_bound import budget_search
from semibandits.kernels.search.problem import BudgetProblem, IndexProblem


@kernel(calls=True)
def query_linear(linear: Callable[..., int], data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Linear maximisation (P_LM)."""
    status = call_linear(linear, data, weights, x)
    raise_interrupt()
    return status


@kernel(calls=True)
def query_index(
    family: OraclePointers, index: Callable[..., int], data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray,
    report: FloatArray,
) -> int:  # fmt: skip
    """Index maximisation (P_IM), see :func:`index_search`."""
    status = call_index(family, index, data, problem, x, report)
    raise_interrupt()
    return status


@kernel(calls=True)
def query_budget(
    family: OraclePointers, data: tuple[IntArray, ...], problem: BudgetProblem, x: BoolArray, report: FloatArray
) -> int:
    """Budgeted maximisation (P_BLM), see :func:`budget_search`."""
    status = budget_search(family, data, problem, x, report)
    raise_interrupt()
    return status
