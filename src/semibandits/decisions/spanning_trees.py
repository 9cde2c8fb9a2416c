"""Spanning trees of an undirected graph."""

from __future__ import annotations

from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, IntArray
from semibandits.decisions._labels import checked_frame
from semibandits.decisions._matroid_oracles import matroid_oracle
from semibandits.decisions.compiled import CompiledOracle
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.frames import ItemSource, as_pairs
from semibandits.inputs.graphs import numbered_pairs
from semibandits.inputs.validation import item_vector
from semibandits.kernels.graphs.forests import heaviest_forest, root_forest
from semibandits.matroids import Graphic


@final
class SpanningTrees(MatroidDecisions):
    """All spanning trees of a connected undirected multigraph.

    Parameters
    ----------
    graph : networkx Graph or MultiGraph, sequence of (u, v), or frame
        Item i is the i-th edge, or the i-th row of a frame of pandas or polars. Parallel edges and loops are allowed; loops are
        in no tree.
    tail, head : str
        Columns of a frame that hold the ends of the edges.

    Raises
    ------
    InvalidInputError
        If an edge is malformed, or the graph is directed, has no edges, or is not connected.

    Notes
    -----
    ``maximize`` is Kruskal's algorithm (1956), ``count`` the matrix-tree theorem (Kirchhoff 1847). C(θ) has a closed form, as for
    all matroids: docs/explanations/exchange-graph.md.

    Examples
    --------
    Cables that connect four houses at the least cost:

    >>> cables = [("A", "B"), ("B", "C"), ("C", "A"), ("C", "D")]
    >>> cost = np.array([3, 1, 2, 4])
    >>> X = sb.SpanningTrees(cables)
    >>> X.d, X.m, X.count()
    (4, 3, 3)
    >>> [X.items[i] for i in np.flatnonzero(X.maximize(-cost))]  # rewards are minus costs
    [('B', 'C'), ('C', 'A'), ('C', 'D')]
    """

    @hinted
    def __init__(self, graph: object, *, tail: str = "tail", head: str = "head") -> None:
        matroid = Graphic(as_pairs(graph, tail=tail, head=head))
        self._source = ItemSource.of(graph, tail, head)
        edges = matroid.edges
        if edges.n_edges == 0:
            raise InvalidInputError(f"graph must have edges, got none ({edges.n_nodes} nodes): the edges are the items")
        super().__init__(matroid)
        # Private writable copies, since kernels are recompiled for read-only arrays.
        self._n_nodes, self._tails, self._heads = edges.n_nodes, edges.tails.copy(), edges.heads.copy()
        forest = np.flatnonzero(heaviest_forest(self._n_nodes, self._tails, self._heads, np.zeros(self._d)))
        roots = np.unique(root_forest(self._n_nodes, self._tails, self._heads, forest)[3])
        if len(roots) > 1:
            raise InvalidInputError(
                f"graph must be connected, got {len(roots)} components, with {edges.nodes[roots[0]]!r} in one and "
                f"{edges.nodes[roots[1]]!r} in another: add edges between them, or build one decision set per component"
            )

    @classmethod
    @hinted
    def from_frame(cls, frame: object, *, tail: str = "tail", head: str = "head") -> SpanningTrees:
        """The same from a frame of pandas or polars with one row an edge: ``SpanningTrees(frame, ...)``."""
        return cls(checked_frame(frame, "SpanningTrees(pairs)"), tail=tail, head=head)

    def __repr__(self) -> str:
        return f"SpanningTrees(d={self._d}, nodes={self._n_nodes})"

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Spanning tree of largest total weight, by Kruskal's algorithm; ties go to the smaller index.

        Raises
        ------
        InvalidInputError
            If `weights` has the wrong shape or holds NaN or infinity.
        """
        theta = item_vector(weights, self, "weights")
        return heaviest_forest(self._n_nodes, self._tails, self._heads, theta)

    def _restricted_to(self, items: IntArray) -> SpanningTrees:
        return SpanningTrees(numbered_pairs(self._tails[items], self._heads[items]))

    def _compiled(self) -> CompiledOracle | None:
        return matroid_oracle(self._matroid, self._m)
