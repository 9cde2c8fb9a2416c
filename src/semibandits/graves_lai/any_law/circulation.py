"""The Graves-Lai problem for any law over the circulations of an exchange graph (theory T0, T1 and §4).

The set of laws under which x* is not optimal, and which agree with the truth on items of optimal decisions, is a union over
simple cycles: means lambda >= theta make x* improvable iff some cycle C has sum_{i in C} (lambda_i - theta_i) > gap(C). So the
least information over that set is the least f(C) of single cycles, and no sum of cycles asks for more. (The same in f alone: a
closed walk is a sum of cycles, its cheapest raises reach the gap of at least one of them, and pay no less than that one.)
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.graves_lai.any_law.block import BlockSolution, BlockSolver
from semibandits.graves_lai.any_law.certificate import lower_bound
from semibandits.graves_lai.any_law.search import Graph, Searcher
from semibandits.graves_lai.arc_items import ArcItems
from semibandits.graves_lai.circulation import thread_pools
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.plan import RatedCycles, cost_of, plan_of_walks, strip_block, unfolded
from semibandits.graves_lai.precision import doubt_of, sharpened
from semibandits.graves_lai.presolve import Block, Digraph, presolve
from semibandits.graves_lai.raises import check_convex, room
from semibandits.graves_lai.rates import ROUNDING, rates_alone, rates_shared
from semibandits.graves_lai.result import ExplorationPlan, GravesLaiResult, Progress, Status
from semibandits.kernels import tiers
from semibandits.kernels.components import strong_components
from semibandits.laws import Law

NEGLIGIBLE = 1e-3
"""Share of the gap, divided among all cycles of a flow, below which the cost of one is not worth a decision, unless more than
this share of the gap goes through one of its items by it."""
LEVELS = (1.0, 0.98, 0.8, 0.3, 0.05)
"""Shares of the information asked for that the final verification asks about, one after the other."""


class AnyLawSolver:
    """One solve: presolve, the blocks one by one, the plan, and the certificates on the untouched exchange graph.

    Parameters
    ----------
    decision_set : DecisionSet
        With an exchange graph.
    theta : ndarray of float, shape (d,)
        Means.
    law : Law
        Of the items.
    tolerance : float
        Largest difference of rewards that counts as a tie.
    gap : float
        Relative gap to reach.
    time_limit : float
        Seconds, maybe infinite. A quarter of it is kept for the plan and its verification.
    progress : callable or None
        Called after each round.
    """

    def __init__(
        self, decision_set: DecisionSet, theta: FloatArray, law: Law, tolerance: float, gap: float, time_limit: float,
        progress: Callable[[Progress], None] | None,
    ) -> None:  # fmt: skip
        self._start = tiers.seconds()
        self._decision_set, self._theta, self._law, self._gap = decision_set, theta, law, gap
        self._progress = progress
        self._deadline = self._start + time_limit
        self._block_deadline = self._start + 0.75 * time_limit
        self._graph, lack = sharpened(decision_set.exchange_graph(theta), theta)
        # Items at the end of their reach cannot look better than they are; to the presolve they are no items.
        self._presolved = presolve(self._graph, np.where(room(law, theta) > 0.0, 1.0, 0.0), tolerance)
        entering = self._graph.entering
        live = (entering >= 0) & np.isfinite(self._presolved.gaps) & ~self._presolved.free
        self._suboptimal = np.zeros(decision_set.d, dtype=np.bool_)
        self._suboptimal[entering[live]] = True
        self._items = ArcItems.of(law, theta, entering, live)
        self._raising = self._items.raising
        self._least_gap = float(self._presolved.gaps[self._raising].min(initial=math.inf))
        self._doubt = doubt_of(lack, self._least_gap)

    def solve(self) -> GravesLaiResult:
        """Run it; on one thread, so that the result has the same bits wherever it runs."""
        with thread_pools().limit(limits=1, user_api="blas"):
            return self._solve()

    def _solve(self) -> GravesLaiResult:
        blocks = self._presolved.blocks
        solutions = self._solve_blocks(blocks)
        solved = tiers.seconds()
        plan = self._plan_of(self._used_cycles(blocks, solutions))
        value, plan = self._scaled(plan, self.least_information(plan))
        lower = (1.0 - self._doubt) * self._lower_bound(blocks, solutions)
        if lower < (1.0 - self._gap) * value:
            # Where a search took too many labels or too long, a plan that needs none may be cheaper.
            plain = self._plan_of(self._rated_alone())
            other = self._scaled(plain, self._simple_bound(self._arc_rates(plain)))
            value, plan = min((value, plan), other, key=lambda known: known[0])
        lower = min(lower, value)
        items = np.flatnonzero(self._suboptimal)
        check_convex(
            self._law.take(items),
            self._theta[items],
            plan.item_rates[items] if len(plan) else np.zeros(len(items)),
            items,
        )
        done = tiers.seconds()
        return GravesLaiResult(
            value=value,
            lower=lower,
            status=Status.of(reached=lower >= (1.0 - self._gap) * value, late=done > self._block_deadline),
            method="cycles",
            plan=plan,
            optimal_decision=self._graph.decision,
            suboptimal_items=self._suboptimal,
            decision_set=self._decision_set,
            theta=self._theta,
            variance=self._law.told_variance(self._theta),
            stats={
                "rounds": max((s.rounds for s in solutions), default=0),
                "cycles": sum(len(s.cycles) for s in solutions),
                "seconds": done - self._start,
                "plan_and_verification_seconds": done - solved,
            },
            law=self._law,
        )

    def _solve_blocks(self, blocks: tuple[Block, ...]) -> list[BlockSolution]:
        loops = float(self._presolved.gaps[self._presolved.loops] @ self._loop_rates())
        solutions: list[BlockSolution] = []

        def report(now: BlockSolution) -> None:
            if self._progress is not None:
                known = [*solutions, now]
                rest = math.inf if len(known) < len(blocks) else 0.0
                self._progress(
                    Progress(
                        round=sum(s.rounds for s in known),
                        cycles=sum(len(s.cycles) for s in known),
                        lower=loops + sum(s.lower for s in known),
                        value=loops + sum(s.upper for s in known) + rest,
                        seconds=tiers.seconds() - self._start,
                    )
                )

        for block in blocks:
            # A part of the gap is left to the plan and its verification.
            items = self._items.take(block.arcs)
            solutions.append(BlockSolver(block, items, 0.7 * self._gap, self._block_deadline, report).solve())
        return solutions

    def _loop_rates(self) -> FloatArray:
        """Rates of the items whose arcs are loops: what the single constraint on them asks for."""
        loops = self._presolved.loops
        return self._needed(loops, self._presolved.gaps[loops])

    def _needed(self, arcs: IntArray, gaps: FloatArray, count: int | None = None) -> FloatArray:
        """Rates that the items of these arcs need, alone or where `count` enter together; 0 if they cannot rise."""
        rates = np.zeros(len(arcs))
        able = np.flatnonzero(self._raising[arcs])
        law, theta = self._items.take(arcs[able]).alone
        rates[able] = (
            rates_alone(law, theta, gaps[able]) if count is None else rates_shared(law, theta, gaps[able], count)
        )
        return rates

    # ------------------------------------------------------------------ the plan and the upper certificate

    def _used_cycles(self, blocks: tuple[Block, ...], solutions: list[BlockSolution]) -> RatedCycles:
        """Walks of the exchange graph that carry the flows of the blocks, and the loops."""
        rated = [strip_block(block, solution.flow) for block, solution in zip(blocks, solutions, strict=True)]
        cycles = self._unfolded(blocks, [r.cycles for r in rated])
        rates = np.concatenate([np.empty(0), *(r.rates for r in rated), self._loop_rates()])
        costs = rates * cycles.sums(self._graph.costs)
        # Interior points leave a trace of flow on everything; what that does to the constraints is verified later.
        negligible = NEGLIGIBLE * self._gap
        worth = costs > negligible * costs.sum() / max(len(costs), 1)
        through = cycles.totals(rates, self._graph.n_arcs)[cycles.arcs]
        carries = self._raising[cycles.arcs] & (rates[cycles.rows] > negligible * through)
        worth |= np.bincount(cycles.rows, carries, len(rates)) > 0
        return RatedCycles(cycles.select(worth), rates[worth])

    def _unfolded(self, blocks: tuple[Block, ...], families: list[Cycles]) -> Cycles:
        """Cycles of the blocks, and after them the loops, as walks of the exchange graph."""
        loops = self._presolved.loops
        parts = [Cycles(c.ptr, block.arcs[c.arcs]) for block, c in zip(blocks, families, strict=True)]
        parts.append(Cycles(np.arange(len(loops) + 1), loops))
        return unfolded(self._graph, self._presolved, Cycles.joined(parts))

    def _plan_of(self, used: RatedCycles) -> ExplorationPlan:
        """The plan in decisions."""
        return plan_of_walks(
            self._decision_set, self._graph, self._theta, self._suboptimal, used, 0.02 * self._gap, self._deadline
        )

    def _scaled(self, plan: ExplorationPlan, least: float) -> tuple[float, ExplorationPlan]:
        """What the plan costs at rates with which its least information, a bound on which is given, is 1; and that plan.

        All gaps may be off by the factor 1 +- doubt. It is 0 unless x* itself is optimal but for rounding.
        """
        if least <= 0.0:
            return math.inf, plan
        cost = (1.0 + self._doubt) * (1.0 + ROUNDING) * cost_of(plan, self._graph.decision, self._theta)
        return cost / least, ExplorationPlan(plan.decisions, plan.rates / least)

    def _arc_rates(self, plan: ExplorationPlan) -> FloatArray:
        """Rate of the item of each arc; 0 on arcs that do not raise."""
        return np.where(self._raising, plan.item_rates[self._graph.entering] if len(plan) else 0.0, 0.0)

    def least_information(self, plan: ExplorationPlan) -> float:
        """A proven lower bound on the information f(C) of the plan's item rates."""
        graph, loops = self._untouched()
        rates = self._arc_rates(plan)
        asked = self._needed(loops, self._graph.costs[loops] * (1.0 - self._doubt))
        least = float((rates[loops][asked > 0.0] / asked[asked > 0.0]).min(initial=math.inf))
        if not graph.raising.any():
            return min(least, 1.0)
        arcs = np.flatnonzero(self._between)
        for share in LEVELS:
            searcher = Searcher(graph, self._deadline)
            found = searcher.search(rates[arcs], share * (1.0 - 0.1 * self._gap))
            if found.least > 0.0:
                return min(least, found.least)
            if tiers.seconds() > self._deadline:
                break
        return min(least, self._simple_bound(rates))

    def _untouched(self) -> tuple[Graph, np.ndarray]:
        """The exchange graph with its hub as one node and nothing else merged, and its loops."""
        graph = self._graph
        merged = np.arange(graph.n_nodes, dtype=np.int64)
        if len(graph.hub):
            merged[graph.hub] = graph.hub[0]
        tails, heads = merged[graph.tails], merged[graph.heads]
        component = strong_components(graph.n_nodes, tails, heads)
        self._between = (tails != heads) & (component[tails] == component[heads])
        inside = np.flatnonzero(self._between)
        nodes, ends = np.unique(np.concatenate((tails[inside], heads[inside])), return_inverse=True)
        costs = graph.costs[inside] * (1.0 - self._doubt)
        digraph, _ = Digraph.build(len(nodes), ends[: len(inside)], ends[len(inside) :], costs)
        untouched = Graph(
            digraph.n, digraph.tails, digraph.heads, costs, self._presolved.gaps[inside] * (1.0 - self._doubt),
            self._items.take(inside), digraph.has_hub,
        )  # fmt: skip
        return untouched, np.flatnonzero((tails == heads) & self._raising)

    def _rated_alone(self) -> RatedCycles:
        """The cheapest cycle through each item, at the rate with which the item alone is enough; the same for loops."""
        blocks, loops = self._presolved.blocks, self._presolved.loops
        cycles = self._unfolded(blocks, [block.cheapest for block in blocks])
        arcs = np.concatenate([np.empty(0, dtype=np.int64), *(b.arcs[b.informative] for b in blocks), loops])
        rates = self._needs(arcs)
        return RatedCycles(cycles.select(rates > 0.0), rates[rates > 0.0])

    def _needs(self, arcs: IntArray) -> FloatArray:
        """The most that the items of these arcs may need, as at most m items enter together."""
        return self._needed(arcs, self._presolved.gaps[arcs] * (1.0 - self._doubt), self._decision_set.m)

    def _simple_bound(self, rates: FloatArray) -> float:
        """A bound on the least f(C) that needs no search.

        Raises that add up to the gap of a cycle with k items raise one of them by gap/k at least, and its own gap is no
        larger. With at most m items, f(C) >= min_i w_i d(theta_i, theta_i + gap_i/m).
        """
        arcs = np.flatnonzero(self._raising)
        needs = self._needs(arcs)
        asked = needs > 0.0
        return float((rates[arcs][asked] / needs[asked]).min()) if asked.any() else 1.0

    # ------------------------------------------------------------------ the lower certificate

    def _lower_bound(self, blocks: tuple[Block, ...], solutions: list[BlockSolution]) -> float:
        """The bound on the untouched graph, where gaps are taken too large by what they may be off."""
        if not self._raising.any():
            return 0.0
        graph, loops = self._graph, self._presolved.loops
        merged = np.arange(graph.n_nodes, dtype=np.int64)
        if len(graph.hub):
            merged[graph.hub] = graph.hub[0]
        gaps, rates = self._presolved.gaps[loops], self._loop_rates()
        parts = [Cycles(s.cycles.ptr, block.arcs[s.cycles.arcs]) for block, s in zip(blocks, solutions, strict=True)]
        known = Cycles.joined((*parts, Cycles(np.arange(len(loops) + 1), loops)))
        walks = self._unfolded(blocks, [s.cycles for s in solutions])
        # Arcs of zero gap stand between the others now: each raise follows its row and arc.
        keys = known.rows * graph.n_arcs + known.arcs
        rises, order = np.concatenate([np.empty(0), *(s.rises for s in solutions), gaps]), np.argsort(keys)
        wanted = walks.rows * graph.n_arcs + walks.arcs
        at = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
        found = keys[order[at]] == wanted
        return lower_bound(
            graph.n_nodes, merged[graph.tails], merged[graph.heads], graph.costs * (1.0 + self._doubt), self._items,
            walks, np.where(found, rises[order[at]], 0.0),
            np.concatenate([np.empty(0), *(s.multipliers for s in solutions), rates * gaps]),
            self._least_gap,
        )[0] / (1.0 + self._doubt)  # fmt: skip
