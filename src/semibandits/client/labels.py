"""Labels and outcomes as JSON. JSON has no tuples, so that labels that are tuples travel as lists."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from semibandits._pandas import has_index, numbers_rows
from semibandits.errors import InvalidInputError

Outcome: TypeAlias = Iterable[float | None] | Mapping[Hashable, float | None]
"""Numbers in the order of the items of a round, or by label; None or NaN where an item was not observed."""


def decoded_label(value: Any) -> Hashable:
    """The label of a JSON value, with tuples for lists."""
    if isinstance(value, list):
        return tuple(map(decoded_label, value))
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"{value!r} is not a label")


def decoded_labels(values: list[Any]) -> tuple[Hashable, ...]:
    """The labels of a JSON list."""
    return tuple(map(decoded_label, values))


def encoded_labels(labels: Iterable[Hashable], what: str) -> list[Any]:
    """Labels as a JSON list; of a mapping or Series from label to truth value, those with True.

    Raises
    ------
    InvalidInputError
        If they are no collection of labels.
    """
    by_label = _by_label(labels)
    if by_label and all(type(value).__name__ in ("bool", "bool_") for _, value in by_label):
        labels = [label for label, value in by_label if value]
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise InvalidInputError(
            f"{what} must be a collection of labels, got {labels!r}: pass for instance {what}={{'a', 'b'}}; the service takes no "
            "functions"
        )
    return [_plain(label) for label in labels]


def encoded_outcome(outcome: Outcome, what: str, round_id: int) -> list[Any] | dict[str, Any]:
    """An outcome as JSON: a list of numbers in order, or of pairs [label, number]; an object if a mapping is empty.

    An empty list of pairs would be an empty list of numbers.

    Raises
    ------
    InvalidInputError
        If a value is no number, or infinite.
    """
    by_label = _by_label(outcome)
    if by_label is not None:
        return [[_plain(label), _number(value, what, round_id)] for label, value in by_label] or {}
    if isinstance(outcome, str | bytes) or not isinstance(outcome, Iterable):
        raise InvalidInputError(
            f"{what} of round {round_id} must be a sequence of numbers or a mapping from label to number, got {outcome!r}: pass "
            "one number per item of the round"
        )
    return [_number(value, what, round_id) for value in outcome]


def _by_label(values: Any) -> list[tuple[Any, Any]] | None:
    """Entries of a mapping or of a Series with their labels; None for all others, and Series with the index of rows."""
    if isinstance(values, Mapping):
        return list(values.items())
    return list(values.items()) if has_index(values) and not numbers_rows(values.index) else None


def _number(value: Any, what: str, round_id: int) -> float | None:
    try:
        number = None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if isinstance(value, str | bytes) or (number is not None and math.isinf(number)):
        raise InvalidInputError(
            f"{what} of round {round_id} must be finite numbers, or None where nothing was observed, got {value!r}: correct it"
        )
    return None if number is None or math.isnan(number) else number


def _plain(label: Any) -> Any:
    """A label as JSON; numbers of NumPy become those of Python."""
    if isinstance(label, tuple | list):
        return [_plain(part) for part in label]
    plain = label.item() if hasattr(label, "item") and not isinstance(label, type) else label
    if plain is None or isinstance(plain, bool | int | str) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise InvalidInputError(
        f"a label must be a string, a finite number, a boolean, None, or a tuple of these, got {label!r}: use one of these"
    )
