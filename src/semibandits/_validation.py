"""Checks of what users hand in, in one place; each failure is one clear error."""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray
from semibandits.errors import InvalidInputError


def as_floats(values: ArrayLike, name: str) -> FloatArray:
    """Array of finite float64, of any shape."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be an array of numbers, got {type(values).__name__}: {error}") from error
    if math.isfinite(np.vdot(array, array)):  # one fast pass, for the calls made a million times
        return array
    bad = np.flatnonzero(~np.isfinite(array.ravel()))
    if bad.size:  # else only the squares overflow
        raise InvalidInputError(
            f"{name} must be finite, got {array.ravel()[bad[0]]} at index {bad[0]}: "
            "replace or drop the items whose value is unknown"
        )
    return array


def item_vector(values: ArrayLike, d: int, name: str) -> FloatArray:
    """Finite float64 array of shape ``(d,)``: one number per item."""
    array = as_floats(values, name)
    if array.shape != (d,):
        raise InvalidInputError(f"{name} must have shape (d,) = ({d},), got {array.shape}: pass one number per item")
    return array


def variance_vector(variance: ArrayLike, d: int) -> FloatArray:
    """Positive variances of shape ``(d,)`` from a scalar or one number per item."""
    array = as_floats(variance, "variance")
    if array.shape == ():
        array = np.full(d, float(array))
    if array.shape != (d,):
        raise InvalidInputError(
            f"variance must be a scalar or have shape (d,) = ({d},), got {array.shape}: "
            "pass one number for all items, or one per item"
        )
    bad = np.flatnonzero(array <= 0)
    if bad.size:
        raise InvalidInputError(
            f"variance must be positive, got {array[bad[0]]} for item {bad[0]}: "
            "an item that is known exactly needs no exploration and can be left out"
        )
    return array


def as_decision(x: object, d: int) -> BoolArray | None:
    """`x` as a boolean array of shape ``(d,)``, or None if it is not a 0/1 vector of that length."""
    try:
        array = np.asarray(x)
    except (TypeError, ValueError):
        return None
    if array.shape != (d,):
        return None
    if array.dtype == np.bool_:
        return array
    if not np.issubdtype(array.dtype, np.number) or not np.isin(array, (0, 1)).all():
        return None
    return array.astype(np.bool_)
