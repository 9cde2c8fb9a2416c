"""Problems and state of a search for a goal of two criteria, a = rewards·x and c = bonuses·x, and its calls to the linear oracle.

The goals are F(a, c) = a + f(c) with f concave and nondecreasing: ``a + sqrt(c)`` (P_IM), or a where c meets a budget, and -inf
elsewhere (P_BLM; bonuses are then budgets of any sign).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.signals import interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray, runtime_constant
from semibandits.kernels.machine.uncounted import uncounted
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import ANSWERED

SOLVED = 0
STOPPED = 1
"""The budget ended before a proof."""
FAILED = 2
"""The linear oracle failed."""
PRECISION = 1e-12
"""A part is closed if it can gain at most this times the largest possible |rewards·x| and |best|."""
POOL = 32
"""Number of decisions remembered; each part starts from those that it contains."""
NO_SLOT = runtime_constant(-1)
"""Marks a missing slot."""
FORCED, REMEMBERED, CALLS = 0, 1, 2
"""Places in `counts`: number of forced items, of decisions remembered so far, and of oracle calls so far."""
BEST, BASE = 0, 1
"""Places in `values`: the largest ``a + sqrt(c) / ratio`` so far, and the value of the base."""
FOUND, EMPTY, BROKEN = 0, 1, 2
"""Answers of :func:`query`."""
ROOT, AT_LEAST = runtime_constant(0), runtime_constant(1)
"""Goals."""
NEARLY = 1.0 - 1e-6
"""Values that are multiples of a step improve by at least this share of the step."""


class BudgetProblem(NamedTuple):
    """An instance of P_BLM: maximise ``rewards·x`` subject to ``budgets·x >= at_least``."""

    # Finite, of any sign, shape (d,).
    rewards: FloatArray
    budgets: FloatArray
    at_least: float  # compared exactly: the caller lowers it to allow for rounding
    step: float  # all values of rewards·x are multiples of it; 0 if no such number is known
    m: int  # number of items of the largest decision


class IndexProblem(NamedTuple):
    """An instance of P_IM: maximise ``rewards·x + sqrt(bonuses·x)``."""

    # Finite, shape (d,); bonuses >= 0.
    rewards: FloatArray
    bonuses: FloatArray
    # In (0, 1]. The answer x has max (rewards·y + sqrt(bonuses·y)) <= rewards·x + sqrt(bonuses·x) / ratio.
    ratio: float
    # In (0, 1]. Below 1, x initially contains a decision of largest reward that has no bonus, the base, and the search is for a
    # decision with a larger index. If there is none, the answer is the base. Otherwise it is a decision that gains this share of
    # the bound over the base or, if the hull contains none, one with some gain.
    share: float
    hint: float  # the multiplier to start with; 0 if unknown
    guess: BoolArray  # (d,): with a share below 1, a decision that may gain
    m: int  # number of items of the largest decision
    budget: int  # the search stops after about this many oracle calls


class Scales(NamedTuple):
    """Constants of a search."""

    ratio: float  # decisions are compared by a + sqrt(c) / ratio: only the bonus is approximated
    share: float  # a gain over the base of this share of the largest possible gain is enough
    # Bounds on the rounding of sums of rewards and of bonuses.
    slack_a: float
    slack_c: float
    closing: float  # gain up to which a part is closed
    steepest: float  # largest multiplier of an edge
    goal: int  # `ROOT` or `AT_LEAST`
    # Of `BudgetProblem`.
    at_least: float
    step: float


class Search(NamedTuple):
    """State of a search."""

    # The problem, and the weights of a linear maximisation, shape (d,).
    rewards: FloatArray
    bonuses: FloatArray
    weights: FloatArray
    y: BoolArray  # (d,): the answer to the linear maximisation
    forced: IntArray  # (d,): 1 for items forced in, -1 for items forced out, 0 for free items
    path: IntArray  # (d,): the counts[FORCED] forced items, in the order in which they were forced
    # Remembered decisions, shapes (POOL, d), (POOL,), (POOL,): counts[REMEMBERED] of them so far; with more than POOL the oldest
    # are overwritten.
    rows: BoolArray
    a: FloatArray
    c: FloatArray
    inside: IntArray  # (POOL,): scratch space for the slots of those that a part contains
    counts: IntArray  # (3,): see `FORCED`, `REMEMBERED` and `CALLS`
    values: FloatArray  # (2,): see `BEST` and `BASE`; BEST is -inf as long as no decision meets the budget
    x: BoolArray  # (d,): the decision with the best value
    scales: Scales
    m: int  # number of items of the largest decision
    exchange_costs: FloatArray  # (d,): scratch space for the weight lost if an item changes sides
    # For each forced item, in the order of `path`, shape (d,): the bound of the part that was split by this item, and whether its
    # other half is done (or cannot contain a better answer).
    bounds: FloatArray
    is_second: BoolArray
    sums: FloatArray  # all sums of bonuses that a decision may have, ascending; empty if there are too many to list
    # Items sorted by class, the place of each in this order, and the place where its class starts, shape (d,); see `classes`.
    order: IntArray
    place: IntArray
    start: IntArray


@kernel
def uncounted_search(s: Search) -> Search:
    """The same search with uncounted arrays, see `kernels.machine.uncounted`: they are passed many times."""
    return Search(
        uncounted(s.rewards), uncounted(s.bonuses), uncounted(s.weights), uncounted(s.y), uncounted(s.forced), uncounted(s.path),
        uncounted(s.rows), uncounted(s.a), uncounted(s.c), uncounted(s.inside), uncounted(s.counts), uncounted(s.values),
        uncounted(s.x), s.scales, s.m, uncounted(s.exchange_costs), uncounted(s.bounds), uncounted(s.is_second),
        uncounted(s.sums), uncounted(s.order), uncounted(s.place), uncounted(s.start),
    )  # fmt: skip


@kernel
def limit_of(s: Search) -> float:
    """Largest bound of a part that cannot contain a better answer, once a decision is known."""
    best, base = s.values[BEST], s.values[BASE]
    if s.scales.goal == AT_LEAST:
        return float(best + max(s.scales.closing + PRECISION * abs(best), NEARLY * s.scales.step))
    limit = best if s.scales.share == 1.0 else max(best, base + (best - base) / s.scales.share)
    return float(limit + s.scales.closing + PRECISION * abs(best))


@kernel
def value_of(s: Search, a: float, c: float) -> float:
    """F(a, c)."""
    if s.scales.goal == AT_LEAST:
        return a if c >= s.scales.at_least else -np.inf
    return a + math.sqrt(c)


@kernel
def is_closed(s: Search, bound: float) -> bool:
    """Whether a part with this bound cannot contain a better answer."""
    return s.values[BEST] > -np.inf and bool(bound <= limit_of(s))


@kernel
def gains(s: Search) -> bool:
    """Whether the search looks for a gain over the base and has found one."""
    return bool(s.scales.share < 1.0 and s.values[BEST] > s.values[BASE] + s.scales.closing)


@kernel
def is_row(rows: BoolArray, slot: int, y: BoolArray) -> bool:
    """Whether y equals this row."""
    same = True
    for i in range(len(y)):
        same &= rows[slot, i] == y[i]
    return same


@kernel
def add_decision(s: Search, keep1: int, keep2: int) -> int:
    """Remember the decision y in a slot other than the two to keep, and update the best decision; return the slot."""
    y, rewards, bonuses, counts, known_a, known_c = s.y, s.rewards, s.bonuses, s.counts, s.a, s.c
    a = c = 0.0
    for i in range(len(y)):
        if y[i]:
            a += rewards[i]
            c += bonuses[i]
    score = value_of(s, a, c) if s.scales.goal == AT_LEAST else a + math.sqrt(c) / s.scales.ratio
    if score > s.values[BEST]:
        s.values[BEST] = score
        write(s.x, y)
    for slot in range(min(counts[REMEMBERED], POOL)):
        if known_a[slot] == a and known_c[slot] == c and is_row(s.rows, slot, y):
            return slot
    slot = int(counts[REMEMBERED]) % POOL
    while slot in (keep1, keep2):
        counts[REMEMBERED] += 1
        slot = int(counts[REMEMBERED]) % POOL
    counts[REMEMBERED] += 1
    known_a[slot], known_c[slot] = a, c
    write(s.rows[slot], y)
    return slot


@kernel(calls=True)
def query(family: OraclePointers, data: tuple[IntArray, ...], s: Search, slope: float) -> int:
    """Write the best decision of the part at the multiplier `slope` (inf: the decision of largest c) into y.

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
