"""Numbers that the plain formula would rob of their digits."""

from __future__ import annotations

import numpy as np

from semibandits._typing import FloatArray

NEAR = 0.1
"""Arguments up to this size go by the series."""
TERMS = 7


def excess(x: FloatArray) -> FloatArray:
    """``x - log(1 + x)`` for x > -1, to 15 digits; inf at -1.

    With z = x / (2 + x), ``log(1 + x) = 2 (z + z^3/3 + z^5/5 + ...)``, and x - 2 z = x z.
    """
    x = np.asarray(x, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = x - np.log1p(x)
    near = np.abs(x) < NEAR
    if not near.any():
        return far
    small = np.where(near, x, 0.0)
    z = small / (2.0 + small)
    square, tail = z * z, np.zeros_like(z)
    for k in range(2 * TERMS + 1, 1, -2):
        tail = tail * square + 1.0 / k
    return np.where(near, small * z - 2.0 * z * square * tail, far)
