"""The cycle of least cost per unit of weight."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import FloatArray, IntArray

MAX_CYCLES = 200


@kernel
def negative_cycle(
    n: int, tails: IntArray, heads: IntArray, costs: FloatArray, gains: FloatArray, begin: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Arcs of a cycle whose costs are below its gains by more than rounding, empty if there is no such cycle, and potentials.

    Bellman and Ford's method starts from the potentials `begin`, which may be infinite at nodes that others reach; potentials
    near 0 are the most accurate. Without such a cycle ``pi[head] <= pi[tail] + cost - gain`` on all arcs, up to rounding.
    """
    pi = begin.copy()
    parent = np.full(n, -1, dtype=np.int64)
    last = -1
    for _ in range(n + 1):
        last = -1
        for arc in range(len(tails)):
            reached = pi[tails[arc]] + (costs[arc] - gains[arc])
            if reached < pi[heads[arc]] - 1e-14 * (costs[arc] + gains[arc]) - 1e-15 * abs(reached):
                pi[heads[arc]] = reached
                parent[heads[arc]] = arc
                last = heads[arc]
        if last < 0:
            break
    found = np.empty(n, dtype=np.int64)
    count = 0
    if last >= 0:
        for _ in range(n):
            if parent[last] >= 0:
                last = tails[parent[last]]
        v = last
        while parent[v] >= 0:
            found[count] = parent[v]
            count += 1
            v = tails[parent[v]]
            if v == last:
                break
    return found[:count].copy(), pi


@kernel
def least_ratio(
    n: int, tails: IntArray, heads: IntArray, costs: FloatArray, weights: FloatArray, start: float, begin: FloatArray
) -> tuple[float, FloatArray]:
    """A ratio t with ``cost >= t * weight`` for every cycle, and potentials that prove it, both up to rounding.

    Newton's method from above: the next t is the ratio of a cycle that is negative at arc costs ``cost - t weight``. All costs
    and weights must be >= 0, and cycles of cost 0 must have weight 0. The result is at most `start`, and 0 if too many cycles
    would be needed.
    """
    t = start
    for _ in range(MAX_CYCLES):
        cycle, pi = negative_cycle(n, tails, heads, costs, t * weights, begin)
        if len(cycle) == 0:
            return t, pi
        weight = cost = 0.0
        for arc in cycle:
            weight += weights[arc]
            cost += costs[arc]
        ratio = cost / weight if weight > 0.0 else 0.0
        t = ratio if ratio < t else t * (1.0 - 1e-13)
    return 0.0, np.zeros(n)
