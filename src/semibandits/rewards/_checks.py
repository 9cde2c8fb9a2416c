"""Validation of the arguments of reward models; each failure raises one clear error."""

from __future__ import annotations

import numpy as np

from semibandits._typing import ArrayLike, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.costs import negated
from semibandits.inputs.outcomes import one_of
from semibandits.inputs.validation import as_floats, check_kind, check_numbers, check_shape, variance_vector

LARGEST_NUMBER = 1e100
"""Means, variances and outcomes above this are refused: their squares and sums might overflow."""


def bounded_floats(values: ArrayLike, name: str) -> FloatArray:
    """A new C-contiguous array of numbers whose squares do not overflow."""
    array = np.array(as_floats(values, name), dtype=np.float64, order="C")
    largest = float(np.abs(array).max(initial=0.0))
    if largest > LARGEST_NUMBER:
        raise InvalidInputError(
            f"{name} must be at most {LARGEST_NUMBER:g} in absolute value, got {largest:g}: "
            "give rewards in a larger unit, their sums might overflow"
        )
    return array


def mean_vector(theta: ArrayLike | None, costs: ArrayLike | None = None) -> FloatArray:
    """Mean rewards of shape ``(d,)`` with d >= 1, in a new array, from mean rewards or mean costs."""
    given, in_costs = one_of(theta, costs, "theta")
    name, noun = ("costs", "cost") if in_costs else ("theta", "reward")
    array = bounded_floats(given, name)
    if array.ndim != 1 or array.size == 0:
        raise InvalidInputError(f"{name} must have shape (d,) with d >= 1, got {array.shape}: pass the mean {noun} of each item")
    return negated(array) if in_costs else array


def variance_proxy(variance: ArrayLike, d: int) -> float | FloatArray:
    """A positive variance: a float for a scalar, or else a new array of shape ``(d,)``."""
    array = bounded_floats(variance, "variance")
    vector = variance_vector(array, d)
    return float(array) if array.shape == () else vector


def item_indices(items: ArrayLike, d: int, rng: object) -> IntArray:
    """Indices of items in a new array; `rng` must be a Generator."""
    check_kind(rng, np.random.Generator, "rng", "pass numpy.random.default_rng(seed)")
    array = np.asarray(items)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInputError(
            f"items must be indices of items with shape (k,), got {array.dtype} with shape {array.shape}: "
            "pass numpy.flatnonzero(decision)"
        )
    indices = array.astype(np.int64)
    bad = np.flatnonzero((indices < 0) | (indices >= d))
    if bad.size:
        raise InvalidInputError(
            f"items must be indices in 0 .. d - 1 = {d - 1}, got {array[bad[0]]}: pass items of this reward model"
        )
    return indices


def refuse_masked(values: object, name: str) -> None:
    """Refuse masked entries in an array or a sequence: NumPy would read the data under the mask."""
    masked = np.zeros(0, dtype=np.bool_)
    if isinstance(values, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(values)
    elif isinstance(values, list | tuple):
        masked = np.array([value is np.ma.masked for value in values], dtype=np.bool_)
    bad = np.flatnonzero(masked)
    if bad.size:
        raise InvalidInputError(f"{name} must hold a number for each item, got a masked entry at index {bad[0]}: fill it in")


def checked_rewards(values: object, k: int, source: str) -> FloatArray:
    """Rewards drawn by user code, named `source`, as a new array of k finite numbers."""
    refuse_masked(values, f"rewards of {source}")
    try:
        array = np.array(values)
        array = array if array.dtype.kind == "c" else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"rewards of {source} must be an array of numbers, got {type(values).__name__}: {error}"
        ) from error
    if array.dtype.kind == "c":  # NumPy would drop the imaginary parts
        raise InvalidInputError(f"rewards of {source} must hold real numbers, got {array.dtype} ones: return their real parts")
    name, too_large = f"rewards of {source}", "return rewards in a larger unit, their sums might overflow"
    check_shape(array, (k,), "(k,)", name, "return one reward per item, in the order of items")
    check_numbers(array, ~np.isfinite(array), name, "be finite", "return finite rewards", at="at index")
    is_large = np.abs(array) > LARGEST_NUMBER
    check_numbers(array, is_large, name, f"be at most {LARGEST_NUMBER:g} in absolute value", too_large, at="at index")
    return array
