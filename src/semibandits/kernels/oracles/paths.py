"""Paths in a DAG: data = in_ptr, in_tails, in_items, out_ptr, out_heads, out_items, (m,), as in `kernels.graphs.dag`. See
``oracles/pointers.py``.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.graphs.dag import longest_path_into
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.pointers import KNOWN
from semibandits.kernels.oracles.status import ANSWERED


@kernel
def paths_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest path, by dynamic programming."""
    longest_path_into(weights, data[0], data[1], data[2], x)
    return ANSWERED


@kernel
def paths_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Compare with the heaviest path through an arc, and the heaviest one that crosses the cut behind a node by another arc.

    Nodes are in topological order, so every path crosses each cut between consecutive nodes once. A path that avoids the arc by
    which x leaves a node crosses the cut behind that node by another arc.
    """
    exchange_costs[:] = np.inf
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
                exchange_costs[i] = before[n - 1] - through if forced[i] == 0 else np.inf
                at = following[v]
                while at < head:
                    detour[at] = max(detour[at], through)
                    at = following[at + 1]
    for v in range(n):
        if step[v] >= 0 and forced[step[v]] == 0:
            exchange_costs[step[v]] = before[n - 1] - detour[v]
    return KNOWN


@kernel
def paths_cycles(data: tuple[IntArray, ...], x: BoolArray, y: BoolArray, number: IntArray) -> int:
    """The stretches between nodes that two paths share, where they differ."""
    out_ptr, out_heads, out_items = data[3], data[4], data[5]
    last = len(out_ptr) - 2
    u = v = n = 0
    # Always advance the path that is behind: nodes are in topological order, so the paths meet at every shared node.
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
