"""Bernoulli information: divergences, the cheapest raise of one item, and of a cycle of items.

d(a, b) is the Kullback-Leibler divergence of Bernoulli laws. Item i of mean theta that is played w times pays ``w d(theta, theta
+ raise)`` for looking better than it is. At a price s per unit of raise it pays best to raise by the root of ``w d'(raise) = s``:
its *tilt*. Then ``psi(s) = s raise - w d(raise)`` is the convex conjugate of what it pays, and a cycle C of gap D can be made to
look better than x* for

    f(C) = min {sum of w d(raise) : sum of raises >= D} = max over s of (s D - sum of psi(s)).

Every s gives a lower bound on f(C), every set of raises an upper bound.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arithmetic import hypotenuse
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

SMALL = 0.1
"""Arguments of `excess` below which its series is summed."""
MAX_STEPS = 300
NEWTON_STEPS = 40
"""Steps after which bisection takes over: means next to 0 make kinks, between which Newton's method may go to and fro."""
ROUNDING = 4e-15
"""What the terms of a tilt may be off by, relatively; next to 1 what is left of them may be far smaller."""
OUT_OF_REACH = 1e-12
"""A cycle whose means could rise by no more than its gap and this says nothing: rewards of 1 cannot be told from it."""


@kernel
def excess(x: float) -> float:
    """``x - log(1 + x)`` for x > -1, to full relative accuracy."""
    if abs(x) > SMALL:
        return x - math.log1p(x)
    total, power = 0.0, x
    for k in range(2, 20):
        power *= -x
        total -= power / k
    return total


@kernel
def divergence(theta: float, rise: float) -> float:
    """d(theta, theta + rise) for 0 <= theta, 0 <= rise, theta + rise <= 1; inf if the sum is 1, unless theta is.

    Both terms are >= 0, so that a small rise loses no digits: ``theta excess(rise/theta) + (1-theta) excess(-rise/(1-theta))``.
    """
    if rise <= 0.0:
        return 0.0
    rest = 1.0 - theta
    if rise >= rest:
        return np.inf
    return _upper_term(theta, rise) + rest * excess(-rise / rest)


@kernel
def _upper_term(theta: float, rise: float) -> float:
    """``theta excess(rise/theta)``, which tends to the rise as theta tends to 0."""
    if rise <= 1e10 * theta:
        return theta * excess(rise / theta)
    return rise - theta * (math.log(rise) - math.log(theta)) if theta > 0.0 else rise


@kernel
def tilt(theta: float, price: float) -> tuple[float, float, float]:
    """Best rise at ``price = s/w`` >= 0, its derivative by the price, and d(theta, theta + rise).

    The root of ``price (theta + rise)(1 - theta - rise) = rise`` in [0, 1 - theta]; an infinite price gives all that is left.
    """
    rest = 1.0 - theta
    if rest <= 0.0 or price <= 0.0:
        return 0.0, (theta * rest if price <= 0.0 else 0.0), 0.0
    if price == np.inf:
        return rest, 0.0, np.inf
    half = 1.0 - price * (rest - theta)
    root = hypotenuse(half, 2.0 * price * math.sqrt(theta * rest))
    rise = 2.0 * price * theta * rest / (half + root) if half > 0.0 else (root - half) / (2.0 * price)
    rise = min(max(rise, 0.0), rest)
    # What the law leaves to the reward 0, from its own equation: rest - rise would lose its digits as the rise grows.
    left = 2.0 * rest / (1.0 + price + hypotenuse(1.0 - price, 2.0 * math.sqrt(price * theta)))
    slope = (theta + rise) * left / root if root > 0.0 else 0.0
    if rise <= 0.0:
        return rise, slope, 0.0
    if rise <= SMALL * rest:
        return rise, slope, _upper_term(theta, rise) + rest * excess(-rise / rest)
    return rise, slope, _upper_term(theta, rise) - rise - rest * math.log(left / rest)


