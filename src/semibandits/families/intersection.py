"""Common independent sets of two matroids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from semibandits.decisions._counting import root_of
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.errors import InvalidInputError
from semibandits.families.capacities import read_capacities
from semibandits.families.family import JSON, Family, Guarantee, Guarantees, Network, Nouns, network_of_edges
from semibandits.families.labels import decode_names, encode_names
from semibandits.families.matroid import GRAPH, VECTORS
from semibandits.families.matroid_kinds import build_matroid, limits_of, read_matroid, write_matroid
from semibandits.families.tables import ProblemOptions, Table
from semibandits.inputs.fields import Fields
from semibandits.matroids import Graphic, Linear, Partition, Uniform

GROUPS: Final = ("group1", "group2")
SEARCHED_GUARANTEES: Final = Guarantees(
    linear=Guarantee.POLYNOMIAL,
    budgeted=Guarantee.SEARCH,
    budgeted_ratio=Guarantee.SEARCH,
    index=Guarantee.SEARCH,
    index_ratio=Guarantee.SEARCH,
    graves_lai=Guarantee.CERTIFIED,
)


def _write(x: MatroidIntersection) -> JSON:
    return {"m1": write_matroid(x.m1), "m2": write_matroid(x.m2), "size": x.m} | encode_names(x.labels)


def _read(data: Mapping[str, Any]) -> MatroidIntersection:
    first, second = read_matroid(data["m1"]), read_matroid(data["m2"])
    return MatroidIntersection(first, second, data["size"], items=decode_names(data))


def _build(fields: Fields, d: int) -> MatroidIntersection:
    pair = fields.sequence("matroids")
    if len(pair) != 2:
        raise InvalidInputError(f"matroids must be a list of two, got {len(pair)}: the family intersects exactly two")
    first, second = (build_matroid(value, d, f"matroids[{i}]") for i, value in enumerate(pair))
    return MatroidIntersection(first, second, size=fields.count("size", None))


def _keys(cells: Mapping[str, list[str]], options: ProblemOptions) -> dict[str, object]:
    groups = {column: cells[column] for column in GROUPS}
    capacities = read_capacities(options.capacities, groups)
    matroids = [{"kind": "partition", "groups": groups[c], "capacities": capacities[c]} for c in GROUPS]
    return {"items": cells["item"], "matroids": matroids, "size": options.size}


def _examples() -> Iterator[MatroidIntersection]:
    yield MatroidIntersection(Partition([0, 0, 0, 1, 1, 1, 2, 2, 2], 1), Partition([0, 1, 2] * 3, 1))
    yield MatroidIntersection(Graphic(GRAPH), Partition([0, 0, 1, 1, 2, 2], 1))
    yield MatroidIntersection(Linear(VECTORS), Uniform(4, 2))  # has no kernels


def _network(x: MatroidIntersection) -> Network | None:
    """The graph, if a matroid is one: edges are arcs if the other matroid groups them by head, with the root as source."""
    for graphic, other in ((x.m1, x.m2), (x.m2, x.m1)):
        if isinstance(graphic, Graphic):
            if isinstance(other, Partition) and _same_groups(other.groups.tolist(), graphic.edges.heads.tolist()):
                return network_of_edges(graphic.edges, directed=True, source=root_of(graphic, other, x.m))
            return network_of_edges(graphic.edges)
    return None


def _same_groups(first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether two numberings define the same groups of items."""
    return len(set(zip(first, second, strict=True))) == len(set(first)) == len(set(second))


def _plain_nouns(x: MatroidIntersection) -> Nouns:
    network = _network(x)
    if network is None:
        return Nouns("selection", "selections", "item", "items")
    if network.source is not None:
        return Nouns("rooted tree", "rooted trees", "arc", "arcs")
    edge = ("arc", "arcs") if network.directed else ("edge", "edges")
    return Nouns("forest", "forests", *edge)


def _shape(x: MatroidIntersection, some: str, question: str) -> str:
    network = _network(x)
    if network is not None and network.source is None:
        return f"{some} without a cycle, subject to a second constraint."
    if network is not None and network.source is not None:
        return f"{some}, with exactly one path from {network.nodes[network.source]} to every other node."
    limits = [limit for limit in (limits_of(x.m1), limits_of(x.m2)) if limit]
    return f"{some}, {' and '.join(limits) if len(limits) == 2 else 'subject to two constraints'}."


INTERSECTION = Family(
    name="intersection",
    cls=MatroidIntersection,
    title="intersections of two matroids",
    heading="intersections: two constraints at once",
    nouns=Nouns("common independent set", "common independent sets", "item", "items"),
    guarantees=SEARCHED_GUARANTEES,
    beyond_paper=frozenset(Guarantees.__dataclass_fields__),
    write=_write,
    read=_read,
    build=_build,
    tables=(Table("intersection", ("item", *GROUPS), ("size", "capacities"), _keys, names_items=True),),
    examples=_examples,
    shape=_shape,
    plain_nouns=_plain_nouns,
    network=_network,
)
