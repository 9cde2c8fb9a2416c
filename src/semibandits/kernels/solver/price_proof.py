"""Search for cycles that no price proves feasible: the upper certificate, and with few labels the search of the solver.

Each arc has a vector of weights ``s cost - psi(s)``, one for each price s; those of a walk are the sums over its arcs. A closed
walk is *open* below L if all its weights are less than L. Walks from a start are extended in order of their bounds, until one
closes. A walk is dropped for three reasons: (a) a weight plus a lower bound on this weight of all ways back is at least L; (b) a
walk to the same node that was extended has no larger weight at any price; (c) the walk visits its last node twice. After the
search from a start, this node is deleted, and so are all nodes that are then on no cycle.

*Claim.* Let L' be the smallest largest weight of a cycle that was found, at most L. No cycle is open below L'.

*Two closed walks.* psi is convex and 0 at 0, so that weights that are >= 0 at a price are >= 0 at all lower prices. If one closed
walk has a weight of at least L' at a price s and another one at a price t >= s, the weight of the other is >= 0 at s, so that
their sum is at least L' at s. Hence a closed walk that is open below L' has a part from a node back to it that is open below L',
too.

*Proof.* Suppose the claim is false. Take the last start whose graph has a closed walk that is open below L'. All such walks visit
the start, or the graph of the next start would have one. Take a walk P that was extended and a way Q back, which avoids the
start, such that PQ is open below L' and Q is as short as possible. Extend P by the first arc of Q. If that closes the walk, PQ
was found, and is not open below L'. It was not dropped for (a), since PQ is open. If it was dropped for (b), or extended, some
extended walk is closed by the rest of Q and open below L', but this rest is shorter than Q. If it was dropped for (c), it
contains a closed walk that avoids the start, hence is not open below L'. Then the walk without it, closed by the rest of Q, is
open below L', and that walk was extended, too. [The empty walk and a cycle are such P and Q.]

The last weight belongs to an infinite price. It is ``cost - cap``, and less than 0 if the walk is open: raises up to the caps do
not suffice at any price. Since psi(s) <= s cap, no weight is negative where it is >= 0.

In some graphs, no cycle past certain nodes has a negative weight. An example is the hub of a road network: a cycle of streets
costs at least as much as its items can be raised by. Then these nodes are the only starts. A walk that is dropped for (c) loses a
closed walk of weights >= 0, and the proof remains valid.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import append_walk, grown, passes, stable_order, write
from semibandits.kernels.graphs.exchange import Arcs, distances_to
from semibandits.kernels.machine.signals import interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray
from semibandits.kernels.solver.verification import peel

EPSILON = 2.3e-16
"""A little more than the relative rounding error of one operation."""
ROUNDS = 32
"""Passes over all arcs after which a weight whose smallest sums still change counts as one with negative cycles."""


@kernel
def ways_back(n: int, start: int, tails: IntArray, heads: IntArray, order: IntArray, weights: FloatArray) -> FloatArray:
    """Lower bounds on the weights of walks from each node to `start` over the arcs of `order`, shape (n, K); -inf if unknown.

    Bellman and Ford's method, rounded down by the error of a sum of at most n arcs whose partial sums are at most `size`.
    """
    columns = weights.shape[1]
    least = np.full((n, columns), np.inf)
    least[start] = 0.0
    unsettled, moved = np.arange(columns), np.zeros(columns, dtype=np.bool_)
    for _ in range(min(n + 1, ROUNDS)):
        moved[:] = False
        for arc in order:
            v, w = tails[arc], heads[arc]
            for k in unsettled:
                reached = weights[arc, k] + least[w, k]
                if reached < least[v, k]:
                    # Ignore changes by rounding, which would never end on cycles of weight 0.
                    moved[k] |= reached < least[v, k] - 1e-15 * abs(reached)
                    least[v, k] = reached
        unsettled = np.flatnonzero(moved)
        if len(unsettled) == 0:
            break
    least[:, unsettled] = -np.inf
    for j in range(columns):
        size = 0.0
        for v in range(n):
            if abs(least[v, j]) < np.inf:
                size = max(size, abs(least[v, j]))
        error = 16.0 * (n + 1) * EPSILON * size
        for v in range(n):
            least[v, j] -= error
    least[start] = 0.0
    return least


@kernel
def _dominated(label: int, newest: int, labels: FloatArray, links: IntArray) -> bool:
    """Whether one of the labels in the list from `newest` on has no larger weight at any price."""
    other = newest
    while other >= 0:
        worse = False
        for k in range(labels.shape[1]):
            if labels[other, k] > labels[label, k]:
                worse = True
                break
        if not worse:
            return True
        other = links[other, 2]
    return False


@kernel
def _extended(
    label: int, arc: int, likely: int, weights: FloatArray, least: FloatArray, limits: FloatArray,
    labels: FloatArray, into: int,
) -> tuple[float, int]:  # fmt: skip
    """The largest bound of a label extended by an arc, and the index of its weight, which is -1 if a bound reaches its limit.

    `least` contains lower bounds on the ways back from the head of the arc. Weights are written into row `into` of `labels`, up
    to the first one whose bound reaches its limit. The weight that is `likely` to do so is checked first.
    """
    weight = labels[label, likely] + weights[arc, likely]
    if weight - EPSILON * abs(weight) + least[likely] >= limits[likely]:
        return np.inf, -1
    largest, at = -np.inf, 0
    for k in range(len(limits)):
        weight = labels[label, k] + weights[arc, k]
        weight -= EPSILON * abs(weight)
        labels[into, k] = weight
        if weight + least[k] >= limits[k]:
            return np.inf, -1
        if weight + least[k] > largest:
            largest, at = weight + least[k], k
    return largest, at


class OpenCycles(NamedTuple):
    """Result of `open_cycles`."""

    # Cycle k is arcs[ptr[k]:ptr[k + 1]], in reverse order of travel.
    ptr: IntArray
    arcs: IntArray
    weights: FloatArray  # (number of cycles, K + 1): their weights, rounded down
    labels: int  # number of walks kept
    complete: bool  # whether the search is complete; if not, nothing is proved


@kernel
def open_cycles(
    graph: Arcs, starts: IntArray, costs: FloatArray, weights: FloatArray, begin: FloatArray, limits: FloatArray,
    max_labels: int, max_found: int,
) -> OpenCycles:  # fmt: skip
    """Cycles of a graph without self-loops whose weights are all below their limits, as many as the claim needs.

    The nodes in `starts` are searched from one after the other; cycles past none of them must not have negative weights. Costs,
    shape (a,), are at least 0; they only determine the order of arcs. Arcs have weights of shape (a, K + 1). `begin` and
    `limits`, shape (K + 1,), are the weights of the empty walk and the limits. At most `max_labels` walks are kept, and
    `max_found` cycles reported.
    """
    tails, heads, out_ptr, out_arcs, in_ptr, _ = graph
    n, out_degree, in_degree = len(out_ptr) - 1, out_ptr[1:] - out_ptr[:-1], in_ptr[1:] - in_ptr[:-1]
    alive = np.ones(n, dtype=np.bool_)
    ptr, arcs = np.zeros(max_found + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    found, met, total = np.empty((64, len(limits))), 0, 0
    labels, links = np.empty((256, len(limits))), np.empty((256, 5), dtype=np.int64)
    for start in starts:
        if not alive[start]:
            continue
        distance, _ = distances_to(start, graph, costs, alive)
        live = np.flatnonzero(alive[tails] & alive[heads] & (tails != start))
        order = live[stable_order(distance[heads[live]])]
        least = ways_back(n, start, tails, heads, order, weights)
        newest = np.full(n, -1, dtype=np.int64)
        write(labels[0], begin)
        links[0, 0], links[0, 1], links[0, 2], links[0, 3], links[0, 4] = -1, -1, -1, start, 0
        size = 1
        heap = [(0.0, 0)]
        while len(heap) > 0:
            if interrupted() or total + size > max_labels:
                return OpenCycles(ptr[: met + 1].copy(), arcs[: ptr[met]].copy(), found[:met].copy(), total + size, False)
            _, label = heapq.heappop(heap)
            v = links[label, 3]
            if _dominated(label, newest[v], labels, links):
                continue
            links[label, 2] = newest[v]
            newest[v] = label
            for k in range(out_ptr[v], out_ptr[v + 1]):
                arc = out_arcs[k]
                w = heads[arc]
                if not alive[w]:
                    continue
                if size == len(labels):
                    labels, links = grown(labels, 2 * size), grown(links, 2 * size)
                bound, at = _extended(label, arc, links[label, 4], weights, least[w], limits, labels, size)
                if at < 0 or (w != start and passes(label, w, links)):
                    continue
                if w != start:
                    links[size, 0], links[size, 1], links[size, 2] = label, arc, -1
                    links[size, 3], links[size, 4] = w, at
                    heapq.heappush(heap, (bound, size))
                    size += 1
                    continue
                if met == max_found:
                    return OpenCycles(ptr[: met + 1].copy(), arcs[: ptr[met]].copy(), found[:met].copy(), total + size, False)
                if met == len(found):
                    found = grown(found, 2 * met)
                write(found[met], labels[size])
                arcs, ptr[met + 1] = append_walk(arcs, ptr[met], arc, label, links[:, 0], links[:, 1])
                met += 1
        total += size
        peel(np.array([start]), alive, graph, out_degree, in_degree)
    return OpenCycles(ptr[: met + 1].copy(), arcs[: ptr[met]].copy(), found[:met].copy(), total, True)
