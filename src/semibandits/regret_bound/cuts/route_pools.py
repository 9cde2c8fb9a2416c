"""What a solve over routes generates: detours from the optimal routes, which are constraints, and routes, which are played."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.routes import Routes
from semibandits.kernels.graphs.dijkstra import walks_through
from semibandits.kernels.machine import tiers
from semibandits.laws import Law
from semibandits.regret_bound.cuts.rounds import Listed
from semibandits.regret_bound.cuts.route_graph import RouteGraph
from semibandits.regret_bound.cuts.route_ways import RouteWays, TurnGraph
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.problem import Problem

AT_ONCE = 20_000
"""Detours between two looks at the clock."""
FRESH = 100
"""Routes that one set of prices adds at most."""


@dataclass(frozen=True, eq=False)
class RouteItems:
    """The items on detours that can be raised."""

    graph: RouteGraph
    arcs: ArcItems  # the items on the arcs of the graph
    numbers: IntArray  # (k,): the items that matter
    position: IntArray  # (d,): position of each item among them, -1 for others
    # Law and means of the items that matter, shape (k,).
    law: Law
    theta: FloatArray

    @staticmethod
    def of(problem: Problem, graph: RouteGraph, routes: Routes) -> RouteItems:
        """The items of a problem."""
        arcs = ArcItems.of(problem.law, problem.theta, graph.items, np.ones(len(graph.items), dtype=np.bool_))
        numbers = np.unique(graph.items[arcs.raising])
        position = np.full(routes.d, -1, dtype=np.int64)
        position[numbers] = np.arange(len(numbers))
        return RouteItems(graph, arcs, numbers, position, problem.law.take(numbers), problem.theta[numbers])

    @property
    def nothing(self) -> Listed:
        """An empty list."""
        return Listed(np.empty((0, len(self.numbers)), dtype=np.bool_), np.empty(0), self.theta, self.law)

    def on_arcs(self, plays: FloatArray) -> FloatArray:
        """Rate of the item of each arc; 0 where it cannot be raised."""
        rates = np.zeros(len(self.graph.items))
        on = self.arcs.raising
        rates[on] = plays[self.position[self.graph.items[on]]]
        return rates


class Fresh:
    """Rows of tables that were seen before."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def of(self, table: BoolArray) -> BoolArray:
        """Mask of the rows that were not seen before; all of them are then known."""
        fresh = np.empty(len(table), dtype=np.bool_)
        for k, row in enumerate(table):
            key = np.packbits(row).tobytes()
            fresh[k] = key not in self._known
            self._known.add(key)
        return fresh

    def forget(self, table: BoolArray) -> None:
        """Forget these rows."""
        self._known.difference_update(np.packbits(row).tobytes() for row in table)


class RouteColumns:
    """Routes that may be played, and closed walks that only the lower bound has."""

    def __init__(self, theta: FloatArray, items: RouteItems, ways: RouteWays) -> None:
        self._theta, self._items, self.ways, self._graph = theta, items, ways, items.graph
        self.listed, self.walks = items.nothing, items.nothing
        self.decisions = np.empty((0, ways.routes.d), dtype=np.bool_)  # (n, d): the routes
        self._fresh = Fresh()

    def add(self, decisions: BoolArray) -> None:
        """Add routes."""
        numbers = self._items.numbers
        gaps = gaps_below(self._graph.best, decisions, self._theta)
        worth = (gaps > 0.0) & decisions[:, numbers].any(axis=1) & self._fresh.of(decisions)
        self.listed = self.listed.joined(decisions[worth][:, numbers], gaps[worth])
        self.decisions = np.vstack((self.decisions, decisions[worth]))

    def add_through(self, items: IntArray) -> None:
        """Add a route through each of these items, as far as one is found by shortest paths that avoid each other."""
        ways, (tails, heads) = self.ways, self.ways.ends
        arcs = np.flatnonzero(np.isin(ways.arc_items, items)).tolist()
        found = [
            ways.by_separate_ways(ways.arc_items[[arc]], int(tails[arc]), int(heads[arc]), self._graph.costs) for arc in arcs
        ]
        rows = [x for x in found if x in ways.routes]
        if rows:
            self.add(np.array(rows))

    def add_walk(self, walk: IntArray, turns: TurnGraph) -> None:
        """Add a closed walk: as a route if it is a simple detour, else to the walks."""
        walk = walk[::-1]
        at = np.flatnonzero(turns.tails[walk] == 0)
        walk = np.roll(walk, -at[0]) if len(at) else walk
        arcs = turns.arcs[walk][turns.arcs[walk] >= 0]
        ways, distance = self.ways, self._graph.distance
        u, v = int(ways.ends[0][arcs[0]]), int(ways.ends[1][arcs[-1]])
        passed = np.append(ways.ends[0][arcs], v)
        if len(at) and len(np.unique(passed)) == len(passed) and distance[v] > distance[u]:
            self.add(ways.by_detour(ways.arc_items[arcs], u, v)[None])
            return
        items = self._items.position[ways.arc_items[arcs]]
        uses = np.bincount(items[items >= 0], minlength=len(self._items.numbers))
        self.walks = self.walks.joined(uses[None], np.array([math.fsum(turns.costs[walk])]))

    def add_priced(self, prices: FloatArray) -> None:
        """Add routes whose items are worth more than their gap, from shortest ones at prices clipped at the least costs."""
        ways, graph, (tails, heads) = self.ways, self._graph, self.ways.ends
        costs = np.maximum(graph.costs - prices, ways.routes.least)[ways.arc_items]
        distance, before, ahead, after = ways.trees_at(costs)
        values = distance[tails] + costs + ahead[heads] - math.fsum(graph.costs[graph.best])
        low = np.flatnonzero(values < -1e-9 * graph.gaps[self._items.arcs.raising].min())
        if not len(low):
            return
        low = low[np.unique(np.round(values[low] / (1e-9 * -values[low].min())), return_index=True)[1]][:FRESH]
        decisions = ways.walked(*walks_through(low, tails, heads, before, after))
        worth = decisions @ prices > gaps_below(graph.best, decisions, self._theta)
        if worth.any():
            self.add(decisions[worth])


