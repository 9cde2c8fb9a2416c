"""Single swaps of the bases of matroids; data: the three arrays of a packed matroid, and its kind, see ``oracles/kinds.py``.

Sets of a given size have kernels of their own, which need no list of swaps, since any item may replace any other.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.matroids.uniform import uniform_exchanges
from semibandits.kernels.oracles.exchanges import exchanges
from semibandits.kernels.oracles.pointers import KNOWN, Basis, Swaps

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
def bases_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Bases of a packed matroid."""
    members = np.flatnonzero(x)
    _, allowed = exchanges(data[3][0], data[0], data[1], data[2], len(x), members)
    return exchange_costs_by_swaps(members, allowed, weights, forced, exchange_costs)


@kernel
def bases_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """Bases of a packed matroid."""
    members = np.flatnonzero(basis.x)
    _, allowed = exchanges(data[3][0], data[0], data[1], data[2], len(basis.x), members)
    return look_at_swaps(members, allowed, basis, swaps)
