"""Newton steps in the flows: minimise ``d' Q d / 2 - g'd`` over the circulations d, for Q = H + A' W A.

Q has a diagonal H and a row of A for each cycle. There are two ways, :func:`factorised` and :class:`ProjectedGradients`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.sparse import coo_array, csc_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from semibandits._typing import FloatArray
from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.graphs.laplacian import laplacian_solution
from semibandits.kernels.machine import tiers
from semibandits.kernels.solver.newton import ArcRows, circulation_to_chords, reduced_hessian, scaled_to_unit_diagonal
from semibandits.regret_bound.cycles.local import Hessian
from semibandits.regret_bound.cycles.master import Chords
from semibandits.regret_bound.cycles.presolve import Digraph

Solver = Callable[[FloatArray], FloatArray]

SHIFTS = (1e-13, 1e-11, 1e-9)
"""Additions to the unit diagonal of a factorised matrix, tried in turn."""
MOST_ITERATIONS = 500
CLOCK = 5
"""Iterations between two looks at the clock."""
CHEAP = 3e8
"""Estimate of the operations of a sparse factorisation up to which it is used."""
TIGHT = 1e-9
"""Accuracy of potentials found by iteration. Larger errors disturb the balance of the flows."""
MOST_STEPS = 2_000


def factorised(hessian: Hessian, chords: Chords) -> Solver | None:
    """Eliminate the flow balance with a spanning tree, and factorise the dense rest; None if rounding makes it singular."""
    rows = hessian.rows
    at_ptr, positions = incidence(len(hessian.diagonal), rows.arcs)
    entries = ArcRows(rows.ptr, rows.arcs, hessian.entries, at_ptr, positions, rows.rows[positions])
    for shift in SHIFTS:
        reduced = reduced_hessian(hessian.diagonal, hessian.by_arc, entries, hessian.weights, chords.arcs, chords.tree)
        scale = scaled_to_unit_diagonal(reduced)
        if not np.isfinite(scale).all():
            return None
        # The kernel fills the lower triangle of a C-ordered matrix, the upper one of its transpose, which is overwritten.
        np.fill_diagonal(reduced, 1.0 + shift)
        factor, failed = dpotrf(reduced.T, lower=0, clean=0, overwrite_a=1)
        if not failed:
            return partial(_by_factor, chords, factor, scale)
    return None


def _by_factor(chords: Chords, factor: FloatArray, scale: FloatArray, gradient: FloatArray) -> FloatArray:
    reduced = circulation_to_chords(gradient, chords.arcs, chords.tree)
    solution, _ = dpotrs(factor, scale * reduced, lower=0)
    return chords.circulation(scale * solution)


class Laplacians:
    """Solves ``sum of weights[e] * (pi[v] - pi[w]) = excess[v]`` over the arcs e = vw of a graph, for changing weights.

    By sparse factorisation where that is cheap (planar and layered graphs), else by conjugate gradients (expanders).
    """

    def __init__(self, graph: Digraph) -> None:
        self._graph = graph
        tails, heads, n = graph.tails, graph.heads, graph.n
        self._places = (np.concatenate((tails, heads, tails, heads)), np.concatenate((tails, heads, heads, tails)))
        # Sum of squared widths of the rows of the matrix without its first node, which may be a hub, in a good order.
        pattern = coo_array((np.ones(4 * len(tails)), self._places), shape=(n, n)).tocsr()[1:, 1:]
        rank = np.zeros(n, dtype=np.int64)
        rank[1 + reverse_cuthill_mckee(pattern, symmetric_mode=True)] = np.arange(1, n)
        between = (tails > 0) & (heads > 0)
        ends = rank[tails[between]], rank[heads[between]]
        first = np.arange(n)
        np.minimum.at(first, np.maximum(*ends), np.minimum(*ends))
        self.factorises = float(((np.arange(n) - first) ** 2).sum()) < CHEAP

    def solver(self, weights: FloatArray) -> Solver | None:
        """Function from an excess that adds up to 0 to its potentials; None if rounding makes the system singular."""
        if self.factorises:
            return self._factorised(weights)
        tails, heads = self._graph.tails, self._graph.heads
        return lambda excess: laplacian_solution(tails, heads, weights, excess, TIGHT, MOST_STEPS)[0]

    def _factorised(self, weights: FloatArray) -> Solver | None:
        n = self._graph.n
        values = np.concatenate((weights, weights, -weights, -weights))
        laplacian = coo_array((values, self._places), shape=(n, n)).tocsc()[1:, 1:]
        scale = 1.0 / np.sqrt(laplacian.diagonal())
        laplacian.data *= scale[laplacian.indices] * np.repeat(scale, np.diff(laplacian.indptr))
        try:
            factor = splu(
                csc_array(laplacian), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
        except RuntimeError:
            return None

        def solve(excess: FloatArray) -> FloatArray:
            potentials = np.zeros(n)
            potentials[1:] = scale * factor.solve(scale * excess[1:])
            return potentials

        return solve


class ProjectedGradients:
    """Conjugate gradients for the Newton system, with Q only in products (Gould, Hribar and Nocedal, 2001).

    The preconditioner replaces Q by its diagonal D: applied to r, it returns the circulation z nearest to D^-1 r in the norm of
    D, ``z = D^-1 (r - N' pi)`` with the potentials pi of ``(N D^-1 N') pi = N D^-1 r``, N the incidence of nodes and arcs. This
    matrix is a Laplacian in the nodes.
    """

    def __init__(self, laplacians: Laplacians, graph: Digraph, tolerance: float, deadline: float) -> None:
        self._laplacians, self._graph = laplacians, graph
        self._tolerance, self._deadline = tolerance, deadline
        self.iterations = 0

    def prepared(self, hessian: Hessian, chords: Chords) -> Solver | None:
        """Function from gradients to circulations; None if rounding makes the system singular."""
        with np.errstate(divide="ignore"):
            inverse = 1.0 / hessian.metric()
        if not (np.isfinite(inverse).all() and inverse.min() > 0.0):
            return None
        potentials = self._laplacians.solver(inverse)
        return None if potentials is None else partial(self._solution, hessian, chords, inverse, potentials)

    def _solution(
        self, hessian: Hessian, chords: Chords, inverse: FloatArray, potentials: Solver, gradient: FloatArray
    ) -> FloatArray:
        tails, heads, n = self._graph.tails, self._graph.heads, self._graph.n

        def project(r: FloatArray) -> tuple[FloatArray, FloatArray]:
            """The preconditioner, and r without its part that no circulation feels."""
            scaled = inverse * r
            excess = np.bincount(tails, scaled, n) - np.bincount(heads, scaled, n)
            pi = potentials(excess.astype(np.float64, copy=False))
            rest = r - (pi[tails] - pi[heads])
            return inverse * rest, rest

        x = np.zeros(len(gradient))
        z, residual = project(gradient)
        direction, now = z, float(residual @ z)
        enough = self._tolerance**2 * now
        for k in range(MOST_ITERATIONS):
            if not now > enough or (k % CLOCK == 0 and tiers.seconds() > self._deadline):
                break
            product = hessian.product(direction)
            along = float(direction @ product)
            if not along > 0.0:
                break
            x += now / along * direction
            z, residual = project(residual - now / along * product)
            before, now = now, float(residual @ z)
            direction = z + (now / before) * direction
            self.iterations += 1
        return chords.circulation(x[chords.arcs])
