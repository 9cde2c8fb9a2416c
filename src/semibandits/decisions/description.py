"""Decision sets as plain JSON, from which they are built again, and fingerprints that tell them apart."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from semibandits._graphs import EdgeList
from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.registry import FAMILIES
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.matroids import Graphic, Laminar, Linear, Matroid, Partition, Transversal, Uniform

JSON: TypeAlias = dict[str, Any]
LARGEST_PLAIN_INTEGER: Final = 2**53
"""Integers above it are written as text: other readers of JSON would round them."""
MOST_CELLS: Final = 2**30
"""Of a matrix that is written as the places of its ones, which may be few."""
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_DAMAGE: Final = (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError, RecursionError)


def describe(decision_set: DecisionSet) -> JSON:
    """A decision set of the library as plain JSON.

    Parameters
    ----------
    decision_set : DecisionSet
        Of one of the built-in families, over built-in matroids, whose labels are strings, integers, floats, booleans, None, or
        tuples of these.

    Returns
    -------
    dict
        What :func:`rebuild` takes. Two sets that were built in the same way have the same description.

    Raises
    ------
    UnsupportedError
        If the set is one of a user's own, rests on a matroid that is, or has other labels; the message says which.
    """
    for family in FAMILIES:
        if type(decision_set) is family.cls:
            return {"family": family.name, **_FAMILIES[family.name][0](decision_set)}
    raise UnsupportedError(
        f"{type(decision_set).__name__} cannot be described: it is no family of the library, so pass the set itself"
    )


def rebuild(description: Mapping[str, Any], d: int | None = None) -> DecisionSet:
    """The decision set of a description: the same items in the same order, the same answers.

    Parameters
    ----------
    description : mapping
        From :func:`describe`, maybe written to JSON and read again.
    d : int, optional
        Number of items that it must have. Then a description that only claims to have more is refused before memory is taken.

    Raises
    ------
    InvalidInputError
        If it is no such description.
    """
    try:
        if d is not None:
            _check_sizes(description, d)
        result: DecisionSet = _FAMILIES[description["family"]][1](description)
        unchanged = digest(describe(result)) == digest(dict(description))
    except InvalidInputError as error:
        raise InvalidInputError(
            f"the description of a decision set must describe one, got a damaged one: {error}"
        ) from error
    except _DAMAGE as error:
        raise InvalidInputError(
            f"the description of a decision set must be one that describe() wrote, got {type(error).__name__} ({error}) "
            "when reading it: pass it unchanged"
        ) from error
    if not unchanged:
        raise InvalidInputError(
            f"the description of a decision set must be one that describe() wrote, got one that leads to {result!r}, which has "
            "another: pass it unchanged"
        )
    return result


def fingerprint(decision_set: DecisionSet) -> str:
    """A digest that equal decision sets share, in any process.

    Parameters
    ----------
    decision_set : DecisionSet
        Any, also one of your own.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits: of the canonical JSON of its description; for a set that has none, of what can be
        checked: its class, d, m, its items as text, and what ``maximize`` answers to five fixed vectors of weights.
    """
    try:
        content = describe(decision_set)
    except UnsupportedError:
        content = {
            "class": type(decision_set).__qualname__,
            "d": int(decision_set.d),
            "m": int(decision_set.m),
            "items": [without_addresses(repr(label)) for label in decision_set.items],
            "answers": [np.flatnonzero(decision_set.maximize(w)).tolist() for w in _probes(decision_set.d)],
        }
    return digest(content)


def digest(content: object) -> str:
    """SHA-256 of plain JSON in canonical form, in hexadecimal digits.

    Keys are sorted, and whole floats count as integers, since some readers and writers of JSON do not tell them apart.

    Raises
    ------
    TypeError, ValueError
        If `content` is no plain JSON, or holds NaN or infinity.
    """
    text = json.dumps(_whole(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def without_addresses(text: str) -> str:
    """Text of an object without the address in memory that Python puts in, which changes from process to process."""
    return _ADDRESS.sub("", text)


def encode_label(label: Hashable) -> Any:
    """A label as plain JSON that keeps its type: floats, tuples and large integers are tagged.

    Raises
    ------
    UnsupportedError
        If it is not a string, integer, float, boolean, None, or a tuple of these.
    """
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


def decode_label(value: Any) -> Hashable:
    """The label that :func:`encode_label` was given.

    Raises
    ------
    InvalidInputError
        If `value` is none that it writes.
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    match value:
        case {"float": str(text), **rest} if not rest and not math.isnan(float(text)):
            return float(text)
        case {"int": str(text), **rest} if not rest:
            return int(text)
        case {"tuple": list(parts), **rest} if not rest:
            return tuple(decode_label(part) for part in parts)
    raise InvalidInputError(f"a label must be a string, a number or a tagged one, got {value!r}: pass it unchanged")


