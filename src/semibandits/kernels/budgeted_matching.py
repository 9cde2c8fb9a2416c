"""Matchings of two criteria: budgeted maximisation and index maximisation.

Both maximise a function F of the reward a and the budget c of a matching. For every multiplier l the Lagrangian bound
F <= max (a + l c) + const(l) takes one heaviest matching, where const is ``-l * at_least`` if a budget must be met, and
``1 / (4 l)`` for a + sqrt(c). The multiplier of the least bound is found along the hull of the points (c, a). Entries that no
better matching can contain are dropped by reduced costs. The rest is searched depth first, with one shortest alternating path for
each forbidden entry. Graphs are those of `assignment`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.arrays import grown, write
from semibandits.kernels.assignment import Bipartite, Matched, heaviest_matching_with_duals
from semibandits.kernels.signals import check_signals, interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import FloatArray, IntArray

MOST_STEPS = 200
"""Hull vertices tried for the multiplier: a guard against rounding, far more than real data need."""
STEEPEST = 1e4
"""Largest multiplier, in units of the values over the largest |budget|: above it, rounding would hide the rewards."""


class Goal(NamedTuple):
    """The function F to maximise.

    Attributes
    ----------
    rooted : bool
        Whether F is a + sqrt(c), for budgets >= 0. If not, F is a where c >= `at_least`, and -inf elsewhere.
    at_least : float
        The budget to meet.
    step : float
        All values are multiples of it; 0 if no such number is known.
    """

    rooted: bool
    at_least: float
    step: float


class Place(NamedTuple):
    """Starting point of a search.

    Attributes
    ----------
    a, c : float
        Reward and budget of the entries that are fixed.
    multiplier, bound : float
        The smallest Lagrangian bound and its multiplier.
    value : float
        The best value so far.
    slack : float
        Tolerance for rounding errors.
    """

    a: float
    c: float
    multiplier: float
    bound: float
    value: float
    slack: float


class Reach(NamedTuple):
    """The shortest alternating paths of a search.

    Attributes
    ----------
    distance : ndarray of float
        Distance of each other node from the start.
    via, via_row : ndarray of int
        Last entry of the path to each other node, and the leading node of this entry.
    order : ndarray of int
        The other nodes in the order in which they are scanned.
    """

    distance: FloatArray
    via: IntArray
    via_row: IntArray
    order: IntArray


class Trail(NamedTuple):
    """Weights of the entries (-inf if dropped), and the dropped entries in the order in which they were dropped."""

    alive: FloatArray
    entries: IntArray


@kernel
def best_matching(
    rewards: FloatArray, budgets: FloatArray, graph: Bipartite, goal: Goal
) -> tuple[IntArray, float, float, IntArray]:
    """Matching of largest F.

    Rewards and budgets are per entry. Returns the entry of each leading node (-1 if free), the value (-inf if no matching meets
    the budget), a proved bound on the values of all matchings, and the numbers of heaviest matchings and of alternating paths
    computed. Values count as equal if they differ by rounding, at most about 5e-12 times the number of leading nodes times
    max|rewards| (plus sqrt(max budget) if the goal is rooted).
    """
    n, rooted, step = len(graph.ptr) - 1, goal.rooted, goal.step
    work = np.zeros(2, dtype=np.int64)
    unit = np.abs(rewards).max() + (math.sqrt(max(budgets.max(), 0.0)) if rooted else 0.0)
    best = np.full(n, -1, dtype=np.int64)
    value, bound, multiplier, matched = _sweep(rewards, budgets, graph, goal, unit, best, work)
    weights = rewards + multiplier * budgets
    slack = _rounding(weights, unit, n)
    if value == -np.inf or bound <= _enough(value, slack, step):
        return best, value, max(bound, value), work
    room = bound - _enough(value, slack, step)
    entry = matched.entry
    rows, k_ptr, k_others, kept, k_mate, k_v = _reduced(weights, graph, matched, room)
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
        padded_a[kept], padded_c[kept], Bipartite(k_ptr, k_others, len(k_mate), graph.optional),
        Matched(inside, k_mate, np.append(matched.u[rows], 0.0), k_v), goal,
        Place(a0, c0, multiplier, bound, value, slack), work,
    )  # fmt: skip
    raise_interrupt()
    if found[0] >= 0:
        best = chosen
        best[rows] = kept[found]
    return best, better, min(bound, _enough(better, slack, step)), work


@kernel
def _value(a: float, c: float, goal: Goal) -> float:
    if goal.rooted:
        return a + math.sqrt(max(c, 0.0))
    return a if c >= goal.at_least else -np.inf


@kernel
def _constant(multiplier: float, goal: Goal) -> float:
    """Difference of the bound and the weight of the heaviest matching."""
    return 0.25 / multiplier if goal.rooted else -multiplier * goal.at_least


@kernel
def _enough(value: float, slack: float, step: float) -> float:
    """Largest bound that needs no further search."""
    return max(value + slack, value + step - slack)


@kernel
def _rounding(weights: FloatArray, unit: float, n: int) -> float:
    """Largest difference of values, or of sums of n weights, that counts as rounding."""
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
    rewards: FloatArray, budgets: FloatArray, graph: Bipartite, goal: Goal, unit: float, best: IntArray, work: IntArray
) -> tuple[float, float, float, Matched]:
    """Value of the best matching found (written into `best`), the least bound, its multiplier, and the matching and duals there.

    Each matching is a line a + l c. The bound decreases at the left line and increases at the right one. The next multiplier
    minimises the bound of the greater of the two lines; the search ends when no matching lies above them.
    """
    n, rooted, at_least = len(graph.ptr) - 1, goal.rooted, goal.at_least
    matched, _ = heaviest_matching_with_duals(rewards, graph)
    work[0] += 1
    left_a, left_c = _totals(matched.entry, rewards, budgets)
    value = _value(left_a, left_c, goal)
    write(best, matched.entry)
    if left_c >= at_least if not rooted else budgets.max() <= 0.0:
        return value, value, 0.0, matched
    right_a, right_c = -np.inf, np.inf
    if not rooted or left_c <= 0.0:
        matched, _ = heaviest_matching_with_duals(budgets, graph)
        work[0] += 1
        right_a, right_c = _totals(matched.entry, rewards, budgets)
        right = _value(right_a, right_c, goal)
        if right > value:
            value = right
            write(best, matched.entry)
        if right_c <= left_c or not (rooted or right_c >= at_least):
            return value, value, 0.0, matched
    bound = multiplier = np.inf
    steepest = STEEPEST * unit / np.abs(budgets).max()
    for _ in range(MOST_STEPS):
        check_signals()
        multiplier = min(_multiplier(left_a, left_c, right_a, right_c, rooted), steepest)
        weights = rewards + multiplier * budgets
        matched, _ = heaviest_matching_with_duals(weights, graph)
        work[0] += 1
        a, c = _totals(matched.entry, rewards, budgets)
        this = _value(a, c, goal)
        if this > value:
            value = this
            write(best, matched.entry)
        height = a + multiplier * c
        bound = height + _constant(multiplier, goal)
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
    return value, bound, multiplier, matched


@kernel
def _multiplier(left_a: float, left_c: float, right_a: float, right_c: float, rooted: bool) -> float:
    """Multiplier l that minimises the greater of the two lines a + l c, plus the constant."""
    if right_a == -np.inf:
        return 0.5 / math.sqrt(left_c)
    crossing = max((left_a - right_a) / (right_c - left_c), 0.0)
    if not rooted:
        return crossing
    crossing = max(crossing, 0.5 / math.sqrt(right_c))
    return min(crossing, 0.5 / math.sqrt(left_c)) if left_c > 0.0 else crossing


@kernel
def _reduced(
    weights: FloatArray, graph: Bipartite, matched: Matched, room: float
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray, FloatArray]:
    """The graph without entries of reduced cost `room` or more, and then without leading nodes that have only one choice.

    Returns the remaining leading nodes, pointers, renumbered other nodes, the entries (-1 for staying free, at a separate other
    node), and the mates (free: the number of remaining leading nodes) and duals of the renumbered other nodes.
    """
    ptr, others, n_others, optional = graph
    entry, mate, u, v = matched
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
            number[c] = -2  # matched in every better matching
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
    rewards: FloatArray, budgets: FloatArray, graph: Bipartite, first: Matched, goal: Goal, place: Place, work: IntArray
) -> tuple[IntArray, float]:
    """Best matching that exceeds the known value (first entry -1 if there is no such matching), and its value.

    A search node is the set of matchings of the entries that are not dropped, with its heaviest matching and duals. It is split
    by one entry of this matching: first without the entry, one level deeper, and then with it, on the same level.
    """
    n, n_others, value = len(graph.ptr) - 1, graph.n_others, place.value
    weights = rewards + place.multiplier * budgets
    trail, dropped = Trail(weights.copy(), np.empty(len(weights), dtype=np.int64)), 0
    capacity = 8
    entries, mates = np.empty((capacity, n), dtype=np.int64), np.empty((capacity, n_others), dtype=np.int64)
    us, vs, bounds = np.empty((capacity, n + 1)), np.empty((capacity, n_others)), np.empty(capacity)
    marks, branches = np.empty(capacity, dtype=np.int64), np.full(capacity, -1, dtype=np.int64)
    entries[0], mates[0], us[0], vs[0], bounds[0] = first.entry, first.mate, first.u, first.v, place.bound
    best = np.full(max(n, 1), -1, dtype=np.int64)
    level = 0
    while level >= 0 and not interrupted():
        enough = _enough(value, place.slack, goal.step)
        row = -1
        if bounds[level] > enough:
            here = Matched(entries[level], mates[level], us[level], vs[level])
            dropped = _drop(trail, graph, here, bounds[level] - enough, dropped)
            row = _branching_row(trail.alive, graph, here)
        if row < 0:
            level -= 1
            if level >= 0:
                dropped = _restore(trail, weights, dropped, marks[level])
                dropped = _force(trail, graph, branches[level], dropped)
            continue
        if level + 1 == capacity:
            capacity *= 2
            entries, mates, us = grown(entries, capacity), grown(mates, capacity), grown(us, capacity)
            vs, bounds, marks = grown(vs, capacity), grown(bounds, capacity), grown(marks, capacity)
            branches = grown(branches, capacity)
        k = entries[level, row]
        branches[level], marks[level] = k, dropped
        trail.alive[k] = -np.inf
        trail.entries[dropped] = k
        dropped += 1
        level += 1
        entries[level], mates[level], us[level], vs[level] = (
            entries[level - 1], mates[level - 1], us[level - 1], vs[level - 1],
        )  # fmt: skip
        work[1] += 1
        here = Matched(entries[level], mates[level], us[level], vs[level])
        length = _reroute(row, bounds[level - 1] - enough, trail.alive, graph, here)
        bounds[level] = bounds[level - 1] - length
        if length < np.inf:
            a, c = _totals(entries[level], rewards, budgets)
            this = _value(place.a + a, place.c + c, goal)
            if this > value:
                value = this
                write(best, entries[level])
    return best, value


@kernel
def _restore(trail: Trail, weights: FloatArray, dropped: int, mark: int) -> int:
    for i in range(mark, dropped):
        trail.alive[trail.entries[i]] = weights[trail.entries[i]]
    return mark


@kernel
def _drop(trail: Trail, graph: Bipartite, matched: Matched, room: float, dropped: int) -> int:
    """Drop the entries of reduced cost `room` or more; the new length of the trail."""
    alive, ptr, others = trail.alive, graph.ptr, graph.others
    entry, _, u, v = matched
    for r in range(len(entry)):
        for k in range(ptr[r], ptr[r + 1]):
            if alive[k] > -np.inf and k != entry[r] and -alive[k] - u[r] - v[others[k]] >= room:
                alive[k] = -np.inf
                trail.entries[dropped] = k
                dropped += 1
    return dropped


@kernel
def _force(trail: Trail, graph: Bipartite, chosen: int, dropped: int) -> int:
    """Drop the entries that share a node with the chosen one; the new length of the trail."""
    alive, ptr, others = trail.alive, graph.ptr, graph.others
    for r in range(len(ptr) - 1):
        own = ptr[r] <= chosen < ptr[r + 1]
        for k in range(ptr[r], ptr[r + 1]):
            if alive[k] > -np.inf and k != chosen and (own or others[k] == others[chosen]):
                alive[k] = -np.inf
                trail.entries[dropped] = k
                dropped += 1
    return dropped


@kernel
def _branching_row(alive: FloatArray, graph: Bipartite, matched: Matched) -> int:
    """Leading node whose second choice costs least, -1 if no node has a second choice."""
    ptr, others = graph.ptr, graph.others
    entry, _, u, v = matched
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
def _reroute(start: int, limit: float, weights: FloatArray, graph: Bipartite, matched: Matched) -> float:
    """Update the heaviest matching after the entry of `start` is dropped; returns the loss of weight.

    If the loss is `limit` or more, or if there is no other matching, the result is inf and the arrays are unchanged. Free other
    nodes are matched to an additional leading node, the last one, which joins each of them at weight 0.
    """
    ptr, others, n_others, _ = graph
    entry, mate, u, v = matched
    n = len(ptr) - 1
    target = others[entry[start]]
    distance = np.full(n_others, np.inf)
    via, via_row = np.empty(n_others, dtype=np.int64), np.empty(n_others, dtype=np.int64)
    scanned = np.zeros(n_others, dtype=np.bool_)
    order = np.empty(n_others, dtype=np.int64)
    reach = Reach(distance, via, via_row, order)
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
    _settle(start, target, reached, held, done, reach, others, matched)
    return reached


@kernel
def _settle(
    start: int, target: int, length: float, held: int, done: int, reach: Reach, others: IntArray, matched: Matched
) -> None:
    """Update the duals, and the matching along the path to `target`."""
    entry, mate, u, v = matched
    distance, via, via_row = reach.distance, reach.via, reach.via_row
    n = len(entry)
    u[start] += length
    for c in reach.order[:done]:
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
