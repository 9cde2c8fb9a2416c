"""Linear algebra of the interior-point method: circulations through a spanning tree, rows that are cycles.

The values on the arcs outside a spanning tree (the *chords*) determine a circulation. ``Z`` is the matrix that maps chord values
to the circulation; ``Z'g`` is g on the chords plus the potential differences that g on the tree arcs causes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.graphs.forests import forest_greedy, incident_edges
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


class Tree(NamedTuple):
    """A spanning tree, rooted at node 0."""

    # All arcs of the graph, shape (a,).
    tails: IntArray
    heads: IntArray
    # Parent of each node and the arc that connects them, shape (n,); -1 for the root.
    parent: IntArray
    parent_arc: IntArray
    sign: FloatArray  # (n,): +1 if that arc leaves the parent, else -1
    order: IntArray  # (n,): nodes in breadth-first order


class ArcRows(NamedTuple):
    """Sparse matrix with one column per arc, indexed by row and by arc."""

    # Row c has entries on the arcs arcs[ptr[c]:ptr[c + 1]].
    ptr: IntArray
    arcs: IntArray
    slopes: FloatArray  # values of the entries; empty if all are 1
    # The entries of arc e are positions[at_ptr[e]:at_ptr[e + 1]], and `owners` contains their rows.
    at_ptr: IntArray
    positions: IntArray
    owners: IntArray


@kernel
def spanning_tree(n: int, tails: IntArray, heads: IntArray, order: IntArray) -> tuple[Tree, BoolArray]:
    """Build a greedy spanning tree, taking arcs in the given order; also return which arcs it contains."""
    in_tree = forest_greedy(n, tails, heads, order)
    members = np.flatnonzero(in_tree)
    ptr, places = incident_edges(n, tails[members], heads[members])
    parent = np.full(n, -1, dtype=np.int64)
    parent_arc = np.full(n, -1, dtype=np.int64)
    sign = np.zeros(n)
    order_out = np.zeros(n, dtype=np.int64)
    filled = 1
    for done in range(n):
        v = order_out[done]
        for k in range(ptr[v], ptr[v + 1]):
            arc = members[places[k]]
            if arc == parent_arc[v]:
                continue
            down = tails[arc] == v
            w = heads[arc] if down else tails[arc]
            parent[w], parent_arc[w], sign[w] = v, arc, 1.0 if down else -1.0
            order_out[filled] = w
            filled += 1
    return Tree(tails, heads, parent, parent_arc, sign, order_out), in_tree


@kernel
def tree_potentials(tree: Tree, wanted: FloatArray) -> FloatArray:
    """Node potentials with ``potential[head] - potential[tail] = wanted[arc]`` on every tree arc, 0 at the root."""
    _, _, parent, parent_arc, sign, order = tree
    potential = np.zeros(len(parent))
    for v in order[1:]:
        potential[v] = potential[parent[v]] + sign[v] * wanted[parent_arc[v]]
    return potential


@kernel
def chords_to_circulation(values: FloatArray, chords: IntArray, tree: Tree) -> FloatArray:
    """Z applied to chord values: the circulation with these values.

    Sums are kept in two parts, so that rounding errors of large flows within parts of the tree do not hide small flows between
    them.
    """
    tails, heads, parent, parent_arc, sign, order = tree
    flow = np.zeros(len(tails))
    surplus, rest = np.zeros(len(parent)), np.zeros(len(parent))
    for j in range(len(chords)):
        arc = chords[j]
        flow[arc] = values[j]
        _add(surplus, rest, heads[arc], values[j])
        _add(surplus, rest, tails[arc], -values[j])
    for k in range(len(order) - 1, 0, -1):
        v = order[k]
        flow[parent_arc[v]] = -sign[v] * (surplus[v] + rest[v])
        _add(surplus, rest, parent[v], surplus[v])
        rest[parent[v]] += rest[v]
    return flow


@kernel
def _add(sums: FloatArray, rests: FloatArray, k: int, value: float) -> None:
    """Add the value to ``sums[k]`` and the rounding error to ``rests[k]``."""
    total = sums[k] + value
    part = total - sums[k]
    rests[k] += (sums[k] - (total - part)) + (value - part)
    sums[k] = total


@kernel
def circulation_to_chords(gradient: FloatArray, chords: IntArray, tree: Tree) -> FloatArray:
    """Z' applied to a gradient on the arcs."""
    potential = tree_potentials(tree, gradient)
    return gradient[chords] + potential[tree.tails[chords]] - potential[tree.heads[chords]]


