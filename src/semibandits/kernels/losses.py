"""What the heaviest decision of a part loses at least if one item changes sides.

Two decisions differ by alternating cycles of single exchanges (by single exchanges, for the bases of a matroid), and around a
heaviest decision no cycle gains anything. So a decision that holds, or lacks, an item against the heaviest one weighs less by at
least the cheapest closed walk through that item. Walks run over the members of the heaviest decision: from a member that leaves,
over the item that enters for it, to the member whose place that item takes on the other side.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.oracles import kinds
from semibandits.kernels.oracles.exchanges import exchanges
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel
def write_losses(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, losses: FloatArray
) -> None:
    """Loss of each item that is not forced, inf if it cannot change sides; x is heaviest among those that agree with `forced`.

    `data` is that of the oracle; its last array holds the kind of the decisions, see ``kernels/oracles/kinds.py``.
    """
    kind = data[7][0]
    losses[:] = np.inf
    if kind == kinds.UNIFORM:
        _losses_of_sets(weights, x, forced, losses)
    elif kind == kinds.MATCHINGS:
        _losses_of_matchings(data, weights, x, forced, losses)
    elif kind == kinds.PATHS:
        _losses_of_paths(data, weights, x, forced, losses)
    elif kind == kinds.INTERSECTION:
        _losses_of_common_bases(data, weights, x, forced, losses)
    else:
        _losses_of_bases(data, weights, x, forced, losses)


@kernel
def _losses_of_sets(weights: FloatArray, x: BoolArray, forced: IntArray, losses: FloatArray) -> None:
    """Sets of a given size: the lightest member and the heaviest other item tell all."""
    inside, outside = np.inf, -np.inf
    for i in range(len(x)):
        if forced[i] == 0:
            if x[i]:
                inside = min(inside, weights[i])
            else:
                outside = max(outside, weights[i])
    for i in range(len(x)):
        losses[i] = weights[i] - outside if x[i] else inside - weights[i]


@kernel
def _losses_of_bases(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, losses: FloatArray
) -> None:
    """Bases of a matroid: single exchanges."""
    d = len(x)
    members = np.flatnonzero(x)
    _, swaps = exchanges(data[7][0], data[0], data[1], data[2], d, members)
    for position in range(len(members)):
        j = members[position]
        if forced[j] != 0:
            continue
        for i in range(d):
            if swaps[position, i] and forced[i] == 0:
                loss = weights[j] - weights[i]
                losses[i], losses[j] = min(losses[i], loss), min(losses[j], loss)


@kernel
def _losses_of_common_bases(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, losses: FloatArray
) -> None:
    """Common independent sets of a given size: item z leads from the members it can replace in one matroid to the other's."""
    d = len(x)
    members = np.flatnonzero(x)
    k = len(members)
    _, swaps1 = exchanges(data[0][0], data[1], data[2], data[3], d, members)
    _, swaps2 = exchanges(data[0][1], data[4], data[5], data[6], d, members)
    walks = np.full((k, k), np.inf)
    tails, heads = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for z in range(d):
        n_tails, n_heads = _ends(z, swaps1, swaps2, members, forced, tails, heads)
        for i in range(n_tails):
            a = tails[i]
            cost = weights[members[a]] - weights[z]
            for j in range(n_heads):
                b = heads[j]
                walks[a, b] = min(walks[a, b], cost)
    lengths = shortest_walks(walks)
    for a in range(k):
        for b in range(k):
            losses[members[a]] = min(losses[members[a]], walks[a, b] + lengths[b, a])
    for z in range(d):
        n_tails, n_heads = _ends(z, swaps1, swaps2, members, forced, tails, heads)
        for i in range(n_tails):
            a = tails[i]
            cost = weights[members[a]] - weights[z]
            for j in range(n_heads):
                losses[z] = min(losses[z], cost + lengths[heads[j], a])


@kernel
def _ends(
    z: int, swaps1: BoolArray, swaps2: BoolArray, members: IntArray, forced: IntArray, tails: IntArray, heads: IntArray
) -> tuple[int, int]:
    """Numbers of the free members that item z can replace in the first and in the second matroid, which are written down."""
    n_tails = n_heads = 0
    if forced[z] != 0:
        return 0, 0
    for a in range(len(members)):
        if forced[members[a]] == 0:
            if swaps1[a, z]:
                tails[n_tails] = a
                n_tails += 1
            if swaps2[a, z]:
                heads[n_heads] = a
                n_heads += 1
    return n_tails, n_heads


