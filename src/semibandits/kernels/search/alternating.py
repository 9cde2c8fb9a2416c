"""Cycles of the exchange between the base and another decision.

Two matchings differ by alternating cycles and paths with disjoint nodes, two paths by detours. Each of these alone turns the
base into a decision. Around a base without bonus, some cycle is as plausible as all of them together: if ``c_k <= D_k^2`` for the
bonus and the gap of every cycle, then ``sum c_k <= (sum D_k)^2`` (docs/policies/optimality.md, A). So the cycles of each decision
that the hull finds are examined.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.search.problem import NO_SLOT, Search, add_decision


@kernel(calls=True)
def add_cycle(family: OraclePointers, data: tuple[IntArray, ...], s: Search, slot: int) -> None:
    """Meet the base changed along one cycle of the exchange to the decision in this slot: the cycle of largest ``sqrt(c) - D``.

    ``s.x`` is the base as long as no decision gains over it.
    """
    number = np.full(len(s.y), -1, dtype=np.int64)
    n = family.cycles(data, s.x, s.y, number)
    if n < 2:
        return
    best = _most_plausible(s.rewards, s.bonuses, s.x, number, n)
    for i in range(len(number)):
        s.y[i] = s.x[i] != (number[i] == best)
    add_decision(s, slot, NO_SLOT)
    write(s.y, s.rows[slot])


@kernel
def _most_plausible(rewards: FloatArray, bonuses: FloatArray, x: BoolArray, number: IntArray, n: int) -> int:
    """Number of the cycle of largest ``sqrt(c) - D``, -1 if there are no cycles."""
    gaps, gains = np.zeros(n), np.zeros(n)
    for i in range(len(number)):
        k = number[i]
        if k >= 0:
            gaps[k] += rewards[i] if x[i] else -rewards[i]
            gains[k] += 0.0 if x[i] else bonuses[i]
    best = -1
    for k in range(n):
        if best < 0 or math.sqrt(gains[k]) - gaps[k] > math.sqrt(gains[best]) - gaps[best]:
            best = k
    return best
