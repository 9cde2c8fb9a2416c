"""The master problem with an interior-point method in the flows, warm-started from round to round.

It is meant for blocks with many long cycles (paths), where the Newton matrix is dense in any formulation. Eliminating the flow
balance with a spanning tree reduces it to the dimension of the space of circulations. Large systems are solved without a matrix,
by conjugate gradients. It is also the fallback where a general conic solver loses precision, as with variances of very
different sizes: its steps do not depend on the scale of flows and rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.kernels import tiers
from semibandits.kernels.exchange import incidence
from semibandits.kernels.newton import (
    ArcRows,
    circulation_to_chords,
    reach,
    reduced_hessian,
    scaled_to_unit_diagonal,
    tree_potentials,
)
from semibandits.regret_bound.master import MOST_ACCURATE, Chords, Master, MasterSolution, positive_flow
from semibandits.regret_bound.projected_cg import ProjectedCG, SparseRows
from semibandits.regret_bound.rows import Local, Rows
from semibandits.regret_bound.warm_start import Start

CENTRED = 1e-2
"""A guess is moved until the slack of each row is at least this, and its product with the multiplier this share of the mean."""
MAX_STEPS, MANY_STEPS = 25, 80
"""Newton steps per call. Where separation is fast, stopping early loses little: the caller separates and calls again."""
DIVERGED = 1e100
"""Multipliers above this, and slacks below its inverse, do not come back."""
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


class InteriorPointMaster(Master):
    """Primal-dual path following with Mehrotra's corrector on  min c'f,  1/F(f) + s = 1,  s >= 0,  f balanced.

    Newton's matrix in f is ``H + A' (mu/s) A`` with H the Hessian of the rows times their multipliers and A their slopes. It is
    restricted to circulations and factorised by Cholesky; if `iterative`, it is never formed (`projected_cg`). Rows keep the flow
    positive on arcs with an item. On the others, the *plain* arcs, f >= 0 is a separate constraint with a multiplier mu, and H
    has the entry mu/f.
    """

    patience = 15  # the first accuracy is low, and the start may be where another master ended

    def __init__(self, rows: Rows, start: Start | None = None, *, iterative: bool = False) -> None:
        block = rows.block
        self._rows, self._block, self._pool = rows, block, rows.pool
        self._iterative = iterative
        self._step_seconds = 0.0 if iterative else max(len(block.gaps) - block.graph.n, 0) ** 3 / FLOPS
        # If the raises of means are limited, rows do not keep flows positive.
        self._plain = np.flatnonzero(~block.informative | ~rows.keeps_positive)
        self._warm = start is not None
        if start is not None:
            self._begin_at(start)
            return
        flow = positive_flow(block)
        self._flow: FloatArray = flow * (1.1 * float(rows.values(flow).max()))
        self._slack = np.concatenate((self._flow[self._plain], 1.0 - rows.values(self._flow)))
        multipliers = 1.0 / self._slack
        self._multipliers = multipliers * (block.graph.costs @ self._flow / multipliers[len(self._plain) :].sum())

    def _begin_at(self, start: Start) -> None:
        """Start from a guess, moved so that products of slacks and multipliers are similar."""
        flow = start.flow
        if (flow[self._plain] <= 0.0).any():
            flow = flow + CENTRED * positive_flow(self._block)
        slack = np.maximum(1.0 - self._rows.values(flow), CENTRED)
        multipliers = self._pool.carried(start.cycles, start.multipliers * start.squared_gaps)
        mean = CENTRED * float(self._block.graph.costs @ flow) / (len(self._plain) + len(slack))
        self._flow = flow
        self._slack = np.concatenate((flow[self._plain], slack))
        self._multipliers = np.concatenate((mean / flow[self._plain], np.maximum(multipliers, mean / slack)))

    @property
    def flow(self) -> FloatArray:
        """See `Master.flow`."""
        return self._flow

    def first_accuracy(self, gap: float) -> float:
        """See `Master.first_accuracy`: low, since the next call continues from here."""
        return min(5e-2, 0.3 * gap) if self._warm or not self._rows.keeps_positive else 5e-2

    def next_accuracy(self, accuracy: float, gap: float, excess: float, added: int) -> float:
        """See `Master.next_accuracy`. Without new cycles only accuracy helps, so all that the gap needs is requested."""
        if not added:
            return max(MOST_ACCURATE, min(0.2 * accuracy, 0.5 * gap))
        return max(min(accuracy, 0.1 * gap), min(0.5 * accuracy, 0.3 * excess))

    def extend(self, excess: float) -> None:
        """See `Master.extend`. New rows enter near the central path; slacks that are too small for that are increased."""
        rows = self._rows.values(self._flow)
        old, cost = len(self._slack) - len(self._plain), float(self._block.graph.costs @ self._flow)
        mean = float((self._multipliers * self._slack).mean())
        target = min(max(0.1 * excess * cost / len(rows), mean), 0.1 * cost / old)
        new_slack = np.maximum(np.maximum(1.0 - rows[old:], 0.3 * excess), 1e-9)
        slack = np.concatenate((self._slack, new_slack))
        self._multipliers = np.concatenate((self._multipliers, target / new_slack))
        slack = np.maximum(slack, np.minimum(target / self._multipliers, 1.0))
        slack[: len(self._plain)] = self._flow[self._plain]
        self._slack = slack

    def keep(self, mask: BoolArray) -> None:
        """See `Master.keep`."""
        mask = np.concatenate((np.ones(len(self._plain), dtype=np.bool_), mask))
        self._slack = self._slack[mask]
        self._multipliers = self._multipliers[mask]

    def solve(self, accuracy: float, deadline: float) -> MasterSolution:
        """See `Master.solve`."""
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
        return MasterSolution(self._flow, *solution)

    def _iterate(self) -> _Iterate:
        block, flow = self._block, self._flow
        chords, plain = Chords.of_lightest(block, flow), len(self._plain)
        local = self._rows.local(flow)
        residual = np.zeros(len(self._slack))
        residual[plain:] = local.values - 1.0 + self._slack[plain:]
        complementarity = float((self._multipliers * self._slack).mean())
        # Stationarity requires prices equal to `paid`. The tree gives potentials that satisfy it on the largest flows.
        paid = self._rows.on_arcs(local.slopes, self._multipliers[plain:])
        potentials = -tree_potentials(chords.tree, paid - block.graph.costs)
        return _Iterate(chords, local, residual, complementarity, float(block.graph.costs @ flow), potentials)

    def _step(self, now: _Iterate, accuracy: float, deadline: float) -> bool:
        """Take a predictor-corrector step in place; return False if rounding makes the matrix singular or a flow vanish."""
        if self._multipliers.max() > DIVERGED or self._slack.min() < 1.0 / DIVERGED:
            return False
        newton = _Newton(self._rows, self._plain, now, self._slack, self._multipliers)
        if not (newton.iterative(deadline) if self._iterative else newton.factorised()):
            return False
        flow, slack, multipliers, mean = self._flow, self._slack, self._multipliers, now.complementarity
        d_flow, d_slack, d_multipliers = newton.direction(0.0)
        primal = min(reach(slack, d_slack), 0.9 * reach(flow, d_flow))
        dual = reach(multipliers, d_multipliers)
        predicted = float(((multipliers + dual * d_multipliers) * (slack + primal * d_slack)).mean())
        centring = min(1.0, max(1e-3, (predicted / mean) ** 3, min(1.0, 0.1 * accuracy * now.cost / len(slack) / mean)))
        second_order = np.clip(primal * dual * d_slack * d_multipliers, -5.0 * mean, 5.0 * mean)
        d_flow, d_slack, d_multipliers = newton.direction(centring * mean - second_order)
        primal = min(0.99 * reach(slack, d_slack), 0.8 * reach(flow, d_flow))
        dual = 0.99 * reach(multipliers, d_multipliers)
        moved = flow + primal * d_flow
        # Rebuilding the flow from its chords keeps it balanced up to rounding, however many steps are taken.
        moved = now.chords.circulation(moved[now.chords.arcs])
        if not moved.min() > 0:
            return False
        self._flow = moved
        self._multipliers = multipliers + dual * d_multipliers
        slack = slack + primal * d_slack
        true_slack = np.concatenate((self._flow[self._plain], 1.0 - self._rows.values(self._flow)))
        self._slack = np.where(true_slack > 0.5 * slack, np.maximum(true_slack, 0.5 * slack), slack)
        return True


class _Newton:
    """The Newton system at an iterate: `H + A' (mu/s) A` in the flows, and how it is solved."""

    def __init__(self, rows: Rows, plain: IntArray, now: _Iterate, slack: FloatArray, multipliers: FloatArray) -> None:
        self._rows, self._plain, self._now, self._slack, self._multipliers = rows, plain, now, slack, multipliers
        self._solved: Callable[[FloatArray], FloatArray]
        mu, weights = multipliers[len(plain) :], multipliers / slack
        self._curvature = rows.on_arcs(now.local.curvature, mu)
        self._curvature[plain] += weights[: len(plain)]
        self._weights = weights[len(plain) :]

    def iterative(self, deadline: float) -> bool:
        """Prepare to solve by conjugate gradients; return False if rounding makes the system singular."""
        system = ProjectedCG(self._rows.block.graph, self._curvature, self._with_pulls())
        if not system.is_sound:
            return False
        chords = self._now.chords
        self._solved = lambda gradient: chords.circulation(system.solve(gradient, deadline)[chords.arcs])
        return True

    def _with_pulls(self) -> SparseRows:
        """A and W, with the negative part of the Hessian of each row as a row of its own."""
        cycles, local, weights = self._rows.pool.cycles, self._now.local, self._weights
        if local.pulls is None:
            return SparseRows(cycles.ptr, cycles.arcs, local.slopes, weights)
        mu = self._multipliers[len(self._plain) :]
        return SparseRows(
            np.concatenate((cycles.ptr, cycles.ptr[-1] + cycles.ptr[1:])),
            np.concatenate((cycles.arcs, cycles.arcs)),
            np.concatenate((local.slopes, local.pulls)),
            np.concatenate((weights + 2.0 * mu / local.values, -mu)),
        )

    def factorised(self) -> bool:
        """Reduce the system to the chords and factorise it; return False if rounding makes it singular."""
        chords, local = self._now.chords, self._now.local
        ptr, arcs, slopes, weights = self._with_pulls()
        by_arc = np.ones(len(self._curvature))
        if local.by_arc is not None and local.by_row is not None:
            by_arc, slopes, weights = local.by_arc, np.empty(0), self._weights * local.by_row**2
        at_ptr, positions = incidence(len(self._curvature), arcs)
        owners = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))[positions]
        entries = ArcRows(ptr, arcs, slopes, at_ptr, positions, owners)
        for shift in (1e-13, 1e-11, 1e-9):
            hessian = reduced_hessian(self._curvature, by_arc, entries, weights, chords.arcs, chords.tree)
            scale = scaled_to_unit_diagonal(hessian)
            if not np.isfinite(scale).all():
                return False
            # The kernel fills the lower triangle of a C-ordered matrix, the upper one of its transpose, which is overwritten.
            np.fill_diagonal(hessian, 1.0 + shift)
            factor, failed = dpotrf(hessian.T, lower=0, clean=0, overwrite_a=1)
            if not failed:
                self._solved = partial(_by_chords, chords, factor, scale)
                return True
        return False

    def direction(self, target: float | FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Newton direction towards ``mu * s = target``."""
        block, local, plain = self._rows.block, self._now.local, self._plain
        cycles = self._rows.pool.cycles
        weights = (target + self._multipliers * self._now.residual) / self._slack
        gradient = self._rows.on_arcs(local.slopes, weights[len(plain) :]) - block.graph.costs
        gradient[plain] += weights[: len(plain)]
        d_flow = self._solved(gradient)
        freed = np.add.reduceat(local.slopes * d_flow[cycles.arcs], cycles.ptr[:-1])
        d_slack = -self._now.residual + np.concatenate((d_flow[plain], freed))
        d_multipliers = (target - self._multipliers * self._slack - self._multipliers * d_slack) / self._slack
        return d_flow, d_slack, d_multipliers


def _by_chords(chords: Chords, factor: FloatArray, scale: FloatArray, gradient: FloatArray) -> FloatArray:
    """Solution of the factorised system."""
    reduced = circulation_to_chords(gradient, chords.arcs, chords.tree)
    solution, _ = dpotrs(factor, scale * reduced, lower=0)
    return chords.circulation(scale * solution)
