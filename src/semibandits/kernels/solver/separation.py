"""Separation over cycles through a hub: which cycles C have u(C) > threshold * cost(C)^2? (theory T3)

A label is the pair (cost, u) of a walk. A walk with a larger cost and a smaller u than another one to the same node can be
dropped: every closed walk that continues it violates less. Graphs without a hub are searched by `verification`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.arrays import append_walk, grown
from semibandits.kernels.graphs.exchange import Arcs
from semibandits.kernels.machine.signals import STEPS, interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray

FIRST_SIZE = 4096
"""Initial size of the arrays of labels."""


class Fronts(NamedTuple):
    """Labels by node: those of node v are ``begin[v]`` to ``end[v] - 1``, each with its cost and its u."""

    begin: IntArray
    end: IntArray
    cost: FloatArray
    u: FloatArray


class Labels(NamedTuple):
    """Walks from one node: cost, u, the label of the walk without its last arc, and that arc; -1 for the empty walk, label 0."""

    cost: FloatArray
    u: FloatArray
    parent: IntArray
    arc: IntArray


class Closed(NamedTuple):
    """Closed walks: the label of each without its last arc, that arc, and its ratio u/cost^2."""

    labels: IntArray
    last_arcs: IntArray
    ratios: FloatArray


@kernel
def _new_labels() -> Labels:
    """The empty walk, and room for more labels."""
    parent, arc = np.full(FIRST_SIZE, -1, dtype=np.int64), np.full(FIRST_SIZE, -1, dtype=np.int64)
    return Labels(np.zeros(FIRST_SIZE), np.zeros(FIRST_SIZE), parent, arc)


@kernel
def _grown_labels(labels: Labels, size: int) -> Labels:
    cost, u, parent, arc = labels
    return Labels(grown(cost, size), grown(u, size), grown(parent, size), grown(arc, size))


@kernel
def completions_to_hub(graph: Arcs, costs: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Smallest cost and largest u of a walk from each node to the hub (node 0; the others in topological order)."""
    heads, out_ptr, out_arcs = graph.heads, graph.out_ptr, graph.out_arcs
    n = len(out_ptr) - 1
    back = np.full(n, np.inf)
    most = np.full(n, -np.inf)
    back[0] = most[0] = 0.0
    for v in range(n - 1, 0, -1):
        for k in range(out_ptr[v], out_ptr[v + 1]):
            arc = out_arcs[k]
            back[v] = min(back[v], costs[arc] + back[heads[arc]])
            most[v] = max(most[v], u[arc] + most[heads[arc]])
    return back, most


class HubWalks(NamedTuple):
    """Result of `hub_walks`."""

    ratio: float  # the largest ratio u/cost^2; the threshold if no cycle violates it
    # Cycle k is arcs[ptr[k]:ptr[k + 1]], in reverse order of travel.
    ptr: IntArray
    arcs: IntArray
    ratios: FloatArray  # their ratios; at most `per_arc` cycles per last arc, spread over the front
    labels: int  # number of labels; -1 if the search exceeds `max_labels` or is interrupted


@kernel
def hub_walks(
    graph: Arcs, costs: FloatArray, u: FloatArray, threshold: float, lean: float, per_arc: int, max_labels: int
) -> HubWalks:
    """Violating cycles of a graph whose node 0 lies on every cycle and whose other nodes are in topological order.

    Every cycle visits the hub once, so labels start there and are made node by node. A label is dropped if even its best
    completion, of largest u and smallest cost, violates nothing. Of the others, those are kept for which ``u - lean * threshold *
    (cost + back)^2`` increases with the cost: all undominated labels with lean 0, few with lean 1. The worst cycle is found for
    any lean in [0, 1], since each walk that closes a dropped label closes a cheaper one with at least the same excess ``u - r *
    cost^2`` at every r >= threshold. With fewer labels, fewer of the other violating cycles are found.
    """
    tails, in_ptr, in_arcs = graph.tails, graph.in_ptr, graph.in_arcs
    n = len(in_ptr) - 1
    back, most = completions_to_hub(graph, costs, u)
    walks = _new_labels()
    label_cost, label_u, label_parent, label_arc = walks
    labels, steps = 1, 0
    begin, end = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    end[0] = 1
    cursor = np.empty(len(tails), dtype=np.int64)
    for v in range(1, n):
        begin[v] = labels
        room = 0
        for k in range(in_ptr[v], in_ptr[v + 1]):
            cursor[k] = begin[tails[in_arcs[k]]]
            room += end[tails[in_arcs[k]]] - cursor[k]
        if labels + room > max_labels:
            return HubWalks(np.inf, np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0), -1)
        if labels + room > len(label_cost):
            walks = _grown_labels(walks, 2 * (labels + room))
            label_cost, label_u, label_parent, label_arc = walks
        best_key = -np.inf
        while True:
            # The fronts of the predecessors are sorted by cost: merge them.
            cheapest, next_k = np.inf, -1
            for k in range(in_ptr[v], in_ptr[v + 1]):
                arc = in_arcs[k]
                if cursor[k] < end[tails[arc]]:
                    cost = label_cost[cursor[k]] + costs[arc]
                    if cost < cheapest:
                        cheapest, next_k = cost, k
            if next_k < 0:
                break
            steps += 1
            if steps % STEPS == 0 and interrupted():
                return HubWalks(np.inf, np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0), -1)
            arc, parent = in_arcs[next_k], cursor[next_k]
            cursor[next_k] += 1
            gained = label_u[parent] + u[arc]
            through = threshold * square(cheapest + back[v])
            if gained - lean * through > best_key and gained + most[v] > through:
                best_key = gained - lean * through
                label_cost[labels], label_u[labels] = cheapest, gained
                label_parent[labels], label_arc[labels] = parent, arc
                labels += 1
        end[v] = labels
    best, closed = _closings(graph, costs, u, Fronts(begin, end, label_cost, label_u), threshold, per_arc)
    ptr, arcs = _unroll(closed, walks)
    return HubWalks(best, ptr, arcs, closed.ratios, labels)


