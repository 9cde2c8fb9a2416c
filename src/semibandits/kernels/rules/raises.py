"""Raises under laws that are not Gaussian: how far sums of means may lie above their estimates.

At levels f_i, means of items played n_i times may be raised as long as ``sum of (n_i / f_i) d(mean_i, mean_i + raise_i) <= 1``.
For Gaussian rewards the largest sum of raises of a decision is the root of a sum of squared bonuses. Here it is the minimum of
``(1 + Psi(s)) / s`` over prices s, with Psi the sum of the psi_i of `kernels.laws.conjugate`. Since ``(1 + Psi)^2 = 4 Psi r``
with r >= 1, and r = 1 where Psi = 1, the squared bonuses ``4 r psi_i(s) / s^2`` are exact for the decision with this price and r,
and nearly exact for other decisions that are about as hard to refute.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.laws import conjugate, divergence, radius, room, tilt, variance, widest
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.rules.estimates import estimate, largest_mean
from semibandits.kernels.rules.levels import plays_of

BISECTIONS = 60
STEP = 1.0 / 16.0
KNOWN = 4
CLOSE = 1e-9
"""Difference of logarithms of prices at which :func:`price_of` stops."""
FAR = 60.0
"""Logarithms of prices are searched between -FAR and FAR."""


@kernel
def _of_item(law: FloatArray, stats: FloatArray, largest: float, i: int) -> tuple[float, float]:
    """Plays, including open rounds, and the mean as the law allows it."""
    return plays_of(stats, i), estimate(law, i, stats, largest)


@kernel
def write_reaches(
    law: FloatArray, levels: FloatArray, stats: FloatArray, scales: FloatArray, bonuses: FloatArray, known: FloatArray
) -> bool:
    """Write bonuses outside the best decision that are at least the exact ones at any price; return whether any is positive.

    A bonus is its scale times its level. Levels are rounded up to multiples of ``STEP``, and `known`, shape (KNOWN * d,), caches
    the last level, count, mean and bonus of each item, since most items do not change between rounds.
    """
    uncertain, d, largest = False, len(bonuses), largest_mean(law, stats)
    for i in range(d):
        n, mean = _of_item(law, stats, largest, i)
        bonuses[i], scales[i] = 0.0, 2.0 * variance(law, i, mean) / n
        if levels[i] > 0.0:
            level = STEP * math.ceil(levels[i] / STEP)
            if known[i] != level or known[d + i] != n or known[2 * d + i] != mean:
                known[i], known[d + i], known[2 * d + i], known[3 * d + i] = (level, n, mean, widest(law, i, mean, level / n))
            bonuses[i] = known[3 * d + i]
            scales[i] = bonuses[i] / levels[i]
            uncertain |= bonuses[i] > 0.0
    return uncertain


@kernel
def add_reaches(law: FloatArray, levels: FloatArray, stats: FloatArray, weights: FloatArray) -> None:
    """Add the largest raise of each item outside the best decision, as if no other item were raised.

    Sums of these are at least the largest raise of any decision, and stay within the range of the law.
    """
    largest = largest_mean(law, stats)
    for i in range(len(weights)):
        if levels[i] > 0.0:
            n, mean = _of_item(law, stats, largest, i)
            weights[i] += radius(law, i, mean, levels[i] / n)


@kernel
def price_of(
    law: FloatArray, levels: FloatArray, gap: float, stats: FloatArray, best: BoolArray, x: BoolArray
) -> tuple[float, float, float]:
    """Information needed to raise x to the best decision: the price, the information, and the sum of the psi_i at the price.

    If x is not plausible, the price is the one at which the raises of the items that enter x close the gap; or, if not even
    raises up to the ends of their laws close it, the price at which raises take the information 1. The information closes the
    gap, in units of the levels; it is infinite if no raises close it. x is plausible iff it is below 1; then, unless a law has
    kinks, it is the information of some raises that close the gap.
    """
    items: IntArray = np.flatnonzero(x & ~best & (levels > 0.0))
    most, largest = 0.0, largest_mean(law, stats)
    for i in items:
        most += room(law, i, estimate(law, i, stats, largest))
    low, high = -FAR, FAR
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        raised, information = _raised(law, levels, math.exp(middle), stats, largest, items)
        if raised >= gap and information < 1.0:
            return math.exp(middle), information, math.exp(middle) * raised - information
        if (raised < gap) if most > gap else (information < 1.0):
            low = middle
        else:
            high = middle
        if high - low < CLOSE:
            break
    price = math.exp(high)
    raised, information = _raised(law, levels, price, stats, largest, items)
    if raised < math.inf:
        return price, information if most > gap else math.inf, price * raised - information
    # Raises are unbounded at this price. The part of the gap beyond the raises just below it costs the price per unit; or one
    # item closes the whole gap, if its divergence flattens.
    price = math.exp(low)
    raised, information = _raised(law, levels, price, stats, largest, items)
    psi = price * raised - information
    information += price * (gap - raised)
    for i in items:
        n, mean = _of_item(law, stats, largest, i)
        information = min(information, n / levels[i] * divergence(law, i, mean, gap))
    return price, information, psi


@kernel
def _raised(
    law: FloatArray, levels: FloatArray, price: float, stats: FloatArray, largest: float, items: IntArray
) -> tuple[float, float]:
    """Sum of the optimal raises of some items at a price, and their information."""
    raised = information = 0.0
    for i in items:
        n, mean = _of_item(law, stats, largest, i)
        rise, d = tilt(law, i, mean, price * levels[i] / n)
        raised += rise
        information += n / levels[i] * d
    return raised, information


@kernel
def lower(
    law: FloatArray, levels: FloatArray, price: float, psi: float, stats: FloatArray, scales: FloatArray, bonuses: FloatArray
) -> None:
    """Lower bonuses to the exact ones for a decision with this price, whose psi add up to `psi`."""
    factor, largest = square(1.0 + psi) / (psi * price * price), largest_mean(law, stats)
    for i in range(len(bonuses)):
        if levels[i] > 0.0:
            n, mean = _of_item(law, stats, largest, i)
            bonuses[i] = min(bonuses[i], factor * conjugate(law, i, mean, n / levels[i], price))
            scales[i] = bonuses[i] / levels[i]
