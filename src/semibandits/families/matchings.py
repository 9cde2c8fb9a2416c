"""Matchings of a bipartite graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from semibandits.decisions.matchings import SATURATE, Matchings
from semibandits.families.family import JSON, Family, Nouns
from semibandits.families.intersection import SEARCHED_GUARANTEES
from semibandits.families.labels import ListedGraph, decode_ends, decode_labels, encode_ends, encode_labels
from semibandits.families.tables import ProblemOptions, Table, edges_from
from semibandits.inputs.fields import Fields, unknown_name


def _write(x: Matchings) -> JSON:
    sides = {"rows": encode_labels(x.rows), "columns": encode_labels(x.columns)}
    return {**sides, "edges": encode_ends(x.items), "saturate": x.saturate}


def _read(data: Mapping[str, Any]) -> Matchings:
    rows, columns, pairs = decode_labels(data["rows"]), decode_labels(data["columns"]), decode_ends(data["edges"])
    if not set(rows).isdisjoint(columns):
        # Rows and columns share labels only if built from pairs, in which nodes occur in their order.
        return Matchings(pairs, data["saturate"])
    graph = ListedGraph([*rows, *columns], pairs)
    graph.put(rows, 0)
    graph.put(columns, 1)
    return Matchings(graph, data["saturate"])


def _build(fields: Fields, d: int) -> Matchings:
    edges = fields.pairs("edges")
    saturate = fields.text("saturate", "both")
    if saturate not in SATURATE:
        raise unknown_name("saturate", saturate, SATURATE)
    return Matchings(edges, saturate=saturate)


def _keys(cells: Mapping[str, list[str]], options: ProblemOptions) -> dict[str, object]:
    keys: dict[str, object] = {"edges": edges_from(cells, "row", "column")}
    return keys if options.saturate is None else keys | {"saturate": options.saturate}


def _examples() -> Iterator[Matchings]:
    yield Matchings(_pairs(4, 4)[1:])  # not complete, since complete graphs are counted by a formula
    yield Matchings(_pairs(2, 3), saturate="rows")
    yield Matchings(_pairs(2, 3), saturate="none")
    yield Matchings([(0, 0), (1, 0), (2, 1), (2, 2)], saturate="most")


def _pairs(rows: int, columns: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(rows) for j in range(columns)]


def _shape(x: Matchings, some: str, question: str) -> str:
    rows, columns = len(x.rows), len(x.columns)
    if x.saturate == "both":
        return f"Each of {rows:,} rows is matched to a different column, and all columns are used: {some}."
    if x.saturate == "rows":
        return f"Each of {rows:,} rows is matched to a different one of {columns:,} columns: {some}."
    if x.saturate == "columns":
        return f"Each of {columns:,} columns is matched to a different one of {rows:,} rows: {some}."
    if x.saturate == "most":
        return f"As many of {rows:,} rows as possible are matched to different ones of {columns:,} columns: {some}."
    return f"Each row is matched to at most one column, and each column to at most one row: at most {some}."


MATCHINGS = Family(
    name="matchings",
    cls=Matchings,
    title="bipartite matchings",
    heading="matchings: pairs that share no row or column",
    nouns=Nouns("matching", "matchings", "pair", "pairs"),
    guarantees=SEARCHED_GUARANTEES,
    beyond_paper=frozenset({"budgeted", "index", "graves_lai"}),
    write=_write,
    read=_read,
    build=_build,
    tables=(Table("matchings", ("row", "column"), ("saturate",), _keys, names_items=False),),
    examples=_examples,
    shape=_shape,
    link=" – ",
    figure="heat map",
)
