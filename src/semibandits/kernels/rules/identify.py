"""Rule of Identify: play the decision that adds most to the evidence against those that are hardest to rule out.

A round makes three requests, each a P_LM: the best decision at the estimates; another decision that is hard to tell apart from
it, among those with one item outside it or without one of its items, the next item in each round; and the decision of largest
total price, which is played. The pool has one such decision for each item.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.rules.actions import LINEAR_FIRST, PLAY, WAITING
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import COUNTS, MEANS, SCALES, STEPS

SHARPNESS, FORCED = 1, 2
"""Places in the parameters, see :class:`semibandits.policies.Identify`."""
STAGE, NEXT, WIDTH, MARKS = WAITING, 1, 2, 3
"""Places in `marks`: the stage, the item whose decision is searched for next, and the width of the pool, which begins at MARKS. A
row of the pool is the number of items of a decision, 0 if none is known, and these items."""
START, BEST, OTHER, LAST = 0, 1, 2, 3
"""Stages: between rounds; waiting for the best decision; for another one; for the one to play."""
BEST_ROW = 0
TINY = 1e-12
"""Evidence that stands for none, so that ties have prices."""
LARGE = 4.0
"""Items are forced in or out by this many times the largest total weight."""


class Compared(NamedTuple):
    """A decision against the best one."""

    gap: float  # >= 0
    spread: float  # sum of 2 sigma_i^2 / n_i over the items in which they differ


@kernel(error_model="numpy")
def identify(t: int, state: RuleState, request: Request) -> int:
    """Start a round, or continue it with the answer to the last request."""
    stats, marks, weights, x = state.stats, state.marks, request.weights, request.x
    d = len(x)
    best, stage = state.rows[BEST_ROW], marks[STAGE]
    pool = marks[MARKS:].reshape(d, marks[WIDTH])
    if stage == START:
        for i in range(d):
            weights[i] = stats[MEANS, i]
        marks[STAGE] = BEST
        return LINEAR_FIRST
    if stage == BEST:
        write(best, x)
        if not is_clipped(stats) and write_missing(t, state.params[FORCED], stats, weights):
            marks[STAGE] = LAST
            return LINEAR_FIRST
        write_hard(stats, best, pool, marks[NEXT], weights)
        marks[STAGE] = OTHER
        return LINEAR_FIRST
    if stage == LAST:
        marks[STAGE] = START
        return PLAY
    item = marks[NEXT]
    pool[item, 0] = 0
    if x[item] != best[item]:
        for i in range(d):
            if x[i]:
                pool[item, 0] += 1
                pool[item, pool[item, 0]] = i
    marks[NEXT] = (item + 1) % d
    if not write_prices(state.params[SHARPNESS], stats, best, pool, weights):
        write(x, best)
        marks[STAGE] = START
        return PLAY
    if is_clipped(stats):
        marks[STAGE] = START
        write_dearest(best, pool, weights, x)
        return PLAY
    marks[STAGE] = LAST
    return LINEAR_FIRST


@kernel(error_model="numpy")
def is_clipped(stats: FloatArray) -> bool:
    """Whether means have an upper bound, at which the decision set clips weights, so that positive prices are not maximised."""
    clipped: bool = stats[STEPS, 0] > 0.0
    return clipped


@kernel(error_model="numpy")
def write_dearest(best: BoolArray, pool: IntArray, prices: FloatArray, x: BoolArray) -> None:
    """Write the decision of largest total price among those of the pool and the best one."""
    largest, chosen = 0.0, -1
    for i in range(len(best)):
        x[i] = best[i]
        largest += prices[i] if best[i] else 0.0
    for k in range(len(pool)):
        price = 0.0
        for p in range(1, pool[k, 0] + 1):
            price += prices[pool[k, p]]
        if price > largest:
            largest, chosen = price, k
    if chosen >= 0:
        for i in range(len(x)):
            x[i] = False
        for p in range(1, pool[chosen, 0] + 1):
            x[pool[chosen, p]] = True


@kernel(error_model="numpy")
def write_missing(t: int, share: float, stats: FloatArray, weights: FloatArray) -> bool:
    """Write by how many plays items that were played are behind ``sqrt(share t / d)``; return whether any is."""
    needed, missing = math.sqrt(share * t / len(weights)), False
    for i in range(len(weights)):
        behind = needed - stats[COUNTS, i] if stats[COUNTS, i] > 0.0 else 0.0
        weights[i] = max(behind, 0.0)
        missing |= behind > 0.0
    return missing


@kernel(error_model="numpy")
def compare(stats: FloatArray, best: BoolArray, whole: Compared, row: IntArray) -> Compared:
    """A decision of the pool against the best one, whose sums are `whole`."""
    gap, spread = whole
    for p in range(1, row[0] + 1):
        i = row[p]
        gap -= stats[MEANS, i]
        spread += -stats[SCALES, i] if best[i] else stats[SCALES, i]
    return Compared(max(gap, 0.0), max(spread, 0.0))


@kernel(error_model="numpy")
def sums_of(stats: FloatArray, best: BoolArray) -> Compared:
    """Sums over the items of the best decision."""
    gap = spread = 0.0
    for i in range(len(best)):
        if best[i]:
            gap += stats[MEANS, i]
            spread += stats[SCALES, i]
    return Compared(gap, spread)


@kernel(error_model="numpy")
def write_hard(stats: FloatArray, best: BoolArray, pool: IntArray, item: int, weights: FloatArray) -> None:
    """Write weights whose best decision has small ``gap^2 / spread`` and differs from the best one in an item.

    For a slope s, ``s gap - s^2 spread / 4`` is at most this ratio, and linear; the slope is that of the decision in the pool.
    """
    found = compare(stats, best, sums_of(stats, best), pool[item])
    slope = found.gap / found.spread if pool[item, 0] > 0 and found.spread > 0.0 else 0.0
    largest = 0.0
    for i in range(len(weights)):
        change = 0.5 * slope * stats[SCALES, i]
        weights[i] = stats[MEANS, i] + (-change if best[i] else change)
        largest = max(largest, abs(weights[i]))
    bonus = LARGE * len(weights) * largest + 1.0
    weights[item] += -bonus if best[item] else bonus


@kernel(error_model="numpy")
def write_prices(sharpness: float, stats: FloatArray, best: BoolArray, pool: IntArray, weights: FloatArray) -> bool:
    """Write prices of the items: by how much one more play adds to the evidence, on average over the pool; whether there are any.

    The evidence against a decision is ``Z = gap^2 / spread``; decisions of less evidence count more, by ``exp(-sharpness Z)``.
    """
    whole, least, total = sums_of(stats, best), math.inf, 0.0
    for k in range(len(pool)):
        found = compare(stats, best, whole, pool[k])
        if pool[k, 0] > 0 and found.spread > 0.0:
            least = min(least, found.gap**2 / found.spread)
    for i in range(len(weights)):
        weights[i] = 0.0
    for k in range(len(pool)):
        found = compare(stats, best, whole, pool[k])
        if pool[k, 0] > 0 and found.spread > 0.0:
            evidence = found.gap**2 / found.spread
            share = math.exp(-sharpness * (evidence - least)) * max(evidence, TINY) / found.spread
            total += share
            for p in range(1, pool[k, 0] + 1):
                i = pool[k, p]
                weights[i] += -share if best[i] else share
    for i in range(len(weights)):
        each = weights[i] + (total if best[i] else 0.0)
        weights[i] = max(each, 0.0) * stats[SCALES, i] / max(stats[COUNTS, i], 1.0)
    return math.isfinite(least)