@kernel
def _closings(
    graph: Arcs, costs: FloatArray, u: FloatArray, fronts: Fronts, threshold: float, per_arc: int
) -> tuple[float, Closed]:
    """Walks that close at the hub with a ratio above the threshold: per last arc the best one of each part of its front."""
    tails, in_ptr, in_arcs = graph.tails, graph.in_ptr, graph.in_arcs
    begin, end, label_cost, label_u = fronts
    best = threshold
    room = per_arc * (in_ptr[1] - in_ptr[0])
    ends, last_arcs, ratios = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty(room)
    found = 0
    for k in range(in_ptr[0], in_ptr[1]):
        arc = in_arcs[k]
        first, past = begin[tails[arc]], end[tails[arc]]
        violating = 0
        for label in range(first, past):
            if label_u[label] + u[arc] > threshold * square(label_cost[label] + costs[arc]):
                violating += 1
        part, rank = -1, 0
        for label in range(first, past):
            squared = square(label_cost[label] + costs[arc])
            if label_u[label] + u[arc] <= threshold * squared:
                continue
            ratio = (label_u[label] + u[arc]) / squared
            best = max(best, ratio)
            this_part = rank * per_arc // violating if violating > per_arc else rank
            rank += 1
            if this_part != part:
                part = this_part
                found += 1
            elif ratio <= ratios[found - 1]:
                continue
            ends[found - 1], last_arcs[found - 1], ratios[found - 1] = label, arc, ratio
    return best, Closed(ends[:found], last_arcs[:found], ratios[:found])


@kernel
def _unroll(closed: Closed, walks: Labels) -> tuple[IntArray, IntArray]:
    """Arcs of closed walks, in reverse order of travel."""
    ptr, arcs = np.zeros(len(closed.labels) + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    for k in range(len(closed.labels)):
        arcs, ptr[k + 1] = append_walk(arcs, ptr[k], closed.last_arcs[k], closed.labels[k], walks.parent, walks.arc)
    return ptr, arcs[: ptr[-1]].copy()


@kernel
def split_into_cycles(ptr: IntArray, arcs: IntArray, tails: IntArray, heads: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Decompose closed walks into simple cycles; both are in reverse order of travel."""
    place = np.full(n, -1, dtype=np.int64)
    open_arcs = np.empty(len(arcs), dtype=np.int64)
    out_arcs = np.empty(len(arcs), dtype=np.int64)
    out_ptr = np.zeros(len(arcs) + 1, dtype=np.int64)
    filled = cycles = 0
    for k in range(len(ptr) - 1):
        opened = 0
        place[heads[arcs[ptr[k]]]] = 0
        for i in range(ptr[k], ptr[k + 1]):
            open_arcs[opened] = arcs[i]
            opened += 1
            v = tails[arcs[i]]
            if place[v] < 0:
                place[v] = opened
                continue
            for j in range(place[v], opened):
                out_arcs[filled] = open_arcs[j]
                filled += 1
                if j > place[v]:
                    place[heads[open_arcs[j]]] = -1
            cycles += 1
            out_ptr[cycles] = filled
            opened = place[v]
        place[heads[arcs[ptr[k]]]] = -1
    return out_ptr[: cycles + 1].copy(), out_arcs[:filled].copy()


@kernel
def diverse(ptr: IntArray, arcs: IntArray, order: IntArray, uses: int, n_arcs: int) -> BoolArray:
    """Select cycles in this order, each only if fewer than `uses` of those selected before contain one of its arcs."""
    used = np.zeros(n_arcs, dtype=np.int64)
    taken = np.zeros(len(ptr) - 1, dtype=np.bool_)
    for c in order:
        for i in range(ptr[c], ptr[c + 1]):
            if used[arcs[i]] < uses:
                taken[c] = True
                break
        if taken[c]:
            for i in range(ptr[c], ptr[c + 1]):
                used[arcs[i]] += 1
    return taken


@kernel
def repair(
    flow: FloatArray, costs: FloatArray, twice_variance: FloatArray, ptr: IntArray, arcs: IntArray, order: IntArray,
    margin: float,
) -> None:  # fmt: skip
    """Add flow along each cycle, in this order, until sum(v/flow) <= (1 - margin) * cost^2 holds on it (in place).

    Newton's method in one variable, from the infeasible side, since the left side is convex and decreasing.
    """
    for c in order:
        cost = 0.0
        for i in range(ptr[c], ptr[c + 1]):
            cost += costs[arcs[i]]
        bound = cost * cost * (1.0 - margin)
        for _ in range(50):
            value = slope = 0.0
            for i in range(ptr[c], ptr[c + 1]):
                arc = arcs[i]
                if twice_variance[arc] > 0.0:
                    value += twice_variance[arc] / flow[arc]
                    slope += twice_variance[arc] / square(flow[arc])
            if value <= bound * (1.0 + 1e-9):
                break
            for i in range(ptr[c], ptr[c + 1]):
                flow[arcs[i]] += (value - bound) / slope
