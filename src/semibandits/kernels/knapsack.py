"""Sets of m items with two criteria, a = rewards·x and c = budgets·x: multipliers, label lists per count, depth-first search.

The function F to maximise depends on the pair (a, c), see `Goal`. A multiplier l >= 0 gives the bound
``F <= a + l c + allowance`` with allowance -l * parameter, or parameter^2 / (4 l).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from semibandits.kernels.arrays import grown, stable_order, write
from semibandits.kernels.selection import select_largest
from semibandits.kernels.signals import STEPS, check_signals, interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray, runtime_constant

AT_LEAST, ROOT, FRONT = runtime_constant(0), runtime_constant(1), runtime_constant(2)
SOLVED, NONE, BROKEN_OFF = 0, 1, 2
NO_NODES = runtime_constant(0)
CORE = 24
"""Number of items that the first, heuristic search leaves open: those that cost least to exchange."""
CORE_LABELS = 20_000
ROUNDING = 1e-14
"""A value counts as better if the difference exceeds this times m times the largest summand."""
NEARLY = 1.0 - 1e-6
"""Values that are multiples of a step improve by at least this share of the step."""


class Goal(NamedTuple):
    """The function F to maximise, or all efficient pairs.

    Attributes
    ----------
    kind : int
        ``AT_LEAST``: F is a where c >= `parameter`, else -inf. ``ROOT``: F is ``a + parameter * sqrt(c)``. ``FRONT``: all pairs
        that no other pair dominates.
    parameter : float
        Parameter of F.
    step : float
        All values of F are multiples of it; 0 if no such number is known.
    """

    kind: int
    parameter: float
    step: float


class Start(NamedTuple):
    """Number of items to choose, and the pair (a, c) of the items chosen before."""

    size: int
    a: float
    c: float


class Bounds(NamedTuple):
    """Multipliers, and for each of them the floor that the bound of a better decision must exceed."""

    multipliers: FloatArray
    floors: FloatArray


class Limits(NamedTuple):
    """Maximum numbers of labels and of depth-first search nodes."""

    labels: int
    nodes: int


@kernel
def criterion(goal: Goal, a: float, c: float) -> float:
    """F(a, c)."""
    if goal.kind == ROOT:
        return a + goal.parameter * math.sqrt(max(c, 0.0))
    return a if c >= goal.parameter else -np.inf


@kernel
def allowance(goal: Goal, multiplier: float) -> float:
    """Least upper bound on F(a, c) - (a + multiplier * c), maybe inf."""
    if goal.kind == AT_LEAST:
        return -multiplier * goal.parameter
    return goal.parameter * goal.parameter / (4.0 * multiplier) if multiplier > 0 else np.inf


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

    The bound h(l) + allowance(l), with h(l) the largest a + l c, is convex in l. Its minimum is between two decisions: one that
    is best for smaller l and has too little c, and one that is best for larger l and has enough. The next multiplier minimises
    the bound of these two alone; if no decision exceeds both there, it is the minimum. The bound is -inf if no decision has
    enough c. The multiplier is 0 if the decision of largest a is best.
    """
    kind, parameter = goal.kind, goal.parameter
    low = select_largest(rewards, m)
    a_low, c_low = sums(rewards, budgets, low)
    high = select_largest(budgets, m)
    a_high, c_high = sums(rewards, budgets, high)
    value = criterion(goal, a_low, c_low)
    if kind == AT_LEAST and value > -np.inf:
        return 0.0, value, low
    best = low
    if criterion(goal, a_high, c_high) > value:
        best, value = high, criterion(goal, a_high, c_high)
    if value == -np.inf:
        return np.inf, -np.inf, high
    if c_high <= c_low:
        return 0.0, value, low
    at, bound = np.inf, np.inf
    while True:
        multiplier = max(a_low - a_high, 0.0) / (c_high - c_low)
        if kind == ROOT:  # a + l c + s^2 / (4 l) is least at l = s / (2 sqrt(c)), for either decision
            at_low = parameter / (2.0 * math.sqrt(c_low)) if c_low > 0 else np.inf
            at_high = parameter / (2.0 * math.sqrt(c_high))
            multiplier = max(min(multiplier, at_low), at_high)
        known = max(a_low + multiplier * c_low, a_high + multiplier * c_high)
        middle = select_largest(rewards + multiplier * budgets, m)
        a, c = sums(rewards, budgets, middle)
        reached = max(a + multiplier * c, known)
        if reached + allowance(goal, multiplier) < bound:
            at, bound = multiplier, reached + allowance(goal, multiplier)
        if criterion(goal, a, c) > value:
            best, value = middle, criterion(goal, a, c)
        if reached <= known + ROUNDING * abs(known):
            break
        enough = c >= parameter if kind == AT_LEAST else 4.0 * multiplier * multiplier * c >= parameter * parameter
        if enough:
            if c > c_high or (c == c_high and a <= a_high):
                break
            a_high, c_high = a, c
        else:
            if c < c_low or (c == c_low and a <= a_low):
                break
            a_low, c_low = a, c
        if c_high <= c_low:
            break
    return at, bound, best


