"""Simple paths in any graph, for costs that are known to be at least `least` >= 0.

data = out_ptr, out_ends, out_items, in_ptr, in_ends, in_items, numbers; arcs are grouped as in `kernels.dijkstra`. The numbers
are the source, the target, and as the bits of floats the least cost of each item and of a path from each node to the target.
Weights are minus costs; they are clipped, so that no cost is below the least one.

The index of P_IM is the largest mean that a route can have if the means of its items are raised together: ``rewards·x`` plus the
largest sum of raises e_i >= 0 with ``sum of e_i^2 / bonuses_i <= 1`` that lift no mean above minus its least cost. Without that
limit the sum is sqrt(bonuses·x). The largest index is found by Lagrangian relaxation: at each price p of a squared raise,

    p + max over routes of the sum of rewards_i + max over raises of (e - p e^2 / bonuses_i)

bounds the index of all routes, and takes one shortest path. The gap that remains at the best price is closed by enumerating the
routes in order of their lengths at that price.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.dag import ArcGroups
from semibandits.kernels.dijkstra import shortest_path_into
from semibandits.kernels.index.problem import FAILED, PRECISION, SOLVED, STOPPED, IndexProblem
from semibandits.kernels.index.search import BOUND, SLOPE, SPENT
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.ranked_paths import ranked_paths
from semibandits.kernels.signals import interrupted
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

LARGEST_COST = 1e100
"""Larger costs are replaced by this one, so that sums along paths are finite."""
STEPS = 60
"""Prices that a search tries at most."""
NARROW = 1e-9
"""Relative width at which the best price counts as found."""
FIRST_RANKED, GROWTH = 8, 4
"""Routes ranked at first, and the factor by which their number grows."""


class RoadNetwork(NamedTuple):
    """The decision set, unpacked from `data`."""

    out: ArcGroups
    into: ArcGroups
    source: int
    target: int
    least: FloatArray
    ahead: FloatArray


@kernel
def road_network(data: tuple[IntArray, ...], d: int) -> RoadNetwork:
    """The decision set of d items."""
    bits = data[6]
    return RoadNetwork(
        ArcGroups(data[0], data[1], data[2]), ArcGroups(data[3], data[4], data[5]), bits[0], bits[1],
        bits[2 : 2 + d].view(np.float64), bits[2 + d :].view(np.float64),
    )  # fmt: skip


@kernel
def clip_costs(costs: FloatArray, least: FloatArray) -> float:
    """Raise costs to the least ones; the smallest ratio of a cost to its least one, or 1e100 if that is smaller."""
    share = LARGEST_COST
    for i in range(len(costs)):
        costs[i] = min(max(costs[i], least[i]), LARGEST_COST)
        if costs[i] < share * least[i]:
            share = costs[i] / least[i]
    return share


@kernel
def routes_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Shortest path at the costs that the weights stand for."""
    network = road_network(data, len(weights))
    costs = -weights
    share = clip_costs(costs, network.least)
    length = shortest_path_into(network.out, costs, network.ahead, share, network.source, network.target, x)
    return ANSWERED if length < np.inf else UNANSWERED


@kernel
def raised(costs: FloatArray, least: FloatArray, bonuses: FloatArray, x: BoolArray) -> float:
    """The largest sum of raises of the items of x: water filling, ``e_i = min(limit_i, t bonuses_i)``."""
    t = 0.0
    while True:
        spent, rest, total, free = 1.0, 0.0, 0.0, False
        for i in range(len(x)):
            if x[i] and bonuses[i] > 0.0:
                limit = costs[i] - least[i]
                if limit <= t * bonuses[i]:
                    spent -= limit * limit / bonuses[i]
                    total += limit
                else:
                    rest += bonuses[i]
                    free = True
        if not free or spent <= 0.0:
            return total + t * rest
        following = math.sqrt(spent / rest)
        if following <= t * (1.0 + 1e-14):
            return total + t * rest
        t = following


@kernel
def priced(costs: FloatArray, least: FloatArray, bonuses: FloatArray, price: float, lowered: FloatArray) -> None:
    """Write the costs less what the best raises of single items gain at the price of a squared raise."""
    for i in range(len(costs)):
        limit = costs[i] - least[i]
        if bonuses[i] > 0.0 and limit > 0.0:
            e = min(limit, 0.5 * bonuses[i] / price)
            lowered[i] = max(costs[i] - e * (1.0 - price * e / bonuses[i]), least[i])
        else:
            lowered[i] = costs[i]


@kernel
def excess(costs: FloatArray, least: FloatArray, bonuses: FloatArray, price: float, x: BoolArray) -> float:
    """By how much the squared raises that the price suggests exceed 1 over x."""
    total = -1.0
    for i in range(len(x)):
        if x[i] and bonuses[i] > 0.0:
            e = min(costs[i] - least[i], 0.5 * bonuses[i] / price)
            total += e * e / bonuses[i]
    return total


