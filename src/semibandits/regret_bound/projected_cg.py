"""Newton steps of the interior-point method by conjugate gradients, for blocks whose Newton matrix would be too large.

The system is that of :mod:`semibandits.regret_bound.interior`: minimise ``d'(H + A' W A) d / 2 - g'd`` over the circulations d,
with H diagonal and A sparse, one row per cycle. Products need no matrix. The preconditioner replaces ``A' W A`` by its diagonal:
applied to r, it returns the circulation z nearest to r in that metric, ``z = D^-1 (r - N' phi)`` with the node potentials phi of
``(N D^-1 N') phi = N D^-1 r``, N the incidence of nodes and arcs. This weighted Laplacian has one row per node, is sparse, and
is factorised once per step. All iterates are circulations (projected conjugate gradients with a constraint preconditioner:
Gould, Hribar and Nocedal, SIAM J. Sci. Comput. 23, 2001).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import SuperLU, splu

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels import tiers
from semibandits.kernels.cycles import weighted_arc_totals
from semibandits.kernels.newton import add_product
from semibandits.regret_bound.presolve import Digraph

ACCURACY = 1e-4
"""Norm of the projected residual, relative to that of the projected gradient, at which the iterations end."""
MOST_ITERATIONS = 40
"""Iterations of a solve. Steps that are cut off here take the method as far as accurate ones, at a tenth of the time."""
CLOCK = 10
"""Iterations between two looks at the clock."""


class SparseRows(NamedTuple):
    """Row c has the entries ``slopes[ptr[c]:ptr[c + 1]]`` on these `arcs`, and the weight ``weights[c]``."""

    ptr: IntArray
    arcs: IntArray
    slopes: FloatArray
    weights: FloatArray


class ProjectedCG:
    """The system at one iterate, factorised for any number of right-hand sides.

    Parameters
    ----------
    graph : Digraph
        Its circulations.
    diagonal : ndarray of float, shape (a,)
        H, > 0 on arcs that no row contains.
    rows : SparseRows
        A and W. Rows of negative weight are part of the system, but not of the preconditioner.
    """

    def __init__(self, graph: Digraph, diagonal: FloatArray, rows: SparseRows) -> None:
        self._graph, self._diagonal, self._rows = graph, diagonal, rows
        positive = np.maximum(rows.weights, 0.0)
        metric = diagonal + weighted_arc_totals(rows.ptr, rows.arcs, rows.slopes**2, positive, len(diagonal))
        with np.errstate(divide="ignore"):
            self._inverse = 1.0 / metric
        self._laplacian = self._factorised()
        self._last: FloatArray | None = None

    def _factorised(self) -> tuple[SuperLU, FloatArray] | None:
        """The Laplacian without its first node, scaled to a unit diagonal; None if rounding makes it singular."""
        if not np.isfinite(self._inverse).all():
            return None
        tails, heads, n = self._graph.tails, self._graph.heads, self._graph.n
        places = (np.concatenate((tails, heads, tails, heads)), np.concatenate((tails, heads, heads, tails)))
        values = np.concatenate((self._inverse, self._inverse, -self._inverse, -self._inverse))
        laplacian = coo_array((values, places), shape=(n, n)).tocsc()[1:, 1:]
        scale = 1.0 / np.sqrt(laplacian.diagonal())
        laplacian.data *= scale[laplacian.indices] * np.repeat(scale, np.diff(laplacian.indptr))
        try:
            factor = splu(laplacian, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        except RuntimeError:
            return None
        return factor, scale

    @property
    def is_sound(self) -> bool:
        """Whether the system can be solved."""
        return self._laplacian is not None

    def _product(self, x: FloatArray) -> FloatArray:
        product: FloatArray = self._diagonal * x
        add_product(*self._rows, x, product)
        return product

    def _projected(self, r: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The preconditioner applied to r, and r without the part that is a difference of potentials, which it ignores."""
        assert self._laplacian is not None
        factor, scale = self._laplacian
        tails, heads, n = self._graph.tails, self._graph.heads, self._graph.n
        weighted = self._inverse * r
        excess = np.bincount(tails, weighted, n) - np.bincount(heads, weighted, n)
        potentials = np.zeros(n)
        potentials[1:] = scale * factor.solve(scale * excess[1:])
        r = r - (potentials[tails] - potentials[heads])
        return self._inverse * r, r

    def solve(self, gradient: FloatArray, deadline: float) -> FloatArray:
        """An approximation of the minimiser, by iterations that begin at the last one.

        The part of the residual that the preconditioner ignores is dropped in each iteration: it does not converge to 0, and its
        rounding would unbalance the iterates.
        """
        z, gradient = self._projected(gradient)
        size = float(gradient @ z)
        x = np.zeros(len(gradient)) if self._last is None else self._last
        z, residual = self._projected(gradient - self._product(x))
        direction, now = z, float(residual @ z)
        for k in range(MOST_ITERATIONS):
            if not now > ACCURACY**2 * size or (k % CLOCK == 0 and tiers.seconds() > deadline):
                break
            product = self._product(direction)
            step = now / float(direction @ product)
            x = x + step * direction
            z, residual = self._projected(residual - step * product)
            before, now = now, float(residual @ z)
            direction = z + (now / before) * direction
        self._last = x
        return x
