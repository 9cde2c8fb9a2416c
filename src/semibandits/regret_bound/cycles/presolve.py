"""Exact simplification of an exchange graph before the Graves-Lai problem is solved on it.

Nodes between which a walk can move at no cost are merged: those of the hub, and those on cycles of zero gap (exchanges between
optimal decisions). The remaining graph decomposes: self-loops are solved in closed form, arcs on no cycle cannot carry flow, and
each simple cycle lies in one biconnected block, so that blocks are separate problems.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.ties import Ties
from semibandits.kernels.graphs.exchange import (
    Arcs,
    arcs_of,
    biconnected_blocks,
    cheapest_cycles,
    cheapest_cycles_through_hub,
    incidence,
    topological_order,
)
from semibandits.kernels.machine import tiers
from semibandits.laws import Law
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.cycles import Cycles, renumbered, strong_components
from semibandits.regret_bound.timing import TimeIsUp

NODES_AT_ONCE = 64
"""Number of nodes whose arcs are searched in one call of a kernel: interrupts are heard in between."""


@dataclass(frozen=True, eq=False)
class Digraph:
    """A digraph with costs. If `has_hub`, node 0 lies on every cycle and the others are in topological order."""

    n: int
    arcs: Arcs
    costs: FloatArray
    has_hub: bool

    @property
    def tails(self) -> IntArray:
        """Node that each arc leaves."""
        return self.arcs.tails

    @property
    def heads(self) -> IntArray:
        """Node that each arc enters."""
        return self.arcs.heads

    @staticmethod
    def build(n: int, tails: IntArray, heads: IntArray, costs: FloatArray) -> tuple[Digraph, IntArray]:
        """The graph, with its nodes renumbered if it has a hub, and the new number of each node."""
        number = np.arange(n, dtype=np.int64)
        out_ptr, out_arcs = incidence(n, tails)
        degree = np.bincount(tails, minlength=n) + np.bincount(heads, minlength=n)
        has_hub = False
        for candidate in np.argsort(-degree, kind="stable")[:3]:
            order = topological_order(candidate, tails, heads, out_ptr, out_arcs)
            if len(order):
                number[order] = np.arange(n)
                tails, heads, has_hub = number[tails], number[heads], True
                break
        return Digraph(n, arcs_of(n, tails, heads), costs, has_hub), number

    def reversed(self) -> Digraph:
        """The graph with all arcs reversed. A hub stays first, and the other nodes are in topological order."""
        number = np.arange(self.n, dtype=np.int64)
        if self.has_hub:
            number[1:] = self.n - number[1:]
        tails, heads = number[self.heads], number[self.tails]
        return Digraph(self.n, arcs_of(self.n, tails, heads), self.costs, self.has_hub)

    def cheapest_cycles(self, wanted: BoolArray, deadline: float = math.inf) -> tuple[FloatArray, Cycles]:
        """Cost of the cheapest cycle through each arc (inf if on no cycle), and these cycles for the wanted arcs.

        Raises `TimeIsUp` if a search from all nodes is not done by the deadline.
        """
        marks, costs = wanted.astype(np.int64), self.costs.copy()
        if self.has_hub:
            gaps, ptr, arcs = cheapest_cycles_through_hub(marks, self.arcs, costs)
            return gaps, Cycles(ptr, arcs)
        gaps = np.full(len(costs), np.inf)
        families: list[Cycles] = []
        for sources in np.split(np.arange(self.n), np.arange(NODES_AT_ONCE, self.n, NODES_AT_ONCE)):
            if families and tiers.seconds() > deadline:
                raise TimeIsUp
            some, ptr, arcs = cheapest_cycles(sources, marks, self.arcs, costs)
            gaps = np.minimum(gaps, some)
            families.append(Cycles(ptr, arcs))
        by_node = self.arcs.out_arcs[wanted[self.arcs.out_arcs]]
        return gaps, Cycles.joined(families).taken(np.argsort(by_node))


@dataclass(frozen=True, eq=False)
class Block:
    """A biconnected part of the simplified graph, which is a separate Graves-Lai problem."""

    graph: Digraph  # strongly connected, without self-loops and without cycles of zero gap
    items: ArcItems  # those that enter on the arcs
    # v = 2 sigma^2 of the item of each arc, shape (a,), or of a Gaussian item with the same divergence at a raise by the gap of
    # the arc; 0 on arcs without an item whose mean can rise.
    twice_variance: FloatArray
    gaps: FloatArray  # (a,): cost of the cheapest cycle through each arc, > 0
    cheapest: Cycles  # these cycles, for the arcs with an item
    arcs: IntArray  # (a,): arc of the exchange graph for each arc
    nodes: IntArray  # (n,): merged node (see `Presolved`) for each node

    @property
    def informative(self) -> BoolArray:
        """Arcs on which an item enters whose mean can rise: the arcs with an item."""
        return self.items.raising

    def open_information(self, flow: FloatArray) -> FloatArray:
        """Quotient v / flow on arcs with an item, 0 elsewhere."""
        u, on = np.zeros(len(flow)), self.informative
        u[on] = self.twice_variance[on] / flow[on]
        return u


@dataclass(frozen=True, eq=False)
class Presolved:
    """An exchange graph simplified."""

    gaps: FloatArray  # (a,): cost of the cheapest cycle through each arc of the exchange graph
    merged: IntArray  # (n_nodes,): merged node of each node
    free: BoolArray  # (a,): arcs on a cycle of zero gap, on which a walk can move within a merged node
    loops: IntArray  # arcs with an item that are self-loops after merging
    items: ArcItems  # items on the arcs, raising where they are in I and their mean can rise
    blocks: tuple[Block, ...]


def presolve(graph: ExchangeGraph, law: Law, theta: FloatArray, ties: Ties, deadline: float = math.inf) -> Presolved:
    """Simplify `graph`. Cycles count as exchanges between optimal decisions if the decisions tie.

    Items at the end of their reach, whose means cannot rise, are ignored. Raises `TimeIsUp` if it is not done by the deadline.
    """
    merged = graph.merged_hub
    simple, number = Digraph.build(graph.n_nodes, merged[graph.tails], merged[graph.heads], graph.costs)
    gaps, cheapest = simple.cheapest_cycles(graph.entering >= 0, deadline)
    free = _free(simple, graph, gaps, ties, deadline)
    merged = number[merged]
    if free.any():
        merged = strong_components(simple.n, simple.tails[free], simple.heads[free])[merged]
    tails, heads = merged[graph.tails], merged[graph.heads]
    inner = (tails == heads) & ~free
    between = np.isfinite(gaps) & ~free
    items = ArcItems.of(law, theta, graph.entering, between)
    live = np.flatnonzero(between & ~inner)
    loops = np.flatnonzero(inner & (graph.entering >= 0))
    # Without ties the cheapest cycles lie in the blocks as they are.
    known = None if free.any() else (gaps, graph.entering >= 0, cheapest)
    blocks = _blocks(live, (tails, heads), graph.costs, items, known, deadline)
    return Presolved(gaps, merged, free, loops, items, blocks)


def _free(simple: Digraph, graph: ExchangeGraph, gaps: FloatArray, ties: Ties, deadline: float) -> BoolArray:
    """Arcs on cycles of zero gap, and on cheapest cycles whose gap is a tie for the items that enter and leave on them."""
    free = gaps <= 0.0
    near = ~free & (gaps <= ties.most)
    if not near.any():
        return free
    _, cycles = simple.cheapest_cycles(near, deadline)
    most = np.zeros(len(cycles))
    np.maximum.at(most, cycles.rows, ties.between(graph.entering, graph.leaving)[cycles.arcs])
    if len(graph.hub):
        # Items of x* also leave along the hub, between the ends of each detour.
        place = np.full(graph.n_nodes, -1)
        place[graph.hub] = np.arange(len(graph.hub))
        back = np.flatnonzero((graph.leaving >= 0) & (place[graph.tails] >= 0) & (place[graph.heads] >= 0))
        steps = np.zeros(len(graph.hub))
        steps[place[graph.heads[back]]] = ties.between(graph.leaving[back])
        ends = np.zeros((2, len(cycles)), dtype=np.int64)
        for end, nodes in zip(ends, (graph.tails, graph.heads), strict=True):
            np.maximum.at(end, cycles.rows, place[nodes[cycles.arcs]])
        for k, (i, j) in enumerate(zip(ends.min(axis=0).tolist(), ends.max(axis=0).tolist(), strict=True)):
            most[k] = max(most[k], steps[i:j].max(initial=0.0))
    free[cycles.select(cycles.sums(graph.costs) <= most).arcs] = True
    return free


def _blocks(
    live: IntArray, ends: tuple[IntArray, IntArray], costs: FloatArray, items: ArcItems,
    known: tuple[FloatArray, BoolArray, Cycles] | None, deadline: float,
) -> tuple[Block, ...]:  # fmt: skip
    """The blocks of the live arcs. `known` are the cheapest cycles, and the arcs that have one, if they need no search."""
    if not len(live):
        return ()
    tails, heads = ends
    n = int(max(tails.max(), heads.max())) + 1
    tails_live, heads_live = tails[live], heads[live]
    label, count = biconnected_blocks(arcs_of(n, tails_live, heads_live))
    blocks = []
    for arcs in np.split(live[np.argsort(label, kind="stable")], np.cumsum(np.bincount(label, minlength=count))[:-1]):
        inside = items.take(arcs)
        if not inside.raising.any():
            continue
        nodes, first, last = renumbered(tails[arcs], heads[arcs])
        digraph, number = Digraph.build(len(nodes), first, last, costs[arcs])
        if known is None:
            gaps, cheapest = digraph.cheapest_cycles(inside.raising, deadline)
        else:
            all_gaps, have, all_cheapest = known
            place = np.full(len(have), -1, dtype=np.int64)
            place[arcs] = np.arange(len(arcs))
            wanted = np.zeros(len(have), dtype=np.bool_)
            wanted[arcs[inside.raising]] = True
            cycles = all_cheapest.select(wanted[have])
            gaps, cheapest = all_gaps[arcs], Cycles(cycles.ptr, place[cycles.arcs])
        by_number = np.empty_like(nodes)
        by_number[number] = nodes
        blocks.append(Block(digraph, inside, inside.twice_variance(gaps), gaps, cheapest, arcs, by_number))
    return tuple(blocks)
