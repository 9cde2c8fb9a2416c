"""Solver of one block: rounds of master, separation and repair until the bracket is narrow enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from semibandits._typing import FloatArray
from semibandits.kernels.machine import tiers
from semibandits.regret_bound.cycles.bounds import LowerBound, lower_bound
from semibandits.regret_bound.cycles.cycles import CyclePool, Cycles
from semibandits.regret_bound.cycles.interior import InteriorPointMaster
from semibandits.regret_bound.cycles.master import Standing, starting_flow
from semibandits.regret_bound.cycles.presolve import Block
from semibandits.regret_bound.cycles.rows import Rows
from semibandits.regret_bound.cycles.separation import Violations, spread
from semibandits.regret_bound.cycles.warm_start import Start

MOST_CHORDS = 5_000
"""Size from which no Newton matrix is stored: it would take more than 200 MB."""
MANY_CHORDS = 500
"""Size of a Newton matrix from which conjugate gradients take less time than its factorisation."""
SLACK = 0.7
"""Rows below this value after a round are dropped."""
FAR_OFF = 0.1
"""A guess whose cost exceeds the lower bound by more than this share is discarded, except for its cycles."""
HOPELESS = 15.0
"""A guess that violates a constraint by more than this multiple of the gap is not repaired."""


@dataclass
class BlockSolution:
    """Current bracket of a block: ``lower.value <= C <= upper``, the cost of `flow` (before the final verification)."""

    flow: FloatArray
    upper: float
    lower: LowerBound
    rounds: int = 0
    cycles: int = 0
    separation_seconds: float = 0.0

    @property
    def gap(self) -> float:
        """Relative width of the bracket."""
        return 1.0 - self.lower.value / self.upper if self.upper > 0.0 else 0.0


@dataclass
class BlockSolver:
    """Solves one block to a relative gap."""

    block: Block
    gap: float  # relative gap to reach
    deadline: float  # value of `tiers.seconds` at which to stop
    start: Start | None = None  # a guess of the solution, from an earlier solve
    pool: CyclePool = field(init=False)
    rows: Rows = field(init=False)
    solution: BlockSolution = field(init=False)
    report: Callable[[BlockSolution], None] = field(init=False)

    def __post_init__(self) -> None:
        block = self.block
        self.pool = CyclePool(block.graph.costs)
        self.rows = Rows.of(block, self.pool, self.deadline)
        self.pool.add(self.rows.binding(block.cheapest))
        self._first = len(self.pool)
        if self.start is not None:
            self.pool.add(self.start.cycles)
        flow = self.rows.enough(starting_flow(block))
        nothing = LowerBound(0.0, Cycles.empty(), np.empty(0), np.empty(0))
        self.solution = BlockSolution(flow, float(block.graph.costs @ flow), nothing)

    def solve(self, report: Callable[[BlockSolution], None]) -> BlockSolution:
        """Run rounds until the gap is reached, time is up, or no master makes progress. `report` is called after each round."""
        self.report = report
        if not len(self.pool):  # no item can close its own gap
            self.solution.flow, self.solution.upper = np.zeros(len(self.block.gaps)), 0.0
            return self.solution
        if self.start is not None and self._resume(self.start):
            return self.solution
        for master in self._masters():
            if self._solve_with(master):
                break
        if self.solution.gap > self.gap:
            self._improve_upper(self.solution.flow, self.rows.bound(self.solution.flow))
        return self.solution

    def resume(self, cycles: Cycles) -> bool:
        """Add cycles that the solution violates and reset its upper bound; return whether any cycle is new."""
        fresh = self.pool.add(self.rows.binding(cycles))
        self._first += len(fresh)
        if len(fresh):
            self.start = None
            self.solution.flow = self.rows.enough(starting_flow(self.block))
            self.solution.upper = float(self.block.graph.costs @ self.solution.flow)
        return len(fresh) > 0

    def _resume(self, start: Start) -> bool:
        """Run one round on the guess, without a master; return whether it reaches the gap."""
        self.solution.lower = lower_bound(
            self.block, start.cycles, start.squared_gaps, start.multipliers, start.potentials(self.block)
        )
        # Repairs of violated constraints can only increase the cost of the guess.
        lack = 1.0 - self.solution.lower.value / float(self.block.graph.costs @ start.flow)
        if lack > FAR_OFF:
            self.start = None
        if lack > 0.5 * self.gap:
            return False
        known = len(self.pool)
        self._bound_above(start.flow, 1.0, hopeless=HOPELESS * self.gap)
        self.solution.rounds += 1
        self.report(self.solution)
        if self.solution.gap <= self.gap:
            return True
        self.pool.keep(np.arange(len(self.pool)) < known)
        return False

    def _masters(self) -> Iterator[InteriorPointMaster]:
        """The master, and a second one from another start for when the first runs out of precision."""
        chords, quadratic = len(self.block.gaps) - self.block.graph.n, self.block.items.law.is_quadratic
        if quadratic:
            yield InteriorPointMaster(self.rows, self.start, iterative=chords >= MANY_CHORDS)
        yield InteriorPointMaster(self.rows, iterative=chords >= MOST_CHORDS)

    def _solve_with(self, master: InteriorPointMaster) -> bool:
        """Run rounds with this master; return False if they end because there is no more progress."""
        accuracy, idle = master.first_accuracy(self.gap), 0
        while True:
            before = self.solution.gap
            outcome = self._round(master, accuracy)
            self.report(self.solution)
            if self.solution.gap <= self.gap or tiers.seconds() > self.deadline:
                return True
            idle = 0 if self.solution.gap < 0.98 * before else idle + 1
            if outcome is None or idle >= master.patience:
                return False
            now = Standing(*outcome, self.solution.flow, self.solution.gap)
            accuracy = master.next_accuracy(accuracy, self.gap, now)
            master.extend(now)
            # Drop rows that are far from binding. The first ones stay, so that every arc with an item remains in a row.
            keep = self.rows.values(master.flow) > SLACK
            keep[: self._first] = True
            if not keep.all():
                self.pool.keep(keep)
                master.keep(keep)

    def _round(self, master: InteriorPointMaster, accuracy: float) -> tuple[float, int] | None:
        """Run one round; return the largest excess of a constraint at the master's flow and the number of new cycles, or None."""
        proposal = master.solve(accuracy, self.deadline)
        self.solution.rounds += 1
        if not proposal.is_sound(self.block):
            return None
        bound = self.rows.lower(proposal.multipliers, proposal.potentials)
        if bound.value > self.solution.lower.value:
            self.solution.lower = bound
        return self._bound_above(proposal.flow, 1.0 - min(accuracy, 0.01))

    def _bound_above(self, flow: FloatArray, threshold: float, hopeless: float = np.inf) -> tuple[float, int]:
        """Update the upper bound from a flow, repaired if its excess is below `hopeless`; return it and the new cycle count."""
        if tiers.seconds() > self.deadline:
            self._improve_upper(flow, self.rows.bound(flow))
            return math.inf, 0
        found = self._search(flow, threshold, backwards=False)
        cuts = [spread(found, len(self.block.gaps))]
        if self.solution.gap > self.gap and found.excess < hopeless:
            if self.block.graph.has_hub and self.rows.keeps_positive:
                mirrored = self._search(flow, threshold, backwards=True)
                cuts.append(spread(mirrored, len(self.block.gaps)))
            cuts += self._repair(flow, cuts)
        fresh = self.pool.add(self.rows.binding(Cycles.joined(cuts)))
        self.solution.cycles = len(self.pool)
        return found.excess, len(fresh)

    def _search(self, flow: FloatArray, threshold: float, *, backwards: bool) -> Violations:
        start = tiers.seconds()
        # If a known cycle is strongly violated, only similar ones are worth finding.
        worst_known = float(self.rows.values(flow).max())
        threshold = max(threshold, 0.3 * worst_known)
        found = self.rows.search(flow, threshold, backwards=backwards)
        self.solution.separation_seconds += tiers.seconds() - start
        self._improve_upper(flow, found.ratio if math.isfinite(found.ratio) else self.rows.bound(flow))
        return found

    def _improve_upper(self, flow: FloatArray, ratio: float) -> None:
        """Update the upper bound from a flow and a bound on the ratios of its cycles."""
        upper = ratio * float(self.block.graph.costs @ flow)
        if upper < self.solution.upper:
            self.solution.upper, self.solution.flow = upper, flow * ratio

    def _repair(self, flow: FloatArray, cuts: list[Cycles]) -> list[Cycles]:
        """Update the upper bound from flows made feasible cycle by cycle; return the violated cycles found on the way."""
        flow, violated, margin = flow.copy(), [], 0.1 * self.gap
        current = Cycles.joined(cuts)
        for k in range(self.rows.repairs):
            if not len(current) or self.solution.gap <= self.gap or tiers.seconds() > self.deadline:
                break
            self.rows.repair(flow, current, margin)
            found = self._search(flow, 1.0, backwards=k % 2 == 0 and self.rows.keeps_positive)
            current = spread(found, len(flow))
            violated.append(current)
            # Compare what feasibility still costs with the gap between the lower bound and the cost of the flow.
            lack = 1.0 - self.solution.lower.value / float(self.block.graph.costs @ flow)
            if found.excess <= max(0.2 * self.gap, 0.3 * lack):
                break
        return violated
