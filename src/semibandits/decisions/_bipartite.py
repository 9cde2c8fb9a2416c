"""Input of bipartite graphs, with nodes numbered as rows and columns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from semibandits._typing import BoolArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.graphs import EdgeList, is_graph, read_edges

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False)
class BipartiteEdges:
    """A bipartite multigraph with numbered rows, columns and edges."""

    # Labels of the two sides, in the order of the networkx graph or of first occurrence in the pairs.
    rows: tuple[Hashable, ...]
    columns: tuple[Hashable, ...]
    # Shape (n_edges,): edge i joins rows[row_index[i]] to columns[column_index[i]].
    row_index: IntArray
    column_index: IntArray
    items: tuple[Hashable, ...]  # label of each edge: (row, column), or (row, column, k) for parallel edges

    def __post_init__(self) -> None:
        self.row_index.setflags(write=False)
        self.column_index.setflags(write=False)


def read_bipartite(edges: object) -> BipartiteEdges:
    """Number rows, columns and edges of a networkx graph or multigraph, or of pairs (row, column), in a fixed order.

    In pairs, the two sides have separate labels: row 1 and column 1 are different nodes. Nodes of a networkx graph are rows if
    their attribute ``bipartite`` is 0 and columns if it is 1; if no node has it, the first node of each connected component is a
    row. A graph that is empty, directed or not bipartite, or where only some nodes have the attribute, is refused.
    """
    if is_graph(edges):
        graph = read_edges(edges, directed=False)
        bipartite = _from_graph(graph, _columns(edges))
    else:
        graph = read_edges(edges, directed=True)
        rows, row_index = _renumbered(graph, graph.tails)
        columns, column_index = _renumbered(graph, graph.heads)
        bipartite = BipartiteEdges(rows, columns, row_index, column_index, graph.items)
    if not graph.n_edges:
        raise InvalidInputError("edges must have at least one edge, got none: pass the pairs that may be matched")
    return bipartite


def _renumbered(graph: EdgeList, ends: IntArray) -> tuple[tuple[Hashable, ...], IntArray]:
    number: dict[int, int] = {}
    index = np.array([number.setdefault(v, len(number)) for v in ends.tolist()], dtype=np.int64)
    return tuple(graph.nodes[v] for v in number), index


def _from_graph(graph: EdgeList, is_column: BoolArray) -> BipartiteEdges:
    is_reversed = is_column[graph.tails]
    wrong = np.flatnonzero(is_reversed == is_column[graph.heads])
    if wrong.size:
        u, v = graph.nodes[graph.tails[wrong[0]]], graph.nodes[graph.heads[wrong[0]]]
        raise InvalidInputError(
            f"graph must be bipartite, got an edge between {u!r} and {v!r} on the same side: "
            "drop it, or fix the node attribute 'bipartite' if the graph has it"
        )
    number = np.where(is_column, np.cumsum(is_column), np.cumsum(~is_column)) - 1
    labels = cast("tuple[tuple[Hashable, ...], ...]", graph.items)
    items = ((label[1], label[0], *label[2:]) if swap else label for label, swap in zip(labels, is_reversed, strict=True))
    return BipartiteEdges(
        tuple(node for node, column in zip(graph.nodes, is_column, strict=True) if not column),
        tuple(node for node, column in zip(graph.nodes, is_column, strict=True) if column),
        number[np.where(is_reversed, graph.heads, graph.tails)],
        number[np.where(is_reversed, graph.tails, graph.heads)],
        tuple(items),
    )


def _columns(graph: nx.Graph[Hashable]) -> BoolArray:
    """Whether each node is a column; if the graph is not bipartite, some edge has both ends on one side."""
    sides = {node: attributes.get("bipartite") for node, attributes in graph.nodes.items()}
    if any(side is not None for side in sides.values()):
        for node, side in sides.items():
            if side not in (0, 1):
                raise InvalidInputError(
                    f"the node attribute 'bipartite' must be 0 (row) or 1 (column), got {side!r} at node {node!r}: "
                    "set it at every node, or at none to infer the sides"
                )
        return np.array([side == 1 for side in sides.values()], dtype=np.bool_)
    column: dict[Hashable, bool] = {}
    for first in graph:
        column.setdefault(first, False)
        waiting = [first]
        while waiting:
            u = waiting.pop()
            fresh = [v for v in graph[u] if v not in column]
            column.update(dict.fromkeys(fresh, not column[u]))
            waiting += fresh
    return np.array([column[node] for node in graph], dtype=np.bool_)
