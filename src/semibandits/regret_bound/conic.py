"""The master problem of Gaussian items, scaled, with a general conic solver (Clarabel)."""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray
from semibandits.regret_bound.cones import solver_settings
from semibandits.regret_bound.master import MOST_ACCURATE, Master, MasterSolution, Standing, balanced, starting_flow
from semibandits.regret_bound.rows import Rows


class ConicMaster(Master):
    """One three-dimensional second-order cone per arc with an item and one linear row per cycle, without warm starts.

    Flows are scaled by v/gap^2 and rows by the squared gap of their cycle. Without scaling, interior-point solvers
    report success with values that are wrong by a few percent.
    """

    patience = 6

    def __init__(self, rows: Rows) -> None:
        block = rows.block
        self._block, self._pool = block, rows.pool
        informative = block.informative
        typical = np.where(informative, block.twice_variance, np.median(block.twice_variance[informative]))
        self._scale = typical / block.gaps**2
        self._items = np.flatnonzero(informative)
        self._row_scale = np.zeros(block.graph.n)
        np.maximum.at(self._row_scale, block.graph.tails, self._scale)
        np.maximum.at(self._row_scale, block.graph.heads, self._scale)
        variables = len(block.gaps) + len(self._items)
        self._no_quadratic = sparse.csc_matrix((variables, variables))
        self._flow = starting_flow(block)

    @property
    def flow(self) -> FloatArray:
        """See `Master.flow`."""
        return self._flow

    def first_accuracy(self, gap: float) -> float:
        """See `Master.first_accuracy`."""
        return min(1e-3, 10.0 * gap)

    def next_accuracy(self, accuracy: float, gap: float, now: Standing) -> float:
        """See `Master.next_accuracy`."""
        return max(MOST_ACCURATE, min(accuracy, 0.1 * gap) if now.added else 0.1 * accuracy)

    def extend(self, now: Standing) -> None:
        """Do nothing: each solve starts from scratch."""

    def keep(self, mask: BoolArray) -> None:
        """Do nothing: each solve starts from scratch."""

    def solve(self, accuracy: float, deadline: float) -> MasterSolution:
        """See `Master.solve`."""
        graph, scale = self._block.graph, self._scale
        cycles = len(self._pool)
        objective, matrix, bounds, cones = self.program()
        unit = objective.sum() / len(scale)
        settings = solver_settings(accuracy, deadline)
        solver = clarabel.DefaultSolver(self._no_quadratic, objective / unit, matrix, bounds, cones, settings)
        solution = solver.solve()
        primal, dual = np.array(solution.x), np.array(solution.z)
        flow = np.maximum(np.where(np.isfinite(primal[: len(scale)]), primal[: len(scale)], 0.0), 0.0) * scale
        multipliers = np.maximum(dual[graph.n : graph.n + cycles], 0.0)
        potentials = unit * dual[: graph.n] / self._row_scale
        self._flow = balanced(self._block, flow)
        return MasterSolution(self._flow, np.nan_to_num(multipliers), np.nan_to_num(potentials))

    def program(self) -> tuple[FloatArray, sparse.csc_matrix, FloatArray, list[object]]:
        """The cone program in phi (scaled flows) and zeta (scaled information): objective, matrix, right-hand side, cones.

        Rows: balance; cycles; non-negative flow on arcs without an item; phi * zeta >= 1 on the others.
        """
        graph, scale, items = self._block.graph, self._scale, self._items
        a, k, cycles = len(scale), len(items), self._pool.cycles
        arcs = np.arange(a)
        tails_heads = np.concatenate((graph.tails, graph.heads))
        column = np.full(a, -1, dtype=np.int64)
        column[items] = a + np.arange(k)
        with_item = self._block.informative[cycles.arcs]
        entries, entry_rows = cycles.arcs[with_item], cycles.rows[with_item]
        plain = np.flatnonzero(~self._block.informative)
        cone = graph.n + len(cycles) + len(plain) + 3 * np.arange(k)
        rows = (
            tails_heads, graph.n + entry_rows, graph.n + len(cycles) + np.arange(len(plain)), cone, cone, cone + 2, cone + 2,
        )  # fmt: skip
        columns = (arcs, arcs, column[entries], plain, items, column[items], items, column[items])
        values = (
            scale / self._row_scale[graph.tails], -scale / self._row_scale[graph.heads],
            self._block.gaps[entries] ** 2 / self._pool.squared_gaps[entry_rows],
            -np.ones(len(plain)), -np.ones(k), -np.ones(k), -np.ones(k), np.ones(k),
        )  # fmt: skip
        n_rows = graph.n + len(cycles) + len(plain) + 3 * k
        matrix = sparse.csc_matrix(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(n_rows, a + k)
        )
        bounds = np.zeros(n_rows)
        bounds[graph.n : graph.n + len(cycles)] = 1.0
        bounds[cone + 1] = 2.0
        cones: list[object] = [clarabel.ZeroConeT(graph.n), clarabel.NonnegativeConeT(len(cycles) + len(plain))]
        cones += [clarabel.SecondOrderConeT(3)] * k
        return np.concatenate((graph.costs * scale, np.zeros(k))), matrix, bounds, cones
