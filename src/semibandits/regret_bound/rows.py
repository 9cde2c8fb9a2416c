"""The constraints of a block, one row for each cycle of the pool: what flows leave open of them.

A cycle C has the row ``1 / F_C(flow) <= 1``, F_C being the least information for which its items could look good enough to close
its gap (:mod:`semibandits.regret_bound.raises`). Both sides of it are homogeneous in the flow, and the left one is convex. For
Gaussian rewards without a known bound it is ``sum of v / flow / gap^2``, v = 2 sigma^2, and there are fast searches and bounds
for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.kernels.cycles import weighted_arc_totals
from semibandits.kernels.separation import repair
from semibandits.regret_bound.bounds import LowerBound, lower_bound, value_of
from semibandits.regret_bound.cycles import CyclePool, Cycles
from semibandits.regret_bound.lower_certificate import ItemGraph
from semibandits.regret_bound.lower_certificate import lower_bound as bound_by_raises
from semibandits.regret_bound.presolve import Block
from semibandits.regret_bound.price_search import search_prices
from semibandits.regret_bound.raises import Raises
from semibandits.regret_bound.rates import rates_shared
from semibandits.regret_bound.separation import Separator, Violations

BATCHES = 15
"""Steps of a repair."""


@dataclass(frozen=True, eq=False)
class Local:
    """The rows of the pool at a flow.

    Attributes
    ----------
    values : ndarray of float, shape (k,)
        1/F of each cycle.
    slopes, curvature : ndarray of float, shape (number of entries of the pool's cycles,)
        By how much a row falls per unit of flow on the arc of each entry, and the diagonal of its Hessian.
    pulls : ndarray of float, shape (number of entries,), or None
        The Hessian of a row is the diagonal, ``2 F slopes slopes'``, and less ``pulls pulls'``; None if the two cancel out.
    by_arc, by_row : ndarray of float, shapes (a,) and (k,), or None
        Where slopes are products of a number for the arc and one for the row, these.
    """

    values: FloatArray
    slopes: FloatArray
    curvature: FloatArray
    pulls: FloatArray | None = None
    by_arc: FloatArray | None = None
    by_row: FloatArray | None = None


class Rows(ABC):
    """The rows of a block over a pool of cycles that grows and shrinks."""

    keeps_positive: ClassVar[bool]
    """Whether rows keep the flow of every arc with an item positive."""
    repairs: ClassVar[int]
    """How often a flow is repaired and searched again."""

    def __init__(self, block: Block, pool: CyclePool) -> None:
        self.block, self.pool = block, pool

    @staticmethod
    def of(block: Block, pool: CyclePool, deadline: float) -> Rows:
        """The rows for the law of the block's items; searches end at the value `deadline` of `tiers.seconds`."""
        kind = GaussianRows if block.items.law.is_quadratic else LawRows
        return kind(block, pool, deadline)

    @abstractmethod
    def ratios(self, cycles: Cycles, flow: FloatArray) -> FloatArray:
        """1/F of any cycles: at most 1 where the constraint holds."""

    @abstractmethod
    def local(self, flow: FloatArray) -> Local:
        """The rows of the pool at a flow."""

    @abstractmethod
    def value(self, multipliers: FloatArray, potentials: FloatArray) -> float:
        """About the lower bound that `lower` proves."""

    @abstractmethod
    def lower(self, multipliers: FloatArray, potentials: FloatArray) -> LowerBound:
        """Lower bound from multipliers of the rows of the pool, at the last flow, and a change of potentials."""

    @abstractmethod
    def enough(self, flow: FloatArray) -> FloatArray:
        """A flow that violates nothing, whatever cycles there are, from one with what each item alone may need at least."""

    @abstractmethod
    def search(self, flow: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """Cycles with a ratio above the threshold; `backwards` finds others where rows keep flows positive."""

    @abstractmethod
    def repair(self, flow: FloatArray, cycles: Cycles, margin: float) -> None:
        """Add flow along these cycles until they are violated no more, by the margin (in place)."""

    def on_arcs(self, entries: FloatArray, multipliers: FloatArray) -> FloatArray:
        """Sum over the entries of each arc, times the multipliers of their rows."""
        cycles = self.pool.cycles
        return weighted_arc_totals(cycles.ptr, cycles.arcs, entries, multipliers, len(self.block.gaps))

    def values(self, flow: FloatArray) -> FloatArray:
        """The rows of the pool."""
        return self.ratios(self.pool.cycles, flow)

    def binding(self, cycles: Cycles) -> Cycles:
        """Those of the cycles that ask for anything."""
        return cycles


class GaussianRows(Rows):
    """In closed form."""

    keeps_positive = True
    repairs = 6

    def __init__(self, block: Block, pool: CyclePool, deadline: float) -> None:
        super().__init__(block, pool)
        self._separator = Separator(block, deadline)

    def ratios(self, cycles: Cycles, flow: FloatArray) -> FloatArray:
        """See `Rows.ratios`."""
        gaps = self.pool.squared_gaps if cycles is self.pool.cycles else cycles.sums(self.block.graph.costs) ** 2
        ratios: FloatArray = cycles.sums(self.block.open_information(flow)) / gaps
        return ratios

    def local(self, flow: FloatArray) -> Local:
        """See `Rows.local`."""
        cycles = self.pool.cycles
        by_arc, by_row = self.block.twice_variance / flow**2, 1.0 / self.pool.squared_gaps
        slopes = by_arc[cycles.arcs] * by_row[cycles.rows]
        return Local(self.values(flow), slopes, 2.0 * slopes / flow[cycles.arcs], by_arc=by_arc, by_row=by_row)

    def value(self, multipliers: FloatArray, potentials: FloatArray) -> float:
        """See `Rows.value`."""
        gaps = self.pool.squared_gaps
        return value_of(self.block, self.pool.cycles, gaps, multipliers / gaps, potentials)

    def lower(self, multipliers: FloatArray, potentials: FloatArray) -> LowerBound:
        """See `Rows.lower`."""
        gaps = self.pool.squared_gaps
        return lower_bound(self.block, self.pool.cycles, gaps, multipliers / gaps, potentials)

    def enough(self, flow: FloatArray) -> FloatArray:
        """No item of a cycle leaves more than gap^2 open, and there are at most so many on one (theory T5)."""
        return min(self.block.graph.n, int(self.block.informative.sum())) * flow

    def search(self, flow: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """See `Rows.search`."""
        return self._separator.search(self.block.open_information(flow), threshold, backwards=backwards)

    def repair(self, flow: FloatArray, cycles: Cycles, margin: float) -> None:
        """The worst first, one by one."""
        order = np.argsort(-self.ratios(cycles, flow), kind="stable")
        repair(flow, self.block.graph.costs, self.block.twice_variance, cycles.ptr, cycles.arcs, order, margin)


class LawRows(Rows):
    """For any law, through its cheapest raises."""

    keeps_positive = False
    repairs = 2

    def __init__(self, block: Block, pool: CyclePool, deadline: float) -> None:
        super().__init__(block, pool)
        graph, least_gap = block.graph, float(block.gaps[block.informative].min())
        self._graph = ItemGraph(graph.n, graph.tails, graph.heads, graph.costs, block.items, least_gap)
        self._known, self._flow = Cycles.empty(), np.ones(len(block.gaps))
        self._last = self._raises(pool.cycles, self._flow)

    def ratios(self, cycles: Cycles, flow: FloatArray) -> FloatArray:
        """See `Rows.ratios`."""
        return 1.0 / self._raises(cycles, flow).values

    def _raises(self, cycles: Cycles, flow: FloatArray) -> Raises:
        """The cheapest raises; those of the pool are looked up if the flow is the last one."""
        gaps, items = cycles.sums(self.block.graph.costs), self.block.items
        if cycles is not self.pool.cycles:
            return items.raises(cycles, gaps, flow)
        if cycles is not self._known or not np.array_equal(flow, self._flow):
            guesses = self.pool.prices
            if cycles is self._known:
                # Prices follow the flow: to first order by its mean growth, weighed by how much raises yield.
                with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                    yielding = self._last.slopes / self._flow[cycles.arcs]
                    growth = cycles_sums(cycles, yielding * (flow / self._flow)[cycles.arcs])
                    guesses = guesses * growth / cycles_sums(cycles, yielding)
            self._last = items.raises(cycles, gaps, flow, guesses)
            self._known, self._flow, self.pool.prices = cycles, flow.copy(), self._last.prices
        return self._last

    def local(self, flow: FloatArray) -> Local:
        """See `Rows.local`."""
        cycles = self.pool.cycles
        found = self._raises(cycles, flow)
        rows, played = cycles.rows, flow[cycles.arcs]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = 1.0 / found.values
            slopes = found.divergences * (values**2)[rows]
            yielding = found.slopes / played
            pull = found.prices[rows] * yielding / played
            curvature = found.prices[rows] * pull / played * (values**2)[rows]
            total = cycles_sums(cycles, yielding)
            pulls = pull * np.where(total > 0.0, values / np.sqrt(np.where(total > 0.0, total, 1.0)), 0.0)[rows]
        return Local(values, slopes, curvature, pulls)

    def value(self, multipliers: FloatArray, potentials: FloatArray) -> float:
        """See `Rows.value`."""
        return self._bound(multipliers, quick=True).value

    def lower(self, multipliers: FloatArray, potentials: FloatArray) -> LowerBound:
        """See `Rows.lower`; the potentials are not needed."""
        return self._bound(multipliers, quick=False)

    def _bound(self, multipliers: FloatArray, *, quick: bool) -> LowerBound:
        last = self._last
        return bound_by_raises(self._graph, self.pool.cycles, last.raises, multipliers / last.values**2, quick=quick)

    def enough(self, flow: FloatArray) -> FloatArray:
        """By the first flow, or the cheapest cycle through each item, at the rates that items need however many share a gap.

        Raises that add up to the gap of a cycle of k items are at least gap/k for one of them, whose own gap is no larger.
        """
        block, on = self.block, self.block.informative
        needs = rates_shared(*block.items.alone, block.gaps[on], min(block.graph.n, int(on.sum())))
        flows = (float((needs / flow[on]).max()) * flow, block.cheapest.totals(needs, len(flow)))
        return min(flows, key=lambda one: float(block.graph.costs @ one))

    def search(self, flow: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """See `Rows.search`."""
        return search_prices(self.block, flow, threshold)

    def repair(self, flow: FloatArray, cycles: Cycles, margin: float) -> None:
        """In batches of cycles that share no arc, the worst first, by steps of Newton's method in the flow along each."""
        wanted = 1.0 / (1.0 - margin)
        for _ in range(BATCHES):
            found = self._raises(cycles, flow)
            chosen = _apart(cycles, np.argsort(found.values, kind="stable"), found.values < 1.0, len(flow))
            if not chosen.any():
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                more = (wanted - found.values) / cycles_sums(cycles, found.divergences)
            more = np.where(chosen & np.isfinite(more), more, 0.0)
            np.add.at(flow, cycles.arcs, more[cycles.rows])

    def binding(self, cycles: Cycles) -> Cycles:
        """Those whose gap is within reach."""
        return cycles.select(np.isfinite(self._raises(cycles, np.ones(len(self.block.gaps))).values))


def cycles_sums(cycles: Cycles, entries: FloatArray) -> FloatArray:
    """Sum over each cycle of a number for each of its entries."""
    return np.bincount(cycles.rows, entries, len(cycles)).astype(np.float64)


def _apart(cycles: Cycles, order: np.ndarray, wanted: BoolArray, n_arcs: int) -> BoolArray:
    """Wanted cycles no two of which share an arc, taken in this order."""
    taken, chosen = np.zeros(n_arcs, dtype=np.bool_), np.zeros(len(cycles), dtype=np.bool_)
    for k in order[wanted[order]]:
        arcs = cycles[k]
        if not taken[arcs].any():
            taken[arcs] = True
            chosen[k] = True
    return chosen
