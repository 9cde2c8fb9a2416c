"""The part of a road network in which a route could still be best: detours from the optimal routes and back (theory R1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.routes import Routes, grouped
from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.graphs.dijkstra import distances_from, shortest_tree, walks_through
from semibandits.kernels.graphs.exchange import arcs_of, biconnected_blocks
from semibandits.regret_bound.cycles.cycles import Cycles, renumbered
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.raises import room

SUM_ROUNDING = 2.0 * float(np.finfo(np.float64).eps)
"""Error of a sum of nonnegative numbers, per number and relative to the sum, and of the difference of two."""


@dataclass(frozen=True, eq=False)
class RouteGraph:
    """Optimal routes, and all arcs that are on a detour whose raises could close its gap.

    A detour leaves the nodes of the optimal routes, the *hub*, and comes back to it. Each node of the hub is split into one at
    which detours start and one at which they end, so that no detour passes through the hub.
    """

    suboptimal: BoolArray  # (d,): items on some walk from source to target, and on no optimal one
    costs: FloatArray  # (d,): mean costs of all items
    # Item of each arc that is kept, shape (a,), and its ends, as numbers of nodes of this graph.
    items: IntArray
    tails: IntArray
    heads: IntArray
    reduced: FloatArray  # (a,): its cost plus the distance of its tail from the source, less that of its head; >= 0
    # Distance from the source of each node at which detours leave the hub, and minus that where they come back, shape (n,); inf
    # elsewhere.
    leaving: FloatArray
    entering: FloatArray
    is_hub: BoolArray  # (n,): nodes of the hub
    nodes: IntArray  # (n,): node of the road network that each node stands for
    # Distance of each node of the road network from the source, and whether it is on an optimal route.
    distance: FloatArray
    in_hub: BoolArray
    best: BoolArray  # (d,): a shortest route
    rounding: float  # bound on the error of gaps, which are differences of distances

    @staticmethod
    def of(problem: Problem, routes: Routes) -> RouteGraph:
        """The graph of a problem."""
        costs = -problem.theta
        least = np.maximum(costs - room(problem.law, problem.theta), 0.0)
        out, into = routes._out, routes._into
        tails, heads, items = routes._ends
        n, nowhere = len(routes.nodes), np.full(len(routes.nodes), np.inf)
        ahead, begin = nowhere.copy(), nowhere.copy()
        begin[routes._first] = ahead[routes._last] = 0.0
        distance, to_target = distances_from(out, costs, begin), distances_from(into, costs, ahead)
        with np.errstate(invalid="ignore"):
            excess = distance[tails] + costs[items] + to_target[heads] - distance[routes._last]
        best = routes.maximize(problem.theta)
        rounding = SUM_ROUNDING * np.count_nonzero(best) * float(distance[routes._last])
        optimal = excess <= 0.0
        near = np.flatnonzero(~optimal & (excess <= max(problem.ties.most, rounding)))
        if len(near):
            optimal[near] = _is_optimal(near, routes, best, problem)
        in_hub = np.zeros(n, dtype=np.bool_)
        in_hub[tails[optimal]] = in_hub[heads[optimal]] = True
        known = np.zeros(routes.d, dtype=np.bool_)
        known[items[optimal]] = True
        suboptimal = routes.useful_items & ~known
        leaving = distances_from(out, least, np.where(in_hub, distance, np.inf))
        entering = distances_from(into, least, np.where(in_hub, -distance, np.inf))
        with np.errstate(invalid="ignore"):
            closes = leaving[tails] + least[items] + entering[heads] <= 1e-12 * distance[routes._last]
        kept = np.flatnonzero(closes & ~known[items])
        kept = kept[_on_detours(tails[kept], heads[kept], in_hub)]
        items, tails, heads = items[kept], tails[kept], heads[kept]
        reduced = np.maximum(costs[items] + (distance[tails] - distance[heads]), 0.0)
        # Nodes of the hub are split in two; n is added to the number of the one at which detours end.
        ends, first, last = renumbered(tails, heads + n * in_hub[heads])
        of_hub = in_hub[ends % n]
        at = np.where(of_hub, distance[ends % n], np.inf)
        leaving, entering = np.where(ends < n, at, np.inf), np.where(ends >= n, -at, np.inf)
        return RouteGraph(
            suboptimal, costs, items, first, last, reduced, leaving, entering, of_hub, ends % n, distance, in_hub, best, rounding
        )

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.leaving)

    @cached_property
    def gaps(self) -> FloatArray:
        """Gap of the cheapest detour through each arc, shape (a,)."""
        costs = self.costs[self.items]
        from_hub, _, to_hub, _ = self._trees(costs, 1.0)
        return np.maximum(from_hub[self.tails] + costs + to_hub[self.heads], 0.0)

    def detours(self, weights: FloatArray, price: float, level: float) -> Cycles:
        """Of the cheapest detours through each arc those whose value is below the level, each once.

        The value of a detour is the sum of its arcs' `weights`, >= 0, minus the `price` times the difference of the distances of
        its ends from the source.
        """
        from_hub, before, to_hub, after = self._trees(weights, price)
        values = from_hub[self.tails] + weights + to_hub[self.heads]
        low = np.flatnonzero(values < level)
        # Arcs on the same detour have the same value, but for rounding, and the same ends.
        rounded = np.round(values[low] / (1e-9 * level if level < np.inf else 1e-9 * np.abs(values[low]).max(initial=1e-300)))
        first, last = _roots(before, self.tails)[self.tails[low]], _roots(after, self.heads)[self.heads[low]]
        low = low[np.unique(np.stack((rounded, first, last)), axis=1, return_index=True)[1]]
        return Cycles(*walks_through(low, self.tails, self.heads, before, after))

    def _trees(self, weights: FloatArray, price: float) -> tuple[FloatArray, IntArray, FloatArray, IntArray]:
        """Least value of a way from the hub to each node, the arc by which it enters, and the same of the way back."""
        out, into = self._groups
        from_hub, first = shortest_tree(out, weights, price * self.leaving)
        to_hub, last = shortest_tree(into, weights, price * self.entering)
        return from_hub, np.where(first >= 0, out.items[first], -1), to_hub, np.where(last >= 0, into.items[last], -1)

    @cached_property
    def _groups(self) -> tuple[ArcGroups, ArcGroups]:
        arcs = np.arange(len(self.items))
        return grouped(self.n, self.tails, self.heads, arcs), grouped(self.n, self.heads, self.tails, arcs)


def _is_optimal(arcs: IntArray, routes: Routes, best: BoolArray, problem: Problem) -> BoolArray:
    """Whether the shortest walk through each of these arcs ties with the best route.

    A walk that uses the arc on a loop only does not count. Costs are nonnegative, so items that only the best route has cost no
    more than those that only the walk has, and set no scale.
    """
    tails, heads, items = routes._ends
    n, costs, groups = len(routes.nodes), -problem.theta[items], []
    for begin, ends in ((routes._first, (tails, heads)), (routes._last, (heads, tails))):
        group = grouped(n, *ends, np.arange(len(items)))
        places = shortest_tree(group, costs, np.where(np.arange(n) == begin, 0.0, np.inf))[1]
        groups.append(np.where(places >= 0, group.items[places], -1))
    walks = Cycles(*walks_through(arcs, tails, heads, *groups))
    shortest, tied = set(np.flatnonzero(best).tolist()), []
    for arc, walk in zip(arcs.tolist(), map(walks.__getitem__, range(len(arcs))), strict=True):
        walked = set(items[walk].tolist())
        new, left = list(walked - shortest), list(shortest - walked)
        gap = math.fsum([*-problem.theta[new], *problem.theta[left]])
        tied.append(arc in walk and gap <= problem.ties.between(np.array([-1, *new])).max())
    return np.array(tied)


def _roots(arcs: IntArray, ends: IntArray) -> IntArray:
    """Root of the tree of each node, given the arc to its parent (-1 at a root) and the end of each arc at the parent."""
    roots = np.arange(len(arcs))
    inner = arcs >= 0
    roots[inner] = ends[arcs[inner]]
    while (roots[roots] != roots).any():
        roots = roots[roots]
    return roots


def _on_detours(tails: IntArray, heads: IntArray, in_hub: BoolArray) -> BoolArray:
    """Arcs that are not excluded from all detours because their street is: those of dead ends, say.

    With the hub as one node, a detour is a cycle through it, if streets are used once, and so lies in one biconnected block.
    """
    merged = np.where(in_hub, 0, np.arange(1, len(in_hub) + 1))
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    _, first, street = np.unique(low * len(in_hub) + high, return_index=True, return_inverse=True)
    a, b = merged[low[first]], merged[high[first]]
    outside = np.flatnonzero(a != b)
    on = a == b
    if len(outside):
        label, count = biconnected_blocks(arcs_of(len(in_hub) + 1, a[outside], b[outside]))
        has_hub = np.zeros(count, dtype=np.bool_)
        has_hub[label[(a[outside] == 0) | (b[outside] == 0)]] = True
        on[outside] = (has_hub & (np.bincount(label, minlength=count) > 1))[label]
    return np.asarray(on[street])
