"""Tolerances and scaling for sums in floating point."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray

FORGIVEN = 1e-12
"""Two sums over a decision count as equal if they differ by at most this times m times the largest number summed."""
LARGEST_UNSCALED = 1e50
"""Numbers are rescaled if the largest is above this or below its inverse."""
NEGLIGIBLE = 1e-100
"""Numbers at most this fraction of the largest count as 0, so that products and quotients of the others are finite."""
MOST_STEPS = 1e9
"""Integers are treated as such if their sums stay below this many times their greatest common divisor."""


def forgiven(weights: FloatArray, m: int) -> float:
    """Tolerance for sums of `weights` over decisions of at most m items: smaller differences count as rounding."""
    return FORGIVEN * m * float(np.abs(weights).max(initial=0.0))


def exponent(largest: float) -> int:
    """Power of two that scales numbers up to `largest` to moderate size; mostly 0."""
    if largest == 0.0 or 1.0 / LARGEST_UNSCALED <= largest <= LARGEST_UNSCALED:
        return 0
    return -int(np.frexp(largest)[1])


def rescaled(weights: FloatArray, largest: float, power: int) -> FloatArray:
    """Weights times ``2**power``, with 0 for those that are negligible compared with `largest`."""
    sizes = np.abs(weights)
    negligible = (sizes > 0) & (sizes <= NEGLIGIBLE * largest)
    weights = np.where(negligible, 0.0, weights) if negligible.any() else weights
    return np.ldexp(weights, power) if power else weights


def granularity(weights: FloatArray) -> float:
    """Greatest common divisor of integer `weights`, of which all their sums are multiples; 0 if they are not integers."""
    total = float(np.abs(weights).sum())
    if not 0.0 < total < 2.0**53 or (weights != np.floor(weights)).any():
        return 0.0
    divisor = float(np.gcd.reduce(np.abs(weights).astype(np.int64)))
    return divisor if total < MOST_STEPS * divisor else 0.0
