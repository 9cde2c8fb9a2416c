"""A lower bound on the information F(C) of all cycles at given rates: the upper certificate for laws without a formula.

A plan with ``F(C) >= L`` for all simple cycles C is feasible once its rates are divided by L. For each price s >= 0, and with
``psi_i(s) = max over raises e of s e - w_i d_i(e)``,

    F(C) = min {sum of w_i d_i(e_i) : sum of e_i >= gap(C)}  >=  s gap(C) - sum of psi_i(s),

since raises that add up to the gap cost ``w_i d_i(e_i) >= s e_i - psi_i(s)``. The right side is a sum over the arcs of C of
``s cost - psi(s)``. Its maximum over a grid of prices is a bound on F(C), and the search of
:mod:`semibandits.kernels.price_proof` finds the smallest such bound over all cycles, if it is less than L. A raise that alone
costs more than L nats cannot be part of raises of less than L nats, so psi excludes it. Cycles whose gap the remaining raises
cannot reach need no price.

For cycles with too weak a bound, prices are added to the grid and the search is repeated. These prices come from code of the
solver. If they are wrong, the bound is weaker but still valid. Apart from the functions of single items, `ArcItems.caps` and
`ArcItems.conjugates`, the proof shares no code with the searches of the solver.
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
from semibandits.regret_bound.raises import NEAR_REACH, convex_information

RATIO = 1.4
"""Ratio of neighbouring prices of the first grid."""
HIGHER = 2.0 ** np.arange(1, 9)
"""Multiples of the largest price that are added: means that must rise close to 1 have arbitrarily large prices."""
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
TERM_ROUNDING = 4e-15
"""Rounding error of a weight, per arc of a cycle, relative to its terms, which are far larger than it for means close to 1."""


MORE = 8
"""How many times as many labels a search has as the one before. It takes up to so many times as long."""


def least_information(
    tails: IntArray, heads: IntArray, costs: FloatArray, gaps: FloatArray, items: ArcItems, rates: FloatArray,
    level: float, deadline: float, *, hub: int | None = None,
) -> tuple[float, Cycles]:  # fmt: skip
    """A proved lower bound on the least F(C), at most `level`, and cycles with F(C) below the level that were found.

    Parameters
    ----------
    tails, heads : ndarray of int, shape (a,)
        A digraph without self-loops and without isolated nodes.
    costs, gaps : ndarray of float, shape (a,)
        Reduced costs >= 0, and the approximate cost of the cheapest cycle through each arc, > 0 on arcs that raise.
    items : ArcItems
        The items on the arcs.
    rates : ndarray of float, shape (a,)
        Rate of the item of each arc.
    level : float
        Required information, > 0.
    deadline : float
        Value of `tiers.seconds` at which to stop; the bound is 0 if nothing is proved by then.
    hub : int, optional
        A node such that the items of every cycle past it can be raised by at most the cost of the cycle; then only cycles through
        this node are searched.
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
        self._n = int(max(tails.max(), heads.max())) + 1
        self._graph = arcs_of(self._n, tails, heads)
        degrees = np.bincount(tails, minlength=self._n) + np.bincount(heads, minlength=self._n)
        self._starts = np.argsort(-degrees, kind="stable") if hub is None else np.array([hub])
        self._level, self._found = level, Cycles.empty()
        self._caps = items.caps(rates, np.where(items.raising, gaps, 1.0), level)
        # A cycle on which these add up to at least minus the margin is out of reach, whatever the price.
        self._reach = costs * (1.0 + NEAR_REACH) - self._caps
        self._prices, self._weights = np.empty(0), np.empty((len(costs), 0))
        most = float(np.sort(self._caps)[-self._n :].sum())
        low, high = level / most, 4.0 * level / float(gaps[items.raising].min())
        count = 2 + max(int(math.log(high / low) / math.log(RATIO)), 0)
        self._add(np.append(np.geomspace(low, high, count), high * HIGHER))

    def _add(self, prices: FloatArray) -> None:
        """Add columns of weights for these prices, rounded down."""
        error = TERM_ROUNDING * (self._n + 8)
        more = np.outer(self._costs, (1.0 - error) * prices)
        more -= (1.0 + error) * self._items.conjugates(self._rates, prices, self._caps)
        prices = np.concatenate((self._prices, prices))
        order = np.argsort(prices, kind="stable")
        self._prices, self._weights = prices[order], np.hstack((self._weights, more))[:, order]

    def run(self, level: float, deadline: float) -> float:
        """Compute the bound, at most this level; 0 if labels or time run out."""
        least, labels = 0.0, FIRST_LABELS
        distances = iter(APART)
        distance = next(distances)
        for _ in range(REFINEMENTS):
            cycles, proved, complete = self._open_cycles(level, labels, deadline)
            least = max(least, proved)
            if not len(cycles) or proved >= level or len(self._prices) > MAX_PRICES or tiers.seconds() > deadline:
                break
            self._found = cycles
            exact = self._items.raises(cycles, cycles.sums(self._costs), self._rates)
            lowest = float(exact.values.min())
            # If the search is incomplete, one cycle below the level is enough.
            if lowest < level * (1.0 - 10.0 * MARGIN) and (not complete or lowest <= proved * CLOSE):
                break
            wanted = np.unique(exact.prices[np.isfinite(exact.prices) & (exact.prices > 0.0)])
            fresh = _new_prices(wanted, self._prices, distance)
            while not len(fresh) and (distance := next(distances, 0.0)):
                fresh = _new_prices(wanted, self._prices, distance)
            if not len(fresh):
                break
            self._add(fresh)
        return max(least * (1.0 - MARGIN), 0.0)

    def _open_cycles(self, level: float, labels: int, deadline: float) -> tuple[Cycles, float, bool]:
        """Cycles that the prices do not prove, the bound that they prove for all cycles, and whether the search is complete."""
        weights = np.column_stack((self._weights, self._reach))
        begin, limits = np.zeros(len(self._prices) + 1), np.full(len(self._prices) + 1, level)
        begin[-1], limits[-1] = self._items.margin, 0.0
        most = min(MAX_LABELS, MAX_NUMBERS // len(limits))
        while True:
            start = tiers.seconds()
            ptr, arcs, found, _, complete = open_cycles(
                self._graph, self._starts, self._costs, weights, begin, limits, min(labels, most), MAX_FOUND
            )
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
