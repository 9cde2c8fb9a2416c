"""What can be chosen in a round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np

from semibandits._typing import ArrayLike, BoolArray
from semibandits.errors import InvalidInputError

Available: TypeAlias = ArrayLike | Collection[Hashable] | Callable[[Any], bool]
"""A mask of the items, a collection of labels, or a predicate of a label."""


def available_items(available: object, labels: tuple[Hashable, ...]) -> BoolArray:
    """The items that can be chosen, as a new array of shape (d,).

    Parameters
    ----------
    available : array_like of bool, shape (d,), collection of labels, or callable
        Labels may be indices if no label is an integer. A callable is called with the label of each item.
    labels : tuple
        Labels of the items.

    Raises
    ------
    InvalidInputError
        If it is none of these, the mask has another shape, or a label is unknown.
    """
    if callable(available):
        return np.array([bool(available(label)) for label in labels], dtype=np.bool_)
    if isinstance(available, str | bytes | Mapping) or not isinstance(available, Collection):
        raise InvalidInputError(
            f"available must be a mask, a collection of labels or a function of a label, got {available!r}: pass for instance "
            "available={'a', 'b'}"
        )
    if isinstance(available, np.ndarray) and available.dtype == np.bool_:
        return _mask(available, len(labels))
    listed = available.tolist() if isinstance(available, np.ndarray) else list(available)
    if listed and all(isinstance(value, bool | np.bool_) for value in listed):
        return _mask(np.array(listed, dtype=np.bool_), len(labels))
    return _labelled(listed, labels)


def _mask(values: BoolArray, d: int) -> BoolArray:
    if values.shape != (d,):
        raise InvalidInputError(
            f"available must have shape (d,) = ({d},) as a mask, got {values.shape}: pass one boolean per item, or labels"
        )
    return values.copy()


def _labelled(listed: list[Any], labels: tuple[Hashable, ...]) -> BoolArray:
    """Items with these labels, or with these indices if no label is an integer."""
    by_index = not any(isinstance(label, int | np.integer) for label in labels)
    try:
        given = set(map(_hashable, listed))
        known = {*labels, *(range(len(labels)) if by_index else ())}
        unknown = [label for label in given if label not in known]
    except TypeError as error:
        raise InvalidInputError(f"available must hold labels of items, got something else: {error}") from error
    if unknown:
        first = next(label for label in map(_hashable, listed) if label not in known)
        raise InvalidInputError(
            f"available must hold labels of items, such as {labels[0]!r}, got {len(unknown)} unknown of {len(given)} (first: "
            f"{first!r}): correct them, or pass a function of a label"
        )
    return np.array([label in given or (by_index and i in given) for i, label in enumerate(labels)], dtype=np.bool_)


def _hashable(label: Any) -> Hashable:
    return tuple(label) if isinstance(label, list) else label
