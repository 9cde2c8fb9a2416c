"""Converting networkx graphs and sequences of pairs to arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from semibandits._typing import IntArray
from semibandits.errors import InvalidInputError
from semibandits.formats.text import brief
from semibandits.inputs.labelled import plain, refuse_rounded

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False)
class EdgeList:
    """A directed or undirected multigraph with numbered nodes and edges."""

    nodes: tuple[Hashable, ...]  # labels in the order of the networkx graph, or of their first appearance in the pairs
    # Shape (n_edges,): edge i joins nodes[tails[i]] to nodes[heads[i]], in its original orientation.
    tails: IntArray
    heads: IntArray
    # Label of each edge: (u, v), or (u, v, k) for parallel edges, with the key k of networkx, or k = 0, 1, ...
    items: tuple[Hashable, ...]

    def __repr__(self) -> str:
        return brief(self)

    def __post_init__(self) -> None:
        self.tails.setflags(write=False)
        self.heads.setflags(write=False)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.tails)


def read_edges(graph: object, *, directed: bool) -> EdgeList:
    """Number the nodes and edges of a networkx graph, or of pairs (u, v), in a fixed order.

    A networkx graph must be directed if and only if `directed` is True. Its edges keep the order of networkx, and nodes without
    edges are kept. Parallel edges keep their keys; attributes of edges are ignored. If edges are not directed, (u, v) and (v, u)
    count as parallel and each keeps its orientation. Nodes that cannot be labels (unhashable or NaN) are refused.
    """
    if is_graph(graph):
        _check_kind(graph, directed)
        nodes: list[Hashable] = [_checked_node(node, "the graph") for node in graph.nodes]
        has_keys = hasattr(graph, "is_multigraph") and graph.is_multigraph()
        listed: Any = graph.edges
        edges = [plain(tuple(edge)) for edge in (listed(keys=True) if has_keys else listed())]
        pairs: list[tuple[Hashable, Hashable]] = [(u, v) for u, v, *_ in edges]
    else:
        nodes, edges = [], []
        pairs = [_read_pair(edge, i) for i, edge in enumerate(_as_iterable(graph))]
    number = {node: n for n, node in enumerate(nodes)}
    ends = np.array([number.setdefault(node, len(number)) for pair in pairs for node in pair], dtype=np.int64)
    tails, heads = ends[0::2].copy(), ends[1::2].copy()
    keys = [edge[2] if len(edge) == 3 else None for edge in edges] or [None] * len(pairs)
    # Parallel edges have their own key in their label, or their number where that is None.
    low, high = (tails, heads) if directed else (np.minimum(tails, heads), np.maximum(tails, heads))
    joined = list(zip(low.tolist(), high.tolist(), strict=True))
    total = Counter(joined)
    seen: Counter[tuple[int, int]] = Counter()
    labels: list[Hashable] = []
    for both, pair, key in zip(joined, pairs, keys, strict=True):
        labels.append((*pair, seen[both] if key is None else key) if total[both] > 1 else pair)
        seen[both] += 1
    return EdgeList(tuple(number), tails, heads, tuple(labels))


def numbered_pairs(tails: IntArray, heads: IntArray) -> list[tuple[int, int]]:
    """Edges as pairs of the numbers of their ends."""
    return list(zip(tails.tolist(), heads.tolist(), strict=True))


def ends_of(source: Hashable, target: Hashable, edges: EdgeList) -> tuple[int, int]:
    """Numbers of the two ends of paths, which must be different nodes."""
    for name, node in (("source", source), ("target", target)):
        if node not in edges.nodes:
            raise InvalidInputError(
                f"{name} must be a node of the graph, got {node!r}: pass one of its {edges.n_nodes} node labels"
            )
    first, last = edges.nodes.index(source), edges.nodes.index(target)
    if first == last:
        raise InvalidInputError(f"source and target must differ, got {source!r} for both: a path needs at least one item")
    return first, last


def is_graph(value: object) -> TypeGuard[nx.Graph[Hashable]]:
    """Whether this is a networkx graph, or an object with the same attributes."""
    return all(hasattr(value, name) for name in ("nodes", "edges", "is_directed"))


def _check_kind(graph: nx.Graph[Hashable], directed: bool) -> None:
    if graph.is_directed() and not directed:
        raise InvalidInputError(
            f"graph must be undirected, got a {type(graph).__name__}: pass graph.to_undirected() or a sequence of (u, v)"
        )
    if directed and not graph.is_directed():
        raise InvalidInputError(
            f"graph must be directed, got a {type(graph).__name__}: "
            "pass a networkx DiGraph or MultiDiGraph, or a sequence of (tail, head)"
        )


def _as_iterable(graph: object) -> Iterable[object]:
    if isinstance(graph, np.ndarray):
        return list(graph.tolist()) if graph.ndim else [graph.item()]
    if isinstance(graph, str | bytes | Mapping | Set) or not isinstance(graph, Iterable):
        raise InvalidInputError(
            f"graph must be a networkx graph or a sequence of pairs, got {type(graph).__name__}: "
            "pass for instance [('a', 'b'), ('b', 'c')], whose order numbers the items"
        )
    return graph


def _read_pair(edge: object, position: int) -> tuple[Hashable, Hashable]:
    if isinstance(edge, np.ndarray):
        edge = edge.tolist()
    if not isinstance(edge, tuple | list) or len(edge) != 2:
        raise InvalidInputError(
            f"each edge must be a pair (u, v), got {edge!r} at position {position}: "
            "pass the two end nodes only, and weights separately"
        )
    for node in edge:
        try:
            hash(node)
        except TypeError as error:
            raise InvalidInputError(
                f"each node must be hashable, got {node!r} in the edge at position {position}: "
                "use strings, numbers or tuples as node labels"
            ) from error
        if isinstance(node, float) and node != node:
            raise InvalidInputError(
                f"each node must equal itself, got NaN in the edge at position {position}: name the missing node"
            )
    u, v = (_checked_node(node, f"the edge at position {position}") for node in edge)
    return u, v


def _checked_node(node: Hashable, where: str) -> Hashable:
    """A node as Python writes it, unless it has lost digits."""
    refuse_rounded(node, where)
    label: Hashable = plain(node)
    return label
