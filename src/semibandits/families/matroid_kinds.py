"""Conversion of matroids to and from plain JSON."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Literal, NamedTuple, cast

import numpy as np

from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.families.family import JSON
from semibandits.families.labels import ones_by_row, plain_list, read_graph, write_graph
from semibandits.inputs.fields import Fields, as_integers, as_label, as_list, as_numbers, unknown_name
from semibandits.matroids import Graphic, Laminar, Linear, Matroid, Partition, Transversal, Uniform, quotas

MOST_BITS: Final = 2**26
"""Maximum number of entries of a matrix over the field of two elements, which are floats while it is read."""


class MatroidKind(NamedTuple):
    """A kind of matroid."""

    cls: type[Matroid]
    write: Callable[[Any], JSON]  # to plain JSON, without the kind
    read: Callable[[Mapping[str, Any]], Matroid]
    build: Callable[[Fields, int], Matroid]  # over d items, from an instance file (docs/cli.md)


def write_matroid(matroid: Matroid) -> JSON:
    """Convert a built-in matroid to plain JSON; `UnsupportedError` for a user-defined one."""
    for name, kind in MATROID_KINDS.items():
        if type(matroid) is kind.cls:
            return {"matroid": name, **kind.write(matroid)}
    raise UnsupportedError(
        f"a matroid of type {type(matroid).__name__} cannot be described: it is user-defined, so pass the set itself"
    )


def read_matroid(data: Mapping[str, Any]) -> Matroid:
    """Inverse of :func:`write_matroid`."""
    return MATROID_KINDS[data["matroid"]].read(data)


def build_matroid(values: object, d: int, where: str) -> Matroid:
    """Build a matroid on `d` items from an instance file."""
    fields = Fields(values, where)
    kind = fields.text("kind")
    if kind not in MATROID_KINDS:
        raise unknown_name(f"kind of {where}", kind, MATROID_KINDS)
    matroid = MATROID_KINDS[kind].build(fields, d)
    fields.finish()
    if matroid.d != d:
        raise InvalidInputError(
            f"{where} must have d = {d} items, one for each theta, got {matroid.d}: change theta or the matroid"
        )
    return matroid


def limits_of(matroid: Matroid) -> str:
    """Describe the capacities of a partition, also of one with a size; ``""`` for other matroids."""
    if isinstance(matroid, Partition):
        capacities = matroid.capacities.tolist()
    elif isinstance(matroid, Laminar) and _is_truncated_partition(matroid):
        capacities = matroid._capacity[1:].tolist()
    else:
        return ""
    groups = f"{len(capacities):,} {'group' if len(capacities) == 1 else 'groups'}"
    most = max(capacities)
    limit = f"at most {most:,}" if min(capacities) == most else f"at most {min(capacities):,} to {most:,}"
    return f"{limit} from each of {groups}"


def _is_truncated_partition(matroid: Laminar) -> bool:
    """Whether the first set contains all items, and the others are disjoint and contain all items, too."""
    return len(matroid._above) > 1 and bool((matroid._above[1:] == 0).all() and (matroid._innermost > 0).all())


def _build_partition(fields: Fields, d: int) -> Partition | Laminar:
    # Keys of JSON objects are strings, so all groups are compared as strings.
    groups = [str(as_label(group, f"groups[{i}]")) for i, group in enumerate(fields.sequence("groups"))]
    capacities = cast("int | Mapping[Hashable, int]", fields.take("capacities"))
    return quotas(groups, capacities, fields.count("size", None))


def _write_laminar(matroid: Laminar) -> JSON:
    sets: list[list[int]] = [[] for _ in matroid._above]
    for item, s in enumerate(matroid._innermost.tolist()):
        while s >= 0:
            sets[s].append(item)
            s = int(matroid._above[s])
    return {"sets": sets, "capacities": matroid._capacity.tolist(), "d": matroid.d}


def _build_laminar(fields: Fields, d: int) -> Laminar:
    sets = [as_integers(items, f"sets[{s}]") for s, items in enumerate(fields.sequence("sets"))]
    capacities = fields.take("capacities")
    limits = capacities if isinstance(capacities, int) else as_integers(capacities, "capacities")
    return Laminar(sets, limits, d=d)


def _write_transversal(matroid: Transversal) -> JSON:
    """Sort places by the items that can serve them, since their own order depends on Python's sets."""
    served: list[list[int]] = [[] for _ in range(matroid._n_places)]
    for item in range(matroid.d):
        for place in matroid._places[matroid._start[item] : matroid._start[item + 1]].tolist():
            served[place].append(item)
    sets: list[list[int]] = [[] for _ in range(matroid.d)]
    for place, items in enumerate(sorted(served)):
        for item in items:
            sets[item].append(place)
    return {"sets": sets}


