"""Paths of two criteria, reward a and budget c, in a directed acyclic graph: labels with Pareto dominance.

Nodes 0 .. n - 1 are in topological order, each on a path from 0 to n - 1. Arcs are grouped by their heads (`into`) and by their
tails (`out_of`).

A label is the pair (a, c) of a path from the first node. The criterion F is nondecreasing in both: a if c >= need and -inf
otherwise (P_BLM), or a + sqrt(c) (P_IM, where c >= 0). Bounds come from multipliers l >= 0: F(a, c) <= a + l * c + offset(l),
with offset -l * need or 1 / (4 l). A row of completions contains the best remaining path from each node at one multiplier.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.machine.signals import STEPS, interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray, runtime_constant

NO_ROOT = runtime_constant(False)
ROWS = 12
"""Rows of completions: largest reward, largest budget, and at most 10 multipliers."""
NEARLY = 1.0 - 1e-6
"""Values that are multiples of a step improve by at least this share of the step."""
ROWS_AT_ONCE = 1 << 18
"""Labels copied between two checks for signals."""
CELLS_PER_LABEL = 100
"""Largest number of entries of a front, as a multiple of `max_labels`."""


class Goal(NamedTuple):
    """The criterion F of a pair (a, c): ``a + sqrt(c)`` if `root`, else a where ``c >= need`` and -inf elsewhere."""

    need: float
    root: bool
    step: float  # all values of F are multiples of it; 0 if no such number is known
    # Bounds on the rounding of sums of rewards and of budgets over a path.
    slack_a: float
    slack_c: float


class Thinning(NamedTuple):
    """Steps above 1 thin the fronts.

    Of labels whose rewards are within a factor `reward_step` (rewards >= 0) the one of largest budget is kept, and of labels
    whose budgets are within a factor `budget_step` (budgets >= 0) the one of largest reward.
    """

    reward_step: float
    budget_step: float


class Completions(NamedTuple):
    """Best remaining path from each node, one row per multiplier, and the resulting bounds."""

    # Reward and budget of the path, shape (rows, n).
    a: FloatArray
    c: FloatArray
    arcs: IntArray  # (rows, n): place of the first arc
    # F(a, c) is at most a + multiplier * c + offset; shape (rows,).
    multipliers: FloatArray
    offsets: FloatArray


class Fronts(NamedTuple):
    """Result of `merged_fronts`."""

    pairs: FloatArray  # (labels, 2): (a, c) of each label
    origins: IntArray  # (labels, 2): its parent label and the place of its last arc
    first: int  # the first label of the last node
    labels: int  # number of labels; -1 if there are too many, or if it is interrupted
    best: float  # the best F, attained by the path that the next four describe
    # Row of the completion with which the path ends, and the node where it starts.
    row: int
    node: int
    # The arc into that node, and the label before this arc.
    place: int
    label: int


class Found(NamedTuple):
    """Items, of one path or of one in each row, and the number of labels, or why there is no result."""

    x: BoolArray
    labels: int


@kernel
def best_path(
    rewards: FloatArray, budgets: FloatArray, goal: Goal, into: ArcGroups, out_of: ArcGroups, thinning: Thinning,
    enough: float, known: float, max_labels: int,
) -> Found:  # fmt: skip
    """Path of largest F; the search ends early at a path whose F is at least `enough` times the bound at the first node.

    Returns the items of the path, none if no path has c >= need and an F above `known`, and the number of labels, -1 if more
    than `max_labels` would be needed, or if it is interrupted.
    """
    n = len(into.ptr) - 1
    a, c, arcs = np.empty((ROWS, n)), np.empty((ROWS, n)), np.empty((ROWS, n), dtype=np.int64)
    go = Completions(a, c, arcs, np.zeros(ROWS), np.full(ROWS, np.inf))
    rows, bound, best, best_row = _multipliers(rewards, budgets, goal, out_of, known, go)
    x = np.zeros(len(rewards), dtype=np.bool_)
    if best == -np.inf or bound <= known:
        return Found(x, 0)
    v = labels = 0
    if best <= known:
        best, best_row = known, -1
    if best < enough * bound - 4.0 * goal.slack_a and best + NEARLY * goal.step < bound:
        filled = Completions(go.a[:rows], go.c[:rows], go.arcs[:rows], go.multipliers, go.offsets)
        found = merged_fronts(rewards, budgets, goal, into, filled, best, thinning, max_labels)
        labels = found.labels
        if labels < 0:
            return Found(x, labels)
        if found.best > best:
            best_row, v = found.row, found.node
            x[into.items[found.place]] = True
            _mark(x, found.label, found.origins, into.items)
    while v < n - 1 and best_row >= 0:
        k = go.arcs[best_row, v]
        x[out_of.items[k]] = True
        v = out_of.ends[k]
    return Found(x, labels)


@kernel
def pareto_paths(rewards: FloatArray, budgets: FloatArray, into: ArcGroups, max_labels: int) -> Found:
    """Items of one path for each pair (a, c) that no path dominates, one per row, by increasing budgets.

    The second result is the number of labels, or -1 if more than `max_labels`, or more than CELLS_PER_LABEL times as many
    entries, would be needed.
    """
    d, no_rows, nothing = len(rewards), np.zeros((0, 1)), np.zeros(0)
    none = Completions(no_rows, no_rows, np.zeros((0, 1), dtype=np.int64), nothing, nothing)
    goal = Goal(-np.inf, NO_ROOT, 0.0, 0.0, 0.0)
    found = merged_fronts(rewards, budgets, goal, into, none, -np.inf, Thinning(1.0, 1.0), max_labels)
    pairs, labels, first = found.pairs, found.labels, found.first
    if labels < 0 or (labels - first) * d > CELLS_PER_LABEL * max_labels:
        return Found(np.zeros((0, d), dtype=np.bool_), -1)
    rows = np.zeros((labels - first, d), dtype=np.bool_)
    kept = 0
    for label in range(first, labels):
        if label + 1 < labels and pairs[label, 0] == pairs[label + 1, 0]:
            continue  # rounding made two rewards equal, and the later label has the larger budget
        _mark(rows[kept], label, found.origins, into.items)
        kept += 1
    return Found(rows[:kept], labels)


@kernel
def _mark(x: BoolArray, label: int, origins: IntArray, in_items: IntArray) -> None:
    """Add the items of a label's path to `x`."""
    while label > 0:
        x[in_items[origins[label, 1]]] = True
        label = origins[label, 0]


