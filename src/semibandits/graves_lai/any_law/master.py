"""The master problem of a block for any law: cheapest circulation that satisfies the cycles known so far.

    minimise    sum_e costs_e flow_e
    subject to  flow >= 0 a circulation,  f_C(flow) >= 1  for the cycles C of the pool.

f_C is concave and homogeneous of degree 1, with the divergences of the cheapest raises as its gradient; so the Lagrangian dual
of any point is the linear program with these gradients as cuts, and ``sum mu`` its value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from semibandits._typing import FloatArray
from semibandits.graves_lai.any_law.search import Graph
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.master import Tree, balanced
from semibandits.graves_lai.presolve import Block
from semibandits.graves_lai.raises import Raises
from semibandits.kernels import tiers
from semibandits.kernels.newton import newton_matrix

MAX_STEPS = 60
STEP = 0.99
GROWTH = 2.0
"""Factor by which a step may make the errors larger; at the kinks that means next to 0 make, whole steps go to and fro."""
SHORTER, SHORTEST = 0.3, 1e-3
"""By what a step is shortened until then, and the length below which it is taken whatever comes."""
REGULAR = 1e-15
"""Added to the unit diagonal of Newton's matrix."""


@dataclass(frozen=True, eq=False)
class Proposal:
    """What a master proposes; bounds are computed from it elsewhere.

    Attributes
    ----------
    flow : ndarray of float, shape (a,)
        A circulation up to rounding, > 0 on arcs with an item.
    multipliers : ndarray of float, shape (number of cycles,)
        mu >= 0.
    prices : ndarray of float, shape (number of cycles,)
        Where to look for the prices of the cheapest raises of the cycles at this flow.
    """

    flow: FloatArray
    multipliers: FloatArray
    prices: FloatArray


class InteriorPoint:
    """Primal-dual path following with Mehrotra's corrector, in relative changes of the flows of chords.

    The flows of a spanning tree follow from those of the chords outside it, so that balance is never in question, however
    different the sizes of flows.

    Parameters
    ----------
    graph : Graph
        Strongly connected.
    block : Block
        The same graph.
    start : ndarray of float, shape (a,)
        A circulation > 0 on all arcs.
    """

    def __init__(self, graph: Graph, block: Block, start: FloatArray) -> None:
        self._graph, self._block, self._start = graph, block, start
        self._flow = start

    def solve(self, cycles: Cycles, accuracy: float, deadline: float) -> Proposal:
        """Solve over these cycles, all of finite information, to about this relative accuracy."""
        # What overflows or is 0/0, where flows or gaps are next to 0, ends the steps.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            state = best = self._begin(cycles)
            for _ in range(MAX_STEPS):
                if state.error < best.error:
                    best = state
                if state.error < accuracy or tiers.seconds() > deadline:
                    break
                following = self._step(state)
                if following is None:
                    break
                state = following
        self._flow = balanced(self._block, best.flow)
        return Proposal(self._flow, best.multipliers, best.raises.prices)

    def _begin(self, cycles: Cycles) -> _State:
        """A point near the central path: the last flow, made feasible, and a little of the first."""
        flow = self._flow / self._least(cycles, self._flow)
        flow = flow + 0.2 * self._start / self._least(cycles, self._start)
        raises = self._graph.raises(cycles, flow)
        slack = np.maximum(raises.values - 1.0, 1e-2)
        mean = float(self._graph.costs @ flow) / float((1.0 / slack).sum())
        return _State(self._graph, self._block, cycles, flow, slack, mean / slack, mean / flow, raises)

    def _least(self, cycles: Cycles, flow: FloatArray) -> float:
        return float(self._graph.raises(cycles, flow).values.min())

    def _step(self, now: _State) -> _State | None:
        """One predictor and corrector step; None if it cannot be computed, or leads nowhere."""
        try:
            solver = _Newton(now)
            ahead = solver.direction(0.0, None)
            length = min(1.0, solver.length(ahead))
            later = now.products(ahead, length)
            share = min(max((later / now.mean) ** 3, 1e-4), 0.5)
            step = solver.direction(share * now.mean, ahead)
            length = min(1.0, STEP * solver.length(step))
        except (LinAlgError, ValueError):
            return None
        while length > 1e-8:
            following = now.moved(step, length)
            if following.error <= GROWTH * now.error or length < SHORTEST:
                return following
            length *= SHORTER
        return None


@dataclass(frozen=True, eq=False)
class _Direction:
    """A step: relative in the flows, absolute in the rest."""

    flow: FloatArray
    slack: FloatArray
    multipliers: FloatArray
    reserves: FloatArray


