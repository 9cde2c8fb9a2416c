"""Paths of two criteria, reward a and budget c, in a directed acyclic graph: labels with Pareto dominance.

Nodes 0 .. n - 1 are in topological order, each on a path from 0 to n - 1. Arcs come grouped by their heads (`in_ptr`, `in_tails`,
`in_items`) and by their tails (`out_ptr`, `out_heads`, `out_items`), as in `kernels.dag`.

A label is the pair (a, c) of a path from the first node. The criterion F is nondecreasing in both: a if c >= need and -inf
otherwise (P_BLM), or a + sqrt(c) (P_IM, where c >= 0). Bounds come from multipliers l >= 0: F(a, c) <= a + l * c + offset(l),
with offset -l * need or 1 / (4 l). A row of completions holds for each node the best remaining path at one multiplier.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from semibandits.kernels.signals import STEPS, interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray, runtime_constant

NO_ROOT = runtime_constant(False)
ROWS = 12
"""Rows of completions: largest reward, largest budget, and at most 10 multipliers."""
ROUNDING = 4e-15
"""Rounding of a sum over a path, relative to the number of nodes times the largest summand."""
ROWS_AT_ONCE = 1 << 18
"""Labels that are copied without hearing signals."""
CELLS_PER_LABEL = 100
"""A front may have this many times `max_labels` entries."""


@kernel
def best_path(*graph_and_limits: Any) -> tuple[BoolArray, int]:
    """What `labelled_path` finds, unless it is interrupted: for callers in Python."""
    found = labelled_path(*graph_and_limits)
    raise_interrupt()
    return found


@kernel
def labelled_path(
    rewards: FloatArray, budgets: FloatArray, need: float, root: bool,
    in_ptr: IntArray, in_tails: IntArray, in_items: IntArray,
    out_ptr: IntArray, out_heads: IntArray, out_items: IntArray,
    reward_step: float, budget_step: float, enough: float, max_labels: int,
) -> tuple[BoolArray, int]:  # fmt: skip
    """Path of largest F: a + sqrt(c) if `root`, else a subject to c >= need.

    Steps above 1 thin the fronts: of labels whose rewards lie within a factor `reward_step` (rewards >= 0) that of largest budget
    is kept, and of labels whose budgets lie within a factor `budget_step` (budgets >= 0) that of largest reward. The
    search ends early at a path whose F is at least `enough` times the bound at the first node (up to rounding).

    Returns the items of the path, none if no path has c >= need, and the number of labels, -1 if more than `max_labels`
    would be needed, or if it was interrupted.
    """
    n = len(in_ptr) - 1
    go_a, go_c, go_k = np.empty((ROWS, n)), np.empty((ROWS, n)), np.empty((ROWS, n), dtype=np.int64)
    multipliers, offsets = np.zeros(ROWS), np.full(ROWS, np.inf)
    rows, bound, best, best_row = _multipliers(
        rewards, budgets, need, root, out_ptr, out_heads, out_items, go_a, go_c, go_k, multipliers, offsets
    )
    x = np.zeros(len(rewards), dtype=np.bool_)
    if best == -np.inf:
        return x, 0
    v = labels = 0
    if best < enough * bound - 4.0 * ROUNDING * n * np.abs(rewards).max():
        _, origins, _, labels, improved, better_row, v, k, label = merged_fronts(
            rewards, budgets, need, root, in_ptr, in_tails, in_items, go_a[:rows], go_c[:rows], multipliers, offsets,
            best, reward_step, budget_step, max_labels,
        )  # fmt: skip
        if labels < 0:
            return x, labels
        if improved > best:
            best_row = better_row
            x[in_items[k]] = True
            _mark(x, label, origins, in_items)
        else:
            v = 0
    while v < n - 1:
        k = go_k[best_row, v]
        x[out_items[k]] = True
        v = out_heads[k]
    return x, labels


@kernel
def pareto_paths(
    rewards: FloatArray, budgets: FloatArray, in_ptr: IntArray, in_tails: IntArray, in_items: IntArray, max_labels: int
) -> tuple[BoolArray, int]:
    """Items of one path for each pair (a, c) that no path beats in both, one a row, budgets increasing.

    The second result is the number of labels, or -1 if more than `max_labels`, or more than CELLS_PER_LABEL times as many
    entries, would be needed.
    """
    d, no_rows, nothing = len(rewards), np.zeros((0, 1)), np.zeros(0)
    pairs, origins, first, labels, _, _, _, _, _ = merged_fronts(
        rewards, budgets, -np.inf, NO_ROOT, in_ptr, in_tails, in_items, no_rows, no_rows, nothing, nothing,
        -np.inf, 1.0, 1.0, max_labels,
    )  # fmt: skip
    if labels < 0 or (labels - first) * d > CELLS_PER_LABEL * max_labels:
        raise_interrupt()
        return np.zeros((0, d), dtype=np.bool_), -1
    found = np.zeros((labels - first, d), dtype=np.bool_)
    kept = 0
    for label in range(first, labels):
        if label + 1 < labels and pairs[label, 0] == pairs[label + 1, 0]:
            continue  # rounding made two rewards equal, and the later label has the larger budget
        _mark(found[kept], label, origins, in_items)
        kept += 1
    return found[:kept], labels


@kernel
def _mark(x: BoolArray, label: int, origins: IntArray, in_items: IntArray) -> None:
    """Add the items of a label's path to `x`."""
    while label > 0:
        x[in_items[origins[label, 1]]] = True
        label = origins[label, 0]


