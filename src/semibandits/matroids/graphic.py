"""Graphic matroids: forests of an undirected graph."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast, final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.inputs.graphs import EdgeList, read_edges
from semibandits.kernels.graphs.forests import forest_bases, forest_exchanges, forest_greedy, forest_lightest, is_forest
from semibandits.matroids._checks import as_indices
from semibandits.matroids._matrix_tree import UNLIMITED, count_spanning_forests
from semibandits.matroids.base import Matroid


@final
class Graphic(Matroid):
    """Forests of an undirected multigraph: sets of edges without a cycle.

    Parameters
    ----------
    edges : networkx Graph or MultiGraph, or sequence of (u, v)
        The items, in this order; nodes are any hashable labels. Parallel edges and loops are allowed; no independent set
        contains a loop.

    Raises
    ------
    InvalidInputError
        If an edge is malformed, or the graph is directed.

    Examples
    --------
    Three streets around a block, and one to D:

    >>> streets = sb.matroids.Graphic([("A", "B"), ("B", "C"), ("C", "A"), ("C", "D")])
    >>> streets.rank, streets.count_bases()
    (3, 3)
    >>> streets.is_independent(np.array([0, 1, 3])), streets.is_independent(np.array([0, 1, 2]))
    (True, False)
    >>> streets.items[3]
    ('C', 'D')
    """

    def __init__(self, edges: object) -> None:
        self._edges = read_edges(edges, directed=False)
        # Private writable copies, since kernels are recompiled for read-only arrays.
        self._tails, self._heads = self._edges.tails.copy(), self._edges.heads.copy()

    def __repr__(self) -> str:
        return f"Graphic(d={self.d}, nodes={self._edges.n_nodes})"

    @property
    def d(self) -> int:
        """Number of edges."""
        return self._edges.n_edges

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each edge: (u, v), or (u, v, k) for parallel edges."""
        return self._edges.items

    @property
    def edges(self) -> EdgeList:
        """The graph with numbered nodes and edges."""
        return self._edges

    def is_independent(self, indices: IntArray) -> bool:
        """Whether the edges `indices` contain no cycle."""
        return bool(is_forest(self._edges.n_nodes, self._tails, self._heads, as_indices(indices, self.d)))

    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` and keep each edge that closes no cycle; bool, shape (d,)."""
        return forest_greedy(self._edges.n_nodes, self._tails, self._heads, as_indices(order, self.d, "order"))

    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change a forest by one edge; see :meth:`Matroid.exchanges`."""
        members = as_indices(members, self.d, "members")
        return forest_exchanges(self._edges.n_nodes, self._tails, self._heads, members)

    def lightest_partners(self, members: IntArray, weights: FloatArray) -> IntArray:
        """Lightest edge of the tree path between the ends of each edge; see :meth:`Matroid.lightest_partners`."""
        members = as_indices(members, self.d, "members")
        return forest_lightest(self._edges.n_nodes, self._tails, self._heads, members, weights)

    def count_bases(self) -> int:
        """Number of maximal forests, by the matrix-tree theorem (Kirchhoff 1847)."""
        return cast("int", self.count_bases_within(UNLIMITED))

    def count_bases_within(self, work: int) -> int | None:
        """Number of maximal forests; None if the determinant takes more than about `work` elementary steps."""
        forest = np.flatnonzero(self.greedy(np.arange(self.d)))
        return count_spanning_forests(self._edges.n_nodes, self._tails, self._heads, forest, work)

    def _list_bases(self, limit: int) -> BoolArray:
        return forest_bases(self._edges.n_nodes, self._tails, self._heads, self.count_bases())
