"""Exact search for the worst closed walk: for the certificate, and for cuts of the solver in graphs without a hub.

A closed walk of cost D and information u violates the threshold r if its *excess* u - r D^2 is positive. Take two walks
from the start to a node v, of costs c <= c' and informations u, u', and any way x >= dist(v) back to the start. The
difference of their excesses, u - u' + r (c' - c)(c' + c + 2x), increases with x. So if the first walk has at least the excess
of the second at the smallest x, it has at least that excess on every way back. One number per walk, ``u - r (c + dist(v))^2``,
decides: of walks in order of cost, only those that increase it need to be kept.

A closed walk of cost D with u > r D^2 has a node from which every part of the walk, of cost c, has u > r D c: the last one at
which the sum of u - r D c along the walk is least. If each node is searched from, walks without this property may be dropped,
and D is at least c + dist(v).
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arithmetic import square
from semibandits.kernels.arrays import append_walk, grown
from semibandits.kernels.graphs.exchange import Arcs
from semibandits.kernels.machine.signals import STEPS, interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


@kernel
def peel(seeds: IntArray, alive: BoolArray, graph: Arcs, out_degree: IntArray, in_degree: IntArray) -> None:
    """Delete the seeds and then, one by one, all nodes without an arc in or without an arc out (in place).

    `out_degree` and `in_degree` count the arcs whose other end is alive. Parts without cycles are deleted entirely.
    """
    tails, heads, out_ptr, out_arcs, in_ptr, in_arcs = graph
    stack = [-1]
    for v in seeds:
        if alive[v]:
            alive[v] = False
            stack.append(v)
    while len(stack) > 1:
        v = stack.pop()
        for k in range(out_ptr[v], out_ptr[v + 1]):
            w = heads[out_arcs[k]]
            in_degree[w] -= 1
            if alive[w] and in_degree[w] == 0:
                alive[w] = False
                stack.append(w)
        for k in range(in_ptr[v], in_ptr[v + 1]):
            w = tails[in_arcs[k]]
            out_degree[w] -= 1
            if alive[w] and out_degree[w] == 0:
                alive[w] = False
                stack.append(w)


class ClosedWalk(NamedTuple):
    """Result of `worst_closed_walk`."""

    ratio: float  # the largest ratio; the given one if no walk exceeds it
    arcs: IntArray  # the walk, empty in that case
    labels: int
    complete: bool  # whether the search is complete, that is, needs at most `max_labels` and is not interrupted


@kernel
def worst_closed_walk(
    start: int, graph: Arcs, costs: FloatArray, information: FloatArray, distance: FloatArray, ratio: float, slack: float,
    from_each: bool, max_labels: int,
) -> ClosedWalk:  # fmt: skip
    """Closed walk through `start` whose information/cost^2 is largest and above `ratio`.

    `distance` is a lower bound on the cost of the way back to `start`; nodes where it is infinite are left out. The threshold is
    ``ratio * (1 - slack)``, where `slack` must exceed rounding. If `from_each`, only closed walks are searched for of which every
    part from `start` on has more than its share of information: then each node must be searched from. `ratio` increases with each
    walk found. Walks dropped at a smaller threshold may stay dropped: each was dropped for a cheaper walk, whose advantage
    increases with the threshold.
    """
    heads, out_ptr, out_arcs = graph.heads, graph.out_ptr, graph.out_arcs
    n = len(distance)
    seen_cost, seen_information = np.zeros(n), np.full(n, -np.inf)
    parents, arcs = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64)
    parents[0] = arcs[0] = -1
    labels = 1
    best_label, best_arc = -1, -1
    complete = True
    heap, steps = [(0.0, 0.0, 0)], 0
    while len(heap) > 0 and complete:
        steps += 1
        if steps % STEPS == 0 and interrupted():
            complete = False
            break
        cost, minus, label = heapq.heappop(heap)
        v = heads[arcs[label]] if label > 0 else start
        threshold = ratio * (1.0 - slack)
        if label > 0:
            seen = seen_information[v] - threshold * square(seen_cost[v] + distance[v])
            if -minus - threshold * square(cost + distance[v]) <= seen:
                continue
            seen_cost[v], seen_information[v] = cost, -minus
        for k in range(out_ptr[v], out_ptr[v + 1]):
            arc = out_arcs[k]
            w = heads[arc]
            if distance[w] == np.inf:
                continue
            new_cost, gained = cost + costs[arc], information[arc] - minus
            if w == start:
                if gained > ratio * new_cost * new_cost:
                    ratio = gained / max(new_cost * new_cost, 1e-300)
                    best_label, best_arc = label, arc
                    threshold = ratio * (1.0 - slack)
                continue
            if from_each and gained <= threshold * new_cost * (new_cost + distance[w]):
                continue
            seen = seen_information[w] - threshold * square(seen_cost[w] + distance[w])
            if gained - threshold * square(new_cost + distance[w]) <= seen:
                continue
            if labels > max_labels:
                complete = False
                break
            if labels == len(parents):
                parents, arcs = grown(parents, 2 * labels), grown(arcs, 2 * labels)
            parents[labels], arcs[labels] = label, arc
            heapq.heappush(heap, (new_cost, -gained, labels))
            labels += 1
    walk, length = np.empty(0, dtype=np.int64), 0
    if best_arc >= 0:
        walk, length = append_walk(walk, 0, best_arc, best_label, parents, arcs)
    return ClosedWalk(ratio, walk[:length][::-1].copy(), labels, complete)
