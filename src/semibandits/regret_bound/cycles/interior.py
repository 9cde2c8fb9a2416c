"""The master problem with an interior-point method in the flows, warm-started from round to round.

With many long cycles (paths), the Newton matrix is dense in any formulation. Eliminating the flow balance with a spanning tree
reduces it to the dimension of the space of circulations. Large systems are solved without a matrix, by conjugate gradients. Steps
do not depend on the scale of flows and rows, which may differ by many orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.kernels.machine import tiers
from semibandits.kernels.solver.newton import reach, tree_potentials
from semibandits.regret_bound.cycles.local import Hessian, Local
from semibandits.regret_bound.cycles.master import MOST_ACCURATE, Chords, MasterSolution, Standing, positive_flow
from semibandits.regret_bound.cycles.newton_systems import Laplacians, ProjectedGradients, Solver, factorised
from semibandits.regret_bound.cycles.rows import Rows
from semibandits.regret_bound.cycles.warm_start import Start

Prepare = Callable[[Hessian, Chords], Solver | None]
Direction = tuple[FloatArray, FloatArray, FloatArray]
"""Changes of flow, slacks and multipliers."""

CENTRED = 1e-2
"""A guess is moved until the slack of each row is at least this, and its product with the multiplier this share of the mean."""
MAX_STEPS, MANY_STEPS = 25, 80
"""Newton steps per call. Where separation is fast, stopping early loses little: the caller separates and calls again."""
NARROW = 0.5
"""Gap below which the method continues from the best feasible flow."""
CENTRAL = 0.1
"""Least product of a slack and its multiplier at a new start, as a share of the mean."""
DIVERGED = 1e100
"""Multipliers above this, and slacks below its inverse, do not come back."""
LOOSE, TIGHT, SHORT = 1e-2, 1e-6, 0.02
"""Relative accuracy of an iterative Newton step. Steps shorter than SHORT make the next one more accurate, others less."""
FLOPS = 1e11
"""Floating-point operations per second of a fast core: the first step is skipped if it could not end in time at this speed."""


@dataclass(frozen=True, eq=False)
class _Iterate:
    """Quantities at a primal-dual point (f, s, mu). Slacks and multipliers are in the order: plain arcs, rows."""

    chords: Chords
    local: Local
    residual: FloatArray  # row value - 1 + s; 0 on plain arcs, whose slack is their flow
    complementarity: float  # mean of mu * s
    cost: float
    potentials: FloatArray


class InteriorPointMaster:
    """Primal-dual path following with Mehrotra's corrector on  min c'f,  1/F(f) + s = 1,  s >= 0,  f balanced.

    Newton's matrix in f is ``H + A' (mu/s) A`` with H the Hessian of the rows times their multipliers and A their slopes. It is
    restricted to circulations; `newton_systems` either factorises it or never forms it. Rows keep the flow positive on arcs with
    an item. On the others, the *plain* arcs, f >= 0 is a separate constraint with a multiplier mu, and H
    has the entry mu/f.
    """

    patience = 15
    """Number of rounds without progress after which it is given up: the first accuracy is low."""

    def __init__(self, rows: Rows, start: Start | None = None, *, iterative: bool = False) -> None:
        block = rows.block
        self._rows, self._block = rows, block
        self._laplacians = Laplacians(block.graph) if iterative else None
        self._step_seconds = 0.0 if iterative else max(len(block.gaps) - block.graph.n, 0) ** 3 / FLOPS
        self._tolerance = LOOSE
        # If the raises of means are limited, rows do not keep flows positive.
        self._plain = np.flatnonzero(~block.informative | (not rows.keeps_positive))
        self._warm = start is not None
        if start is None:
            flow = positive_flow(block)
            self.flow: FloatArray = flow * (1.1 * float(rows.values(flow).max()))
            self._slack = np.concatenate((self.flow[self._plain], 1.0 - rows.values(self.flow)))
            multipliers = 1.0 / self._slack
            self._multipliers = multipliers * (block.graph.costs @ self.flow / multipliers[len(self._plain) :].sum())
            return
        # Begin at the guess, moved so that products of slacks and multipliers are similar.
        flow = start.flow
        if (flow[self._plain] <= 0.0).any():
            flow = flow + CENTRED * positive_flow(block)
        slack = np.maximum(1.0 - rows.values(flow), CENTRED)
        multipliers = rows.pool.carried(start.cycles, start.multipliers * start.squared_gaps)
        mean = CENTRED * float(block.graph.costs @ flow) / (len(self._plain) + len(slack))
        self.flow = flow
        self._slack = np.concatenate((flow[self._plain], slack))
        self._multipliers = np.concatenate((mean / flow[self._plain], np.maximum(multipliers, mean / slack)))

    def first_accuracy(self, gap: float) -> float:
        """Accuracy of the first solve if the final gap is to be `gap`: low, since the next call continues from here."""
        return min(5e-2, 0.3 * gap) if self._warm or not self._rows.keeps_positive else 5e-2

    def next_accuracy(self, accuracy: float, gap: float, now: Standing) -> float:
        """Accuracy of the next solve. Without new cycles only accuracy helps, so all that the gap needs is requested."""
        if not now.added:
            return max(MOST_ACCURATE, min(0.2 * accuracy, 0.5 * gap))
        if self._restarts(now):
            return max(min(accuracy, 0.1 * gap), 0.2 * now.gap)
        return max(min(accuracy, 0.1 * gap), min(0.5 * accuracy, 0.3 * now.excess))

    def extend(self, now: Standing) -> None:
        """Adapt to cycles appended to the pool.

        If the bracket is narrow, continue from the best feasible flow, with rates increased by half the gap: all slacks are then
        of the size at which multipliers, also the old ones, are near the central path. Otherwise new rows enter near it, and
        slacks that are too small for that are increased.
        """
        if self._restarts(now):
            margin = 0.5 * now.gap
            flow = (1.0 + margin) * now.flow
            slack = np.concatenate((flow[self._plain], np.maximum(1.0 - self._rows.values(flow), 0.1 * margin)))
            target = CENTRAL * margin * float(self._block.graph.costs @ flow) / len(slack)
            new = np.zeros(len(slack) - len(self._multipliers))
            self._multipliers = np.maximum(np.concatenate((self._multipliers, new)), target / slack)
            self.flow, self._slack = flow, slack
            return
        rows = self._rows.values(self.flow)
        old, cost = len(self._slack) - len(self._plain), float(self._block.graph.costs @ self.flow)
        mean = float((self._multipliers * self._slack).mean())
        target = min(max(0.1 * now.excess * cost / len(rows), mean), 0.1 * cost / old)
        new_slack = np.maximum(np.maximum(1.0 - rows[old:], 0.3 * now.excess), 1e-9)
        slack = np.concatenate((self._slack, new_slack))
        self._multipliers = np.concatenate((self._multipliers, target / new_slack))
        slack = np.maximum(slack, np.minimum(target / self._multipliers, 1.0))
        slack[: len(self._plain)] = self.flow[self._plain]
        self._slack = slack

    def _restarts(self, now: Standing) -> bool:
        return now.gap < NARROW and bool(now.flow.min() > 0.0)

    def keep(self, mask: BoolArray) -> None:
        """Adapt to the removal of the cycles where `mask` is False from the pool."""
        mask = np.concatenate((np.ones(len(self._plain), dtype=np.bool_), mask))
        self._slack = self._slack[mask]
        self._multipliers = self._multipliers[mask]

    def solve(self, accuracy: float, deadline: float) -> MasterSolution:
        """Solve to about this relative accuracy; stop early once `tiers.seconds` passes `deadline`."""
        best = -1.0
        for _ in range(MAX_STEPS if self._rows.keeps_positive else MANY_STEPS):
            now = self._iterate()
            multipliers = self._multipliers[len(self._plain) :]
            bound = self._rows.value(multipliers, now.potentials)
            if bound > best:
                best, solution = bound, (multipliers, now.potentials)
            converged = (
                now.complementarity * len(self._slack) < accuracy * now.cost
                and now.residual.max() < accuracy
                and now.cost - best < 3.0 * accuracy * now.cost
            )
            start = tiers.seconds()
            if converged or start + self._step_seconds > deadline or not self._step(now, accuracy, deadline):
                break
            self._step_seconds = tiers.seconds() - start
        return MasterSolution(self.flow, *solution)

    def _iterate(self) -> _Iterate:
        block, flow = self._block, self.flow
        chords, plain = Chords.of_lightest(block, flow), len(self._plain)
        local = self._rows.local(flow)
        residual = np.zeros(len(self._slack))
        residual[plain:] = local.values - 1.0 + self._slack[plain:]
        complementarity = float((self._multipliers * self._slack).mean())
        # Stationarity requires prices equal to `paid`. The tree gives potentials that satisfy it on the largest flows.
        paid = local.pull(self._multipliers[plain:])
        potentials = -tree_potentials(chords.tree, paid - block.graph.costs)
        return _Iterate(chords, local, residual, complementarity, float(block.graph.costs @ flow), potentials)

    def _step(self, now: _Iterate, accuracy: float, deadline: float) -> bool:
        """Take a predictor-corrector step in place; return False if rounding makes the matrix singular or a flow vanish."""
        if self._multipliers.max() > DIVERGED or self._slack.min() < 1.0 / DIVERGED:
            return False
        system: Prepare = factorised
        if self._laplacians is not None:
            system = ProjectedGradients(self._laplacians, self._block.graph, self._tolerance, deadline).prepared
        direction = self._newton(now, system)
        if direction is None:
            return False
        flow, slack, multipliers, mean = self.flow, self._slack, self._multipliers, now.complementarity
        d_flow, d_slack, d_multipliers = direction(0.0)
        primal = min(reach(slack, d_slack), 0.9 * reach(flow, d_flow))
        dual = reach(multipliers, d_multipliers)
        predicted = float(((multipliers + dual * d_multipliers) * (slack + primal * d_slack)).mean())
        centring = min(1.0, max(1e-3, (predicted / mean) ** 3, min(1.0, 0.1 * accuracy * now.cost / len(slack) / mean)))
        second_order = np.clip(primal * dual * d_slack * d_multipliers, -5.0 * mean, 5.0 * mean)
        d_flow, d_slack, d_multipliers = direction(centring * mean - second_order)
        primal = min(0.99 * reach(slack, d_slack), 0.8 * reach(flow, d_flow))
        dual = 0.99 * reach(multipliers, d_multipliers)
        self._tolerance = max(TIGHT, 0.1 * self._tolerance) if min(primal, dual) < SHORT else min(LOOSE, 3.0 * self._tolerance)
        moved = flow + primal * d_flow
        # Rebuilding the flow from its chords keeps it balanced up to rounding, however many steps are taken.
        moved = now.chords.circulation(moved[now.chords.arcs])
        if not moved.min() > 0:
            return False
        self.flow = moved
        self._multipliers = multipliers + dual * d_multipliers
        slack = slack + primal * d_slack
        true_slack = np.concatenate((self.flow[self._plain], 1.0 - self._rows.values(self.flow)))
        self._slack = np.where(true_slack > 0.5 * slack, np.maximum(true_slack, 0.5 * slack), slack)
        return True

    def _newton(self, now: _Iterate, system: Prepare) -> Callable[[float | FloatArray], Direction] | None:
        """Function from a target to the Newton direction towards ``mu * s = target``; None if rounding makes it singular."""
        plain, slack, multipliers, costs = self._plain, self._slack, self._multipliers, self._block.graph.costs
        weights = multipliers / slack
        hessian = now.local.hessian(multipliers[len(plain) :], weights[len(plain) :])
        hessian.diagonal[plain] += weights[: len(plain)]
        solved = system(hessian, now.chords)
        if solved is None:
            return None

        def direction(target: float | FloatArray) -> Direction:
            pulling = (target + multipliers * now.residual) / slack
            gradient = now.local.pull(pulling[len(plain) :]) - costs
            gradient[plain] += pulling[: len(plain)]
            d_flow = solved(gradient)
            d_slack = -now.residual + np.concatenate((d_flow[plain], now.local.falls(d_flow)))
            d_multipliers = (target - multipliers * slack - multipliers * d_slack) / slack
            return d_flow, d_slack, d_multipliers

        return direction
