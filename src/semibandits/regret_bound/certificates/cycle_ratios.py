"""An upper bound on the ratio ``u(C)/gap(C)^2`` of all cycles in polynomial time, from potentials instead of a search.

Each item of a cycle C has ``gap_e <= gap(C)``, so ``u(C)/gap(C)^2 <= sum over C of (u_e/gap_e) / gap(C)``: at most the largest
ratio of gains u/gap to costs of a cycle. For any ratio r and potentials p, let x_e be the excess of ``u_e/gap_e - r cost_e +
p[head] - p[tail]`` over 0. Along C, whose gap is its cost, these inequalities add up to ``sum of u/gap <= r gap(C) + sum of x``,
and a simple cycle leaves each node once, so that

    u(C)/gap(C)^2 <= r + sum over nodes of max over the arcs out of the node of x_e/gap_e.

This holds for all r and p, also where an iteration is stopped early.
"""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.graphs.exchange import Arcs
from semibandits.kernels.graphs.ratios import better_choices
from semibandits.kernels.machine import tiers

AT_ONCE = 10
"""Improvements between two looks at the clock."""
MOST = 2_000
"""Largest number of improvements. Tens are usual."""


def ratio_bound(graph: Arcs, costs: FloatArray, gaps: FloatArray, u: FloatArray, deadline: float) -> float:
    """An upper bound on ``u(C)/gap(C)^2`` of the simple cycles of a graph; rounding is accounted for.

    Each node must have an arc out of it. The gap of a cycle is the sum of its costs >= 0, shape (a,). `gaps`, shape (a,), are the
    costs of the cheapest cycle through each arc, up to rounding, > 0 where u > 0; u, shape (a,), is >= 0. The improvement of the
    bound stops at the value `deadline` of `tiers.seconds`.
    """
    if not u.any():
        return 0.0
    n, rounding = len(graph.out_ptr) - 1, 4.0 * float(np.finfo(np.float64).eps)
    gaps = np.maximum(gaps, gaps[u > 0.0].min())  # as for all cycles with u(C) > 0
    gaps = (1.0 - rounding * n) * gaps  # sums of at most n costs
    gains = u / gaps
    # The first choice of a node: its arc of the best ratio.
    order = np.lexsort((-gains, graph.tails))
    choices = order[np.searchsorted(graph.tails[order], np.arange(n))]
    potentials, ratio = np.zeros(n), 0.0
    for _ in range(0, MOST, AT_ONCE):
        ratio, done = better_choices(graph, costs, gains, choices, potentials, ratio, AT_ONCE)
        if done or tiers.seconds() > deadline:
            break
    # The bound from these potentials and this ratio.
    with np.errstate(over="ignore", invalid="ignore"):
        raised = potentials[graph.heads] - potentials[graph.tails]
        excess = gains - ratio * costs + raised
        excess = np.maximum(excess, 0.0) + rounding * (gains + ratio * costs + np.abs(potentials).max(initial=0.0))
        worst = np.maximum.reduceat((excess / gaps)[graph.out_arcs], graph.out_ptr[:-1])
        bound = float((1.0 + rounding * len(worst)) * (ratio + worst.sum()))
    return bound if bound >= 0.0 else np.inf  # not a number: sums overflow
