"""A lower bound on the information F(C) of all cycles at given rates: the upper certificate of laws without a formula.

A plan with ``F(C) >= L`` for all simple cycles C is feasible once its rates are divided by L. For each price s >= 0, and with
``psi_i(s) = max over raises e of s e - w_i d_i(e)``,

    F(C) = min {sum of w_i d_i(e_i) : sum of e_i >= gap(C)}  >=  s gap(C) - sum of psi_i(s),

as raises that add up to the gap pay ``w_i d_i(e_i) >= s e_i - psi_i(s)``. The right side is the sum over the arcs of C of what
each has for itself, ``s cost - psi(s)``. The largest over some prices is what a grid proves of a cycle, and the search of
:mod:`semibandits.kernels.price_proof` finds the least of that over all cycles, if it is less than L. Raises that cost more
than L nats alone are no part of less than L nats and are left out of psi; cycles whose gap the rest cannot reach need no
price.

Cycles of which the grid proves too little ask for prices of their own, with which the search is done again. These come from
code of the solver, and so may be wrong, at the cost of a weaker bound: what is proven rests on no choice of prices. Beside the
functions of single items, `ArcItems.caps` and `ArcItems.conjugates`, the proof shares no code with the solver's searches.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels import tiers
from semibandits.kernels.exchange import arcs_of
from semibandits.kernels.price_proof import open_cycles
from semibandits.regret_bound.arc_items import ArcItems
from semibandits.regret_bound.cycles import Cycles
from semibandits.regret_bound.raises import NEAR_REACH

RATIO = 1.4
"""Of neighbouring prices at first."""
HIGHER = 2.0 ** np.arange(1, 9)
"""Multiples of the largest that are looked at besides: means that would have to rise next to 1 have prices of any size."""
APART = (3e-3, 1e-4, 3e-6, 1e-7)
"""Relative distances below which prices are not told apart, the next one where no others are left: at kinks it takes less."""
CLOSE = 1.00001
"""Factor between what is proven and what a cycle has below which the proof is not improved."""
REFINEMENTS, MAX_PRICES = 12, 1_000
SHARES = (1.0, 0.98, 0.8, 0.3, 0.05)
"""Shares of the level that are asked about, one after the other, where a search takes too many labels: the lower, the fewer."""
FIRST_LABELS, MAX_LABELS, MAX_NUMBERS = 1 << 14, 1 << 19, 20_000_000
"""Labels of the first attempt, each eight times as long; the clock is read in between. At most so many numbers in all."""
MAX_FOUND = 4_000
MARGIN = 1e-11
"""What rounding may change of the bound, relatively."""
UNSURE = 4e-15
"""What it may change of the terms of a weight, which are far larger than it next to means of 1, times the arcs of a cycle."""


def least_information(
    tails: IntArray, heads: IntArray, costs: FloatArray, gaps: FloatArray, items: ArcItems, rates: FloatArray,
    level: float, deadline: float, *, hub: int | None = None,
) -> tuple[float, Cycles]:  # fmt: skip
    """A proven lower bound on the least F(C), at most `level`, and cycles with less than the level, as far as they were met.

    Parameters
    ----------
    tails, heads : ndarray of int, shape (a,)
        A digraph without self-loops; all nodes have arcs.
    costs, gaps : ndarray of float, shape (a,)
        Reduced costs >= 0, and about the cost of the cheapest cycle through each arc, > 0 on arcs that raise.
    items : ArcItems
        The items on the arcs.
    rates : ndarray of float, shape (a,)
        Rate of the item of each arc.
    level : float
        Information that is asked for, > 0.
    deadline : float
        Value of `tiers.seconds` from which on nothing more is tried; the bound is 0 if nothing is proven by then.
    hub : int, optional
        A node without which no cycle can be raised by more than it costs; then only cycles through it are looked at.
    """
    if (items.raising & (rates <= 0.0) & np.isinf(items.room)).any():
        return 0.0, Cycles.empty()
    search = _Search(tails, heads, costs, gaps, items, rates, level, hub)
    for share in SHARES:
        least = search.run(share * level, deadline)
        if least > 0.0 or tiers.seconds() > deadline:
            break
    return least, search.violated()


class _Search:
    """The graph, the weights of its arcs at all prices so far, and the cycles met."""

    def __init__(
        self, tails: IntArray, heads: IntArray, costs: FloatArray, gaps: FloatArray, items: ArcItems, rates: FloatArray,
        level: float, hub: int | None,
    ) -> None:  # fmt: skip
        self._costs, self._items, self._rates = costs, items, rates
        self._n = int(max(tails.max(), heads.max())) + 1
        self._graph = arcs_of(self._n, tails, heads)
        degrees = np.bincount(tails, minlength=self._n) + np.bincount(heads, minlength=self._n)
        self._starts = np.argsort(-degrees, kind="stable") if hub is None else np.array([hub])
        self._level, self._met = level, Cycles.empty()
        self._caps = items.caps(rates, np.where(items.raising, gaps, 1.0), level)
        # Out of reach at the end, whatever the price.
        self._reach = costs * (1.0 + NEAR_REACH) - self._caps
        self._prices, self._weights = np.empty(0), np.empty((len(costs), 0))
        most = float(np.sort(self._caps)[-self._n :].sum())
        low, high = level / most, 4.0 * level / float(gaps[items.raising].min())
        count = 2 + max(int(math.log(high / low) / math.log(RATIO)), 0)
        self._add(np.append(np.geomspace(low, high, count), high * HIGHER))

    def _add(self, prices: FloatArray) -> None:
        """Columns of weights for these prices, too, rounded down."""
        unsure = UNSURE * (self._n + 8)
        more = np.outer(self._costs, (1.0 - unsure) * prices)
        more -= (1.0 + unsure) * self._items.conjugates(self._rates, prices, self._caps)
        prices = np.concatenate((self._prices, prices))
        order = np.argsort(prices, kind="stable")
        self._prices, self._weights = prices[order], np.hstack((self._weights, more))[:, order]

    def run(self, level: float, deadline: float) -> float:
        """The bound, at most this level; 0 if labels or time run out."""
        least, labels = 0.0, FIRST_LABELS
        distances = iter(APART)
        distance = next(distances)
        for _ in range(REFINEMENTS):
            cycles, proven, complete = self._open_cycles(level, labels, deadline)
            least = max(least, proven)
            if not len(cycles) or proven >= level or len(self._prices) > MAX_PRICES or tiers.seconds() > deadline:
                break
            self._met = cycles
            exact = self._items.raises(cycles, cycles.sums(self._costs), self._rates)
            lowest = float(exact.values.min())
            # One cycle below the level is enough of a search that was broken off.
            if lowest < level * (1.0 - 10.0 * MARGIN) and (not complete or lowest <= proven * CLOSE):
                break
            wanted = np.unique(exact.prices[np.isfinite(exact.prices) & (exact.prices > 0.0)])
            fresh = _apart(wanted, self._prices, distance)
            while not len(fresh) and (distance := next(distances, 0.0)):
                fresh = _apart(wanted, self._prices, distance)
            if not len(fresh):
                break
            self._add(fresh)
        return max(least * (1.0 - MARGIN), 0.0)

    def _open_cycles(self, level: float, labels: int, deadline: float) -> tuple[Cycles, float, bool]:
        """Cycles that the prices do not prove, what they prove of all, and whether the search came to its end."""
        weights = np.column_stack((self._weights, self._reach))
        begin, limits = np.zeros(len(self._prices) + 1), np.full(len(self._prices) + 1, level)
        begin[-1], limits[-1] = self._items.margin, 0.0
        most = min(MAX_LABELS, MAX_NUMBERS // len(limits))
        while True:
            ptr, arcs, found, _, complete = open_cycles(
                self._graph, self._starts, self._costs, weights, begin, limits, min(labels, most), MAX_FOUND
            )
            if complete or len(found) or labels >= most or tiers.seconds() > deadline:
                break
            labels *= 8
        proven = min(level, float(found[:, :-1].max(axis=1).min(initial=math.inf))) if complete else 0.0
        return Cycles(ptr, arcs), proven, complete

    def violated(self) -> Cycles:
        """Those of the cycles met last that have less than the level."""
        if not len(self._met):
            return self._met
        exact = self._items.raises(self._met, self._met.sums(self._costs), self._rates)
        return self._met.select(exact.values < self._level)


def _apart(wanted: FloatArray, prices: FloatArray, distance: float) -> FloatArray:
    """Those of some increasing prices that are further than the relative distance from each other and from known ones."""
    fresh: list[float] = []
    for price in wanted.tolist():
        at = np.searchsorted(prices, price)
        near = np.abs(prices[max(at - 1, 0) : at + 1] - price) <= distance * price
        if not near.any() and (not fresh or price > (1.0 + distance) * fresh[-1]):
            fresh.append(price)
    return np.array(fresh)
