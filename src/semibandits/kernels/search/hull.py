"""The bound of a part of the decisions: the minimum over l >= 0 of ``max_x (rewards + l bonuses)·x + max_c (f(c) - l c)``.

This is the maximum of a + f(c) over the convex hull of the pairs (a, c) = (rewards·x, bonuses·x), or less if bonuses take few
values (`sums`) or rewards are integers. The hull is explored by its vertices: each maximisation at the slope of the edge below
the best point either proves that the edge belongs to the hull, or finds a vertex above it.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import IntArray
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.search.alternating import add_cycle
from semibandits.kernels.search.problem import (
    AT_LEAST,
    BROKEN,
    CALLS,
    FAILED,
    FORCED,
    FOUND,
    NO_SLOT,
    POOL,
    REMEMBERED,
    SOLVED,
    STOPPED,
    Search,
    add_decision,
    gains,
    is_closed,
    query,
)
from semibandits.kernels.search.sums import allowance

FEW_CALLS = 3
"""If a search looks for a gain over the base, any gain is enough after this number of calls."""


@kernel
def slope_at(s: Search, c: float) -> float:
    """Derivative of f, inf where c must increase at any cost: for a root at 0, below the budget if one must be met."""
    if s.scales.goal == AT_LEAST:
        return 0.0 if c >= s.scales.at_least else math.inf
    return 0.5 / math.sqrt(c) if c > 0 else math.inf


@kernel
def bound_at(s: Search, a: float, c: float, slope: float) -> float:
    """Bound on F of a part whose best decision at this multiplier has the pair (a, c)."""
    if s.scales.goal == AT_LEAST:
        return a + slope * (c - s.scales.at_least)
    return a + slope * c + allowance(s.sums, slope)


@kernel
def between(s: Search, left: int, right: int) -> tuple[int, int, float]:
    """Ends of the segment on which a + f(c) peaks between two decisions, ascending in c, or one end twice; and its slope."""
    if s.c[left] > s.c[right]:
        left, right = right, left
    run = s.c[right] - s.c[left]
    if run == 0:
        best = left if s.a[left] >= s.a[right] else right
        return best, best, slope_at(s, s.c[best])
    slope = (s.a[left] - s.a[right]) / run
    if slope_at(s, s.c[left]) <= slope:
        return left, left, slope_at(s, s.c[left])
    if slope_at(s, s.c[right]) >= slope:
        return right, right, slope_at(s, s.c[right])
    return left, right, min(slope, s.scales.steepest)


@kernel
def is_above(s: Search, slot: int, left: int, right: int, slope: float) -> bool:
    """Whether a decision lies above the line through the edge, or to the right of a vertical line, by more than rounding."""
    if slope == math.inf:
        return bool(s.c[slot] > s.c[left])
    level = max(s.a[left] + slope * s.c[left], s.a[right] + slope * s.c[right])
    return bool(s.a[slot] + slope * s.c[slot] - level > s.scales.slack_a + slope * s.scales.slack_c)


@kernel
def raised(s: Search, slot: int, left: int, right: int, slope: float) -> tuple[int, int, float]:
    """The same as `between` after a decision above the edge is added."""
    if left != right and slope_at(s, s.c[slot]) >= slope:
        return between(s, slot, right)
    return between(s, left, slot)


@kernel
def agrees(s: Search, slot: int) -> bool:
    """Whether a remembered decision belongs to the part."""
    rows, path, forced = s.rows, s.path, s.forced
    agreeing = True
    for position in range(s.counts[FORCED]):
        agreeing &= rows[slot, path[position]] == (forced[path[position]] > 0)
    return agreeing


@kernel
def known_peak(s: Search) -> tuple[int, int, float]:
    """The same as `between` for the hull of the remembered decisions of the part; slots are -1 if there are none."""
    a, c, inside = s.a, s.c, s.inside
    n, first = 0, NO_SLOT
    for slot in range(min(s.counts[REMEMBERED], POOL)):
        if agrees(s, slot):
            inside[n] = slot
            n += 1
            if first < 0 or a[slot] > a[first]:
                first = slot
    if n == 0:
        return NO_SLOT, NO_SLOT, 0.0
    left, right, slope = first, first, slope_at(s, c[first])
    for _ in range(2 * POOL):
        top, level = NO_SLOT, 0.0
        for k in range(n):
            slot = inside[k]
            height = c[slot] if slope == math.inf else a[slot] + slope * c[slot]
            if top < 0 or height > level:
                top, level = slot, height
        if not is_above(s, top, left, right, slope):
            break
        left, right, slope = raised(s, top, left, right, slope)
    return left, right, slope


@kernel(calls=True)
def look_closer(family: OraclePointers, data: tuple[IntArray, ...], s: Search, slot: int) -> None:
    """Unless a decision gains over the base, examine the cycles by which the decision just met differs from it."""
    if s.scales.share < 1.0 and not gains(s):
        add_cycle(family, data, s, slot)


@kernel(inline="always", calls=True)
def climb(
    family: OraclePointers, data: tuple[IntArray, ...], s: Search, bound: float, most: int
) -> tuple[float, int, int, float, int]:
    """Bound of a part, at most `bound`, the edge that attains it (-1, -1: the part is done), its slope, and a status."""
    left, right, slope = known_peak(s)
    while not is_closed(s, bound):
        if gains(s) and s.counts[CALLS] >= FEW_CALLS:
            return bound, left, right, slope, SOLVED
        if s.counts[CALLS] >= most:
            return bound, left, right, slope, STOPPED
        answer = query(family, data, s, slope)
        if answer != FOUND:
            return bound, NO_SLOT, NO_SLOT, slope, FAILED if answer == BROKEN else SOLVED
        slot = add_decision(s, left, right)
        look_closer(family, data, s, slot)
        if slope < math.inf and (slope > 0.0 or s.scales.goal == AT_LEAST):
            bound = min(bound, bound_at(s, s.a[slot], s.c[slot], slope))
            if s.scales.step > 0.0:
                bound = s.scales.step * math.floor(bound / s.scales.step + 1e-6)
        if left < 0:
            left, right, slope = slot, slot, slope_at(s, s.c[slot])
        elif is_above(s, slot, left, right, slope):
            left, right, slope = raised(s, slot, left, right, slope)
        elif slope == math.inf and s.scales.goal == AT_LEAST:  # the largest c is too small
            return -np.inf, NO_SLOT, NO_SLOT, slope, SOLVED
        elif slope == math.inf:  # every c is 0
            answer = query(family, data, s, 0.0)
            add_decision(s, left, right)
            return bound, NO_SLOT, NO_SLOT, slope, FAILED if answer == BROKEN else SOLVED
        elif left == right:
            break
        else:
            return bound, left, right, slope, SOLVED
    return bound, NO_SLOT, NO_SLOT, slope, SOLVED


@kernel(inline="always", calls=True)
def try_slope(family: OraclePointers, data: tuple[IntArray, ...], s: Search, slope: float) -> tuple[float, int]:
    """Bound of the part at one multiplier, whose best decision is met, and a status."""
    answer = query(family, data, s, slope)
    if answer != FOUND:
        return -np.inf, FAILED if answer == BROKEN else SOLVED
    slot = add_decision(s, NO_SLOT, NO_SLOT)
    look_closer(family, data, s, slot)
    return bound_at(s, s.a[slot], s.c[slot], slope), SOLVED
