"""Data of a solve over circulations for a warm start at a similar theta.

Rates and multipliers are stored per cycle and without units: a cycle of gap D used at rate r is stored as ``r D^2``, one with
multiplier mu as ``mu D``. For exchanges that share no items these do not depend on theta, so they are a good guess after all gaps
have changed. They only serve as a start: all bounds are computed anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.lists import Decisions
from semibandits.kernels.graphs.cycles import are_simple
from semibandits.kernels.solver.newton import tree_potentials
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.master import Chords, starting_rates
from semibandits.regret_bound.cycles.presolve import Block

NEGLIGIBLE = 1e-2
"""Cycles with a multiplier below this share of the mean are not stored."""
RARELY = 1e-3
"""An arc counts as one without flow if its flow is below this share of the least rate of its item."""


@dataclass(frozen=True, eq=False)
class Memory:
    """Cycles of the exchange graph of an earlier solve, without their arcs of zero gap."""

    decision: BoolArray  # (d,): the optimal decision of that solve
    entering: IntArray  # (a,): item that enters on each arc of its exchange graph, or -1
    # Cycles that carried flow, and the rate of each times its squared gap.
    used: Cycles
    shares: FloatArray
    # Cycles whose constraints proved the lower bound, and the multiplier of each times its gap.
    binding: Cycles
    weights: FloatArray
    played: Decisions  # decisions of the plan, known to be in the decision set

    @staticmethod
    def of(
        graph: ExchangeGraph, used: Cycles, rates: FloatArray, binding: Cycles, multipliers: FloatArray, played: Decisions
    ) -> Memory:  # fmt: skip
        """Store the rates and the larger multipliers at the costs of `graph`."""
        keep = multipliers > NEGLIGIBLE * multipliers.sum() / max(len(multipliers), 1)
        return Memory(
            decision=graph.decision,
            entering=graph.entering,
            used=used,
            shares=rates * used.sums(graph.costs) ** 2,
            binding=binding.select(keep),
            weights=(multipliers * binding.sums(graph.costs))[keep],
            played=played,
        )

    def starts(self, graph: ExchangeGraph, blocks: tuple[Block, ...]) -> list[Start | None]:
        """Start of each block of the new exchange graph, or None if no stored constraint lies in it.

        If the optimal decision has changed, arcs are identified by the item that enters. Cycles that are no longer simple cycles
        of a block are dropped.
        """
        if np.array_equal(graph.decision, self.decision) and np.array_equal(graph.entering, self.entering):
            arc_of = np.arange(graph.n_arcs)
        else:
            arc_of_item = np.full(len(graph.decision) + 1, -1, dtype=np.int64)
            with_item = np.flatnonzero(graph.entering >= 0)
            arc_of_item[graph.entering[with_item]] = with_item
            arc_of = arc_of_item[self.entering]
        block_of = np.full(graph.n_arcs + 1, -1, dtype=np.int64)
        number = np.full(graph.n_arcs + 1, -1, dtype=np.int64)
        for b, block in enumerate(blocks):
            block_of[block.arcs] = b
            number[block.arcs] = np.arange(len(block.arcs))
        families = [(self.used, self.shares), (self.binding, self.weights)]
        arcs = [arc_of[cycles.arcs] for cycles, _ in families]
        homes = [_common(cycles.ptr, block_of[a]) for (cycles, _), a in zip(families, arcs, strict=True)]
        starts: list[Start | None] = []
        for b, block in enumerate(blocks):
            (used, shares), (binding, weights) = (
                _within(block, Cycles(cycles.ptr, number[a]), values, home == b)
                for (cycles, values), a, home in zip(families, arcs, homes, strict=True)
            )
            starts.append(Start.of(block, used, shares, binding, weights) if len(binding) else None)
        return starts


@dataclass(frozen=True, eq=False)
class DecisionMemory:
    """Decisions of the last master problem of an earlier solve by columns, shape (k, d)."""

    decisions: BoolArray


@dataclass(frozen=True, eq=False)
class Start:
    """A guess of the solution of a block: a flow that is positive on arcs with an item, and multipliers of some cycles."""

    flow: FloatArray
    cycles: Cycles
    squared_gaps: FloatArray
    multipliers: FloatArray

    @staticmethod
    def of(block: Block, used: Cycles, shares: FloatArray, binding: Cycles, weights: FloatArray) -> Start:
        """The guess at the gaps of the block. For arcs with an item on no used cycle, the cheapest cycle through them is added.

        The flow is scaled so that the constraints, weighted by their multipliers, hold on average. If rates and multipliers have
        a small relative error e, the cost then has an error of only about e^2, though constraints may be violated by e.
        """
        costs = block.graph.costs
        flow = used.totals(shares / used.sums(costs) ** 2, len(costs))
        need = starting_rates(block)
        dry = flow[block.informative] < RARELY * need
        flow += block.cheapest.totals(np.where(dry, need, 0.0), len(costs))
        gaps = binding.sums(costs)
        multipliers = weights / gaps**3
        mean = float(multipliers @ binding.sums(block.open_information(flow))) / float(multipliers @ gaps**2)
        return Start(mean * flow, binding, gaps**2, multipliers)

    def potentials(self, block: Block) -> FloatArray:
        """Potentials with which prices are ``v y / f^2`` on the largest flows, as in a solution."""
        tree = Chords.of_lightest(block, self.flow).tree
        y = block.twice_variance * self.cycles.totals(self.multipliers, len(self.flow))
        prices = y / np.where(self.flow > 0.0, self.flow, 1.0) ** 2  # y is 0 where the flow is
        return -tree_potentials(tree, prices - block.graph.costs)


def _common(ptr: IntArray, labels: IntArray) -> IntArray:
    """The common label of the arcs of each cycle, or -1 if labels differ."""
    if len(ptr) == 1:
        return np.empty(0, dtype=np.int64)
    low, high = np.minimum.reduceat(labels, ptr[:-1]), np.maximum.reduceat(labels, ptr[:-1])
    return np.where(low == high, low, -1)


def _within(block: Block, cycles: Cycles, values: FloatArray, here: BoolArray) -> tuple[Cycles, FloatArray]:
    """The cycles of the mask `here` that are simple cycles of the block, and their values."""
    cycles, values = cycles.select(here), values[here]
    graph = block.graph
    simple = are_simple(cycles.ptr, cycles.arcs, graph.tails, graph.heads, graph.n)
    return cycles.select(simple), values[simple]
