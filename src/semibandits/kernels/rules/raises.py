"""What Bernoulli items leave open: how far sums of means may lie above their estimates.

At levels f_i, means of items played n_i times may be raised as long as ``sum of (n_i / f_i) d(mean_i, mean_i + raise_i) <= 1``.
For Gaussian rewards the largest sum of raises of a decision is the root of a sum of squared bonuses. Here it is the least
``(1 + Psi(s)) / s`` over prices s, Psi the sum of the psi_i of `kernels.bernoulli`. Since ``(1 + Psi)^2 = 4 Psi r`` with
r >= 1, and r = 1 where Psi = 1, the squared bonuses ``4 r psi_i(s) / s^2`` are right for the decision whose price and r these
are, and nearly right for others that are about as hard to refute.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.bernoulli import conjugate, divergence, tilt
from semibandits.kernels.rules.levels import plays_of
from semibandits.kernels.rules.statistics import MEANS
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

NEWTON_STEPS, BISECTIONS = 60, 60
BRACKET = 1e-3
"""Relative width at which :func:`widest` stops."""
STEP = 1.0 / 16.0
KNOWN = 4
CLOSE = 1e-9
"""Difference of logarithms of prices at which :func:`price_of` stops."""
FAR = 60.0
"""Logarithms of prices are searched for between this and its negative."""


@kernel
def reach(mean: float, information: float) -> float:
    """The raise with d(mean, mean + raise) = information: the radius of KL-UCB, at most what is left up to 1."""
    rest = 1.0 - mean
    if rest <= 0.0 or information <= 0.0:
        return 0.0
    # By Pinsker's inequality this is no less; the divergence is convex, so that Newton's steps fall to the root.
    rise = min(math.sqrt(0.5 * information), rest * (1.0 - 1e-12))
    for _ in range(NEWTON_STEPS):
        excess = divergence(mean, rise) - information
        if excess <= 1e-12 * information:
            break
        rise -= excess * (mean + rise) * (rest - rise) / rise
    return max(rise, 0.0)


@kernel
def widest(mean: float, information: float) -> float:
    """Largest ``raise^2 / d(mean, mean + raise)``, times the information, over raises that it allows; at most 1 % more.

    Cauchy's inequality makes sums of raises no larger than the root of a sum of these. For means above 1/2 the quotient falls
    from the start; for others it grows first, up to where ``raise d'(raise) = 2 d(raise)``.
    """
    if mean >= 0.5:
        return 2.0 * mean * (1.0 - mean) * information
    alone = reach(mean, information)
    if alone <= 0.0 or _still_grows(mean, alone):
        return alone * alone
    low, high = 0.0, alone
    for _ in range(BISECTIONS):
        if high - low <= BRACKET * high:
            break
        middle = 0.5 * (low + high)
        if _still_grows(mean, middle):
            low = middle
        else:
            high = middle
    return high * high / divergence(mean, low if low > 0.0 else high) * information


@kernel
def _still_grows(mean: float, rise: float) -> bool:
    """Whether ``raise^2 / d`` grows at this raise."""
    return rise * rise <= 2.0 * divergence(mean, rise) * (mean + rise) * (1.0 - mean - rise)


@kernel
def _of_item(stats: FloatArray, i: int) -> tuple[float, float]:
    """Plays told and open, and mean within [0, 1]."""
    return plays_of(stats, i), min(max(stats[MEANS, i], 0.0), 1.0)


@kernel
def write_reaches(
    levels: FloatArray, stats: FloatArray, scales: FloatArray, bonuses: FloatArray, known: FloatArray
) -> bool:
    """Bonuses outside the best decision that are no less than the right ones at any price; whether any is positive.

    ``scales`` are what they come from: a bonus is its scale times its level. Levels are rounded up to multiples of ``STEP``,
    and what was found for the same level, count and mean is found again in `known`, shape (KNOWN * d,): most items stay as
    they were.
    """
    uncertain, d = False, len(bonuses)
    for i in range(d):
        n, mean = _of_item(stats, i)
        bonuses[i], scales[i] = 0.0, 2.0 * mean * (1.0 - mean) / n
        if levels[i] > 0.0:
            level = STEP * math.ceil(levels[i] / STEP)
            if known[i] != level or known[d + i] != n or known[2 * d + i] != mean:
                known[i], known[d + i], known[2 * d + i], known[3 * d + i] = level, n, mean, widest(mean, level / n)
            bonuses[i] = known[3 * d + i]
            scales[i] = bonuses[i] / levels[i]
            uncertain |= bonuses[i] > 0.0
    return uncertain


@kernel
def add_reaches(levels: FloatArray, stats: FloatArray, weights: FloatArray) -> None:
    """Add the largest raise of each item outside the best decision, as if it had all information to itself.

    Sums of these are no less than what any decision can be raised by, and end at means of 1.
    """
    for i in range(len(weights)):
        if levels[i] > 0.0:
            n, mean = _of_item(stats, i)
            weights[i] += reach(mean, levels[i] / n)


@kernel
def price_of(
    levels: FloatArray, gap: float, stats: FloatArray, best: BoolArray, x: BoolArray
) -> tuple[float, float, float]:
    """How hard x is to raise to the best decision.

    Returns
    -------
    price : float
        If x is not plausible: at which raises of what enters x close the gap; or, if not even means of 1 do, at which they
        take the information 1.
    information : float
        At least what it takes to close the gap, in units of the levels, infinite if that cannot be. x is plausible iff this is
        below 1; it is then that of some raises that close the gap.
    psi : float
        Sum of the psi_i at the price.
    """
    items, room = np.flatnonzero(x & ~best & (levels > 0.0)), 0.0
    for i in items:
        room += 1.0 - min(max(stats[MEANS, i], 0.0), 1.0)
    low, high = -FAR, FAR
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        raised, information = _raised(levels, math.exp(middle), stats, items)
        if raised >= gap and information < 1.0:
            return math.exp(middle), information, math.exp(middle) * raised - information
        if (raised < gap) if room > gap else (information < 1.0):
            low = middle
        else:
            high = middle
        if high - low < CLOSE:
            break
    price = math.exp(high)
    raised, information = _raised(levels, price, stats, items)
    return price, information if room > gap else np.inf, price * raised - information


@kernel
def _raised(levels: FloatArray, price: float, stats: FloatArray, items: IntArray) -> tuple[float, float]:
    """Sum of the best raises of some items at a price, and their information."""
    raised = information = 0.0
    for i in items:
        n, mean = _of_item(stats, i)
        rise, _, d = tilt(mean, price * levels[i] / n)
        raised += rise
        information += n / levels[i] * d
    return raised, information


@kernel
def lower(
    levels: FloatArray, price: float, psi: float, stats: FloatArray, scales: FloatArray, bonuses: FloatArray
) -> None:
    """Lower bonuses to those that are right for a decision of this price, whose psi add up to `psi`."""
    factor = square(1.0 + psi) / (psi * price * price)
    for i in range(len(bonuses)):
        if levels[i] > 0.0:
            n, mean = _of_item(stats, i)
            bonuses[i] = min(bonuses[i], factor * conjugate(mean, n / levels[i], price))
            scales[i] = bonuses[i] / levels[i]
