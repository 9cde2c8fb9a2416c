"""Simple paths in any graph, for costs that are known to be at least `least` >= 0.

data = out_ptr, out_ends, out_items, in_ptr, in_ends, in_items, numbers; arcs are grouped as in `graphs.dijkstra`. The numbers are
the source, the target, and as the bits of floats the least cost of each item and of a path from each node to the target.
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

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.graphs.dijkstra import shortest_path_into
from semibandits.kernels.graphs.ranked_paths import ranked_paths
from semibandits.kernels.machine.signals import interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.search.branch_and_bound import BOUND, SLOPE, SPENT
from semibandits.kernels.search.detours import plausible_route
from semibandits.kernels.search.problem import FAILED, PRECISION, SOLVED, STOPPED, IndexProblem
from semibandits.kernels.search.route_raises import RoadNetwork, length_of, priced, raises_of, road_network

LARGEST_COST = 1e100
"""Upper limit of costs, so that sums along paths are finite. `Routes` refuses larger ones; kernels clip estimates."""
STEPS = 60
"""Prices that a search tries at most."""
SMALLEST_PRICE = 1e-200
"""Squares of raises at smaller prices are too small for floats."""
SMALLEST_PRODUCT = 1e-290
"""Smaller products of two prices lose digits."""
NARROW = 1e-9
"""Relative width at which the best price counts as found."""
FIRST_RANKED, GROWTH = 8, 4
"""Routes ranked at first, and the factor by which their number grows."""


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


@kernel(calls=True)
def routes_index(
    family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray, report: FloatArray
) -> int:
    """Write a route of largest index into `x`, see ``search.index_search``."""
    d, bonuses, largest = len(x), problem.bonuses, 0.0
    network, costs = road_network(data, d), np.empty(d)
    for i in range(d):
        costs[i] = min(max(-problem.rewards[i], network.least[i]), LARGEST_COST)
        largest = max(largest, bonuses[i])
    if problem.share < 1.0:
        return plausible_route(network, costs, problem, x, report)
    if largest == 0.0:
        report[BOUND], report[SLOPE], report[SPENT] = np.inf, 0.0, 1.0
        return SOLVED if routes_linear(data, problem.rewards, x) == ANSWERED else FAILED
    return _largest_index(network, costs, largest, problem, x, report)


@kernel
def write_priced(network: RoadNetwork, costs: FloatArray, bonuses: FloatArray, price: float, lowered: FloatArray) -> None:
    """Write what all items cost at the price of a squared raise."""
    for i in range(len(costs)):
        lowered[i] = priced(costs[i], network.least[i], bonuses[i], price)


@kernel
def excess(costs: FloatArray, least: FloatArray, bonuses: FloatArray, price: float, items: IntArray) -> float:
    """By how much the squared raises that the price suggests exceed 1 over these items."""
    total = -1.0
    for i in items:
        if bonuses[i] > 0.0:
            e = min(costs[i] - least[i], 0.5 * bonuses[i] / price)
            total += e * e / bonuses[i]
    return total


@kernel
def _middle(low: float, high: float) -> float:
    """The geometric mean, also where the product is too small for a float."""
    product = low * high
    return math.sqrt(product) if product > SMALLEST_PRODUCT else math.sqrt(low) * math.sqrt(high)


@kernel(inline="always")
def _largest_index(
    network: RoadNetwork, costs: FloatArray, largest: float, problem: IndexProblem, x: BoolArray, report: FloatArray
) -> int:
    """Search for the best price, then through the routes in order of their lengths at that price."""
    least, bonuses, lowered, y = network.least, problem.bonuses, np.empty(len(x)), np.empty(len(x), dtype=np.bool_)
    low, high, price = 0.0, np.inf, 0.25 / problem.hint if 0.0 < problem.hint < np.inf else 0.0
    if price == 0.0:
        shortest_path_into(network.out, costs, network.ahead, 1.0, network.source, network.target, y)
        price = 0.5 * math.sqrt(max(length_of(bonuses, np.flatnonzero(y)), 1e-3 * largest))
        price = price if price > 0.0 else math.sqrt(largest)  # 1e-3 * largest may be too small for a float
    best, bound, best_price, calls, first_price = -np.inf, np.inf, price, 0, price
    for _ in range(STEPS):
        write_priced(network, costs, bonuses, price, lowered)
        shortest = shortest_path_into(network.out, lowered, network.ahead, 1.0, network.source, network.target, y)
        calls += 1
        if shortest == np.inf or interrupted():
            return FAILED
        if price - shortest < bound:
            bound, best_price = price - shortest, price
        items: IntArray = np.flatnonzero(y)
        length = length_of(costs, items)
        value = raises_of(costs, least, bonuses, items).total / problem.ratio - length
        if value > best:
            best = value
            write(x, y)
        closing = PRECISION * (length + first_price + abs(best))
        if bound <= best + closing:
            report[BOUND], report[SLOPE], report[SPENT] = max(bound, best), 0.25 / best_price, calls
            return SOLVED
        if excess(costs, least, bonuses, price, items) > 0.0:
            low = price
        else:
            high = price
        if calls >= problem.budget or high - low <= NARROW * high or high < SMALLEST_PRICE:
            break
        price = 2.0 * low if high == np.inf else _middle(max(low, 1e-6 * high), high)
    report[BOUND], report[SLOPE], report[SPENT] = bound, 0.25 / best_price, calls
    return _ranked(network, costs, problem, (best, best_price, closing), x, report)


@kernel(inline="always")
def _ranked(
    network: RoadNetwork, costs: FloatArray, problem: IndexProblem, known: tuple[float, float, float], x: BoolArray,
    report: FloatArray,
) -> int:  # fmt: skip
    """Go through the routes in order of their lengths at the best price, until no other one can be better."""
    (best, price, closing), lowered = known, np.empty(len(x))
    write_priced(network, costs, problem.bonuses, price, lowered)
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
            items = network.out.items[ranking.places[ranking.ptr[p] : ranking.ptr[p + 1]]]
            value = raises_of(costs, network.least, problem.bonuses, items).total / problem.ratio
            value -= length_of(costs, items)
            if value > best:
                best = value
                x[:] = False
                x[items] = True
            if price - ranking.lengths[p] <= best + closing:
                report[BOUND] = max(best, price - ranking.lengths[p])
                return SOLVED
        if ranking.complete and count < most:
            report[BOUND] = best + closing
            return SOLVED
        if count > 0:  # the routes that are not listed are no shorter than the last one
            report[BOUND] = min(report[BOUND], price - ranking.lengths[count - 1])
        if not ranking.complete:
            return STOPPED
        seen, most = count, most * GROWTH
