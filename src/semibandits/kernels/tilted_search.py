"""Search for cycles that look better than x* at less than the required information, for laws under which items share the raise.

At a price s each arc has the weight ``s cost - psi(s)``. For every s the weight of a cycle C is a lower bound on its information
F(C) (:mod:`semibandits.regret_bound.price_proof`). With a *grid* of prices, walks have vectors of weights. The search is for
cycles whose weights are all below the level: on a fine grid, these and few others have less information. Two rules keep the
search small.

*Bounds.* A walk from the start to v is dropped if at some price the sum of its weight and of the smallest weight of a walk from v
back to the start is at least the level. At high prices there may be negative cycles, and no smallest weight.

*Dominance.* A walk to v is dropped if another one to v has no larger weight at any price. Each walk that closes the first also
closes the second, at no larger weights. The closed walk may visit a node twice, but then a cycle in it has no larger weights.

Nothing is proved here: the search may end early, and the upper certificate finds the cycles that it misses.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from semibandits.kernels.arrays import append_walk, grown, passes, stable_order
from semibandits.kernels.exchange import Arcs
from semibandits.kernels.signals import interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel
def _completions(
    start: int, alive: BoolArray, tails: IntArray, heads: IntArray, order: IntArray, weights: FloatArray
) -> FloatArray:
    """Smallest weights of a walk from each node to `start`, one column per weight; -inf if negative cycles make them unbounded.

    Bellman and Ford's method on the nodes that are alive, with arcs in the given order. The weights of nodes without such a walk
    are inf.
    """
    n, columns = len(alive), weights.shape[1]
    least = np.full((n, columns), np.inf)
    least[start] = 0.0
    moved = np.ones(columns, dtype=np.bool_)
    for _ in range(n + 1):
        if interrupted():
            break
        moved[:] = False
        for arc in order:
            v, w = tails[arc], heads[arc]
            if v == start or not (alive[v] and alive[w]) or least[w, columns - 1] == np.inf:
                continue
            for k in range(columns):
                reached = weights[arc, k] + least[w, k]
                if reached < least[v, k]:
                    # Ignore changes by rounding, which would never end on cycles of weight 0.
                    if reached < least[v, k] - 1e-15 * abs(reached):
                        moved[k] = True
                    least[v, k] = reached
        if not moved.any():
            return least
    for v in range(n):
        for k in range(columns):
            if moved[k] and v != start and least[v, k] < np.inf:
                least[v, k] = -np.inf
    return least


@kernel
def _dominated(v: int, weights: FloatArray, me: int, newest: IntArray, links: IntArray, labels: FloatArray) -> bool:
    """Whether another label at v is no heavier at any price. Of equal labels the first is kept."""
    other = newest[v]
    while other >= 0:
        if other != me:
            worse, equal = False, True
            for k in range(len(weights)):
                if labels[other, k] > weights[k]:
                    worse = True
                    break
                if labels[other, k] < weights[k]:
                    equal = False
            if not worse and (not equal or other < me or me < 0):
                return True
        other = links[other, 2]
    return False


@kernel
def _weights_along(label_weights: FloatArray, arc_weights: FloatArray, least: FloatArray, into: FloatArray) -> float:
    """Write the weights of a walk with one more arc `into` an array; returns the largest lower bound of a closed walk from it."""
    bound = -np.inf
    for j in range(len(into)):
        into[j] = label_weights[j] + arc_weights[j]
        bound = max(bound, into[j] + least[j])
    return bound


@kernel
def tilted_cycles(*graph_and_limits: Any) -> tuple[IntArray, IntArray]:
    """Result of `light_cycles`; raises if it is interrupted."""
    found = light_cycles(*graph_and_limits)
    raise_interrupt()
    return found


@kernel
def light_cycles(
    graph: Arcs, weights: FloatArray, last: float, has_hub: bool, level: float, max_labels: int, max_found: int
) -> tuple[IntArray, IntArray]:
    """Cycles whose weights are all below `level`.

    Parameters
    ----------
    graph : Arcs
        Without self-loops. If `has_hub`, node 0 is on every cycle and the other nodes are in topological order. If not, walks
        with small bounds are extended first.
    weights : ndarray of float, shape (a, K + 1)
        ``s_k cost - psi(s_k)`` of each arc; in the last column, for an infinite price, ``cost`` minus the largest raise of its
        item.
    last : float
        Initial value of the last column: if its sum is at least `level`, no price suffices for the cycle.
    level : float
    max_labels, max_found : int
        Largest numbers of labels and of cycles; the search ends early at either.

    Returns
    -------
    ptr, arcs : ndarray of int
        Cycle k is ``arcs[ptr[k]:ptr[k + 1]]``, in reverse order of travel.
    """
    tails, heads, out_ptr, out_arcs, in_ptr, _ = graph
    n, columns = len(out_ptr) - 1, weights.shape[1]
    degree = (out_ptr[1:] - out_ptr[:-1]) + (in_ptr[1:] - in_ptr[:-1])
    starts = np.zeros(1, dtype=np.int64) if has_hub else stable_order(-degree)
    order = stable_order(-tails)
    alive = np.ones(n, dtype=np.bool_)
    ptr, arcs, found, total = np.zeros(max_found + 1, dtype=np.int64), np.empty(1024, dtype=np.int64), 0, 0
    labels, links = np.empty((256, columns)), np.empty((256, 4), dtype=np.int64)
    weight = np.empty(columns)
    for start in starts:
        least = _completions(int(start), alive, tails, heads, order, weights)
        newest = np.full(n, -1, dtype=np.int64)
        labels[0] = 0.0
        labels[0, columns - 1] = last
        links[0, 0], links[0, 1], links[0, 2], links[0, 3] = -1, -1, -1, start
        size = 1
        heap = [(0.0, 0)]
        while len(heap) > 0:
            if interrupted() or total + size > max_labels or found == max_found:
                return ptr[: found + 1].copy(), arcs[: ptr[found]].copy()
            _, label = heapq.heappop(heap)
            v = links[label, 3]
            if _dominated(v, labels[label], label, newest, links, labels):
                continue
            for k in range(out_ptr[v], out_ptr[v + 1]):
                arc = out_arcs[k]
                w = heads[arc]
                if not alive[w]:
                    continue
                bound = _weights_along(labels[label], weights[arc], least[w], weight)
                if bound >= level:
                    continue
                if w == start:
                    if found == max_found:
                        break
                    arcs, ptr[found + 1] = append_walk(arcs, ptr[found], arc, label, links)
                    found += 1
                    continue
                if not has_hub and passes(label, w, links):
                    continue
                if _dominated(w, weight, -1, newest, links, labels):
                    continue
                if size == len(labels):
                    labels, links = grown(labels, 2 * size), grown(links, 2 * size)
                labels[size] = weight
                links[size, 0], links[size, 1], links[size, 2], links[size, 3] = label, arc, newest[w], w
                newest[w] = size
                heapq.heappush(heap, (float(w) if has_hub else bound, size))
                size += 1
        total += size
        alive[start] = False
    return ptr[: found + 1].copy(), arcs[: ptr[found]].copy()
