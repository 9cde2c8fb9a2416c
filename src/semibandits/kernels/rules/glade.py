"""Rule of GLADE: play the best decision until another one is plausible; then refute that one at the lowest price.

A round makes up to three requests: the best decision at the estimates (P_LM), the most plausible other decision (P_IM), and a
decision that gives as much information at less regret (P_LM). Laws that are not Gaussian may need three more, see
:func:`check_with_laws`. A decision is repeated until it has provided new information.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray, runtime_constant
from semibandits.kernels.machine.uncounted import uncounted
from semibandits.kernels.rules.actions import GAIN_FIRST, GUESS, HINT, LINEAR_FIRST, PLAY, WAITING
from semibandits.kernels.rules.levels import plays_of, time_of_levels, write_levels
from semibandits.kernels.rules.raises import add_reaches, lower, price_of, write_reaches
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import MEANS, PLAYS, SCALES

DISCOUNT, PATIENCE, FORESIGHT, SAVING, RECHECK, RIVALS, PLACES, HORIZON, LAW = 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Places in the parameters, see :class:`semibandits.policies.GLADE`; 0 at HORIZON if there is none. From LAW on they are an array
of `kernels.laws`, which is empty if rewards count as Gaussian."""
NEEDED, TRIES, UNTIL_TIME, UNTIL_COUNT, HEAD = HINT + 1, HINT + 2, HINT + 3, HINT + 4, HINT + 5
"""Places in `memory`, see :class:`GladeState`. HEAD is the number of single numbers before the arrays."""
MOST_TRIES = 4
"""Largest number of times that bonuses are lowered in one round."""
CRUDE = 0.3
"""If the squared gap of a plausible decision is below this times twice its variance, estimates are too crude for prices."""
SWEEPS = 4
"""Enough for 1.005 times the least spending at level 600 in experiments/noise_free.py; one or two were not."""
STAGE, REPEATS, REMEMBERED, WIDTH, MARKS = WAITING, 1, 2, 3, 4
"""Places in `marks`, see :class:`GladeState`. WIDTH holds the width of the pool. MARKS is the number of marks before the pool."""
LATE = 4.0
"""Above this level, smaller savings count."""
FAR = 16.0
"""Above this level, foresight grows: estimates make constraints of level f differ by about sqrt(2 f), and those that differ by
less must be considered together. (A million rounds lead to levels below 13.)"""
START, BEST, PLAUSIBLE, REACHABLE, CHEAPER = (
    runtime_constant(0),
    runtime_constant(1),
    runtime_constant(2),
    runtime_constant(3),
    runtime_constant(4),
)
"""Stages."""
GUESS_ROW, BEST_ROW, PLAYED_ROW = GUESS, 1, 2
"""Rows, see :class:`GladeState`."""
ROWS = 3


class GladeState(NamedTuple):
    """Views of the state of the rule. Single numbers are views of shape (1,)."""

    needed: FloatArray  # value that a cheaper decision must exceed
    tries: FloatArray  # number of decisions found in this round that proved not plausible
    # Time, and count of its rarest item, up to which the best decision counts as checked.
    until_time: FloatArray
    until_count: FloatArray
    # Twice the variance of the mean of each item, shape (d,); with laws that are not Gaussian, bonuses over levels.
    scales: FloatArray
    levels: FloatArray  # (d,), see `kernels.rules.levels`
    known: FloatArray  # cache of `write_reaches`; empty if rewards count as Gaussian
    repeats: IntArray  # number of rounds for which the last decision is still repeated
    remembered: IntArray  # number of decisions that have been added to the pool
    # Decisions that were plausible, shape (size, 1 + m): number of items, and items; so the cost of a scan is independent of d.
    pool: IntArray
    guess: BoolArray  # (d,): the most plausible decision of the pool
    best: BoolArray  # (d,): the best decision at the estimates
    played: BoolArray  # (d,): the last decision played