class Detours:
    """Detours from the optimal routes, each with the gap of the routes that take it."""

    def __init__(self, problem: Problem, items: RouteItems, columns: RouteColumns) -> None:
        self._problem, self._items, self._columns, self._graph = problem, items, columns, items.graph
        self._ways = columns.ways
        self.listed = items.nothing
        self._fresh = Fresh()
        self._loops: dict[bytes, bool] = {}  # detours that end where they start: whether they are part of a route

    def add(self, detours: Cycles, plays: FloatArray | None, stop_at: float) -> int:
        """Add detours within reach, and the routes that take them to the columns; the number of new ones.

        With rates of items, only those with less than 1 nat of information, up to the value `stop_at` of `tiers.seconds`.
        """
        new = 0
        for begin in range(0, len(detours), AT_ONCE):
            if plays is not None and tiers.seconds() > stop_at:
                break
            new += self._add(detours.taken(np.arange(begin, min(begin + AT_ONCE, len(detours)))), plays)
        return new

    def _add(self, detours: Cycles, plays: FloatArray | None) -> int:
        """Add these detours; the number of new ones."""
        graph, items = self._graph, self._items
        ptr, arcs = detours.ptr, detours.arcs
        first, last = graph.nodes[graph.tails[arcs[ptr[:-1]]]], graph.nodes[graph.heads[arcs[ptr[1:] - 1]]]
        ahead = graph.distance[last] - graph.distance[first]
        detours = detours.select((ahead > 0.0) | ((ahead == 0.0) & self._on_routes(detours, first, last)))
        table = np.zeros((len(detours), len(items.numbers) + 1), dtype=np.bool_)
        table[detours.rows, items.position[graph.items[detours.arcs]]] = True  # position -1: the last column
        table = table[:, :-1]
        fresh = self._fresh.of(table) & table.any(axis=1)
        detours, table = detours.select(fresh), table[fresh]
        if not len(table):
            return 0
        gaps = detours.sums(graph.reduced)
        rates = np.ones(len(items.numbers)) if plays is None else plays
        values, _ = Listed(table, gaps, items.theta, items.law).raises(rates)
        worth = values < (math.inf if plays is None else 1.0)
        self._fresh.forget(table[~worth])
        if not worth.any():
            return 0
        self.listed = self.listed.joined(table[worth], gaps[worth])
        routes = []
        for arcs in map(detours.__getitem__, np.flatnonzero(worth).tolist()):
            u, v = graph.nodes[graph.tails[arcs[0]]], graph.nodes[graph.heads[arcs[-1]]]
            routes.append(self._ways.by_detour(graph.items[arcs], int(u), int(v)))
        self._columns.add(np.array(routes))
        return len(routes)

    def _on_routes(self, detours: Cycles, first: IntArray, last: IntArray) -> BoolArray:
        """Detours between nodes at the same distance from the source for which a simple path with their gap is found."""
        graph, gaps = self._graph, detours.sums(self._graph.reduced)
        found = np.zeros(len(detours), dtype=np.bool_)
        for k in np.flatnonzero(graph.distance[first] == graph.distance[last]).tolist():
            key = detours[k].tobytes()
            if key not in self._loops:
                x = self._ways.by_detour(graph.items[detours[k]], int(first[k]), int(last[k]))
                gap = gaps_below(graph.best, x[None], self._problem.theta)[0] if x in self._ways.routes else math.inf
                rounding = float(self._problem.ties.between(graph.items[detours[k]]).max())
                self._loops[key] = abs(gap - gaps[k]) <= max(rounding, graph.rounding)
            found[k] = self._loops[key]
        return found
