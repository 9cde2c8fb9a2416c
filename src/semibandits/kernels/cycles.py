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