@kernel
def completions(values: FloatArray, size: int) -> FloatArray:
    """Largest sum of q of ``values[p:]`` at [p, q], -inf if there are fewer. Of equal sums the one without p is taken."""
    n = len(values)
    table = np.full((n + 1, size + 1), -np.inf)
    table[n, 0] = 0.0
    for p in range(n - 1, -1, -1):
        table[p, 0] = 0.0
        for q in range(1, min(size, n - p) + 1):
            table[p, q] = max(table[p + 1, q], values[p] + table[p + 1, q - 1])
    return table


@kernel
def complete(table: FloatArray, chosen: BoolArray, p: int, q: int) -> None:
    """Choose the q items from p on whose sum is the entry [p, q] of a table of :func:`completions`."""
    while q > 0:
        if table[p, q] != table[p + 1, q]:
            chosen[p] = True
            q -= 1
        p += 1


@kernel
def completed_sums(table: FloatArray, values: FloatArray, others: FloatArray) -> FloatArray:
    """Sum of `others` at [p, q], over the items whose sum of `values` is that entry of `table`."""
    n, size = len(values), table.shape[1] - 1
    result = np.zeros((n + 1, size + 1))
    for p in range(n - 1, -1, -1):
        for q in range(1, min(size, n - p) + 1):
            if table[p, q] == table[p + 1, q]:
                result[p, q] = result[p + 1, q]
            else:
                result[p, q] = others[p] + result[p + 1, q - 1]
    return result


@kernel
def bound_tables(rewards: FloatArray, budgets: FloatArray, multipliers: FloatArray, size: int) -> FloatArray:
    """Tables of :func:`completions` for rewards + multiplier * budgets, one per multiplier; the last one is for the budgets."""
    n = len(rewards)
    tables = np.empty((len(multipliers) + 1, n + 1, size + 1))
    for j in range(len(multipliers)):
        if interrupted():
            break
        tables[j] = completions(rewards + multipliers[j] * budgets, size)
    tables[len(multipliers)] = completions(budgets, size)
    return tables


@kernel
def promising(a: float, c: float, p: int, q: int, bounds: Bounds, tables: FloatArray, goal: Goal) -> bool:
    """Whether (a, c) with q more items from p on can exceed the floors.

    For one best decision the bound at every multiplier must exceed its floor. For the front one multiplier suffices: each floor
    is then the value of the corner between two neighbouring known points, at the multiplier of the edge between them, and a pair
    that dominates no corner is dominated.
    """
    multipliers, floors = bounds
    last = len(multipliers)
    if goal.kind == AT_LEAST and c + tables[last, p, q] < goal.parameter:
        return False
    one_suffices = goal.kind == FRONT
    keep = not one_suffices
    for j in range(last):
        above = a + multipliers[j] * c + tables[j, p, q] > floors[j]
        if above == one_suffices:
            keep = above
            break
    return keep


