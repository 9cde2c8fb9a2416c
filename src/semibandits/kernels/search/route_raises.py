"""Routes whose means may be raised together: water filling, and what an item costs at a price of raises.

Costs c_i are known to be at least ``least_i``, so that a raise e_i of a mean reward is at most ``c_i - least_i``. Raises of a
route are limited by ``sum of e_i^2 / bonuses_i <= 1``. Items without a bonus are not raised.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray

LEAST_BONUS = 1e-307
"""Smaller bonuses count as 0: their inverses are too large for floats."""


class RoadNetwork(NamedTuple):
    """Routes, unpacked from the data of their oracle."""

    # Arcs grouped by their tails and by their heads.
    out: ArcGroups
    into: ArcGroups
    # The ends of the routes.
    source: int
    target: int
    least: FloatArray  # (d,): least cost of each item
    ahead: FloatArray  # (n,): length of a shortest path from each node to the target at the least costs


class Raises(NamedTuple):
    """The largest sum of raises of some items."""

    total: float  # the sum
    level: float  # the raises are min(limit_i, level * bonuses_i)
    unspent: float  # 1 minus the sum of squared raises over bonuses; above 0 only if every raise reaches its limit


@kernel
def road_network(data: tuple[IntArray, ...], d: int) -> RoadNetwork:
    """The routes over d items."""
    bits = data[6]
    return RoadNetwork(
        ArcGroups(data[0], data[1], data[2]), ArcGroups(data[3], data[4], data[5]), bits[0], bits[1],
        bits[2 : 2 + d].view(np.float64), bits[2 + d :].view(np.float64),
    )  # fmt: skip


@kernel
def raises_of(costs: FloatArray, least: FloatArray, bonuses: FloatArray, items: IntArray) -> Raises:
    """The largest sum of raises of these items, by water filling."""
    level = 0.0
    while True:
        unspent, rest, total, is_free = 1.0, 0.0, 0.0, False
        for i in items:
            if bonuses[i] > LEAST_BONUS:
                limit = costs[i] - least[i]
                if limit <= level * bonuses[i]:
                    unspent -= limit * limit / bonuses[i]
                    total += limit
                else:
                    rest += bonuses[i]
                    is_free = True
        if not is_free or unspent <= 0.0:
            return Raises(total + level * rest, level, max(unspent, 0.0))
        following = math.sqrt(unspent / rest)
        if following <= level * (1.0 + 1e-14):
            return Raises(total + level * rest, level, 0.0)
        level = following


@kernel(inline="always")
def priced(cost: float, least: float, bonus: float, price: float) -> float:
    """A cost less what the best raise e of the item gains at this price of ``e^2 / bonus``."""
    limit = cost - least
    if bonus > 0.0 and limit > 0.0:
        e = min(limit, 0.5 * bonus / price)
        return float(max(cost - e * (1.0 - price * e / bonus), least))
    return float(cost)


@kernel
def length_of(costs: FloatArray, items: IntArray) -> float:
    """Sum of the costs of these items."""
    total = 0.0
    for i in items:
        total += costs[i]
    return total
