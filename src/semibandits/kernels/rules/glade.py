"""Rule of GLADE: play the best decision until another one is plausible; then play what refutes that one at the least price.

A round takes up to three questions: which decision is best at the estimates (P_LM), which other one is most plausible (P_IM), and
whether a third one would teach as much at less regret (P_LM). What is played is played again until it has taught something new.
"""

from __future__ import annotations

import math

from numba import njit

from semibandits.kernels.rules.actions import INDEX_FIRST, LINEAR_FIRST, PLAY, WAITING
from semibandits.kernels.rules.statistics import MEANS, PLAYS, SCALES
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

DISCOUNT, PATIENCE, FORESIGHT, SAVING = 1, 2, 3, 4
"""Places in the parameters, see :class:`semibandits.policies.GLADE`."""
STAGE, REPEATS, REMEMBERED = WAITING, 1, 2
"""Places in `marks`: which answer the rule waits for; how many more times the last decision is to be played; how many decisions
were put into the pool so far."""
MARKS = 3
FURTHEST, LATE = 2.0, 4.0
"""No foresight beyond this times the level; and the level from which on smaller savings count."""
START, BEST, PLAUSIBLE, CHEAPER = 0, 1, 2, 3
"""Stages."""
BEST_ROW, PLAYED_ROW, POOL = 0, 1, 2
"""Rows: the best decision at the estimates; the last one played; and from there on the pool, those that were plausible."""


@njit(cache=True, error_model="numpy")
def glade(
    t: int, params: FloatArray, stats: FloatArray, z: FloatArray, memory: FloatArray, marks: IntArray, rows: BoolArray,
    weights: FloatArray, bonuses: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """Go on from what the last question was; ``memory[0]`` is what a cheaper decision must gain."""
    stage = marks[STAGE]
    if stage == START:
        if marks[REPEATS] > 0:
            marks[REPEATS] -= 1
            copy(rows[PLAYED_ROW], x)
            return PLAY
        copy_numbers(stats[MEANS], weights)
        marks[STAGE] = BEST
        return LINEAR_FIRST
    if stage == BEST:
        copy(x, rows[BEST_ROW])
        if not write_bonuses(t, params[DISCOUNT], stats, x, bonuses):
            return settle(params[PATIENCE], stats, marks, rows, x)
        copy_numbers(stats[MEANS], weights)
        marks[STAGE] = PLAUSIBLE
        return INDEX_FIRST
    if stage == PLAUSIBLE:
        gap, variance, bonus = compare(stats, bonuses, rows[BEST_ROW], x)
        if bonus <= 0.0 or bonus <= gap * abs(gap):
            copy(rows[BEST_ROW], x)
            return settle(params[PATIENCE], stats, marks, rows, x)
        if params[FORESIGHT] == 0.0:
            return settle(params[PATIENCE], stats, marks, rows, x)
        remember(marks, rows, x)
        level = bonus / variance
        write_credits(min(params[FORESIGHT], FURTHEST * level), stats, marks, rows, bonuses)
        memory[0] = total(bonuses, x) - gap + params[SAVING] / math.sqrt(max(1.0, level / LATE)) * gap
        copy(x, rows[PLAYED_ROW])
        for i in range(len(weights)):
            weights[i] = stats[MEANS, i] + bonuses[i]
        marks[STAGE] = CHEAPER
        return LINEAR_FIRST
    gap, _, _ = compare(stats, bonuses, rows[BEST_ROW], x)
    if not total(bonuses, x) - gap > memory[0]:
        copy(rows[PLAYED_ROW], x)
    return settle(params[PATIENCE], stats, marks, rows, x)


@njit(cache=True, error_model="numpy")
def copy(source: BoolArray, target: BoolArray) -> None:
    """Copy few truth values; a slice assignment would cost more."""
    for i in range(len(source)):
        target[i] = source[i]


@njit(cache=True, error_model="numpy")
def copy_numbers(source: FloatArray, target: FloatArray) -> None:
    """Copy few numbers."""
    for i in range(len(source)):
        target[i] = source[i]


@njit(cache=True, error_model="numpy")
def write_bonuses(t: int, discount: float, stats: FloatArray, best: BoolArray, bonuses: FloatArray) -> bool:
    """2 sigma_i^2 (ln(t / n_i) - c)+ / n_i for items outside the best decision, 0 in it; whether any is positive."""
    uncertain = False
    for i in range(len(bonuses)):
        bonuses[i] = 0.0
        if not best[i]:
            level = math.log(t / max(stats[PLAYS, i], 1.0)) - discount
            if level > 0.0:
                bonuses[i] = stats[SCALES, i] * level
                uncertain = True
    return uncertain


@njit(cache=True, error_model="numpy")
def compare(stats: FloatArray, bonuses: FloatArray, best: BoolArray, x: BoolArray) -> tuple[float, float, float]:
    """Estimated gap of x to the best decision, and sums of scales and of bonuses over the items that enter."""
    gap, variance, bonus = 0.0, 0.0, 0.0
    for i in range(len(x)):
        if x[i] and not best[i]:
            gap -= stats[MEANS, i]
            variance += stats[SCALES, i]
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
def write_credits(foresight: float, stats: FloatArray, marks: IntArray, rows: BoolArray, credits: FloatArray) -> None:
    """How much regret one play of each item saves elsewhere; in place of the bonuses.

    One play of a decision x of the pool costs its gap D. Item i does the share ``s_i / n_i``, over the sum of these over what
    enters, of the fall of its variance, so that a play of i alone is worth that share of D, times how much x needs it: 1 if
    x is plausible, less the further it is from that, 0 once it is refuted by `foresight` more than it has to be.
    """
    d = len(credits)
    best, bonuses = rows[BEST_ROW], credits.copy()
    credits[:] = 0.0
    for k in range(min(marks[REMEMBERED], len(rows) - POOL)):
        row = rows[POOL + k]
        gap, variance, bonus = compare(stats, bonuses, best, row)
        if not (gap > 0.0 and variance > 0.0):
            continue
        need = min(1.0, 1.0 + (bonus - gap * gap) / (foresight * variance))
        if need <= 0.0:
            continue
        falls = 0.0
        for i in range(d):
            if row[i] and not best[i]:
                falls += stats[SCALES, i] / max(stats[PLAYS, i], 1.0)
        for i in range(d):
            if row[i] and not best[i]:
                share = stats[SCALES, i] / max(stats[PLAYS, i], 1.0) / falls
                credits[i] = max(credits[i], need * gap * share)


@njit(cache=True, error_model="numpy")
def settle(patience: float, stats: FloatArray, marks: IntArray, rows: BoolArray, x: BoolArray) -> int:
    """Play x, and again until the count of its rarest item has grown by the share `patience`."""
    copy(x, rows[PLAYED_ROW])
    fewest = math.inf
    for i in range(len(x)):
        if x[i]:
            fewest = min(fewest, stats[PLAYS, i])
    marks[REPEATS] = max(int(patience * fewest) - 1, 0) if fewest < math.inf else 0
    marks[STAGE] = START
    return PLAY
