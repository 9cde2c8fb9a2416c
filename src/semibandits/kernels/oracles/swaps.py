"""Single swaps of the bases of matroids; data as in ``oracles/greedy.py``.

What swaps there are is the matroid's own; what follows from them is the same for all, but for sets of a given size, where any
item may replace any other and nothing needs to be listed.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.elimination import binary_exchanges
from semibandits.kernels.forests import forest_exchanges
from semibandits.kernels.laminar import laminar_exchanges
from semibandits.kernels.matroids import partition_exchanges, uniform_exchanges
from semibandits.kernels.oracles.pointers import KNOWN
from semibandits.kernels.tiers import kernel
from semibandits.kernels.transversal import transversal_exchanges
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

SAFETY = 1e-15
"""Differences of bonuses are raised by this times the numbers subtracted: they may round down, and the root is steep at 0."""


@kernel
def exchange_costs_by_swaps(
    members: IntArray, allowed: BoolArray, weights: FloatArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Losses where ``allowed[k, i]`` says whether item i can replace the k-th member; see ``oracles/pointers.py``."""
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
def look_at_swaps(
    members: IntArray, allowed: BoolArray, rewards: FloatArray, bonuses: FloatArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Gap (inf: cannot enter) and gain of each item, and the items that enter and leave in the best swap, -1 if there is none."""
    gaps[:], gains[:], swap[:] = np.inf, 0.0, -1
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
            value = a - loss + math.sqrt(c + gain) / ratio
            if value > best:
                best, swap[0], swap[1] = value, i, j
    return KNOWN


@kernel
def uniform_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Sets of a given size: the lightest member and the heaviest other item tell all."""
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
def uniform_swaps(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Sets of a given size: around one without bonus the member of least reward leaves for every item."""
    if c > 0.0:
        members = np.flatnonzero(x)
        _, allowed = uniform_exchanges(len(x), data[0][0], members)
        return look_at_swaps(members, allowed, rewards, bonuses, forced, a, c, ratio, gaps, gains, swap)
    gaps[:], gains[:], swap[:] = np.inf, 0.0, -1
    leaving = -1
    for j in range(len(x)):
        if x[j] and forced[j] == 0 and (leaving < 0 or rewards[j] < rewards[leaving]):
            leaving = j
    if leaving < 0:
        return KNOWN
    best = -np.inf
    for i in range(len(x)):
        if not x[i] and forced[i] == 0:
            gaps[i], gains[i] = rewards[leaving] - rewards[i], bonuses[i]
            value = a - gaps[i] + math.sqrt(gains[i]) / ratio
            if value > best:
                best, swap[0], swap[1] = value, i, leaving
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
def partition_swaps(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Partition matroids."""
    members = np.flatnonzero(x)
    _, allowed = partition_exchanges(data[0], data[1], members)
    return look_at_swaps(members, allowed, rewards, bonuses, forced, a, c, ratio, gaps, gains, swap)


@kernel
def laminar_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Laminar matroids."""
    members = np.flatnonzero(x)
    _, allowed = laminar_exchanges(data[0], data[1], data[2], members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def laminar_swaps(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Laminar matroids."""
    members = np.flatnonzero(x)
    _, allowed = laminar_exchanges(data[0], data[1], data[2], members)
    return look_at_swaps(members, allowed, rewards, bonuses, forced, a, c, ratio, gaps, gains, swap)


@kernel
def forest_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Spanning forests."""
    members = np.flatnonzero(x)
    _, allowed = forest_exchanges(data[2][0], data[0], data[1], members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def forest_swaps(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Spanning forests."""
    members = np.flatnonzero(x)
    _, allowed = forest_exchanges(data[2][0], data[0], data[1], members)
    return look_at_swaps(members, allowed, rewards, bonuses, forced, a, c, ratio, gaps, gains, swap)


@kernel
def transversal_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Transversal matroids."""
    members = np.flatnonzero(x)
    _, allowed = transversal_exchanges(data[2][0], data[0], data[1], members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def transversal_swaps(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Transversal matroids."""
    members = np.flatnonzero(x)
    _, allowed = transversal_exchanges(data[2][0], data[0], data[1], members)
    return look_at_swaps(members, allowed, rewards, bonuses, forced, a, c, ratio, gaps, gains, swap)


@kernel
def binary_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Linear matroids over the field of two elements."""
    members = np.flatnonzero(x)
    _, allowed = binary_exchanges(data[0].view(np.uint64).reshape(data[1][0], data[1][1]), members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def binary_swaps(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Linear matroids over the field of two elements."""
    members = np.flatnonzero(x)
    _, allowed = binary_exchanges(data[0].view(np.uint64).reshape(data[1][0], data[1][1]), members)
    return look_at_swaps(members, allowed, rewards, bonuses, forced, a, c, ratio, gaps, gains, swap)
