"""Search for cycles that prices do not prove, for the upper certificate alone: nothing here is used while solving.

Each arc has a vector of weights ``s cost - psi(s)``, one for each price s, and a walk the sum of those of its arcs. A closed
walk is *open* below L if all its weights are less than L. Walks from a start are extended in order of their bounds, until one
closes, and dropped for three reasons: (a) a weight, and a lower bound on that weight of all ways back, reach L; (b) a walk to
the same node that has been extended has no larger weight at any price; (c) the walk has been at its last node before. When its
turn is over the start is deleted, and with it all nodes that are left on no cycle.

*Claim.* Let L' be the least largest weight of a cycle that was met, at most L. No cycle is open below L'.

*Two closed walks.* psi is convex and 0 at 0, so weights that are >= 0 at a price are >= 0 at all lower ones. If one closed
walk reaches L' at a price s and another one at a price t >= s, the other is >= 0 at s, and the two together reach L' at s. So
a closed walk that is open below L' has a part from a node back to it that is, too.

*Proof.* Else take the last start whose graph has a closed walk that is open below L'; all such walks pass the start, or the
next start had one. Take a walk P that was extended and a way Q back, avoiding the start, such that PQ is open below L' and Q
is as short as can be. Extend P by the first arc of Q. If that closes it, PQ was met, and is not open below L'. It was not
dropped for (a), as PQ is open. If for (b), or extended, there is a walk that was extended and that the rest of Q closes, open
below L': but that is shorter. If for (c), the walk has come back by a closed walk that avoids the start, so is not open below
L'; then the walk up to there and the rest of Q are, and that was extended, too. [The empty walk and a cycle are such P and Q.]

A last weight belongs to an infinite price, ``cost - cap``, and is less than 0 if the walk is open: what raises up to the caps
cannot reach whatever is paid. As psi(s) <= s cap, where it is >= 0 no weight is negative.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from semibandits.kernels.arrays import append_walk, grown, passes
from semibandits.kernels.exchange import Arcs
from semibandits.kernels.signals import interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import FloatArray, IntArray
from semibandits.kernels.verification import distances_back, peel

EPSILON = 2.3e-16
"""A little more than what one operation rounds, relatively."""
ROUNDS = 32
"""Passes over all arcs after which a weight without a smallest sum is one with cycles of negative weight."""


@kernel
def ways_back(n: int, start: int, tails: IntArray, heads: IntArray, order: IntArray, weights: FloatArray) -> FloatArray:
    """Lower bounds on the weights of walks from each node to `start` over the arcs of `order`, shape (n, K); -inf if unknown.

    Bellman and Ford's method, rounded down: sums of at most n arcs, each off by what `size` says.
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
                    # Changes by rounding alone do not end otherwise where a cycle weighs nothing.
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
        least[:, j] -= 16.0 * (n + 1) * EPSILON * size
    least[start] = 0.0
    return least


@kernel
def _dominated(label: int, newest: int, labels: FloatArray, links: IntArray) -> bool:
    """Whether one of the labels that are linked from the newest one on has no larger weight."""
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
    """The largest bound of a label extended by an arc, and at which weight; -1 for that if it reaches a limit.

    `least` bounds the ways back from its head. Weights go `into` a row, those after the one that reaches its limit excepted; the
    one that is `likely` to do that is looked at first.
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


@kernel
def open_cycles(*graph_and_limits: Any) -> tuple[IntArray, IntArray, FloatArray, int, bool]:
    """What `met_cycles` finds, unless it is interrupted."""
    found = met_cycles(*graph_and_limits)
    raise_interrupt()
    return found


@kernel
def met_cycles(
    graph: Arcs,
    costs: FloatArray,
    weights: FloatArray,
    begin: FloatArray,
    limits: FloatArray,
    max_labels: int,
    max_found: int,
) -> tuple[IntArray, IntArray, FloatArray, int, bool]:
    """Cycles of which each weight is below its limit, as many as prove the claim.

    Parameters
    ----------
    graph : Arcs
        Without self-loops.
    costs : ndarray of float, shape (a,)
        At least 0; they only say in which order to look at arcs.
    weights : ndarray of float, shape (a, K + 1)
        Weights of the arcs.
    begin, limits : ndarray of float, shape (K + 1,)
        What each walk begins with, and where weights end.
    max_labels, max_found : int
        Walks to keep, and cycles to report.

    Returns
    -------
    ptr, arcs : ndarray of int
        Cycle k is ``arcs[ptr[k]:ptr[k + 1]]``, in reverse order of travel.
    found : ndarray of float, shape (number of cycles, K + 1)
        Their weights, rounded down.
    labels : int
        Walks kept.
    complete : bool
        Whether the search came to its end; if not, nothing is proven.
    """
    tails, heads, out_ptr, out_arcs, in_ptr, _ = graph
    n, out_degree, in_degree = len(out_ptr) - 1, np.diff(out_ptr), np.diff(in_ptr)
    starts = np.argsort(-(out_degree + in_degree), kind="mergesort")
    alive = np.ones(n, dtype=np.bool_)
    ptr, arcs = np.zeros(max_found + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    found, met, total = np.empty((64, len(limits))), 0, 0
    labels, links = np.empty((256, len(limits))), np.empty((256, 5), dtype=np.int64)
    for start in starts:
        if not alive[start]:
            continue
        distance = distances_back(start, alive, graph, costs)
        live = np.flatnonzero(alive[tails] & alive[heads] & (tails != start))
        order = live[np.argsort(distance[heads[live]], kind="mergesort")]
        least = ways_back(n, start, tails, heads, order, weights)
        newest = np.full(n, -1, dtype=np.int64)
        labels[0] = begin
        links[0, 0], links[0, 1], links[0, 2], links[0, 3], links[0, 4] = -1, -1, -1, start, 0
        size = 1
        heap = [(0.0, 0)]
        while len(heap) > 0:
            if interrupted() or total + size > max_labels:
                return ptr[: met + 1].copy(), arcs[: ptr[met]].copy(), found[:met].copy(), total + size, False
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
                    return ptr[: met + 1].copy(), arcs[: ptr[met]].copy(), found[:met].copy(), total + size, False
                if met == len(found):
                    found = grown(found, 2 * met)
                found[met] = labels[size]
                arcs, ptr[met + 1] = append_walk(arcs, ptr[met], arc, label, links)
                met += 1
        total += size
        peel(np.array([start]), alive, graph, out_degree, in_degree)
    return ptr[: met + 1].copy(), arcs[: ptr[met]].copy(), found[:met].copy(), total, True
