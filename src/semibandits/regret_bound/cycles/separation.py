"""Search for cycles of a block that a flow violates."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.graphs.exchange import distances_to
from semibandits.kernels.machine import tiers
from semibandits.kernels.solver.separation import diverse, hub_walks, split_into_cycles
from semibandits.kernels.solver.verification import worst_closed_walk
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import Block, Digraph

MAX_LABELS = 6_000_000
"""Largest number of labels of one search, with a peak memory of about 400 MB."""
FIRST_LABELS = 200_000
"""Labels of a first attempt, or 200 per arc if larger. For flows far from feasible, a search for their worst cycles is enough."""
HOPELESS = 1e30
"""Threshold above which a search that runs out of labels is given up."""
LEAN = 1.0
"""Thinning of the label fronts of graphs with a hub: thinner fronts give fewer labels, fewer cuts and smaller masters."""
RISE = 0.1
"""Share of the largest excess found that cycles must exceed in the first search of a flow."""
ROUNDING = 1e-12
"""Relative slack of thresholds and of distances, far above their rounding."""
MOST_DISTANCES = 8_000_000
"""Number of distances that a search keeps."""
PER_ARC = 100
USES = 5


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


class Separator(ABC):
    """Search of one block for cycles with ``u(C) > threshold * gap^2``, until a deadline."""

    def __init__(self, block: Block, deadline: float, max_labels: int) -> None:
        self._graph, self._deadline, self._max_labels = block.graph, deadline, max_labels

    @staticmethod
    def of(block: Block, deadline: float = math.inf, max_labels: int = MAX_LABELS) -> Separator:
        """The search for a graph with a hub or without."""
        kind = HubSeparator if block.graph.has_hub else NodeSeparator
        return kind(block, deadline, max_labels)

    @abstractmethod
    def search(self, u: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """Cycles above the threshold. If this needs too many labels, the threshold is increased.

        `ratio` is always a valid bound: the largest ratio found; the threshold of the search, if no cycle exceeds it; or
        infinity, if time or labels ran out. Searching `backwards` finds different cycles in a graph with a hub.
        """

    def _late(self) -> bool:
        return tiers.seconds() > self._deadline


class HubSeparator(Separator):
    """Search from the hub, forwards or on the reversed graph, which finds different cycles of the same fronts."""

    def __init__(self, block: Block, deadline: float, max_labels: int) -> None:
        super().__init__(block, deadline, max_labels)
        self._reversed = block.graph.reversed()

    def search(self, u: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """See `Separator.search`."""
        graph = self._reversed if backwards else self._graph
        labels = min(self._max_labels, max(FIRST_LABELS, 200 * len(u)))
        searched, found = threshold, _from_hub(graph, u, threshold, labels)
        while found is None:
            if self._late() or searched > HOPELESS:
                return Violations(math.inf, Cycles.empty(), np.empty(0))
            searched = _increased(searched)
            found = _from_hub(graph, u, searched, labels)
        # No violation above the increased threshold: lower it again, with more labels.
        while searched > threshold and not len(found.cycles) and not self._late():
            searched = 1.0 + (searched - 1.0) / 4.0 if searched > 1.03 else threshold
            closer = _from_hub(graph, u, searched, self._max_labels)
            if closer is None:
                break
            found = closer
        return found


def _from_hub(graph: Digraph, u: FloatArray, threshold: float, max_labels: int) -> Violations | None:
    ratio, ptr, arcs, ratios, labels = hub_walks(graph.arcs, graph.costs, u, threshold, LEAN, PER_ARC, max_labels)
    return Violations(ratio, Cycles(ptr, arcs), ratios) if labels >= 0 else None


class NodeSeparator(Separator):
    """Search from every node in turn, in a graph without a hub, for the worst closed walk from there, as the certificate does.

    Once a cycle is found, only cycles of at least a share of its excess are searched for: those of the worst kind are the cuts
    that matter, and the search takes less time the higher its threshold is. If u only decreases from one search to the next, as
    in repairs of a flow, nodes that started no violated cycle need no new search.
    """

    def __init__(self, block: Block, deadline: float, max_labels: int) -> None:
        super().__init__(block, deadline, max_labels)
        self._u, self._bounds = np.zeros(len(block.gaps)), np.full(block.graph.n, np.inf)
        self._distances: dict[int, FloatArray] = {}

    def search(self, u: FloatArray, threshold: float, *, backwards: bool = False) -> Violations:
        """See `Separator.search`."""
        graph, best, floor, rise = self._graph, threshold, threshold, 0.0
        if (u > self._u).any():
            self._bounds[:], rise = np.inf, RISE
        self._u, bounds, walks = u.copy(), self._bounds, []
        pending = bounds > threshold
        for start in np.flatnonzero(pending).tolist():
            distances = self._distances_to(start)
            while pending[start] and floor < HOPELESS and not self._late():
                least = floor + rise * (best - floor)
                worst, walk, _, is_done = worst_closed_walk(
                    start, graph.arcs, graph.costs, u, distances, least, ROUNDING, True, self._max_labels
                )
                if not is_done:
                    floor = _increased(floor)
                    pending &= bounds > floor
                    continue
                pending[start], bounds[start], best = False, worst, max(best, worst)
                if len(walk):
                    walks.append(walk[::-1])
        ptr = np.cumsum([0, *map(len, walks)])
        arcs = np.concatenate([np.empty(0, dtype=np.int64), *walks])
        cycles = Cycles(*split_into_cycles(ptr, arcs, graph.tails, graph.heads, graph.n))
        gaps = cycles.sums(graph.costs)
        violating = cycles.sums(u) > threshold * gaps**2
        cycles, gaps = cycles.select(violating), gaps[violating]
        ratios = cycles.sums(u) / gaps**2
        # A closed walk that passes a node twice may have a smaller ratio than a cycle in it.
        bound = max(floor, float(bounds.max()), float(ratios.max(initial=0.0)))
        return Violations(bound, cycles, ratios)

    def _distances_to(self, start: int) -> FloatArray:
        """Lower bounds on the costs of the ways from all nodes to one; kept as far as there is room, since costs never change."""
        known = self._distances.get(start)
        if known is None:
            graph = self._graph
            alive = np.ones(graph.n, dtype=np.bool_)
            known = (1.0 - ROUNDING) * distances_to(start, graph.arcs, graph.costs, alive)[0]
            if graph.n * len(self._distances) < MOST_DISTANCES:
                self._distances[start] = known
        return known


def _increased(threshold: float) -> float:
    """A threshold at which a search needs fewer labels."""
    return 1.0 + 4.0 * max(threshold - 1.0, 0.02)


def spread(found: Violations, n_arcs: int) -> Cycles:
    """The most violated cycles, each with an arc that few of the others use."""
    order = np.argsort(-found.ratios, kind="stable")
    return found.cycles.select(diverse(found.cycles.ptr, found.cycles.arcs, order, USES, n_arcs))
