"""The exchange graph: an optimal decision and the elementary ways to leave it.

All families return the same data structure (:class:`ExchangeGraph`), so methods such as those for the Graves-Lai problem are
written once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.formats.text import brief


@dataclass(frozen=True, eq=False)
class ExchangeGraph:
    """Directed multigraph whose cycles are the exchanges out of an optimal decision x*.

    A cycle C turns x* into another candidate: the *leaving* items of its arcs are removed and the *entering* items are added.
    The reduced costs along it add up to its gap, ``sum(costs[C]) = theta(leaving) - theta(entering)``, and all reduced costs
    are >= 0 because x* is optimal.

    Attributes
    ----------
    decision : ndarray of bool, shape (d,)
        The optimal decision x*.
    n_nodes : int
        Nodes are 0 .. n_nodes - 1.
    tails, heads : ndarray of int, shape (a,)
        Arc k runs from ``tails[k]`` to ``heads[k]``. Parallel arcs and self-loops are allowed.
    costs : ndarray of float, shape (a,)
        Reduced costs, >= 0, in the unit of the rewards:
        ``theta[leaving] - theta[entering] + potentials[tail] - potentials[head]`` (a term with item -1 is 0).
    entering, leaving : ndarray of int, shape (a,)
        Item that enters (leaves) on the arc, or -1. An item outside x* enters on at most one arc; the flow through that arc is
        the rate at which the item is explored. An item of x* never enters.
    potentials : ndarray of float, shape (n_nodes,)
        Dual variables of P_LM that make the costs non-negative.
    hub : ndarray of int, shape (h,)
        Nodes between which a walk moves without entering items. For paths these are the nodes of x*, since the segment of x*
        that a detour skips only *leaves*. Empty for most families. Methods that use entering items only, such as those for
        P_GL, may merge these nodes into one.

    Notes
    -----
    The circulations of this graph span the cone of all ways to leave x*, and its simple cycles give all constraints of the
    Graves-Lai problem: docs/explanations/exchange-graph.md. [theory T0, T1]

    Examples
    --------
    The quickest way from A to D is A-C-D, in 8 minutes. The detour by B takes 9:

    >>> streets = [("A", "B"), ("A", "C"), ("B", "D"), ("C", "D"), ("B", "C")]
    >>> graph = sb.Paths(streets, "A", "D").exchange_graph([-4, -2, -5, -6, -1])
    >>> graph.decision.tolist()
    [False, True, False, True, False]
    >>> detour = np.array([0, 2, 3, 1])  # arcs on which A-B and B-D enter, C-D and A-C leave
    >>> graph.entering[detour].tolist(), graph.leaving[detour].tolist()
    ([0, 2, -1, -1], [-1, -1, 3, 1])
    >>> graph.apply(detour).tolist(), float(graph.costs[detour].sum())
    ([True, False, True, False, False], 1.0)
    """

    decision: BoolArray
    n_nodes: int
    tails: IntArray
    heads: IntArray
    costs: FloatArray
    entering: IntArray
    leaving: IntArray
    potentials: FloatArray
    hub: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __repr__(self) -> str:
        return brief(self)

    def __post_init__(self) -> None:
        for array in (self.decision, self.tails, self.heads, self.costs, self.entering, self.leaving, self.potentials, self.hub):
            array.setflags(write=False)

    @property
    def n_arcs(self) -> int:
        """Number of arcs."""
        return len(self.tails)

    @property
    def merged_hub(self) -> IntArray:
        """Number of each node after the hub is merged into one node, shape (n_nodes,)."""
        merged = np.arange(self.n_nodes, dtype=np.int64)
        if len(self.hub):
            merged[self.hub] = self.hub[0]
        return merged

    def apply(self, arcs: IntArray) -> BoolArray:
        """x* after the exchange along `arcs`, ints of shape (k,); bool, shape (d,).

        For matroid intersections the result need not be a decision. [theory T1]
        """
        x = self.decision.copy()
        leaving, entering = self.leaving[arcs], self.entering[arcs]
        x[leaving[leaving >= 0]] = False
        x[entering[entering >= 0]] = True
        return x