class _Listed:
    """A graph that lists its nodes and edges in the order given, which networkx would change."""

    def __init__(
        self, nodes: Iterable[Hashable], pairs: list[tuple[Hashable, Hashable]], directed: bool = False
    ) -> None:
        self._listed, self._pairs, self._directed = dict.fromkeys(nodes, _NO_SIDE), pairs, directed

    @property
    def nodes(self) -> dict[Hashable, dict[str, int]]:
        return self._listed

    def edges(self) -> list[tuple[Hashable, Hashable]]:
        return self._pairs

    def is_directed(self) -> bool:
        return self._directed

    def put(self, labels: Iterable[Hashable], side: int) -> None:
        """Say on which side of a bipartite graph these nodes are."""
        self._listed.update((label, {"bipartite": side}) for label in labels)


_NO_SIDE: Final[dict[str, int]] = {}


def _labels(labels: Iterable[Hashable]) -> list[Any]:
    return [encode_label(label) for label in labels]


def _pairs(items: Iterable[Any]) -> list[list[Any]]:
    """Ends of edges, as given, from their labels (u, v) or (u, v, k)."""
    return [[encode_label(label[0]), encode_label(label[1])] for label in items]


def _decoded(labels: Sequence[Any]) -> list[Hashable]:
    return [decode_label(label) for label in _list(labels)]


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise InvalidInputError(f"a list must stand here, got {value!r}: pass it unchanged")
    return list(value)


def _edge_pairs(pairs: Any) -> list[tuple[Hashable, Hashable]]:
    ends = [_decoded(pair) for pair in _list(pairs)]
    return [(u, v) for u, v in ends]


def _graph(edges: EdgeList) -> JSON:
    return {"nodes": _labels(edges.nodes), "edges": _pairs(edges.items)}


def _read_graph(data: Mapping[str, Any], directed: bool) -> _Listed:
    return _Listed(_decoded(data["nodes"]), _edge_pairs(data["edges"]), directed)


def _paths(x: Paths) -> JSON:
    ends = {"source": encode_label(x.source), "target": encode_label(x.target)}
    return {"nodes": _labels(x.nodes), "edges": _pairs(x.items), **ends}


def _read_paths(data: Mapping[str, Any]) -> Paths:
    return Paths(_read_graph(data, directed=True), decode_label(data["source"]), decode_label(data["target"]))


def _trees(x: SpanningTrees) -> JSON:
    assert isinstance(x.matroid, Graphic)
    return _graph(x.matroid.edges)


def _matchings(x: Matchings) -> JSON:
    sides = {"rows": _labels(x.rows), "columns": _labels(x.columns)}
    return {**sides, "edges": _pairs(x.items), "saturate": x.saturate}


def _read_matchings(data: Mapping[str, Any]) -> Matchings:
    rows, columns, pairs = _decoded(data["rows"]), _decoded(data["columns"]), _edge_pairs(data["edges"])
    if not set(rows).isdisjoint(
        columns
    ):  # only pairs can share labels, and they mention nodes in the order of the nodes
        return Matchings(pairs, data["saturate"])
    graph = _Listed([*rows, *columns], pairs)
    graph.put(rows, 0)
    graph.put(columns, 1)
    return Matchings(graph, data["saturate"])


def _intersection(x: MatroidIntersection) -> JSON:
    return {"m1": _matroid(x.m1), "m2": _matroid(x.m2), "size": x.m}


def _enumerated(x: EnumeratedDecisions) -> JSON:
    rows = [np.flatnonzero(row).tolist() for row in x.enumerate(x.count())]
    return {"decisions": rows, "items": _labels(x.items)}


def _read_enumerated(data: Mapping[str, Any]) -> EnumeratedDecisions:
    items = _decoded(data["items"])
    return EnumeratedDecisions(_matrix(_list(data["decisions"]), len(items)), items=items)


def _check_sizes(description: Mapping[str, Any], d: int) -> None:
    """Compare the numbers of items that a description states, for itself and the matroids in it, with the right one."""
    claimed = [description["d"]] if "d" in description else []
    claimed += [description["shape"][1]] if "shape" in description else []
    for size in claimed:
        if size != d:
            raise InvalidInputError(f"d must be the number of items, {d}, got {size!r}: pass it unchanged")
    for matroid in (description[key] for key in ("matroid", "m1", "m2") if key in description):
        if isinstance(matroid, Mapping):
            _check_sizes(matroid, d)


def _matrix(rows: list[Any], width: int) -> BoolArray:
    """0/1 rows from the places of their ones."""
    if len(rows) * width > MOST_CELLS:
        raise InvalidInputError(f"{len(rows)} rows of {width} entries are more than can be stored: pass it unchanged")
    matrix = np.zeros((len(rows), width), dtype=np.bool_)
    for row, places in zip(matrix, rows, strict=True):
        row[_places(places, width)] = True
    return matrix


def _places(values: Any, width: int) -> IntArray:
    array = np.array(_list(values))
    if array.size and (array.dtype.kind != "i" or array.min() < 0 or array.max() >= width):
        raise InvalidInputError(f"places must be integers from 0 to {width - 1}, got {values!r}: pass them unchanged")
    return array.astype(np.int64)


