"""Conversion of labels and graphs to and from plain JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.inputs.fields import as_label, unknown_name
from semibandits.inputs.graphs import EdgeList, read_edges

LARGEST_PLAIN_INTEGER: Final = 2**53
"""Larger integers are written as text, since other readers of JSON would round them."""
MOST_CELLS: Final = 2**28
"""Maximum number of entries of a matrix that is stored by the positions of its ones."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_NO_SIDE: Final[dict[str, int]] = {}


def without_addresses(text: str) -> str:
    """Remove memory addresses from the text of an object, since they change from process to process."""
    return _ADDRESS.sub("", text)


def encode_label(label: Hashable) -> Any:
    """Convert a label to plain JSON; floats, tuples and large integers are tagged to preserve their type. NaN is refused."""
    if label is None or type(label) in (bool, str):
        return label
    if type(label) is int:
        return label if abs(label) <= LARGEST_PLAIN_INTEGER else {"int": str(label)}
    if type(label) is float and not math.isnan(label):
        return {"float": repr(label)}
    if type(label) is tuple:
        return {"tuple": [encode_label(part) for part in label]}
    raise UnsupportedError(
        f"the label {without_addresses(repr(label))} of type {type(label).__name__} cannot be written to JSON and read again: "
        "use strings, integers, floats, booleans, None, or tuples of these"
    )


def plain_label(label: Hashable) -> Any:
    """A label as JSON for people and other programs: tuples are lists, and what JSON does not have is text.

    Unlike :func:`encode_label` it always succeeds, but types are not preserved.
    """
    if label is None or isinstance(label, bool | str):
        return label
    if isinstance(label, int | np.integer):
        return int(label) if abs(int(label)) <= LARGEST_PLAIN_INTEGER else str(label)
    if isinstance(label, float | np.floating):
        return float(label) if math.isfinite(label) else str(float(label))
    if isinstance(label, tuple):
        return [plain_label(part) for part in label]
    return without_addresses(str(label))


def decode_label(value: Any) -> Hashable:
    """Inverse of :func:`encode_label`."""
    if value is None or isinstance(value, bool | str | int):
        return value
    match value:
        case {"float": str(text), **rest} if not rest and not math.isnan(float(text)):
            return float(text)
        case {"int": str(text), **rest} if not rest:
            return int(text)
        case {"tuple": list(parts), **rest} if not rest:
            return tuple(decode_label(part) for part in parts)
    raise InvalidInputError(f"a label must be a string, a number or a tagged value, got {value!r}: pass it unchanged")


def encode_labels(labels: Iterable[Hashable]) -> list[Any]:
    """Encode each label."""
    return [encode_label(label) for label in labels]


def decode_labels(values: Any) -> list[Hashable]:
    """Decode each label of a list."""
    return [decode_label(value) for value in plain_list(values)]


def encode_names(labels: Iterable[Hashable] | None) -> dict[str, Any]:
    """The key ``items`` of a set whose items have labels; nothing for None."""
    return {} if labels is None else {"items": encode_labels(labels)}


def decode_names(data: Mapping[str, Any]) -> list[Hashable] | None:
    """Inverse of :func:`encode_names`."""
    return decode_labels(data["items"]) if "items" in data else None


def encode_ends(items: Sequence[Any], *, directed: bool = True) -> list[list[Any]]:
    """Encode the end nodes of edges with labels (u, v) or (u, v, k), and keys k unless all of them are 0, 1, ... in order."""
    numbered = read_edges([label[:2] for label in items], directed=directed).items
    are_numbers = all(
        label == own and all(type(key) is int for key in label[2:]) for label, own in zip(items, numbered, strict=True)
    )
    return [encode_labels(label[:2] if are_numbers else label) for label in items]


def decode_ends(edges: Any) -> list[tuple[Hashable, ...]]:
    """Decode the end nodes of each edge, and its key if it has one."""
    ends = [tuple(decode_labels(edge)) for edge in plain_list(edges)]
    for edge in ends:
        if len(edge) not in (2, 3):
            raise InvalidInputError(f"an edge must have two ends and at most one key, got {edge!r}: pass it unchanged")
    return ends


def plain_list(value: Any) -> list[Any]:
    """Return the value, a list or tuple, as a list."""
    if not isinstance(value, list | tuple):
        raise InvalidInputError(f"the value must be a list, got {value!r}: pass it unchanged")
    return list(value)


class ListedGraph:
    """Graph that preserves the given order of nodes and edges, unlike networkx. Edges are their ends, and a key if any."""

    def __init__(self, nodes: Iterable[Hashable], edges: list[tuple[Hashable, ...]], directed: bool = False) -> None:
        self.nodes: dict[Hashable, dict[str, int]] = dict.fromkeys(nodes, _NO_SIDE)  # attributes of each node
        self._edges, self._directed = edges, directed

    def edges(self) -> list[tuple[Hashable, ...]]:
        """Ends of each edge, and its key."""
        return self._edges

    def is_directed(self) -> bool:
        """Whether edges are arcs."""
        return self._directed

    def put(self, labels: Iterable[Hashable], side: int) -> None:
        """Assign these nodes to a side of a bipartite graph."""
        self.nodes.update((label, {"bipartite": side}) for label in labels)


def write_graph(edges: EdgeList) -> dict[str, Any]:
    """Nodes and edges of an undirected graph as plain JSON."""
    return {"nodes": encode_labels(edges.nodes), "edges": encode_ends(edges.items, directed=False)}


def read_graph(data: Mapping[str, Any], *, directed: bool) -> ListedGraph:
    """The graph of plain JSON with nodes and edges."""
    return ListedGraph(decode_labels(data["nodes"]), decode_ends(data["edges"]), directed)


def ones_by_row(rows: list[Any], width: int, *, most: int = MOST_CELLS) -> BoolArray:
    """Build 0/1 rows from the positions of the ones."""
    if len(rows) * width > most:
        raise InvalidInputError(f"a matrix must have at most {most:,} entries, got {len(rows):,} x {width:,}: pass it unchanged")
    matrix = np.zeros((len(rows), width), dtype=np.bool_)
    for row, values in zip(matrix, rows, strict=True):
        places = np.array(plain_list(values))
        if places.size and (places.dtype.kind != "i" or places.min() < 0 or places.max() >= width):
            raise InvalidInputError(f"places must be integers from 0 to {width - 1}, got {values!r}: pass them unchanged")
        row[places.astype(np.int64)] = True
    return matrix


def find_node(wanted: object, nodes: Sequence[Hashable], key: str) -> Hashable:
    """Find the node with this label, or else the only one with the same text: integers may be given as text, as on a command
    line.
    """
    label = as_label(wanted, key)
    if label in nodes:
        return label
    same_text = [node for node in nodes if str(node) == str(label)]
    if len(same_text) != 1:
        raise unknown_name(f"{key} node", label, nodes)
    return same_text[0]
