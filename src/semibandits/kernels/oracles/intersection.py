"""Intersections of two matroids; data: (kind 1, kind 2, size), then the three arrays of each packed matroid."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.exchange import shortest_walks
from semibandits.kernels.matroid_intersection import FAR
from semibandits.kernels.oracles.exchanges import exchanges
from semibandits.kernels.oracles.pointers import KNOWN
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.outliers import without_outliers
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

BITS = 45
"""Weights are rounded to integers of this many bits, so that sums are exact and ties are preserved."""
ROUNDING = 2.0 ** (1 - BITS)
"""Bound on the resulting error of a weight, as a share of the largest weight."""


@kernel
def as_integers(weights: FloatArray) -> IntArray:
    """``weights * 2**shift`` rounded to integers, with the shift for which the largest has ``BITS`` bits."""
    largest = 0.0
    for w in weights:
        largest = max(largest, abs(w))
    shift = BITS - math.frexp(largest)[1]
    integers = np.empty(len(weights), dtype=np.int64)
    for i in range(len(weights)):
        integers[i] = np.int64(np.rint(math.ldexp(weights[i], shift)))
    return integers


class Exchanges(NamedTuple):
    """Ways to change an independent set of k members by one item, as in ``Matroid.exchanges``."""

    free: BoolArray
    swaps: BoolArray


class Paths(NamedTuple):
    """Cheapest known paths to the items, (d,), and to the members, (k,).

    ``cost[z]`` and ``arcs[z]`` are the cost and the number of arcs of the path to item z; ``via[z]`` is the position of the last
    member on it, -1 if it starts at z. ``via_in[a]`` is the last item on the path to the member at position a.
    """

    cost: IntArray
    arcs: IntArray
    via: IntArray
    via_in: IntArray


@kernel
def augment(weights: IntArray, members: IntArray, first: Exchanges, second: Exchanges, x: BoolArray, paths: Paths) -> bool:
    """Change x along a cheapest path with the fewest arcs; False if there are no paths. `paths` is overwritten.

    The path is that of ``kernels.matroid_intersection.augmenting_path``, which also accepts exchanges of other set systems. For
    matroids and a heaviest set all cycles cost 0 or more. Hence a cheapest way to an item that is free in the first one starts
    there, and a cheapest path with the fewest arcs ends at the first item that is free in the second: longer paths need not be
    considered.
    """
    cost, arcs, via, via_in = paths.cost, paths.arcs, paths.via, paths.via_in
    k, d = first.swaps.shape
    cost_in, is_active = np.full(k, FAR), np.zeros(k, dtype=np.bool_)
    fresh, targets = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.int64)
    n_fresh = n_targets = 0
    for z in range(d):
        cost[z], arcs[z], via[z] = -weights[z] if first.free[z] else FAR, 0, -1
        if first.free[z] and not second.free[z]:
            fresh[n_fresh] = z
            n_fresh += 1
        if not first.free[z] and not x[z]:
            targets[n_targets] = z
            n_targets += 1
    sweeps = 0
    while n_fresh > 0 and sweeps <= k:
        sweeps += 1
        for z in fresh[:n_fresh]:
            for a in range(k):
                if second.swaps[a, z] and cost[z] + weights[members[a]] < cost_in[a]:
                    cost_in[a], via_in[a], is_active[a] = cost[z] + weights[members[a]], z, True
        for a in range(k):
            if not is_active[a]:
                continue
            is_active[a] = False
            for z in targets[:n_targets]:
                if first.swaps[a, z] and cost_in[a] - weights[z] < cost[z]:
                    cost[z], arcs[z], via[z] = cost_in[a] - weights[z], 2 * sweeps, a
        n_fresh = 0
        for z in targets[:n_targets]:
            if arcs[z] == 2 * sweeps and not second.free[z]:
                fresh[n_fresh] = z
                n_fresh += 1
    return change(members, second.free, paths, x)


@kernel
def change(members: IntArray, free2: BoolArray, paths: Paths, x: BoolArray) -> bool:
    """Change x along the best of the paths that end at an item free in the second matroid; False if there are no paths."""
    end = -1
    for z in range(len(x)):
        better = (
            end < 0 or paths.cost[z] < paths.cost[end] or (paths.cost[z] == paths.cost[end] and paths.arcs[z] < paths.arcs[end])
        )
        if free2[z] and paths.cost[z] < FAR and better:
            end = z
    if end < 0:
        return False
    while paths.via[end] >= 0:
        x[end] = True
        x[members[paths.via[end]]] = False
        end = paths.via_in[paths.via[end]]
    x[end] = True
    return True


@kernel
def intersection_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest common independent set of the given size, along shortest augmenting paths; see also `without_outliers`."""
    status = _heaviest(data, as_integers(weights), x)
    usual = without_outliers(weights, x, data[0][2])
    if status == ANSWERED and usual.min() > weights.min():
        status = _heaviest(data, as_integers(usual), x)
    return status


@kernel
def _heaviest(data: tuple[IntArray, ...], integers: IntArray, x: BoolArray) -> int:
    d = len(integers)
    room = np.empty((4, d), dtype=np.int64)
    paths = Paths(room[0], room[1], room[2], room[3])
    x[:] = False
    for _ in range(data[0][2]):
        members = np.flatnonzero(x)
        free1, swaps1 = exchanges(data[0][0], data[1], data[2], data[3], d, members)
        free2, swaps2 = exchanges(data[0][1], data[4], data[5], data[6], d, members)
        if not augment(integers, members, Exchanges(free1, swaps1), Exchanges(free2, swaps2), x, paths):
            return UNANSWERED
    return ANSWERED


@kernel
def intersection_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """See ``oracles/pointers.py``."""
    d, members = len(x), np.flatnonzero(x)
    _, swaps1 = exchanges(data[0][0], data[1], data[2], data[3], d, members)
    _, swaps2 = exchanges(data[0][1], data[4], data[5], data[6], d, members)
    return exchange_costs_in_both(swaps1, swaps2, weights, x, forced, exchange_costs)


@kernel
def exchange_costs_in_both(
    swaps1: BoolArray, swaps2: BoolArray, weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Write exchange costs; item z leads from the members that it can replace in the first matroid to those in the second."""
    exchange_costs[:] = np.inf
    members = np.flatnonzero(x)
    k = len(members)
    walks = np.full((k, k), np.inf)
    tails, heads = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for z in range(len(exchange_costs)):
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
            exchange_costs[members[a]] = min(exchange_costs[members[a]], walks[a, b] + lengths[b, a])
    for z in range(len(exchange_costs)):
        n_tails, n_heads = _ends(z, swaps1, swaps2, members, forced, tails, heads)
        for i in range(n_tails):
            a = tails[i]
            cost = weights[members[a]] - weights[z]
            for j in range(n_heads):
                exchange_costs[z] = min(exchange_costs[z], cost + lengths[heads[j], a])
    largest = 0.0
    for w in without_outliers(weights, x, k):
        largest = max(largest, abs(w))
    exchange_costs -= ROUNDING * k * largest
    return KNOWN


@kernel
def _ends(
    z: int, swaps1: BoolArray, swaps2: BoolArray, members: IntArray, forced: IntArray, tails: IntArray, heads: IntArray
) -> tuple[int, int]:
    """Write the free members that item z can replace in the first and in the second matroid; return how many there are."""
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
