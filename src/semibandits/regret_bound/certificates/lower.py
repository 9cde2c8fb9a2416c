"""Lower bound on C(theta) for any law from cycles, raises and multipliers, computed outside the solver.

Let f be a feasible circulation and w_i its flow through item i. Raise the means of the items of a cycle C by e_i >= 0 with
sum e_i >= gap(C). Then x* is no longer the only best decision, so ``sum_{i in C} w_i d(theta_i, theta_i + e_i) >= 1``. Multiply
these inequalities by mu_C >= 0 and add them up over some cycles: ``sum_i w_i y_i >= sum mu``, with ``y_i`` the sum of
``mu_C d(theta_i, theta_i + e_i)`` over the cycles through i. If every cycle of the graph costs at least t times the sum of its
y_i, the same holds for every circulation, which is a sum of cycles: cost(f) >= t y.w >= t sum mu. Node potentials prove t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError
from semibandits.kernels.graphs.cycles import are_closed
from semibandits.kernels.graphs.ratios import least_ratio, negative_cycle
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.bounds import LowerBound
from semibandits.regret_bound.cycles.cycles import Cycles, strong_components
from semibandits.regret_bound.raises import stretched

MAX_LOWERINGS = 300
GOOD_SHARE = 1.0 - 1e-6
"""If one factor keeps at least this share of all multipliers, lowering some of them instead gains nothing."""
CLOSE = 2e-14
"""Violation of an arc, relative to its cost and worth, that counts as rounding. The bound is lowered accordingly."""
ROUNDING = 1e-12
"""Bound on the relative error of sums of products and of divergences."""


@dataclass(frozen=True, eq=False)
class ItemGraph:
    """A digraph of n nodes and a arcs with costs and items."""

    n: int
    tails: IntArray
    heads: IntArray
    costs: FloatArray  # (a,), reduced costs >= 0
    items: ArcItems
    least_gap: float  # lower bound on the cost of cycles through arcs that raise, > 0


def lower_bound(
    graph: ItemGraph, cycles: Cycles, raises: FloatArray, multipliers: FloatArray, *, quick: bool = False
) -> LowerBound:
    """Lower bound of the module's docstring, rounded down, with multipliers scaled so that they add up to it.

    The cycles must be closed walks of the graph, otherwise the bound is 0. `raises` has the raise of the item of each entry of
    `cycles`. Raises are stretched until they add up to the gap of their cycle; cycles where this fails are left out.
    `multipliers` are mu, one per cycle; negative and non-finite ones count as 0. If `quick`, all multipliers are scaled by one
    factor only, without trying to lower some of them instead.
    """
    mu = np.where(np.isfinite(multipliers) & (multipliers > 0.0), multipliers, 0.0)
    if not mu.any() or not are_closed(cycles.ptr, cycles.arcs, graph.tails, graph.heads, graph.n).all():
        return LowerBound(0.0, cycles, np.zeros(len(cycles)), raises)
    gaps = cycles.sums(graph.costs)
    entries, valid = _entry_divergences(graph, cycles, raises, gaps)
    first = np.where(valid, mu, 0.0)
    entries = np.where(valid[cycles.rows], entries, 0.0) * (1.0 + ROUNDING + graph.items.law.rounding)
    component = strong_components(graph.n, graph.tails, graph.heads)
    live = np.flatnonzero(component[graph.tails] == component[graph.heads])
    # Initial potentials: 0 at one node of the cycle of least gap in each component, infinite elsewhere. Potentials are sums from
    # this node. Close to it they are as small as the gap, so their differences keep their digits.
    order = np.argsort(np.where(first > 0.0, gaps, np.inf), kind="stable")
    nodes = np.concatenate((graph.tails[cycles.arcs[cycles.ptr[order]]], np.arange(graph.n)))
    begin = np.full(graph.n, np.inf)
    begin[nodes[np.unique(component[nodes], return_index=True)[1]]] = 0.0
    proof = _Proof(graph, cycles, entries, live, begin)
    best, mu = LowerBound(0.0, cycles, first, raises), first
    while True:
        y = proof.worths(mu)
        known = cycles.sums(y)[mu > 0.0]
        most = float((gaps[mu > 0.0] / known).min()) if (known > 0.0).all() and len(known) else 0.0
        share = proof.share(y, most) if most > 0.0 else 0.0
        value = float(math.fsum(mu) * share * (1.0 - ROUNDING))
        if value > best.value:
            best = LowerBound(value, cycles, share * mu, raises)
        if quick or mu is not first or share > GOOD_SHARE:
            return best
        mu = proof.lowered(first)


@dataclass(frozen=True, eq=False)
class _Proof:
    """Cycles with their divergences, and what is needed to compare the worth of all cycles with their cost."""

    graph: ItemGraph
    cycles: Cycles
    entries: FloatArray  # divergence of each entry of the cycles, rounded up
    live: IntArray  # arcs inside strongly connected components: no other arc lies on a cycle
    begin: FloatArray  # initial potentials

    def worths(self, mu: FloatArray) -> FloatArray:
        """Sum y of the divergences on each arc, times the multipliers of their cycles, shape (a,)."""
        arcs = self.cycles.arcs
        return np.bincount(arcs, self.entries * mu[self.cycles.rows], len(self.graph.tails)).astype(np.float64)

    @cached_property
    def _live_graph(self) -> tuple[int, IntArray, IntArray, FloatArray]:
        graph, live = self.graph, self.live
        return graph.n, graph.tails[live], graph.heads[live], graph.costs[live]

    def share(self, y: FloatArray, most: float) -> float:
        """A t <= `most` with ``cost(C) >= t * y(C)`` for every cycle C."""
        return proved_ratio(self._live_graph, y[self.live], most, self.begin, self.graph.least_gap)

    def lowered(self, mu: FloatArray) -> FloatArray:
        """Lower multipliers until no cycle is worth more than it costs, those first where this loses least.

        With gaps of very different sizes, one factor for all multipliers would lose the large multipliers of small gaps.
        """
        mu, cycles, (n, tails, heads, costs) = mu.copy(), self.cycles, self._live_graph
        for _ in range(MAX_LOWERINGS):
            y = self.worths(mu)[self.live]
            wrong, _ = negative_cycle(n, tails, heads, costs, y, self.begin)
            excess = float(y[wrong].sum() - costs[wrong].sum()) * (1.0 + 1e-9)
            if not len(wrong) or not excess > 0.0:
                break
            on = np.zeros(len(self.graph.tails), dtype=np.bool_)
            on[self.live[wrong]] = True
            worth = np.bincount(cycles.rows, np.where(on[cycles.arcs], self.entries, 0.0), len(cycles))
            for k in np.argsort(-worth):
                if excess <= 0.0 or worth[k] <= 0.0:
                    break
                less = min(mu[k], excess / worth[k])
                mu[k] -= less
                excess -= less * worth[k]
        return mu


def proved_ratio(
    graph: tuple[int, IntArray, IntArray, FloatArray], y: FloatArray, most: float, begin: FloatArray, least_gap: float
) -> float:
    """A t <= `most` with ``cost(C) >= t * y(C)`` for every cycle C.

    `graph` is the number of nodes, and tails, heads and costs of the arcs. y, shape (a,), is the worth of each arc, >= 0.
    `begin`, shape (n,), are initial potentials, inf at nodes that are reached from others. `least_gap` > 0 is a lower bound on
    the cost of cycles with an arc of positive worth.
    """
    n, tails, heads, costs = graph
    t, pi = least_ratio(n, tails, heads, costs, y, most, begin)
    # Violation of each arc beyond rounding. A simple cycle leaves each node once, which bounds its total violation.
    worth = t * y
    wrong = pi[heads] - pi[tails] - costs + worth - CLOSE * (costs + worth)
    lack = np.zeros(n)
    np.maximum.at(lack, tails, wrong)
    return t * (1.0 - 2.0 * CLOSE) / (1.0 + 2.0 * CLOSE + math.fsum(lack) / least_gap)


def _entry_divergences(graph: ItemGraph, cycles: Cycles, raises: FloatArray, gaps: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Divergence of each entry once raises add up to the gap of their cycle, and the cycles for which that is possible.

    Raises are stretched by their rounding, too: a mean next to the end of its reach has few digits left.
    """
    on = graph.items.raising[cycles.arcs]
    arcs, rows = cycles.arcs[on], cycles.rows[on]
    law, theta = graph.items.law.take(arcs), graph.items.theta[arcs]
    found = law.divergence(theta, stretched(law, theta, np.maximum(raises[on], 0.0), rows, gaps))
    finite = np.isfinite(found)
    valid = (np.bincount(rows, ~finite, len(cycles)) == 0) & (np.bincount(rows, minlength=len(cycles)) > 0)
    entries = np.zeros(len(on))
    entries[on] = np.where(finite, found, 0.0)
    return entries, valid


def check_items(entering: IntArray) -> None:
    """Refuse a graph in which an item enters on two arcs: the flow on one arc would be less than its rate."""
    items, count = np.unique(entering[entering >= 0], return_counts=True)
    if (count > 1).any():
        raise InvalidInputError(
            f"each item must enter on one arc, got {count.max()} arcs for item {items[count.argmax()]}: fix `exchange_graph`"
        )


def check_costs(graph: ExchangeGraph, theta: FloatArray) -> None:
    """Check that costs are reduced costs of theta; then gap = theta(leaving) - theta(entering) on every cycle."""
    lost = np.where(graph.leaving >= 0, theta[graph.leaving], 0.0)
    won = np.where(graph.entering >= 0, theta[graph.entering], 0.0)
    expected = lost - won + graph.potentials[graph.tails] - graph.potentials[graph.heads]
    error = abs(graph.costs - expected)
    unit = abs(theta).max(initial=0.0) + abs(graph.potentials).max(initial=0.0)
    if error.max(initial=0.0) > 1e-9 * unit:
        arc = int(error.argmax())
        raise InvalidInputError(
            f"costs must be the reduced costs of theta, {expected[arc]} on arc {arc}, got {graph.costs[arc]}: "
            "build the exchange graph for the same weights"
        )
