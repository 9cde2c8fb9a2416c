"""What a search for P_IM works on, and what it asks of the linear oracle."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.signals import interrupted
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray, runtime_constant
from semibandits.kernels.uncounted import uncounted

SOLVED = 0
STOPPED = 1
"""The budget was spent before a proof."""
FAILED = 2
"""The linear oracle failed."""
PRECISION = 1e-12
"""A part is closed when it cannot win more than this times the largest possible |rewards·x| and |best|."""
POOL = 32
"""Decisions remembered: parts start from those of them that they hold."""
NO_SLOT = runtime_constant(-1)
"""The slot of no decision."""
FORCED, REMEMBERED, CALLS = 0, 1, 2
"""Places in `counts`: forced items; decisions remembered so far; oracle calls so far."""
BEST, BASE = 0, 1
"""Places in `values`: the largest ``a + sqrt(c) / ratio`` so far, and the value that gains are measured from."""
FOUND, EMPTY, BROKEN = 0, 1, 2
"""Answers of :func:`ask`."""


class Scales(NamedTuple):
    """Numbers of a search that do not change.

    Attributes
    ----------
    ratio : float
        Only the bonus is approximated: ``a + sqrt(c) / ratio`` counts.
    share : float
        A gain over the base of this share of the largest possible one is enough.
    slack_a, slack_c : float
        Rounding of sums of rewards and of bonuses.
    closing : float
        What closes a part.
    steepest : float
        The steepest multiplier of an edge.
    """

    ratio: float
    share: float
    slack_a: float
    slack_c: float
    closing: float
    steepest: float


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
        The forced items in their order, ``counts[FORCED]`` of them.
    rows, a, c : ndarray, shapes (POOL, d), (POOL,), (POOL,)
        Remembered decisions, ``counts[REMEMBERED]`` of them so far; with more than POOL the oldest are overwritten.
    inside : ndarray of int, shape (POOL,)
        Room for those of them that a part holds.
    counts : ndarray of int, shape (3,)
        See above.
    values : ndarray of float, shape (2,)
        The best value and the base.
    x : ndarray of bool, shape (d,)
        The decision that has the best value.
    scales : Scales
        Tolerances.
    m : int
        No decision has more items.
    exchange_costs : ndarray of float, shape (d,)
        Room for what each item loses if it changes sides.
    bounds, is_second : ndarrays, shape (d,)
        Of the forced items in their order: the bound of the part that was split by this item, and whether its other half is done
        (or holds nothing that matters).
    sums : ndarray of float, shape (s,)
        All sums of bonuses that a decision may have, ascending; empty if these are too many to list.
    order, place, start : ndarray of int, shape (d,)
        Items sorted by class, the place of each item in that order, and the place where its class starts; see `classes`.
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
    values: FloatArray
    x: BoolArray
    scales: Scales
    m: int
    exchange_costs: FloatArray
    bounds: FloatArray
    is_second: BoolArray
    sums: FloatArray
    order: IntArray
    place: IntArray
    start: IntArray


@kernel
def lent(s: Search) -> Search:
    """The same with uncounted arrays, see `kernels.uncounted`: a search passes them on many times."""
    return Search(
        uncounted(s.rewards), uncounted(s.bonuses), uncounted(s.weights), uncounted(s.y), uncounted(s.forced), uncounted(s.path),
        uncounted(s.rows), uncounted(s.a), uncounted(s.c), uncounted(s.inside), uncounted(s.counts), uncounted(s.values),
        uncounted(s.x), s.scales, s.m, uncounted(s.exchange_costs), uncounted(s.bounds), uncounted(s.is_second),
        uncounted(s.sums), uncounted(s.order), uncounted(s.place), uncounted(s.start),
    )  # fmt: skip


@kernel
def limit_of(s: Search) -> float:
    """Bound up to which a part holds nothing that matters, once a decision is known."""
    best, base = s.values[BEST], s.values[BASE]
    limit = best if s.scales.share == 1.0 else max(best, base + (best - base) / s.scales.share)
    return float(limit + s.scales.closing + PRECISION * abs(best))


@kernel
def is_closed(s: Search, bound: float) -> bool:
    """Whether a part of this bound holds nothing that matters."""
    return s.values[BEST] > -np.inf and bool(bound <= limit_of(s))


@kernel
def gains(s: Search) -> bool:
    """Whether a gain over the base is asked for, and some decision has one."""
    return bool(s.scales.share < 1.0 and s.values[BEST] > s.values[BASE] + s.scales.closing)


@kernel
def copy_row(source: BoolArray, target: BoolArray) -> None:
    """Copy few numbers; a slice assignment would cost more."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel
def is_row(rows: BoolArray, slot: int, y: BoolArray) -> bool:
    """Whether y is this row."""
    same = True
    for i in range(len(y)):
        same &= rows[slot, i] == y[i]
    return same


@kernel
def meet(s: Search, keep1: int, keep2: int) -> int:
    """Remember the decision y in a slot other than the two to keep; it may be the best so far."""
    y, rewards, bonuses, counts, known_a, known_c = s.y, s.rewards, s.bonuses, s.counts, s.a, s.c
    a = c = 0.0
    for i in range(len(y)):
        if y[i]:
            a += rewards[i]
            c += bonuses[i]
    score = a + math.sqrt(c) / s.scales.ratio
    if score > s.values[BEST]:
        s.values[BEST] = score
        copy_row(y, s.x)
    for slot in range(min(counts[REMEMBERED], POOL)):
        if known_a[slot] == a and known_c[slot] == c and is_row(s.rows, slot, y):
            return slot
    slot = int(counts[REMEMBERED]) % POOL
    while slot in (keep1, keep2):
        counts[REMEMBERED] += 1
        slot = int(counts[REMEMBERED]) % POOL
    counts[REMEMBERED] += 1
    known_a[slot], known_c[slot] = a, c
    copy_row(y, s.rows[slot])
    return slot


@kernel(calls=True)
def ask(family: OraclePointers, data: tuple[IntArray, ...], s: Search, slope: float) -> int:
    """Write a decision of the part that is best at the multiplier `slope` (inf: of largest c) into y.

    Returns ``FOUND``; ``EMPTY`` if the part is empty; ``BROKEN`` if the oracle failed.
    """
    rewards, bonuses, weights, forced, path, y = s.rewards, s.bonuses, s.weights, s.forced, s.path, s.y
    d, n_forced = len(y), s.counts[FORCED]
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
    s.counts[CALLS] += 1
    if family.linear(data, weights, y) != ANSWERED or interrupted():
        return BROKEN
    for position in range(n_forced):
        if y[path[position]] != (forced[path[position]] > 0):
            return EMPTY
    return FOUND
