"""Rule of GLADE: play the best decision until another one is plausible; then play what refutes that one at the least price.

A round takes up to three questions: which decision is best at the estimates (P_LM), which other one is most plausible (P_IM), and
whether a third one would teach as much at less regret (P_LM); with laws that are not Gaussian up to three more, see
:func:`sharpen`. What is played is played again until it has taught something new.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.rules.actions import GAIN_FIRST, GUESS, HINT, LINEAR_FIRST, PLAY, WAITING
from semibandits.kernels.rules.levels import plays_of, write_levels
from semibandits.kernels.rules.raises import add_reaches, lower, price_of, write_reaches
from semibandits.kernels.rules.statistics import MEANS, PLAYS, SCALES
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray, runtime_constant

DISCOUNT, PATIENCE, FORESIGHT, SAVING, RECHECK, RIVALS, PLACES, LAW = 1, 2, 3, 4, 5, 6, 7, 8
"""Places in the parameters, see :class:`semibandits.policies.GLADE`. At the last one begins an array of `kernels.laws`; it is the
end if rewards count as Gaussian."""
NEEDED, TRIES, UNTIL_TIME, UNTIL_COUNT = HINT + 1, HINT + 2, HINT + 3, HINT + 4
"""In `memory`, behind the hint for searches: what a cheaper decision must gain; how many decisions that were found in this round
proved not plausible; up to which time, and which count of its rarest item, the best decision is taken for checked."""
HEAD = HINT + 5
"""Then follow d scales: twice the variance of each item's mean, or what stands for it; d levels; and with laws that are not
Gaussian what :func:`write_reaches` keeps."""
MOST_TRIES = 4
"""How often bonuses are lowered."""
CRUDE = 0.3
"""While the gap of what is plausible is below the root of this times twice its variance, estimates say too little for prices."""
SWEEPS = 4
"""Enough for 1.005 times the least spending at level 600 in verification/noise_free.py; one or two were not."""
STAGE, REPEATS, REMEMBERED, WIDTH = WAITING, 1, 2, 3
"""Places in `marks`: which answer the rule waits for; how many more times the last decision is to be played; how many decisions
were put into the pool so far; the numbers that one of them takes. Then follows the pool, decisions that were plausible: of
each the number of its items and the items, so that what it costs to go through them does not depend on d."""
MARKS = 4
LATE = 4.0
"""The level from which on smaller savings count."""
FAR = 16.0
"""The level from which on more is foreseen: estimates make constraints of level f differ by about sqrt(2 f), and those that
differ by less must be seen together. (A million rounds lead to levels below 13.)"""
START, BEST, PLAUSIBLE, REACHABLE, CHEAPER = (
    runtime_constant(0),
    runtime_constant(1),
    runtime_constant(2),
    runtime_constant(3),
    runtime_constant(4),
)
"""Stages."""
GUESS_ROW, BEST_ROW, PLAYED_ROW = GUESS, 1, 2
"""Rows: of the decisions in the pool the most plausible one; the best decision at the estimates; the last one played."""
ROWS = 3


@kernel(error_model="numpy")
def glade(
    t: int, params: FloatArray, stats: FloatArray, z: FloatArray, memory: FloatArray, marks: IntArray, rows: BoolArray,
    weights: FloatArray, bonuses: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """Go on from what the last question was."""
    d = len(weights)
    stage, scales, levels = marks[STAGE], memory[HEAD : HEAD + d], memory[HEAD + d : HEAD + 2 * d]
    known, law = memory[HEAD + 2 * d :], params[LAW:]
    if stage == START:
        if marks[REPEATS] > 0:
            marks[REPEATS] -= 1
            copy(rows[PLAYED_ROW], x)
            return PLAY
        ask(BEST, marks, stats, weights)
        return LINEAR_FIRST
    if stage == BEST:
        is_known = is_same(x, rows[BEST_ROW])
        copy(x, rows[BEST_ROW])
        memory[TRIES] = 0.0
        write_levels(t, params[DISCOUNT], params[RIVALS], params[PLACES], stats, x, levels)
        if len(law) == 0:
            uncertain = write_bonuses(levels, stats, scales, bonuses)
        else:
            uncertain = write_reaches(law, levels, stats, scales, bonuses, known)
        is_guessed = uncertain and guess(stats, scales, bonuses, marks, rows)
        is_checked = is_known and t < memory[UNTIL_TIME] and rarest(stats, x) < memory[UNTIL_COUNT]
        if not uncertain or (is_checked and not is_guessed):
            return settle(params[PATIENCE], stats, marks, rows, x)
        ask(PLAUSIBLE, marks, stats, weights)
        return GAIN_FIRST
    if stage == CHEAPER:
        prices = bonuses
        gap, _, _ = compare(stats, scales, prices, rows[BEST_ROW], x)
        if not total(prices, x) - gap > memory[NEEDED]:
            copy(rows[PLAYED_ROW], x)
        return settle(params[PATIENCE], stats, marks, rows, x)
    gap, scale, bonus = compare(stats, scales, bonuses, rows[BEST_ROW], x)
    plausible = bonus > 0.0 and bonus > gap * abs(gap)
    if len(law) > 0 and (plausible or memory[TRIES] > 0.0):
        question = sharpen(law, gap, plausible, stats, memory, marks, rows, weights, bonuses, x)
        if question != PLAY:
            return question
        gap, scale, bonus = compare(stats, scales, bonuses, rows[BEST_ROW], x)
        plausible = scale > 0.0
    if not plausible:
        copy(rows[BEST_ROW], x)
        growth = 1.0 + params[RECHECK]
        memory[UNTIL_TIME], memory[UNTIL_COUNT] = growth * t, growth * rarest(stats, x)
    if not plausible or params[FORESIGHT] == 0.0:
        return settle(params[PATIENCE], stats, marks, rows, x)
    remember(marks, x)
    if gap * gap < CRUDE * scale:
        return settle(params[PATIENCE], stats, marks, rows, x)
    copy(x, rows[PLAYED_ROW])
    level = bonus / scale
    prices = bonuses
    foresight = params[FORESIGHT] * math.sqrt(max(1.0, level / FAR))
    write_prices(foresight, stats, scales, marks, rows[BEST_ROW], prices)
    memory[NEEDED] = max(total(prices, x) - gap, 0.0) + params[SAVING] / math.sqrt(max(1.0, level / LATE)) * gap
    ask(CHEAPER, marks, stats, weights)
    for i in range(len(weights)):
        weights[i] += prices[i]
    return LINEAR_FIRST


@kernel(error_model="numpy")
def sharpen(
    law: FloatArray, gap: float, plausible: bool, stats: FloatArray, memory: FloatArray, marks: IntArray, rows: BoolArray,
    weights: FloatArray, bonuses: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """Test x, which may be plausible, with the laws; ``PLAY`` once that is settled, else the next search.

    The first bonuses are upper bounds. What they find may not be plausible, and stand before others that are. So the search
    is repeated with bonuses lowered to what is right for it, by which it is not found again; and at last with the sum of what
    each item alone could be raised by, before which no decision stands that no means of its law would make best. If nothing
    proves plausible, the best decision is played; or the first x, while one of the items that enter it was played less than its
    level.
    """
    d = len(weights)
    best, scales, levels = rows[BEST_ROW], memory[HEAD : HEAD + d], memory[HEAD + d : HEAD + 2 * d]
    known = memory[HEAD + 2 * d :]
    if plausible:
        price, information, psi = price_of(law, levels, gap, stats, best, x)
        if gap <= 0.0 or information < 1.0:
            return PLAY
        if memory[TRIES] == 0.0:
            copy(x, rows[PLAYED_ROW])
        memory[TRIES] += 1.0
        # Without psi, raises begin with a jump at the price: nothing is known that is less than the first bonuses.
        if psi > 0.0 and marks[STAGE] == PLAUSIBLE and memory[TRIES] <= MOST_TRIES:
            lower(law, levels, price, psi, stats, scales, bonuses)
            copy(best, x)
            ask(PLAUSIBLE, marks, stats, weights)
            return GAIN_FIRST
    if marks[STAGE] == PLAUSIBLE:
        write_reaches(law, levels, stats, scales, bonuses, known)
        ask(REACHABLE, marks, stats, weights)
        add_reaches(law, levels, stats, weights)
        return LINEAR_FIRST
    if is_new(levels, stats, rows[PLAYED_ROW]):
        copy(rows[PLAYED_ROW], x)
    else:
        copy(best, x)
    return PLAY


@kernel(error_model="numpy")
def is_new(levels: FloatArray, stats: FloatArray, x: BoolArray) -> bool:
    """Whether an item that enters x was played less often than its level says."""
    found = False
    for i in range(len(x)):
        found |= x[i] and plays_of(stats, i) < levels[i]
    return found


@kernel(error_model="numpy")
def ask(stage: int, marks: IntArray, stats: FloatArray, weights: FloatArray) -> None:
    """Ask at the estimated means, and wait for the answer."""
    for i in range(len(weights)):
        weights[i] = stats[MEANS, i]
    marks[STAGE] = stage


@kernel(error_model="numpy")
def copy(source: BoolArray, target: BoolArray) -> None:
    """Copy few truth values; a slice assignment would cost more."""
    for i in range(len(source)):
        target[i] = source[i]


@kernel(error_model="numpy")
def write_bonuses(levels: FloatArray, stats: FloatArray, scales: FloatArray, bonuses: FloatArray) -> bool:
    """2 sigma_i^2 f_i / n_i, which is 0 in the best decision; whether any is positive."""
    uncertain = False
    for i in range(len(bonuses)):
        scales[i] = stats[SCALES, i]
        bonuses[i] = scales[i] * levels[i]
        uncertain |= levels[i] > 0.0
    return uncertain


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
def total(values: FloatArray, x: BoolArray) -> float:
    """Sum over x."""
    result = 0.0
    for i in range(len(x)):
        if x[i]:
            result += values[i]
    return result


@kernel(error_model="numpy")
def is_same(x: BoolArray, y: BoolArray) -> bool:
    """Whether two decisions are the same."""
    same = True
    for i in range(len(x)):
        same &= x[i] == y[i]
    return same


@kernel(error_model="numpy")
def rarest(stats: FloatArray, x: BoolArray) -> float:
    """Count of the rarest item of x, as far as told; inf if it has none."""
    fewest = math.inf
    for i in range(len(x)):
        if x[i]:
            fewest = min(fewest, stats[PLAYS, i])
    return fewest


@kernel(error_model="numpy")
def guess(stats: FloatArray, scales: FloatArray, bonuses: FloatArray, marks: IntArray, rows: BoolArray) -> bool:
    """Write the most plausible decision of the pool into its row, the best decision if none is; whether there is one."""
    best, most, largest = rows[BEST_ROW], -1, 0.0
    members = np.flatnonzero(best)
    for k in range(min(marks[REMEMBERED], pool_size(marks))):
        gap, _, bonus = compare_items(stats, scales, bonuses, best, members, marks, MARKS + k * marks[WIDTH])
        if bonus > gap * abs(gap) and math.sqrt(bonus) - gap > largest:
            most, largest = k, math.sqrt(bonus) - gap
    copy(best, rows[GUESS_ROW])
    if most >= 0:
        rows[GUESS_ROW] = False
        for i in pooled(marks, int(most)):
            rows[GUESS_ROW, i] = True
    return most >= 0


@kernel(error_model="numpy")
def pool_size(marks: IntArray) -> int:
    """How many decisions the pool has room for."""
    return int((len(marks) - MARKS) // marks[WIDTH])


@kernel(error_model="numpy")
def pooled(marks: IntArray, k: int) -> IntArray:
    """Items of a decision of the pool, ascending."""
    at = MARKS + k * marks[WIDTH]
    return marks[at + 1 : at + 1 + marks[at]]


@kernel(error_model="numpy")
def remember(marks: IntArray, x: BoolArray) -> None:
    """Put x into the pool unless it is there; of a full pool the oldest makes room."""
    size, items = pool_size(marks), np.flatnonzero(x)
    for k in range(min(marks[REMEMBERED], size)):
        at, p = MARKS + k * marks[WIDTH], 0
        if marks[at] == len(items):
            while p < len(items) and marks[at + 1 + p] == items[p]:
                p += 1
            if p == len(items):
                return
    at = MARKS + (marks[REMEMBERED] % size) * marks[WIDTH]
    marks[at] = len(items)
    for p in range(len(items)):
        marks[at + 1 + p] = items[p]
    marks[REMEMBERED] += 1


@kernel(error_model="numpy")
def write_prices(
    foresight: float, stats: FloatArray, scales: FloatArray, marks: IntArray, best: BoolArray, prices: FloatArray
) -> None:
    """What one play of each item is worth, in regret; in place of the bonuses.

    A decision k of the pool with a gap D_k needs a share of a play of it: 1 if it is plausible, less the further it is from
    that, 0 once it is refuted by `foresight` more than it has to be. Item i takes part in the fall of its variance as
    ``s_i / n_i``. The worth of i is ``s_i / n_i`` times a sum of multipliers mu_k >= 0 of those that it enters, chosen such that
    the items that enter k are together worth what k needs, ``need_k D_k``, or more if mu_k is 0. These are the prices of P_GL
    at the counts reached, of the constraints in the pool. Found multiplier by multiplier, in a few sweeps.
    """
    size, members, n = min(marks[REMEMBERED], pool_size(marks)), np.flatnonzero(best), 0
    needy, worth, sums, multipliers = np.empty(size, dtype=np.int64), np.empty(size), np.zeros(size), np.zeros(size)
    falls = np.zeros(len(prices))
    for k in range(size):
        at = MARKS + k * marks[WIDTH]
        gap, variance, bonus = compare_items(stats, scales, prices, best, members, marks, at)
        need = 1.0 + (bonus - gap * gap) / (foresight * variance) if gap > 0.0 and variance > 0.0 else 0.0
        if need > 0.0:
            needy[n], worth[n] = at, min(1.0, need) * gap
            for p in range(at + 1, at + 1 + marks[at]):
                i = marks[p]
                if not best[i]:
                    falls[i] = scales[i] / plays_of(stats, i)
                    sums[n] += falls[i]
            n += 1
    prices[:] = 0.0
    for _ in range(SWEEPS):
        for k in range(n):
            at, sum_of_prices = needy[k], 0.0
            items = marks[at + 1 : at + 1 + marks[at]]
            for i in items:
                sum_of_prices += prices[i]
            step = max((worth[k] - sum_of_prices) / sums[k], -multipliers[k])
            if step != 0.0:
                multipliers[k] += step
                for i in items:
                    prices[i] += step * falls[i]


@kernel(error_model="numpy")
def compare_items(
    stats: FloatArray, scales: FloatArray, bonuses: FloatArray, best: BoolArray, members: IntArray, marks: IntArray,
    start: int,
) -> tuple[float, float, float]:  # fmt: skip
    """The same as :func:`compare` for the decision of the pool that starts here; `members` are those of the best one."""
    gap, variance, bonus, at = 0.0, 0.0, 0.0, 0
    for p in range(start + 1, start + 1 + marks[start]):
        i = marks[p]
        while at < len(members) and members[at] < i:
            gap += stats[MEANS, members[at]]
            at += 1
        if best[i]:
            at += 1
        else:
            gap -= stats[MEANS, i]
            variance += scales[i]
            bonus += bonuses[i]
    while at < len(members):
        gap += stats[MEANS, members[at]]
        at += 1
    return gap, variance, bonus


@kernel(error_model="numpy")
def settle(patience: float, stats: FloatArray, marks: IntArray, rows: BoolArray, x: BoolArray) -> int:
    """Play x, and again until the count of its rarest item, as far as told, has grown by the share `patience`."""
    copy(x, rows[PLAYED_ROW])
    fewest = rarest(stats, x)
    marks[REPEATS] = max(int(patience * fewest) - 1, 0) if fewest < math.inf else 0
    marks[STAGE] = START
    return PLAY