def _matroid(matroid: Matroid) -> JSON:
    for name, (cls, write, _) in _MATROIDS.items():
        if type(matroid) is cls:
            return {"matroid": name, **write(matroid)}
    raise UnsupportedError(
        f"a matroid of type {type(matroid).__name__} cannot be described: what it calls is a function, so pass the set itself"
    )


def _read_matroid(data: Mapping[str, Any]) -> Matroid:
    matroid: Matroid = _MATROIDS[data["matroid"]][2](data)
    return matroid


def _partition(matroid: Partition) -> JSON:
    return {"groups": matroid._group.tolist(), "capacities": matroid._capacity.tolist()}


def _laminar(matroid: Laminar) -> JSON:
    sets: list[list[int]] = [[] for _ in matroid._above]
    for item, s in enumerate(matroid._innermost.tolist()):
        while s >= 0:
            sets[s].append(item)
            s = int(matroid._above[s])
    return {"sets": sets, "capacities": matroid._capacity.tolist(), "d": matroid.d}


def _transversal(matroid: Transversal) -> JSON:
    """Places in the order of the items that may serve them: their own order is that of Python's sets, and changes."""
    served: list[list[int]] = [[] for _ in range(matroid._n_places)]
    for item in range(matroid.d):
        for place in matroid._places[matroid._start[item] : matroid._start[item + 1]].tolist():
            served[place].append(item)
    sets: list[list[int]] = [[] for _ in range(matroid.d)]
    for place, items in enumerate(sorted(served)):
        for item in items:
            sets[item].append(place)
    return {"sets": sets}


def _linear(matroid: Linear) -> JSON:
    shape = list(matroid._shape)
    if matroid._field == 2:
        bits = np.unpackbits(matroid._words.view(np.uint8), axis=1) if matroid._words.size else matroid._words
        return {"field": 2, "shape": shape, "columns": [np.flatnonzero(row).tolist() for row in bits]}
    return {"field": None, "shape": shape, "columns": matroid._vectors.tolist(), "tolerance": matroid._tolerance}


def _read_linear(data: Mapping[str, Any]) -> Linear:
    (r, d), columns = data["shape"], _list(data["columns"])
    if data["field"] == 2:
        return Linear(_matrix(columns, r).T, field=2)
    vectors = np.array(columns, dtype=np.float64).reshape(d, r)
    matroid = Linear(vectors.T, data["field"], tolerance=data["tolerance"])
    if not np.allclose(matroid._vectors, vectors, rtol=0.0, atol=1e-12):
        raise InvalidInputError("columns must have length one or zero, but some have another: pass them unchanged")
    matroid._vectors = vectors  # scaled once more, they would differ in the last bit
    return matroid


_MATROIDS: Final[dict[str, tuple[type[Matroid], Callable[[Any], JSON], Callable[[Any], Matroid]]]] = {
    "uniform": (Uniform, lambda matroid: {"d": matroid.d, "m": matroid.rank}, lambda data: Uniform(data["d"], data["m"])),
    "partition": (
        Partition, _partition, lambda data: Partition(data["groups"], dict(enumerate(_list(data["capacities"]))))
    ),
    "laminar": (
        Laminar, _laminar, lambda data: Laminar(_list(data["sets"]), _list(data["capacities"]), d=data["d"])
    ),
    "graphic": (Graphic, lambda matroid: _graph(matroid.edges), lambda data: Graphic(_read_graph(data, directed=False))),
    "transversal": (Transversal, _transversal, lambda data: Transversal(_list(data["sets"]))),
    "linear": (Linear, _linear, _read_linear),
}  # fmt: skip
"""For each matroid that can be described: its class, how it is written, and how it is read."""

_FAMILIES: Final[dict[str, tuple[Callable[[Any], JSON], Callable[[Any], DecisionSet]]]] = {
    "paths": (_paths, _read_paths),
    "trees": (_trees, lambda data: SpanningTrees(_read_graph(data, directed=False))),
    "msets": (lambda x: {"d": x.d, "m": x.m}, lambda data: MSets(data["d"], data["m"])),
    "matchings": (_matchings, _read_matchings),
    "matroid": (lambda x: {"matroid": _matroid(x.matroid)}, lambda data: MatroidBases(_read_matroid(data["matroid"]))),
    "intersection": (
        _intersection,
        lambda data: MatroidIntersection(_read_matroid(data["m1"]), _read_matroid(data["m2"]), data["size"]),
    ),
    "enumerated": (_enumerated, _read_enumerated),
}
"""For each family: how it is written, and how it is read."""


def _probes(d: int) -> list[FloatArray]:
    """Vectors of weights: ties, both signs, and two scattered ones, exact in any arithmetic."""
    index = np.arange(d, dtype=np.int64)
    scattered = (index * 40_503 + 12_345) % 65_536 / 32_768.0 - 1.0
    positive = (index * 30_011 + 7) % 65_537 / 65_536.0
    return [np.zeros(d), np.ones(d), -np.ones(d), scattered, positive]


def _whole(value: Any) -> Any:
    """Plain JSON with whole floats as integers."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_PLAIN_INTEGER:
        return int(value)
    if isinstance(value, list | tuple):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {key: _whole(part) for key, part in value.items()}
    return value