@kernel
def _value(a: float, c: float, need: float, root: bool) -> float:
    if root:
        return a + math.sqrt(c)
    return a if c >= need else -np.inf


@kernel
def _complete(
    rewards: FloatArray, budgets: FloatArray, multiplier: float,
    out_ptr: IntArray, out_heads: IntArray, out_items: IntArray, go_a: FloatArray, go_c: FloatArray, go_k: IntArray,
) -> None:  # fmt: skip
    """Reward, budget and first arc of the path from each node to the last one that has the largest a + multiplier * c.

    Ties go to the larger c. An infinite multiplier means the largest c, and ties go to the larger a.
    """
    n = len(out_ptr) - 1
    go_a[n - 1] = go_c[n - 1] = 0.0
    go_k[n - 1] = -1
    by_budget = multiplier == np.inf
    for v in range(n - 2, -1, -1):
        best, runner, best_k = -np.inf, -np.inf, -1
        for k in range(out_ptr[v], out_ptr[v + 1]):
            w, item = out_heads[k], out_items[k]
            a, c = rewards[item] + go_a[w], budgets[item] + go_c[w]
            key, tie = (c, a) if by_budget else (a + multiplier * c, c)
            if key > best or (key == best and tie > runner) or best_k < 0:
                best, runner, best_k = key, tie, k
                go_a[v], go_c[v] = a, c
        go_k[v] = best_k


@kernel
def _multipliers(
    rewards: FloatArray, budgets: FloatArray, need: float, root: bool,
    out_ptr: IntArray, out_heads: IntArray, out_items: IntArray,
    go_a: FloatArray, go_c: FloatArray, go_k: IntArray, multipliers: FloatArray, offsets: FloatArray,
) -> tuple[int, float, float, int]:  # fmt: skip
    """Minimise the bound max(a + l * c) + offset(l) over l, and fill a row of completions for each l on the way.

    The first two rows are the completions of largest reward and of largest budget; their offsets stay infinite. The bound is
    convex in l; the next l minimises it as the lines of two paths foretell, one on either side of the minimum. Offsets get the
    rounding of a + l * c on top, so that what they exclude is worse indeed: l can be huge where budgets nearly tie.

    Returns the number of rows, the bound, the best F of a path met and its row.
    """
    n = len(out_ptr) - 1
    largest_reward, largest_budget = np.abs(rewards).max(), np.abs(budgets).max()
    _complete(rewards, budgets, 0.0, out_ptr, out_heads, out_items, go_a[0], go_c[0], go_k[0])
    _complete(rewards, budgets, np.inf, out_ptr, out_heads, out_items, go_a[1], go_c[1], go_k[1])
    left_a, left_c, right_a, right_c = go_a[0, 0], go_c[0, 0], go_a[1, 0], go_c[1, 0]
    bound = _value(left_a, right_c, need, root)
    best, best_row = _value(left_a, left_c, need, root), 0
    if _value(right_a, right_c, need, root) > best:
        best, best_row = _value(right_a, right_c, need, root), 1
    for row in range(2, ROWS):
        if best >= bound or left_a <= right_a or left_c >= right_c:
            return row, bound, best, best_row
        l = (left_a - right_a) / (right_c - left_c)  # noqa: E741 (the multiplier of the module's docstring)
        if root:
            l = max(l, 0.5 / math.sqrt(right_c))  # noqa: E741
            if left_c > 0.0:
                l = min(l, 0.5 / math.sqrt(left_c))  # noqa: E741
        rounding = ROUNDING * n * (largest_reward + l * largest_budget)
        if not rounding < np.inf:
            return row, bound, best, best_row
        _complete(rewards, budgets, l, out_ptr, out_heads, out_items, go_a[row], go_c[row], go_k[row])
        a, c = go_a[row, 0], go_c[row, 0]
        offset = 0.25 / l if root else -l * need
        multipliers[row], offsets[row] = l, offset + rounding
        bound = min(bound, a + l * c + offsets[row])
        value = _value(a, c, need, root)
        if value > best:
            best, best_row = value, row
        if a + l * c <= max(left_a + l * left_c, right_a + l * right_c) + rounding:
            return row + 1, bound, best, best_row
        if (4.0 * l * l * c > 1.0) if root else (c >= need):
            right_a, right_c = a, c
        else:
            left_a, left_c = a, c
    return ROWS, bound, best, best_row


