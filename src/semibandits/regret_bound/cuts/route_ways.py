"""Routes from parts of them: by a detour, by an arc, by walks; and the graph of walks without U-turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.routes import Routes, grouped
from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.graphs.dijkstra import shortest_tree, shortest_way, turns
from semibandits.regret_bound.cuts.route_graph import RouteGraph
from semibandits.regret_bound.cycles.cycles import strong_components


@dataclass(frozen=True, eq=False)
class RouteWays:
    """Shortest ways in a road network, by which parts of routes become routes."""

    routes: Routes
    graph: RouteGraph  # the optimal routes and the detours from them

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Tail and head of each arc of the network."""
        return self.routes._ends[:2]

    @property
    def arc_items(self) -> IntArray:
        """Item of each arc."""
        return self.routes._ends[2]

    @cached_property
    def network(self) -> tuple[ArcGroups, ArcGroups]:
        """All arcs by number, grouped by tails and by heads."""
        (tails, heads), arcs, n = self.ends, np.arange(len(self.arc_items)), len(self.routes.nodes)
        return grouped(n, tails, heads, arcs), grouped(n, heads, tails, arcs)

    @cached_property
    def optimal_trees(self) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
        """Shortest routes at the mean costs, see `trees_at`."""
        return self.trees_at(self.graph.costs[self.arc_items])

    def trees_at(self, costs: FloatArray) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
        """Distance from the source at these costs of arcs and the arc by which a shortest route enters each node; distance to the
        target and the arc by which it goes on. Arcs are -1 at the ends.
        """
        out, into = self.network
        ends = self.routes._first, self.routes._last
        begins = [np.where(np.arange(len(self.routes.nodes)) == v, 0.0, np.inf) for v in ends]
        distance, first = shortest_tree(out, costs, begins[0])
        ahead, last = shortest_tree(into, costs, begins[1])
        return distance, np.where(first >= 0, out.items[first], -1), ahead, np.where(last >= 0, into.items[last], -1)

    def by_detour(self, items: IntArray, u: int, v: int) -> BoolArray:
        """The route by an optimal way to u, along the items of a detour to v, and by an optimal way on.

        If u and v are at the same distance from the source, the two ways must be made to avoid each other, which may fail.
        """
        if self.graph.distance[u] == self.graph.distance[v]:
            return self.by_separate_ways(items, u, v, np.where(self.graph.suboptimal, np.inf, self.graph.costs))
        x = np.zeros(self.routes.d, dtype=np.bool_)
        x[items] = True
        _, before, _, after = self.optimal_trees
        tails, heads = self.ends
        arc = before[u]
        while arc >= 0:
            x[self.arc_items[arc]] = True
            arc = before[tails[arc]]
        arc = after[v]
        while arc >= 0:
            x[self.arc_items[arc]] = True
            arc = after[heads[arc]]
        return x

    def by_separate_ways(self, items: IntArray, u: int, v: int, costs: FloatArray) -> BoolArray:
        """A shortest way to u, these items from u to v, and a way on that avoids it, or the other way round.

        This is a route only if such ways exist and pass none of the nodes between u and v.
        """
        routes, n = self.routes, len(self.routes.nodes)
        ahead, forbidden = np.zeros(n), np.zeros(len(self.arc_items), dtype=np.bool_)
        x = np.zeros(routes.d, dtype=np.bool_)
        legs = ((routes._first, u), (v, routes._last))
        for order in (legs, legs[::-1]):
            blocked, x = np.zeros(n, dtype=np.bool_), np.zeros(routes.d, dtype=np.bool_)
            x[items] = True
            blocked[[u, v]] = True
            for start, end in order:
                blocked[end] = False
                places = np.empty(n, dtype=np.int64)
                count, _ = shortest_way(routes._out, costs, ahead, 1.0, (start, end), blocked, forbidden, places)
                x[routes._out.items[places[:count]]] = True
                blocked[routes._out.ends[places[:count]]] = True
                blocked[start] = blocked[end] = True
            if x in routes:
                break
        return x

    def walked(self, ptr: IntArray, arcs: IntArray) -> BoolArray:
        """Items of walks of the road network."""
        decisions = np.zeros((len(ptr) - 1, self.routes.d), dtype=np.bool_)
        decisions[np.repeat(np.arange(len(ptr) - 1), np.diff(ptr)), self.arc_items[arcs]] = True
        return decisions


@dataclass(frozen=True, eq=False)
class TurnGraph:
    """Walks without U-turns around the optimal routes, as walks of another graph."""

    n: int  # number of nodes; the hub, all nodes of the optimal routes, is node 0
    # Its arcs, shape (a,), and their reduced costs.
    tails: IntArray
    heads: IntArray
    costs: FloatArray
    arcs: IntArray  # (a,): the arc of the road network that each arc stands for, -1 for none

    @staticmethod
    def of(ways: RouteWays) -> TurnGraph:
        """The graph of a road network."""
        graph, (tails, heads) = ways.graph, ways.ends
        used = np.flatnonzero(graph.suboptimal[ways.arc_items])
        tails, heads, items = tails[used], heads[used], ways.arc_items[used]
        out = grouped(len(ways.routes.nodes), tails, heads, np.arange(len(used)))
        first, second, taken = turns(tails, heads, graph.in_hub, out)
        component = strong_components(len(used) + 1, first, second)
        live = (component[first] == component[0]) & (component[second] == component[0])
        first, second, taken = first[live], second[live], taken[live]
        nodes, ends = np.unique(np.concatenate((np.zeros(1, dtype=np.int64), first, second)), return_inverse=True)
        reduced = np.maximum(graph.costs[items] + graph.distance[tails] - graph.distance[heads], 0.0)
        costs, ends = np.where(taken >= 0, reduced[taken], 0.0), ends[1:]
        arcs = np.where(taken >= 0, used[taken], -1)
        return TurnGraph(len(nodes), ends[: len(first)], ends[len(first) :], costs, arcs)

    @cached_property
    def out(self) -> ArcGroups:
        """The arcs, grouped by their tails."""
        return grouped(self.n, self.tails, self.heads, np.arange(len(self.tails)))
