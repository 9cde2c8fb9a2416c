"""Information of Bernoulli rewards: divergences, and the cheapest raises of one item and of a cycle.

d(a, b) is the Kullback-Leibler divergence of Bernoulli laws. A raise of the mean theta of an item that is played w times costs
the information ``w d(theta, theta + raise)``. At a price s per unit of raise the best raise is the root of ``w d'(raise) = s``,
the *tilt* of the item. ``psi(s) = s raise - w d(raise)`` is the convex conjugate of the cost, and a cycle C of gap D looks better
than x* at the cost

    f(C) = min {sum of w d(raise) : sum of raises >= D} = max over s of (s D - sum of psi(s)).

Every s gives a lower bound on f(C), every set of raises an upper bound.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arithmetic import hypotenuse
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray

SMALL = 0.1
"""Largest absolute argument for which `excess` sums its series."""
ROUNDING = 4e-15
"""Relative error of the terms of a tilt; near a mean of 1 their sum can be far smaller than they are."""


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
    """d(theta, theta + rise) for 0 <= theta, 0 <= rise, theta + rise <= 1; inf if the sum is 1, unless theta is 1.

    Both terms are >= 0, so that small raises lose no digits: ``theta excess(rise/theta) + (1-theta) excess(-rise/(1-theta))``.
    """
    if rise <= 0.0:
        return 0.0
    rest = 1.0 - theta
    if not rise < rest:  # also if the raise is nan
        return np.inf
    return _upper_term(theta, rise) + rest * excess(-rise / rest)


@kernel
def _upper_term(theta: float, rise: float) -> float:
    """``theta excess(rise/theta)``; its limit as theta tends to 0 is `rise`."""
    if rise <= 1e10 * theta:
        return theta * excess(rise / theta)
    return rise - theta * (math.log(rise) - math.log(theta)) if theta > 0.0 else rise


@kernel
def tilt(theta: float, price: float) -> tuple[float, float, float]:
    """Best raise at ``price = s/w`` >= 0, its derivative with respect to the price, and d(theta, theta + raise).

    The root of ``price (theta + rise)(1 - theta - rise) = rise`` in [0, 1 - theta]; 1 - theta at an infinite price.
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
    # 1 - theta - rise from its own equation: the difference would lose digits as the rise grows.
    left = 2.0 * rest / (1.0 + price + hypotenuse(1.0 - price, 2.0 * math.sqrt(price * theta)))
    slope = (theta + rise) * left / root if root > 0.0 else 0.0
    if rise <= 0.0:
        return rise, slope, 0.0
    if rise <= SMALL * rest:
        return rise, slope, _upper_term(theta, rise) + rest * excess(-rise / rest)
    return rise, slope, _upper_term(theta, rise) - rise - rest * math.log(left / rest)


@kernel
def conjugate(theta: float, rate: float, price: float) -> float:
    """psi(s) at s = `price` for an item that is played `rate` times: the maximum of ``s raise - rate d``, rounded up."""
    if rate <= 0.0:
        return price * (1.0 - theta) * (1.0 + ROUNDING)
    rise, _, d = tilt(theta, price / rate)
    if rise <= 0.0:
        return 0.0
    terms = price * rise + rate * (d + (rise + 1.0 - theta if rise > SMALL * (1.0 - theta) else 0.0))
    return price * rise - rate * d + ROUNDING * terms


@kernel
def tilts(theta: FloatArray, slopes: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """:func:`tilt` of each pair of mean and price."""
    n = len(theta)
    raises, derivatives, divergences = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        raises[i], derivatives[i], divergences[i] = tilt(theta[i], slopes[i])
    return raises, derivatives, divergences


@kernel
def divergences(theta: FloatArray, rises: FloatArray) -> FloatArray:
    """:func:`divergence` of each pair of mean and raise."""
    n = len(theta)
    found = np.empty(n)
    for i in range(n):
        found[i] = divergence(theta[i], rises[i])
    return found