@kernel
def length_of(costs: FloatArray, x: BoolArray) -> float:
    """Sum of the costs of x."""
    total = 0.0
    for i in range(len(x)):
        if x[i]:
            total += costs[i]
    return total


@kernel(calls=True)
def routes_index(
    family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray, report: FloatArray
) -> int:
    """Write a route of largest index into `x`, see ``search.index_search``."""
    d, bonuses = len(x), problem.bonuses
    network, costs, lowered, y = road_network(data, d), np.empty(d), np.empty(d), np.empty(d, dtype=np.bool_)
    least, is_gain = network.least, problem.share < 1.0
    for i in range(d):
        costs[i] = min(max(-problem.rewards[i], least[i]), LARGEST_COST)
    base = best = -np.inf
    largest = 0.0
    for i in range(d):
        largest = max(largest, bonuses[i])
    if is_gain:
        base = best = raised(costs, least, bonuses, x) / problem.ratio - length_of(costs, x)
        value = raised(costs, least, bonuses, problem.guess) / problem.ratio - length_of(costs, problem.guess)
        if value > best:
            best = value
            x[:] = problem.guess
    elif largest == 0.0:
        report[BOUND], report[SLOPE], report[SPENT] = np.inf, 0.0, 1.0
        return SOLVED if routes_linear(data, problem.rewards, x) == ANSWERED else FAILED
    low, high, price = 0.0, np.inf, 0.25 / problem.hint if 0.0 < problem.hint < np.inf else 0.0
    if price == 0.0:
        shortest = shortest_path_into(network.out, costs, network.ahead, 1.0, network.source, network.target, y)
        price = 0.5 * math.sqrt(max(length_of(bonuses, y), 1e-3 * largest))
    bound, best_price, calls, first_price = np.inf, price, 0, price
    for _ in range(STEPS):
        priced(costs, least, bonuses, price, lowered)
        shortest = shortest_path_into(network.out, lowered, network.ahead, 1.0, network.source, network.target, y)
        calls += 1
        if shortest == np.inf or interrupted():
            return FAILED
        if price - shortest < bound:
            bound, best_price = price - shortest, price
        value = raised(costs, least, bonuses, y) / problem.ratio - length_of(costs, y)
        if value > best:
            best = value
            x[:] = y
        closing = PRECISION * (length_of(costs, y) + first_price + abs(best))
        if bound <= best + closing or (is_gain and best > base + max(problem.share * (bound - base), closing)):
            report[BOUND], report[SLOPE], report[SPENT] = max(bound, best), 0.25 / best_price, calls
            return SOLVED
        if excess(costs, least, bonuses, price, y) > 0.0:
            low = price
        else:
            high = price
        if calls >= problem.budget or high - low <= NARROW * high:
            break
        price = 2.0 * low if high == np.inf else math.sqrt(max(low, 1e-6 * high) * high)
    report[BOUND], report[SLOPE], report[SPENT] = bound, 0.25 / best_price, calls
    if is_gain and best > base + closing:
        return SOLVED
    return _ranked(network, costs, bonuses, problem, (best, base, best_price, closing), x, report)


@kernel(calls=True)
def _ranked(
    network: RoadNetwork, costs: FloatArray, bonuses: FloatArray, problem: IndexProblem,
    known: tuple[float, float, float, float], x: BoolArray, report: FloatArray,
) -> int:  # fmt: skip
    """Go through the routes in order of their lengths at the best price, until no other one can be better."""
    best, base, price, closing = known
    lowered, y, is_gain = np.empty(len(x)), np.zeros(len(x), dtype=np.bool_), problem.share < 1.0
    priced(costs, network.least, bonuses, price, lowered)
    most, seen = FIRST_RANKED, 0
    while True:
        left = int(problem.budget - np.int64(report[SPENT]))
        if left <= 0:
            return STOPPED
        ends = (network.source, network.target)
        ranking = ranked_paths(network.out, network.into, lowered, ends, most, price - best - closing, left)
        report[SPENT] += ranking.searches
        if interrupted():
            return FAILED
        count = len(ranking.lengths)
        for p in range(seen, count):
            y[:] = False
            for k in range(ranking.ptr[p], ranking.ptr[p + 1]):
                y[network.out.items[ranking.places[k]]] = True
            value = raised(costs, network.least, bonuses, y) / problem.ratio - length_of(costs, y)
            if value > best:
                best = value
                x[:] = y
            if (is_gain and best > base + closing) or price - ranking.lengths[p] <= best + closing:
                report[BOUND] = max(best, price - ranking.lengths[p])
                return SOLVED
        if ranking.complete and count < most:
            report[BOUND] = best + closing
            return SOLVED
        if not ranking.complete:
            report[BOUND] = min(report[BOUND], price - ranking.lengths[count - 1]) if count > 0 else report[BOUND]
            return STOPPED
        seen, most = count, most * GROWTH
