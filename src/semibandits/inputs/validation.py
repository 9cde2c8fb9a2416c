"""Validation of user input; each failure raises one clear error."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from semibandits._typing import ArrayLike, BoolArray, FloatArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.labelled import Items, has_labels, in_item_order
from semibandits.inputs.pandas_objects import numbers_rows

FARTHEST: Final = 1e9
"""Largest coordinate of a node, so that figures can be computed; lengths in metres on earth are shorter."""

THREADED: Final = 10_000
"""Numbers above which a scalar product uses threads, which wait milliseconds for each other on a busy machine."""


def as_floats(values: ArrayLike, name: str) -> FloatArray:
    """Array of finite float64, of any shape."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "c":  # NumPy would drop the imaginary parts
        raise InvalidInputError(f"{name} must hold real numbers, got {values.dtype} ones: pass their real parts")
    if has_labels(values) and (isinstance(values, Mapping) or not numbers_rows(cast("Any", values).index)):
        raise InvalidInputError(
            f"{name} must be numbers in the order of the items, got a {type(values).__name__} with labels, which are not known "
            "here: pass for instance [numbers[item] for item in decision_set.items], or .to_numpy() of a Series in order"
        )
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(f"{name} must be an array of numbers, got {type(values).__name__}: {error}") from error
    is_large = array.size > THREADED  # for few numbers, one call is fastest, and this function is called very often
    if np.isfinite(array).all() if is_large else math.isfinite(np.vdot(array, array)):
        return array
    bad = np.flatnonzero(~np.isfinite(array.ravel()))
    if bad.size:  # otherwise only the squares overflow
        raise InvalidInputError(
            f"{name} must be finite, got {array.ravel()[bad[0]]} at index {bad[0]}: "
            "replace or drop the items whose value is unknown"
        )
    return array


def finite_number(value: object, name: str) -> float:
    """A finite float; texts are refused."""
    try:
        number = math.nan if isinstance(value, str | bytes) else float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInputError(f"{name} must be a finite number, got {value!r}: pass one")
    return number


def item_vector(values: ArrayLike, of: int | Items, name: str) -> FloatArray:
    """Finite float64 array of shape ``(d,)``: one number per item; also by label for the items of a decision set."""
    d = of if isinstance(of, int) else of.d
    array = as_floats(values if isinstance(of, int) else in_item_order(values, of, name), name)
    if array.shape != (d,):
        raise InvalidInputError(f"{name} must have shape (d,) = ({d},), got {array.shape}: pass one number per item")
    return array


def variance_vector(variance: ArrayLike, of: int | Items) -> FloatArray:
    """Positive variances of shape ``(d,)`` from a scalar or one number per item, as for `item_vector`."""
    d = of if isinstance(of, int) else of.d
    array = as_floats(variance if isinstance(of, int) else in_item_order(variance, of, "variance"), "variance")
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
            f"variance must be positive, got {array[bad[0]]} for item {bad[0]}: leave out items whose reward is known exactly"
        )
    return array


def node_places(nodes: Sequence[Hashable], positions: Mapping[Hashable, tuple[float, float]]) -> FloatArray:
    """Positions of nodes as an array of shape ``(n, 2)``, with coordinates of at most `FARTHEST` in absolute value."""
    places: FloatArray = np.empty((len(nodes), 2))
    for v, node in enumerate(nodes):
        if node not in positions:
            raise InvalidInputError(
                f"positions must place every node, got none for {node!r}: add positions[{node!r}], or drop positions"
            )
        try:
            places[v] = place = np.array(positions[node], dtype=np.float64)
            is_place = place.shape == (2,) and np.abs(place).max() <= FARTHEST
        except (TypeError, ValueError, OverflowError):  # ragged, not numbers, or too large
            is_place = False
        if not is_place:
            raise InvalidInputError(
                f"positions must be pairs (x, y) of numbers up to 1e9, got {reprlib.repr(positions[node])} for {node!r}: "
                "give two numbers for each node"
            )
    return places


def check_entries(name: str, wanted: str, values: NDArray[Any], valid: NDArray[np.bool_]) -> None:
    """Raise an error that shows the first invalid entry, if there is one.

    `name` is that of the array, `wanted` the requirement on its entries, and `valid`, of its shape, whether each meets it.
    """
    wrong = np.argwhere(~valid)
    if len(wrong):
        at = ", ".join(map(str, wrong[0].tolist()))
        value = values[tuple(wrong[0])].item()
        raise InvalidInputError(
            f"{name} must be {wanted}, but {len(wrong)} of {valid.size} values are not (first: {value!r} at index {at})"
        )


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


def checked_answer(answer: object, d: int, m: int) -> BoolArray:
    """A copy of a result of `maximize` as a boolean array of shape ``(d,)``; an error if it cannot be a decision."""
    x = as_decision(answer, d)
    if x is None or np.count_nonzero(x) > m:
        raise InvalidInputError(
            f"maximize must return a 0/1 vector of shape (d,) = ({d},) with at most m = {m} ones, got {answer!r}: "
            "fix maximize or m of the decision set"
        )
    return x.copy()
