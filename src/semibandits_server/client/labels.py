"""Labels and outcomes as JSON. JSON has no tuples, so that labels that are tuples travel as lists."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from semibandits.errors import InvalidInputError
from semibandits.inputs.outcomes import Outcome, about_costs, as_numbers, is_mask, is_truth
from semibandits.inputs.pandas_objects import has_index, numbers_rows
from semibandits_server.wire import Available


def encoded_labels(labels: Any, what: str, *, kind: Any = Iterable) -> list[Any]:
    """Labels as a JSON list; of a mapping or Series from label to truth value, those with True."""
    by_label = _by_label(labels)
    if by_label and all(is_truth(value) for _, value in by_label):
        labels = [label for label, value in by_label if value]
    elif getattr(labels, "ndim", 0):  # with numbers and texts of Python
        labels = labels.tolist()
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, kind):
        raise InvalidInputError(f"{what} must be a collection of labels, got {labels!r}: pass for instance {what}={{'a', 'b'}}")
    return [_plain(label) for label in labels]


def encoded_available(available: Any) -> list[Any] | Available:
    """What is available, as `Learner.ask` takes it: a list of labels, a mask, or pairs of label and truth value."""
    by_label = _by_label(available)
    pairs = None if by_label is None else [(_plain(label), _plain(value)) for label, value in by_label]
    if pairs is None or not (isinstance(available, Mapping) or is_mask([value for _, value in pairs])):
        return encoded_labels(available, "available", kind=Collection)
    return Available(by_label=pairs)


def encoded_outcome(outcome: Outcome, what: str, round_id: int) -> list[Any] | dict[str, Any]:
    """An outcome as JSON: a list of numbers in order, or of pairs [label, number]. An empty mapping becomes an empty object,
    since an empty list of pairs would be an empty list of numbers.
    """
    by_label = _by_label(outcome)
    with about_costs(what == "costs"):
        values = as_numbers(outcome if by_label is None else [value for _, value in by_label])
    numbers = [None if value != value else value for value in values.ravel().tolist()]
    if values.ndim != 1 or math.inf in map(abs, filter(None, numbers)):
        found = "an infinite one" if values.ndim == 1 else f"an array of shape {values.shape}"
        raise InvalidInputError(
            f"{what} of round {round_id} must be finite numbers, one per item of the round or by label, and None where nothing "
            f"was observed, got {found}: correct them"
        )
    if by_label is None:
        return numbers
    return [[_plain(label), number] for (label, _), number in zip(by_label, numbers, strict=True)] or {}


def encoded_numbers(values: Any, what: str) -> Any:
    """One number, or numbers by label as pairs."""
    by_label = _by_label(values)
    if by_label is not None:
        return [[_plain(label), _plain(value)] for label, value in by_label]
    if getattr(values, "ndim", 0) or isinstance(values, list | tuple | str | bytes):
        raise InvalidInputError(f"{what} must be one number, or a mapping from label to number, got {values!r:.80}: pass labels")
    return _plain(values)


def encoded_features(features: Any) -> list[Any]:
    """Features of items as pairs of label and row; of a frame, rows by the names of its columns."""
    if hasattr(features, "columns") and hasattr(features, "iloc"):
        names = [str(name) for name in features.columns]
        rows = zip(features.index.tolist(), features.itertuples(index=False, name=None), strict=True)
        return [[_plain(label), dict(zip(names, map(_plain, row), strict=True))] for label, row in rows]
    if not isinstance(features, Mapping):
        raise InvalidInputError(
            f"features must be a frame, or a mapping from label to a row, got {features!r:.80}: use one of these"
        )
    return [
        [_plain(label), encoded_context(row) if isinstance(row, Mapping) else _listed(row)] for label, row in features.items()
    ]


def encoded_context(context: Mapping[Any, Any]) -> dict[str, Any]:
    """Values by name."""
    if not isinstance(context, Mapping):
        raise InvalidInputError(
            f"context must be a mapping from name to value, got {context!r:.80}: pass for instance {{'hour': 8}}"
        )
    return {str(name): _plain(value) for name, value in context.items()}


def _listed(row: Any) -> list[Any]:
    values = row.tolist() if hasattr(row, "tolist") else row
    return [_plain(value) for value in (values if isinstance(values, list | tuple) else [values])]


def _by_label(values: Any) -> list[tuple[Any, Any]] | None:
    """Entries of a mapping or of a Series with their labels; None for all others, and Series with the index of rows."""
    if isinstance(values, Mapping):
        return list(values.items())
    return list(values.items()) if has_index(values) and not numbers_rows(values.index) else None


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
