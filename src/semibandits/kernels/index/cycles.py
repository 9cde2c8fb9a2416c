"""Cycles of the exchange between the base and another decision.

Two matchings differ by alternating cycles and paths with disjoint nodes, two paths by detours. Each of these alone turns the
base into a decision. Around a base without bonus, some of them is as plausible as all together: if ``c_k <= D_k^2`` for the
bonus and the gap of every one, then ``sum c_k <= (sum D_k)^2`` (docs/policies/optimality.md, A). So whatever the hull finds,
its cycles are looked at.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.index.problem import Search, copy_row, meet
from semibandits.kernels.oracles import kinds
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel
def meet_cycle(data: tuple[IntArray, ...], s: Search, slot: int) -> None:
    """Meet the base changed along one cycle of the exchange to the decision in this slot: the one of largest ``sqrt(c) - D``.

    As long as nothing gains over the base, it is in ``s.x``. Families other than matchings and paths are left alone.
    """
    number = np.full(len(s.y), -1, dtype=np.int64)
    if s.kind == kinds.MATCHINGS:
        n = _number_alternating(data, s.x, s.y, number)
    elif s.kind == kinds.PATHS:
        n = _number_detours(data, s.x, s.y, number)
    else:
        return
    best = _most_plausible(s.rewards, s.bonuses, s.x, number, n)
    if n < 2 or best < 0:
        return
    for i in range(len(number)):
        s.y[i] = s.x[i] != (number[i] == best)
    meet(s, slot, -1)
    copy_row(s.rows[slot], s.y)


@kernel
def _most_plausible(rewards: FloatArray, bonuses: FloatArray, x: BoolArray, number: IntArray, n: int) -> int:
    """Number of the cycle of largest ``sqrt(c) - D``, -1 if there is none."""
    gaps, gains = np.zeros(n), np.zeros(n)
    for i in range(len(number)):
        k = number[i]
        if k >= 0:
            gaps[k] += rewards[i] if x[i] else -rewards[i]
            gains[k] += 0.0 if x[i] else bonuses[i]
    best = -1
    for k in range(n):
        if best < 0 or math.sqrt(gains[k]) - gaps[k] > math.sqrt(gains[best]) - gaps[best]:
            best = k
    return best


@kernel
def _root(parent: IntArray, v: int) -> int:
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@kernel
def _number_alternating(data: tuple[IntArray, ...], x: BoolArray, y: BoolArray, number: IntArray) -> int:
    """Number the components of the symmetric difference of two matchings; how many there are."""
    ptr, others, items = data[0], data[1], data[2]
    rows = len(ptr) - 1
    parent = np.arange(rows + data[3][0])
    for r in range(rows):
        for k in range(ptr[r], ptr[r + 1]):
            if x[items[k]] != y[items[k]]:
                parent[_root(parent, rows + others[k])] = _root(parent, r)
    of_root, n = np.full(len(parent), -1, dtype=np.int64), 0
    for r in range(rows):
        for k in range(ptr[r], ptr[r + 1]):
            if x[items[k]] != y[items[k]]:
                root = _root(parent, r)
                if of_root[root] < 0:
                    of_root[root] = n
                    n += 1
                number[items[k]] = of_root[root]
    return n


@kernel
def _number_detours(data: tuple[IntArray, ...], x: BoolArray, y: BoolArray, number: IntArray) -> int:
    """Number the stretches between nodes that two paths share, where they differ; how many there are."""
    out_ptr, out_heads, out_items = data[3], data[4], data[5]
    last = len(out_ptr) - 2
    u = v = n = 0
    # One step at a time, on the path that is behind: nodes are in topological order, so that they meet at every shared node.
    while u != last or v != last:
        on_x = u <= v
        at, chosen = (u, x) if on_x else (v, y)
        apart = u != v
        k = out_ptr[at]
        while not chosen[out_items[k]]:
            k += 1
        item, head = out_items[k], out_heads[k]
        if not apart and x[item] and y[item]:
            u = v = head
            continue
        number[item] = n
        if on_x:
            u = head
        else:
            v = head
        if u == v:
            n += 1
    return n
