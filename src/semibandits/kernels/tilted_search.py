"""Which cycles could look better than x* for less information than asked for, when several items share the raise?

For a price s each arc weighs ``s cost - psi(s)``, and for every s the weight of a cycle C is a lower bound on its information
f(C) (:mod:`semibandits.kernels.bernoulli`). A *grid* of prices s_1, ..., s_K turns walks into vectors of K weights, and

    F(C) = max over k of the k-th weight of C  <=  f(C)

is what is searched: all cycles with F below a level, or the proof that there is none. F is itself the least information of a
problem of this kind, in which psi is replaced by its chords between the prices of the grid: so whatever holds of f for every law
holds of F, and a closed walk has a cycle in it whose F is no larger. Two facts keep the search small.

*Bounds.* A walk from the start to v is dropped if at some k its weight, and the smallest weight of a walk from v back to the
start, add up to the level. At high prices there are negative cycles, and no smallest weight; where only cycles up to some cost
are looked for, costs are then weighed more, and what that is worth at most is taken off again.

*Dominance.* A walk to v is dropped if another one to v has no larger weight at any k. Whatever closes the first also closes the
second, at no larger F; the outcome may pass a node twice, but then a cycle in it has no larger F. To see that nothing is lost:
of the cycles through the start with F below the level, and after deletion of all starts that are done, take the one with the
fewest arcs behind its last prefix that is kept. Were there a dropped prefix, its dominator, closed in the same way, would give
a cycle with fewer arcs behind a kept prefix, or one that avoids the start and is found from another.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from semibandits.kernels.exchange import incidence
from semibandits.kernels.signals import interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel
def _completions(
    start: int, alive: BoolArray, tails: IntArray, heads: IntArray, order: IntArray, weights: FloatArray
) -> FloatArray:
    """Smallest weight of a walk from each node to `start`, one column a weight; -inf where negative cycles leave no smallest.

    Bellman and Ford's method among the nodes that are alive, arcs in the given order. Columns of reach are +inf for nodes that
    have no such walk.
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
                    # Changes by rounding alone do not end otherwise where a cycle weighs nothing.
                    if reached < least[v, k] - 1e-15 * abs(reached):
                        moved[k] = True
                    least[v, k] = reached
        if not moved.any():
            return least
    for k in range(columns):
        if moved[k]:
            least[:, k] = -np.inf
            least[start, k] = 0.0
    return least


@kernel
def _grown(labels: FloatArray, links: IntArray, costs: FloatArray) -> tuple[FloatArray, IntArray, FloatArray]:
    size = len(costs)
    more_labels, more_links, more_costs = (
        np.empty((2 * size, labels.shape[1])),
        np.empty((2 * size, links.shape[1]), dtype=np.int64),
        np.empty(2 * size),
    )
    more_labels[:size], more_links[:size], more_costs[:size] = labels, links, costs
    return more_labels, more_links, more_costs


@kernel
def _dominated(
    v: int, cost: float, weights: FloatArray, me: int, newest: IntArray, links: IntArray, labels: FloatArray,
    label_costs: FloatArray, cheaper: bool,
) -> bool:  # fmt: skip
    """Whether a label at v is no heavier at any price, and no dearer if it must be `cheaper`. Of equals the first remains."""
    other = newest[v]
    while other >= 0:
        if other != me and (not cheaper or label_costs[other] <= cost):
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
def tilted_cycles(*graph_and_limits: Any) -> tuple[IntArray, IntArray, FloatArray, int]:
    """What `light_cycles` finds, unless it is interrupted."""
    found = light_cycles(*graph_and_limits)
    raise_interrupt()
    return found


