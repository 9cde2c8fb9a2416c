"""Which differences between sums count, and which are rounding."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray

FORGIVEN = 1e-12
"""Two sums over a decision count as equal if they differ by at most this times m times the largest number summed."""
COMFORT = 1e50
"""Numbers are rescaled if the largest is above this or below its inverse."""
NEGLIGIBLE = 1e-100
"""What is this much smaller than the largest number counts as 0: products and quotients of what remains are finite."""
MOST_STEPS = 1e9
"""Integers are recognised as such if their sums stay below this many times their greatest common divisor."""


def forgiven(weights: FloatArray, m: int) -> float:
    """Difference of two sums of `weights` over decisions of at most m items that counts as rounding."""
    return FORGIVEN * m * float(np.abs(weights).max(initial=0.0))


def exponent(largest: float) -> int:
    """Power of two by which numbers up to `largest` are to be multiplied so that none is far from 1 in size; mostly 0."""
    if largest == 0.0 or 1.0 / COMFORT <= largest <= COMFORT:
        return 0
    return -int(np.frexp(largest)[1])


def rescaled(weights: FloatArray, largest: float, power: int) -> FloatArray:
    """Weights times ``2**power``; those that are negligible beside `largest` count as 0."""
    sizes = np.abs(weights)
    negligible = (sizes > 0) & (sizes <= NEGLIGIBLE * largest)
    weights = np.where(negligible, 0.0, weights) if negligible.any() else weights
    return np.ldexp(weights, power) if power else weights


def granularity(weights: FloatArray) -> float:
    """A positive number of which all sums of `weights` are multiples: their common divisor if they are integers, else 0."""
    total = float(np.abs(weights).sum())
    if not 0.0 < total < 2.0**53 or (weights != np.floor(weights)).any():
        return 0.0
    divisor = float(np.gcd.reduce(np.abs(weights).astype(np.int64)))
    return divisor if total < MOST_STEPS * divisor else 0.0
