"""Spanning trees of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.families.family import JSON, Family, Network, Nouns, network_of_edges
from semibandits.families.labels import read_graph, write_graph
from semibandits.families.matroid import GRAPH, MATROID_GUARANTEES, graph_of
from semibandits.families.tables import ProblemOptions, Table, edges_from
from semibandits.inputs.fields import Fields


def _write(x: SpanningTrees) -> JSON:
    return write_graph(graph_of(x).edges)


def _build(fields: Fields, d: int) -> SpanningTrees:
    return SpanningTrees(fields.pairs("edges"))


def _keys(cells: Mapping[str, list[str]], options: ProblemOptions) -> dict[str, object]:
    return {"edges": edges_from(cells, "tail", "head")}


def _examples() -> Iterator[SpanningTrees]:
    yield SpanningTrees(GRAPH)


def _network(x: SpanningTrees) -> Network:
    return network_of_edges(graph_of(x).edges)


def _shape(x: SpanningTrees, some: str, question: str) -> str:
    return f"{some}, which connect all {len(graph_of(x).edges.nodes):,} nodes without a cycle."


TREES = Family(
    name="trees",
    cls=SpanningTrees,
    title="spanning trees",
    heading="spanning trees: edges that connect all nodes",
    nouns=Nouns("spanning tree", "spanning trees", "edge", "edges"),
    guarantees=MATROID_GUARANTEES,
    beyond_paper=frozenset({"budgeted", "index", "graves_lai"}),
    write=_write,
    read=lambda data: SpanningTrees(read_graph(data, directed=False)),
    build=_build,
    tables=(Table("trees", ("tail", "head"), (), _keys, names_items=False),),
    examples=_examples,
    shape=_shape,
    link=" – ",
    network=_network,
    figure="network",
)
