"""Intersections of two matroids; data: (kind 1, kind 2, size), then the three arrays of each packed matroid."""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.graphs.exchange import shortest_walks
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray, runtime_constant
from semibandits.kernels.matroids.intersection import CHANGED, Exchanges, augment, new_paths
from semibandits.kernels.oracles.exchanges import exchanges
from semibandits.kernels.oracles.pointers import KNOWN
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.search.outliers import without_outliers

BITS = 45
"""Weights are rounded to integers of this many bits, so that sums are exact and ties are preserved."""
NOT_EVERYWHERE = runtime_constant(False)
ROUNDING = 2.0 ** (1 - BITS)
"""Bound on the resulting error of a weight, as a share of the largest weight."""


@kernel
def as_integers(weights: FloatArray) -> tuple[IntArray, int]:
    """``weights * 2**shift`` rounded to integers, and the shift, for which the largest has ``BITS`` bits."""
    largest = 0.0
    for w in weights:
        largest = max(largest, abs(w))
    shift = BITS - math.frexp(largest)[1]
    integers = np.empty(len(weights), dtype=np.int64)
    for i in range(len(weights)):
        integers[i] = np.int64(np.rint(math.ldexp(weights[i], shift)))
    return integers, shift


@kernel
def intersection_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest common independent set of the given size, along shortest augmenting paths; see also `without_outliers`."""
    status = _heaviest(data, as_integers(weights)[0], x)
    usual = without_outliers(weights, x, data[0][2])
    if status == ANSWERED and usual.min() > weights.min():
        status = _heaviest(data, as_integers(usual)[0], x)
    return status


@kernel
def _heaviest(data: tuple[IntArray, ...], integers: IntArray, x: BoolArray) -> int:
    d = len(integers)
    paths = new_paths(d)
    x[:] = False
    for _ in range(data[0][2]):
        members = np.flatnonzero(x)
        free1, swaps1 = exchanges(data[0][0], data[1], data[2], data[3], d, members)
        free2, swaps2 = exchanges(data[0][1], data[4], data[5], data[6], d, members)
        first, second = Exchanges(free1, swaps1), Exchanges(free2, swaps2)
        if augment(integers, members, first, second, x, paths, NOT_EVERYWHERE) != CHANGED:
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
