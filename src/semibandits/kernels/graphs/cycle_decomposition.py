"""Decomposition of circulations into cycles, their items, and cycles of merged nodes as closed walks of the graph."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import ascending, grown, stable_order, write
from semibandits.kernels.graphs.exchange import arcs_of, distances_to
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


@kernel
def decompose_into_cycles(
    flow: FloatArray, tails: IntArray, heads: IntArray, out_ptr: IntArray, out_arcs: IntArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Simple cycles and rates that add up to `flow` up to rounding: at most one cycle per arc.

    Arcs are removed in order of flow, the smallest first, so that rounding errors of large flows do not affect small ones. A walk
    starts with the arc and follows the largest remaining flow until it meets itself. A dead end is due to rounding; the arc that
    leads there is removed. Cycle k is ``arcs[ptr[k]:ptr[k + 1]]`` in order of travel.
    """
    n, a = len(out_ptr) - 1, len(tails)
    left = flow.copy()
    dust = 1e-13 * flow
    rates = np.empty(a)
    ptr = np.zeros(a + 1, dtype=np.int64)
    arcs = np.empty(max(16, 8 * a), dtype=np.int64)
    walk = np.empty(n + 1, dtype=np.int64)
    place = np.full(n, -1, dtype=np.int64)
    # The arc of largest flow out of each node, and a flow that no other one exceeds: flows only decrease.
    widest, second = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
    cycles = 0
    for start in stable_order(flow):
        while left[start] > dust[start]:
            walk[0] = start
            place[tails[start]] = 0
            length = 1
            while True:
                v = heads[walk[length - 1]]
                if place[v] >= 0:
                    break
                place[v] = length
                if widest[v] < 0 or left[widest[v]] <= max(second[v], dust[widest[v]]):
                    widest[v], second[v] = _arc_of_largest_flow(v, left, dust, out_ptr, out_arcs)
                if widest[v] < 0:
                    break
                walk[length] = widest[v]
                length += 1
            end = heads[walk[length - 1]]
            dead = walk[length - 1] if place[end] == length else -1
            first = place[end]
            for i in range(length):
                place[tails[walk[i]]] = -1
            place[end] = -1
            if dead >= 0:
                left[dead] = 0.0
                continue
            rate = np.inf
            for i in range(first, length):
                rate = min(rate, left[walk[i]])
            if ptr[cycles] + n > len(arcs):
                arcs = grown(arcs, 2 * len(arcs) + n)
            filled = ptr[cycles]
            for i in range(first, length):
                arc = walk[i]
                left[arc] = left[arc] - rate if left[arc] > rate else 0.0
                arcs[filled] = arc
                filled += 1
            rates[cycles] = rate
            cycles += 1
            ptr[cycles] = filled
    return rates[:cycles].copy(), ptr[: cycles + 1].copy(), arcs[: ptr[cycles]].copy()


@kernel(inline="always")
def _arc_of_largest_flow(v: int, flow: FloatArray, dust: FloatArray, out_ptr: IntArray, out_arcs: IntArray) -> tuple[int, float]:
    """Arc of largest flow out of node v, -1 if no flow exceeds the dust of its arc, and the largest flow of the other arcs."""
    largest, second = -1, 0.0
    for k in range(out_ptr[v], out_ptr[v + 1]):
        arc = out_arcs[k]
        if flow[arc] <= dust[arc]:
            continue
        if largest < 0 or flow[arc] > flow[largest]:
            second = flow[largest] if largest >= 0 else 0.0
            largest = arc
        else:
            second = max(second, flow[arc])
    return largest, second


@kernel
def exchanged_items(
    ptr: IntArray, arcs: IntArray, leaving: IntArray, entering: IntArray, in_best: BoolArray
) -> tuple[IntArray, IntArray]:
    """Items that differ from x* after each cycle, ascending: ``items[ptr[k]:ptr[k + 1]]`` for the returned arrays.

    Items of x* that leave and do not enter, and items that enter and are not in x*; items are -1 on arcs without one.
    """
    entered, listed = np.full(len(in_best), -1, dtype=np.int64), np.full(len(in_best), -1, dtype=np.int64)
    out_ptr, items = np.zeros(len(ptr), dtype=np.int64), np.empty(2 * len(arcs), dtype=np.int64)
    filled = 0
    for k in range(len(ptr) - 1):
        for i in range(ptr[k], ptr[k + 1]):
            if entering[arcs[i]] >= 0:
                entered[entering[arcs[i]]] = k
        begin = filled
        for i in range(ptr[k], ptr[k + 1]):
            item = leaving[arcs[i]]
            if item >= 0 and in_best[item] and entered[item] != k and listed[item] != k:
                listed[item] = k
                items[filled] = item
                filled += 1
            item = entering[arcs[i]]
            if item >= 0 and not in_best[item] and listed[item] != k:
                listed[item] = k
                items[filled] = item
                filled += 1
        write(items[begin:], ascending(items[begin:filled]))
        out_ptr[k + 1] = filled
    return out_ptr, items[:filled].copy()


@kernel
def unfold_cycles(
    ptr: IntArray, arcs: IntArray, tails: IntArray, heads: IntArray, merged: IntArray, free: IntArray
) -> tuple[IntArray, IntArray]:
    """Closed walks of the graph, in order of travel, for simple cycles of merged nodes with arcs in any order.

    If a cycle enters a merged node at one of its nodes and leaves it at another, a shortest walk over the arcs `free` is
    inserted. These must join any two nodes of a merged node that a cycle can use; if a walk is missing, ``ptr[-1]`` is -1.
    """
    n = len(merged)
    graph, steps, alive = arcs_of(n, tails[free], heads[free]), np.ones(len(free)), np.ones(n, dtype=np.bool_)
    tree_of = np.full(n, -1, dtype=np.int64)
    trees = np.empty((4, n), dtype=np.int32)
    planted = 0
    leaving = np.empty(n, dtype=np.int64)
    out_ptr = np.zeros(len(ptr), dtype=np.int64)
    out_arcs = np.empty(4 * len(arcs) + n, dtype=np.int64)
    filled = 0
    for c in range(len(ptr) - 1):
        for i in range(ptr[c], ptr[c + 1]):
            leaving[merged[tails[arcs[i]]]] = arcs[i]
        arc = arcs[ptr[c]]
        for _ in range(ptr[c + 1] - ptr[c]):
            if filled + n + 1 > len(out_arcs):
                out_arcs = grown(out_arcs, 2 * len(out_arcs) + n + 1)
            out_arcs[filled] = arc
            filled += 1
            v = heads[arc]
            arc = leaving[merged[v]]
            target = tails[arc]
            if v == target:
                continue
            if tree_of[target] < 0:
                if planted == len(trees):
                    trees = grown(trees, 2 * planted)
                write(trees[planted], distances_to(target, graph, steps, alive)[1])
                tree_of[target] = planted
                planted += 1
            first = trees[tree_of[target]]
            while v != target:
                if first[v] < 0:
                    out_ptr[-1] = -1
                    return out_ptr, out_arcs
                out_arcs[filled] = free[first[v]]
                filled += 1
                v = heads[free[first[v]]]
        out_ptr[c + 1] = filled
    return out_ptr, out_arcs[:filled].copy()
