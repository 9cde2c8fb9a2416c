"""A lower bound on the information F(C) of all cycles at given rates: the upper certificate for laws without a formula.

A plan with ``F(C) >= L`` for all simple cycles C is feasible once its rates are divided by L. The weights of a cycle at a grid of
prices are lower bounds on F(C) (:mod:`semibandits.regret_bound.certificates.price_grid`), and the search of
:mod:`semibandits.kernels.solver.price_proof` finds the cycle whose largest weight is smallest, if that is less than L.

For cycles with too weak a bound, prices are added to the grid and the search is repeated. Whatever the prices, the bound is
valid. The solver uses the same grid and the same kernel, with fewer labels: what it misses, a complete search finds.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.kernels.machine import tiers
from semibandits.regret_bound.certificates.price_grid import PriceGrid, by_degree
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.cycles import Cycles, renumbered
from semibandits.regret_bound.raises import convex_information

APART = (3e-3, 1e-4, 3e-6, 1e-7)
"""Smallest relative distance of prices; the next one is used when no new prices are left, since kinks of laws need less."""
CLOSE = 1.00001
"""The proof is not improved if the least F(C) of the cycles found is at most this factor times the proved bound."""
REFINEMENTS, MAX_PRICES = 12, 1_000
SHARES = (1.0, 0.98, 0.8, 0.3, 0.05)
"""Shares of the level that are tried in turn if a search needs too many labels: lower ones need fewer."""
FIRST_LABELS, MAX_LABELS, MAX_NUMBERS = 1 << 14, 1 << 19, 20_000_000
"""Labels of the first attempt and the last one. Each has eight times as many as the one before, and the clock is read in between.
At most `MAX_NUMBERS` numbers are stored."""
MAX_FOUND = 4_000
MARGIN = 1e-11
"""Relative rounding error of the bound."""
MORE = 8
"""How many times as many labels a search has as the one before. It takes up to so many times as long."""


def least_information(
    tails: IntArray, heads: IntArray, costs: FloatArray, gaps: FloatArray, items: ArcItems, rates: FloatArray,
    level: float, deadline: float, *, hub: int | None = None,
) -> tuple[float, Cycles]:  # fmt: skip
    """A proved lower bound on the least F(C), at most `level`, and cycles with F(C) below the level that were found.

    The digraph has no self-loops, and all arrays have shape (a,). Costs are reduced costs >= 0; gaps are the approximate costs of
    the cheapest cycle through each arc, > 0 on arcs that raise; rates are those of the item of each arc. `level` > 0 is the
    required information. At the value `deadline` of `tiers.seconds` the search stops; the bound is 0 if nothing is proved by
    then. `hub` is a node such that the items of every cycle past it can be raised by at most the cost of the cycle; then only
    cycles through this node are searched.
    """
    if (items.raising & (rates <= 0.0) & np.isinf(items.room)).any():
        return 0.0, Cycles.empty()
    search = _Search(tails, heads, costs, gaps, items, rates, level, hub)
    for share in SHARES:
        least = search.run(share * level, deadline)
        if least > 0.0 or tiers.seconds() > deadline:
            break
    # The search considers raises in the convex parts of divergences. Others have at least this information.
    law, theta = items.alone
    beyond = float(convex_information(law, theta, rates[items.raising]).min(initial=math.inf))
    return min(least, beyond * (1.0 - MARGIN)), search.violated()


class _Search:
    """The graph, the weights of its arcs at all prices so far, and the cycles found last."""

    def __init__(
        self, tails: IntArray, heads: IntArray, costs: FloatArray, gaps: FloatArray, items: ArcItems, rates: FloatArray,
        level: float, hub: int | None,
    ) -> None:  # fmt: skip
        self._costs, self._items, self._rates = costs, items, rates
        nodes, first, last = renumbered(tails, heads)
        self._graph = arcs_of(len(nodes), first, last)
        self._starts = by_degree(self._graph) if hub is None else np.flatnonzero(nodes == hub)
        self._level, self._found = level, Cycles.empty()
        self._grid = PriceGrid(items, costs, gaps, rates, level, len(self._graph.out_ptr) - 1)

    def run(self, level: float, deadline: float) -> float:
        """Compute the bound, at most this level; 0 if labels or time run out."""
        least, labels = 0.0, FIRST_LABELS
        distances = iter(APART)
        distance = next(distances)
        for _ in range(REFINEMENTS):
            cycles, proved, complete = self._open_cycles(level, labels, deadline)
            least = max(least, proved)
            if not len(cycles) or proved >= level or len(self._grid.prices) > MAX_PRICES or tiers.seconds() > deadline:
                break
            self._found = cycles
            exact = self._items.raises(cycles, cycles.sums(self._costs), self._rates)
            lowest = float(exact.values.min())
            # If the search is incomplete, one cycle below the level is enough.
            if lowest < level * (1.0 - 10.0 * MARGIN) and (not complete or lowest <= proved * CLOSE):
                break
            wanted = np.unique(exact.prices[np.isfinite(exact.prices) & (exact.prices > 0.0)])
            fresh = _new_prices(wanted, self._grid.prices, distance)
            while not len(fresh) and (distance := next(distances, 0.0)):
                fresh = _new_prices(wanted, self._grid.prices, distance)
            if not len(fresh):
                break
            self._grid.add(fresh)
        return max(least * (1.0 - MARGIN), 0.0)

    def _open_cycles(self, level: float, labels: int, deadline: float) -> tuple[Cycles, float, bool]:
        """Cycles that the prices do not prove, the bound that they prove for all cycles, and whether the search is complete."""
        most = min(MAX_LABELS, MAX_NUMBERS // (len(self._grid.prices) + 1))
        while True:
            start = tiers.seconds()
            ptr, arcs, found, _, complete = self._grid.open_cycles(self._graph, self._starts, level, min(labels, most), MAX_FOUND)
            now = tiers.seconds()
            if complete or len(found) or labels >= most or now + MORE * (now - start) > deadline:
                break
            labels *= MORE
        proved = min(level, float(found[:, :-1].max(axis=1).min(initial=math.inf))) if complete else 0.0
        return Cycles(ptr, arcs), proved, complete

    def violated(self) -> Cycles:
        """The cycles found last whose F(C) is below the level."""
        if not len(self._found):
            return self._found
        exact = self._items.raises(self._found, self._found.sums(self._costs), self._rates)
        return self._found.select(exact.values < self._level)


def _new_prices(wanted: FloatArray, prices: FloatArray, distance: float) -> FloatArray:
    """The `wanted` prices, increasing, whose relative distance to each other and to the known prices exceeds `distance`."""
    fresh: list[float] = []
    for price in wanted.tolist():
        at = np.searchsorted(prices, price)
        near = np.abs(prices[max(at - 1, 0) : at + 1] - price) <= distance * price
        if not near.any() and (not fresh or price > (1.0 + distance) * fresh[-1]):
            fresh.append(price)
    return np.array(fresh)
