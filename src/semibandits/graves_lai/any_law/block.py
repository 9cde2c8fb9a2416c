"""The loop over one block: master, search, until the bracket is narrow enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.graves_lai.any_law.certificate import lower_bound
from semibandits.graves_lai.any_law.master import InteriorPoint
from semibandits.graves_lai.any_law.search import Found, Graph, Searcher
from semibandits.graves_lai.arc_items import ArcItems
from semibandits.graves_lai.cycles import CyclePool, Cycles
from semibandits.graves_lai.presolve import Block
from semibandits.graves_lai.rates import first_rates, rates_shared
from semibandits.kernels import tiers
from semibandits.kernels.separation import diverse

MAX_ROUNDS = 60
PATIENCE = 3
"""Rounds in a row after which to stop if a search that was broken off finds no more cycles."""
USES = 8
SLACK = 4.0
"""Cycles of the pool with more information than this after a round, the least of all being 1, are dropped."""
TRACE = 0.05
"""Share of the gap that the trace of the first flow costs."""


@dataclass
class BlockSolution:
    """Bracket of a block so far: ``lower <= C <= upper``, and `flow` costs `upper` (up to the final verification).

    `cycles`, `rises` and `multipliers` prove the lower bound.
    """

    flow: FloatArray
    upper: float
    lower: float
    cycles: Cycles
    rises: FloatArray
    multipliers: FloatArray
    rounds: int = 0

    @property
    def gap(self) -> float:
        """Relative width of the bracket."""
        return 1.0 - self.lower / self.upper if self.upper > 0.0 else 0.0


class BlockSolver:
    """Solves one block to a relative gap.

    Parameters
    ----------
    block : Block
    items : ArcItems
        On the arcs of the block.
    gap : float
        Relative gap to reach.
    deadline : float
        Value of `semibandits.kernels.tiers.seconds` at which to stop.
    report : callable
        Called with the solution so far after each round.
    """

    def __init__(
        self, block: Block, items: ArcItems, gap: float, deadline: float, report: Callable[[BlockSolution], None]
    ) -> None:
        graph = block.graph
        self._block, self._gap, self._deadline, self._report = block, gap, deadline, report
        self._graph = Graph(graph.n, graph.tails, graph.heads, graph.costs, block.gaps, items, graph.has_hub)
        self._searcher = Searcher(self._graph, deadline)
        self._least_gap = float(block.gaps[self._graph.raising].min(initial=np.inf))
        nothing = (Cycles.empty(), np.empty(0), np.empty(0))
        self.solution = BlockSolution(np.zeros(len(graph.costs)), np.inf, 0.0, *nothing)
        self._pool = CyclePool(graph.costs)
        self._add(block.cheapest)

    def solve(self) -> BlockSolution:
        """Run rounds until the gap is reached, time is up, or nothing new is found."""
        start = self._first = self._starting_flow()
        self._bound_above_without_search()
        if not len(self._pool):
            found = self._searcher.search(np.zeros(len(start)), 1.0)
            self._add(found.cycles)
            if not len(self._pool):
                if found.least > 0.0:
                    self.solution.flow, self.solution.upper = np.zeros(len(start)), 0.0
                return self.solution
        master = InteriorPoint(self._graph, self._block, start)
        accuracy, hopeless = 1e-3, 0
        for _ in range(MAX_ROUNDS):
            excess, added = self._round(master, accuracy)
            self._report(self.solution)
            if self.solution.gap <= self._gap or tiers.seconds() > self._deadline:
                break
            # The search takes too many labels to prove enough, and a better flow does not change that.
            hopeless = hopeless + 1 if not added and excess > self._gap else 0
            if hopeless == PATIENCE or (not added and accuracy < 1e-9):
                break
            accuracy = max(1e-10, min(accuracy, 0.1 * excess, 0.05 * self._gap if not added else 1.0))
            accuracy = max(accuracy, 0.05 * self._gap) if added else accuracy
            if not added:
                accuracy *= 0.1
        return self.solution

    def _bound_above_without_search(self) -> None:
        """An upper bound from the rates that each item needs at most: by the first flow, or the cheapest cycle through each.

        Raises that add up to the gap of a cycle of k items are at least gap/k for one of them, whose own gap is no larger.
        """
        graph, first = self._graph, self._first
        raising, count = graph.raising, min(graph.n, int(graph.raising.sum()))
        needs = rates_shared(*graph.items.alone, graph.gaps[raising], count)
        flows = (float((needs / first[raising]).max()) * first, self._block.cheapest.totals(needs, len(first)))
        self.solution.flow = min(flows, key=lambda flow: float(graph.costs @ flow))
        self.solution.upper = float(graph.costs @ self.solution.flow)

    def _round(self, master: InteriorPoint, accuracy: float) -> tuple[float, int]:
        """One round; by how much the flow violated a cycle, and the number of new cycles."""
        cycles = self._pool.cycles
        proposal = master.solve(cycles, accuracy, self._deadline)
        self.solution.rounds += 1
        graph = self._graph
        # Flows next to 0 make raises that lose their digits; a trace of the first flow keeps off.
        trace = TRACE * self._gap * float(graph.costs @ proposal.flow) / float(graph.costs @ self._first)
        flow = proposal.flow + trace * self._first
        raises = graph.raises(cycles, flow, proposal.prices)
        lower, multipliers = lower_bound(
            graph.n, graph.tails, graph.heads, graph.costs, graph.items, cycles, raises.rises, proposal.multipliers,
            self._least_gap,
        )  # fmt: skip
        solution = self.solution
        if lower > solution.lower:
            solution.lower, solution.cycles = lower, cycles
            solution.rises, solution.multipliers = raises.rises, multipliers
        least = float(raises.values.min())
        if not 0.0 < least < np.inf:
            return 1.0, 0  # gaps that are rounding beside 1 leave no digits
        found = self._search(flow / least)
        self._pool.keep(raises.values < SLACK * least)
        return max(1.0 - found.least, 0.0), len(self._add(self._spread(found)))

    def _search(self, flow: FloatArray) -> Found:
        """Cycles that the flow violates, and the upper bound that follows."""
        cost = float(self._graph.costs @ flow)
        level = 1.0 - 0.02 * self._gap
        found = self._searcher.search(flow, level, fine=False)
        near = 1.0 - self.solution.lower / cost < 3.0 * self._gap
        if not len(found.cycles) and (near or found.least <= 0.0):
            found = self._searcher.search(flow, level)
        if found.least > 0.0 and cost / found.least < self.solution.upper:
            self.solution.upper, self.solution.flow = cost / found.least, flow / found.least
        return found

    def _spread(self, found: Found) -> Cycles:
        """The most violated cycles, each of which brings an arc that few of the others use."""
        order = np.argsort(found.values, kind="stable")
        return found.cycles.select(diverse(found.cycles.ptr, found.cycles.arcs, order, USES, len(self._graph.costs)))

    def _add(self, cycles: Cycles) -> Cycles:
        """Take those cycles into the pool that say something and are new."""
        room = cycles.sums(self._graph.items.room)
        finite = np.isfinite(self._graph.raises(cycles, np.ones(len(self._graph.costs))).values)
        return self._pool.add(cycles.select(finite & (room > 0.0)))

    def _starting_flow(self) -> FloatArray:
        """On the cheapest cycle through each arc, the least that its item alone may need: positive on all arcs."""
        graph = self._graph
        wanted = np.ones(len(graph.costs), dtype=np.bool_)
        gaps, cheapest = self._block.graph.cheapest_cycles(wanted)
        needs = np.zeros(len(gaps))
        needs[graph.raising] = first_rates(*graph.items.alone, gaps[graph.raising])
        plain = ~graph.raising
        if plain.any():
            needs[plain] = 0.1 * float(needs @ gaps) / len(gaps) / gaps[plain]
        return cheapest.totals(needs, len(gaps))