@kernel
def value_of(a: float, c: float, goal: Goal) -> float:
    """F(a, c)."""
    if goal.root:
        return a + math.sqrt(c)
    return a if c >= goal.need else -np.inf


@kernel
def _complete(rewards: FloatArray, budgets: FloatArray, multiplier: float, out_of: ArcGroups, row: int, go: Completions) -> None:
    """Write reward, budget and first arc of the path of largest a + multiplier * c from each node to the last one.

    Ties go to the larger c. With an infinite multiplier the path has the largest c, and ties go to the larger a.
    """
    out_ptr, out_heads, out_items = out_of
    go_a, go_c, go_k = go.a[row], go.c[row], go.arcs[row]
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
    rewards: FloatArray, budgets: FloatArray, goal: Goal, out_of: ArcGroups, known: float, go: Completions
) -> tuple[int, float, float, int]:
    """Minimise the bound max(a + l * c) + offset(l) over l, and fill a row of completions for each l tried.

    The first two rows are the completions of largest reward and of largest budget; their offsets remain infinite. The bound is
    convex in l. The next l minimises it for the lines of two paths alone, one on either side of the minimum. Offsets include the
    rounding error of a + l * c, so that only worse paths are excluded: l can be huge if budgets nearly tie.

    Returns the number of rows, the bound, the best F of a path found and its row.
    """
    need, root = goal.need, goal.root
    _complete(rewards, budgets, 0.0, out_of, 0, go)
    _complete(rewards, budgets, np.inf, out_of, 1, go)
    left_a, left_c, right_a, right_c = go.a[0, 0], go.c[0, 0], go.a[1, 0], go.c[1, 0]
    bound = value_of(left_a, right_c, goal)
    best, best_row = value_of(left_a, left_c, goal), 0
    if value_of(right_a, right_c, goal) > best:
        best, best_row = value_of(right_a, right_c, goal), 1
    for row in range(2, ROWS):
        if max(best, known) + NEARLY * goal.step >= bound or left_a <= right_a or left_c >= right_c:
            return row, bound, best, best_row
        l = (left_a - right_a) / (right_c - left_c)  # noqa: E741 (the multiplier of the module's docstring)
        if root:
            l = max(l, 0.5 / math.sqrt(right_c))  # noqa: E741
            if left_c > 0.0:
                l = min(l, 0.5 / math.sqrt(left_c))  # noqa: E741
        rounding = goal.slack_a + l * goal.slack_c
        if not rounding < np.inf:
            return row, bound, best, best_row
        _complete(rewards, budgets, l, out_of, row, go)
        a, c = go.a[row, 0], go.c[row, 0]
        offset = 0.25 / l if root else -l * need
        go.multipliers[row], go.offsets[row] = l, offset + rounding
        bound = min(bound, a + l * c + go.offsets[row])
        value = value_of(a, c, goal)
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
    rewards: FloatArray, budgets: FloatArray, goal: Goal, into: ArcGroups, go: Completions, best: float,
    thinning: Thinning, max_labels: int,
) -> Fronts:  # fmt: skip
    """Fronts of all nodes, by merging the fronts of their predecessors, which are sorted by decreasing a and increasing c.

    If there are rows of completions, a label is dropped unless all its bounds exceed `best`, the best F so far, and `best` is
    updated with each completion of each label.
    """
    in_ptr, in_tails, in_items = into
    go_a, go_c = go.a, go.c
    reward_step, budget_step = thinning
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
            a, c, next_k = -np.inf, -np.inf, -1  # the largest of the first labels left at each arc
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
                return Fronts(pairs, origins, 0, -1, best, best_row, best_node, best_k, best_label)
            parent = cursor[next_k]
            cursor[next_k] += 1
            if c <= budget_step * largest_c:
                continue
            largest_c = c
            if rows > 0:
                if not _may_exceed(best + NEARLY * goal.step, a, c, v, go, goal):
                    continue
                for row in range(rows):
                    value = value_of(a + go_a[row, v], c + go_c[row, v], goal)
                    if value > best:
                        best, best_row, best_node, best_k, best_label = value, row, v, next_k, parent
            if reward_step > 1.0 and labels > begin[v] and a * reward_step >= top:
                place = labels - 1  # replace the label of largest budget so far in this group
            else:
                top, place = a, labels
                labels += 1
                if labels > max_labels:
                    return Fronts(pairs, origins, 0, -1, best, best_row, best_node, best_k, best_label)
                if labels > size:
                    pairs, origins = _doubled(pairs, origins)
                    size = len(pairs)
            pairs[place, 0], pairs[place, 1] = a, c
            origins[place, 0], origins[place, 1] = parent, next_k
        end[v] = labels
    return Fronts(pairs, origins, begin[n - 1], labels, best, best_row, best_node, best_k, best_label)


@kernel
def _may_exceed(value: float, a: float, c: float, v: int, go: Completions, goal: Goal) -> bool:
    """Whether all bounds on F of the paths from a label (a, c) of node v are above `value`."""
    if value_of(a + go.a[0, v], c + go.c[1, v], goal) <= value:
        return False
    for row in range(len(go.a) - 1, 1, -1):
        if (a + go.a[row, v]) + go.multipliers[row] * (c + go.c[row, v]) + go.offsets[row] <= value:
            return False
    return True


@kernel
def _doubled(pairs: FloatArray, origins: IntArray) -> tuple[FloatArray, IntArray]:
    size = len(pairs)
    more_pairs, more_origins = np.empty((2 * size, 2)), np.empty((2 * size, 2), dtype=np.int64)
    for start in range(0, size, ROWS_AT_ONCE):  # allocating 100 MB takes half a second
        if interrupted():
            break
        end = min(start + ROWS_AT_ONCE, size)
        write(more_pairs[start:end], pairs[start:end])
        write(more_origins[start:end], origins[start:end])
    return more_pairs, more_origins