class Search(NamedTuple):
    """Data of a search: the result of `bound_tables`, and the sums at [p, q] of the completions at the first multiplier."""

    rewards: FloatArray
    budgets: FloatArray
    bounds: Bounds
    goal: Goal
    tables: FloatArray
    rest_a: FloatArray
    rest_c: FloatArray


class Lists(NamedTuple):
    """Labels (a, c) with their `last` entries in the history, -1 at the start: ``starts[k]:starts[k + 1]`` have k items."""

    a: FloatArray
    c: FloatArray
    last: IntArray
    starts: IntArray


class History(NamedTuple):
    """Items chosen: entry k is the item ``items[k]``, chosen after those of entry ``parents[k]``; the first `size` are filled."""

    parents: IntArray
    items: IntArray
    size: int


class Found(NamedTuple):
    """The best value found, that of a label, whose newest entry is `last` (-2: none), with the completion at [p, q]."""

    value: float
    last: int
    p: int
    q: int


@kernel
def _search(rewards: FloatArray, budgets: FloatArray, size: int, bounds: Bounds, goal: Goal) -> Search:
    """Tables for a search for `size` more of these items."""
    multipliers = bounds.multipliers
    tables = bound_tables(rewards, budgets, multipliers, size)
    values = rewards + multipliers[0] * budgets
    rest_a, rest_c = completed_sums(tables[0], values, rewards), completed_sums(tables[0], values, budgets)
    return Search(rewards, budgets, Bounds(multipliers, bounds.floors.copy()), goal, tables, rest_a, rest_c)


@kernel
def label_lists(
    rewards: FloatArray, budgets: FloatArray, start: Start, bounds: Bounds, goal: Goal, best: float, limit: int
) -> tuple[bool, float, BoolArray, BoolArray]:
    """Nemhauser-Ullmann lists, one for each number of items chosen: take each item or not, drop dominated labels.

    A label is the pair (a, c) of the start and some of the items seen so far. It is dropped if it is not promising, or if another
    label with as many items dominates it. With integer budgets the lists have at most one label per sum, so that this is the
    dynamic program over sums; likewise with integer rewards.

    `best` is a known value, to which the floors belong; both rise with every better completion. Returns whether the number of
    labels stayed within `limit`, the best value, a decision that has it (all False if it does not exceed the known value), and
    for a FRONT the remaining decisions, one per row, with decreasing budgets.
    """
    n, size = len(rewards), start.size
    search = _search(rewards, budgets, size, bounds, goal)
    starts = np.ones(size + 3, dtype=np.int64)
    starts[:1] = 0
    lists = Lists(np.full(1, start.a), np.full(1, start.c), np.full(1, -1), starts)
    history = History(np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64), 0)
    found = Found(best, -2, 0, 0)
    chosen, rows = np.zeros(n, dtype=np.bool_), np.zeros((0, n), dtype=np.bool_)
    steps = 0
    for p in range(n):
        lists, history, found, steps = _next_lists(p, lists, search, history, found, steps)
        if steps < 0:
            return False, found.value, chosen, rows
        if len(lists.a) == 0 or history.size + len(lists.a) > limit:
            break
    within = len(lists.a) == 0 or history.size + len(lists.a) <= limit
    if goal.kind == FRONT and within:
        rows = np.zeros((len(lists.a), n), dtype=np.bool_)
        for k in range(len(lists.a)):
            _choose(rows[k], history, lists.last[k])
    elif found.last >= -1:
        _choose(chosen, history, found.last)
        complete(search.tables[0], chosen, found.p, found.q)
    return within, found.value, chosen, rows


