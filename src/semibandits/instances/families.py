"""From the keys of a JSON object to a decision set: one function a family, one a kind of matroid."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from difflib import get_close_matches
from typing import Final, Literal, cast

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.errors import InvalidInputError
from semibandits.instances.fields import Fields, as_integers, as_label, as_list, as_numbers, shown
from semibandits.matroids import Graphic, Laminar, Linear, Matroid, Partition, Transversal, Uniform


def build_decision_set(family: str, fields: Fields, d: int) -> DecisionSet:
    """Take the keys of `family` from `fields` and build its decision set over `d` items.

    Raises
    ------
    InvalidInputError
        If the family is unknown, a key is missing or odd, or there is no decision.
    """
    if family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES)
    return FAMILIES[family](fields, d)


def unknown_name(what: str, got: object, known: Iterable[object]) -> InvalidInputError:
    """Error for a name that is none of `known`, with the closest ones as the remedy, or all of them if there are few."""
    names = [str(name) for name in known]
    close = get_close_matches(str(got), names, n=3, cutoff=0.5)
    if close:
        remedy = f"did you mean {' or '.join(close)}?"
    else:
        remedy = f"choose from {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
    return InvalidInputError(f"{what} must be a known name, got {shown(got)}: {remedy}")


def _paths(fields: Fields, d: int) -> DecisionSet:
    edges = fields.pairs("edges")
    nodes = list(dict.fromkeys(node for edge in edges for node in edge))
    ends = [_find_node(fields.take(key), nodes, key) for key in ("source", "target")]
    return Paths(edges, *ends)


def _find_node(wanted: object, nodes: list[Hashable], key: str) -> Hashable:
    """The node called `wanted`; whole numbers may be given as text, as they are on a command line."""
    label = as_label(wanted, key)
    if label in nodes:
        return label
    same_text = [node for node in nodes if str(node) == str(label)]
    if len(same_text) != 1:
        raise unknown_name(f"{key} node", label, nodes)
    return same_text[0]


def _trees(fields: Fields, d: int) -> DecisionSet:
    return SpanningTrees(fields.pairs("edges"))


def _msets(fields: Fields, d: int) -> DecisionSet:
    return MSets(d, cast(int, fields.count("size")))


def _matchings(fields: Fields, d: int) -> DecisionSet:
    edges = fields.pairs("edges")
    saturate = fields.text("saturate", "both")
    if saturate not in SATURATE:
        raise unknown_name("saturate", saturate, SATURATE)
    return Matchings(edges, saturate=cast(Literal["both", "rows", "columns", "none"], saturate))


def _matroid(fields: Fields, d: int) -> DecisionSet:
    return MatroidBases(build_matroid(fields.take("matroid"), d, "matroid"))


def _intersection(fields: Fields, d: int) -> DecisionSet:
    pair = fields.sequence("matroids")
    if len(pair) != 2:
        raise InvalidInputError(f"matroids must be a list of two, got {len(pair)}: the family intersects exactly two")
    first, second = (build_matroid(value, d, f"matroids[{i}]") for i, value in enumerate(pair))
    return MatroidIntersection(first, second, size=fields.count("size", None))


def _enumerated(fields: Fields, d: int) -> DecisionSet:
    rows = [as_integers(row, f"decisions[{i}]") for i, row in enumerate(fields.sequence("decisions"))]
    for i, row in enumerate(rows):
        if len(row) != d:
            raise InvalidInputError(
                f"decisions[{i}] must have d = {d} entries, got {len(row)}: give 0 or 1 for each item"
            )
    return EnumeratedDecisions(rows)


def build_matroid(values: object, d: int, where: str) -> Matroid:
    """Build a matroid on `d` items from its JSON form.

    Raises
    ------
    InvalidInputError
        If the kind is unknown, or a key is missing, odd or unknown.
    """
    fields = Fields(values, where)
    kind = fields.text("kind")
    if kind not in MATROID_KINDS:
        raise unknown_name(f"kind of {where}", kind, MATROID_KINDS)
    matroid = MATROID_KINDS[kind](fields, d)
    fields.finish()
    if matroid.d != d:
        raise InvalidInputError(
            f"{where} must have d = {d} items, one for each theta, got {matroid.d}: make them agree"
        )
    return matroid


def _uniform(fields: Fields, d: int) -> Matroid:
    return Uniform(d, cast(int, fields.count("size")))


def _partition(fields: Fields, d: int) -> Matroid:
    # The keys of a JSON object are strings, so groups are compared as strings throughout.
    groups = [str(as_label(group, f"groups[{i}]")) for i, group in enumerate(fields.sequence("groups"))]
    capacities = fields.take("capacities")
    return Partition(groups, cast("int | Mapping[Hashable, int]", capacities))


def _laminar(fields: Fields, d: int) -> Matroid:
    sets = [as_integers(items, f"sets[{s}]") for s, items in enumerate(fields.sequence("sets"))]
    capacities = fields.take("capacities")
    limits = capacities if isinstance(capacities, int) else as_integers(capacities, "capacities")
    return Laminar(sets, limits, d=d)


def _graphic(fields: Fields, d: int) -> Matroid:
    return Graphic(fields.pairs("edges"))


def _transversal(fields: Fields, d: int) -> Matroid:
    served = [as_list(places, f"places[{i}]") for i, places in enumerate(fields.sequence("places"))]
    return Transversal([[as_label(p, f"places[{i}]") for p in places] for i, places in enumerate(served)])


def _linear(fields: Fields, d: int) -> Matroid:
    rows = [as_numbers(row, f"matrix[{r}]") for r, row in enumerate(fields.sequence("matrix"))]
    if len({len(row) for row in rows}) > 1:
        raise InvalidInputError("matrix must have rows of one length, got several: write one entry an item in each row")
    field = cast("Literal[2] | None", fields.count("field", None))
    tolerance = as_numbers([fields.take("tolerance", 1e-9)], "tolerance")[0]
    return Linear(rows, field=field, tolerance=tolerance)


FAMILIES: Final[Mapping[str, Callable[[Fields, int], DecisionSet]]] = {
    "paths": _paths,
    "trees": _trees,
    "msets": _msets,
    "matchings": _matchings,
    "matroid": _matroid,
    "intersection": _intersection,
    "enumerated": _enumerated,
}
"""The families of decisions by their name in files, each with the function that builds it."""

MATROID_KINDS: Final[Mapping[str, Callable[[Fields, int], Matroid]]] = {
    "uniform": _uniform,
    "partition": _partition,
    "laminar": _laminar,
    "graphic": _graphic,
    "transversal": _transversal,
    "linear": _linear,
}
"""The kinds of matroids by their name in files, each with the function that builds it."""

SATURATE: Final = ("both", "rows", "columns", "none")
"""Which sides of a bipartite graph a matching must cover."""
