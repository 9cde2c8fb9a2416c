"""Sets of m items with two criteria, as paths in a grid, see `kernels.search.labels`.

The node (p, q) of the grid has decided on p items and chosen q of them. Before that, a multiplier fixes most items: a decision
that differs from the m items of largest ``rewards + l * budgets`` in an item loses at least the cost of exchanging that item, and
only items whose exchange costs less than the gap remain open.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arrays import stable_order, write
from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray, runtime_constant
from semibandits.kernels.oracles.swaps import uniform_exchange_costs
from semibandits.kernels.search.labels import NEARLY, Found, Goal, Thinning, best_path, value_of
from semibandits.kernels.search.selection import select_largest

CORE = 24
"""Number of items that the first, heuristic search leaves open: those that cost least to exchange."""
CORE_LABELS = 20_000
TOO_MANY, NONE = runtime_constant(-1), runtime_constant(-2)
"""Numbers of labels of searches without an answer."""
ROUNDING = 1e-14
"""Rounding of a sum over a decision, relative to m times the largest summand."""


@kernel
def sums(rewards: FloatArray, budgets: FloatArray, chosen: BoolArray) -> tuple[float, float]:
    """Both criteria of a decision."""
    a = c = 0.0
    for i in range(len(chosen)):
        if chosen[i]:
            a += rewards[i]
            c += budgets[i]
    return a, c


@kernel
def best_multiplier(rewards: FloatArray, budgets: FloatArray, m: int, goal: Goal) -> tuple[float, float, BoolArray]:
    """Multiplier of least bound, that bound, and the best decision found meanwhile.

    The bound, the largest a + l c plus ``max over c of f(c) - l c``, is convex in l. Its minimum is between two decisions: one
    that is best for smaller l and has too little c, and one that is best for larger l and has enough. The next multiplier
    minimises the bound of these two alone; if no decision exceeds both there, it is the minimum. The bound is -inf if no
    decision has enough c. The multiplier is 0 if the decision of largest a is best.
    """
    low = select_largest(rewards, m)
    a_low, c_low = sums(rewards, budgets, low)
    high = select_largest(budgets, m)
    a_high, c_high = sums(rewards, budgets, high)
    best, value = low, value_of(a_low, c_low, goal)
    if not goal.root and value > -np.inf:
        return 0.0, value, low
    if value_of(a_high, c_high, goal) > value:
        best, value = high, value_of(a_high, c_high, goal)
    if value == -np.inf:
        return np.inf, -np.inf, high
    at, bound = 0.0, np.inf
    while c_high > c_low:
        multiplier = max(a_low - a_high, 0.0) / (c_high - c_low)
        if goal.root:  # a + l c + 1 / (4 l) is least at l = 1 / (2 sqrt(c)), for either decision
            at_low = 0.5 / math.sqrt(c_low) if c_low > 0 else np.inf
            multiplier = max(min(multiplier, at_low), 0.5 / math.sqrt(c_high))
        known = max(a_low + multiplier * c_low, a_high + multiplier * c_high)
        middle = select_largest(rewards + multiplier * budgets, m)
        a, c = sums(rewards, budgets, middle)
        reached = max(a + multiplier * c, known)
        offset = 0.25 / multiplier if goal.root else -multiplier * goal.need
        if reached + offset < bound:
            at, bound = multiplier, reached + offset
        if value_of(a, c, goal) > value:
            best, value = middle, value_of(a, c, goal)
        if reached <= known + ROUNDING * abs(known):
            break
        if 4.0 * multiplier * multiplier * c >= 1.0 if goal.root else c >= goal.need:
            if c > c_high or (c == c_high and a <= a_high):
                break
            high, a_high, c_high = middle, a, c
        else:
            if c < c_low or (c == c_low and a <= a_low):
                break
            low, a_low, c_low = middle, a, c
    return at, bound if bound < np.inf else value, best_between(rewards, budgets, low, high, goal, best)


@kernel
def best_between(
    rewards: FloatArray, budgets: FloatArray, low: BoolArray, high: BoolArray, goal: Goal, best: BoolArray
) -> BoolArray:
    """The best decision on the way from one decision to another by single swaps, or `best` if none is better.

    Where hundreds of items tie at the multiplier, this is often the best decision of all.
    """
    entering, leaving = np.flatnonzero(high & ~low), np.flatnonzero(low & ~high)
    a, c = sums(rewards, budgets, best)
    value, x = value_of(a, c, goal), low.copy()
    a, c = sums(rewards, budgets, low)
    for k in range(len(entering)):
        i, j = entering[k], leaving[k]
        x[i], x[j] = True, False
        a += rewards[i] - rewards[j]
        c += budgets[i] - budgets[j]
        if value_of(a, c, goal) > value:
            exact_a, exact_c = sums(rewards, budgets, x)
            if value_of(exact_a, exact_c, goal) > value:
                value, best = value_of(exact_a, exact_c, goal), x.copy()
    return best


@kernel
def grid(n: int, size: int) -> tuple[ArcGroups, ArcGroups]:
    """Arcs grouped by their heads, and by their tails, of the grid in which paths choose `size` of n items.

    Node 0 comes before the node (0, 0): the item of this arc is n + 1. The item of arcs that leave an item out is n.
    """
    start = np.zeros(n + 2, dtype=np.int64)  # the number of the node (p, 0), if there were one
    n_nodes = 1
    for p in range(n + 1):
        start[p] = n_nodes - max(0, size - n + p)
        n_nodes += min(p, size) - max(0, size - n + p) + 1
    into_ptr, out_ptr = np.zeros(n_nodes + 1, dtype=np.int64), np.zeros(n_nodes + 1, dtype=np.int64)
    ends, items = np.empty((2, 2 * n_nodes), dtype=np.int64), np.empty((2, 2 * n_nodes), dtype=np.int64)
    ends[0, 0], items[0, 0], ends[1, 0], items[1, 0] = 0, n + 1, 1, n + 1
    into_ptr[2] = out_ptr[1] = entering = leaving = 1
    for p in range(n + 1):
        for q in range(max(0, size - n + p), min(p, size) + 1):
            v = start[p] + q
            for taken in range(2):
                if p > 0 and max(0, size - n + p - 1) <= q - taken <= min(p - 1, size):
                    ends[0, entering], items[0, entering] = start[p - 1] + q - taken, p - 1 if taken else n
                    entering += 1
                if p < n and max(0, size - n + p + 1) <= q + taken <= min(p + 1, size):
                    ends[1, leaving], items[1, leaving] = start[p + 1] + q + taken, p if taken else n
                    leaving += 1
            into_ptr[v + 1], out_ptr[v + 1] = entering, leaving
    return ArcGroups(into_ptr, ends[0], items[0]), ArcGroups(out_ptr, ends[1], items[1])


@kernel(inline="always")
def search_core(
    rewards: FloatArray, budgets: FloatArray, top: BoolArray, core: IntArray, goal: Goal, ratios: tuple[float, float, float],
    known: BoolArray, most: int,
) -> tuple[BoolArray, int]:  # fmt: skip
    """Best decision that agrees with `top` outside the core, or `known` if no worse; and the number of labels, or TOO_MANY.

    See :func:`best_selection` for the ratios.
    """
    n = len(core)
    fixed = top.copy()
    fixed[core] = False
    numbers = np.zeros((2, n + 2))
    write(numbers[0], rewards[core])
    write(numbers[1], budgets[core])
    numbers[0, n + 1], numbers[1, n + 1] = sums(rewards, budgets, fixed)
    into, out_of = grid(n, int(np.count_nonzero(top)) - int(np.count_nonzero(fixed)))
    thinning = Thinning(ratios[1] ** (-1.0 / (n + 1)), ratios[2] ** (-1.0 / (n + 1)))
    a, c = sums(rewards, budgets, known)
    value = value_of(a, c, goal)
    x, labels = best_path(numbers[0], numbers[1], goal, into, out_of, thinning, ratios[0], value, most)
    if not x.any():
        return known, labels
    for k in range(n):
        fixed[core[k]] = x[k]
    return fixed, labels


@kernel
def best_selection(
    rewards: FloatArray, budgets: FloatArray, m: int, need: float, root: bool, step: float,
    ratios: tuple[float, float, float], max_labels: int,
) -> Found:  # fmt: skip
    """The m items of largest F (see `Goal`), and the number of labels: TOO_MANY or, if no decision has a value, NONE.

    The ratios are in (0, 1]: the share of the bound that is enough; and the products of the steps by which a path thins labels by
    rewards and by budgets.

    At the multiplier of least bound, a search with few open items first finds a good decision. Items whose exchange alone loses
    more than the gap are fixed. All others are then searched, those that lose most first.
    """
    slack_a, slack_c = ROUNDING * m * np.abs(rewards).max(), ROUNDING * m * np.abs(budgets).max()
    goal = Goal(need, root, step, slack_a, slack_c)
    multiplier, bound, known = best_multiplier(rewards, budgets, m, goal)
    if bound == -np.inf:
        return Found(known, NONE)
    rounding = slack_a + multiplier * slack_c
    slack = max(rounding, NEARLY * step)
    a, c = sums(rewards, budgets, known)
    value = value_of(a, c, goal)
    if m == 0 or m == len(rewards) or value >= ratios[0] * bound - rounding or value >= bound - slack:
        return Found(known, 0)
    values = rewards + multiplier * budgets
    top, none = select_largest(values, m), np.zeros(len(rewards), dtype=np.int64)
    exchange_costs = np.empty(len(rewards))
    uniform_exchange_costs((none, none, none, none, none, none, none, none), values, top, none, exchange_costs)
    order = stable_order(exchange_costs)
    n_open, is_first = min(CORE, len(order)), True
    while True:
        thinned = (ratios[0], 1.0, 1.0) if is_first else ratios
        most = min(CORE_LABELS, max_labels) if is_first else max_labels
        known, labels = search_core(rewards, budgets, top, order[:n_open][::-1].copy(), goal, thinned, known, most)
        a, c = sums(rewards, budgets, known)
        gap = bound - value_of(a, c, goal) - slack
        n_open = int(np.searchsorted(exchange_costs[order], gap, side="right"))
        if not is_first or (labels >= 0 and n_open <= CORE):
            return Found(known, labels)
        is_first = False
