"""From flows to a plan: the decisions to play and their rates."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.lists import Decisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.paths import Paths
from semibandits.decisions.tables import check_table
from semibandits.kernels.graphs.cycle_decomposition import decompose_into_cycles, exchanged_items, unfold_cycles
from semibandits.kernels.graphs.cycles import are_simple
from semibandits.kernels.machine import tiers
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.cycles.presolve import Block, Presolved
from semibandits.regret_bound.precision import gaps_below
from semibandits.regret_bound.result import ExplorationPlan

SIMPLE_IS_ENOUGH = (Paths, Matchings)
"""Families where every simple cycle of the exchange graph leads to a decision, so that only other walks need checking."""
MAX_COLUMN_ROUNDS = 500
MAX_PRICINGS = 20
ROUNDING = 1e-13
"""A cycle is dropped if it carries less than this share of the rate of each of its items; missing rates up to a thousand times
this share are not corrected."""


@dataclass(frozen=True, eq=False)
class RatedCycles:
    """Cycles of an exchange graph and their rates."""

    cycles: Cycles
    rates: FloatArray


def decompose_block(block: Block, flow: FloatArray) -> RatedCycles:
    """Cycles of the block that carry `flow`, and at least `flow` on arcs with an item, up to a few roundings."""
    graph = block.graph
    rates, ptr, arcs = decompose_into_cycles(flow, graph.tails, graph.heads, graph.arcs.out_ptr, graph.arcs.out_arcs)
    cycles = Cycles(ptr, arcs)
    if len(cycles):
        thinnest = np.minimum.reduceat(np.where(block.informative, flow, np.inf)[arcs], ptr[:-1])
        worth = rates > ROUNDING * thinnest
        cycles, rates = cycles.select(worth), rates[worth]
    lack = (flow - cycles.totals(rates, len(flow)))[block.informative]
    lack[lack <= 1000.0 * ROUNDING * flow[block.informative]] = 0.0  # the verification of the plan accounts for these
    cycles = Cycles.joined((cycles, block.cheapest.select(lack > 0)))
    return RatedCycles(cycles, np.concatenate((rates, lack[lack > 0])))


def unfolded(graph: ExchangeGraph, presolved: Presolved, cycles: Cycles) -> Cycles:
    """Cycles of the presolved graph as walks of the exchange graph, in order of travel, with arcs numbered as in that graph.

    A shortest walk of zero gap is inserted between two arcs that meet in a merged node.
    """
    free = np.flatnonzero(presolved.free)
    ptr, arcs = unfold_cycles(cycles.ptr, cycles.arcs, graph.tails, graph.heads, presolved.merged, free)
    if ptr[-1] < 0:
        raise RuntimeError("the nodes of a merged node are not connected by arcs of zero gap: the exchange graph is malformed")
    return Cycles(ptr, arcs)


def exchanged(graph: ExchangeGraph, cycles: Cycles) -> Decisions:
    """x* after each cycle. For matroid intersections, not every row is a decision."""
    best = graph.decision
    ptr, items = exchanged_items(cycles.ptr, cycles.arcs, graph.leaving.copy(), graph.entering.copy(), best.copy())
    return Decisions(len(best), np.flatnonzero(best), ptr, items)


def plan_of_walks(
    decision_set: DecisionSet, graph: ExchangeGraph, theta: FloatArray, items: BoolArray, rated: RatedCycles,
    accuracy: float, deadline: float, *, known: Collection[bytes] = (),
) -> ExplorationPlan:  # fmt: skip
    """A plan whose rates on the suboptimal `items` are those of rated walks of the exchange graph.

    The walks usually lead to decisions. Some cycles of a matroid intersection do not: then decisions are generated for the
    total rates, to a relative `accuracy`. `known` holds the bytes of the items of rows that are known to be decisions.
    """
    walks = rated.cycles
    decisions = exchanged(graph, walks)
    if isinstance(decision_set, SIMPLE_IS_ENOUGH):
        valid = are_simple(walks.ptr, walks.arcs, graph.tails.copy(), graph.heads.copy(), graph.n_nodes)
    else:
        valid = np.array([row.tobytes() in known for row in decisions], dtype=np.bool_)
    for k in np.flatnonzero(~valid).tolist():
        valid[k] = decisions.mask(k) in decision_set
    if valid.all():
        return merged_plan(decisions, rated.rates)
    target = np.zeros(decision_set.d)
    entering = graph.entering[walks.arcs]
    np.add.at(target, entering[entering >= 0], rated.rates[walks.rows][entering >= 0])
    target[~items] = 0.0
    cost = float(rated.rates @ walks.sums(graph.costs))
    return plan_by_columns(decision_set, theta, graph.decision, target, cost, decisions.select(valid).dense(), accuracy, deadline)


def cost_of(plan: ExplorationPlan, decision: BoolArray, theta: FloatArray) -> float:
    """Regret per ln T of a plan relative to the optimal `decision`, from the rewards of its decisions."""
    return math.fsum(plan.rates * gaps_below(decision, plan.items, theta))


def merged_plan(decisions: BoolArray | Decisions, rates: FloatArray) -> ExplorationPlan:
    """Plan with equal decisions merged and unused ones dropped, in order of decreasing rate."""
    lists = decisions if isinstance(decisions, Decisions) else Decisions.of_rows(decisions)
    total = np.bincount(lists.firsts(), rates, len(rates)).astype(np.float64)
    order = np.argsort(-total, kind="stable")
    order = order[total[order] > 0]
    return ExplorationPlan(lists.select(order), total[order])


def plan_by_columns(
    decision_set: DecisionSet, theta: FloatArray, optimal: BoolArray, target: FloatArray, cost: float, start: BoolArray,
    accuracy: float, deadline: float,
) -> ExplorationPlan:  # fmt: skip
    """Cheapest plan that plays each item at least at its rate in `target`, by column generation with P_LM.

    For matroid intersections, where not every cycle leads to a decision. Rates that come from a circulation have a plan of the
    same cost (theory T0), so generation ends when the cost of the plan is at most ``1 + accuracy`` times that of the rates, or
    when no decision prices out. Columns are scaled by their cost, so that the tolerances of the linear program are relative.

    `target`, shape (d,), are the required plays per ln T; items with target 0 are ignored. `cost` is that of the circulation from
    which the target comes. `start`, shape (k, d), are decisions to start from. At the value `deadline` of `tiers.seconds` the
    current plan is returned, which is feasible but costs more.
    """
    items = np.flatnonzero(target > 0)
    decisions = _covering_columns(decision_set, theta, items, start)
    rates = cover_rates(decisions, gaps_below(optimal, decisions, theta), target)
    from scipy.optimize import linprog

    for _ in range(MAX_COLUMN_ROUNDS):
        if tiers.seconds() > deadline:
            break
        check_table(len(decisions), len(items), 8)
        gaps = np.maximum(gaps_below(optimal, decisions, theta), 0.0)
        # Variables rate * gap / cost, rows divided by their target. A decision of gap 0 contains no item of the target.
        matrix = decisions[:, items].T * (cost / np.where(gaps > 0, gaps, np.inf)) / target[items, None]
        solution = linprog(np.ones(len(gaps)), A_ub=-matrix, b_ub=-np.ones(len(items)), method="highs")
        if solution.status != 0 or solution.x is None:
            break
        rates = np.maximum(solution.x, 0.0) * np.where(gaps > 0, cost / np.where(gaps > 0, gaps, 1.0), 0.0)
        if solution.fun is None or solution.fun <= 1.0 + accuracy:
            break
        prices = np.zeros(len(theta))
        prices[items] = np.maximum(-solution.ineqlin.marginals, 0.0) * cost / target[items]
        fresh = _priced_out(decision_set, theta, optimal, prices, decisions)
        if not len(fresh):
            break
        decisions = np.vstack((decisions, fresh))
        rates = np.append(rates, np.zeros(len(fresh)))
    return merged_plan(decisions, rates)


def _priced_out(
    decision_set: DecisionSet, theta: FloatArray, optimal: BoolArray, prices: FloatArray, known: BoolArray
) -> BoolArray:
    """New decisions whose items are worth more than their cost at these prices, with increasing ratio (Dinkelbach's method).

    Maximising worth minus cost instead would return decisions of large gaps, where this difference is rounding, although those
    of small gaps matter.
    """
    found: list[BoolArray] = []
    ratio = 1.0
    for _ in range(MAX_PRICINGS):
        x = decision_set.maximize(ratio * theta + prices)
        gap, worth = float(gaps_below(optimal, x[None], theta)[0]), float(prices @ x)
        if not worth > ratio * gap > 0.0 or (known == x).all(axis=1).any():
            break
        found.append(x)
        ratio = worth / gap
    return np.array(found, dtype=np.bool_).reshape(-1, len(theta))


def _covering_columns(decision_set: DecisionSet, theta: FloatArray, items: IntArray, start: BoolArray) -> BoolArray:
    """The start, and the best decision with each item that is not in the start."""
    columns = [*start]
    covered = start[:, items].any(axis=0) if len(start) else np.zeros(len(items), dtype=np.bool_)
    check_table(len(start) + int(np.count_nonzero(~covered)), len(theta))
    for item in items[~covered]:
        push = np.zeros(len(theta))
        push[item] = 4.0 * len(theta) * float(np.abs(theta).max())
        columns.append(decision_set.maximize(theta + push))
    return np.unique(np.stack(columns), axis=0)


def cover_rates(decisions: BoolArray, gaps: FloatArray, target: FloatArray) -> FloatArray:
    """Play the best decision with each item at the target rate of the item: feasible, but expensive."""
    rates = np.zeros(len(decisions))
    for item in np.flatnonzero(target > 0):
        rates[np.where(decisions[:, item], gaps, np.inf).argmin()] += target[item]
    return rates
