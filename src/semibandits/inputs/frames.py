"""Frames of pandas or polars, and graphs of networkx, as sources of edges and of numbers for the items of a decision set."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.fields import nearest
from semibandits.inputs.graphs import is_graph
from semibandits.inputs.validation import as_floats


def is_frame(value: object) -> bool:
    """Whether this is a frame: an object with named columns, of pandas, polars or alike."""
    return all(hasattr(value, name) for name in ("columns", "shape", "__getitem__")) and not isinstance(value, np.ndarray)


def column_of(frame: Any, name: str, keyword: str = "") -> list[Any]:
    """Entries of a column that the frame must have once, none missing; `keyword` names the argument that chooses the column."""
    names = list(frame.columns)
    if names.count(name) != 1:
        found = ", ".join(map(repr, names)) or "none"
        remedy = f": name another one by {keyword}=..." if keyword else _hint(name, names)
        raise InvalidInputError(f"the frame must have one column {name!r}, got the columns {found}{remedy}")
    entries = list(frame[name])
    for row, entry in enumerate(entries):
        if _is_missing(entry):
            raise InvalidInputError(
                f"the column {name!r} must have an entry in every row, got {entry!r} in row {row}: fill it in, or drop the row"
            )
    return entries


def as_pairs(graph: object, **columns: str) -> object:
    """The pairs of two columns of a frame, which are given by their keyword arguments; any other object unchanged."""
    if not is_frame(graph):
        return graph
    return list(zip(*(column_of(graph, name, keyword) for keyword, name in columns.items()), strict=True))


@dataclass(frozen=True, eq=False)
class ItemSource:
    """The graph or frame that a decision set was built from, in which numbers of its items are looked up."""

    source: Any  # a networkx graph or a frame; not copied, and left out of pickles
    columns: Sequence[str]  # the columns of a frame that name the items; not used for graphs
    names: list[tuple[Hashable, ...]]  # one for each item: edges, or entries of these columns, when the set was built

    @staticmethod
    def of(source: object, *columns: str) -> ItemSource | None:
        """The source, if it can have numbers of items; None for lists of pairs."""
        if not is_frame(source) and not (is_graph(source) and hasattr(source, "get_edge_data")):
            return None
        return ItemSource(source, columns, _names(source, columns))

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    def numbers(self, name: str) -> FloatArray:
        """Numbers of the items, shape (d,), from a column or an edge attribute; rows or edges that have changed are refused."""
        if _names(self.source, self.columns) != self.names:
            raise InvalidInputError(
                f"the {type(self.source).__name__} must have the items in the order in which the decision set was built, got "
                "others: build the decision set again after changing it"
            )
        entries = column_of(self.source, name) if is_frame(self.source) else self._attributes(name)
        for item, entry in zip(self.names, entries, strict=True):
            if isinstance(entry, str | bytes):
                raise InvalidInputError(f"{name} must be a number for every item, got {entry!r} for {item}: convert it")
        return as_floats(entries, name).copy()

    def _attributes(self, name: str) -> list[Any]:
        """An attribute of each edge of the graph."""
        edges = list(self.source.edges(data=True))
        for u, v, attributes in edges:
            if _is_missing(attributes.get(name)):
                known = list(dict.fromkeys(key for *_, others in edges for key in others))
                found = ", ".join(map(repr, known)) or "none"
                raise InvalidInputError(
                    f"every edge must have the attribute {name!r}, got none for {(u, v)!r}; the attributes of the graph are "
                    f"{found}{_hint(name, known) if name not in known else ': add it there'}"
                )
        return [attributes[name] for *_, attributes in edges]


def _names(source: Any, columns: Sequence[str]) -> list[tuple[Hashable, ...]]:
    if is_frame(source):
        return list(zip(*(column_of(source, name) for name in columns), strict=True))
    return [tuple(edge) for edge in source.edges()]


def _hint(name: str, known: Sequence[object]) -> str:
    return nearest(name, map(str, known)) if known else ": add it"


def _is_missing(entry: Any) -> bool:
    """Whether an entry is None, or does not equal itself, as NaN and the missing values of pandas."""
    try:
        return entry is None or not bool(entry == entry)
    except TypeError:  # pandas.NA is neither
        return True
