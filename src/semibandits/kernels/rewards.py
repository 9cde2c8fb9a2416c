"""Rewards of the chosen items, one round at a time.

A law is a kind, an array of floats and an array of integers, which are described at each kind. Rewards are in the order of the
items. The number of random numbers per round depends on the kind and on k alone, except for kinds that use rejection:
`BETA`, `POISSON`, `GAMMA`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray

GAUSSIAN = 0
"""floats: d means, d standard deviations. ints: d. One normal per item."""
CORRELATED = 1
"""floats: d means, a lower triangular factor of the covariance row by row (d * d numbers). ints: d. Always d normals per
round, so that the reward of an item does not depend on the other items of the decision."""
BERNOULLI = 2
"""floats: d means. ints: d. One uniform per item: 1 if it is below the mean, otherwise 0."""
BETA = 3
"""floats: low, high, d first shapes, d second shapes. ints: d. low + (high - low) * Beta(first, second) per item, capped at
high after rounding, and exactly high if the draw is 1; shapes are at least 1e-100, or 0 for the constant at that end, which
uses no random numbers."""
REPLAY_ITEMS = 4
"""floats: the outcomes, item by item. ints: d + 1 pointers. One uniform per item."""
REPLAY_ROUNDS = 5
"""floats: the outcomes, d numbers per round, round by round. ints: d, number of rounds. One uniform per round."""
STACKED = 6
"""Gaussian; the n-th reward of an item does not depend on the round in which it is drawn. floats: d means, d standard deviations.
ints: d, the key of the stacks (0 until the first draw sets it from one uniform of rng), and the number of rewards drawn for each
item. `draw` writes into ints, so they serve one sequence of rounds only."""

FEW = 10.0
"""Below this mean, Poisson counts are drawn by summing probabilities."""
POISSON = 7
"""floats: d means of counts, and a sign: 1, or -1 for costs. ints: d."""
GAMMA = 8
"""floats: d mean sizes, a sign, the shape. ints: d."""


# One loop over all kinds, few calls of rng, and only inlined helpers: the compiler then removes the reference counting of the
# arrays and of rng. Otherwise it costs four times as much as the five normals of a short round.
@kernel(error_model="numpy")
def draw(
    kind: int, floats: FloatArray, ints: IntArray, items: IntArray, k: int, rng: Any, noise: FloatArray, out: FloatArray
) -> None:
    """Write rewards of ``items[:k]`` into ``out[:k]``; `noise` is scratch of length d, `rng` a NumPy Generator."""
    d = ints[0]
    if kind == STACKED and ints[1] == 0:
        ints[1] = 1 + int(rng.random() * 2.0**53)
    row = d * int(rng.random() * ints[1]) if kind == REPLAY_ROUNDS else 0
    for c in range(d if kind == CORRELATED else 0):
        noise[c] = rng.standard_normal()
    for j in range(k):
        i = items[j]
        if kind == GAUSSIAN:
            out[j] = floats[i] + floats[d + i] * rng.standard_normal()
        elif kind == STACKED:
            ints[2 + i] += 1
            out[j] = floats[i] + floats[d + i] * stacked_normal(ints[1], i, ints[2 + i])
        elif kind == BERNOULLI:
            out[j] = 1.0 if rng.random() < floats[i] else 0.0
        elif kind == CORRELATED:
            deviation = 0.0
            for c in range(i + 1):
                deviation += floats[d + i * d + c] * noise[c]
            out[j] = floats[i] + deviation
        elif kind == BETA:
            share = _beta(floats[2 + i], floats[2 + d + i], rng)
            out[j] = floats[1] if share == 1.0 else min(floats[0] + (floats[1] - floats[0]) * share, floats[1])
        elif kind == POISSON:
            out[j] = floats[d] * _poisson(floats[i], rng)
        elif kind == GAMMA:
            out[j] = floats[d] * floats[i] / floats[d + 1] * _gamma(floats[d + 1], rng)
        elif kind == REPLAY_ITEMS:
            out[j] = floats[ints[i] + int(rng.random() * (ints[i + 1] - ints[i]))]
        else:
            out[j] = floats[row + i]


@kernel(inline="always")
def stacked_normal(key: int, item: int, n: int) -> float:
    """A standard normal number as a function of three integers: uniforms from a hash, and the Box-Muller transform."""
    stack = mixed(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(item) * np.uint64(0xD1B54A32D192ED03))
    place = stack + np.uint64(n) * np.uint64(0x9E3779B97F4A7C15)
    first, second = mixed(place), mixed(place ^ np.uint64(0xA0761D6478BD642F))
    radius = math.sqrt(-2.0 * math.log((np.float64(first >> np.uint64(11)) + 0.5) * 2.0**-53))
    return radius * math.cos(2.0 * math.pi * np.float64(second >> np.uint64(11)) * 2.0**-53)


@kernel(inline="always")
def mixed(z: np.uint64) -> np.uint64:
    """Hash 64 bits by the finaliser of SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel(error_model="numpy")
