"""Forests of undirected multigraphs: greedy, fundamental circuits, lightest edges of tree paths."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import ascending, stable_order, write
from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


@kernel
def find_root(parent: IntArray, v: int) -> int:
    """Root of `v` in a union-find forest, halving the path on the way."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@kernel
def forest_greedy(n_nodes: int, tails: IntArray, heads: IntArray, order: IntArray) -> BoolArray:
    """Scan the edges in `order` and keep each one that closes no cycle; mask over all edges."""
    chosen = np.zeros(len(tails), dtype=np.bool_)
    parent = np.arange(n_nodes)
    left = n_nodes - 1
    for item in order:
        if left == 0:
            break
        a = find_root(parent, tails[item])
        b = find_root(parent, heads[item])
        if a != b:
            parent[a] = b
            chosen[item] = True
            left -= 1
    return chosen


@kernel
def heaviest_forest(n_nodes: int, tails: IntArray, heads: IntArray, weights: FloatArray) -> BoolArray:
    """Kruskal's algorithm: spanning forest of largest weight, the smaller index first on ties; mask over all edges."""
    return forest_greedy(n_nodes, tails, heads, stable_order(-weights))


@kernel
def forest_bases(n_nodes: int, tails: IntArray, heads: IntArray, n: int) -> BoolArray:
    """The first `n` spanning forests in lexicographic order of their edges, shape (n, d); there must be that many.

    The next forest keeps as many of the first edges as possible: it drops the last edge that later ones can replace.
    """
    d = len(tails)
    rows = np.empty((n, d), dtype=np.bool_)
    current = forest_greedy(n_nodes, tails, heads, np.arange(d))
    rank = np.count_nonzero(current)
    for row in range(n):
        write(rows[row], current)
        if row == n - 1:
            break
        for i in range(d - 1, -1, -1):
            if not current[i]:
                continue
            kept = np.flatnonzero(current[:i])
            following = forest_greedy(n_nodes, tails, heads, np.concatenate((kept, np.arange(i + 1, d))))
            if np.count_nonzero(following) == rank:
                current = following
                break
    return rows


@kernel
def is_forest(n_nodes: int, tails: IntArray, heads: IntArray, members: IntArray) -> bool:
    """Whether the edges `members` close no cycle."""
    parent = np.arange(n_nodes)
    for item in members:
        a = find_root(parent, tails[item])
        b = find_root(parent, heads[item])
        if a == b:
            return False
        parent[a] = b
    return True


@kernel
def incident_edges(n_nodes: int, tails: IntArray, heads: IntArray) -> tuple[IntArray, IntArray]:
    """Edges at each node, those of v at ``edges[start[v]:start[v + 1]]``, in order of index."""
    ends = np.empty(2 * len(tails), dtype=np.int64)
    write(ends[::2], tails)
    write(ends[1::2], heads)
    start, places = incidence(n_nodes, ends)
    return start, places // 2


@kernel
def root_forest(
    n_nodes: int, tails: IntArray, heads: IntArray, members: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Root each tree of the forest `members` at its first node.

    Returns for each node its parent (-1 for roots), the position in `members` of the edge to the parent, its depth and its root.
    """
    start, incident = incident_edges(n_nodes, tails[members], heads[members])
    above = np.full(n_nodes, -1, dtype=np.int64)
    via = np.full(n_nodes, -1, dtype=np.int64)
    depth = np.zeros(n_nodes, dtype=np.int64)
    root = np.full(n_nodes, -1, dtype=np.int64)
    stack = np.empty(n_nodes, dtype=np.int64)
    for r in range(n_nodes):
        if root[r] >= 0:
            continue
        root[r] = r
        stack[0] = r
        height = 1
        while height > 0:
            height -= 1
            v = stack[height]
            for p in range(start[v], start[v + 1]):
                a = incident[p]
                w = tails[members[a]] + heads[members[a]] - v
                if root[w] < 0:
                    root[w], above[w], via[w], depth[w] = r, v, a, depth[v] + 1
                    stack[height] = w
                    height += 1
    return above, via, depth, root


@kernel
def forest_exchanges(n_nodes: int, tails: IntArray, heads: IntArray, members: IntArray) -> tuple[BoolArray, BoolArray]:
    """Edges that can join the forest `members` (d,), and edges that can replace each of its edges (k, d)."""
    d = len(tails)
    free = np.zeros(d, dtype=np.bool_)
    swaps = np.zeros((len(members), d), dtype=np.bool_)
    inside = np.zeros(d, dtype=np.bool_)
    inside[members] = True
    above, via, depth, root = root_forest(n_nodes, tails, heads, members)
    for z in range(d):
        if inside[z]:
            continue
        u, v = tails[z], heads[z]
        if root[u] != root[v]:
            free[z] = True
            swaps[:, z] = True
            continue
        while u != v:
            if depth[u] < depth[v]:
                u, v = v, u
            swaps[via[u], z] = True
            u = above[u]
    return free, swaps


@kernel
def forest_lightest(n_nodes: int, tails: IntArray, heads: IntArray, members: IntArray, weights: FloatArray) -> IntArray:
    """Lightest edge of the circuit that each other edge closes with the forest `members`, the smaller index on ties.

    -1 for members, loops and edges that close no circuit. The trees are merged from the heaviest edge to the lightest,
    by size and without path compression, so that each lookup climbs O(log n) links of increasing times: the last link
    used is the lightest edge between the two ends.
    """
    d = len(tails)
    ordered = ascending(members)
    ordered = ordered[stable_order(weights[ordered])]
    never = len(members)
    parent = np.arange(n_nodes)
    size = np.ones(n_nodes, dtype=np.int64)
    linked_at = np.full(n_nodes, never, dtype=np.int64)
    linked_by = np.full(n_nodes, -1, dtype=np.int64)
    inside = np.zeros(d, dtype=np.bool_)
    for time in range(len(members)):
        item = ordered[len(members) - 1 - time]
        inside[item] = True
        a, b = tails[item], heads[item]
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if size[a] > size[b]:
            a, b = b, a
        parent[a] = b
        size[b] += size[a]
        linked_at[a] = time
        linked_by[a] = item
    lightest = np.full(d, -1, dtype=np.int64)
    for z in range(d):
        if inside[z]:
            continue
        u, v = tails[z], heads[z]
        last = -1
        while u != v:
            if linked_at[u] > linked_at[v]:
                u, v = v, u
            if linked_at[u] == never:
                last = -1
                break
            last = linked_by[u]
            u = parent[u]
        lightest[z] = last
    return lightest