@kernel
def light_cycles(
    n: int, tails: IntArray, heads: IntArray, costs: FloatArray, weights: FloatArray, extra: FloatArray, last: float,
    has_hub: bool,
    level: float, least_cost: float, most_cost: float, max_labels: int, max_found: int,
) -> tuple[IntArray, IntArray, FloatArray, int]:  # fmt: skip
    """Cycles with F below `level` and a cost between `least_cost` and `most_cost`.

    Parameters
    ----------
    n, tails, heads, costs
        The graph, without self-loops. If `has_hub`, node 0 lies on every cycle and the other nodes are in topological order.
    weights : ndarray of float, shape (a, K + 1)
        ``s_k cost - psi(s_k)`` of each arc; in the last column, for an infinite price, ``cost - (1 - theta)``.
    extra : ndarray of float, shape (K + 1,)
        Price >= 0 on top in the bounds of each column: what a walk may still cost is limited by `most_cost`, so that bounds hold
        for weights of ``(s + extra) cost`` less `extra` times that. It keeps off negative cycles; 0 if `most_cost` is infinite.
    last : float
        What the last column begins with: cycles where it ends at `level` or above count as out of reach whatever is paid. Only
        there does it count.
    level : float
        Cycles are reported whose F is below it.
    least_cost, most_cost : float
        Cycles of other costs are of no interest. Above 0 there is no dominance: the cycle that takes over may cost too little.
    max_labels, max_found : int
        Where to break off.

    Returns
    -------
    ptr, arcs : ndarray of int
        Cycle k is ``arcs[ptr[k]:ptr[k + 1]]``, in reverse order of travel.
    values : ndarray of float
        Their F. The smallest is that of all cycles with costs in the range, up to rounding; if there is none, no such cycle has
        F below the level.
    labels : int
        Number of labels; negative if the search was broken off, and then nothing is proven.
    """
    columns = weights.shape[1]
    padded = np.empty((len(tails), columns + 1))
    padded[:, :columns] = weights + np.outer(costs, extra)
    padded[:, columns] = costs
    out_ptr, out_arcs = incidence(n, tails)
    degree = np.zeros(n, dtype=np.int64)
    for arc in range(len(tails)):
        degree[tails[arc]] += 1
        degree[heads[arc]] += 1
    starts = np.zeros(1, dtype=np.int64) if has_hub else np.argsort(-degree, kind="mergesort")
    order = np.argsort(-tails, kind="mergesort")
    dominance, cheaper = least_cost <= 0.0, most_cost < np.inf
    alive = np.ones(n, dtype=np.bool_)
    found_ptr, found_arcs = np.zeros(max_found + 1, dtype=np.int64), np.empty(1024, dtype=np.int64)
    values = np.empty(max_found)
    found = total = 0
    labels, links, label_costs = np.empty((256, columns)), np.empty((256, 4), dtype=np.int64), np.empty(256)
    weight = np.empty(columns)
    for start in starts:
        least = _completions(int(start), alive, tails, heads, order, padded)
        newest = np.full(n, -1, dtype=np.int64)
        labels[0], label_costs[0] = 0.0, 0.0
        labels[0, columns - 1] = last
        links[0, 0], links[0, 1], links[0, 2], links[0, 3] = -1, -1, -1, start
        size = 1
        heap = [(0.0, 0)]
        while len(heap) > 0:
            if interrupted():
                done = found_ptr[:1].copy()
                return done, found_arcs[:0].copy(), values[:0].copy(), -total - size
            _, label = heapq.heappop(heap)
            v = links[label, 3]
            if dominance and _dominated(
                v, label_costs[label], labels[label], label, newest, links, labels, label_costs, cheaper
            ):
                continue
            for k in range(out_ptr[v], out_ptr[v + 1]):
                arc = out_arcs[k]
                w, cost = heads[arc], label_costs[label] + costs[arc]
                if not alive[w] or cost + least[w, columns] > most_cost:
                    continue
                bound = -np.inf
                for j in range(columns):
                    weight[j] = labels[label, j] + weights[arc, j]
                    allowed = extra[j] * (most_cost - cost) if extra[j] > 0.0 and w != start else 0.0
                    bound = max(bound, weight[j] + least[w, j] - allowed)
                if bound >= level:
                    continue
                if w == start:
                    if cost < least_cost:
                        continue
                    length, at = 1, label
                    while links[at, 0] >= 0:
                        length, at = length + 1, links[at, 0]
                    filled = found_ptr[found]
                    while filled + length > len(found_arcs):
                        found_arcs = np.concatenate((found_arcs, np.empty_like(found_arcs)))
                    found_arcs[filled] = arc
                    at = label
                    for i in range(1, length):
                        found_arcs[filled + i] = links[at, 1]
                        at = links[at, 0]
                    values[found] = weight[: columns - 1].max()
                    found += 1
                    found_ptr[found] = filled + length
                    if found == max_found:
                        return found_ptr, found_arcs[: found_ptr[found]].copy(), values, -total - size
                    continue
                if not has_hub:
                    at = label
                    while at >= 0 and links[at, 3] != w:
                        at = links[at, 0]
                    if at >= 0:
                        continue
                if dominance and _dominated(w, cost, weight, -1, newest, links, labels, label_costs, cheaper):
                    continue
                if total + size >= max_labels:
                    done = found_ptr[: found + 1].copy()
                    return done, found_arcs[: done[-1]].copy(), values[:found].copy(), -total - size
                if size == len(label_costs):
                    labels, links, label_costs = _grown(labels, links, label_costs)
                labels[size], label_costs[size] = weight, cost
                links[size, 0], links[size, 1], links[size, 2], links[size, 3] = label, arc, newest[w], w
                newest[w] = size
                heapq.heappush(heap, (float(w) if has_hub else cost, size))
                size += 1
        total += size
        alive[start] = False
    done = found_ptr[: found + 1].copy()
    return done, found_arcs[: done[-1]].copy(), values[:found].copy(), total
