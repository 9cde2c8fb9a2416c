"""The Graves-Lai problem over the circulations of an exchange graph, with one constraint per cycle (theory T0, T1, L1).

Under means lambda >= theta, x* is not optimal iff some simple cycle C has ``sum over C of (lambda_i - theta_i) > gap(C)``. So the
alternatives to theta are a union over cycles, and the least information against them is the minimum of F(C) over single cycles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.lists import Decisions
from semibandits.kernels.graphs.cycles import carried_over
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.threads import one_thread
from semibandits.regret_bound.certificates.cycle_ratios import ratio_bound
from semibandits.regret_bound.certificates.lower import ItemGraph, check_costs, check_items, lower_bound
from semibandits.regret_bound.certificates.price_proof import least_information
from semibandits.regret_bound.certificates.worst_cycle import worst_ratio
from semibandits.regret_bound.cycles.block import BlockSolution, BlockSolver
from semibandits.regret_bound.cycles.cycles import Cycles, renumbered, strong_components
from semibandits.regret_bound.cycles.presolve import Block, presolve
from semibandits.regret_bound.cycles.warm_start import Memory, Start
from semibandits.regret_bound.plan import RatedCycles, cost_of, decompose_block, plan_of_walks, unfolded
from semibandits.regret_bound.precision import refined, relative_error_of
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.raises import check_convex
from semibandits.regret_bound.rates import ROUNDING, rates_alone, rates_shared
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Progress
from semibandits.regret_bound.timing import SETUP, SHORTLY

MAX_LABELS, LABELS_AN_ARC = 100_000_000, 2_000
"""Labels of the final verification from all nodes: this many, or this many per arc if that is more."""
THRESHOLDS = (1.0, 1.01, 1.1, 2.0)
"""Ratios that the final verification of Gaussian plans tries in turn. Higher ratios need fewer labels."""
TRIES = 8
"""Number of times that the blocks are solved, each time with the cycles that the last plan violates."""
RESERVED, PLAN_SECONDS = 0.25, 5e-7
"""Share of the time limit for the plan and its verification; seconds for each entry of the cheapest cycles, if that is more."""
NEGLIGIBLE = 1e-3
"""A cycle of a flow is dropped if its cost is below this share of the gap, divided by the number of cycles, unless it carries
more than this share of the gap of the flow through one of its items."""


class CirculationSolver:
    """One solve: presolve, blocks one by one, plan, and certificates on the original exchange graph.

    A quarter of the time limit is reserved for the plan and its verification, or more for large plans.
    """

    def __init__(self, problem: Problem) -> None:
        self._start, self._problem = tiers.seconds(), problem
        self._decision_set, self._theta = problem.decision_set, problem.theta
        self._law, self._gap = problem.law, problem.gap
        self._deadline = self._start + problem.limit
        self._memory = problem.memory if isinstance(problem.memory, Memory) else None
        self._graph, lack = refined(self._decision_set.exchange_graph(self._theta), self._theta, problem.ties)
        set_up = max(self._deadline, self._start + SETUP)
        self._presolved = presolve(self._graph, self._law, self._theta, problem.ties, set_up)
        self._items, self._blocks = self._presolved.items, self._presolved.blocks
        merged = self._graph.merged_hub
        self._tails, self._heads = merged[self._graph.tails], merged[self._graph.heads]  # of all arcs, the hub being one node
        entries = sum(len(block.cheapest.arcs) for block in self._blocks)
        self._block_deadline = self._start + min((1.0 - RESERVED) * problem.limit, problem.limit - PLAN_SECONDS * entries)
        entering = self._graph.entering
        live = (entering >= 0) & np.isfinite(self._presolved.gaps) & ~self._presolved.free
        self._suboptimal = np.zeros(self._decision_set.d, dtype=np.bool_)
        self._suboptimal[entering[live]] = True
        self._relative_error = relative_error_of(lack, float(self._presolved.gaps[live].min(initial=math.inf)))

    def solve(self) -> GravesLaiResult:
        """Solve on one thread, so that the result has the same bits everywhere, also next to other workers."""
        with one_thread():
            return self._solve()

    def _solve(self) -> GravesLaiResult:
        solvers = self._solvers()
        for _ in range(TRIES):
            solutions = self._solve_blocks(solvers)
            solved = tiers.seconds()
            used = self._used_cycles(solutions)
            plan = self._plan(used)
            least, violated = self._proved(plan)
            value, plan = self._scaled(plan, least)
            lower = self._lower_bound(solutions)
            if lower >= (1.0 - self._gap) * value or tiers.seconds() > self._block_deadline:
                break
            resumed = [solver.resume(self._within(solver.block, violated)) for solver in solvers]
            if not any(resumed):
                break
        if lower < (1.0 - self._gap) * value and not self._law.is_quadratic:
            # If a search ran out of labels or time, a plan that needs no search may be cheaper.
            plain = self._plan(self._alone())
            other = self._scaled(plain, self._simple_bound(plain))
            value, plan = min((value, plan), other, key=lambda known: known[0])
        items = np.flatnonzero(self._suboptimal)
        rates = plan.item_rates[items] if len(plan) else np.zeros(len(items))
        check_convex(self._law.take(items), self._theta[items], rates, items)
        done = tiers.seconds()
        binding = self._of_blocks(s.lower.cycles for s in solutions)
        multipliers = _values(s.lower.multipliers for s in solutions)
        stats = {
            "rounds": max((s.rounds for s in solutions), default=0),
            "cycles": sum(s.cycles for s in solutions),
            "seconds": done - self._start,
            "separation_seconds": sum(s.separation_seconds for s in solutions),
            "plan_and_verification_seconds": done - solved,
        }
        memory = Memory.of(self._graph, used.cycles, used.rates, binding, multipliers, plan.items)
        return self._problem.result(
            "cycles", Bracket(value, lower, plan), self._graph.decision, self._suboptimal, stats,
            late=done > self._block_deadline, memory=memory,
        )  # fmt: skip

    # ------------------------------------------------------------------ the blocks

    def _solvers(self) -> list[BlockSolver]:
        """One solver per block. Part of the gap is reserved for the plan and its verification."""
        starts: list[Start | None] = [None] * len(self._blocks)
        if self._memory is not None and self._law.is_quadratic:
            starts = self._memory.starts(self._graph, self._blocks)
        share = 0.8 if self._law.is_quadratic else 0.7
        return [
            BlockSolver(block, share * self._gap, self._block_deadline, start)
            for block, start in zip(self._blocks, starts, strict=True)
        ]

    def _solve_blocks(self, solvers: list[BlockSolver]) -> list[BlockSolution]:
        loops = float(self._loop_rates @ self._presolved.gaps[self._presolved.loops])
        solutions: list[BlockSolution] = []

        def report(now: BlockSolution) -> None:
            if self._problem.progress is not None:
                known = [*solutions, now]
                rest = math.inf if len(known) < len(solvers) else 0.0
                self._problem.progress(
                    Progress(
                        round=sum(s.rounds for s in known),
                        cycles=sum(s.cycles for s in known),
                        lower=loops + sum(s.lower.value for s in known),
                        value=loops + sum(s.upper for s in known) + rest,
                        seconds=tiers.seconds() - self._start,
                    )
                )

        sizes = np.array([len(solver.block.gaps) for solver in solvers], dtype=np.float64)
        for k, solver in enumerate(solvers):
            # The time that is left is shared by size, or the last blocks would have none.
            if math.isfinite(self._block_deadline):
                now = tiers.seconds()
                solver.deadline = now + (self._block_deadline - now) * float(sizes[k] / sizes[k:].sum())
            solutions.append(solver.solve(report))
        return solutions

    def _of_blocks(self, families: Iterable[Cycles]) -> Cycles:
        """Cycles of the blocks, with arcs numbered as in the exchange graph."""
        both = zip(self._blocks, families, strict=True)
        return Cycles.joined(Cycles(c.ptr, block.arcs[c.arcs]) for block, c in both)

    def _within(self, block: Block, cycles: Cycles) -> Cycles:
        """The parts of cycles of the exchange graph that lie in a block, as closed walks of the block."""
        number = np.full(self._graph.n_arcs, -1, dtype=np.int64)
        number[block.arcs] = np.arange(len(block.arcs))
        arcs = number[cycles.arcs]
        counts = np.bincount(cycles.rows, arcs >= 0, len(cycles)).astype(np.int64)
        parts = Cycles(np.concatenate(([0], np.cumsum(counts))), arcs[arcs >= 0])
        return parts.select(counts > 0)

    # ------------------------------------------------------------------ the plan and the upper certificate

    def _used_cycles(self, solutions: list[BlockSolution]) -> RatedCycles:
        """Cycles that carry the flows of the blocks."""
        rated = [decompose_block(block, solution.flow) for block, solution in zip(self._blocks, solutions, strict=True)]
        cycles, rates = self._of_blocks(r.cycles for r in rated), _values(r.rates for r in rated)
        if self._law.is_quadratic or not len(rates):
            return RatedCycles(cycles, rates)
        # Interior-point methods leave a trace of flow on all arcs. The plan without it is verified later.
        costs = rates * cycles.sums(self._graph.costs)
        negligible = NEGLIGIBLE * self._gap
        worth = costs > negligible * costs.sum() / len(costs)
        through = cycles.totals(rates, self._graph.n_arcs)[cycles.arcs]
        carries = self._items.raising[cycles.arcs] & (rates[cycles.rows] > negligible * through)
        worth |= np.bincount(cycles.rows, carries, len(rates)) > 0
        return RatedCycles(cycles.select(worth), rates[worth])

    def _alone(self) -> RatedCycles:
        """The cheapest cycle through each item, at a rate that is enough if any m items rise together."""
        cycles = self._of_blocks(block.cheapest for block in self._blocks)
        arcs = np.concatenate([np.empty(0, dtype=np.int64), *(b.arcs[b.informative] for b in self._blocks)])
        rates = self._needed(arcs, self._presolved.gaps[arcs], self._decision_set.m)
        return RatedCycles(cycles.select(rates > 0.0), rates[rates > 0.0])

    def _plan(self, used: RatedCycles) -> ExplorationPlan:
        """The plan of decisions for these cycles of the blocks and for the loops."""
        walks = self._unfolded(used.cycles)
        rates = np.concatenate((used.rates, self._loop_rates))
        rated = RatedCycles(walks.select(rates > 0.0), rates[rates > 0.0])
        known = set() if self._memory is None else {items.tobytes() for items in self._memory.played}
        return plan_of_walks(
            self._decision_set, self._graph, self._theta, self._suboptimal, rated, 0.02 * self._gap, self._deadline, known=known
        )

    def _unfolded(self, cycles: Cycles) -> Cycles:
        """These cycles of the blocks, followed by the loops, as walks of the exchange graph."""
        loops = self._presolved.loops
        alone = Cycles(np.arange(len(loops) + 1), loops)
        return unfolded(self._graph, self._presolved, Cycles.joined((cycles, alone)))

    @cached_property
    def _loop_rates(self) -> FloatArray:
        """Rates of the items whose arcs are loops, from their single constraint."""
        loops = self._presolved.loops
        return self._needed(loops, self._presolved.gaps[loops])

    def _needed(self, arcs: IntArray, gaps: FloatArray, count: int | None = None) -> FloatArray:
        """Rates that the items of these arcs need, alone or if `count` of them enter together; 0 if they cannot rise."""
        rates = np.zeros(len(arcs))
        able = np.flatnonzero(self._items.raising[arcs])
        law, theta = self._items.take(arcs[able]).alone
        gaps = gaps[able] * (1.0 - self._relative_error)
        rates[able] = rates_alone(law, theta, gaps) if count is None else rates_shared(law, theta, gaps, count)
        return rates

    def _scaled(self, plan: ExplorationPlan, least: float) -> tuple[float, ExplorationPlan]:
        """Scale the plan to least information 1, given a lower bound `least` on it; return its cost and the scaled plan.

        All gaps may be wrong by a factor 1 +- relative_error, which is 0 unless x* is optimal only up to rounding.
        """
        if least <= 0.0:
            return math.inf, ExplorationPlan(Decisions.empty(self._decision_set.d), np.empty(0))
        cost = (1.0 + self._relative_error) * (1.0 + ROUNDING) * cost_of(plan, self._graph.decision, self._theta)
        return cost / least, ExplorationPlan(plan.items, plan.rates / least)

    def least_information(self, plan: ExplorationPlan) -> float:
        """A proved lower bound on the least F(C) at the item rates of the plan, not much above 1."""
        return self._proved(plan)[0]

    def _proved(self, plan: ExplorationPlan) -> tuple[float, Cycles]:
        """A proved lower bound on the least F(C), and cycles with F(C) < 1 that the search found."""
        if not self._items.raising.any():
            return 1.0, Cycles.empty()
        return self._proved_gaussian(plan) if self._law.is_quadratic else self._proved_by_prices(plan)

    def _proved_gaussian(self, plan: ExplorationPlan) -> tuple[float, Cycles]:
        rates = plan.item_rates[self._suboptimal]
        if not (rates > 0.0).all():
            return 0.0, Cycles.empty()
        u = np.zeros(self._decision_set.d)
        u[self._suboptimal] = 2.0 * self._law.variance_proxy(self._theta)[self._suboptimal] / rates
        most = max(MAX_LABELS, LABELS_AN_ARC * self._graph.n_arcs)
        for ratio in THRESHOLDS:
            if tiers.seconds() > self._deadline:
                break
            checked = worst_ratio(self._graph, u, at_least=ratio, max_labels=most, deadline=self._deadline)
            if checked.complete:
                return (1.0 - self._relative_error) ** 2 / checked.ratio, Cycles.empty()
        return (1.0 - self._relative_error) ** 2 / self._simple_ratio(u), Cycles.empty()

    def _simple_ratio(self, u: FloatArray) -> float:
        """Upper bound on the ratio u(C)/gap_C^2 of all cycles for Gaussian items, without a search.

        It is the smaller of two bounds: that of `cycle_ratios`, and the sum of the largest ratios of items. Each item i of a
        cycle C has gap_i <= gap_C, so u(C)/gap_C^2 is at most the sum of u_i/gap_i^2 over the items that enter on C. There are
        at most m of them: they are in one decision, or, for matroid intersections, each follows a different item of x* (T1).
        """
        graph, tails, heads = self._graph, self._tails, self._heads
        gaps, raising = self._presolved.gaps, self._items.raising
        ratios = np.sort(u[graph.entering[raising]] / gaps[raising] ** 2)
        added = float(ratios[-self._decision_set.m :].sum())
        loops = (tails == heads) & raising
        bound = float((u[graph.entering[loops]] / gaps[loops] ** 2).max(initial=0.0))
        arcs = np.flatnonzero((tails != heads) & np.isfinite(gaps))
        if raising[arcs].any():
            nodes, first, last = renumbered(tails[arcs], heads[arcs])
            u_arcs = np.where(raising[arcs], u[graph.entering[arcs]], 0.0)
            deadline = tiers.seconds() + SHORTLY
            bound = max(bound, ratio_bound(arcs_of(len(nodes), first, last), graph.costs[arcs], gaps[arcs], u_arcs, deadline))
        return min(added, bound)

    def _proved_by_prices(self, plan: ExplorationPlan) -> tuple[float, Cycles]:
        graph, tails, heads, rates = self._graph, self._tails, self._heads, self._arc_rates(plan)
        loops = np.flatnonzero((tails == heads) & self._items.raising)
        needs = self._needed(loops, graph.costs[loops])
        least = float((rates[loops][needs > 0.0] / needs[needs > 0.0]).min(initial=math.inf))
        component = strong_components(graph.n_nodes, tails, heads)
        arcs = np.flatnonzero((tails != heads) & (component[tails] == component[heads]))
        if not self._items.raising[arcs].any():
            return min(least, 1.0), Cycles.empty()
        costs, gaps = (one[arcs] * (1.0 - self._relative_error) for one in (graph.costs, self._presolved.gaps))
        proved, met = least_information(
            tails[arcs], heads[arcs], costs, gaps, self._items.take(arcs), rates[arcs], 1.0 - 0.1 * self._gap, self._deadline
        )
        return min(least, proved or self._simple_bound(plan)), Cycles(met.ptr, arcs[met.arcs])

    def _arc_rates(self, plan: ExplorationPlan) -> FloatArray:
        """Rate of the item of each arc; 0 on arcs that do not raise."""
        return np.where(self._items.raising, plan.item_rates[self._graph.entering] if len(plan) else 0.0, 0.0)

    def _simple_bound(self, plan: ExplorationPlan) -> float:
        """Lower bound on the least F(C), without a search.

        If raises add up to the gap of a cycle with k items, at least one of them is gap/k or more, and the gap of that item is
        at most the gap of the cycle. With at most m items, F(C) >= min_i w_i d(theta_i, theta_i + gap_i/m).
        """
        arcs = np.flatnonzero(self._items.raising)
        needs = self._needed(arcs, self._presolved.gaps[arcs], self._decision_set.m)
        positive = needs > 0.0
        return float((self._arc_rates(plan)[arcs][positive] / needs[positive]).min()) if positive.any() else 1.0

    # ------------------------------------------------------------------ the lower certificate

    def _lower_bound(self, solutions: list[BlockSolution]) -> float:
        """Lower bound on the original graph. Gaps are taken too large by their relative error."""
        if not self._items.raising.any():
            return 0.0
        graph, loops = self._graph, self._presolved.loops
        check_costs(graph, self._theta)
        check_items(graph.entering)
        gaps = self._presolved.gaps[loops]
        cycles = self._of_blocks(s.lower.cycles for s in solutions)
        known = Cycles.joined((cycles, Cycles(np.arange(len(loops) + 1), loops)))
        walks = self._unfolded(cycles)
        raises = _values([*(s.lower.raises for s in solutions), gaps])
        # Unfolded walks contain arcs of zero gap as well.
        raises = carried_over(known.ptr, known.arcs, raises, walks.ptr, walks.arcs, graph.n_arcs)
        widened = ItemGraph(
            graph.n_nodes, self._tails, self._heads, graph.costs * (1.0 + self._relative_error), self._items,
            float(self._presolved.gaps[self._items.raising].min()),
        )  # fmt: skip
        multipliers = _values([*(s.lower.multipliers for s in solutions), self._loop_rates * gaps])
        bound = lower_bound(widened, walks, raises, multipliers)
        return bound.value / (1.0 + self._relative_error)


def _values(parts: Iterable[FloatArray]) -> FloatArray:
    return np.concatenate([np.empty(0), *parts])