@dataclass(frozen=True, eq=False)
class _State:
    """A primal-dual point. `reserves` are the multipliers of ``flow >= 0``."""

    graph: Graph
    block: Block
    cycles: Cycles
    flow: FloatArray
    slack: FloatArray
    multipliers: FloatArray
    reserves: FloatArray
    raises: Raises

    @property
    def mean(self) -> float:
        """Mean of the products of slacks and multipliers."""
        return float(self.slack @ self.multipliers + self.flow @ self.reserves) / (len(self.slack) + len(self.flow))

    @property
    def gradient(self) -> FloatArray:
        """``sum mu grad f`` on each arc."""
        entries = self.raises.divergences * self.multipliers[self.cycles.rows]
        return np.bincount(self.cycles.arcs, entries, len(self.flow)).astype(np.float64)

    @cached_property
    def tree(self) -> Tree:
        """Tree of the largest flows, so that the flow of a chord is the least on its fundamental cycle."""
        return Tree.heaviest(self.block, self.flow)

    @cached_property
    def exchanges(self) -> FloatArray:
        """Relative change of each arc (rows) by a relative change of each chord (columns); at most 1 in size."""
        chords = self.tree.chords
        table = np.empty((len(self.flow), len(chords)))
        unit = np.zeros(len(chords))
        for k, chord in enumerate(chords):
            unit[k] = self.flow[chord]
            table[:, k] = self.tree.circulation(self.block, unit)
            unit[k] = 0.0
        table /= self.flow[:, None]
        return table

    @cached_property
    def dual_residual(self) -> FloatArray:
        """How far multipliers are from paying for each fundamental cycle, times the flow of its chord."""
        lack: FloatArray = (self.flow * (self.graph.costs - self.gradient - self.reserves)) @ self.exchanges
        return lack

    @property
    def error(self) -> float:
        """Complementarity, dual and primal errors, relative to the cost."""
        cost = float(self.graph.costs @ self.flow)
        products = self.mean * (len(self.slack) + len(self.flow))
        lack = float(self.multipliers @ abs(self.raises.values - 1.0 - self.slack))
        return (products + float(abs(self.dual_residual).sum()) + lack) / cost

    def products(self, step: _Direction, length: float) -> float:
        """The mean product after the step."""
        slack, multipliers = self.slack + length * step.slack, self.multipliers + length * step.multipliers
        flow, reserves = self.flow * (1.0 + length * step.flow), self.reserves + length * step.reserves
        return float(slack @ multipliers + flow @ reserves) / (len(slack) + len(flow))

    def moved(self, step: _Direction, length: float) -> _State:
        """The point after the step; flows of the tree follow from those of the chords."""
        flow = self.flow * (1.0 + length * step.flow)
        exact = self.tree.circulation(self.block, flow[self.tree.chords])
        flow = np.where(exact > 0.0, exact, flow)
        return _State(
            self.graph,
            self.block,
            self.cycles,
            flow,
            self.slack + length * step.slack,
            self.multipliers + length * step.multipliers,
            self.reserves + length * step.reserves,
            self.graph.raises(self.cycles, flow, self.raises.prices),
        )


class _Newton:
    """Newton's equations at a point in the flows of the chords, factorised."""

    def __init__(self, now: _State) -> None:
        self._now = now
        matrix = newton_matrix(
            now.cycles.ptr, now.cycles.arcs, now.multipliers, now.slack, now.graph.raising, now.flow,
            now.raises.prices, now.raises.divergences, now.raises.slopes,
        )  # fmt: skip
        matrix[np.diag_indices_from(matrix)] += now.reserves * now.flow
        reduced = now.exchanges.T @ matrix @ now.exchanges
        diagonal = np.diagonal(reduced)
        if not (diagonal > 0.0).all():
            raise LinAlgError("Newton's matrix has a diagonal that is not positive")
        self._scale = 1.0 / np.sqrt(diagonal)
        reduced *= self._scale[:, None] * self._scale
        reduced[np.diag_indices_from(reduced)] += REGULAR
        self._factor = cho_factor(reduced, lower=True)

    def direction(self, target: float, ahead: _Direction | None) -> _Direction:
        """Step towards products equal to `target`, corrected for the second-order terms of the step `ahead`."""
        now, cycles = self._now, self._now.cycles
        second = 0.0 if ahead is None else ahead.slack * ahead.multipliers
        wanted = (target - second) / now.slack - now.multipliers
        reserves = target / now.flow - now.reserves - (0.0 if ahead is None else ahead.flow * ahead.reserves)
        lack = now.raises.values - 1.0 - now.slack
        pull = wanted - now.multipliers / now.slack * lack
        pushed = np.bincount(cycles.arcs, now.raises.divergences * pull[cycles.rows], len(now.flow))
        right = (now.flow * (pushed + reserves)) @ now.exchanges - now.dual_residual
        change = now.exchanges @ (self._scale * cho_solve(self._factor, self._scale * right))
        drift = np.add.reduceat(now.raises.divergences * (now.flow * change)[cycles.arcs], cycles.ptr[:-1])
        slack = drift + lack
        return _Direction(change, slack, wanted - now.multipliers / now.slack * slack, reserves - now.reserves * change)

    def length(self, step: _Direction) -> float:
        """How far the step keeps everything positive, at most 1 / STEP."""
        now = self._now
        ratios = (
            step.flow, step.slack / now.slack, step.multipliers / now.multipliers, step.reserves / now.reserves,
        )  # fmt: skip
        steepest = max(float(-ratio.min()) for ratio in ratios)
        return min(1.0 / STEP, 1.0 / steepest) if steepest > 0.0 else 1.0 / STEP
