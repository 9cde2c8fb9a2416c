"""Rule of GLADE: play the best decision until another one is plausible; then play what refutes that one at the least price.

A round takes up to three questions: which decision is best at the estimates (P_LM), which other one is most plausible (P_IM), and
whether a third one would teach as much at less regret (P_LM); with Bernoulli laws up to three more, see :func:`sharpen`. What is
played is played again until it has taught something new.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from semibandits.kernels.rules.actions import INDEX_FIRST, LINEAR_FIRST, PLAY, WAITING
from semibandits.kernels.rules.raises import add_reaches, lower, price_of, write_reaches
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, SCALES
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

DISCOUNT, PATIENCE, FORESIGHT, SAVING, LAW = 1, 2, 3, 4, 5
"""Places in the parameters, see :class:`semibandits.policies.GLADE`."""
GAUSSIAN, BERNOULLI = 0.0, 1.0
"""Laws."""
NEEDED, TRIES, HEAD = 0, 1, 2
"""In `memory`: what a cheaper decision must gain; how many decisions that were found in this round proved not plausible. Then
follow d scales: twice the variance of each item's mean, or what stands for it."""
MOST_TRIES = 3
"""How often bonuses are lowered."""
SWEEPS = 4
"""Enough for 1.005 times the least spending at level 600 in verification/noise_free.py; one or two were not."""
STAGE, REPEATS, REMEMBERED = WAITING, 1, 2
"""Places in `marks`: which answer the rule waits for; how many more times the last decision is to be played; how many decisions
were put into the pool so far."""
MARKS = 3
LATE = 4.0
"""The level from which on smaller savings count."""
FAR = 16.0
"""The level from which on more is foreseen: estimates make constraints of level f differ by about sqrt(2 f), and those that
differ by less must be seen together. (A million rounds lead to levels below 13.)"""
START, BEST, PLAUSIBLE, REACHABLE, CHEAPER = 0, 1, 2, 3, 4
"""Stages."""
BEST_ROW, PLAYED_ROW, POOL = 0, 1, 2
"""Rows: the best decision at the estimates; the last one played; and from there on the pool, those that were plausible."""