@kernel
def conjugate(theta: float, rate: float, price: float) -> float:
    """psi(s) at s = `price`, for an item that is played `rate` times: the most that ``s rise - rate d`` can be, rounded up."""
    if rate <= 0.0:
        return price * (1.0 - theta) * (1.0 + ROUNDING)
    rise, _, d = tilt(theta, price / rate)
    if rise <= 0.0:
        return 0.0
    terms = price * rise + rate * (d + (rise + 1.0 - theta if rise > SMALL * (1.0 - theta) else 0.0))
    return price * rise - rate * d + ROUNDING * terms


@kernel
def conjugates(theta: FloatArray, rates: FloatArray, prices: FloatArray) -> FloatArray:
    """Psi of each item (rows) at each price (columns)."""
    table = np.empty((len(theta), len(prices)))
    for i in range(len(theta)):
        for k in range(len(prices)):
            table[i, k] = conjugate(theta[i], rates[i], prices[k])
    return table


@kernel
def cheapest_raises(
    ptr: IntArray, arcs: IntArray, gaps: FloatArray, informative: BoolArray, theta: FloatArray, rates: FloatArray,
    guesses: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Cheapest way to make each cycle look as good as x*.

    Parameters
    ----------
    ptr, arcs
        Cycle k uses the arcs ``arcs[ptr[k]:ptr[k + 1]]``.
    gaps : ndarray of float, shape (k,)
        Gap of each cycle, > 0.
    informative : ndarray of bool, shape (a,)
        Arcs on which an item enters.
    theta, rates : ndarray of float, shape (a,)
        Mean and rate >= 0 of the item of each arc.
    guesses : ndarray of float, shape (k,)
        Where to begin the search for s; 0 where nothing is known.

    Returns
    -------
    values, prices : ndarray of float, shape (k,)
        f(C), and the s that attains it. Infinite where the means may rise as far as they can and still fall short.
    rises, divergences, slopes : ndarray of float, shape (number of entries of `arcs`,)
        Best raise of each entry, its divergence (the derivative of f by the rate), and the derivative of the raise by s/w.
    """
    count = len(ptr) - 1
    values, prices = np.empty(count), np.empty(count)
    rises, divergences, slopes = np.zeros(len(arcs)), np.zeros(len(arcs)), np.zeros(len(arcs))
    for c in range(count):
        room = free = spread = largest = 0.0
        for i in range(ptr[c], ptr[c + 1]):
            arc = arcs[i]
            if informative[arc]:
                room += 1.0 - theta[arc]
                if rates[arc] > 0.0:
                    spread += theta[arc] * (1.0 - theta[arc]) / rates[arc]
                    largest = max(largest, rates[arc])
                else:
                    free += 1.0 - theta[arc]
        if room <= gaps[c] + OUT_OF_REACH:
            values[c] = prices[c] = np.inf
            continue
        if free >= gaps[c]:
            values[c] = prices[c] = 0.0
            for i in range(ptr[c], ptr[c + 1]):
                arc = arcs[i]
                if informative[arc] and rates[arc] <= 0.0:
                    rises[i], divergences[i] = (1.0 - theta[arc]) * (gaps[c] / free), np.inf
            continue
        s = guesses[c]
        if not 0.0 < s < np.inf:
            s = min(gaps[c] / spread, 4.0 * largest) if spread > 0.0 else largest
        low, high = 0.0, np.inf
        for k in range(MAX_STEPS):
            total, slope = -gaps[c], 0.0
            for i in range(ptr[c], ptr[c + 1]):
                arc = arcs[i]
                if informative[arc]:
                    if rates[arc] > 0.0:
                        rises[i], slopes[i], divergences[i] = tilt(theta[arc], s / rates[arc])
                        slope += slopes[i] / rates[arc]
                    else:
                        rises[i], slopes[i], divergences[i] = 1.0 - theta[arc], 0.0, np.inf
                    total += rises[i]
            if total < 0.0:
                low = s
            else:
                high = s
            if abs(total) <= 1e-15 * gaps[c] or low >= high * (1.0 - 1e-15):
                break
            step = s - total / slope if slope > 0.0 and k < NEWTON_STEPS else -1.0
            if not low < step < high:
                step = 4.0 * s if high == np.inf else (0.25 * s if low == 0.0 else math.sqrt(low) * math.sqrt(high))
            if step == s:
                break
            s = step
        value = -s * total
        for i in range(ptr[c], ptr[c + 1]):
            if informative[arcs[i]] and rates[arcs[i]] > 0.0:
                value += rates[arcs[i]] * divergences[i]
        values[c], prices[c] = value, s
        if abs(total) > 1e-15 * gaps[c] and 0.0 < low <= high < np.inf:
            _meet_the_gap(ptr[c], ptr[c + 1], arcs, gaps[c], informative, theta, rates, low, high, rises, divergences)
    return values, prices, rises, divergences, slopes


@kernel
def _meet_the_gap(
    begin: int, end: int, arcs: IntArray, gap: float, informative: BoolArray, theta: FloatArray, rates: FloatArray,
    low: float, high: float, rises: FloatArray, divergences: FloatArray,
) -> None:  # fmt: skip
    """Raises of the played items between those at two prices, neighbours but for rounding, so that all add up to the gap.

    Raises of means next to 0 and 1 change much from one price to the next, for which prices have no digits.
    """
    least = most = -gap
    for i in range(begin, end):
        arc = arcs[i]
        if informative[arc]:
            least += tilt(theta[arc], low / rates[arc])[0] if rates[arc] > 0.0 else 1.0 - theta[arc]
            most += tilt(theta[arc], high / rates[arc])[0] if rates[arc] > 0.0 else 1.0 - theta[arc]
    if not least < 0.0 < most:
        return
    share = -least / (most - least)
    for i in range(begin, end):
        arc = arcs[i]
        if informative[arc] and rates[arc] > 0.0:
            from_low, from_high = tilt(theta[arc], low / rates[arc])[0], tilt(theta[arc], high / rates[arc])[0]
            rise = from_low + share * (from_high - from_low)
            if rise < 1.0 - theta[arc]:
                rises[i], divergences[i] = rise, divergence(theta[arc], rise)


@kernel
def newton_matrix(
    ptr: IntArray, arcs: IntArray, multipliers: FloatArray, slacks: FloatArray, informative: BoolArray,
    rates: FloatArray, prices: FloatArray, divergences: FloatArray, slopes: FloatArray,
) -> FloatArray:  # fmt: skip
    """``sum over cycles of mu/t a a' - mu Hess f``, with a the gradient of f, in relative changes of the rates.

    With b_i = s slope_i / w_i^2: ``Hess f = b b' / sum(slope/w) - diag(s^2 slope / w^3)``. Entry (i, j) is multiplied by
    w_i w_j.
    """
    n = len(rates)
    matrix = np.zeros((n, n))
    for c in range(len(ptr) - 1):
        mu, s = multipliers[c], prices[c]
        weight = 0.0
        for i in range(ptr[c], ptr[c + 1]):
            if informative[arcs[i]]:
                weight += slopes[i] / rates[arcs[i]]
        for i in range(ptr[c], ptr[c + 1]):
            e = arcs[i]
            if not informative[e]:
                continue
            a, b = divergences[i] * rates[e], s * slopes[i] / rates[e]
            matrix[e, e] += mu * s * b
            for j in range(ptr[c], ptr[c + 1]):
                g = arcs[j]
                if not informative[g]:
                    continue
                matrix[e, g] += mu / slacks[c] * a * (divergences[j] * rates[g])
                if weight > 0.0:
                    matrix[e, g] -= mu * b * (s * slopes[j] / rates[g]) / weight
    return matrix