def _beta(a: float, b: float, rng: Any) -> float:
    """Draw from Beta(a, b) by rejection from a log-logistic law, in logarithms: small shapes make its odds overflow.

    Cheng (1978), "Generating beta variates with nonintegral shape parameters", algorithm BA: at most 4 trials on average.
    """
    if a == 0.0 or b == 0.0:
        return 0.0 if a == 0.0 else 1.0
    total = a + b
    excess = (a - 1.0) + (b - 1.0)  # written so that it and the product below stay positive for shapes just above 1
    slope = 1.0 / min(a, b) if min(a, b) <= 1.0 else math.sqrt(excess / (a * (b - 1.0) + b * (a - 1.0)))
    weight = a + 1.0 / slope
    while True:
        u, accept = rng.random(), math.log(1.0 - rng.random())
        if u == 0.0:
            continue
        log_odds = slope * math.log(u / (1.0 - u))  # of the draw, up to log(a / b)
        other = math.exp(-abs(log_odds))
        scale = max(log_odds, 0.0) + math.log(a + b * other if log_odds > 0.0 else b + a * other)
        if total * (math.log(total) - scale) + weight * log_odds - math.log(4.0) >= 2.0 * math.log(u) + accept:
            return a / (a + b * other) if log_odds > 0.0 else a * other / (b + a * other)


@kernel(error_model="numpy")
def _poisson(mean: float, rng: Any) -> float:
    """A Poisson count, by summing probabilities for means below 10 and by rejection for larger means.

    Hörmann (1993), "The transformed rejection method for generating Poisson random variables", algorithm PTRS.
    """
    if mean < FEW:
        count, probability = 0.0, math.exp(-mean)
        left = rng.random() - probability
        while left >= 0.0 and probability > 0.0:
            count += 1.0
            probability *= mean / count
            left -= probability
        return count
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    scale, sure, log_mean = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0), math.log(mean)
    while True:
        u, v = rng.random() - 0.5, 1.0 - rng.random()
        side = 0.5 - abs(u)
        count = math.floor((2.0 * a / side + b) * u + mean + 0.43) if side > 0.0 else -1.0
        if side >= 0.07 and v <= sure:
            return count
        if count < 0.0 or (side < 0.013 and v > side):
            continue
        if math.log(v * scale / (a / (side * side) + b)) <= count * log_mean - mean - _log_factorial(count):
            return count


@kernel(error_model="numpy")
def _log_factorial(n: float) -> float:
    """Log n! by Stirling's series, with a shift for small n."""
    shift = 1.0
    while n < FEW:
        n += 1.0
        shift *= n
    x = n + 1.0
    series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * x * x)) / (x * x)) / x
    return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2.0 * math.pi) + series - math.log(shift)


@kernel(error_model="numpy")
def _gamma(shape: float, rng: Any) -> float:
    """A draw from Gamma(shape) of scale 1.

    Marsaglia, Tsang (2000), "A simple method for generating gamma variables"; shapes below 1 by a power of a uniform number.
    """
    boost = math.exp(math.log(1.0 - rng.random()) / shape) if shape < 1.0 else 1.0
    d = (shape if shape >= 1.0 else shape + 1.0) - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = rng.standard_normal()
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if math.log(1.0 - rng.random()) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
                drawn: float = boost * d * v
                return drawn
