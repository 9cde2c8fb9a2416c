"""Searches for the exchange of least information for laws other than Gaussian."""

from __future__ import annotations

import math
from functools import cached_property
from operator import itemgetter
from typing import final

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


@final
class CyclesByPrices(Cycles):
    """The simple cycles of an exchange graph each of whose arcs has one item at most, by labels over a grid of prices."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._decisions = ByEvidence(problem, 0.0)

    @cached_property
    def _live(self) -> tuple[IntArray, IntArray, FloatArray, ArcItems]:
        """The arcs on cycles of two arcs or more, their items, the costs of the cheapest such cycles, and laws of the items."""
        graph = self.graph
        gaps, _ = Digraph.build(graph.n_nodes, graph.tails, graph.heads, graph.costs)[0].cheapest_cycles(graph.entering < -1)
        arcs = np.flatnonzero(np.isfinite(gaps) & (graph.tails != graph.heads))
        items = np.maximum(graph.entering, graph.leaving)[arcs]
        law, means = Exchanged.of(self.problem.law, self.problem.theta, self.decision)
        return arcs, np.maximum(items, 0), gaps[arcs], ArcItems.of(law, means, items, np.ones(len(arcs), dtype=np.bool_))

    def start(self) -> list[Exchange]:
        """Also the self-loops with an item."""
        graph = self.graph
        loops = np.flatnonzero((graph.tails == graph.heads) & (np.maximum(graph.entering, graph.leaving) >= 0))
        return super().start() + [self.exchange(loops[k : k + 1]) for k in range(len(loops))]

    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """See `Exchanges.worst`. Ratios a little above `at_least` are not searched for, and self-loops are known."""
        arcs, items, gaps, laws = self._live
        if at_least > 0.0 and laws.raising.any():
            graph, level = self.graph, (1.0 - SHARE_OF_GAP * self.problem.gap) / at_least
            exact = 1.0 - self.error_of(float(gaps.min()))
            proved, met = least_information(
                graph.tails[arcs], graph.heads[arcs], graph.costs[arcs] * exact, gaps * exact, laws,
                np.where(laws.raising, plays[items], 0.0), level, self.problem.deadline,
            )  # fmt: skip
            found = [self.exchange(arcs[met[k]]) for k in range(len(met))]
            if proved > 0.0:
                return Worst(1.0 / proved, found)
            if found:
                return Worst(math.inf, found)
        return self._decisions.worst(plays, at_least)
