"""The least information f(C) of all cycles, proven: labels over a grid of prices that grows where it is too coarse."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.graves_lai.arc_items import ArcItems
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.raises import NEAR_REACH, Raises
from semibandits.kernels import tiers
from semibandits.kernels.ratios import least_ratio
from semibandits.kernels.tilted_search import tilted_cycles

COARSE = 1.4
"""Ratio of neighbouring prices of the first grid."""
HIGHER = 2.0 ** np.arange(1, 9)
"""Multiples of its largest price that are looked at besides: means that would have to rise next to 1 have prices of any size."""
FINE = 3e-3
"""Relative distance below which prices are not told apart at first; where means near 0 make kinks, it takes less."""
FINER = 0.3
"""By what the distance is multiplied where no other prices are left."""
FINEST = 1e-7
CLOSE = 1.00001
"""Factor between what is proven and what was found below which no closer bound is worth a refinement."""
REFINEMENTS = 12
WINDOW = 2.5
"""Ratio of the gaps of a window: the larger, the more arcs of a window are on cycles of negative weight."""
MAX_PRICES = 1_000
PRICES_FOR_GAPS = 16
"""Prices at which the largest gap, and what to add to prices, are looked at."""
MAX_LABELS = 400_000
FEW_LABELS = 40_000
"""Labels of a search that only looks for what is violated."""
MAX_NUMBERS = 20_000_000
"""Labels times weights of a search, so that fine grids take neither gigabytes nor far longer than the time limit."""
MAX_FOUND = 4_000
LESS = (1.0, 0.8, 0.5, 0.2, 0.05)
"""Shares of the level that are asked about, one after the other, where a search takes too many labels."""
MARGIN = 1e-11
"""What rounding may change of bounds, relatively."""
UNSURE = 4e-15
"""What it may change of sums along walks, per arc, relative to their terms, which are far larger than they next to means of 1."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A digraph of which cycles are looked for, without self-loops, and the items on its arcs.

    Attributes
    ----------
    n : int
    tails, heads : ndarray of int, shape (a,)
    costs, gaps : ndarray of float, shape (a,)
        Reduced costs >= 0, and the cost of the cheapest cycle through each arc, > 0 on arcs that raise.
    items : ArcItems
        The items on the arcs.
    has_hub : bool
        Whether node 0 lies on every cycle and the other nodes are in topological order.
    """

    n: int
    tails: IntArray
    heads: IntArray
    costs: FloatArray
    gaps: FloatArray
    items: ArcItems
    has_hub: bool

    @property
    def raising(self) -> BoolArray:
        """Arcs on which an item enters that can look better than it is."""
        return self.items.raising

    def raises(self, cycles: Cycles, rates: FloatArray, guesses: FloatArray | None = None) -> Raises:
        """The cheapest raises of these cycles."""
        return self.items.raises(cycles, cycles.sums(self.costs), rates, guesses)


@dataclass(frozen=True, eq=False)
class Found:
    """Result of a search.

    Attributes
    ----------
    least : float
        No cycle has less information than this; 0 if labels or time ran out.
    cycles : Cycles
        Cycles with less information than was asked for, as far as they were met.
    values : ndarray of float
        Their information.
    """

    least: float
    cycles: Cycles
    values: FloatArray


class Searcher:
    """Looks for the cycles of a graph that could look better than x* for too little information."""

    def __init__(self, graph: Graph, deadline: float = math.inf, max_labels: int = MAX_LABELS) -> None:
        self._graph, self._deadline, self._max_labels = graph, deadline, max_labels
        self._known = np.empty(0)

    def search(self, rates: FloatArray, level: float, *, fine: bool = True) -> Found:
        """Cycles C with f(C) < `level`, and a proven bound on the least f(C).

        Parameters
        ----------
        rates : ndarray of float, shape (a,)
            Rate of the item of each arc.
        level : float
            Only cycles with less information are of interest, > 0.
        fine : bool
            Whether to refine the grid until it decides, with as many labels as that takes, or to stop at the first one.
        """
        met: list[Cycles] = []
        least, raising = level, self._graph.raising
        if (raising & (rates <= 0.0) & np.isinf(self._graph.items.room)).any():
            return Found(0.0, Cycles.empty(), np.empty(0))
        caps = self._graph.items.caps(rates, np.where(raising, self._graph.gaps, 1.0), level)
        for least_cost, most_cost in self._windows(rates, caps, level):
            proven, cycles = self._window(rates, caps, level, least_cost, most_cost, fine=fine)
            least = min(least, proven)
            met.append(cycles)
            if least <= 0.0 and (not fine or tiers.seconds() > self._deadline):
                break
        cycles = Cycles.joined(met)
        values = self._graph.raises(cycles, rates).values
        violating = values < level
        return Found(least, cycles.select(violating), values[violating])

    def _window(
        self, rates: FloatArray, caps: FloatArray, level: float, least_cost: float, most_cost: float, *, fine: bool
    ) -> tuple[float, Cycles]:
        """Bound on f of the cycles of these costs, and cycles met that seemed to be below the level."""
        graph = self._graph
        most_cost *= 1.0 + UNSURE * (graph.n + 8)  # so that no cycle falls between two windows by rounding
        inside = np.flatnonzero(graph.gaps <= most_cost)
        if not graph.raising[inside].any():
            return level, Cycles.empty()
        items, played, capped = graph.items.take(inside), rates[inside], caps[inside]
        if not capped.sum() > max(least_cost, float(graph.gaps[graph.raising].min())):
            return level, Cycles.empty()
        prices = self._first_prices(capped, level, least_cost, most_cost)
        proven, met = 0.0, Cycles.empty()
        distance, unsure = FINE, UNSURE * (graph.n + 8)
        for _ in range(REFINEMENTS if fine else 1):
            weights = np.outer(graph.costs[inside], np.append((1.0 - unsure) * prices, 1.0))
            table = items.conjugates(played, prices, capped)
            weights[:, :-1] -= (1.0 + unsure) * table
            weights[:, -1] *= 1.0 + NEAR_REACH
            weights[:, -1] -= capped
            extra = np.append(self._extra(inside, table, prices, most_cost), 0.0)
            found = self._ask(inside, weights, extra, level, least_cost, most_cost, fine=fine)
            proven, met = max(proven, found.least), found.cycles if len(found.cycles) else met
            if not len(found.cycles) or proven >= level or len(prices) > MAX_PRICES or tiers.seconds() > self._deadline:
                break
            exact = graph.raises(met, rates)
            # One cycle below the level is enough of a search that was broken off.
            if exact.values.min() < level * (1.0 - 10.0 * MARGIN) and (
                found.least < 0.0 or exact.values.min() <= proven * CLOSE
            ):
                break
            # Cycles that only seem to be below the level ask for prices of their own, with which the next search may end.
            undecided = exact.prices[np.isfinite(exact.prices) & (exact.prices > 0.0)]
            more = _apart(undecided, prices, distance)
            while not len(more) and distance > FINEST:
                distance *= FINER
                more = _apart(undecided, prices, distance)
            if not len(more):
                break
            more = self._decisive(met, rates, caps, more, min(level, float(exact.values.min())))
            prices = np.sort(np.concatenate((prices, more)))
            self._known = _thinned(np.concatenate((self._known, more)), FINE)
        return proven, met

    def _decisive(
        self, cycles: Cycles, rates: FloatArray, caps: FloatArray, prices: FloatArray, level: float
    ) -> FloatArray:
        """A few of the prices, which prove of each cycle as much as all of them do, up to the level."""
        tables = self._graph.items.conjugates(rates, prices, caps)
        costs = cycles.sums(self._graph.costs)
        proven = np.stack([s * costs - cycles.sums(psi) for s, psi in zip(prices, tables.T, strict=True)])
        decided = proven >= np.minimum(proven.max(axis=0), level)
        chosen = np.zeros(len(prices), dtype=np.bool_)
        while decided.any():
            best = int(decided.sum(axis=1).argmax())
            chosen[best] = True
            decided[:, decided[best]] = False
        return prices[chosen]

    def _ask(
        self, inside: IntArray, weights: FloatArray, extra: FloatArray, level: float, least_cost: float,
        most_cost: float, *, fine: bool,
    ) -> Found:  # fmt: skip
        """One search over one grid; with lower levels where labels run out. A negative bound says that all was in vain."""
        graph = self._graph
        met = Cycles.empty()
        max_labels = min(self._max_labels if fine else FEW_LABELS, MAX_NUMBERS // weights.shape[1])
        for share in LESS if fine else LESS[:1]:
            ptr, arcs, values, labels = tilted_cycles(
                graph.n, graph.tails[inside], graph.heads[inside], graph.costs[inside], weights, extra,
                share * level + graph.items.margin, graph.has_hub, share * level, least_cost, most_cost, max_labels, MAX_FOUND,
            )  # fmt: skip
            met = Cycles(ptr, inside[arcs]) if len(ptr) > 1 else met
            if labels >= 0:
                least = min(share * level, float(values.min(initial=math.inf)))
                return Found(max(least * (1.0 - MARGIN), 0.0), met, values)
            if tiers.seconds() > self._deadline or len(met):
                break
        return Found(-1.0, met, np.empty(0))

    def _windows(self, rates: FloatArray, caps: FloatArray, level: float) -> list[tuple[float, float]]:
        """Ranges of gaps that hold all cycles with information below the level."""
        graph = self._graph
        if graph.has_hub:
            return [(0.0, math.inf)]
        least = float(graph.gaps[graph.raising].min())
        most = self._largest_gap(rates, caps, level)
        ends = [0.0]
        while ends[-1] < most:
            ends.append(max(ends[-1], least) * WINDOW)
        return list(itertools.pairwise(ends))

    def _largest_gap(self, rates: FloatArray, caps: FloatArray, level: float) -> float:
        """A bound on the gaps of cycles with information below the level.

        No cycle rises further than the sum of what its items can. And if psi(s) <= s gap / t on all cycles for a t > 1, then
        s gap (1 - 1/t) bounds the information of each from below, so that gaps are at most ``level / (s (1 - 1/t))``.
        """
        graph = self._graph
        most = float(np.sort(caps)[-graph.n :].sum()) * (1.0 + 1e-9)
        shortest = float(graph.gaps[graph.raising].min())
        prices = np.geomspace(level / most, 4.0 * level / shortest, PRICES_FOR_GAPS)
        everything = np.arange(len(graph.costs))
        table = graph.items.conjugates(rates, prices, caps)
        for price, t in zip(prices, self._reaches(everything, table, prices), strict=True):
            if t > 1.0:
                most = min(most, level / (price * (1.0 - 1.0 / t)) * (1.0 + 1e-9))
        return most

    def _reaches(self, inside: IntArray, table: FloatArray, prices: FloatArray) -> list[float]:
        """The t up to which ``psi(s) <= s gap / t`` on all cycles, for each of some increasing prices."""
        graph = self._graph
        tails, heads, costs = graph.tails[inside], graph.heads[inside], graph.costs[inside]
        found: list[float] = []
        begin, t = np.zeros(graph.n), 64.0
        for k, price in enumerate(prices):
            # Reaches fall as prices grow.
            worth, most = table[:, k] / price, t * (1.0 + 1e-9)
            t = least_ratio(graph.n, tails, heads, costs, worth, most, begin)[0] if t > 0.0 else 0.0
            t *= 1.0 - 1e-9
            found.append(t)
        return found

    def _extra(self, inside: IntArray, table: FloatArray, prices: FloatArray, most_cost: float) -> FloatArray:
        """What to add to each price so that no cycle of these arcs has a negative weight; in a few steps, rounded up."""
        extra = np.zeros(len(prices))
        if most_cost == math.inf:
            return extra
        at = np.unique(np.linspace(0, len(prices) - 1, PRICES_FOR_GAPS).astype(np.int64))
        steps = np.searchsorted(at, np.arange(len(prices)))
        reaches = np.array(self._reaches(inside, table[:, at], prices[at]))[steps]
        short = (reaches < 1.0) & (reaches > 0.0)
        extra[short] = prices[short] * (1.0 / reaches[short] - 1.0)
        return extra

    def _first_prices(self, caps: FloatArray, level: float, least_cost: float, most_cost: float) -> FloatArray:
        """Prices that are geometric between the ends of what cycles below the level can have, and those known from before."""
        least_cost = max(least_cost, float(self._graph.gaps[self._graph.raising].min()))
        most_cost = min(most_cost, float(caps.sum()))
        low, high = level / most_cost, 4.0 * level / least_cost
        count = 2 + int(math.log(high / low) / math.log(COARSE))
        prices = np.append(np.geomspace(low, high, count), high * HIGHER)
        known = self._known[(self._known > low) & (self._known < high)]
        return np.sort(np.concatenate((prices, _apart(known, prices, FINE))))


def _thinned(prices: FloatArray, distance: float) -> FloatArray:
    """Prices of which no two are closer than the relative distance."""
    prices = np.sort(prices)
    kept: list[float] = []
    for price in prices.tolist():
        if not kept or price > (1.0 + distance) * kept[-1]:
            kept.append(price)
    return np.array(kept)


def _apart(fresh: FloatArray, prices: FloatArray, distance: float) -> FloatArray:
    """Those of the fresh prices that are not next to a known one, thinned."""
    fresh = _thinned(fresh, distance)
    if not len(prices):
        return fresh
    at = np.searchsorted(prices, fresh)
    below = fresh / prices[np.maximum(at - 1, 0)]
    above = prices[np.minimum(at, len(prices) - 1)] / fresh
    nearest = np.minimum(np.maximum(below, 1.0 / below), np.maximum(above, 1.0 / above))
    return fresh[nearest > 1.0 + distance]
