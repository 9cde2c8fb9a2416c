"""The exchange graph: an optimal decision and the elementary ways to leave it.

Every decision set draws the same picture (:class:`ExchangeGraph`), and what comes after, the Graves-Lai
problem first of all, is written once for this picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ExchangeGraph:
    """Directed multigraph whose cycles are the exchanges out of an optimal decision x*.

    A cycle C turns x* into another candidate: the items *leaving* on its arcs go out, the items *entering*
    come in. The reduced costs along it add up to its gap, ``sum(costs[C]) = theta(leaving) - theta(entering)``,
    and all reduced costs are >= 0 because x* is optimal.

    Attributes
    ----------
    decision : ndarray of bool, shape (d,)
        The optimal decision x*.
    n_nodes : int
        Nodes are 0 .. n_nodes - 1.
    tails, heads : ndarray of int, shape (a,)
        Arc k runs from ``tails[k]`` to ``heads[k]``. Parallel arcs and self-loops are legal.
    costs : ndarray of float, shape (a,)
        Reduced costs, >= 0, in the unit of the rewards:
        ``theta[leaving] - theta[entering] + potentials[tail] - potentials[head]`` (a term with item -1 is 0).
    entering, leaving : ndarray of int, shape (a,)
        Item that enters (leaves) when the arc is used, or -1. An item outside x* enters on at most one arc:
        the flow through that arc is the rate at which the item is explored. An item of x* never enters.
    potentials : ndarray of float, shape (n_nodes,)
        Dual variables of P_LM that make the costs non-negative.
    hub : ndarray of int
        Nodes between which a walk may move freely as far as entering items are concerned (for paths: the nodes of x*,
        since the segment of x* that a detour skips only *leaves*). Empty for most families. Whoever looks at entering
        items only, as P_GL does, may merge them into one node.

    Notes
    -----
    theory: the circulations of this graph span the cone of all ways to leave x* (T0), and its simple cycles are all the
    constraints that the Graves-Lai problem has (T1).
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

    def __post_init__(self) -> None:
        for array in (
            self.decision, self.tails, self.heads, self.costs, self.entering, self.leaving, self.potentials, self.hub,
        ):  # fmt: skip
            array.setflags(write=False)

    @property
    def n_arcs(self) -> int:
        """Number of arcs."""
        return len(self.tails)

    @property
    def merged_hub(self) -> IntArray:
        """Number of each node when the hub is one node, shape (n_nodes,)."""
        merged = np.arange(self.n_nodes, dtype=np.int64)
        if len(self.hub):
            merged[self.hub] = self.hub[0]
        return merged

    def apply(self, arcs: IntArray) -> BoolArray:
        """x* after the exchange along `arcs`; for matroid intersections this need not be a decision (T1)."""
        x = self.decision.copy()
        leaving, entering = self.leaving[arcs], self.entering[arcs]
        x[leaving[leaving >= 0]] = False
        x[entering[entering >= 0]] = True
        return x
