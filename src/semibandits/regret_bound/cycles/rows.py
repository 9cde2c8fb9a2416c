"""The constraints of a block, one row for each cycle of the pool.

A cycle C has the row ``1 / F_C(flow) <= 1``, with F_C the least information against raises of its items that close its gap
(:mod:`semibandits.regret_bound.raises`). The left side is convex and homogeneous in the flow. For Gaussian rewards without a
known bound it is ``sum of v / flow / gap^2``, v = 2 sigma^2, for which there are fast searches and bounds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.machine import tiers
from semibandits.kernels.solver.separation import repair
from semibandits.regret_bound.certificates.cycle_ratios import ratio_bound
from semibandits.regret_bound.certificates.lower import ItemGraph
from semibandits.regret_bound.certificates.lower import lower_bound as bound_by_raises
from semibandits.regret_bound.cycles.bounds import LowerBound, lower_bound, value_of
from semibandits.regret_bound.cycles.cycles import CyclePool, Cycles
from semibandits.regret_bound.cycles.local import GaussianLocal, LawLocal, Local
from semibandits.regret_bound.cycles.presolve import Block
from semibandits.regret_bound.cycles.price_search import search_prices
from semibandits.regret_bound.cycles.segments import SharedParts
from semibandits.regret_bound.cycles.separation import Separator, Violations
from semibandits.regret_bound.raises import Raises
from semibandits.regret_bound.rates import rates_shared
from semibandits.regret_bound.timing import SHORTLY

FEW_REPAIRS, MANY_REPAIRS = 6, 20
"""Number of repairs of Gaussian rows, and the number for graphs with a hub, in which searches are fast."""
BATCHES = 15
"""Number of batches of a repair."""


class Rows(ABC):
    """The rows of a block over a changing pool of cycles."""

    keeps_positive: ClassVar[bool]
    """Whether rows keep the flow of every arc with an item positive."""
    repairs: int
    """Number of times that a flow is repaired and searched again."""

    def __init__(self, block: Block, pool: CyclePool) -> None:
        self.block, self.pool = block, pool

    @staticmethod
    def of(block: Block, pool: CyclePool, deadline: float) -> Rows:
        """The rows for the law of the items of the block. Searches end at the value `deadline` of `tiers.seconds`."""
        kind = GaussianRows if block.items.law.is_quadratic else LawRows
        return kind(block, pool, deadline)

    @abstractmethod
    def ratios(self, cycles: Cycles, flow: FloatArray) -> FloatArray:
        """1/F of any cycles, at most 1 if the constraint holds."""

    @abstractmethod
    def local(self, flow: FloatArray) -> Local:
        """The rows of the pool at a flow."""

    @abstractmethod
    def value(self, multipliers: FloatArray, potentials: FloatArray) -> float:
        """Approximation of the lower bound that `lower` proves."""

    @abstractmethod
    def lower(self, multipliers: FloatArray, potentials: FloatArray) -> LowerBound:
        """Lower bound from multipliers of the rows of the pool at the last flow, and a change of potentials."""

    @abstractmethod
    def enough(self, flow: FloatArray) -> FloatArray:
        """A flow that satisfies the constraints of all cycles, from one that carries at least what each item needs alone."""

    @abstractmethod
    def search(self, flow: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """Cycles with a ratio above the threshold. If rows keep flows positive, `backwards` finds different ones."""

    def bound(self, flow: FloatArray) -> float:
        """An upper bound on the ratio 1/F of all cycles without a search; inf if none is known."""
        return math.inf

    @abstractmethod
    def repair(self, flow: FloatArray, cycles: Cycles, margin: float) -> None:
        """Add flow along these cycles, in place, until their constraints hold with this margin."""

    def values(self, flow: FloatArray) -> FloatArray:
        """The rows of the pool."""
        return self.ratios(self.pool.cycles, flow)

    def binding(self, cycles: Cycles) -> Cycles:
        """The cycles whose constraint is not empty."""
        return cycles


class GaussianRows(Rows):
    """Rows of Gaussian items without a known bound, in closed form."""

    keeps_positive = True

    def __init__(self, block: Block, pool: CyclePool, deadline: float) -> None:
        super().__init__(block, pool)
        self._separator = Separator.of(block, deadline)
        self.repairs = MANY_REPAIRS if block.graph.has_hub else FEW_REPAIRS
        self._cut: Cycles | None = None
        self._parts: SharedParts | None = None

    def ratios(self, cycles: Cycles, flow: FloatArray) -> FloatArray:
        """See `Rows.ratios`."""
        u = self.block.open_information(flow)
        if cycles is not self.pool.cycles:
            return cycles.sums(u) / cycles.sums(self.block.graph.costs) ** 2
        parts = self._parts if self._cut is cycles else None
        return (cycles.sums(u) if parts is None else parts.sums(u)) / self.pool.squared_gaps

    def local(self, flow: FloatArray) -> Local:
        """See `Rows.local`."""
        cycles = self.pool.cycles
        if self._cut is not cycles:
            self._cut, self._parts = cycles, SharedParts.of(cycles, self.block.graph)
        by_arc, by_row = self.block.twice_variance / flow**2, 1.0 / self.pool.squared_gaps
        return GaussianLocal(cycles, flow, self.values(flow), by_arc, by_row, self._parts)

    def value(self, multipliers: FloatArray, potentials: FloatArray) -> float:
        """See `Rows.value`."""
        gaps = self.pool.squared_gaps
        return value_of(self.block, self.pool.cycles, gaps, multipliers / gaps, potentials)

    def lower(self, multipliers: FloatArray, potentials: FloatArray) -> LowerBound:
        """See `Rows.lower`."""
        gaps = self.pool.squared_gaps
        return lower_bound(self.block, self.pool.cycles, gaps, multipliers / gaps, potentials)

    def enough(self, flow: FloatArray) -> FloatArray:
        """Multiply by a bound on the number of items per cycle, since v / flow <= gap^2 for each item (theory T5)."""
        return min(self.block.graph.n, int(self.block.informative.sum())) * flow

    def search(self, flow: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """See `Rows.search`."""
        return self._separator.search(self.block.open_information(flow), threshold, backwards=backwards)

    def bound(self, flow: FloatArray) -> float:
        """See `Rows.bound`."""
        block = self.block
        return ratio_bound(
            block.graph.arcs, block.graph.costs, block.gaps, block.open_information(flow), tiers.seconds() + SHORTLY
        )

    def repair(self, flow: FloatArray, cycles: Cycles, margin: float) -> None:
        """One cycle after the other, the worst first."""
        order = np.argsort(-self.ratios(cycles, flow), kind="stable")
        repair(flow, self.block.graph.costs, self.block.twice_variance, cycles.ptr, cycles.arcs, order, margin)


class LawRows(Rows):
    """Rows of any law, from cheapest raises."""

    keeps_positive = False
    repairs = 2

    def __init__(self, block: Block, pool: CyclePool, deadline: float) -> None:
        super().__init__(block, pool)
        self._deadline = deadline
        graph, least_gap = block.graph, float(block.gaps[block.informative].min())
        self._graph = ItemGraph(graph.n, graph.tails, graph.heads, graph.costs, block.items, least_gap)
        self._known, self._flow = Cycles.empty(), np.ones(len(block.gaps))
        self._last = self._raises(pool.cycles, self._flow)

    def ratios(self, cycles: Cycles, flow: FloatArray) -> FloatArray:
        """See `Rows.ratios`."""
        return 1.0 / self._raises(cycles, flow).values

    def _raises(self, cycles: Cycles, flow: FloatArray) -> Raises:
        """The cheapest raises. Those of the pool are cached for the last flow."""
        gaps, items = cycles.sums(self.block.graph.costs), self.block.items
        if cycles is not self.pool.cycles:
            return items.raises(cycles, gaps, flow)
        if cycles is not self._known or not np.array_equal(flow, self._flow):
            guesses = self.pool.prices
            if cycles is self._known:
                # To first order, prices grow with the flow: by its mean growth, weighted by the response of the raises.
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
        return LawLocal(cycles, flow, values, slopes, curvature, pulls)

    def value(self, multipliers: FloatArray, potentials: FloatArray) -> float:
        """See `Rows.value`."""
        return self._bound(multipliers, quick=True).value

    def lower(self, multipliers: FloatArray, potentials: FloatArray) -> LowerBound:
        """See `Rows.lower`; the potentials are not needed."""
        return self._bound(multipliers, quick=tiers.seconds() > self._deadline)

    def _bound(self, multipliers: FloatArray, *, quick: bool) -> LowerBound:
        last = self._last
        return bound_by_raises(self._graph, self.pool.cycles, last.raises, multipliers / last.values**2, quick=quick)

    def enough(self, flow: FloatArray) -> FloatArray:
        """Scale the flow, or use the cheapest cycle through each item, to rates that are enough for any number of items.

        If raises add up to the gap of a cycle of k items, one of them is at least gap/k, and the gap of its item is no larger.
        """
        block, on = self.block, self.block.informative
        needs = rates_shared(*block.items.alone, block.gaps[on], min(block.graph.n, int(on.sum())))
        flows = (float((needs / flow[on]).max()) * flow, block.cheapest.totals(needs, len(flow)))
        return min(flows, key=lambda one: float(block.graph.costs @ one))

    def search(self, flow: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """See `Rows.search`."""
        return search_prices(self.block, flow, threshold)

    def repair(self, flow: FloatArray, cycles: Cycles, margin: float) -> None:
        """Newton steps in the flow along each cycle, in batches of cycles that share no arc, the worst first."""
        wanted = 1.0 / (1.0 - margin)
        for _ in range(BATCHES):
            found = self._raises(cycles, flow)
            order = np.argsort(found.values, kind="stable")
            taken, chosen = np.zeros(len(flow), dtype=np.bool_), np.zeros(len(cycles), dtype=np.bool_)
            for k in order[found.values[order] < 1.0]:
                arcs = cycles[k]
                if not taken[arcs].any():
                    taken[arcs] = chosen[k] = True
            if not chosen.any():
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                more = (wanted - found.values) / cycles_sums(cycles, found.divergences)
            more = np.where(chosen & np.isfinite(more), more, 0.0)
            np.add.at(flow, cycles.arcs, more[cycles.rows])

    def binding(self, cycles: Cycles) -> Cycles:
        """The cycles whose gap is within reach."""
        return cycles.select(np.isfinite(self._raises(cycles, np.ones(len(self.block.gaps))).values))


def cycles_sums(cycles: Cycles, entries: FloatArray) -> FloatArray:
    """Sum of the entries of each cycle."""
    return np.bincount(cycles.rows, entries, len(cycles)).astype(np.float64)