@kernel(error_model="numpy")
def glade_state(memory: FloatArray, marks: IntArray, rows: BoolArray, d: int) -> GladeState:
    """Views of the saved arrays of the rule for d items."""
    memory, marks, rows = uncounted(memory), uncounted(marks), uncounted(rows)
    levels, known, width = HEAD + d, HEAD + 2 * d, marks[WIDTH]
    return GladeState(
        memory[NEEDED : NEEDED + 1],
        memory[TRIES : TRIES + 1],
        memory[UNTIL_TIME : UNTIL_TIME + 1],
        memory[UNTIL_COUNT : UNTIL_COUNT + 1],
        memory[HEAD:levels],
        memory[levels:known],
        memory[known:],
        marks[REPEATS : REPEATS + 1],
        marks[REMEMBERED : REMEMBERED + 1],
        marks[MARKS:].reshape((len(marks) - MARKS) // width, width),
        rows[GUESS_ROW],
        rows[BEST_ROW],
        rows[PLAYED_ROW],
    )


@kernel(error_model="numpy")
def glade(t: int, state: RuleState, request: Request) -> int:
    """Start a round, or continue it with the answer to the last request."""
    marks, stage = state.marks, state.marks[STAGE]
    if stage == START and marks[REPEATS] > 0:
        marks[REPEATS] -= 1
        write(request.x, state.rows[PLAYED_ROW])
        return PLAY
    if stage == START:
        start_query(BEST, state, request)
        return LINEAR_FIRST
    s = glade_state(state.memory, marks, state.rows, len(request.x))
    if stage == BEST:
        return check(t, state, s, request)
    if stage == CHEAPER:
        return compare_prices(state, s, request)
    return check_other(t, state, s, request)


@kernel(error_model="numpy")
def check(t: int, state: RuleState, s: GladeState, request: Request) -> int:
    """Play x, the best decision at the estimates, if nothing else can be plausible; otherwise request what is most plausible."""
    params, stats, bonuses, x = state.params, state.stats, request.bonuses, request.x
    law = params[LAW:]
    is_known = is_same(x, s.best)
    write(s.best, x)
    s.tries[0] = 0.0
    time = time_of_levels(float(t), params[HORIZON])
    write_levels(time, params[DISCOUNT], params[RIVALS], params[PLACES], stats, x, s.levels)
    if len(law) == 0:
        uncertain = write_bonuses(s.levels, stats, s.scales, bonuses)
    else:
        uncertain = write_reaches(law, s.levels, stats, s.scales, bonuses, s.known)
    is_guessed = uncertain and guess(stats, s, bonuses)
    is_checked = is_known and t < s.until_time[0] and rarest(stats, x) < s.until_count[0]
    if not uncertain or (is_checked and not is_guessed):
        return play(state, s, x)
    start_query(PLAUSIBLE, state, request)
    return GAIN_FIRST


@kernel(error_model="numpy")
def check_other(t: int, state: RuleState, s: GladeState, request: Request) -> int:
    """Settle on the best decision if x is not plausible, and on x or a cheaper decision otherwise."""
    params, stats, weights, x = state.params, state.stats, request.weights, request.x
    gap, scale, bonus = compare(stats, s.scales, request.bonuses, s.best, x)
    plausible = bonus > 0.0 and bonus > gap * abs(gap)
    if len(params) > LAW and (plausible or s.tries[0] > 0.0):
        action = check_with_laws(gap, plausible, state, s, request)
        if action != PLAY:
            return action
        gap, scale, bonus = compare(stats, s.scales, request.bonuses, s.best, x)
        plausible = scale > 0.0
    if not plausible:
        write(x, s.best)
        growth = 1.0 + params[RECHECK]
        s.until_time[0], s.until_count[0] = growth * t, growth * rarest(stats, x)
        if t <= params[HORIZON]:  # levels rise after the horizon
            s.until_time[0] = min(s.until_time[0], params[HORIZON] + 1.0)
    if not plausible or params[FORESIGHT] == 0.0:
        return play(state, s, x)
    add_to_pool(s, x)
    if gap * gap < CRUDE * scale:
        return play(state, s, x)
    write(s.played, x)
    level = bonus / scale
    prices = request.bonuses  # this round needs no bonuses any more; a rule has no other array of floats that is not saved
    write_prices(params[FORESIGHT] * math.sqrt(max(1.0, level / FAR)), stats, s, request.bonuses, prices)
    s.needed[0] = max(total(prices, x) - gap, 0.0) + params[SAVING] / math.sqrt(max(1.0, level / LATE)) * gap
    start_query(CHEAPER, state, request)
    for i in range(len(weights)):
        weights[i] += prices[i]
    return LINEAR_FIRST


@kernel(error_model="numpy")
def compare_prices(state: RuleState, s: GladeState, request: Request) -> int:
    """Settle on x if it is worth enough more than its gap, and on the most plausible decision otherwise."""
    prices = request.bonuses  # written by `check_other`
    gap, _, _ = compare(state.stats, s.scales, prices, s.best, request.x)
    if not total(prices, request.x) - gap > s.needed[0]:
        write(request.x, s.played)
    return play(state, s, request.x)


@kernel(error_model="numpy")
def check_with_laws(gap: float, plausible: bool, state: RuleState, s: GladeState, request: Request) -> int:
    """Test x, which may be plausible, with the laws; return ``PLAY`` once that is settled, otherwise the next request.

    The first bonuses are upper bounds. The decision that they find may not be plausible, and may hide others that are. So the
    search is repeated with bonuses lowered to the right ones for that decision, which is then not found again. The last request
    uses the sum of the largest raise of each item alone, which bounds the raise of every decision from above. If no decision
    proves plausible, the best decision is played; or the first x, while an item that enters it has fewer plays than its level.
    """
    law, stats, weights, bonuses, x = state.params[LAW:], state.stats, request.weights, request.bonuses, request.x
    stage = state.marks[STAGE]
    if plausible:
        price, information, psi = price_of(law, s.levels, gap, stats, s.best, x)
        if gap <= 0.0 or information < 1.0:
            return PLAY
        if s.tries[0] == 0.0:
            write(s.played, x)
        s.tries[0] += 1.0
        # If psi is 0, raises begin with a jump at the price, and no bonuses smaller than the first ones are known.
        if psi > 0.0 and stage == PLAUSIBLE and s.tries[0] <= MOST_TRIES:
            lower(law, s.levels, price, psi, stats, s.scales, bonuses)
            write(x, s.best)
            start_query(PLAUSIBLE, state, request)
            return GAIN_FIRST
    if stage == PLAUSIBLE:
        write_reaches(law, s.levels, stats, s.scales, bonuses, s.known)
        start_query(REACHABLE, state, request)
        add_reaches(law, s.levels, stats, weights)
        return LINEAR_FIRST
    write(x, s.played if is_new(s.levels, stats, s.played) else s.best)
    return PLAY


@kernel(error_model="numpy")
def is_new(levels: FloatArray, stats: FloatArray, x: BoolArray) -> bool:
    """Whether an item that enters x has fewer plays than its level."""
    found = False
    for i in range(len(x)):
        found |= x[i] and plays_of(stats, i) < levels[i]
    return found


@kernel(error_model="numpy")
def start_query(stage: int, state: RuleState, request: Request) -> None:
    """Write the estimated means as weights, and set the stage that the answer leads to."""
    for i in range(len(request.weights)):
        request.weights[i] = state.stats[MEANS, i]
    state.marks[STAGE] = stage


@kernel(error_model="numpy")
def write_bonuses(levels: FloatArray, stats: FloatArray, scales: FloatArray, bonuses: FloatArray) -> bool:
    """Write the bonuses 2 sigma_i^2 f_i / n_i, which are 0 in the best decision; return whether any is positive."""
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
    """Sum of the values of the items of x."""
    result = 0.0
    for i in range(len(x)):
        if x[i]:
            result += values[i]
    return result


@kernel(error_model="numpy")
def is_same(x: BoolArray, y: BoolArray) -> bool:
    """Whether two decisions are equal."""
    same = True
    for i in range(len(x)):
        same &= x[i] == y[i]
    return same


@kernel(error_model="numpy")
def rarest(stats: FloatArray, x: BoolArray) -> float:
    """Smallest number of observed rewards among the items of x; inf if x has no items."""
    fewest = math.inf
    for i in range(len(x)):
        if x[i]:
            fewest = min(fewest, stats[PLAYS, i])
    return fewest


@kernel(error_model="numpy")
def guess(stats: FloatArray, s: GladeState, bonuses: FloatArray) -> bool:
    """Write the most plausible decision of the pool into its row, or the best decision; return whether one is plausible."""
    best, most, largest = s.best, -1, 0.0
    members = np.flatnonzero(best)
    for k in range(min(s.remembered[0], len(s.pool))):
        gap, _, bonus = compare_items(stats, s.scales, bonuses, best, members, pooled(s.pool, k))
        if bonus > gap * abs(gap) and math.sqrt(bonus) - gap > largest:
            most, largest = k, math.sqrt(bonus) - gap
    write(s.guess, best)
    if most >= 0:
        s.guess[:] = False
        for i in pooled(s.pool, int(most)):
            s.guess[i] = True
    return most >= 0


@kernel(error_model="numpy")
def pooled(pool: IntArray, k: int) -> IntArray:
    """Items of a decision of the pool, ascending."""
    return pool[k, 1 : 1 + pool[k, 0]]


@kernel(error_model="numpy")
def add_to_pool(s: GladeState, x: BoolArray) -> None:
    """Add x to the pool unless the pool contains it; a full pool drops its oldest decision."""
    pool, items = s.pool, np.flatnonzero(x)
    for k in range(min(s.remembered[0], len(pool))):
        p = 0
        if pool[k, 0] == len(items):
            while p < len(items) and pool[k, 1 + p] == items[p]:
                p += 1
            if p == len(items):
                return
    k = s.remembered[0] % len(pool)
    pool[k, 0] = len(items)
    for p in range(len(items)):
        pool[k, 1 + p] = items[p]
    s.remembered[0] += 1


@kernel(error_model="numpy")
def write_prices(foresight: float, stats: FloatArray, s: GladeState, bonuses: FloatArray, prices: FloatArray) -> None:
    """Write the value of one play of each item, in regret; `prices` may be the same array as `bonuses`.

    A decision k of the pool with a gap D_k needs a share of a play: 1 if it is plausible, less the further it is from that, and 0
    once it is refuted by `foresight` more than necessary. Item i contributes ``s_i / n_i`` to the fall of its variance. The value
    of i is ``s_i / n_i`` times the sum of multipliers mu_k >= 0 of the decisions that it enters, chosen such that the values of
    the items that enter k add up to what k needs, ``need_k D_k``, or to more if mu_k is 0. These are the prices of P_GL at the
    current counts, for the constraints in the pool. They are computed multiplier by multiplier, in a few sweeps.
    """
    pool, best, scales = s.pool, s.best, s.scales
    size, members, n = min(s.remembered[0], len(pool)), np.flatnonzero(best), 0
    needy, worth, sums, multipliers = np.empty(size, dtype=np.int64), np.empty(size), np.zeros(size), np.zeros(size)
    falls = np.zeros(len(prices))
    for k in range(size):
        items = pooled(pool, k)
        gap, variance, bonus = compare_items(stats, scales, bonuses, best, members, items)
        need = 1.0 + (bonus - gap * gap) / (foresight * variance) if gap > 0.0 and variance > 0.0 else 0.0
        if need > 0.0:
            needy[n], worth[n] = k, min(1.0, need) * gap
            for i in items:
                if not best[i]:
                    falls[i] = scales[i] / plays_of(stats, i)
                    sums[n] += falls[i]
            n += 1
    prices[:] = 0.0
    for _ in range(SWEEPS):
        for k in range(n):
            items, sum_of_prices = pooled(pool, needy[k]), 0.0
            for i in items:
                sum_of_prices += prices[i]
            step = max((worth[k] - sum_of_prices) / sums[k], -multipliers[k])
            if step != 0.0:
                multipliers[k] += step
                for i in items:
                    prices[i] += step * falls[i]


@kernel(error_model="numpy")
def compare_items(
    stats: FloatArray, scales: FloatArray, bonuses: FloatArray, best: BoolArray, members: IntArray, items: IntArray
) -> tuple[float, float, float]:
    """The same as :func:`compare` for a decision given by its items; `members` are those of the best decision."""
    gap, variance, bonus, at = 0.0, 0.0, 0.0, 0
    for i in items:
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
def play(state: RuleState, s: GladeState, x: BoolArray) -> int:
    """Play x, and repeat it until the observed count of its rarest item has grown by the share `patience`."""
    write(s.played, x)
    fewest = rarest(state.stats, x)
    s.repeats[0] = max(int(state.params[PATIENCE] * fewest) - 1, 0) if fewest < math.inf else 0
    state.marks[STAGE] = START
    return PLAY