def _build_transversal(fields: Fields, d: int) -> Transversal:
    served = [as_list(places, f"places[{i}]") for i, places in enumerate(fields.sequence("places"))]
    return Transversal([[as_label(p, f"places[{i}]") for p in places] for i, places in enumerate(served)])


def _write_linear(matroid: Linear) -> JSON:
    shape = list(matroid._shape)
    if matroid._field == 2:
        bits = np.unpackbits(matroid._words.view(np.uint8), axis=1) if matroid._words.size else matroid._words
        return {"field": 2, "shape": shape, "columns": [np.flatnonzero(row).tolist() for row in bits]}
    return {"field": None, "shape": shape, "columns": matroid._vectors.tolist(), "tolerance": matroid._tolerance}


def _read_linear(data: Mapping[str, Any]) -> Linear:
    (r, d), columns = data["shape"], plain_list(data["columns"])
    if data["field"] == 2:
        return Linear(ones_by_row(columns, r, most=MOST_BITS).T, field=2)
    vectors = np.array(columns, dtype=np.float64).reshape(d, r)
    matroid = Linear(vectors.T, data["field"], tolerance=data["tolerance"])
    if not np.allclose(matroid._vectors, vectors, rtol=0.0, atol=1e-12):
        raise InvalidInputError("columns must have length one or zero, got other lengths: pass them unchanged")
    matroid._vectors = vectors  # scaling them again would change the last bit
    return matroid


def _build_linear(fields: Fields, d: int) -> Linear:
    rows = [as_numbers(row, f"matrix[{r}]") for r, row in enumerate(fields.sequence("matrix"))]
    if len({len(row) for row in rows}) > 1:
        raise InvalidInputError("matrix must have rows of equal length, got several lengths: write one entry per item")
    field = cast("Literal[2] | None", fields.count("field", None))
    tolerance = as_numbers([fields.take("tolerance", 1e-9)], "tolerance")[0]
    return Linear(rows, field=field, tolerance=tolerance)


MATROID_KINDS: Final[Mapping[str, MatroidKind]] = {
    "uniform": MatroidKind(
        Uniform,
        lambda matroid: {"d": matroid.d, "m": matroid.rank},
        lambda data: Uniform(data["d"], data["m"]),
        lambda fields, d: Uniform(d, cast(int, fields.count("size"))),
    ),
    "partition": MatroidKind(
        Partition,
        lambda matroid: {"groups": matroid._group.tolist(), "capacities": matroid._capacity.tolist()},
        lambda data: Partition(data["groups"], dict(enumerate(plain_list(data["capacities"])))),
        _build_partition,
    ),
    "laminar": MatroidKind(
        Laminar,
        _write_laminar,
        lambda data: Laminar(plain_list(data["sets"]), plain_list(data["capacities"]), d=data["d"]),
        _build_laminar,
    ),
    "graphic": MatroidKind(
        Graphic,
        lambda matroid: write_graph(matroid.edges),
        lambda data: Graphic(read_graph(data, directed=False)),
        lambda fields, d: Graphic(fields.pairs("edges")),
    ),
    "transversal": MatroidKind(
        Transversal, _write_transversal, lambda data: Transversal(plain_list(data["sets"])), _build_transversal
    ),
    "linear": MatroidKind(Linear, _write_linear, _read_linear, _build_linear),
}
"""The kinds of matroids by their name in files."""
