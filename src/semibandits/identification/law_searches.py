"""Searches for the exchange of least information for laws other than Gaussian."""

from __future__ import annotations

import math
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple, final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.identification.evidence import PRECISE, Evidence, Observed, Sizes, Stop
from semibandits.identification.exchanges import Cycles, Exchange, Exchanges, Worst
from semibandits.identification.information import EPSILON
from semibandits.laws.mixed import Exchanged
from semibandits.regret_bound.certificates.price_proof import least_information
from semibandits.regret_bound.cycles.arc_items import ArcItems
from semibandits.regret_bound.cycles.presolve import Digraph
from semibandits.regret_bound.problem import Problem

SHARE_OF_GAP = 0.05
"""Share of the gap of a time that a search may lose."""


@final
class ByEvidence(Exchanges):
    """Decisions found by the search for the least evidence."""

    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """See `Exchanges.worst`. Plays are scaled so that the accuracy of the evidence is a small share of the gap."""
        scale = PRECISE / (SHARE_OF_GAP * self.problem.gap) * max(at_least, EPSILON)
        finite = np.isfinite(plays)
        observed = Observed(self.problem.theta, scale * np.where(finite, plays, plays[finite].max()), 1, self.problem.law)
        stop = Stop(within=self.within, threshold="customary")
        evidence = Evidence(self.problem.decision_set, self.decision, observed, stop, sizes=self._sizes)
        least = evidence.least()
        met = np.array([x for _, x in sorted(evidence.met, key=itemgetter(0))[: len(plays)]]).reshape(-1, len(plays))
        return Worst(scale / least if least > 0.0 else math.inf, self.of_decisions(met))

    @cached_property
    def _sizes(self) -> Sizes:
        return Sizes(self.problem.decision_set)


class _Split(NamedTuple):
    """An exchange graph with one item an arc: where one enters and another leaves, the one that leaves has an arc before it."""

    tails: IntArray  # (a,)
    heads: IntArray
    costs: FloatArray
    gaps: FloatArray  # costs of the cheapest cycles
    items: IntArray  # 0 on arcs without an item
    laws: ArcItems
    arcs: IntArray  # arc of the exchange graph, -1 for those that were added


@final
class CyclesByPrices(Cycles):
    """The simple cycles of an exchange graph, by labels over a grid of prices."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._decisions = ByEvidence(problem, 0.0)

    @cached_property
    def _live(self) -> _Split:
        """The arcs on cycles of two arcs or more."""
        graph = self.graph
        both = np.flatnonzero((graph.entering >= 0) & (graph.leaving >= 0))
        pairs, which = np.unique(np.column_stack((graph.tails[both], graph.leaving[both])), axis=0, return_inverse=True)
        tails, items = graph.tails.copy(), np.maximum(graph.entering, graph.leaving)
        tails[both], items[both] = graph.n_nodes + which.reshape(-1), graph.entering[both]
        added = np.arange(len(pairs))
        tails, heads = np.concatenate((tails, pairs[:, 0])), np.concatenate((graph.heads, graph.n_nodes + added))
        items, costs = np.concatenate((items, pairs[:, 1])), np.concatenate((graph.costs, np.zeros(len(pairs))))
        gaps, _ = Digraph.build(graph.n_nodes + len(pairs), tails, heads, costs)[0].cheapest_cycles(items < -1)
        live = np.flatnonzero(np.isfinite(gaps) & (tails != heads))
        law, means = Exchanged.of(self.problem.law, self.problem.theta, self.decision)
        laws = ArcItems.of(law, means, items[live], np.ones(len(live), dtype=np.bool_))
        arcs = np.where(live < graph.n_arcs, live, -1)
        return _Split(tails[live], heads[live], costs[live], gaps[live], np.maximum(items[live], 0), laws, arcs)

    def start(self) -> list[Exchange]:
        """Also the self-loops with an item."""
        graph = self.graph
        loops = np.flatnonzero((graph.tails == graph.heads) & (np.maximum(graph.entering, graph.leaving) >= 0))
        return super().start() + [self.exchange(loops[k : k + 1]) for k in range(len(loops))]

    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """See `Exchanges.worst`. Ratios a little above `at_least` are not searched for, and self-loops are known."""
        live = self._live
        if at_least > 0.0 and live.laws.raising.any():
            level = (1.0 - SHARE_OF_GAP * self.problem.gap) / at_least
            exact = 1.0 - self.error_of(float(live.gaps.min()))
            proved, met = least_information(
                live.tails, live.heads, live.costs * exact, live.gaps * exact, live.laws,
                np.where(live.laws.raising, plays[live.items], 0.0), level, self.problem.deadline,
            )  # fmt: skip
            cycles = (live.arcs[met[k]] for k in range(len(met)))
            found = [self.exchange(cycle[cycle >= 0]) for cycle in cycles]
            if proved > 0.0:
                return Worst(1.0 / proved, found)
            if found:
                return Worst(math.inf, found)
        return self._decisions.worst(plays, at_least)
