"""Labels of items in requests and answers, which are lists in JSON where they are tuples."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from contextlib import suppress
from typing import Any, final

import numpy as np

from semibandits._typing import BoolArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.families.labels import plain_label
from semibandits.formats.json import strict_json
from semibandits.inputs.labelled import refuse_rounded
from semibandits.inputs.outcomes import is_mask
from semibandits.inputs.selection import mask_of
from semibandits_server.wire import as_label


@final
class ItemLabels:
    """The labels of a decision set, found by what JSON has of them."""

    def __init__(self, labels: Iterable[Hashable]) -> None:
        self.labels = tuple(labels)
        self.plain = self.of(self.labels)  # as JSON has them, with tuples for lists
        self._index = {label: i for i, label in enumerate(self.plain)}
        self._by_index = not any(isinstance(label, int | np.integer) for label in self.labels)

    @staticmethod
    def of(labels: Iterable[Hashable]) -> tuple[Any, ...]:
        """Labels as JSON has them."""
        return tuple(as_label(plain_label(label)) for label in labels)

    def at(self, items: IntArray) -> tuple[Any, ...]:
        """Labels of these items as JSON has them."""
        return tuple(self.plain[i] for i in items.tolist())

    def index(self, value: Hashable, where: str) -> int:
        """Index of the item with this label; an error if labels are not distinct."""
        refuse_rounded(value, where)
        return self._found(self._index.get(value), value, where)

    def index_of_key(self, key: str, where: str) -> int:
        """Index of the item whose label is this text, or has this text as JSON; an error if these are two."""
        found, of_json = self._index.get(key), None
        with suppress(ValueError):
            of_json = self._index.get(as_label(strict_json(key)))
        if found is not None and of_json is not None and found != of_json:
            raise InvalidInputError(
                f"{where} must name one item, got the key {shorter_json(key)}, which is a label, and another one as JSON: pass "
                "pairs of label and number"
            )
        return self._found(of_json if found is None else found, key, where)

    def selected(self, values: list[Any], where: str) -> BoolArray | list[Hashable]:
        """The labels of these items, or a mask of shape (d,); masks and indices count as in `inputs.selection`."""
        if is_mask(values):
            return mask_of(values, len(self.labels), where)
        found = []
        for position, value in enumerate(values):
            is_index = self._by_index and type(value) is int and 0 <= value < len(self.labels)
            found.append(value if is_index else self.index(value, f"{where}[{position}]"))
        if len(self._index) < len(self.labels):  # labels do not tell the items apart
            return mask_of(np.isin(np.arange(len(self.labels)), found), len(self.labels), where)
        return [self.labels[item] for item in found]

    def _found(self, index: int | None, value: Any, where: str) -> int:
        if len(self._index) < len(self.labels):
            raise InvalidInputError(
                f"{where} must be left out, since several items have the same label, got {shorter_json(value)}: pass outcomes "
                "as a list in the order of the items"
            )
        if index is None:
            expected, found = shorter_json(self.plain[0]), shorter_json(value)
            raise InvalidInputError(f"{where} must be the label of an item, such as {expected}, got {found}: correct it")
        return index


def shorter_json(value: Any) -> str:
    """A JSON value for a message."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 80 else f"{text[:76]} ..."