@kernel
def _losses_of_matchings(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, losses: FloatArray
) -> None:
    """Matchings: a leading node takes a node of the other side from another, or from the last one, who holds the free ones."""
    ptr, others, items = data[0], data[1], data[2]
    n, optional = len(ptr) - 1, data[3][1] != 0
    mine, owner = np.full(n, -1, dtype=np.int64), np.full(data[3][0], n, dtype=np.int64)
    held, moves = np.zeros(n), np.ones(n + 1, dtype=np.bool_)
    for r in range(n):
        for k in range(ptr[r], ptr[r + 1]):
            if x[items[k]]:
                mine[r], owner[others[k]], held[r] = items[k], r, weights[items[k]]
                moves[r] = forced[items[k]] == 0
    walks = np.full((n + 1, n + 1), np.inf)
    for r in range(n):
        if not moves[r]:
            continue
        walks[n, r] = 0.0
        if optional and mine[r] >= 0:
            walks[r, n] = held[r]
        for k in range(ptr[r], ptr[r + 1]):
            i, b = items[k], owner[others[k]]
            if i != mine[r] and forced[i] == 0 and moves[b]:
                walks[r, b] = min(walks[r, b], held[r] - weights[i])
    lengths = shortest_walks(walks)
    for r in range(n):
        if not moves[r]:
            continue
        for k in range(ptr[r], ptr[r + 1]):
            i, b = items[k], owner[others[k]]
            if i != mine[r] and forced[i] == 0 and moves[b]:
                losses[i] = held[r] - weights[i] + lengths[b, r]
        if mine[r] >= 0:
            for b in range(n + 1):
                losses[mine[r]] = min(losses[mine[r]], walks[r, b] + lengths[b, r])


@kernel
def _losses_of_paths(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, losses: FloatArray
) -> None:
    """Paths in a DAG: the heaviest path through an arc, and the heaviest one that crosses the cut behind a node by another arc.

    Nodes are in topological order, so that every path crosses each cut between consecutive nodes once. One that avoids the arc by
    which x leaves a node crosses the cut behind that node elsewhere.
    """
    in_ptr, in_tails, in_items, out_ptr, out_heads, out_items = data[0], data[1], data[2], data[3], data[4], data[5]
    n = len(in_ptr) - 1
    before, after = np.full(n, -np.inf), np.full(n, -np.inf)
    before[0] = after[n - 1] = 0.0
    for v in range(1, n):
        for k in range(in_ptr[v], in_ptr[v + 1]):
            before[v] = max(before[v], before[in_tails[k]] + weights[in_items[k]])
    for v in range(n - 2, -1, -1):
        for k in range(out_ptr[v], out_ptr[v + 1]):
            after[v] = max(after[v], after[out_heads[k]] + weights[out_items[k]])
    # following[v]: the first node from v on that x leaves; step[v]: the item by which it does; detour[v]: the heaviest other way.
    following, step, detour = np.full(n + 1, n, dtype=np.int64), np.full(n, -1, dtype=np.int64), np.full(n, -np.inf)
    for v in range(n - 1, -1, -1):
        following[v] = following[v + 1]
        for k in range(out_ptr[v], out_ptr[v + 1]):
            if x[out_items[k]]:
                following[v], step[v] = v, out_items[k]
    for v in range(n):
        for k in range(out_ptr[v], out_ptr[v + 1]):
            i, head = out_items[k], out_heads[k]
            through = before[v] + weights[i] + after[head]
            if not x[i]:
                losses[i] = before[n - 1] - through if forced[i] == 0 else np.inf
                at = following[v]
                while at < head:
                    detour[at] = max(detour[at], through)
                    at = following[at + 1]
    for v in range(n):
        if step[v] >= 0 and forced[step[v]] == 0:
            losses[step[v]] = before[n - 1] - detour[v]


@kernel
def shortest_walks(walks: FloatArray) -> FloatArray:
    """Lengths of shortest walks between all pairs of nodes, 0 from a node to itself, given those of single steps.

    There are no cycles of negative length but by rounding: lengths are made nonnegative by potentials first (Bellman, Ford), so
    that rounding cannot add up, and walks are then composed node by node (Floyd, Warshall).
    """
    n = len(walks)
    potential = np.zeros(n)
    for _ in range(n):
        changed = False
        for a in range(n):
            for b in range(n):
                reached = potential[a] + walks[a, b]
                if reached < potential[b]:
                    potential[b] = reached
                    changed = True
        if not changed:
            break
    lengths = np.empty((n, n))
    for a in range(n):
        for b in range(n):
            lengths[a, b] = max(walks[a, b] + potential[a] - potential[b], 0.0)
        lengths[a, a] = 0.0
    for via in range(n):
        for a in range(n):
            first = lengths[a, via]
            if first < np.inf:
                for b in range(n):
                    lengths[a, b] = min(lengths[a, b], first + lengths[via, b])
    for a in range(n):
        for b in range(n):
            lengths[a, b] += potential[b] - potential[a]
    return lengths