@njit(cache=True, error_model="numpy")
def glade(
    t: int, params: FloatArray, stats: FloatArray, z: FloatArray, memory: FloatArray, marks: IntArray, rows: BoolArray,
    weights: FloatArray, bonuses: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """Go on from what the last question was."""
    stage, scales = marks[STAGE], memory[HEAD:]
    if stage == START:
        if marks[REPEATS] > 0:
            marks[REPEATS] -= 1
            copy(rows[PLAYED_ROW], x)
            return PLAY
        return ask(BEST, LINEAR_FIRST, marks, stats, weights)
    if stage == BEST:
        copy(x, rows[BEST_ROW])
        memory[TRIES] = 0.0
        if params[LAW] == GAUSSIAN:
            uncertain = write_bonuses(t, params[DISCOUNT], stats, x, scales, bonuses)
        else:
            uncertain = write_reaches(t, params[DISCOUNT], stats, x, scales, bonuses)
        if not uncertain:
            return settle(params[PATIENCE], stats, marks, rows, x)
        return ask(PLAUSIBLE, INDEX_FIRST, marks, stats, weights)
    if stage == CHEAPER:
        prices = bonuses
        gap, _, _ = compare(stats, scales, prices, rows[BEST_ROW], x)
        if not total(prices, x) - gap > memory[NEEDED]:
            copy(rows[PLAYED_ROW], x)
        return settle(params[PATIENCE], stats, marks, rows, x)
    gap, scale, bonus = compare(stats, scales, bonuses, rows[BEST_ROW], x)
    plausible = bonus > 0.0 and bonus > gap * abs(gap)
    if params[LAW] == BERNOULLI and (plausible or memory[TRIES] > 0.0):
        question = sharpen(t, params, gap, plausible, stats, memory, marks, rows, weights, bonuses, x)
        if question != PLAY:
            return question
        gap, scale, bonus = compare(stats, scales, bonuses, rows[BEST_ROW], x)
        plausible = scale > 0.0
    if not plausible:
        copy(rows[BEST_ROW], x)
    if not plausible or params[FORESIGHT] == 0.0:
        return settle(params[PATIENCE], stats, marks, rows, x)
    remember(marks, rows, x)
    copy(x, rows[PLAYED_ROW])
    level = bonus / scale
    prices = bonuses
    foresight = params[FORESIGHT] * math.sqrt(max(1.0, level / FAR))
    write_prices(foresight, stats, scales, marks, rows, prices)
    memory[NEEDED] = max(total(prices, x) - gap, 0.0) + params[SAVING] / math.sqrt(max(1.0, level / LATE)) * gap
    question = ask(CHEAPER, LINEAR_FIRST, marks, stats, weights)
    for i in range(len(weights)):
        weights[i] += prices[i]
    return question


@njit(cache=True, error_model="numpy")
def sharpen(
    t: int, params: FloatArray, gap: float, plausible: bool, stats: FloatArray, memory: FloatArray, marks: IntArray,
    rows: BoolArray, weights: FloatArray, bonuses: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """Test x, which may be plausible, with Bernoulli laws; ``PLAY`` once that is settled, else the next search.

    The first bonuses are upper bounds. What they find may not be plausible, and stand before others that are. So the search is
    repeated with bonuses lowered to what is right for it, by which it is not found again; and at last with the sum of what each
    item alone could be raised by, before which no decision stands that not even means of 1 would make best. If nothing proves
    plausible, the best decision is played; or the first x, while one of the items that enter it was played less than its level.
    """
    best, scales = rows[BEST_ROW], memory[HEAD:]
    if plausible:
        price, information, psi = price_of(t, params[DISCOUNT], gap, stats, best, x)
        if gap <= 0.0 or information < 1.0:
            return PLAY
        if memory[TRIES] == 0.0:
            copy(x, rows[PLAYED_ROW])
        memory[TRIES] += 1.0
        if marks[STAGE] == PLAUSIBLE and memory[TRIES] <= MOST_TRIES:
            lower(t, params[DISCOUNT], price, psi, stats, best, scales, bonuses)
            return ask(PLAUSIBLE, INDEX_FIRST, marks, stats, weights)
    if marks[STAGE] == PLAUSIBLE:
        write_reaches(t, params[DISCOUNT], stats, best, scales, bonuses)
        question = ask(REACHABLE, LINEAR_FIRST, marks, stats, weights)
        add_reaches(t, params[DISCOUNT], stats, best, weights)
        return question
    if is_new(t, params[DISCOUNT], stats, best, rows[PLAYED_ROW]):
        copy(rows[PLAYED_ROW], x)
    else:
        copy(best, x)
    return PLAY


@njit(cache=True, error_model="numpy")
def is_new(t: int, discount: float, stats: FloatArray, best: BoolArray, x: BoolArray) -> bool:
    """Whether an item that enters x was played less often than its level says, ln(t / n) - c."""
    for i in range(len(x)):
        if x[i] and not best[i]:
            n = max(stats[COUNTS, i], 1.0)
            if n < math.log(t / n) - discount:
                return True
    return False


@njit(cache=True, error_model="numpy")
def ask(stage: int, question: int, marks: IntArray, stats: FloatArray, weights: FloatArray) -> int:
    """Wait for an answer at the estimated means."""
    for i in range(len(weights)):
        weights[i] = stats[MEANS, i]
    marks[STAGE] = stage
    return question


@njit(cache=True, error_model="numpy")
def copy(source: BoolArray, target: BoolArray) -> None:
    """Copy few truth values; a slice assignment would cost more."""
    for i in range(len(source)):
        target[i] = source[i]


@njit(cache=True, error_model="numpy")
def write_bonuses(
    t: int, discount: float, stats: FloatArray, best: BoolArray, scales: FloatArray, bonuses: FloatArray
) -> bool:
    """2 sigma_i^2 (ln(t / n_i) - c)+ / n_i for items outside the best decision, 0 in it; whether any is positive."""
    uncertain = False
    for i in range(len(bonuses)):
        bonuses[i], scales[i] = 0.0, stats[SCALES, i]
        if not best[i]:
            level = math.log(t / max(stats[COUNTS, i], 1.0)) - discount
            if level > 0.0:
                bonuses[i] = scales[i] * level
                uncertain = True
    return uncertain


@njit(cache=True, error_model="numpy")
def compare(
    stats: FloatArray, scales: FloatArray, bonuses: FloatArray, best: BoolArray, x: BoolArray
) -> tuple[float, float, float]:
    """Estimated gap of x to the best decision, and sums of scales and of bonuses over the items that enter."""
    gap, variance, bonus = 0.0, 0.0, 0.0
    for i in range(len(x)):
        if x[i] and not best[i]:
            gap -= stats[MEANS, i]
            variance += scales[i]
            bonus += bonuses[i]
        elif best[i] and not x[i]:
            gap += stats[MEANS, i]
    return gap, variance, bonus


@njit(cache=True, error_model="numpy")
def total(values: FloatArray, x: BoolArray) -> float:
    """Sum over x."""
    result = 0.0
    for i in range(len(x)):
        if x[i]:
            result += values[i]
    return result


@njit(cache=True, error_model="numpy")
def remember(marks: IntArray, rows: BoolArray, x: BoolArray) -> None:
    """Put x into the pool unless it is there; of a full pool the oldest makes room."""
    size = len(rows) - POOL
    for k in range(min(marks[REMEMBERED], size)):
        i = 0
        while i < len(x) and rows[POOL + k, i] == x[i]:
            i += 1
        if i == len(x):
            return
    copy(x, rows[POOL + marks[REMEMBERED] % size])
    marks[REMEMBERED] += 1


@njit(cache=True, error_model="numpy")
def write_prices(
    foresight: float, stats: FloatArray, scales: FloatArray, marks: IntArray, rows: BoolArray, prices: FloatArray
) -> None:
    """What one play of each item is worth, in regret; in place of the bonuses.

    A decision k of the pool with a gap D_k needs a share of a play of it: 1 if it is plausible, less the further it is from
    that, 0 once it is refuted by `foresight` more than it has to be. Item i takes part in the fall of its variance as
    ``s_i / n_i``. The worth of i is ``s_i / n_i`` times a sum of multipliers mu_k >= 0 of those that it enters, chosen such that
    the items that enter k are together worth what k needs, ``need_k D_k``, or more if mu_k is 0. These are the prices of P_GL
    at the counts reached, of the constraints in the pool. Found multiplier by multiplier, in a few sweeps.
    """
    d, size = len(prices), min(marks[REMEMBERED], len(rows) - POOL)
    best, bonuses = rows[BEST_ROW], prices.copy()
    falls, multipliers, worth = np.empty(d), np.zeros(size), np.zeros(size)
    for i in range(d):
        prices[i] = 0.0
        falls[i] = 0.0 if best[i] else scales[i] / max(stats[COUNTS, i], 1.0)
    for k in range(size):
        gap, variance, bonus = compare(stats, scales, bonuses, best, rows[POOL + k])
        if gap > 0.0 and variance > 0.0:
            worth[k] = max(min(1.0, 1.0 + (bonus - gap * gap) / (foresight * variance)), 0.0) * gap
    for _ in range(SWEEPS):
        for k in range(size):
            if worth[k] > 0.0:
                row = rows[POOL + k]
                step = (worth[k] - total(prices, row)) / total(falls, row)
                step = max(step, -multipliers[k])
                multipliers[k] += step
                for i in range(d):
                    if row[i]:
                        prices[i] += step * falls[i]


@njit(cache=True, error_model="numpy")
def settle(patience: float, stats: FloatArray, marks: IntArray, rows: BoolArray, x: BoolArray) -> int:
    """Play x, and again until the count of its rarest item, as far as told, has grown by the share `patience`."""
    copy(x, rows[PLAYED_ROW])
    fewest = math.inf
    for i in range(len(x)):
        if x[i]:
            fewest = min(fewest, stats[PLAYS, i])
    marks[REPEATS] = max(int(patience * fewest) - 1, 0) if fewest < math.inf else 0
    marks[STAGE] = START
    return PLAY
