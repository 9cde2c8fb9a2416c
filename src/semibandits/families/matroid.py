"""Bases of a matroid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from semibandits.decisions.matroids import MatroidBases, MatroidDecisions
from semibandits.families.capacities import read_capacities
from semibandits.families.family import Family, Guarantee, Guarantees, Network, Nouns, network_of_edges
from semibandits.families.labels import decode_names, encode_names
from semibandits.families.matroid_kinds import build_matroid, limits_of, read_matroid, write_matroid
from semibandits.families.tables import ProblemOptions, Table
from semibandits.inputs.fields import Fields
from semibandits.matroids import Graphic, Laminar, Linear, Partition, Transversal, Uniform

GRAPH: Final = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)]
"""Small graph that has cycles if undirected and none if directed."""
VECTORS: Final = [[1.0, 0.5, 0.0, 2.0], [0.0, 1.0, 0.3, 1.0]]
MATROID_GUARANTEES: Final = Guarantees(
    linear=Guarantee.POLYNOMIAL,
    budgeted=Guarantee.SEARCH,
    budgeted_ratio=Guarantee.PTAS,
    index=Guarantee.SEARCH,
    index_ratio=Guarantee.SEARCH,
    graves_lai=Guarantee.CLOSED_FORM,
)


def _build(fields: Fields, d: int) -> MatroidBases:
    return MatroidBases(build_matroid(fields.take("matroid"), d, "matroid"))


def _keys(cells: Mapping[str, list[str]], options: ProblemOptions) -> dict[str, object]:
    groups = cells["group"]
    capacities = read_capacities(options.capacities, {"group": groups})["group"]
    matroid: dict[str, object] = {"kind": "partition", "groups": groups, "capacities": capacities}
    if options.size is not None:
        matroid["size"] = options.size
    return {"family": "matroid", "items": cells["item"], "matroid": matroid}


def _examples() -> Iterator[MatroidBases]:
    yield MatroidBases(Partition([0, 0, 0, 1, 1, 1], {0: 1, 1: 2}))
    yield MatroidBases(Laminar([[0, 1], [0, 1, 2, 3], [4, 5]], [1, 2, 1], d=7))
    yield MatroidBases(Transversal([[0], [0, 1], [1, 2], [2], [0, 2]]))
    yield MatroidBases(Linear([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [0, 0, 0, 1, 1]], field=2))
    yield MatroidBases(Linear(VECTORS))
    yield MatroidBases(Uniform(5, 2))


def graph_of(x: MatroidDecisions) -> Graphic:
    """The graphic matroid of spanning trees or forests."""
    assert isinstance(x.matroid, Graphic)
    return x.matroid


def _network(x: MatroidBases) -> Network | None:
    return network_of_edges(x.matroid.edges) if isinstance(x.matroid, Graphic) else None


def _plain_nouns(x: MatroidBases) -> Nouns:
    if isinstance(x.matroid, Graphic):
        return Nouns("spanning forest", "spanning forests", "edge", "edges")
    return Nouns("selection", "selections", "item", "items")


def _shape(x: MatroidBases, some: str, question: str) -> str:
    limit = limits_of(x.matroid)
    return f"{some}{', ' + limit if limit else ''}."


MATROID = Family(
    name="matroid",
    cls=MatroidBases,
    title="matroid bases",
    heading="matroid bases: a limit on each group of items",
    nouns=Nouns("basis", "bases", "item", "items"),
    guarantees=MATROID_GUARANTEES,
    beyond_paper=frozenset({"budgeted", "index", "graves_lai"}),
    write=lambda x: {"matroid": write_matroid(x.matroid)} | encode_names(x.labels),
    read=lambda data: MatroidBases(read_matroid(data["matroid"]), items=decode_names(data)),
    build=_build,
    tables=(Table("partition", ("item", "group"), ("capacities", "size"), _keys, names_items=True),),
    examples=_examples,
    shape=_shape,
    plain_nouns=_plain_nouns,
    network=_network,
)
