"""Arrays and other values for specifications: small ones in full, large ones as a digest."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Collection
from typing import Any, Final

import numpy as np

from semibandits._typing import FloatArray

MOST_NUMBERS = 64
"""Arrays with more numbers are described by a digest."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
LONG = 1_000
"""Longer texts are replaced by a digest."""


def described(values: float | FloatArray) -> Any:
    """A number, nested lists of numbers, or ``{"sha256": ..., "shape": ...}`` of the little-endian float64 bytes in C order."""
    array = np.asarray(values, dtype="<f8") + 0.0  # turns -0.0 into 0.0
    if array.size <= MOST_NUMBERS:
        return array.tolist()
    return {"sha256": hashlib.sha256(array.tobytes()).hexdigest(), "shape": list(array.shape)}


def own_attributes(instance: object, without: Collection[str] = ()) -> dict[str, str]:
    """The attributes of an object of a user's class as texts, by name; objects without a text of their own as a digest."""
    return {name: _text(value) for name, value in sorted(vars(instance).items()) if name not in without}


def _text(value: object) -> str:
    text = full_repr(value)
    if not _ADDRESS.search(text):
        return text
    import cloudpickle

    return hashlib.sha256(cloudpickle.dumps(value)).hexdigest()


def full_repr(value: object) -> str:
    """``repr`` of a value with all its numbers, or the SHA-256 digest of that text if it is long."""
    with np.printoptions(threshold=sys.maxsize, precision=17, floatmode="unique"):
        text = repr(value)
    return text if len(text) <= LONG else hashlib.sha256(text.encode()).hexdigest()
