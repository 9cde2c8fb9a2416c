"""Validation of numbers, item indices and labels for matroids."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from semibandits._typing import IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.frames import is_frame
from semibandits.inputs.labelled import plain, refuse_rounded
from semibandits.kernels.matroids.uniform import first_bad_index

if TYPE_CHECKING:
    from semibandits._typing import ArrayLike


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


def check_bits(matrix: NDArray[Any], remedy: str) -> None:
    """Refuse entries other than 0 and 1."""
    bad = np.argwhere((matrix != 0) & (matrix != 1))
    if len(bad):
        row, column = bad[0]
        raise InvalidInputError(f"matrix must contain 0 and 1, got {matrix[row, column]} in row {row}, column {column}: {remedy}")


def as_collections(sets: object, content: str, example: str) -> list[Any]:
    """The argument `sets` as a list of arrays and lists; `content`, such as "items", and `example` are for errors."""

    def check(value: object, name: str, wanted: str) -> None:
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            raise InvalidInputError(f"{name} must be {wanted} of {content}, got {reprlib.repr(value)}: pass e.g. {example}")

    check(sets, "sets", "a sequence of collections")
    collections = list(cast("Iterable[Any]", sets))
    for i, collection in enumerate(collections):
        check(collection, f"sets[{i}]", "a collection")
    return [entry if isinstance(entry, np.ndarray) else list(entry) for entry in collections]


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
