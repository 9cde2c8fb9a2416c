"""What items leave open whose laws are not Gaussian: how far sums of means may lie above their estimates.

At levels f_i, means of items played n_i times may be raised as long as ``sum of (n_i / f_i) d(mean_i, mean_i + raise_i) <= 1``.
For Gaussian rewards the largest sum of raises of a decision is the root of a sum of squared bonuses. Here it is the least
``(1 + Psi(s)) / s`` over prices s, Psi the sum of the psi_i of `kernels.laws.conjugate`. Since ``(1 + Psi)^2 = 4 Psi r`` with
r >= 1, and r = 1 where Psi = 1, the squared bonuses ``4 r psi_i(s) / s^2`` are right for the decision whose price and r these
are, and nearly right for others that are about as hard to refute.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.laws import conjugate, divergence, inside, radius, room, tilt, variance, widest
from semibandits.kernels.rules.levels import plays_of
from semibandits.kernels.rules.statistics import MEANS
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

BISECTIONS = 60
STEP = 1.0 / 16.0
KNOWN = 4
CLOSE = 1e-9
"""Difference of logarithms of prices at which :func:`price_of` stops."""
FAR = 60.0
"""Logarithms of prices are searched for between this and its negative."""


@kernel
def _of_item(law: FloatArray, stats: FloatArray, i: int) -> tuple[float, float]:
    """Plays told and open, and the mean that the law can have next to the estimate."""
    return plays_of(stats, i), inside(law, i, stats[MEANS, i])


@kernel
def write_reaches(
    law: FloatArray, levels: FloatArray, stats: FloatArray, scales: FloatArray, bonuses: FloatArray, known: FloatArray
) -> bool:
    """Bonuses outside the best decision that are no less than the right ones at any price; whether any is positive.

    ``scales`` are what they come from: a bonus is its scale times its level. Levels are rounded up to multiples of ``STEP``,
    and what was found for the same level, count and mean is found again in `known`, shape (KNOWN * d,): most items stay as
    they were.
    """
    uncertain, d = False, len(bonuses)
    for i in range(d):
        n, mean = _of_item(law, stats, i)
        bonuses[i], scales[i] = 0.0, 2.0 * variance(law, i, mean) / n
        if levels[i] > 0.0:
            level = STEP * math.ceil(levels[i] / STEP)
            if known[i] != level or known[d + i] != n or known[2 * d + i] != mean:
                known[i], known[d + i], known[2 * d + i], known[3 * d + i] = (
                    level,
                    n,
                    mean,
                    widest(law, i, mean, level / n),
                )
            bonuses[i] = known[3 * d + i]
            scales[i] = bonuses[i] / levels[i]
            uncertain |= bonuses[i] > 0.0
    return uncertain


@kernel
def add_reaches(law: FloatArray, levels: FloatArray, stats: FloatArray, weights: FloatArray) -> None:
    """Add the largest raise of each item outside the best decision, as if it had all information to itself.

    Sums of these are no less than what any decision can be raised by, and end where the law does.
    """
    for i in range(len(weights)):
        if levels[i] > 0.0:
            n, mean = _of_item(law, stats, i)
            weights[i] += radius(law, i, mean, levels[i] / n)


@kernel
def price_of(
    law: FloatArray, levels: FloatArray, gap: float, stats: FloatArray, best: BoolArray, x: BoolArray
) -> tuple[float, float, float]:
    """How hard x is to raise to the best decision.

    Returns
    -------
    price : float
        If x is not plausible: at which raises of what enters x close the gap; or, if not even raises up to the ends of their
        laws do, at which they take the information 1.
    information : float
        What it takes to close the gap, in units of the levels, infinite if that cannot be. x is plausible iff this is below 1;
        it is then, unless a law has kinks, that of some raises that close the gap.
    psi : float
        Sum of the psi_i at the price.
    """
    items: IntArray = np.flatnonzero(x & ~best & (levels > 0.0))
    most = 0.0
    for i in items:
        most += room(law, i, inside(law, i, stats[MEANS, i]))
    low, high = -FAR, FAR
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        raised, information = _raised(law, levels, math.exp(middle), stats, items)
        if raised >= gap and information < 1.0:
            return math.exp(middle), information, math.exp(middle) * raised - information
        if (raised < gap) if most > gap else (information < 1.0):
            low = middle
        else:
            high = middle
        if high - low < CLOSE:
            break
    price = math.exp(high)
    raised, information = _raised(law, levels, price, stats, items)
    if raised < math.inf:
        return price, information if most > gap else math.inf, price * raised - information
    # Raises go on without end at this price. From those just below it what is lacking is paid for at the price; or one item pays
    # for it all, where its divergence becomes flatter again.
    price = math.exp(low)
    raised, information = _raised(law, levels, price, stats, items)
    psi = price * raised - information
    information += price * (gap - raised)
    for i in items:
        n, mean = _of_item(law, stats, i)
        information = min(information, n / levels[i] * divergence(law, i, mean, gap))
    return price, information, psi


@kernel
def _raised(
    law: FloatArray, levels: FloatArray, price: float, stats: FloatArray, items: IntArray
) -> tuple[float, float]:
    """Sum of the best raises of some items at a price, and their information."""
    raised = information = 0.0
    for i in items:
        n, mean = _of_item(law, stats, i)
        rise, d = tilt(law, i, mean, price * levels[i] / n)
        raised += rise
        information += n / levels[i] * d
    return raised, information


@kernel
def lower(
    law: FloatArray,
    levels: FloatArray,
    price: float,
    psi: float,
    stats: FloatArray,
    scales: FloatArray,
    bonuses: FloatArray,
) -> None:
    """Lower bonuses to those that are right for a decision of this price, whose psi add up to `psi`."""
    factor = square(1.0 + psi) / (psi * price * price)
    for i in range(len(bonuses)):
        if levels[i] > 0.0:
            n, mean = _of_item(law, stats, i)
            bonuses[i] = min(bonuses[i], factor * conjugate(law, i, mean, n / levels[i], price))
            scales[i] = bonuses[i] / levels[i]
