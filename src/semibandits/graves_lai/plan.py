"""From flows to a plan: which decisions to play, and how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.presolve import Block, Presolved
from semibandits.graves_lai.result import ExplorationPlan
from semibandits.kernels.exchange import distances_to, incidence
from semibandits.kernels.stripping import strip_cycles

MAX_COLUMN_ROUNDS = 500


@dataclass(frozen=True, eq=False)
class RatedCycles:
    """Cycles of an exchange graph and the rate at which each is used."""

    cycles: Cycles
    rates: FloatArray


def strip_block(block: Block, flow: FloatArray) -> RatedCycles:
    """Cycles of the block that carry `flow` and, on arcs with an item, not less (rounding is made up for)."""
    graph = block.graph
    rates, ptr, arcs = strip_cycles(flow, graph.tails, graph.heads, graph.out_ptr, graph.out_arcs)
    cycles = Cycles(ptr, arcs)
    lack = np.maximum((flow - cycles.totals(rates, len(flow)))[block.informative], 0.0)
    cycles = Cycles.joined((cycles, block.cheapest.select(lack > 0)))
    return RatedCycles(cycles, np.concatenate((rates, lack[lack > 0])))


class Unfolding:
    """Turns cycles of a presolved graph into cycles of the exchange graph it came from.

    Between two arcs that meet in a merged node, a shortest walk of zero gap is inserted.
    """

    def __init__(self, graph: ExchangeGraph, presolved: Presolved) -> None:
        self._graph = graph
        free = np.flatnonzero(presolved.free)
        self._free = free
        self._tails, self._heads = graph.tails[free], graph.heads[free]
        self._in = incidence(graph.n_nodes, self._heads)
        self._steps = np.ones(len(free))
        self._trees: dict[int, IntArray] = {}

    def cycles(self, cycles: Cycles) -> Cycles:
        """The same cycles in the exchange graph; their arcs are numbered as in that graph, in order of travel."""
        full = [self._closed(cycles[k]) for k in range(len(cycles))]
        ptr = np.cumsum([0, *(len(arcs) for arcs in full)])
        return Cycles(ptr, np.concatenate(full) if full else np.empty(0, dtype=np.int64))

    def _closed(self, arcs: IntArray) -> IntArray:
        parts: list[IntArray] = []
        for arc, following in zip(arcs, np.roll(arcs, -1), strict=True):
            parts.append(np.array([arc]))
            source, target = int(self._graph.heads[arc]), int(self._graph.tails[following])
            if source != target:
                parts.append(self._walk(source, target))
        return np.concatenate(parts)

    def _walk(self, source: int, target: int) -> IntArray:
        if target not in self._trees:
            self._trees[target] = distances_to(target, self._tails, self._steps, *self._in)[1]
        first, walk = self._trees[target], []
        while source != target:
            walk.append(self._free[first[source]])
            source = int(self._heads[first[source]])
        return np.array(walk)


def plan_from_cycles(graph: ExchangeGraph, rated: RatedCycles) -> ExplorationPlan:
    """Plan that plays x* after each exchange; every cycle must lead to a decision."""
    d = len(graph.decision)
    if not len(rated.rates):
        return ExplorationPlan(np.empty((0, d), dtype=np.bool_), np.empty(0))
    decisions = np.stack([graph.apply(rated.cycles[k]) for k in range(len(rated.cycles))])
    return merged_plan(decisions, rated.rates)


def merged_plan(decisions: BoolArray, rates: FloatArray) -> ExplorationPlan:
    """Plan with equal decisions merged and unused ones dropped, the most played first."""
    distinct, which = np.unique(decisions, axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), rates, len(distinct)).astype(np.float64)
    order = np.argsort(-total, kind="stable")
    order = order[total[order] > 0]
    return ExplorationPlan(distinct[order], total[order])


def plan_by_columns(
    decision_set: DecisionSet,
    theta: FloatArray,
    optimal: BoolArray,
    target: FloatArray,
    start: BoolArray,
    accuracy: float,
) -> ExplorationPlan:
    """Cheapest plan that plays each item at least as often as `target` says, by column generation with P_LM.

    For matroid intersections, where not every cycle leads to a decision. Rates that come from a circulation have a plan of the
    same cost (theory T0), so generation ends when the plan costs at most ``1 + accuracy`` times as much as they do, or when no
    decision prices out.

    Parameters
    ----------
    target : ndarray of float, shape (d,)
        Wanted plays per ln T; only items with a positive one are looked at.
    start : ndarray of bool, shape (k, d)
        Decisions to start from.
    """
    items = np.flatnonzero(target > 0)
    gap_unit = float(np.abs(theta).max())
    columns = [*start]
    covered = start[:, items].any(axis=0) if len(start) else np.zeros(len(items), dtype=np.bool_)
    for item in items[~covered]:
        push = np.zeros(len(theta))
        push[item] = 4.0 * len(theta) * gap_unit
        columns.append(decision_set.maximize(theta + push))
    columns = list(np.unique(np.stack(columns), axis=0))
    best = float(theta @ optimal)
    unit = _plan_unit(theta, optimal, target, columns)
    for _ in range(MAX_COLUMN_ROUNDS):
        decisions = np.stack(columns)
        gaps = np.maximum(best - decisions @ theta, 0.0)
        useful = decisions[:, items].any(axis=1) & (gaps > 0)
        decisions, gaps = decisions[useful], gaps[useful]
        # beta = rate * gap / unit; each row is divided by its target.
        matrix = decisions[:, items].T * (unit / gaps) / target[items, None]
        solution = linprog(np.ones(len(gaps)), A_ub=-matrix, b_ub=-np.ones(len(items)), method="highs")
        prices = np.zeros(len(theta))
        prices[items] = np.maximum(-solution.ineqlin.marginals, 0.0) * unit / target[items]
        candidate = decision_set.maximize(theta + prices)
        reduced = float((theta + prices) @ candidate) - best
        known = (decisions == candidate).all(axis=1).any()
        if known or reduced <= accuracy * float(prices @ candidate):
            break
        columns = [*decisions, candidate]
    rates = np.maximum(solution.x, 0.0) * unit / gaps
    return merged_plan(decisions, rates)


def _plan_unit(theta: FloatArray, optimal: BoolArray, target: FloatArray, columns: list[BoolArray]) -> float:
    """Order of magnitude of the plan's cost, to scale the linear program by."""
    stacked = np.stack(columns)
    gaps = np.maximum(theta @ optimal - stacked @ theta, 0.0)
    per_item = np.where(stacked[:, target > 0], gaps[:, None], np.inf).min(axis=0)
    return float(max(np.sum(per_item * target[target > 0]), np.finfo(float).tiny))