@kernel
def _next_lists(
    p: int, lists: Lists, search: Search, history: History, found: Found, steps: int
) -> tuple[Lists, History, Found, int]:
    """Lists after item p, the extended history and the best value; the number of steps is -1 if it is interrupted."""
    rewards, budgets, bounds, goal, tables, rest_a, rest_c = search
    parents, entered, taken = history
    old_a, old_c, old_last, starts = lists
    n, total, size = len(rewards), len(old_a), len(starts) - 3
    new_a, new_c, new_last = np.empty(2 * total), np.empty(2 * total), np.empty(2 * total, dtype=np.int64)
    new_starts = np.zeros(size + 3, dtype=np.int64)
    out = 0
    if taken + total > len(parents):
        parents, entered = grown(parents, 2 * (taken + total)), grown(entered, 2 * (taken + total))
    for k in range(size + 1):
        new_starts[k] = out
        q = size - k
        if k > p + 1 or q > n - p - 1:
            continue
        i, i_end = starts[k], starts[k + 1]
        j = starts[k - 1] if k > 0 else 0
        j_end = starts[k] if k > 0 else 0
        top = -np.inf
        while i < i_end or j < j_end:
            steps += 1
            if steps % STEPS == 0 and interrupted():
                return lists, history, found, -1
            take = i >= i_end
            if not take and j < j_end:
                c_new = old_c[j] + budgets[p]
                take = c_new > old_c[i] or (c_new == old_c[i] and old_a[j] + rewards[p] > old_a[i])
            if take:
                a, c, last = old_a[j] + rewards[p], old_c[j] + budgets[p], old_last[j]
                j += 1
            else:
                a, c, last = old_a[i], old_c[i], old_last[i]
                i += 1
            if a <= top:
                continue
            top = a
            if not promising(a, c, p + 1, q, bounds, tables, goal):
                continue
            if take:
                parents[taken], entered[taken] = last, p
                last = taken
                taken += 1
            if goal.kind != FRONT:
                value = criterion(goal, a + rest_a[p + 1, q], c + rest_c[p + 1, q])
                if value > found.value:
                    bounds.floors[:] += value - found.value
                    found = Found(value, last, p + 1, q)
            new_a[out], new_c[out], new_last[out] = a, c, last
            out += 1
    new_starts[size + 1 :] = out
    return Lists(new_a[:out], new_c[:out], new_last[:out], new_starts), History(parents, entered, taken), found, steps


@kernel
def _choose(chosen: BoolArray, history: History, last: int) -> None:
    """Add the items of a label, whose newest entry in the history is `last`."""
    while last >= 0:
        chosen[history.items[last]] = True
        last = history.parents[last]


@kernel
def depth_first(
    rewards: FloatArray, budgets: FloatArray, start: Start, bounds: Bounds, goal: Goal, best: float, max_nodes: int
) -> tuple[bool, float, BoolArray]:
    """The search of :func:`label_lists` depth first, which needs memory for the tables only.

    Each item is first chosen or not as in the completion at the first multiplier. Returns whether the search ended within
    `max_nodes`, the best value, and a decision that has it (all False if it does not exceed the known value).
    """
    n, size = len(rewards), start.size
    _, _, bounds, _, tables, rest_a, rest_c = _search(rewards, budgets, size, bounds, goal)
    now, chosen = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    a, c = np.full(n + 1, start.a), np.full(n + 1, start.c)
    left, tried = np.full(n + 1, size), np.zeros(n + 1, dtype=np.int64)
    p = nodes = 0
    while p >= 0 and nodes < max_nodes:
        if nodes % STEPS == 0 and interrupted():
            break
        nodes += 1
        q = left[p]
        if tried[p] == 0:
            if q < 0 or q > n - p or not promising(a[p], c[p], p, q, bounds, tables, goal):
                p -= 1
                continue
            value = criterion(goal, a[p] + rest_a[p, q], c[p] + rest_c[p, q])
            if value > best:
                bounds.floors[:] += value - best
                best = value
                write(chosen, now[:p])
                chosen[p:] = False
                complete(tables[0], chosen, p, q)
        if p == n or tried[p] == 2:
            p -= 1
            continue
        default = tables[0, p, q] != tables[0, p + 1, q]
        now[p] = default if tried[p] == 0 else not default
        tried[p] += 1
        a[p + 1], c[p + 1], left[p + 1] = a[p], c[p], q
        if now[p]:
            a[p + 1], c[p + 1], left[p + 1] = a[p] + rewards[p], c[p] + budgets[p], q - 1
        p += 1
        tried[p] = 0
    return p < 0, best, chosen


