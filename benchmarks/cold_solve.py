"""The yardstick: one cold, default conic solve of the scaled cone program over the cycles that bind at the end."""

from __future__ import annotations

import time

import clarabel
import numpy as np
from scipy import sparse

from semibandits.graves_lai.block import BlockSolver
from semibandits.graves_lai.conic import ConicMaster
from semibandits.graves_lai.master import row_values
from semibandits.graves_lai.presolve import presolve

TOLERANCE = 1e-6


def seconds_of_cold_solves(decision_set, theta, gap: float = 1e-4) -> tuple[float, int]:
    """Seconds of one cold solve per block, setting the solver up included, building the matrix not; and binding cycles."""
    graph = decision_set.exchange_graph(theta)
    tie = 1e-12 * decision_set.m * float(np.abs(theta).max())
    total, binding_cycles = 0.0, 0
    for block in presolve(graph, np.ones(decision_set.d), tie).blocks:
        solver = BlockSolver(block, gap, np.inf, lambda _: None)
        solution = solver.solve()
        binding = row_values(block, solver.pool, solution.flow) > 1.0 - 1e-3
        solver.pool.keep(binding)
        binding_cycles += int(binding.sum())
        total += _cold_solve(ConicMaster(block, solver.pool))
    return total, binding_cycles


def _cold_solve(master: ConicMaster) -> float:
    objective, matrix, bounds, cones = master.program()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    start = time.perf_counter()
    clarabel.DefaultSolver(sparse.csc_matrix((len(objective),) * 2), objective, matrix, bounds, cones, settings).solve()
    return time.perf_counter() - start
