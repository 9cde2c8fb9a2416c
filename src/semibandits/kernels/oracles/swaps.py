"""Single swaps of the bases of matroids; data as in ``oracles/greedy.py``.

Each matroid lists its swaps, and shared kernels evaluate them. Sets of a given size need no list, since any item may replace any
other.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.elimination import binary_exchanges
from semibandits.kernels.forests import forest_exchanges
from semibandits.kernels.laminar import laminar_exchanges
from semibandits.kernels.matroids import partition_exchanges, uniform_exchanges
from semibandits.kernels.oracles.pointers import KNOWN, Basis, Swaps
from semibandits.kernels.tiers import kernel
from semibandits.kernels.transversal import transversal_exchanges
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

SAFETY = 1e-15
"""Differences of bonuses are raised by this times the operands, since they may round down and the root is steep at 0."""


@kernel
def exchange_costs_by_swaps(
    members: IntArray, allowed: BoolArray, weights: FloatArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Write exchange costs where ``allowed[k, i]`` is whether item i can replace the k-th member; see ``oracles/pointers.py``."""
    exchange_costs[:] = np.inf
    for position in range(len(members)):
        j = members[position]
        if forced[j] != 0:
            continue
        weight, least, enters = weights[j], exchange_costs[j], allowed[position]
        for i in range(len(exchange_costs)):
            if enters[i] and forced[i] == 0:
                loss = weight - weights[i]
                least = min(least, loss)
                if loss < exchange_costs[i]:
                    exchange_costs[i] = loss
        exchange_costs[j] = least
    return KNOWN


@kernel
def look_at_swaps(members: IntArray, allowed: BoolArray, basis: Basis, swaps: Swaps) -> int:
    """Write the swaps where ``allowed[k, i]`` is whether item i can replace the k-th member."""
    rewards, bonuses, forced, a, c = basis.rewards, basis.bonuses, basis.forced, basis.a, basis.c
    gaps, gains = swaps.gaps, swaps.gains
    gaps[:], gains[:], swaps.best[:] = np.inf, 0.0, -1
    best, safety = -np.inf, SAFETY * len(members)
    for position in range(len(members)):
        j = members[position]
        if forced[j] != 0:
            continue
        reward, bonus, enters = rewards[j], bonuses[j], allowed[position]
        for i in range(len(gaps)):
            if not enters[i] or forced[i] != 0:
                continue
            loss, other = reward - rewards[i], bonuses[i]
            gain = max(other - bonus + safety * (c + other), -c)
            if loss < gaps[i]:
                gaps[i] = loss
            if gain > gains[i]:
                gains[i] = gain
            value = a - loss + math.sqrt(c + gain) / basis.ratio
            if value > best:
                best, swaps.best[0], swaps.best[1] = value, i, j
    return KNOWN


@kernel
def uniform_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Sets of a given size: only the lightest member and the heaviest other item matter."""
    inside, outside = np.inf, -np.inf
    for i in range(len(x)):
        if forced[i] == 0:
            if x[i]:
                inside = min(inside, weights[i])
            else:
                outside = max(outside, weights[i])
    for i in range(len(x)):
        exchange_costs[i] = weights[i] - outside if x[i] else inside - weights[i]
    return KNOWN


@kernel
def uniform_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """Sets of a given size: if the bonus of x is 0, the member of least reward leaves for every item."""
    x, rewards, forced = basis.x, basis.rewards, basis.forced
    if basis.c > 0.0:
        members = np.flatnonzero(x)
        _, allowed = uniform_exchanges(len(x), data[0][0], members)
        return look_at_swaps(members, allowed, basis, swaps)
    gaps, gains = swaps.gaps, swaps.gains
    gaps[:], gains[:], swaps.best[:] = np.inf, 0.0, -1
    leaving = -1
    for j in range(len(x)):
        if x[j] and forced[j] == 0 and (leaving < 0 or rewards[j] < rewards[leaving]):
            leaving = j
    if leaving < 0:
        return KNOWN
    best = -np.inf
    for i in range(len(x)):
        if not x[i] and forced[i] == 0:
            gaps[i], gains[i] = rewards[leaving] - rewards[i], basis.bonuses[i]
            value = basis.a - gaps[i] + math.sqrt(gains[i]) / basis.ratio
            if value > best:
                best, swaps.best[0], swaps.best[1] = value, i, leaving
    return KNOWN


@kernel
def partition_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Partition matroids."""
    members = np.flatnonzero(x)
    _, allowed = partition_exchanges(data[0], data[1], members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def partition_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """Partition matroids."""
    members = np.flatnonzero(basis.x)
    _, allowed = partition_exchanges(data[0], data[1], members)
    return look_at_swaps(members, allowed, basis, swaps)


@kernel
def laminar_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Laminar matroids."""
    members = np.flatnonzero(x)
    _, allowed = laminar_exchanges(data[0], data[1], data[2], members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def laminar_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """Laminar matroids."""
    members = np.flatnonzero(basis.x)
    _, allowed = laminar_exchanges(data[0], data[1], data[2], members)
    return look_at_swaps(members, allowed, basis, swaps)


@kernel
def forest_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Spanning forests."""
    members = np.flatnonzero(x)
    _, allowed = forest_exchanges(data[2][0], data[0], data[1], members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def forest_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """Spanning forests."""
    members = np.flatnonzero(basis.x)
    _, allowed = forest_exchanges(data[2][0], data[0], data[1], members)
    return look_at_swaps(members, allowed, basis, swaps)


@kernel
def transversal_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Transversal matroids."""
    members = np.flatnonzero(x)
    _, allowed = transversal_exchanges(data[2][0], data[0], data[1], members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def transversal_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """Transversal matroids."""
    members = np.flatnonzero(basis.x)
    _, allowed = transversal_exchanges(data[2][0], data[0], data[1], members)
    return look_at_swaps(members, allowed, basis, swaps)


@kernel
def binary_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Linear matroids over the field of two elements."""
    members = np.flatnonzero(x)
    _, allowed = binary_exchanges(data[0].view(np.uint64).reshape(data[1][0], data[1][1]), members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def binary_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """Linear matroids over the field of two elements."""
    members = np.flatnonzero(basis.x)
    _, allowed = binary_exchanges(data[0].view(np.uint64).reshape(data[1][0], data[1][1]), members)
    return look_at_swaps(members, allowed, basis, swaps)
