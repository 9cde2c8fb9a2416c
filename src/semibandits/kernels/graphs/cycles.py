"""Sums over families of cycles: cycle k uses the arcs ``arcs[ptr[k]:ptr[k + 1]]``."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


@kernel
def cycle_sums(ptr: IntArray, arcs: IntArray, values: FloatArray) -> FloatArray:
    """Sum of arc values over each cycle."""
    sums = np.zeros(len(ptr) - 1)
    for k in range(len(sums)):
        for i in range(ptr[k], ptr[k + 1]):
            sums[k] += values[arcs[i]]
    return sums


@kernel
def weighted_arc_totals(ptr: IntArray, arcs: IntArray, entries: FloatArray, per_cycle: FloatArray, n_arcs: int) -> FloatArray:
    """For each arc, the sum of ``entries[i] * per_cycle[k]`` over its places i in the cycles k."""
    totals = np.zeros(n_arcs)
    for k in range(len(ptr) - 1):
        for i in range(ptr[k], ptr[k + 1]):
            totals[arcs[i]] += entries[i] * per_cycle[k]
    return totals


@kernel
def arc_totals(ptr: IntArray, arcs: IntArray, per_cycle: FloatArray, n_arcs: int) -> FloatArray:
    """For each arc, the sum of cycle values over the cycles through it."""
    totals = np.zeros(n_arcs)
    for k in range(len(ptr) - 1):
        for i in range(ptr[k], ptr[k + 1]):
            totals[arcs[i]] += per_cycle[k]
    return totals


@kernel
def are_simple(ptr: IntArray, arcs: IntArray, tails: IntArray, heads: IntArray, n: int) -> BoolArray:
    """Whether each set of arcs, in any order, is one simple cycle of a graph with n nodes."""
    simple = np.zeros(len(ptr) - 1, dtype=np.bool_)
    leaving = np.empty(n, dtype=np.int64)
    cycle_at = np.full(n, -1, dtype=np.int64)
    for k in range(len(simple)):
        distinct = ptr[k + 1] > ptr[k]
        for i in range(ptr[k], ptr[k + 1]):
            v = tails[arcs[i]]
            distinct = distinct and cycle_at[v] != k
            cycle_at[v], leaving[v] = k, heads[arcs[i]]
        if not distinct:
            continue
        start = tails[arcs[ptr[k]]]
        v, steps = leaving[start], 1
        while v != start and cycle_at[v] == k and steps < ptr[k + 1] - ptr[k]:
            v = leaving[v]
            steps += 1
        simple[k] = v == start and steps == ptr[k + 1] - ptr[k]
    return simple


@kernel
def are_closed(ptr: IntArray, arcs: IntArray, tails: IntArray, heads: IntArray, n: int) -> BoolArray:
    """Whether each family of arcs enters every node as often as it leaves it, and so is a union of cycles."""
    closed = np.ones(len(ptr) - 1, dtype=np.bool_)
    surplus = np.zeros(n, dtype=np.int64)
    for k in range(len(closed)):
        for i in range(ptr[k], ptr[k + 1]):
            surplus[heads[arcs[i]]] += 1
            surplus[tails[arcs[i]]] -= 1
        for i in range(ptr[k], ptr[k + 1]):
            closed[k] = closed[k] and surplus[heads[arcs[i]]] == 0 and surplus[tails[arcs[i]]] == 0
        for i in range(ptr[k], ptr[k + 1]):
            surplus[heads[arcs[i]]] = surplus[tails[arcs[i]]] = 0
    return closed


@kernel
def carried_over(
    ptr: IntArray, arcs: IntArray, entries: FloatArray, to_ptr: IntArray, to_arcs: IntArray, n_arcs: int
) -> FloatArray:
    """The entries of cycles in other lists of the arcs of the same cycles; 0 for arcs that a cycle did not have."""
    carried = np.zeros(len(to_arcs))
    value, row = np.zeros(n_arcs), np.full(n_arcs, -1, dtype=np.int64)
    for k in range(len(ptr) - 1):
        for i in range(ptr[k], ptr[k + 1]):
            value[arcs[i]], row[arcs[i]] = entries[i], k
        for i in range(to_ptr[k], to_ptr[k + 1]):
            if row[to_arcs[i]] == k:
                carried[i] = value[to_arcs[i]]
    return carried


@kernel
def select_cycles(ptr: IntArray, arcs: IntArray, mask: BoolArray) -> tuple[IntArray, IntArray]:
    """The cycles where `mask` is True."""
    kept: IntArray = np.flatnonzero(mask)
    new_ptr, new_arcs = np.zeros(len(kept) + 1, dtype=np.int64), np.empty_like(arcs)
    filled = 0
    for k in range(len(kept)):
        cycle = arcs[ptr[kept[k]] : ptr[kept[k] + 1]]
        write(new_arcs[filled:], cycle)
        filled += len(cycle)
        new_ptr[k + 1] = filled
    return new_ptr, new_arcs[:filled].copy()


@kernel
def gram_product(ptr: IntArray, arcs: IntArray, entries: FloatArray, weights: FloatArray, values: FloatArray) -> FloatArray:
    """R' W R times arc values, for the matrix R with `entries` (all 1 if empty) and a row for each cycle."""
    product = np.zeros(len(values))
    for k in range(len(ptr) - 1):
        total = 0.0
        if len(entries) > 0:
            for i in range(ptr[k], ptr[k + 1]):
                total += entries[i] * values[arcs[i]]
            total *= weights[k]
            for i in range(ptr[k], ptr[k + 1]):
                product[arcs[i]] += entries[i] * total
        else:
            for i in range(ptr[k], ptr[k + 1]):
                total += values[arcs[i]]
            total *= weights[k]
            for i in range(ptr[k], ptr[k + 1]):
                product[arcs[i]] += total
    return product


@kernel
def part_starts(ptr: IntArray, arcs: IntArray, tails: IntArray, heads: IntArray, marked: BoolArray) -> tuple[IntArray, IntArray]:
    """Cut cycles at marked nodes, and where consecutive arcs do not meet.

    Returns the places in `arcs` where parts start, and the first part of each cycle, with the number of parts at the end.
    """
    starts = np.empty(len(arcs), dtype=np.int64)
    first = np.zeros(len(ptr), dtype=np.int64)
    found = 0
    for k in range(len(ptr) - 1):
        for i in range(ptr[k], ptr[k + 1]):
            cut = i == ptr[k]
            if not cut:
                a, b = arcs[i - 1], arcs[i]
                if heads[a] == tails[b]:
                    cut = marked[heads[a]]
                elif tails[a] == heads[b]:
                    cut = marked[tails[a]]
                else:
                    cut = True
            if cut:
                starts[found] = i
                found += 1
        first[k + 1] = found
    return starts[:found].copy(), first
