"""Which differences between sums count, and which are rounding."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray

FORGIVEN = 1e-12
"""Two sums over a decision count as equal if they differ by at most this times m times the largest number summed."""
MOST_STEPS = 1e9
"""Integers are recognised as such if their sums stay below this many times their greatest common divisor."""


def forgiven(weights: FloatArray, m: int) -> float:
    """Difference of two sums of `weights` over decisions of at most m items that counts as rounding."""
    return FORGIVEN * m * float(np.abs(weights).max(initial=0.0))


def granularity(weights: FloatArray) -> float:
    """A positive number of which all sums of `weights` are multiples: their common divisor if they are integers, else 0."""
    total = float(np.abs(weights).sum())
    if not 0.0 < total < 2.0**53 or (weights != np.floor(weights)).any():
        return 0.0
    divisor = float(np.gcd.reduce(np.abs(weights).astype(np.int64)))
    return divisor if total < MOST_STEPS * divisor else 0.0
