"""Weights of arcs at a grid of prices, whose sums over a cycle are lower bounds on the information of the cycle.

For a price s >= 0, and with ``psi_i(s) = max over raises e of s e - w_i d_i(e)``,

    F(C) = min {sum of w_i d_i(e_i) : sum of e_i >= gap(C)}  >=  s gap(C) - sum of psi_i(s),

since raises that add up to the gap cost ``w_i d_i(e_i) >= s e_i - psi_i(s)``. The right side is a sum over the arcs of C of
``s cost - psi(s)``. A raise that alone costs more nats than the level cannot be part of raises of less: psi is taken over raises
up to these caps. Cycles whose gap the caps cannot reach need no price.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels.graphs.exchange import Arcs
from semibandits.kernels.solver.price_proof import OpenCycles, open_cycles
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.raises import NEAR_REACH

RATIO = 1.4
"""Ratio of neighbouring prices of the first grid."""
HIGHER = 2.0 ** np.arange(1, 9)
"""Multiples of the largest price that are added: means that must rise close to 1 have arbitrarily large prices."""
TERM_ROUNDING = 4e-15
"""Rounding error of a weight, per arc of a cycle, relative to its terms, which are far larger than it for means close to 1."""


class PriceGrid:
    """Prices, increasing, and the weights of the arcs at them.

    Some of the items on the arcs raise. Costs >= 0, gaps and rates have shape (a,): the gaps are the approximate costs of the
    cheapest cycle through each arc, the rates those of its item. `level` is information in nats, > 0: the first prices cover
    those at which cycles may have less. n is the largest number of arcs of a cycle. `beyond` adds higher prices, which only
    matter where means must rise close to 1.
    """

    def __init__(
        self, items: ArcItems, costs: FloatArray, gaps: FloatArray, rates: FloatArray, level: float, n: int, *,
        beyond: bool = True,
    ) -> None:  # fmt: skip
        self._items, self._costs, self._rates, self._n = items, costs, rates, n
        self._caps = items.caps(rates, np.where(items.raising, gaps, 1.0), level)
        # A cycle on which these add up to at least minus the margin is out of reach, whatever the price.
        self._reach = costs * (1.0 + NEAR_REACH) - self._caps
        low, high = level / float(np.sort(self._caps)[-n:].sum()), 4.0 * level / float(gaps[items.raising].min())
        # Shapes (K,) and (a, K). Weights are s cost - psi(s), rounded down by the error of a sum over a cycle.
        self.prices, self.weights = np.empty(0), np.empty((len(costs), 0))
        prices = np.geomspace(low, max(low, high), 2 + max(int(math.log(high / low) / math.log(RATIO)), 0))
        self.add(np.append(prices, high * HIGHER) if beyond else prices)

    def add(self, prices: FloatArray) -> None:
        """Add prices."""
        error = TERM_ROUNDING * (self._n + 8)
        more = np.outer(self._costs, (1.0 - error) * prices)
        more -= (1.0 + error) * self._items.conjugates(self._rates, prices, self._caps)
        prices = np.concatenate((self.prices, prices))
        order = np.argsort(prices, kind="stable")
        self.prices, self.weights = prices[order], np.hstack((self.weights, more))[:, order]

    def open_cycles(self, graph: Arcs, starts: IntArray, level: float, max_labels: int, max_found: int) -> OpenCycles:
        """Cycles whose weights are all below the level, see :func:`semibandits.kernels.solver.price_proof.open_cycles`."""
        weights = np.column_stack((self.weights, self._reach))
        begin, limits = np.zeros(weights.shape[1]), np.full(weights.shape[1], level)
        begin[-1], limits[-1] = self._items.margin, 0.0
        return open_cycles(graph, starts, self._costs, weights, begin, limits, max_labels, max_found)


def by_degree(graph: Arcs) -> IntArray:
    """Nodes to search from: those with most arcs first."""
    return np.argsort(-(np.diff(graph.out_ptr) + np.diff(graph.in_ptr)), kind="stable")
