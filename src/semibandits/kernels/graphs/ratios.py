"""Cycles of extreme ratios: of least cost per unit of weight, and of largest gain per unit of cost."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.graphs.exchange import Arcs
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray

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


@kernel
def better_choices(
    graph: Arcs, costs: FloatArray, gains: FloatArray, choices: IntArray, potentials: FloatArray, ratio: float, steps: int,
) -> tuple[float, bool]:  # fmt: skip
    """Improve choices and potentials at most `steps` times, in place; return the ratio, and whether nothing is left to improve.

    Policy iteration for the largest ratio gain/cost of a cycle (Howard 1960; Cochet-Terrasson et al. 1998). Each node chooses one
    of its arcs; the choices form cycles, the best of which has some ratio r. Potentials that agree with the choices at this ratio
    show where another arc is better: where ``gain - r * cost + potential[head]`` exceeds the potential of the tail. When no arc
    does, the potentials prove that no cycle has a larger ratio. Costs and gains are >= 0; cycles of cost 0 are passed over.
    """
    tails, heads, out_ptr, out_arcs, in_ptr, in_arcs = graph
    n = len(choices)
    mark, queue = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for _ in range(steps):
        # The best cycle of the choices: the walks of choices from all nodes, each up to a node seen before.
        mark[:] = -1
        start = -1
        for s in range(n):
            v = s
            while mark[v] < 0:
                mark[v] = s
                v = heads[choices[v]]
            if mark[v] == s:
                cost, gain, w = 0.0, 0.0, v
                while True:
                    cost += costs[choices[w]]
                    gain += gains[choices[w]]
                    w = heads[choices[w]]
                    if w == v:
                        break
                if cost > 0.0 and gain > ratio * cost:
                    ratio = gain / cost
                    start = v
                elif start < 0 and cost > 0.0 and gain >= ratio * cost:
                    start = v
        if start >= 0:
            # Potentials of the nodes whose choices lead to this cycle.
            mark[:] = -1
            queue[0], mark[start], filled, taken = start, 0, 1, 0
            while taken < filled:
                v = queue[taken]
                taken += 1
                for k in range(in_ptr[v], in_ptr[v + 1]):
                    arc = in_arcs[k]
                    u = tails[arc]
                    if choices[u] == arc and mark[u] < 0:
                        mark[u] = 0
                        potentials[u] = potentials[v] + gains[arc] - ratio * costs[arc]
                        queue[filled] = u
                        filled += 1
        least = 1e-12 * np.abs(potentials).max()
        better = False
        for v in range(n):
            for k in range(out_ptr[v], out_ptr[v + 1]):
                arc = out_arcs[k]
                through = gains[arc] - ratio * costs[arc] + potentials[heads[arc]]
                if through > potentials[v]:
                    better = better or through > potentials[v] + least
                    potentials[v], choices[v] = through, arc
        if not better:
            return ratio, True
    return ratio, False