@kernel
def merged_fronts(
    rewards: FloatArray, budgets: FloatArray, need: float, root: bool,
    in_ptr: IntArray, in_tails: IntArray, in_items: IntArray,
    go_a: FloatArray, go_c: FloatArray, multipliers: FloatArray, offsets: FloatArray,
    best: float, reward_step: float, budget_step: float, max_labels: int,
) -> tuple[FloatArray, IntArray, int, int, float, int, int, int, int]:  # fmt: skip
    """Fronts of all nodes, by merging the fronts of their predecessors, which are sorted by decreasing a and increasing c.

    With rows of completions, a label is dropped if one of its bounds is not above `best`, the best F so far, and each label is
    tried with each completion to raise it.

    Returns the pairs (a, c) of the labels, their origins (parent label, place of the last arc), the first label of the last
    node, the number of labels (-1: too many, or interrupted), and the best F with what attains it: row of the completion, node
    where it starts, place of the arc into that node, and the label before that arc.
    """
    n, rows = len(in_ptr) - 1, len(go_a)
    pairs, origins = np.empty((1024, 2)), np.empty((1024, 2), dtype=np.int64)
    pairs[0], origins[0] = 0.0, -1
    labels, best_row, best_node, best_k, best_label = 1, -1, 0, -1, -1
    steps = 0
    begin, end = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    end[0] = 1
    cursor = np.empty(len(in_tails), dtype=np.int64)
    for v in range(1, n):
        begin[v] = labels
        for k in range(in_ptr[v], in_ptr[v + 1]):
            cursor[k] = begin[in_tails[k]]
        largest_c, top, size = -np.inf, np.inf, len(pairs)
        while True:
            a, c, next_k = -np.inf, -np.inf, -1
            for k in range(in_ptr[v], in_ptr[v + 1]):
                if cursor[k] < end[in_tails[k]]:
                    this_a = pairs[cursor[k], 0] + rewards[in_items[k]]
                    this_c = pairs[cursor[k], 1] + budgets[in_items[k]]
                    if this_a > a or (this_a == a and this_c > c):
                        a, c, next_k = this_a, this_c, k
            if next_k < 0:
                break
            steps += 1
            if steps % STEPS == 0 and interrupted():
                return pairs, origins, 0, -1, best, best_row, best_node, best_k, best_label
            parent = cursor[next_k]
            cursor[next_k] += 1
            if c <= budget_step * largest_c:
                continue
            largest_c = c
            if rows > 0:
                if _value(a + go_a[0, v], c + go_c[1, v], need, root) <= best:
                    continue
                hopeless = False
                for row in range(rows - 1, 1, -1):
                    l = multipliers[row]  # noqa: E741
                    if (a + go_a[row, v]) + l * (c + go_c[row, v]) + offsets[row] <= best:
                        hopeless = True
                        break
                if hopeless:
                    continue
                for row in range(rows):
                    value = _value(a + go_a[row, v], c + go_c[row, v], need, root)
                    if value > best:
                        best, best_row, best_node, best_k, best_label = value, row, v, next_k, parent
            if reward_step > 1.0 and labels > begin[v] and a * reward_step >= top:
                place = labels - 1  # the group's label of largest budget so far gives way
            else:
                top, place = a, labels
                labels += 1
                if labels > max_labels:
                    return pairs, origins, 0, -1, best, best_row, best_node, best_k, best_label
                if labels > size:
                    pairs, origins = _doubled(pairs, origins)
                    size = len(pairs)
            pairs[place, 0], pairs[place, 1] = a, c
            origins[place, 0], origins[place, 1] = parent, next_k
        end[v] = labels
    return pairs, origins, begin[n - 1], labels, best, best_row, best_node, best_k, best_label


@kernel
def _doubled(pairs: FloatArray, origins: IntArray) -> tuple[FloatArray, IntArray]:
    size = len(pairs)
    more_pairs, more_origins = np.empty((2 * size, 2)), np.empty((2 * size, 2), dtype=np.int64)
    for start in range(0, size, ROWS_AT_ONCE):  # a hundred million bytes of fresh memory take half a second
        if interrupted():
            break
        end = min(start + ROWS_AT_ONCE, size)
        more_pairs[start:end], more_origins[start:end] = pairs[start:end], origins[start:end]
    return more_pairs, more_origins