@kernel
def _fill_with_product(row: FloatArray, arc: int, rows: ArcRows, weights: FloatArray, columns: IntArray) -> None:
    """Row `arc` of R' W R for the matrix R of `rows`; entry k of R belongs to the column ``columns[k]``."""
    ptr, _, slopes, at_ptr, positions, owners = rows
    row[:] = 0.0
    for k in range(at_ptr[arc], at_ptr[arc + 1]):
        c = owners[k]
        weight = weights[c]
        if len(slopes) > 0:
            weight *= slopes[positions[k]]
            for i in range(ptr[c], ptr[c + 1]):
                row[columns[i]] += weight * slopes[i]
        else:
            for i in range(ptr[c], ptr[c + 1]):
                row[columns[i]] += weight


@kernel
def reduced_hessian(
    diagonal: FloatArray, by_arc: FloatArray, rows: ArcRows, weights: FloatArray, chords: IntArray, tree: Tree
) -> FloatArray:
    """Z'(diag + A' W A) Z, lower triangle only. Column e of A is that of `rows` times ``by_arc[e]``.

    The rows of the full matrix are formed and reduced one at a time, so that memory is needed only for the result and the rows of
    the tree arcs.
    """
    tails, heads, parent, parent_arc, sign, order = tree
    n, q, a = len(parent), len(chords), len(tails)
    # Reorder the columns, chords first, so that entries that are read together are adjacent.
    column = np.empty(a, dtype=np.int64)
    below = np.full(a, -1, dtype=np.int64)
    for j in range(q):
        column[chords[j]] = j
    for k in range(1, n):
        v = order[k]
        below[parent_arc[v]] = v
        column[parent_arc[v]] = q + k - 1
    columns = column[rows.arcs]
    by_column = np.empty(a)
    for arc in range(a):
        by_column[column[arc]] = by_arc[arc]
    parent_of, sign_of = np.empty(n, dtype=np.int64), np.empty(n)
    rank = np.empty(n, dtype=np.int64)
    for k in range(n):
        rank[order[k]] = k
    for k in range(1, n):
        parent_of[k], sign_of[k] = rank[parent[order[k]]], sign[order[k]]
    chord_tails, chord_heads = rank[tails[chords]], rank[heads[chords]]
    hessian = np.empty((q, q))
    tree_rows = np.zeros((n, q))
    row = np.zeros(a)
    potential = np.zeros(n)
    for arc in range(a):
        _fill_with_product(row, arc, rows, weights, columns)
        for j in range(a):
            row[j] *= by_arc[arc] * by_column[j]
        row[column[arc]] += diagonal[arc]
        for k in range(1, n):
            potential[k] = potential[parent_of[k]] + sign_of[k] * row[q + k - 1]
        target = hessian[column[arc]] if below[arc] < 0 else tree_rows[rank[below[arc]]]
        for j in range(q):
            target[j] = row[j] + potential[chord_tails[j]] - potential[chord_heads[j]]
    for k in range(1, n):
        s = sign_of[k]
        mine, above = tree_rows[k], tree_rows[parent_of[k]]
        for j in range(q):
            mine[j] = above[j] + s * mine[j]
    for i in range(q):
        target, plus, minus = hessian[i], tree_rows[chord_tails[i]], tree_rows[chord_heads[i]]
        for j in range(i + 1):
            target[j] += plus[j] - minus[j]
    return hessian


@kernel
def scaled_to_unit_diagonal(matrix: FloatArray) -> FloatArray:
    """Scale the lower triangle in place to a diagonal of 1; returns 1/sqrt of the diagonal, nan where it is not positive."""
    scale = np.empty(len(matrix))
    for i in range(len(matrix)):
        scale[i] = 1.0 / math.sqrt(matrix[i, i]) if matrix[i, i] > 0.0 else np.nan
        row = matrix[i]
        for j in range(i):
            row[j] *= scale[i] * scale[j]
        row[i] = 1.0
    return scale


@kernel
def reach(values: FloatArray, change: FloatArray) -> float:
    """Largest step <= 1 after which ``values + step * change`` is still >= 0, for values >= 0."""
    step = 1.0
    for k in range(len(values)):
        if values[k] + step * change[k] < 0.0:
            step = -values[k] / change[k]
    return step
