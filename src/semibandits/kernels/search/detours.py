"""Whether any route is plausible beside the best one: a search over single detours.

A route is plausible if its mean can be raised above that of the best route, the *base*, by raises e_i >= 0 of the items that
enter, with ``sum of e_i^2 / bonuses_i <= 1`` and no cost below its least one. A route consists of detours that leave the base and
come back to it. If it is plausible, the raises close the gap of one of its detours, and that detour leads forward: the cost of
one that leads back cannot be raised away. So it is enough to search single forward detours (theory R1).

At a price p of a squared raise, an item costs ``priced``, and the raises of a detour exceed its gap by at most ``p - value``: its
value is the sum of priced costs less the length of the base between its ends. Shortest paths from all nodes of the base give the
smallest value. If it is at least p, nothing is plausible. Otherwise the detour that was found is plausible, or its own price
excludes it. If prices repeat, detours are enumerated backwards from where they come back, and the shortest paths at all prices
so far exclude most of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.graphs.dijkstra import walk_of
from semibandits.kernels.graphs.heap import decrease, empty_heap, pop
from semibandits.kernels.machine.signals import interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray, runtime_constant
from semibandits.kernels.search.branch_and_bound import BOUND, SLOPE, SPENT
from semibandits.kernels.search.problem import FAILED, PRECISION, SOLVED, STOPPED, IndexProblem
from semibandits.kernels.search.route_raises import RoadNetwork, length_of, priced, raises_of

MOST_PRICES = 32
FIRST_PRICES = 8
"""Prices that are tried before detours are enumerated."""
BETTER_PRICES = 4
"""Of these, prices that are tried although a plausible detour is known."""
SAME_PRICE = 0.02
"""Prices whose ratio differs from 1 by less count as equal."""
LOWEST_PRICE = 1e-9
"""Smallest price, in units of the largest."""
STEPS_A_CALL = 256
"""Steps of the enumeration that count as one shortest path."""
SIGNAL_STEPS = 4096
"""Steps between checks for signals."""
NONE, PLAUSIBLE, NEW_PRICE, TOO_MANY = (runtime_constant(0), runtime_constant(1), runtime_constant(2), runtime_constant(3))
"""Results of an enumeration."""
PRICES, STEPS = runtime_constant(0), runtime_constant(1)
"""Places in `counts`."""


class Base(NamedTuple):
    """The best route."""

    x: BoolArray  # (d,): its items
    # Its nodes in the order of travel, shape (k + 1,), and the places of its arcs in `out`, shape (k,).
    nodes: IntArray
    places: IntArray
    order: IntArray  # (n,): number of each node along the route, -1 for other nodes
    distance: FloatArray  # (n,): length of the route up to each of its nodes


class Detour(NamedTuple):
    """A detour, whose items are the first `size` of `DetourSearch.items`; 0 if there is none.

    It leaves the base at the node `leave` and comes back at the node `back`. `value` is that at the price of the search.
    """

    size: int
    leave: int
    back: int
    value: float


class DetourSearch(NamedTuple):
    """State of a search."""

    network: RoadNetwork
    # Estimated costs, at least the least ones, and bonuses, which are 0 on the base, shape (d,).
    costs: FloatArray
    bonuses: FloatArray
    base: Base  # the best route
    closing: float  # gain up to which a detour is not plausible
    limits: tuple[float, float]  # smallest and largest price
    prices: FloatArray  # (MOST_PRICES,): prices so far
    # At each price the least sum of the base up to a node and of a way from there, shape (MOST_PRICES, n); too large only where
    # that excludes nothing.
    reached: FloatArray
    items: IntArray  # (n,): items of the last detour
    counts: IntArray  # (2,): number of prices so far, and of steps of enumerations


@kernel
def base_of(network: RoadNetwork, costs: FloatArray, x: BoolArray) -> Base:
    """The route x."""
    n = len(network.ahead)
    nodes, places = walk_of(network.out, x, network.source, network.target)
    order, distance = np.full(n, -1, dtype=np.int64), np.zeros(n)
    order[nodes[0]] = 0
    for k in range(len(places)):
        order[nodes[k + 1]] = k + 1
        distance[nodes[k + 1]] = distance[nodes[k]] + costs[network.out.items[places[k]]]
    return Base(x.copy(), nodes, places, order, distance)


@kernel
def shortest_detour(s: DetourSearch, price: float) -> Detour:
    """The detour of least value at a price, which is recorded with what each node can be reached at.

    A* search, from all nodes of the base at once. Detours that lead back are among those that the value bounds.
    """
    network, base, costs, bonuses = s.network, s.base, s.costs, s.bonuses
    out, ahead, least = network.out, network.ahead, network.least
    n, number = len(ahead), s.counts[PRICES]
    s.prices[number] = price
    s.counts[PRICES] += 1
    distance, heap = s.reached[number], empty_heap(n)
    last, before = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    distance[:] = np.inf
    for u in base.nodes:
        if u != network.target:
            distance[u] = base.distance[u]
            decrease(heap, u, distance[u] + ahead[u])
    value, tail, back, item = np.inf, -1, -1, -1
    limit = base.distance[network.target] + price
    while heap.size[0] > 0:
        u = pop(heap)
        if heap.keys[u] >= limit:
            break
        for k in range(out.ptr[u], out.ptr[u + 1]):
            i, v = out.items[k], out.ends[k]
            if base.x[i] or ahead[v] == np.inf:
                continue
            length = distance[u] + priced(costs[i], least[i], bonuses[i], price)
            if base.order[v] >= 0:
                if length - base.distance[v] < value:
                    value, tail, back, item = length - base.distance[v], u, v, i
            elif length < distance[v]:
                distance[v], last[v], before[v] = length, i, u
                decrease(heap, v, length + ahead[v])
    count = 0
    while item >= 0:
        s.items[count] = item
        count += 1
        item = last[tail]
        if item >= 0:
            tail = before[tail]
    return Detour(count, tail, back, value)


@kernel
def gain_of(s: DetourSearch, detour: Detour) -> tuple[float, float]:
    """By how much the largest raises of a forward detour exceed its gap, and the price that shows it if they do not."""
    items = s.items[: detour.size]
    gap = length_of(s.costs, items) - (s.base.distance[detour.back] - s.base.distance[detour.leave])
    raises = raises_of(s.costs, s.network.least, s.bonuses, items)
    price = 0.5 / raises.level if raises.level > 0.0 else np.inf
    if raises.unspent > 0.0:  # every lower price gives the same raises
        price = min(price, 0.5 * (gap - raises.total) / raises.unspent)
    return raises.total - gap, price


@kernel
def is_forward(s: DetourSearch, detour: Detour) -> bool:
    """Whether there is a detour, and it comes back behind where it has left."""
    return detour.size > 0 and s.base.order[detour.leave] < s.base.order[detour.back]


@kernel
def is_known(s: DetourSearch, price: float) -> bool:
    """Whether nearly the same price was used, or there is no room for another one."""
    price = min(max(price, s.limits[0]), s.limits[1])
    for k in range(s.counts[PRICES]):
        if abs(price / s.prices[k] - 1.0) < SAME_PRICE:
            return True
    return bool(s.counts[PRICES] == MOST_PRICES)


@kernel
def take(s: DetourSearch, detour: Detour, x: BoolArray) -> None:
    """Write the route that follows the base except for a detour."""
    write(x, s.base.x)
    for k in range(s.base.order[detour.leave], s.base.order[detour.back]):
        x[s.network.out.items[s.base.places[k]]] = False
    for i in s.items[: detour.size]:
        x[i] = True


@kernel
def next_detour(s: DetourSearch, most: int) -> tuple[int, Detour]:
    """Enumerate detours that no price so far excludes; return the first that is plausible or has a new price of its own.

    The status is ``PLAUSIBLE``, ``NEW_PRICE``, ``NONE`` if no detour is plausible, ``TOO_MANY`` after `most` steps or if
    interrupted.
    """
    network, base, nothing = s.network, s.base, Detour(0, -1, -1, 0.0)
    into, least, n, known = network.into, network.least, len(network.ahead), s.counts[PRICES]
    path, place, sums = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n + 1, known))
    visited = np.zeros(n, dtype=np.bool_)
    for number in range(1, len(base.nodes)):
        back, depth = base.nodes[number], 0
        path[0], place[0] = back, into.ptr[back]
        for k in range(known):
            sums[0, k] = -base.distance[back]
        while depth >= 0:
            v = path[depth]
            if place[depth] == into.ptr[v + 1]:
                visited[v] = False
                depth -= 1
                continue
            i, u = into.items[place[depth]], into.ends[place[depth]]
            place[depth] += 1
            if base.x[i] or visited[u] or base.order[u] >= number:
                continue
            s.counts[STEPS] += 1
            if s.counts[STEPS] >= most or (s.counts[STEPS] % SIGNAL_STEPS == 0 and interrupted()):
                return TOO_MANY, nothing
            k = 0
            while k < known:
                value = sums[depth, k] + priced(s.costs[i], least[i], s.bonuses[i], s.prices[k])
                sums[depth + 1, k] = value
                if s.reached[k, u] + value >= s.prices[k] - s.closing:
                    break
                k += 1
            if k < known:
                continue
            s.items[depth] = i
            if base.order[u] >= 0:
                detour = Detour(depth + 1, int(u), int(back), 0.0)
                gain, price = gain_of(s, detour)
                if gain > s.closing:
                    return PLAUSIBLE, detour
                if not is_known(s, price):
                    return NEW_PRICE, detour
            else:
                depth += 1
                path[depth], place[depth], visited[u] = u, into.ptr[u], True
    return NONE, nothing


@kernel
def begin(network: RoadNetwork, costs: FloatArray, problem: IndexProblem, x: BoolArray) -> DetourSearch:
    """A new search around the route x."""
    base, bonuses, largest = base_of(network, costs, x), problem.bonuses / (problem.ratio * problem.ratio), 0.0
    for i in range(len(bonuses)):
        if costs[i] > network.least[i]:  # others cannot be raised
            largest = max(largest, bonuses[i])
    n, total, highest = len(network.ahead), base.distance[network.target], 0.5 * math.sqrt(largest * max(problem.m, 1))
    closing = PRECISION * (total + highest)
    return DetourSearch(
        network, costs, bonuses, base, closing, (max(LOWEST_PRICE * highest, closing), highest), np.empty(MOST_PRICES),
        np.empty((MOST_PRICES, n)), np.empty(n, dtype=np.int64), np.zeros(2, dtype=np.int64),
    )  # fmt: skip


@kernel
def by_prices(s: DetourSearch, problem: IndexProblem, best: float, x: BoolArray, report: FloatArray) -> tuple[int, float]:
    """Search by shortest detours, each at the price of the one before; return a status and the gain of x."""
    bound, price = np.inf, 0.25 / problem.hint if 0.0 < problem.hint < np.inf else s.limits[1]
    while s.counts[PRICES] < min(problem.budget, FIRST_PRICES):
        price = min(max(price, s.limits[0]), s.limits[1])
        if is_known(s, price):
            break
        detour = shortest_detour(s, price)
        bound, report[SLOPE] = min(bound, price - detour.value), 0.25 / price
        price *= 0.5
        if is_forward(s, detour):
            gain, price = gain_of(s, detour)
            if gain > best:
                best = gain
                take(s, detour, x)
        report[BOUND] = max(bound, best, 0.0)
        if bound <= s.closing or (best > s.closing and best >= problem.share * bound) or interrupted():
            return SOLVED, best
        if best > s.closing and s.counts[PRICES] >= BETTER_PRICES:
            break
    return (SOLVED if best > s.closing else STOPPED), best


@kernel
def by_enumeration(s: DetourSearch, budget: int, x: BoolArray, report: FloatArray) -> int:
    """Search by enumeration, and a shortest detour at each new price; return a status."""
    while True:
        result, detour = next_detour(s, (budget - s.counts[PRICES]) * STEPS_A_CALL)
        if result == NEW_PRICE:
            shortest_detour(s, min(max(gain_of(s, detour)[1], s.limits[0]), s.limits[1]))
            continue
        if result == NONE:
            report[BOUND] = 0.0
        if result == PLAUSIBLE:
            take(s, detour, x)
        return STOPPED if result == TOO_MANY else SOLVED


@kernel
def plausible_route(network: RoadNetwork, costs: FloatArray, problem: IndexProblem, x: BoolArray, report: FloatArray) -> int:
    """Write a plausible route into x, which contains the base, the best route, and leave x as it is if there is none.

    The costs, shape (d,), are estimates and at least the least ones. The share of the problem is below 1, and items of the base
    have no bonus. `report` is as in `index_search`; the bound is on the index of routes with one detour. Returns ``SOLVED``;
    ``STOPPED`` if the budget ended before a proof, x is then the base; ``FAILED`` if interrupted.
    """
    s = begin(network, costs, problem, x)
    total = s.base.distance[network.target]
    report[BOUND], report[SLOPE], report[SPENT] = 0.0, 0.0, 0.0
    status = SOLVED
    if s.limits[1] > 0.0:
        guessed: IntArray = np.flatnonzero(problem.guess)
        gain = raises_of(costs, network.least, s.bonuses, guessed).total - (length_of(costs, guessed) - total)
        if gain > s.closing:
            write(x, problem.guess)
        status, _ = by_prices(s, problem, max(gain, s.closing), x, report)
        if status == STOPPED:
            status = by_enumeration(s, problem.budget, x, report)
    report[BOUND] -= total
    report[SPENT] = float(s.counts[PRICES] + s.counts[STEPS] // STEPS_A_CALL)
    return FAILED if interrupted() else status
