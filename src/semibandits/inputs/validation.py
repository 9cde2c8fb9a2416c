"""Validation of user input; each failure raises one clear error."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Collection, Hashable, Mapping, Sequence
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
    remedy = "replace or drop the items whose value is unknown"
    check_numbers(array.ravel(), ~np.isfinite(array.ravel()), name, "be finite", remedy, at="at index")
    return array  # only the squares overflow


def finite_number(value: object, name: str) -> float:
    """A finite float; texts are refused."""
    try:
        number = math.nan if isinstance(value, str | bytes) else float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInputError(f"{name} must be a finite number, got {value!r}: pass one")
    return number


def number_in(value: object, name: str, low: float, high: float, remedy: str, *, ends: str = "[]") -> float:
    """A finite float from `low` to `high`, which may be inf; `ends` are brackets, round at an excluded end."""
    number = finite_number(value, name)
    is_excluded = (ends[0] == "(" and number == low) or (ends[1] == ")" and number == high)
    if is_excluded or not low <= number <= high:
        wanted = f"lie in {ends[0]}{low:g}, {high:g}{ends[1]}"
        if high == math.inf:
            wanted = f"be >= {low:g}" if ends[0] == "[" else "be positive" if low == 0.0 else f"be > {low:g}"
        raise InvalidInputError(f"{name} must {wanted}, got {number:.10g}: {remedy}")
    return number


def check_kind(value: object, kind: type, name: str, remedy: str) -> None:
    """Refuse anything but an instance of this class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        got = repr(value) if isinstance(value, type) else type(value).__name__
        raise InvalidInputError(f"{name} must be {article} {kind.__name__}, got {got}: {remedy}")


def check_choice(value: object, names: Collection[str], name: str, remedy: str) -> None:
    """Refuse anything but one of these names."""
    if not isinstance(value, str) or value not in names:
        raise InvalidInputError(f"{name} must be one of {', '.join(map(repr, names))}, got {value!r}: {remedy}")


def check_shape(array: NDArray[Any], shape: tuple[int, ...], symbols: str, name: str, remedy: str) -> None:
    """Refuse an array of another shape than this one; `symbols` is the shape in letters, such as "(d,)"."""
    if array.shape != shape:
        raise InvalidInputError(f"{name} must have shape {symbols} = {shape}, got {array.shape}: {remedy}")


def check_numbers(
    values: NDArray[Any], is_wrong: NDArray[np.bool_], name: str, wanted: str, remedy: str, *, at: str = "for item"
) -> None:
    """Raise an error that shows the first wrong number, if there is one; `wanted` follows the word "must"."""
    bad = np.flatnonzero(is_wrong)
    if bad.size:
        raise InvalidInputError(f"{name} must {wanted}, got {values[bad[0]]} {at} {bad[0]}: {remedy}")


def check_sums(are_finite: bool, weights: FloatArray) -> None:
    """Refuse weights whose sums overflow."""
    if not are_finite:
        raise InvalidInputError(f"weights must have finite sums, got weights up to {np.abs(weights).max():g}: scale them down")


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
    check_numbers(array, array <= 0, "variance", "be positive", "leave out items whose reward is known exactly")
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
