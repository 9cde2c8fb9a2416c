"""Laws of rewards for kernels: the functions of :mod:`semibandits.laws` for one item at a time.

A law of d items is an array of 3 d numbers: d kinds, d parameters, and d bounds on the means. All laws are natural exponential
families: a raise e of the mean theta has the divergence d(theta, theta + e) with the slope ``e / V(theta + e)``, where V is the
variance as a function of the mean.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from semibandits.kernels import bernoulli
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray

GAUSSIAN, BERNOULLI, POISSON, POISSON_COST, GAMMA, GAMMA_COST = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0
"""Kinds. The parameter is the variance for the first, the shape for the last two, and unused for the others. Only the first has a
parameter for the bound; the kind determines the bounds of the others."""
WORDS = 3
"""Numbers per item."""
NEWTON_STEPS = 60
EXACT = 1e-12
"""Relative error of divergences at which Newton's method ends, and the least relative distance of a raise from its limit."""
BRACKET = 1e-3
"""Relative width at which the search for the widest raise of a probability stops."""
STEEPEST = 200.0
"""Logarithm of the largest factor by which the mean of a gamma law is raised."""
EDGE, LEAST = 1.0, 1e-100
"""Information of a reward of 0 under a gamma law against the largest mean, in nats, and the least mean that stands for 0."""
FAR = 1e10
"""Raises of more than this many times the mean are computed by logarithms."""


