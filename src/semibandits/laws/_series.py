"""x - log(1 + x) without the cancellation of the direct formula."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray

NEAR = 0.1
"""Arguments with a smaller absolute value use the series."""
TERMS = 7


def excess(x: FloatArray) -> FloatArray:
    """``x - log(1 + x)`` for x > -1, to 15 digits; inf at -1.

    With z = x / (2 + x), ``log(1 + x) = 2 (z + z^3/3 + z^5/5 + ...)``, and x - 2 z = x z.
    """
    x = np.asarray(x, dtype=np.float64)
    near = np.abs(x) < NEAR
    few = np.count_nonzero(near)
    if few == x.size:
        return _series(x)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = np.asarray(x - np.log1p(x))
    if few:
        value[near] = _series(x[near])
    return value


def _series(x: FloatArray) -> FloatArray:
    z = x / (2.0 + x)
    square = z * z
    tail = np.full_like(z, 1.0 / (2 * TERMS + 1))
    for k in range(2 * TERMS - 1, 1, -2):
        tail *= square
        tail += 1.0 / k
    return np.asarray(x * z - 2.0 * z * square * tail)