@kernel
def swap_costs(values: FloatArray, top: BoolArray) -> FloatArray:
    """Least loss of the sum of `values` over the `top` items if an item leaves them, or joins them."""
    inside, outside = np.inf, -np.inf
    for i in range(len(values)):
        if top[i]:
            inside = min(inside, values[i])
        else:
            outside = max(outside, values[i])
    exchange_costs = np.empty(len(values))
    for i in range(len(values)):
        exchange_costs[i] = values[i] - outside if top[i] else inside - values[i]
    return exchange_costs


@kernel
def search_core(
    rewards: FloatArray, budgets: FloatArray, top: BoolArray, core: IntArray, multipliers: FloatArray, goal: Goal,
    known: BoolArray, limits: Limits,
) -> tuple[bool, BoolArray]:  # fmt: skip
    """Best decision that agrees with `top` outside the core, or `known` if that is no worse.

    The search uses label lists, and is depth first if these exceed their limit. Returns whether the limits sufficed, and the
    decision.
    """
    m = int(np.count_nonzero(top))
    fixed = top.copy()
    fixed[core] = False
    base_a, base_c = sums(rewards, budgets, fixed)
    start = Start(m - int(np.count_nonzero(fixed)), base_a, base_c)
    a, c = sums(rewards, budgets, known)
    best = criterion(goal, a, c)
    largest_a, largest_c = np.abs(rewards).max(), np.abs(budgets).max()
    floors = np.empty(len(multipliers))
    for j in range(len(multipliers)):
        slack = ROUNDING * m * (largest_a + multipliers[j] * largest_c)
        floors[j] = best - allowance(goal, multipliers[j]) + max(slack, NEARLY * goal.step)
    own_a, own_c = rewards[core], budgets[core]
    done, value, chosen, _ = label_lists(own_a, own_c, start, Bounds(multipliers, floors), goal, best, limits.labels)
    if not done and limits.nodes > 0:
        raised = Bounds(multipliers, floors + max(value - best, 0.0))
        done, deeper, found = depth_first(own_a, own_c, start, raised, goal, value, limits.nodes)
        if deeper > value:
            value, chosen = deeper, found
    if value <= best:
        return done, known
    fixed[core] = chosen
    return done, fixed


@kernel
def select_best(*problem_and_limits: Any) -> tuple[BoolArray, int]:
    """Result of `searched_selection` for callers in Python; raises if it is interrupted."""
    found = searched_selection(*problem_and_limits)
    raise_interrupt()
    return found


@kernel
def searched_selection(rewards: FloatArray, budgets: FloatArray, m: int, goal: Goal, limits: Limits) -> tuple[BoolArray, int]:
    """The m items of largest F, and the outcome: ``SOLVED``, ``NONE`` if no decision has a value, or ``BROKEN_OFF``.

    At the multiplier of least bound, a search with few open items first finds a good decision. Items whose exchange alone loses
    more than the gap are fixed. All others are then searched, those that lose most first.
    """
    multiplier, bound, known = best_multiplier(rewards, budgets, m, goal)
    if bound == -np.inf or m == 0 or m == len(rewards):
        return known, SOLVED if bound > -np.inf else NONE
    slack = max(ROUNDING * m * (np.abs(rewards).max() + multiplier * np.abs(budgets).max()), NEARLY * goal.step)
    a, c = sums(rewards, budgets, known)
    if criterion(goal, a, c) >= bound - slack:
        return known, SOLVED
    values = rewards + multiplier * budgets
    top = select_largest(values, m)
    exchange_costs = swap_costs(values, top)
    order = stable_order(exchange_costs)
    multipliers = multiplier * (np.array([1.0, 0.0]) if goal.kind == AT_LEAST else np.array([1.0, 0.7, 1.4]))
    nearest = order[:CORE][::-1].copy()
    few = Limits(min(CORE_LABELS, limits.labels), NO_NODES)
    done, known = search_core(rewards, budgets, top, nearest, multipliers, goal, known, few)
    a, c = sums(rewards, budgets, known)
    gap = bound - criterion(goal, a, c) - slack
    n_open = int(np.searchsorted(exchange_costs[order], gap, side="right"))
    if not done or n_open > CORE:
        core = order[:n_open][::-1].copy()
        done, known = search_core(rewards, budgets, top, core, multipliers, goal, known, limits)
    return known, SOLVED if done else BROKEN_OFF


