"""Sums over families of cycles: cycle k uses the arcs ``arcs[ptr[k]:ptr[k + 1]]``."""

from __future__ import annotations

import numpy as np
from numba import njit

from semibandits.kernels.typing import FloatArray, IntArray


@njit(cache=True)
def cycle_sums(ptr: IntArray, arcs: IntArray, values: FloatArray) -> FloatArray:
    """Sum of arc values over each cycle."""
    sums = np.zeros(len(ptr) - 1)
    for k in range(len(sums)):
        for i in range(ptr[k], ptr[k + 1]):
            sums[k] += values[arcs[i]]
    return sums


@njit(cache=True)
def arc_totals(ptr: IntArray, arcs: IntArray, per_cycle: FloatArray, n_arcs: int) -> FloatArray:
    """For each arc, the sum of cycle values over the cycles through it."""
    totals = np.zeros(n_arcs)
    for k in range(len(ptr) - 1):
        for i in range(ptr[k], ptr[k + 1]):
            totals[arcs[i]] += per_cycle[k]
    return totals


@njit(cache=True)
def cycles_by_arc(ptr: IntArray, arcs: IntArray, n_arcs: int) -> tuple[IntArray, IntArray]:
    """Cycles through each arc, those through arc e at ``at_ptr[e]:at_ptr[e + 1]``."""
    at_ptr = np.zeros(n_arcs + 1, dtype=np.int64)
    for arc in arcs:
        at_ptr[arc + 1] += 1
    for arc in range(n_arcs):
        at_ptr[arc + 1] += at_ptr[arc]
    fill = at_ptr[:-1].copy()
    cycles = np.empty(len(arcs), dtype=np.int64)
    for c in range(len(ptr) - 1):
        for i in range(ptr[c], ptr[c + 1]):
            cycles[fill[arcs[i]]] = c
            fill[arcs[i]] += 1
    return at_ptr, cycles
