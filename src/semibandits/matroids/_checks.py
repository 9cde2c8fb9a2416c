"""Validation of numbers, item indices and labels for matroids."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from typing import TYPE_CHECKING

import numpy as np

from semibandits._typing import IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.frames import is_frame
from semibandits.inputs.labelled import plain, refuse_rounded
from semibandits.kernels.matroids.uniform import first_bad_index

if TYPE_CHECKING:
    from semibandits._typing import ArrayLike


def as_count(value: object, name: str, remedy: str) -> int:
    """`value` as an int >= 0; booleans and floats are rejected."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InvalidInputError(f"{name} must be an integer, got {value!r}: {remedy}")
    if value < 0:
        raise InvalidInputError(f"{name} must be at least 0, got {value}: {remedy}")
    return int(value)


def as_indices(indices: ArrayLike, d: int, name: str = "indices") -> IntArray:
    """`indices` as a contiguous int64 array of distinct items in 0 .. d - 1."""
    array = np.asarray(indices)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInputError(
            f"{name} must be a one-dimensional array of item numbers, got shape {array.shape} and type {array.dtype}: "
            "convert a 0/1 vector with np.flatnonzero(x)"
        )
    array = np.ascontiguousarray(array, dtype=np.int64)
    position = first_bad_index(array, d)
    if position >= 0:
        item = int(array[position])
        if 0 <= item < d:
            raise InvalidInputError(f"{name} must be distinct, got item {item} twice: list each item once")
        raise InvalidInputError(
            f"{name} must contain items >= 0 and < d = {d}, got {item} at position {position}: number items from 0"
        )
    return array


def as_labels(values: object, name: str) -> list[Hashable]:
    """`values` as a list of hashable labels in their order."""
    if is_frame(values):
        raise InvalidInputError(
            f"{name} must be one column of the frame, got a whole {type(values).__name__}: pass for instance frame['name']"
        )
    if isinstance(values, Mapping | Set) or not isinstance(values, Iterable):
        raise InvalidInputError(f"{name} must be a sequence, got {type(values).__name__}: pass a list in the order of the items")
    labels = [plain(label) for label in (values.tolist() if isinstance(values, np.ndarray) else values)]
    for i, label in enumerate(labels):
        refuse_rounded(label, name)
        try:
            hash(label)
        except TypeError as error:
            raise InvalidInputError(
                f"{name} must contain hashable labels, got {label!r} at position {i}: use strings, numbers or tuples"
            ) from error
        if label is None or (isinstance(label, float) and label != label):
            raise InvalidInputError(f"{name} must contain labels, got {label} at position {i}: add the missing label")
    return labels