@kernel
def inside(law: FloatArray, i: int, mean: float) -> float:
    """The possible mean of item i that is nearest to `mean`."""
    kind, bound = float(law[i]), float(law[2 * (len(law) // WORDS) + i])
    if kind == BERNOULLI:
        return min(max(mean, 0.0), 1.0)
    if kind in (POISSON, GAMMA):
        return max(mean, 0.0)
    return min(mean, bound)


@kernel
def room(law: FloatArray, i: int, mean: float) -> float:
    """Largest raise of a possible mean of item i."""
    kind, bound = float(law[i]), float(law[2 * (len(law) // WORDS) + i])
    return math.inf if kind in (POISSON, GAMMA) else bound - mean


@kernel
def variance(law: FloatArray, i: int, mean: float) -> float:
    """V, the variance of rewards of this mean."""
    kind, parameter = float(law[i]), float(law[len(law) // WORDS + i])
    if kind == GAUSSIAN:
        return parameter
    if kind == BERNOULLI:
        return mean * (1.0 - mean)
    return abs(mean) if kind in (POISSON, POISSON_COST) else mean * mean / parameter


@kernel
def divergence(law: FloatArray, i: int, mean: float, rise: float) -> float:
    """d(mean, mean + rise), inf where the raised mean is not possible."""
    kind, parameter = float(law[i]), float(law[len(law) // WORDS + i])
    if kind == BERNOULLI:
        return bernoulli.divergence(mean, rise)
    if rise <= 0.0:
        return 0.0
    if kind == GAUSSIAN:
        return rise * rise / (2.0 * parameter) if rise <= room(law, i, mean) else math.inf
    size = abs(mean)
    if kind == POISSON:
        if rise > FAR * size:
            return rise - (size * (math.log(rise) - math.log(size)) if size > 0.0 else 0.0)
        return size * bernoulli.excess(rise / size)
    if kind == GAMMA:
        if size <= 0.0:
            return math.inf
        z = rise / size
        if z < 1.0:
            return parameter * (z * z / (1.0 + z) - bernoulli.excess(z))
        return parameter * (math.log1p(z) - z / (1.0 + z))
    if rise >= size:
        return math.inf
    z = rise / size
    if kind == POISSON_COST:
        return size * bernoulli.excess(-z)
    return parameter * (z * z / (1.0 - z) - bernoulli.excess(-z))


@kernel
def tilt(law: FloatArray, i: int, mean: float, price: float) -> tuple[float, float]:
    """The raise up to which the slope of the divergence is at most `price` >= 0, and the divergence there.

    Both are infinite if the slope is always smaller. The slope for gamma rewards decreases once the mean has doubled; only raises
    up to there are considered.
    """
    kind, parameter = float(law[i]), float(law[len(law) // WORDS + i])
    if kind == BERNOULLI:
        rise, _, information = bernoulli.tilt(mean, price)
        return rise, information
    size = abs(mean)
    if price <= 0.0:
        return 0.0, 0.0
    if kind == GAUSSIAN:
        rise = min(parameter * price, room(law, i, mean))
        return rise, rise * rise / (2.0 * parameter)
    if kind == POISSON:
        if price >= 1.0:
            return math.inf, math.inf
        rise = size * (price / (1.0 - price))
    elif kind == POISSON_COST:
        rise = size * (price / (1.0 + price)) if price < math.inf else size
    else:
        q = price * size / parameter
        if kind == GAMMA:
            if q >= 0.25:
                return math.inf, math.inf
            rise = size * (2.0 * q / (1.0 - 2.0 * q + math.sqrt(1.0 - 4.0 * q)))
        else:
            rise = size * (2.0 * q / (1.0 + 2.0 * q + math.sqrt(1.0 + 4.0 * q))) if q < math.inf else size
    return rise, divergence(law, i, mean, rise)


@kernel
def conjugate(law: FloatArray, i: int, mean: float, rate: float, price: float) -> float:
    """Maximum of ``price * raise - rate * divergence`` for an item that is played `rate` > 0 times, rounded up."""
    if law[i] == BERNOULLI:
        return bernoulli.conjugate(mean, rate, price)
    rise, information = tilt(law, i, mean, price / rate)
    if rise == math.inf:
        return math.inf
    return price * rise - rate * information + bernoulli.ROUNDING * (price * rise + rate * information)


@kernel
def radius(law: FloatArray, i: int, mean: float, information: float) -> float:
    """The raise with d(mean, mean + raise) = information, at most the largest possible raise: the radius of KL-UCB.

    Newton's method starts from a larger raise and decreases to the root, since divergences are convex. The divergence of gamma
    rewards is convex in the logarithm of the mean.
    """
    kind, parameter, most = float(law[i]), float(law[len(law) // WORDS + i]), room(law, i, mean)
    if most <= 0.0 or information <= 0.0:
        return 0.0
    size = abs(mean)
    if kind == GAUSSIAN:
        return min(math.sqrt(2.0 * parameter * information), most)
    if kind == GAMMA:
        wanted = information / parameter
        grown = min(wanted + 1.0, math.sqrt(2.0 * wanted) + wanted, STEEPEST)
        for _ in range(NEWTON_STEPS):
            excess = grown + math.expm1(-grown) - wanted
            if excess <= EXACT * wanted:
                break
            grown += excess / math.expm1(-grown)
        return size * math.expm1(grown)
    if kind == POISSON:
        # Since d(theta, theta + e) >= e^2 / (2 (theta + e)).
        rise = information + math.sqrt(information * information + 2.0 * size * information)
    else:
        # By Pinsker's inequality for Bernoulli laws, and for costs since their variances decrease.
        spread = 0.25 if kind == BERNOULLI else variance(law, i, mean)
        rise = min(math.sqrt(2.0 * spread * information), most * (1.0 - EXACT))
    for _ in range(NEWTON_STEPS):
        excess = divergence(law, i, mean, rise) - information
        if excess <= EXACT * information:
            break
        rise -= excess * _raised_variance(kind, parameter, mean, rise) / rise
    return max(rise, 0.0)


@kernel
def _raised_variance(kind: float, parameter: float, mean: float, rise: float) -> float:
    """V(mean + rise), accurate also near the largest possible raise."""
    if kind == BERNOULLI:
        return (mean + rise) * ((1.0 - mean) - rise)
    if kind == POISSON:
        return mean + rise
    left = -mean - rise
    return left if kind == POISSON_COST else left * left / parameter


@kernel
def at_edge(law: FloatArray, i: int, largest: float) -> float:
    """The mean that stands for an observed mean of 0 under a gamma law.

    A gamma law excludes 0, but rounded times and amounts are often 0. Without this, one of them would rule out all larger means.
    Each counts as the information `EDGE` against the largest of the observed means.
    """
    return max(largest / (1.0 + radius(law, i, 1.0, EDGE)), LEAST)


@kernel
def widest(law: FloatArray, i: int, mean: float, information: float) -> float:
    """Largest ``raise^2 / d(mean, mean + raise)`` over raises that the information allows, times it, to 1 % from above.

    By Cauchy's inequality sums of raises are at most the root of the sum of these. If variances decrease with the mean, the
    quotient decreases throughout. If not, it increases, for Bernoulli laws up to the root of ``raise d'(raise) = 2 d(raise)``.
    """
    kind = law[i]
    if kind in (POISSON, GAMMA):
        alone = radius(law, i, mean, information)
        return alone * alone
    if kind == BERNOULLI and mean < 0.5:
        return _widest_probability(law, i, mean, information)
    return 2.0 * variance(law, i, mean) * information if room(law, i, mean) > 0.0 else 0.0


@kernel
def _widest_probability(law: FloatArray, i: int, mean: float, information: float) -> float:
    """:func:`widest` for a mean below 1/2 of a Bernoulli law."""
    alone = radius(law, i, mean, information)
    if alone <= 0.0 or _quotient_increases(mean, alone):
        return alone * alone
    low, high = 0.0, alone
    for _ in range(NEWTON_STEPS):
        if high - low <= BRACKET * high:
            break
        middle = 0.5 * (low + high)
        if _quotient_increases(mean, middle):
            low = middle
        else:
            high = middle
    return high * high / bernoulli.divergence(mean, low if low > 0.0 else high) * information


@kernel
def _quotient_increases(mean: float, rise: float) -> bool:
    """Whether ``raise^2 / d`` increases at this raise of a probability."""
    return rise * rise <= 2.0 * bernoulli.divergence(mean, rise) * (mean + rise) * (1.0 - mean - rise)


def array(d: int, kind: float, parameter: ArrayLike = 0.0, bound: ArrayLike = np.inf) -> FloatArray:
    """Law of d items of one kind as an array for these kernels; parameters and bounds are numbers, or one per item."""
    parts = np.empty((WORDS, d))
    parts[0], parts[1], parts[2] = kind, parameter, bound
    return parts.ravel()
