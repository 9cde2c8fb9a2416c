"""Simple paths from a source to a target in any graph, for costs known to be nonnegative."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from semibandits.decisions.routes import Routes
from semibandits.errors import InvalidInputError, Option
from semibandits.families.family import JSON, Family, Guarantees, Network, Nouns
from semibandits.families.intersection import SEARCHED_GUARANTEES
from semibandits.families.labels import decode_label, encode_ends, encode_label, encode_labels, find_node, read_graph
from semibandits.families.tables import ProblemOptions, Table, edges_from, required
from semibandits.inputs.fields import Fields, as_numbers

CYCLES, BOTH_WAYS = "The links form cycles", "Links can be used both ways"
KNOWN = "Mean costs are known to be at least 0, or at least the number in the column of least costs, if there is one"


def _write(x: Routes) -> JSON:
    ends = {"source": encode_label(x.source), "target": encode_label(x.target)}
    graph = {"nodes": encode_labels(x.nodes), "edges": encode_ends(x.items, directed=x.directed), "directed": x.directed}
    return {**graph, **ends, "least": x.least.tolist()}


def _read(data: Mapping[str, Any]) -> Routes:
    graph = read_graph(data, directed=data["directed"])
    return Routes(graph, decode_label(data["source"]), decode_label(data["target"]), data["least"])


def _build(fields: Fields, d: int) -> Routes:
    edges = fields.pairs("edges")
    nodes = list(dict.fromkeys(node for edge in edges for node in edge))
    source, target = (find_node(fields.take(key), nodes, key) for key in ("source", "target"))
    least, directed = fields.take("least", 0.0), fields.take("directed", True)
    if not isinstance(directed, bool):
        raise InvalidInputError(f"directed must be true or false, got {directed!r}: false lets edges be used both ways")
    numbers = as_numbers([least] if isinstance(least, int | float) else least, "least")
    return Routes(edges, source, target, np.array(numbers if len(numbers) > 1 else numbers[0]), directed=directed)


def _keys(cells: Mapping[str, list[str]], options: ProblemOptions) -> dict[str, object]:
    edges = edges_from(cells, "tail", "head")
    if options.undirected:
        _check_once(edges)
    return {
        "edges": edges,
        "source": required(options.source, "source"),
        "target": required(options.target, "target"),
        "directed": not options.undirected,
        "note": f"{BOTH_WAYS if options.undirected else CYCLES}, so these are routes. {KNOWN}.",
    }


def _check_once(edges: list[list[str]]) -> None:
    """Refuse undirected links nearly all of which are listed in both directions: each would be two two-way streets."""
    known = {(tail, head) for tail, head in edges if tail != head}
    twice = [(tail, head) for tail, head in edges if (head, tail) in known]
    if len(twice) > 0.9 * len(edges):
        raise InvalidInputError(
            Option("undirected"),
            f" must list each link once, got {len(twice)} of {len(edges)} links, such as {twice[0][0]!r} to {twice[0][1]!r}, in "
            "both directions: drop it",
        )


def _examples() -> Iterator[Routes]:
    places = [(i, j) for i in range(3) for j in range(3)]
    streets = [((i, j), to) for i, j in places for to in ((i + 1, j), (i, j + 1)) if to in places]
    yield Routes([*streets, *((v, u) for u, v in streets)], (0, 0), (2, 2), 0.5)
    yield Routes(streets, (0, 0), (2, 2), directed=False)


def _network(x: Routes) -> Network:
    return Network(x.nodes, x.tails, x.heads, x.directed, x.nodes.index(x.source), x.nodes.index(x.target))


def _shape(x: Routes, some: str, question: str) -> str:
    known = all(str(end) in question for end in (x.source, x.target)) or question
    return f"{'Over' if known else f'From {x.source} to {x.target}, over'} at most {some}."


ROUTES = Family(
    name="routes",
    cls=Routes,
    title="simple s-t paths in any graph, costs >= 0",
    heading="routes: a way through streets, also two-way ones",
    nouns=Nouns("route", "routes", "link", "links"),
    guarantees=SEARCHED_GUARANTEES,
    beyond_paper=frozenset(Guarantees.__dataclass_fields__),
    write=_write,
    read=_read,
    build=_build,
    tables=(
        Table(
            "routes",
            ("tail", "head"),
            ("source", "target", "undirected"),
            _keys,
            names_items=False,
            numbers=("least",),
            is_in_costs=True,
            texts=("streets",),
        ),
    ),
    examples=_examples,
    shape=_shape,
    has_exchange_graph=False,
    link=" → ",
    reads_along=True,
    network=_network,
    figure="network",
)
