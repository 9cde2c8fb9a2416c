"""P_IM by branch and bound, for any decisions that can be maximised linearly: max rewards·x + sqrt(bonuses·x).

A part of the decision set is given by items forced in and out. Its bound is the least one over l > 0 of
``max_x (rewards + l bonuses)·x + 1/(4 l)``, the maximum of a + sqrt(c) over the convex hull of the pairs
(a, c) = (rewards·x, bonuses·x), since ``sqrt(c) <= l c + 1/(4 l)``. Parts are searched depth first.

At a multiplier the bound also falls by what an item loses if it changes sides (`kernels.losses`). An item whose bound then
holds nothing that matters keeps its side in the whole part. Decisions of very different c may have nearly the same index, as in
a run of ESCB, whose unknown items all look worth a try. Then the bound at the best multiplier fixes few items, and multipliers
that suit smaller and larger c fix most of the others.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from semibandits.kernels.losses import write_losses
from semibandits.kernels.oracles import kinds
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.swap_bound import all_sets_lose, best_swaps
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray, opaque

SOLVED = 0
STOPPED = 1
"""Too many parts."""
FAILED = 2
"""The linear oracle failed."""
MAX_NODES = opaque(10_000_000)
PRECISION = 1e-12
"""A part is closed when it cannot win more than this times the largest possible |rewards·x| and |best|."""
ROUNDING = 1e-13
"""A pair lies above a line if it does by more than this times m times the largest weight."""
STEEPEST = 1e6
"""Largest multiplier of an edge, in units of max|rewards| / max bonuses."""
TINY = 1e-290
"""Divisors are at least this, so that quotients are finite."""
POOL = 32
"""Decisions remembered: parts start from those of them that they hold."""
SWEEPS = 2
"""Sweeps before the whole set is split; the second only if the first fixed something."""
SWEEP = 4
"""Multipliers of a sweep."""
WIDEST = 0.9
"""They belong to roots of c at most this share away from the best one."""
ORACLE_ROUNDING = 2.0**-44
"""Share of the largest weight that an item of a common basis may be off: that oracle rounds to 45 bits."""


class Search(NamedTuple):
    """What a search works on.

    Attributes
    ----------
    rewards, bonuses, weights : ndarray of float, shape (d,)
        The problem, and room for the weights of a maximisation.
    y : ndarray of bool, shape (d,)
        Its answer.
    forced : ndarray of int, shape (d,)
        1 in, -1 out, 0 free.
    path : ndarray of int, shape (d,)
        The forced items in their order, ``counts[0]`` of them.
    rows, a, c : ndarray, shapes (POOL, d), (POOL,), (POOL,)
        Remembered decisions, ``counts[1]`` of them so far; with more than POOL the oldest are overwritten.
    inside : ndarray of int, shape (POOL,)
        Room for those of them that a part holds.
    counts : ndarray of int, shape (2,)
        See above.
    best : ndarray of float, shape (1,)
        Largest ``a + sqrt(c) / ratio`` so far.
    x : ndarray of bool, shape (d,)
        The decision that has it.
    scales : tuple of float
        Ratio, what is forgiven of a, of c, what closes a part, the steepest multiplier.
    m : int
        No decision has more items.
    kind : int
        Kind of the decisions, which says how to find losses, -1 if there is no way.
    losses : ndarray of float, shape (d,)
        Room for what each item loses if it changes sides.
    bounds, is_second : ndarrays, shape (d,)
        Of the forced items in their order: the bound of the part that was split by this item, and whether its other half is done
        (or holds nothing that matters).
    """

    rewards: FloatArray
    bonuses: FloatArray
    weights: FloatArray
    y: BoolArray
    forced: IntArray
    path: IntArray
    rows: BoolArray
    a: FloatArray
    c: FloatArray
    inside: IntArray
    counts: IntArray
    best: FloatArray
    x: BoolArray
    scales: tuple[float, float, float, float, float]
    m: int
    kind: int
    losses: FloatArray
    bounds: FloatArray
    is_second: BoolArray


@njit(cache=True)
def slope_at(c: float) -> float:
    """Derivative of the root, inf at 0."""
    return 0.5 / math.sqrt(c) if c > 0 else math.inf


@njit(cache=True)
def limit_of(s: Search) -> float:
    """Bound up to which a part holds nothing that matters, once a decision is known."""
    return float(s.best[0] + s.scales[3] + PRECISION * abs(s.best[0]))


@njit(cache=True)
def is_closed(s: Search, bound: float) -> bool:
    """Whether a part of this bound holds nothing that matters."""
    return s.best[0] > -np.inf and bool(bound <= limit_of(s))


@njit(cache=True)
def copy_row(source: BoolArray, target: BoolArray) -> None:
    """Copy few numbers; a slice assignment would cost more."""
    for i in range(len(source)):
        target[i] = source[i]


@njit(cache=True)
def is_row(rows: BoolArray, slot: int, y: BoolArray) -> bool:
    """Whether y is this row."""
    same = True
    for i in range(len(y)):
        same &= rows[slot, i] == y[i]
    return same


@njit(cache=True)
def meet(s: Search, keep1: int, keep2: int) -> int:
    """Remember the decision y in a slot other than the two to keep; it may be the best so far."""
    y, rewards, bonuses, counts, known_a, known_c = s.y, s.rewards, s.bonuses, s.counts, s.a, s.c
    a = c = 0.0
    for i in range(len(y)):
        if y[i]:
            a += rewards[i]
            c += bonuses[i]
    score = a + math.sqrt(c) / s.scales[0]
    if score > s.best[0]:
        s.best[0] = score
        copy_row(y, s.x)
    for slot in range(min(counts[1], POOL)):
        if known_a[slot] == a and known_c[slot] == c and is_row(s.rows, slot, y):
            return slot
    slot = int(counts[1]) % POOL
    while slot in (keep1, keep2):
        counts[1] += 1
        slot = int(counts[1]) % POOL
    counts[1] += 1
    known_a[slot], known_c[slot] = a, c
    copy_row(y, s.rows[slot])
    return slot


@njit(cache=True)
def ask(linear: Any, data: tuple[IntArray, ...], s: Search, slope: float) -> int:
    """Write a decision of the part that is best at the multiplier `slope` (inf: of largest c) into y.

    Returns 0; 1 if the part is empty; 2 if the oracle failed.
    """
    rewards, bonuses, weights, forced, path, y = s.rewards, s.bonuses, s.weights, s.forced, s.path, s.y
    d, n_forced = len(y), s.counts[0]
    share, multiplier = (0.0, 1.0) if slope == math.inf else (1.0, slope)
    largest = 0.0
    for i in range(d):
        weights[i] = share * rewards[i] + multiplier * bonuses[i]
        if forced[i] == 0:
            largest = max(largest, abs(weights[i]))
    big = (min(2 * s.m, d - n_forced) + 1) * largest
    if big == 0.0:
        big = 1.0
    for position in range(n_forced):
        weights[path[position]] = big * forced[path[position]]
    if linear(data, weights, y) != ANSWERED:
        return 2
    for position in range(n_forced):
        if y[path[position]] != (forced[path[position]] > 0):
            return 1
    return 0


@njit(cache=True)
def between(s: Search, left: int, right: int) -> tuple[int, int, float]:
    """Where a + sqrt(c) peaks on the segment between two decisions: its ends, ascending in c, or one of them twice; slope."""
    if s.c[left] > s.c[right]:
        left, right = right, left
    run = s.c[right] - s.c[left]
    if run == 0:
        best = left if s.a[left] >= s.a[right] else right
        return best, best, slope_at(s.c[best])
    slope = (s.a[left] - s.a[right]) / run
    if slope_at(s.c[left]) <= slope:
        return left, left, slope_at(s.c[left])
    if slope_at(s.c[right]) >= slope:
        return right, right, slope_at(s.c[right])
    return left, right, min(slope, s.scales[4])


@njit(cache=True)
def is_above(s: Search, slot: int, left: int, right: int, slope: float) -> bool:
    """Whether a decision lies beyond the line through the edge by more than rounding; a vertical line: to its right."""
    if slope == math.inf:
        return bool(s.c[slot] > s.c[left])
    level = max(s.a[left] + slope * s.c[left], s.a[right] + slope * s.c[right])
    return bool(s.a[slot] + slope * s.c[slot] - level > s.scales[1] + slope * s.scales[2])


@njit(cache=True)
def raised(s: Search, slot: int, left: int, right: int, slope: float) -> tuple[int, int, float]:
    """Where a + sqrt(c) peaks when a decision above the edge is added."""
    if left != right and slope_at(s.c[slot]) >= slope:
        return between(s, slot, right)
    return between(s, left, slot)


@njit(cache=True)
def agrees(s: Search, slot: int) -> bool:
    """Whether a remembered decision belongs to the part."""
    rows, path, forced = s.rows, s.path, s.forced
    agreeing = True
    for position in range(s.counts[0]):
        agreeing &= rows[slot, path[position]] == (forced[path[position]] > 0)
    return agreeing


@njit(cache=True)
def known_peak(s: Search) -> tuple[int, int, float]:
    """Where a + sqrt(c) peaks over the hull of the remembered decisions of the part; slots -1 if there is none."""
    a, c, inside = s.a, s.c, s.inside
    n, first = 0, -1
    for slot in range(min(s.counts[1], POOL)):
        if agrees(s, slot):
            inside[n] = slot
            n += 1
            if first < 0 or a[slot] > a[first]:
                first = slot
    if n == 0:
        return -1, -1, 0.0
    left, right, slope = first, first, slope_at(c[first])
    for _ in range(2 * POOL):
        top, level = -1, 0.0
        for k in range(n):
            slot = inside[k]
            height = c[slot] if slope == math.inf else a[slot] + slope * c[slot]
            if top < 0 or height > level:
                top, level = slot, height
        if not is_above(s, top, left, right, slope):
            break
        left, right, slope = raised(s, top, left, right, slope)
    return left, right, slope


@njit(cache=True)
def fix(data: tuple[IntArray, ...], s: Search, slope: float, height: float) -> int:
    """Force the items whose change of sides leaves a bound that holds nothing that matters; returns how many.

    The decision y is best at `slope`, where its value is `height`.
    """
    forced, losses, path, y = s.forced, s.losses, s.path, s.y
    room = height + 0.25 / slope - limit_of(s) + 4.0 * (s.scales[1] + slope * s.scales[2])
    if s.kind == kinds.INTERSECTION:
        room += ORACLE_ROUNDING * s.m * np.abs(s.weights).max()
    write_losses(data, s.weights, y, forced, losses)
    before = s.counts[0]
    for i in range(len(y)):
        if forced[i] == 0 and losses[i] >= room:
            forced[i] = 1 if y[i] else -1
            path[s.counts[0]], s.is_second[s.counts[0]] = i, True
            s.counts[0] += 1
    return int(s.counts[0] - before)


@njit(cache=True)
def climb(linear: Any, data: tuple[IntArray, ...], s: Search, bound: float) -> tuple[float, int, int, float, int]:
    """Bound of a part, at most `bound`, the edge on which it rests (-1, -1: the part is done), its slope, and a status."""
    left, right, slope = known_peak(s)
    while not is_closed(s, bound):
        answer = ask(linear, data, s, slope)
        if answer != 0:
            return bound, -1, -1, slope, FAILED if answer == 2 else SOLVED
        slot = meet(s, left, right)
        if 0.0 < slope < math.inf:
            height = s.a[slot] + slope * s.c[slot]
            bound = min(bound, height + 0.25 / slope)
            fixed = fix(data, s, slope, height) if s.kind >= 0 and not is_closed(s, bound) else 0
            if fixed > 0 and left >= 0 and not (agrees(s, left) and agrees(s, right)):
                left, right, slope = known_peak(s)
                continue
        if left < 0:
            left, right, slope = slot, slot, slope_at(s.c[slot])
        elif is_above(s, slot, left, right, slope):
            left, right, slope = raised(s, slot, left, right, slope)
        elif slope == math.inf:  # every c is 0
            answer = ask(linear, data, s, 0.0)
            meet(s, left, right)
            return bound, -1, -1, slope, FAILED if answer == 2 else SOLVED
        elif left == right:
            break
        else:
            return bound, left, right, slope, SOLVED
    return bound, -1, -1, slope, SOLVED


@njit(cache=True)
def sweep(linear: Any, data: tuple[IntArray, ...], s: Search, slope: float, gap: float) -> tuple[int, int]:
    """Fix items at multipliers on both sides of the best one, which leaves this gap; returns how many, and a status.

    With r the root of c, a decision that closes the gap has a + slope * c at most the bound less 1 / (4 slope), hence
    r within 1 / (2 slope) * (1 - w) and 1 / (2 slope) * (1 + w), w = 2 sqrt(slope * gap). There r may be the best one's.
    """
    before = s.counts[0]
    width = min(2.0 * math.sqrt(slope * gap), WIDEST)
    for step in range(SWEEP):
        factor = 1.0 + width * ((2 * step + 1) / SWEEP - 1.0)
        other = min(slope / factor, s.scales[4])
        answer = ask(linear, data, s, other)
        if answer != 0:
            return 0, FAILED if answer == 2 else SOLVED
        slot = meet(s, -1, -1)
        fix(data, s, other, s.a[slot] + other * s.c[slot])
    return int(s.counts[0] - before), SOLVED


@njit(cache=True)
def branching_item(s: Search, left: int, right: int) -> int:
    """Of the free items in which two decisions differ the one with the largest bonus."""
    rows, bonuses, forced = s.rows, s.bonuses, s.forced
    item = -1
    for i in range(len(bonuses)):
        if rows[left, i] != rows[right, i] and forced[i] == 0 and (item < 0 or bonuses[i] > bonuses[item]):
            item = i
    return item


@njit(cache=True)
def is_beaten(linear: Any, data: tuple[IntArray, ...], s: Search) -> tuple[bool, int]:
    """Whether swaps around the decision of largest reward prove that a part of the bases of a matroid holds nothing more.

    The best single swap is met on the way. Returns a status, too.
    """
    answer = ask(linear, data, s, 0.0)
    if answer != 0:
        return True, FAILED if answer == 2 else SOLVED
    slot = meet(s, -1, -1)
    a, c = s.a[slot], s.c[slot]
    entering, leaving, gaps, gains = best_swaps(data, s.rewards, s.bonuses, s.y, s.forced, a, c, s.scales[0])
    if entering >= 0:
        s.y[entering], s.y[leaving] = True, False
        meet(s, -1, -1)
    return all_sets_lose(gaps, gains, a, c, limit_of(s)), SOLVED


@njit(cache=True)
def explore(linear: Any, data: tuple[IntArray, ...], s: Search, most: int) -> int:
    """Search all parts, or so many; returns a status."""
    is_matroid = 0 <= s.kind < kinds.INTERSECTION
    bounds, is_second = s.bounds, s.is_second
    bound = math.inf
    sweeps = SWEEPS if s.kind >= 0 else 0
    for _ in range(most):
        left = right = -1
        done, status = is_beaten(linear, data, s) if is_matroid and s.counts[0] == 0 else (False, SOLVED)
        if not done:
            bound, left, right, slope, status = climb(linear, data, s, bound)
        if status != SOLVED:
            return status
        if left >= 0 and not is_closed(s, bound):
            if sweeps > 0:
                fixed, status = sweep(linear, data, s, slope, bound - s.best[0])
                if status != SOLVED:
                    return status
                sweeps = sweeps - 1 if fixed > 0 else 0
                continue
            item = branching_item(s, left, right)
            better = left if s.a[left] + math.sqrt(s.c[left]) >= s.a[right] + math.sqrt(s.c[right]) else right
            depth = s.counts[0]
            s.path[depth], bounds[depth], is_second[depth] = item, bound, False
            s.forced[item] = 1 if s.rows[better, item] else -1
            s.counts[0] += 1
            continue
        while s.counts[0] > 0:
            depth = s.counts[0] - 1
            item = s.path[depth]
            if not is_second[depth] and not is_closed(s, bounds[depth]):
                is_second[depth], bound = True, bounds[depth]
                s.forced[item] = -s.forced[item]
                break
            s.forced[item] = 0
            s.counts[0] -= 1
        if s.counts[0] == 0:
            return SOLVED
    return STOPPED


@njit(cache=True)
def index_search(
    linear: Any,
    data: tuple[IntArray, ...],
    rewards: FloatArray,
    bonuses: FloatArray,
    ratio: float,
    m: int,
    x: BoolArray,
    most: int,
) -> int:
    """Write a decision with ``max (rewards·x + sqrt(bonuses·x)) <= rewards·x + sqrt(bonuses·x) / ratio`` into `x`.

    Parameters
    ----------
    linear : function pointer
        P_LM, see :mod:`semibandits.kernels.oracles`.
    data : tuple of ndarrays of int
        Its data. If the last one is not empty, it holds the kind of the decisions, see ``kernels/oracles/kinds.py``.
    rewards, bonuses : ndarray of float, shape (d,)
        Finite; bonuses >= 0.
    ratio : float
        In (0, 1].
    m : int
        No decision has more items.
    x : ndarray of bool, shape (d,)
        The answer.
    most : int
        The search stops after so many parts.

    Returns
    -------
    int
        ``SOLVED``, or why there is no proof: ``STOPPED`` or ``FAILED``.
    """
    d = len(rewards)
    largest_a = largest_c = 0.0
    for i in range(d):
        largest_a, largest_c = max(largest_a, abs(rewards[i])), max(largest_c, bonuses[i])
    if largest_c == 0.0:
        return SOLVED if linear(data, rewards, x) == ANSWERED else FAILED
    steepest = STEEPEST * (largest_a if largest_a > 0 else 1.0) / max(largest_c, TINY)
    s = Search(
        rewards,
        bonuses,
        np.empty(d),
        np.empty(d, dtype=np.bool_),
        np.zeros(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty((POOL, d), dtype=np.bool_),
        np.empty(POOL),
        np.empty(POOL),
        np.empty(POOL, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.full(1, -np.inf),
        x,
        (ratio, ROUNDING * m * largest_a, ROUNDING * m * largest_c, PRECISION * m * largest_a, steepest),
        m,
        data[7][0] if len(data[7]) > 0 else -1,
        np.empty(d),
        np.empty(d),
        np.zeros(d, dtype=np.bool_),
    )
    return explore(linear, data, s, most)