@kernel
def hull_vertices(rewards: FloatArray, budgets: FloatArray, m: int) -> tuple[FloatArray, FloatArray]:
    """Pairs (a, c) on the upper right hull of the sets of m items, by increasing c; points on its edges may be included."""
    first = select_largest(rewards, m)
    a, c = sums(rewards, budgets, first)
    last = select_largest(budgets, m)
    a_last, c_last = sums(rewards, budgets, last)
    done_a, done_c = [a], [c]
    ahead_a, ahead_c = [a_last], [c_last]
    while len(ahead_a) > 0:
        check_signals()
        a, c = done_a[-1], done_c[-1]
        a_next, c_next = ahead_a[-1], ahead_c[-1]
        if c_next > c and a > a_next:
            multiplier = (a - a_next) / (c_next - c)
            middle = select_largest(rewards + multiplier * budgets, m)
            a_mid, c_mid = sums(rewards, budgets, middle)
            gain = a_mid - a + multiplier * (c_mid - c)
            if gain > ROUNDING * m * (abs(a) + multiplier * abs(c)):
                if c < c_mid < c_next:
                    ahead_a.append(a_mid)
                    ahead_c.append(c_mid)
                    continue
                if c_mid == c_next and a_mid > a_next:
                    ahead_a[-1] = a_mid
                    continue
        done_a.append(a_next)
        done_c.append(c_next)
        ahead_a.pop()
        ahead_c.pop()
    return np.array(done_a), np.array(done_c)


@kernel
def select_front(rewards: FloatArray, budgets: FloatArray, m: int, limit: int) -> tuple[bool, BoolArray]:
    """Sets of m items, one per row, with one for each pair (a, c) that is not dominated; the flag is False beyond `limit`."""
    known_a, known_c = hull_vertices(rewards, budgets, m)
    count = len(known_a) - 1
    if known_c[0] >= known_c[count]:  # one decision is best in both
        rows = np.zeros((1, len(rewards)), dtype=np.bool_)
        rows[0] = select_largest(rewards, m)
        return True, rows
    multipliers, floors = np.ones(count), np.empty(count)
    largest_a, largest_c = np.abs(rewards).max(), np.abs(budgets).max()
    for j in range(count):
        if known_c[j + 1] > known_c[j] and known_a[j] > known_a[j + 1]:
            multipliers[j] = (known_a[j] - known_a[j + 1]) / (known_c[j + 1] - known_c[j])
        slack = ROUNDING * m * (largest_a + multipliers[j] * largest_c)
        floors[j] = known_a[j + 1] + multipliers[j] * known_c[j] - slack
    order = stable_order(-(rewards + multipliers[count // 2] * budgets))
    goal, bounds = Goal(FRONT, 0.0, 0.0), Bounds(multipliers, floors)
    within, _, _, rows = label_lists(rewards[order], budgets[order], Start(m, 0.0, 0.0), bounds, goal, -np.inf, limit)
    raise_interrupt()
    chosen = np.zeros(rows.shape, dtype=np.bool_)
    chosen[:, order] = rows
    return within, chosen
