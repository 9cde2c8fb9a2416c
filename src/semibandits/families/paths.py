"""Paths from a source to a target in an acyclic graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from semibandits.decisions.paths import Paths
from semibandits.families.family import JSON, Family, Guarantee, Guarantees, Network, Nouns
from semibandits.families.labels import decode_label, encode_ends, encode_label, encode_labels, find_node, read_graph
from semibandits.families.tables import ProblemOptions, Table, edges_from, required
from semibandits.inputs.fields import Fields
from semibandits.inputs.graphs import read_edges
from semibandits.kernels.graphs.dag import acyclic_order


def _write(x: Paths) -> JSON:
    ends = {"source": encode_label(x.source), "target": encode_label(x.target)}
    return {"nodes": encode_labels(x.nodes), "edges": encode_ends(x.items), **ends}


def _read(data: Mapping[str, Any]) -> Paths:
    return Paths(read_graph(data, directed=True), decode_label(data["source"]), decode_label(data["target"]))


def _build(fields: Fields, d: int) -> Paths:
    edges = fields.pairs("edges")
    nodes = list(dict.fromkeys(node for edge in edges for node in edge))
    ends = [find_node(fields.take(key), nodes, key) for key in ("source", "target")]
    return Paths(edges, *ends)


def _keys(cells: Mapping[str, list[str]], options: ProblemOptions) -> dict[str, object]:
    return {
        "edges": edges_from(cells, "tail", "head"),
        "source": required(options.source, "source"),
        "target": required(options.target, "target"),
    }


def _is_acyclic(cells: Mapping[str, list[str]], options: ProblemOptions) -> bool:
    edges = read_edges(edges_from(cells, "tail", "head"), directed=True)
    order = acyclic_order(edges.n_nodes, edges.tails.copy(), edges.heads.copy())
    return not options.undirected and len(order) == edges.n_nodes


def _examples() -> Iterator[Paths]:
    places = [(i, j) for i in range(4) for j in range(4)]
    arcs = [((i, j), to) for i, j in places for to in ((i + 1, j), (i, j + 1)) if to in places]
    yield Paths(arcs, (0, 0), (3, 3))
    yield Paths([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)], 0, 3)


def _network(x: Paths) -> Network:
    ends = (x.nodes.index(x.source), x.nodes.index(x.target))
    return Network(x.nodes, x.tails, x.heads, True, *ends, x.topological_order)


def _shape(x: Paths, some: str, question: str) -> str:
    ends_are_named = all(str(end) in question for end in (x.source, x.target))
    return f"{'Over' if ends_are_named else f'From {x.source} to {x.target}, over'} at most {some}."


PATHS = Family(
    name="paths",
    cls=Paths,
    title="s-t paths in a DAG",
    heading="paths: a route from one place to another",
    nouns=Nouns("path", "paths", "link", "links"),
    guarantees=Guarantees(
        linear=Guarantee.POLYNOMIAL,
        budgeted=Guarantee.PSEUDO_POLYNOMIAL,
        budgeted_ratio=Guarantee.FPTAS,
        index=Guarantee.PSEUDO_POLYNOMIAL,
        index_ratio=Guarantee.FPTAS,
        graves_lai=Guarantee.CERTIFIED,
    ),
    beyond_paper=frozenset({"index", "graves_lai"}),
    write=_write,
    read=_read,
    build=_build,
    tables=(Table("paths", ("tail", "head"), ("source", "target"), _keys, names_items=False, fits=_is_acyclic),),
    examples=_examples,
    shape=_shape,
    link=" → ",
    reads_along=True,
    network=_network,
    figure="network",
)
