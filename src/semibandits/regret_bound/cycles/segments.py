"""Cycles as sequences of parts that many of them share, for faster sums.

In a large grid, thousands of violated cycles differ in a few detours only. Cut at a random twelfth of the nodes, the millions of
entries of its cycles become a sixth as many: references to parts, and the arcs of each different part once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.graphs.cycles import arc_totals, cycle_sums, gram_product, part_starts
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import Digraph

LONG = 24
"""Mean number of arcs from which cycles are cut. Shorter ones share too little."""
MANY = 50_000
"""Number of entries from which cutting pays."""
NODES_A_PART = 12


@dataclass(frozen=True, eq=False)
class SharedParts:
    """Cycle k consists of the parts ``references[k]``, and part p of the arcs ``parts[p]``."""

    parts: Cycles
    references: Cycles
    n_arcs: int

    @staticmethod
    def of(cycles: Cycles, graph: Digraph) -> SharedParts | None:
        """The parts of cycles that are long and many; None for others."""
        return SharedParts.cut(cycles, graph) if len(cycles.arcs) >= max(MANY, LONG * len(cycles)) else None

    @staticmethod
    def cut(cycles: Cycles, graph: Digraph) -> SharedParts:
        """The parts of these cycles."""
        random = np.random.default_rng(0)
        marked = random.random(graph.n) < 1.0 / NODES_A_PART
        starts, first = part_starts(cycles.ptr, cycles.arcs, graph.tails, graph.heads, marked)
        # The key of a part is the sum of random marks of its arcs, whatever their order.
        keys = np.add.reduceat(random.integers(1, 2**62, len(graph.costs))[cycles.arcs], starts)
        _, kept, references = np.unique(keys, return_index=True, return_inverse=True)
        ends = np.append(starts, len(cycles.arcs))[1:]
        ptr = np.concatenate(([0], np.cumsum((ends - starts)[kept])))
        arcs = cycles.arcs[np.repeat(starts[kept] - ptr[:-1], np.diff(ptr)) + np.arange(ptr[-1])]
        return SharedParts(Cycles(ptr, arcs), Cycles(first, references.astype(np.int64)), len(graph.costs))

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of arc values over each cycle."""
        return cycle_sums(self.references.ptr, self.references.arcs, self.parts.sums(values))

    def totals(self, per_cycle: FloatArray) -> FloatArray:
        """Sum of cycle values over the cycles through each arc."""
        on_parts = arc_totals(self.references.ptr, self.references.arcs, per_cycle, len(self.parts))
        return self.parts.totals(on_parts, self.n_arcs)

    def gram_product(self, weights: FloatArray, values: FloatArray) -> FloatArray:
        """R' W R times arc values, for the 0/1 matrix R with a row for each cycle."""
        inner, none = self.parts.sums(values), np.empty(0)
        on_parts = gram_product(self.references.ptr, self.references.arcs, none, weights, inner)
        return self.parts.totals(on_parts, self.n_arcs)
