"""Labels of items that the caller gives, as a sequence or as a column of a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

from semibandits.errors import InvalidInputError
from semibandits.inputs.frames import is_frame
from semibandits.matroids._checks import as_labels


def different_labels(items: Iterable[Hashable] | None, d: int) -> tuple[Hashable, ...] | None:
    """The labels, which must be d different hashable ones; None if none were given."""
    if items is None:
        return None
    labels = tuple(as_labels(items, "items"))
    if len(labels) != d:
        raise InvalidInputError(f"items must have d = {d} labels, got {len(labels)}: name each item once")
    label, times = Counter(labels).most_common(1)[0]
    if times > 1:
        raise InvalidInputError(f"items must have different labels, got {label!r} twice: rename one of them")
    return labels


def checked_frame(frame: Any, instead: str) -> Any:
    """The frame; anything else is refused, with the advice to use `instead`, the call for callers without a frame."""
    if not is_frame(frame):
        raise InvalidInputError(f"frame must be a frame of pandas or polars, got {type(frame).__name__}: use {instead}")
    return frame
