"""The Graves-Lai problem over the circulations of an exchange graph, with cycle cuts (theory T0, T1, T3, T4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.graves_lai.block import BlockSolution, BlockSolver
from semibandits.graves_lai.certificate import lower_bound, worst_ratio
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.plan import (
    RatedCycles,
    cost_of,
    plan_of_walks,
    strip_block,
    unfolded,
)
from semibandits.graves_lai.precision import doubt_of, sharpened
from semibandits.graves_lai.presolve import Block, Presolved, presolve
from semibandits.graves_lai.result import ExplorationPlan, GravesLaiResult, Progress, Status
from semibandits.graves_lai.warm_start import Memory
from semibandits.kernels import tiers

MAX_LABELS = 5_000_000
"""Labels of the final verification; thirty times what the largest instances of the benchmarks need."""
THRESHOLDS = (1.0, 1.01, 1.1, 2.0)
"""Ratios that the final verification asks about, one after the other: the higher, the fewer labels are needed."""


@dataclass(frozen=True, eq=False)
class _Duals:
    """Multipliers over cycles of the blocks and a change of potentials: what proves the lower bound."""

    cycles: Cycles
    multipliers: FloatArray
    potentials: FloatArray


class CirculationSolver:
    """One solve: presolve, the blocks one by one, the plan, and the certificates on the untouched exchange graph.

    Parameters
    ----------
    decision_set : DecisionSet
        With an exchange graph.
    theta, variance : ndarray of float, shape (d,)
    tolerance : float
        Largest difference of rewards that counts as a tie.
    gap : float
        Relative gap to reach.
    time_limit : float
        Seconds, maybe infinite. A quarter of it is kept for the plan and its verification.
    progress : callable or None
        Called after each round.
    memory : Memory or None
        Of an earlier solve over the same set.
    """

    def __init__(
        self, decision_set: DecisionSet, theta: FloatArray, variance: FloatArray, tolerance: float, gap: float,
        time_limit: float, progress: Callable[[Progress], None] | None, memory: Memory | None = None,
    ) -> None:  # fmt: skip
        self._start = tiers.seconds()
        self._decision_set, self._theta, self._gap = decision_set, theta, gap
        self._variance, self._twice_variance = variance, 2.0 * variance
        self._deadline = self._start + time_limit
        self._block_deadline = self._start + 0.75 * time_limit
        self._progress, self._memory = progress, memory
        self._graph, lack = sharpened(decision_set.exchange_graph(theta), theta)
        self._presolved = presolve(self._graph, self._twice_variance, tolerance)
        live = (self._graph.entering >= 0) & np.isfinite(self._presolved.gaps) & ~self._presolved.free
        self._suboptimal = np.zeros(decision_set.d, dtype=np.bool_)
        self._suboptimal[self._graph.entering[live]] = True
        self._doubt = doubt_of(lack, float(self._presolved.gaps[live].min(initial=math.inf)))

    def solve(self) -> GravesLaiResult:
        """Run it; on one thread, so that the result has the same bits wherever it runs, also beside other workers."""
        with thread_pools().limit(limits=1, user_api="blas"):
            return self._solve()

    def _solve(self) -> GravesLaiResult:
        blocks = self._presolved.blocks
        solutions = self._solve_blocks(blocks)
        solved = tiers.seconds()
        used = self._used_cycles(blocks, solutions)
        plan = self._plan(used)
        ratio = self.proven_ratio(plan)
        # All gaps may be off by the factor 1 +- doubt. It is 0 unless x* itself is optimal but for rounding.
        ratio, doubt = ratio / (1.0 - self._doubt) ** 2, self._doubt
        value = ratio * (1.0 + doubt) * cost_of(plan, self._graph.decision, self._theta)
        plan = ExplorationPlan(plan.decisions, ratio * plan.rates)
        duals = self._duals(blocks, solutions)
        lower = min(self._lower_bound(duals) * (1.0 - doubt) / (1.0 + doubt) ** 2, value)
        done = tiers.seconds()
        reached = value - lower <= self._gap * value
        return GravesLaiResult(
            value=value,
            lower=lower,
            status=Status.of(reached=reached, late=done > self._block_deadline),
            method="cycles",
            plan=plan,
            optimal_decision=self._graph.decision,
            suboptimal_items=self._suboptimal,
            decision_set=self._decision_set,
            theta=self._theta,
            variance=self._variance,
            stats={
                "rounds": max((s.rounds for s in solutions), default=0),
                "cycles": sum(s.cycles for s in solutions),
                "seconds": done - self._start,
                "separation_seconds": sum(s.separation_seconds for s in solutions),
                "plan_and_verification_seconds": done - solved,
            },
            _memory=Memory.of(self._graph, used.cycles, used.rates, duals.cycles, duals.multipliers, plan.decisions),
        )

    def _solve_blocks(self, blocks: tuple[Block, ...]) -> list[BlockSolution]:
        loops = self._loop_cost()
        solutions: list[BlockSolution] = []

        def report(now: BlockSolution) -> None:
            if self._progress is not None:
                known = [*solutions, now]
                rest = math.inf if len(known) < len(blocks) else 0.0
                self._progress(
                    Progress(
                        round=sum(s.rounds for s in known),
                        cycles=sum(s.cycles for s in known),
                        lower=loops + sum(s.lower.value for s in known),
                        value=loops + sum(s.upper for s in known) + rest,
                        seconds=tiers.seconds() - self._start,
                    )
                )

        starts = [None] * len(blocks) if self._memory is None else self._memory.starts(self._graph, blocks)
        for block, start in zip(blocks, starts, strict=True):
            # A part of the gap is left to the plan and its verification.
            solutions.append(BlockSolver(block, 0.8 * self._gap, self._block_deadline, report, start).solve())
        return solutions

    def _loop_cost(self) -> float:
        loops = self._presolved.loops
        v = self._twice_variance[self._graph.entering[loops]]
        return float((v / self._presolved.gaps[loops]).sum())

    # ------------------------------------------------------------------ the plan and the upper certificate

    def proven_ratio(self, plan: ExplorationPlan, thresholds: tuple[float, ...] = THRESHOLDS) -> float:
        """A proven bound on the worst ratio u(C)/gap^2 of the item rates of a plan; at least the first threshold, increasing."""
        if not self._suboptimal.any():
            return 1.0
        rates = plan.item_rates[self._suboptimal]
        if not (rates > 0.0).all():
            return math.inf
        u = np.zeros(self._decision_set.d)
        u[self._suboptimal] = self._twice_variance[self._suboptimal] / rates
        for ratio in thresholds:
            if tiers.seconds() > self._deadline:
                break
            checked = worst_ratio(self._graph, u, at_least=ratio, max_labels=MAX_LABELS, deadline=self._deadline)
            if checked.complete:
                return checked.ratio
        return self._simple_bound(u)

    def _simple_bound(self, u: FloatArray) -> float:
        """A bound on the worst ratio that needs no search.

        Each item i of a cycle C has gap_i <= gap_C, so u(C)/gap_C^2 is at most the sum of u_i/gap_i^2 over the items that
        enter on C. There are at most m of these: they are in one decision together, or, for matroid intersections, each comes
        after another item of x* (T1).
        """
        arcs = np.flatnonzero(self._graph.entering >= 0)
        arcs = arcs[u[self._graph.entering[arcs]] > 0]
        ratios = u[self._graph.entering[arcs]] / self._presolved.gaps[arcs] ** 2
        return float(np.sort(ratios)[-self._decision_set.m :].sum())

    def _plan(self, used: RatedCycles) -> ExplorationPlan:
        loops = self._presolved.loops
        loop_rates = self._twice_variance[self._graph.entering[loops]] / self._presolved.gaps[loops] ** 2
        rated = RatedCycles(self._unfolded(used.cycles), np.concatenate((used.rates, loop_rates)))
        known = set() if self._memory is None else {x.tobytes() for x in self._memory.played}
        return plan_of_walks(
            self._decision_set, self._graph, self._theta, self._suboptimal, rated, 0.02 * self._gap, self._deadline,
            known=known,
        )  # fmt: skip

    def _used_cycles(self, blocks: tuple[Block, ...], solutions: list[BlockSolution]) -> RatedCycles:
        """Cycles of the blocks that carry their flows."""
        rated = [strip_block(block, solution.flow) for block, solution in zip(blocks, solutions, strict=True)]
        return RatedCycles(_joined(blocks, [r.cycles for r in rated]), _values(r.rates for r in rated))

    def _unfolded(self, cycles: Cycles) -> Cycles:
        """These cycles of the blocks, and after them the loops, as walks of the exchange graph."""
        loops = self._presolved.loops
        alone = Cycles(np.arange(len(loops) + 1), loops)
        return unfolded(self._graph, self._presolved, Cycles.joined((cycles, alone)))

    # ------------------------------------------------------------------ the lower certificate

    def _lower_bound(self, duals: _Duals) -> float:
        if not self._suboptimal.any():
            return 0.0
        loops = self._presolved.loops
        # Self-loop: v/gap is the bound, with price gap and, in the common scale, mu = v/gap^3.
        of_loops = self._twice_variance[self._graph.entering[loops]] / self._presolved.gaps[loops] ** 3
        return lower_bound(
            self._graph, self._twice_variance, self._suboptimal, self._unfolded(duals.cycles),
            np.concatenate((duals.multipliers, of_loops)), duals.potentials, theta=self._theta,
        )  # fmt: skip

    def _duals(self, blocks: tuple[Block, ...], solutions: list[BlockSolution]) -> _Duals:
        """The duals of all blocks together, for the exchange graph."""
        cycles = _joined(blocks, [s.lower.cycles for s in solutions])
        merged = _glued(self._presolved, blocks, [s.lower.potentials for s in solutions])
        return _Duals(cycles, _values(s.lower.multipliers for s in solutions), merged[self._presolved.merged])


def _joined(blocks: tuple[Block, ...], families: list[Cycles]) -> Cycles:
    """Cycles of the blocks, with the numbers that their arcs have in the exchange graph."""
    return Cycles.joined(Cycles(c.ptr, block.arcs[c.arcs]) for block, c in zip(blocks, families, strict=True))


def _values(parts: Iterable[FloatArray]) -> FloatArray:
    return np.concatenate([np.empty(0), *parts])


@cache
def thread_pools() -> ThreadpoolController:
    """The pools of threads of this process, looked up once."""
    return ThreadpoolController()


def _glued(presolved: Presolved, blocks: tuple[Block, ...], changes: list[FloatArray]) -> FloatArray:
    """Potentials of the merged nodes from those of the blocks, which share cut nodes: shifted until they agree there."""
    potentials = np.zeros(int(presolved.merged.max(initial=0)) + 1)
    at_node: dict[int, list[int]] = {}
    for b, block in enumerate(blocks):
        for node in block.nodes.tolist():
            at_node.setdefault(node, []).append(b)
    done: BoolArray = np.zeros(len(blocks), dtype=np.bool_)
    for root in range(len(blocks)):
        stack: list[tuple[int, int]] = [] if done[root] else [(root, int(blocks[root].nodes[0]))]
        done[root] = True
        while stack:
            b, shared = stack.pop()
            nodes: IntArray = blocks[b].nodes
            here = changes[b] - changes[b][np.flatnonzero(nodes == shared)[0]] + potentials[shared]
            potentials[nodes] = here
            for node in nodes.tolist():
                for other in at_node[node]:
                    if not done[other]:
                        done[other] = True
                        stack.append((other, node))
    return potentials
