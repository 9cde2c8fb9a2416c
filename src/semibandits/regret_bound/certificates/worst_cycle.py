"""The worst cycle of given rates, a certificate of the upper bound on C(theta) that trusts no solver.

Rates w of a circulation become feasible when multiplied by rho, the largest ratio ``u(C)/gap(C)^2`` of a simple cycle C, with
u_i = 2 sigma_i^2 / w_i. So ``C(theta) <= rho * cost(w)``. :func:`worst_ratio` finds rho by an exact search over closed walks of
the exchange graph, in which only the hub is merged. Each closed walk contains a simple cycle of at least its own ratio: walks
split into cycles along which u and the gap add up, and sum gap^2 <= (sum gap)^2. The solver finds its cuts with the same kernel,
in graphs without a hub; what it found there is not used here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import check_numbers
from semibandits.kernels.graphs.exchange import Arcs, arcs_of, distances_to
from semibandits.kernels.machine import tiers
from semibandits.kernels.solver.separation import split_into_cycles
from semibandits.kernels.solver.verification import peel, worst_closed_walk
from semibandits.regret_bound.cycles.cycles import strong_components

EPSILON = float(np.finfo(np.float64).eps)
AT_ONCE, AT_ONCE_AN_ARC = 5_000_000, 100
"""Labels of the search from one node: this many, or this many per arc if that is more."""
WORTH = 0.05
"""Nodes are deleted as long as each deletion removes this share of those that are left."""
FIRST_LABELS = 1 << 18
"""Labels of the first attempt at a start node. The next ones have four times as many, and the clock is read in between."""


@dataclass(frozen=True, eq=False)
class Verification:
    """Outcome of a search for the worst cycle."""

    # No cycle has a larger ratio u(C)/gap(C)^2; inf if the search is not complete. Rounding is accounted for.
    ratio: float
    cycle: IntArray | None  # arcs of the worst one found, in order of travel; None if no cycle found has a ratio above `at_least`
    labels: int  # number of walks examined
    complete: bool  # whether the search is complete; if not, nothing is proved
    cycles: tuple[IntArray, ...] = ()  # all cycles found, parts of walks whose own ratio is above `at_least`


def worst_ratio(
    graph: ExchangeGraph, information: FloatArray, *, at_least: float, max_labels: int, deadline: float = math.inf,
    leaving: bool = False,
) -> Verification:  # fmt: skip
    """Find the largest ratio ``u(C)/gap(C)^2`` of a simple cycle C, or prove that none exceeds `at_least`.

    Here u(C) is the information on the items that enter and, with `leaving`, on those that leave. Without them, the nodes of the
    hub of the graph are merged. With them, a worst cycle is found for each start node that is searched from. `information`, shape
    (d,), is u_i = 2 sigma_i^2 / w_i of the items in I, 0 for others, in squared rewards. Ratios up to `at_least` >= 0 are not
    searched for; the search is faster the closer it is to the largest ratio. `max_labels` limits the total number of labels.
    Those of one node, of at most 60 bytes each, are in memory at once: 5 million, or 100 for each arc if that is more. If labels
    run out, or time at the value `deadline` of `tiers.seconds`, the result is not complete and its ratio infinite. An item with
    information on a cycle of cost 0 is refused.

    Theory T1, T3. Nodes are searched from by degree, the largest first. After the search from a node, the node and all nodes that
    are no longer on a cycle are deleted. Once this deletes few nodes, the others are searched from without deleting any, each for
    the closed walks of which every part from this node on has more than its share of information. See `solver.verification`.
    """
    search = _Search(graph, information, at_least, max_labels, deadline, leaving=leaving)
    complete = search.run()
    ratio = search.ratio if complete else math.inf
    return Verification(ratio, search.cycle, search.labels, complete, tuple(search.cycles))


class _Search:
    """State of one search: the graph as arrays, the worst cycle so far, and the labels and time used."""

    def __init__(
        self, graph: ExchangeGraph, information: FloatArray, at_least: float, max_labels: int, deadline: float, *, leaving: bool
    ) -> None:
        remedy = "pass 2 * variance / rate for the items of I, and 0 for others"
        check_numbers(information, ~(information >= 0.0), "information", "be >= 0", remedy)
        tails, heads, entering = graph.tails, graph.heads, graph.entering
        self.costs: FloatArray = graph.costs
        padded = np.append(information, 0.0)  # item -1 has none
        self.information = padded[entering]
        if leaving:
            self.information = self.information + padded[graph.leaving]
            entering = np.where(entering >= 0, entering, graph.leaving)
        else:
            tails, heads = graph.merged_hub[tails], graph.merged_hub[heads]
        _check_free_cycles(tails, heads, self.costs, self.information, entering)
        self.tails, self.heads = tails, heads
        self.n = graph.n_nodes
        # Each of the at most n arcs of a cycle changes its excess by less than 16 roundings of r * gap^2: the sums, and two keys
        # if another walk dominates. Distances are rounded down, so the rule of the kernel applies to them directly.
        self.slack = 16.0 * (self.n + 1) * EPSILON
        self.ratio = float(at_least)
        self.fixed = self.ratio if leaving else None  # then walks less bad than the worst one are found, too
        self.cycle: IntArray | None = None
        self.cycles: list[IntArray] = []
        self.labels, self.max_labels, self.deadline = 0, max_labels, deadline

    def run(self) -> bool:
        """Search from each start in turn; return whether all searches are complete."""
        loop = self.tails == self.heads
        for arc in np.flatnonzero(loop & (self.information > 0)):
            self._record(np.array([arc]))
        between = np.flatnonzero(~loop)
        tails, heads = self.tails[between], self.heads[between]
        graph = arcs_of(self.n, tails, heads)
        out_degree, in_degree = np.diff(graph.out_ptr), np.diff(graph.in_ptr)
        starts = np.argsort(-(out_degree + in_degree), kind="stable")
        alive = np.ones(self.n, dtype=np.bool_)
        peel(np.flatnonzero((out_degree == 0) | (in_degree == 0)), alive, graph, out_degree, in_degree)
        costs, information, deletes = self.costs[between], self.information[between], True
        for start in starts:
            if not alive[start]:
                continue
            distance = (1.0 - self.n * EPSILON) * distances_to(start, graph, costs, alive)[0]
            if not self._search_from((start, graph, costs, information, distance), between, from_each=not deletes):
                return False
            if deletes:
                before = np.count_nonzero(alive)
                peel(np.array([start]), alive, graph, out_degree, in_degree)
                deletes = bool(np.count_nonzero(alive) < (1.0 - WORTH) * before)
        return True

    def _search_from(
        self, arguments: tuple[int, Arcs, FloatArray, FloatArray, FloatArray], arc_ids: IntArray, *, from_each: bool
    ) -> bool:
        """Search the closed walks through one node; return whether labels and time sufficed."""
        attempt = FIRST_LABELS
        while tiers.seconds() < self.deadline:
            left = min(self.max_labels - self.labels, max(AT_ONCE, AT_ONCE_AN_ARC * len(arc_ids)))
            if left <= 0:
                return False
            ratio = self.ratio if self.fixed is None else self.fixed
            _, walk, labels, done = worst_closed_walk(*arguments, ratio, self.slack, from_each, min(attempt, left))
            # Attempts that are repeated with more labels do not count.
            if done or attempt >= left:
                self.labels += labels
            if len(walk):
                ptr, arcs = split_into_cycles(np.array([0, len(walk)]), arc_ids[walk[::-1]], self.tails, self.heads, self.n)
                for begin, end in pairwise(ptr.tolist()):
                    self._record(arcs[begin:end][::-1])
            if done or attempt >= left:
                return bool(done)
            attempt *= 4
        return False

    def _record(self, cycle: IntArray) -> None:
        """Record a simple cycle, also as the worst one if its ratio is the largest so far."""
        information, gap = math.fsum(self.information[cycle]), math.fsum(self.costs[cycle])
        self.cycles.append(cycle)
        if information > self.ratio * gap**2:
            self.ratio, self.cycle = information / max(gap**2, 1e-300), cycle


def _check_free_cycles(tails: IntArray, heads: IntArray, costs: FloatArray, information: FloatArray, entering: IntArray) -> None:
    free = costs <= 0.0
    if not information[free].any():
        return
    n = int(max(tails.max(initial=0), heads.max(initial=0))) + 1
    component = strong_components(n, tails[free], heads[free])
    wrong = np.flatnonzero(free & (component[tails] == component[heads]) & (information > 0))
    if len(wrong):
        raise InvalidInputError(
            f"information must be 0 for items on a cycle of cost 0, got {information[wrong[0]]} for item "
            f"{entering[wrong[0]]}: such an item is in an optimal decision, hence not in I"
        )
