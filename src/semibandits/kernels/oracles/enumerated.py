"""Listed decisions: data = pointers, items of each decision in ascending order."""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.search.problem import SOLVED, IndexProblem


@kernel
def enumerated_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """The listed decision of largest total weight; the first of equal ones."""
    ptr, items = data[0], data[1]
    best, best_row = -np.inf, 0
    for row in range(len(ptr) - 1):
        total = 0.0
        for k in range(ptr[row], ptr[row + 1]):
            total += weights[items[k]]
        if total > best:
            best, best_row = total, row
    _write(ptr, items, best_row, x)
    return ANSWERED


@kernel
def enumerated_index(
    family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray, report: FloatArray
) -> int:
    """The listed decision of largest index, whatever the ratio; the first of equal ones."""
    ptr, items = data[0], data[1]
    best, best_row = -np.inf, 0
    for row in range(len(ptr) - 1):
        a = c = 0.0
        for k in range(ptr[row], ptr[row + 1]):
            a += problem.rewards[items[k]]
            c += problem.bonuses[items[k]]
        if a + math.sqrt(c) > best:
            best, best_row = a + math.sqrt(c), row
    _write(ptr, items, best_row, x)
    report[:] = 0.0
    return SOLVED


@kernel
def _write(ptr: IntArray, items: IntArray, row: int, x: BoolArray) -> None:
    x[:] = False
    for k in range(ptr[row], ptr[row + 1]):
        x[items[k]] = True
