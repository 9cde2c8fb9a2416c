"""Items that users select: those that can be chosen in a round, or those of a decision."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from semibandits._typing import ArrayLike, BoolArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.fields import nearest
from semibandits.inputs.labelled import MOST_COMPARED, arranged, refuse_rounded
from semibandits.inputs.outcomes import are_bits, is_mask
from semibandits.inputs.pandas_objects import has_index
from semibandits.inputs.validation import check_shape

Available: TypeAlias = ArrayLike | Collection[Hashable] | Mapping[Hashable, bool] | Callable[[Any], bool]
"""A mask of the items, in order or by label, a collection of labels, or a predicate of a label."""


def selected_items(given: object, labels: tuple[Hashable, ...], name: str = "available") -> BoolArray:
    """The selected items, as a new array of shape (d,), from a mask, a mapping from label to bool, a collection of labels, or a
    function of a label. Numbers that are all 0 or 1, with repetitions, are a mask. Labels may be indices if no label is an
    integer.
    """
    if callable(given):
        return np.array([bool(given(label)) for label in labels], dtype=np.bool_)
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise InvalidInputError(
            f"{name} must be a mask, a collection of labels or a function of a label, got {given!r}: pass for instance "
            f"{name}={{'a', 'b'}}"
        )
    if isinstance(given, np.ndarray) and given.dtype == np.bool_:
        return mask_of(given, len(labels), name)
    by_label: Any = given
    is_mapping = isinstance(by_label, Mapping)
    listed = list(by_label.values()) if is_mapping else _listed(given)
    holds_labels = is_mapping or (has_index(given) and set(by_label.index) == set(labels))
    if is_mask(listed) or (holds_labels and are_bits(listed)):
        return mask_of(_listed(arranged(given, labels, name)), len(labels), name)
    if is_mapping:
        raise InvalidInputError(
            f"{name} must have True or False for each label, got {listed!r}: pass labels as a list, or a function of a label"
        )
    return _labelled(listed, labels, name)


def _listed(values: Collection[Any]) -> list[Any]:
    return np.atleast_1d(values).tolist() if isinstance(values, np.ndarray) else list(values)


def mask_of(entries: ArrayLike, d: int, name: str) -> BoolArray:
    """A new mask of d entries; another number of them is refused."""
    values = np.array(entries, dtype=np.bool_)
    check_shape(values, (d,), "(d,)", f"{name} as a mask", "pass one boolean per item, or each label once")
    return values


def _labelled(listed: list[Any], labels: tuple[Hashable, ...], name: str) -> BoolArray:
    """Items with these labels, or with these indices if no label is an integer."""
    by_index = not any(isinstance(label, int | np.integer) for label in labels)
    try:
        given = set(map(_hashable, listed))
        known = {*labels, *(range(len(labels)) if by_index else ())}
        unknown = [label for label in given if label not in known]
    except TypeError as error:
        raise InvalidInputError(f"{name} must hold labels of items, got something else: {error}") from error
    for label in given:
        refuse_rounded(label, name)
    if unknown:
        first = next(label for label in map(_hashable, listed) if label not in known)
        if isinstance(labels[0], tuple) and not isinstance(first, tuple):
            raise InvalidInputError(
                f"{name} must hold labels of items, such as {labels[0]!r}, got {first!r}, which is no pair: pass pairs, or a "
                "function of a pair, such as lambda pair: pair[0] != 'a'"
            )
        raise InvalidInputError(
            f"{name} must hold labels of items, such as {labels[0]!r}, got {len(unknown)} unknown of {len(given)} (first: "
            f"{first!r}){nearest(first, islice(map(str, known), MOST_COMPARED), 'correct them, or pass a function of a label')}"
        )
    return np.array([label in given or (by_index and i in given) for i, label in enumerate(labels)], dtype=np.bool_)


def _hashable(label: Any) -> Hashable:
    return tuple(label) if isinstance(label, list) else label
