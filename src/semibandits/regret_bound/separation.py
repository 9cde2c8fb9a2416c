"""Search for cycles of a block that a flow violates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels import tiers
from semibandits.kernels.separation import closed_walks, diverse, hub_walks, split_into_cycles
from semibandits.regret_bound.cycles import Cycles
from semibandits.regret_bound.presolve import Block, Digraph

MAX_LABELS = 6_000_000
"""Largest number of labels of one search, with a peak memory of about 400 MB."""
FIRST_LABELS = 200_000
"""Labels of a first attempt, or 200 per arc if larger. For flows far from feasible, a search for their worst cycles is enough."""
HOPELESS = 1e30
"""Threshold above which a search that runs out of labels is given up."""
LEAN = 1.0
"""Thinning of the label fronts of graphs with a hub: thinner fronts give fewer labels, fewer cuts and smaller masters."""
PER_ARC = 100
USES = 5
KEEP = 0.05


@dataclass(frozen=True, eq=False)
class Violations:
    """Result of a search: an upper bound `ratio` on u/gap^2 of all cycles, and some cycles above the threshold."""

    ratio: float
    cycles: Cycles
    ratios: FloatArray

    @property
    def excess(self) -> float:
        """Excess over 1 of the worst ratio."""
        worst = self.ratio if math.isfinite(self.ratio) else float(self.ratios.max(initial=0.0)) or math.inf
        return max(worst - 1.0, 0.0)


class Separator:
    """Search of one block, forwards or on the reversed graph, which finds different cycles of the same fronts."""

    def __init__(self, block: Block, deadline: float = math.inf, max_labels: int = MAX_LABELS) -> None:
        self._graph = block.graph
        self._deadline, self._max_labels = deadline, max_labels
        self._reversed = block.graph.reversed()

    def search(self, u: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """Cycles with ``u(C) > threshold * gap^2``. If this needs too many labels, the threshold is increased.

        `ratio` is always a valid bound: the largest ratio found; the threshold of the search, if no cycle exceeds it; or
        infinity, if time or labels ran out.
        """
        graph = self._reversed if backwards and self._graph.has_hub else self._graph
        labels = min(self._max_labels, max(FIRST_LABELS, 200 * len(u)))
        searched, found = threshold, _search(graph, u, threshold, labels)
        while found is None:
            if self._late() or searched > HOPELESS:
                return Violations(math.inf, Cycles.empty(), np.empty(0))
            searched = 1.0 + 4.0 * max(searched - 1.0, 0.02)
            found = _search(graph, u, searched, labels)
        # No violation above the increased threshold: lower it again, with more labels.
        while searched > threshold and not len(found.cycles) and not self._late():
            searched = 1.0 + (searched - 1.0) / 4.0 if searched > 1.03 else threshold
            closer = _search(graph, u, searched, self._max_labels)
            if closer is None:
                break
            found = closer
        return found

    def _late(self) -> bool:
        return tiers.seconds() > self._deadline


def _search(graph: Digraph, u: FloatArray, threshold: float, max_labels: int) -> Violations | None:
    if graph.has_hub:
        ratio, ptr, arcs, ratios, labels = hub_walks(graph.arcs, graph.costs, u, threshold, LEAN, PER_ARC, max_labels)
        return Violations(ratio, Cycles(ptr, arcs), ratios) if labels >= 0 else None
    ratio, ptr, arcs, labels = closed_walks(graph.arcs, graph.costs, u, threshold, KEEP, max_labels)
    if labels < 0:
        return None
    cycles = Cycles(*split_into_cycles(ptr, arcs, graph.tails, graph.heads, graph.n))
    gaps = cycles.sums(graph.costs)
    violating = cycles.sums(u) > threshold * gaps**2
    cycles, gaps = cycles.select(violating), gaps[violating]
    ratios = cycles.sums(u) / gaps**2
    # A closed walk that passes a node twice may have a smaller ratio than a cycle in it.
    return Violations(float(max(ratio, ratios.max(initial=0.0))), cycles, ratios)


def spread(found: Violations, n_arcs: int) -> Cycles:
    """The most violated cycles, each with an arc that few of the others use."""
    order = np.argsort(-found.ratios, kind="stable")
    return found.cycles.select(diverse(found.cycles.ptr, found.cycles.arcs, order, USES, n_arcs))
