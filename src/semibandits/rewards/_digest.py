"""Arrays in plain JSON: small ones in full, large ones as a digest."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np

from semibandits._typing import FloatArray

MOST_NUMBERS = 64
"""Arrays above this size are described by their digest."""
LONG = 1_000
"""Texts above this length, too."""


def described(values: float | FloatArray) -> Any:
    """A number, nested lists of them, or ``{"sha256": ..., "shape": ...}`` of the little-endian float64 bytes, row by row."""
    array = np.asarray(values, dtype="<f8") + 0.0  # -0.0 and 0.0 are one number
    if array.size <= MOST_NUMBERS:
        return array.tolist()
    return {"sha256": hashlib.sha256(array.tobytes()).hexdigest(), "shape": list(array.shape)}


def in_full(value: object) -> str:
    """What a value is called with all its numbers, or a SHA-256 digest of that if it is long."""
    with np.printoptions(threshold=sys.maxsize, precision=17, floatmode="unique"):
        text = repr(value)
    return text if len(text) <= LONG else hashlib.sha256(text.encode()).hexdigest()
