"""Arrays and other values for specifications: small ones in full, large ones as a digest."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np

from semibandits._typing import FloatArray

MOST_NUMBERS = 64
"""Arrays with more numbers are described by a digest."""
LONG = 1_000
"""Longer texts are replaced by a digest."""


def described(values: float | FloatArray) -> Any:
    """A number, nested lists of numbers, or ``{"sha256": ..., "shape": ...}`` of the little-endian float64 bytes in C order."""
    array = np.asarray(values, dtype="<f8") + 0.0  # turns -0.0 into 0.0
    if array.size <= MOST_NUMBERS:
        return array.tolist()
    return {"sha256": hashlib.sha256(array.tobytes()).hexdigest(), "shape": list(array.shape)}


def full_repr(value: object) -> str:
    """``repr`` of a value with all its numbers, or the SHA-256 digest of that text if it is long."""
    with np.printoptions(threshold=sys.maxsize, precision=17, floatmode="unique"):
        text = repr(value)
    return text if len(text) <= LONG else hashlib.sha256(text.encode()).hexdigest()
