"""Matchings that are best in two criteria at once: largest reward with a budget, or reward plus root of the bonus.

Both maximise a function F of a decision's reward a and budget c over the same decisions, and for every multiplier l the
Lagrangian bound F <= max (a + l c) + const(l) costs one heaviest matching: const is ``-l * at_least`` if a budget must be met,
and ``1 / (4 l)`` for a + sqrt(c). The multiplier of the least bound is found along the hull of the points (c, a); entries that
cannot be in a better matching are dropped by reduced costs; the rest is searched depth first, each forbidden entry costing one
shortest alternating path. Graphs are as in `assignment`: the leading side, its entries, and who stays free.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semibandits.kernels.arithmetic import square
from semibandits.kernels.assignment import heaviest_matching_with_duals
from semibandits.kernels.signals import check_signals, interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import FloatArray, IntArray

MOST_STEPS = 200
"""Hull vertices tried for the multiplier: a guard against rounding, far above what real data need."""
STEEPEST = 1e4
"""Largest multiplier, in units of the values over the largest |budget|: beyond, the rewards would drown in rounding."""


@kernel
def best_matching(
    rewards: FloatArray, budgets: FloatArray, ptr: IntArray, others: IntArray, n_others: int, optional: bool,
    rooted: bool, at_least: float, step: float,
) -> tuple[IntArray, float, float, IntArray]:  # fmt: skip
    """Matching of largest a + sqrt(c) if `rooted`, else of largest a among those with c >= `at_least`.

    Rewards and budgets are per entry; budgets must be >= 0 if `rooted`. Values are known to be multiples of `step` (0: nothing
    is known). Returns the entry of each leading node (-1 if free),
    the value (-inf: no matching meets the budget), a proven bound on all matchings' values, and the numbers of heaviest
    matchings and of alternating paths it took. Values count as equal if they differ by rounding, at most about
    5e-12 times the number of leading nodes times max|rewards| (plus sqrt(max budget) if `rooted`).
    """
    n = len(ptr) - 1
    work = np.zeros(2, dtype=np.int64)
    unit = np.abs(rewards).max() + (math.sqrt(max(budgets.max(), 0.0)) if rooted else 0.0)
    best = np.full(n, -1, dtype=np.int64)
    value, bound, multiplier, entry, mate, u, v = _sweep(
        rewards, budgets, ptr, others, n_others, optional, rooted, at_least, unit, best, work
    )
    weights = rewards + multiplier * budgets
    slack = _rounding(weights, unit, n)
    if value == -np.inf or bound <= _enough(value, slack, step):
        return best, value, max(bound, value), work
    room = bound - _enough(value, slack, step)
    rows, k_ptr, k_others, kept, k_mate, k_v = _reduced(
        weights, ptr, others, n_others, optional, entry, mate, u, v, room
    )
    chosen = entry.copy()
    chosen[rows] = -1
    a0, c0 = _totals(chosen, rewards, budgets)
    inside = np.zeros(len(rows), dtype=np.int64)
    for r in range(len(rows)):
        for k in range(k_ptr[r], k_ptr[r + 1]):
            if kept[k] == entry[rows[r]]:
                inside[r] = k
    padded_a, padded_c = np.append(rewards, 0.0), np.append(budgets, 0.0)  # entry -1, a free node, is the last
    found, better = _search(
        padded_a[kept], padded_c[kept], k_ptr, k_others, inside, k_mate, np.append(u[rows], 0.0), k_v,
        a0, c0, multiplier, bound, value, slack, step, rooted, at_least, work,
    )  # fmt: skip
    raise_interrupt()
    if found[0] >= 0:
        best = chosen
        best[rows] = kept[found]
    return best, better, min(bound, _enough(better, slack, step)), work


@kernel
def _value(a: float, c: float, rooted: bool, at_least: float) -> float:
    if rooted:
        return a + math.sqrt(max(c, 0.0))
    return a if c >= at_least else -np.inf


@kernel
def _constant(multiplier: float, rooted: bool, at_least: float) -> float:
    """What the bound adds to the weight of the heaviest matching."""
    return 0.25 / multiplier if rooted else -multiplier * at_least


@kernel
def _enough(value: float, slack: float, step: float) -> float:
    """Bounds up to here need no further search."""
    return max(value + slack, value + step - slack)


@kernel
def _rounding(weights: FloatArray, unit: float, n: int) -> float:
    """Differences of values and of sums of n weights that count as rounding."""
    return n * (1e-13 * unit + 5e-16 * float(np.abs(weights).max()))


@kernel
def _totals(entry: IntArray, rewards: FloatArray, budgets: FloatArray) -> tuple[float, float]:
    a = c = 0.0
    for k in entry:
        if k >= 0:
            a += rewards[k]
            c += budgets[k]
    return a, c


@kernel
def _sweep(
    rewards: FloatArray, budgets: FloatArray, ptr: IntArray, others: IntArray, n_others: int, optional: bool,
    rooted: bool, at_least: float, unit: float, best: IntArray, work: IntArray,
) -> tuple[float, float, float, IntArray, IntArray, FloatArray, FloatArray]:  # fmt: skip
    """Value of the best matching met (into `best`), the least bound, its multiplier, and matching and duals there.

    Between the left line, a matching on whose side the bound still falls, and the right one, where it rises, the next
    multiplier is the one at which the greater of the two lines gives the least bound, until no matching lies above them.
    """
    n = len(ptr) - 1
    entry, mate, u, v, _ = heaviest_matching_with_duals(rewards, ptr, others, n_others, optional)
    work[0] += 1
    left_a, left_c = _totals(entry, rewards, budgets)
    value = _value(left_a, left_c, rooted, at_least)
    best[:] = entry
    if left_c >= at_least if not rooted else budgets.max() <= 0.0:
        return value, value, 0.0, entry, mate, u, v
    right_a, right_c = -np.inf, np.inf
    if not rooted or left_c <= 0.0:
        entry, mate, u, v, _ = heaviest_matching_with_duals(budgets, ptr, others, n_others, optional)
        work[0] += 1
        right_a, right_c = _totals(entry, rewards, budgets)
        right = _value(right_a, right_c, rooted, at_least)
        if right > value:
            value = right
            best[:] = entry
        if right_c <= left_c or not (rooted or right_c >= at_least):
            return value, value, 0.0, entry, mate, u, v
    bound = multiplier = np.inf
    steepest = STEEPEST * unit / np.abs(budgets).max()
    for _ in range(MOST_STEPS):
        check_signals()
        multiplier = min(_multiplier(left_a, left_c, right_a, right_c, rooted), steepest)
        weights = rewards + multiplier * budgets
        entry, mate, u, v, _ = heaviest_matching_with_duals(weights, ptr, others, n_others, optional)
        work[0] += 1
        a, c = _totals(entry, rewards, budgets)
        this = _value(a, c, rooted, at_least)
        if this > value:
            value = this
            best[:] = entry
        height = a + multiplier * c
        bound = height + _constant(multiplier, rooted, at_least)
        known = left_a + multiplier * left_c
        if right_a > -np.inf:
            known = max(known, right_a + multiplier * right_c)
        slack = _rounding(weights, unit, n)
        if height <= known + slack or bound <= value + slack:
            break
        if c < (0.25 / square(multiplier) if rooted else at_least):
            left_a, left_c = a, c
        else:
            right_a, right_c = a, c
    return value, bound, multiplier, entry, mate, u, v


@kernel
def _multiplier(left_a: float, left_c: float, right_a: float, right_c: float, rooted: bool) -> float:
    """Where the greater of the two lines a + l c, plus the constant, is least."""
    if right_a == -np.inf:
        return 0.5 / math.sqrt(left_c)
    crossing = max((left_a - right_a) / (right_c - left_c), 0.0)
    if not rooted:
        return crossing
    crossing = max(crossing, 0.5 / math.sqrt(right_c))
    return min(crossing, 0.5 / math.sqrt(left_c)) if left_c > 0.0 else crossing


@kernel
def _reduced(
    weights: FloatArray, ptr: IntArray, others: IntArray, n_others: int, optional: bool,
    entry: IntArray, mate: IntArray, u: FloatArray, v: FloatArray, room: float,
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, FloatArray]:  # fmt: skip
    """The graph without entries whose reduced cost is `room` or more, and without leading nodes that then have no choice.

    Returns the leading nodes left, pointers, renumbered other nodes, the entries (-1: stay free, at an other node of its
    own), and mates (the number of leading nodes left: free) and duals of the renumbered other nodes.
    """
    n = len(ptr) - 1
    keep = np.zeros(len(weights), dtype=np.bool_)
    choices = np.zeros(n, dtype=np.int64)
    for r in range(n):
        for k in range(ptr[r], ptr[r + 1]):
            keep[k] = k == entry[r] or -weights[k] - u[r] - v[others[k]] < room
            choices[r] += keep[k]
        choices[r] += optional and (entry[r] < 0 or -u[r] < room)
    rows = np.flatnonzero(choices > 1)
    number, new_row = np.full(n_others, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    new_row[rows] = np.arange(len(rows))
    for c in range(n_others):
        if mate[c] >= 0 and choices[mate[c]] <= 1:
            number[c] = -2  # taken for good
    total = choices[rows].sum()
    k_ptr, k_others = np.zeros(len(rows) + 1, dtype=np.int64), np.empty(total, dtype=np.int64)
    kept, k_mate, k_v = np.empty(total, dtype=np.int64), np.full(total, len(rows), dtype=np.int64), np.zeros(total)
    count = n_new = 0
    for i in range(len(rows)):
        r = rows[i]
        for k in range(ptr[r], ptr[r + 1]):
            c = others[k]
            if not keep[k] or number[c] == -2:
                continue
            if number[c] < 0:
                number[c] = n_new
                k_mate[n_new] = new_row[mate[c]] if mate[c] >= 0 else len(rows)
                k_v[n_new] = v[c]
                n_new += 1
            k_others[count], kept[count] = number[c], k
            count += 1
        if optional and (entry[r] < 0 or -u[r] < room):
            if entry[r] < 0:
                k_mate[n_new] = i
            k_others[count], kept[count] = n_new, -1
            n_new += 1
            count += 1
        k_ptr[i + 1] = count
    return rows, k_ptr, k_others[:count], kept[:count], k_mate[:n_new], k_v[:n_new]


@kernel
def _search(
    rewards: FloatArray, budgets: FloatArray, ptr: IntArray, others: IntArray,
    entry: IntArray, mate: IntArray, u: FloatArray, v: FloatArray,
    a0: float, c0: float, multiplier: float, bound: float, value: float, slack: float, step: float,
    rooted: bool, at_least: float, work: IntArray,
) -> tuple[IntArray, float]:  # fmt: skip
    """Best matching better than `value` (its first entry is -1 if there is none) and its value; a0 and c0 are settled.

    A node of the search is the set of matchings of the entries that are not dropped, with its heaviest matching and duals.
    It is split by one entry of that matching: without it, one level deeper, and then with it, on the same level.
    """
    n, n_others = len(ptr) - 1, len(mate)
    weights = rewards + multiplier * budgets
    alive = weights.copy()  # -inf: dropped
    trail, dropped = np.empty(len(weights), dtype=np.int64), 0
    capacity = 8
    entries, mates = np.empty((capacity, n), dtype=np.int64), np.empty((capacity, n_others), dtype=np.int64)
    us, vs, bounds = np.empty((capacity, n + 1)), np.empty((capacity, n_others)), np.empty(capacity)
    marks, branches = np.empty(capacity, dtype=np.int64), np.full(capacity, -1, dtype=np.int64)
    entries[0], mates[0], us[0], vs[0], bounds[0] = entry, mate, u, v, bound
    best = np.full(max(n, 1), -1, dtype=np.int64)
    level = 0
    while level >= 0 and not interrupted():
        enough = _enough(value, slack, step)
        row = -1
        if bounds[level] > enough:
            room = bounds[level] - enough
            dropped = _drop(alive, ptr, others, entries[level], us[level], vs[level], room, trail, dropped)
            row = _branching_row(alive, ptr, others, entries[level], us[level], vs[level])
        if row < 0:
            level -= 1
            if level >= 0:
                dropped = _restore(alive, weights, trail, dropped, marks[level])
                dropped = _force(alive, ptr, others, branches[level], trail, dropped)
            continue
        if level + 1 == capacity:
            entries, mates, us, vs = _doubled(entries), _doubled(mates), _doubled(us), _doubled(vs)
            bounds, marks, branches = _doubled(bounds), _doubled(marks), _doubled(branches)
            capacity *= 2
        k = entries[level, row]
        branches[level], marks[level] = k, dropped
        alive[k] = -np.inf
        trail[dropped] = k
        dropped += 1
        level += 1
        entries[level], mates[level], us[level], vs[level] = (
            entries[level - 1], mates[level - 1], us[level - 1], vs[level - 1],
        )  # fmt: skip
        work[1] += 1
        length = _reroute(
            row, bounds[level - 1] - enough, alive, ptr, others, entries[level], mates[level], us[level], vs[level]
        )
        bounds[level] = bounds[level - 1] - length
        if length < np.inf:
            a, c = _totals(entries[level], rewards, budgets)
            this = _value(a0 + a, c0 + c, rooted, at_least)
            if this > value:
                value = this
                best[:] = entries[level]
    return best, value


@kernel
def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((array, array))


@kernel
def _restore(alive: FloatArray, weights: FloatArray, trail: IntArray, dropped: int, mark: int) -> int:
    for i in range(mark, dropped):
        alive[trail[i]] = weights[trail[i]]
    return mark


@kernel
def _drop(
    alive: FloatArray, ptr: IntArray, others: IntArray, entry: IntArray, u: FloatArray, v: FloatArray, room: float,
    trail: IntArray, dropped: int,
) -> int:  # fmt: skip
    """Drop the entries that cost `room` or more; the new length of the trail."""
    for r in range(len(entry)):
        for k in range(ptr[r], ptr[r + 1]):
            if alive[k] > -np.inf and k != entry[r] and -alive[k] - u[r] - v[others[k]] >= room:
                alive[k] = -np.inf
                trail[dropped] = k
                dropped += 1
    return dropped


@kernel
def _force(alive: FloatArray, ptr: IntArray, others: IntArray, chosen: int, trail: IntArray, dropped: int) -> int:
    """Drop the entries that share a node with the chosen one; the new length of the trail."""
    for r in range(len(ptr) - 1):
        own = ptr[r] <= chosen < ptr[r + 1]
        for k in range(ptr[r], ptr[r + 1]):
            if alive[k] > -np.inf and k != chosen and (own or others[k] == others[chosen]):
                alive[k] = -np.inf
                trail[dropped] = k
                dropped += 1
    return dropped


@kernel
def _branching_row(
    alive: FloatArray, ptr: IntArray, others: IntArray, entry: IntArray, u: FloatArray, v: FloatArray
) -> int:
    """Leading node whose second choice costs least, -1 if none has a choice."""
    best, smallest = -1, np.inf
    for r in range(len(entry)):
        least = np.inf
        for k in range(ptr[r], ptr[r + 1]):
            if alive[k] > -np.inf and k != entry[r]:
                least = min(least, -alive[k] - u[r] - v[others[k]])
        if least < smallest:
            best, smallest = r, least
    return best


@kernel
def _reroute(
    start: int, limit: float, weights: FloatArray, ptr: IntArray, others: IntArray,
    entry: IntArray, mate: IntArray, u: FloatArray, v: FloatArray,
) -> float:  # fmt: skip
    """Make the matching heaviest again after the entry of `start` was dropped; the weight that this costs.

    The cost is inf, and the arrays are as they were, if it is `limit` or more, or if there is no such matching. Free nodes
    of the other side are held by one more leading node, the last, which joins each of them at weight 0.
    """
    n, n_others = len(ptr) - 1, len(mate)
    target = others[entry[start]]
    distance = np.full(n_others, np.inf)
    via, via_row = np.empty(n_others, dtype=np.int64), np.empty(n_others, dtype=np.int64)
    scanned = np.zeros(n_others, dtype=np.bool_)
    order = np.empty(n_others, dtype=np.int64)
    row, reached, done, held = start, 0.0, 0, -1
    while True:
        offset = reached - u[row]
        if row == n:
            for c in range(n_others):
                if not scanned[c] and offset - v[c] < distance[c]:
                    distance[c], via[c], via_row[c] = offset - v[c], -1, n
        else:
            for k in range(ptr[row], ptr[row + 1]):
                c = others[k]
                if not scanned[c] and offset - weights[k] - v[c] < distance[c]:
                    distance[c], via[c], via_row[c] = offset - weights[k] - v[c], k, row
        row = -1
        while row < 0:
            nearest, reached = -1, np.inf
            for c in range(n_others):
                if not scanned[c] and distance[c] < reached:
                    nearest, reached = c, distance[c]
            if reached >= limit or nearest < 0:
                return np.inf
            if nearest == target:
                break
            scanned[nearest] = True
            order[done] = nearest
            done += 1
            if mate[nearest] < n or held < 0:
                row = mate[nearest]
                held = nearest if row == n else held
        if row < 0:
            break
    _settle(start, target, reached, held, order[:done], distance, via, via_row, others, entry, mate, u, v)
    return reached


@kernel
def _settle(
    start: int, target: int, length: float, held: int, scanned: IntArray,
    distance: FloatArray, via: IntArray, via_row: IntArray, others: IntArray,
    entry: IntArray, mate: IntArray, u: FloatArray, v: FloatArray,
) -> None:  # fmt: skip
    """Update the duals, and the matching along the path to `target`."""
    n = len(entry)
    u[start] += length
    for c in scanned:
        if mate[c] < n or c == held:
            u[mate[c]] += length - distance[c]
        v[c] -= length - distance[c]
    c = target
    while True:
        row = via_row[c]
        before = held if row == n else others[entry[row]]
        mate[c] = row
        if row < n:
            entry[row] = via[c]
        if row == start:
            return
        c = before
