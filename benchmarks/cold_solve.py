"""The reference: one cold, default conic solve of the scaled cone program over the binding cycles of the solution."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

from semibandits.decisions.ties import TIE_TOLERANCE, Ties
from semibandits.laws import Gaussian
from semibandits.regret_bound.block import BlockSolver
from semibandits.regret_bound.conic import ConicMaster
from semibandits.regret_bound.cycles import CyclePool
from semibandits.regret_bound.presolve import Block, presolve
from semibandits.regret_bound.rows import Rows

TOLERANCE = 1e-6
"""Tolerance of the timed solve."""
FINE = 1e-9
"""Tolerance of the solve that determines the binding cycles."""
VARIANCE = 0.5


@dataclass(frozen=True)
class ColdSolve:
    """One timed solve."""

    seconds: float
    value: float
    solved: bool


class ConeProgram:
    """Minimise objective'x subject to matrix x + s = bounds, s in the cones: all blocks of an instance together.

    The matrix is built once; `solve` times the setup and the run of the solver with its defaults.
    """

    def __init__(self, parts: list[tuple[np.ndarray, sparse.csc_matrix, np.ndarray, list[object]]], constant: float):
        self._constant = constant
        self._objective = np.concatenate([part[0] for part in parts])
        self._matrix = sparse.csc_matrix(sparse.block_diag([part[1] for part in parts], format="csc"))
        self._bounds = np.concatenate([part[2] for part in parts])
        self._cones = [cone for part in parts for cone in part[3]]

    def solve(self, tolerance: float = TOLERANCE) -> ColdSolve:
        """Solve from scratch; `value` is C(theta) if all binding cycles are included."""
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        nothing = sparse.csc_matrix((len(self._objective),) * 2)
        start = time.perf_counter()
        solver = clarabel.DefaultSolver(nothing, self._objective, self._matrix, self._bounds, self._cones, settings)
        solution = solver.solve()
        seconds = time.perf_counter() - start
        return ColdSolve(seconds, self._constant + solution.obj_val, str(solution.status) == "Solved")


@dataclass(frozen=True)
class Yardstick:
    """The program over the binding cycles, and their number."""

    program: ConeProgram
    binding: int


def yardstick(decision_set, theta: np.ndarray, gap: float = 1e-4) -> Yardstick:
    """Solve the instance precisely, select the binding cycles, and set up the cone program over them."""
    graph = decision_set.exchange_graph(theta)
    ties = Ties.of(theta, graph.decision, decision_set.m, TIE_TOLERANCE)
    presolved = presolve(graph, Gaussian(VARIANCE), theta, ties)
    parts, binding = [], 0
    for block in presolved.blocks:
        pool = _binding_cycles(block, gap)
        binding += len(pool)
        parts.append(ConicMaster(Rows.of(block, pool, np.inf)).program())
    loops = presolved.loops
    return Yardstick(ConeProgram(parts, float((2.0 * VARIANCE / presolved.gaps[loops]).sum())), binding)


def _binding_cycles(block: Block, gap: float) -> CyclePool:
    """The known cycles whose multiplier exceeds their slack in a precise solution."""
    solver = BlockSolver(block, 0.8 * gap, np.inf)
    solver.solve(lambda _: None)
    pool = copy.deepcopy(solver.pool)
    objective, matrix, bounds, cones = ConicMaster(Rows.of(block, pool, np.inf)).program()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = FINE
    unit = float(objective @ np.ones(len(objective))) / len(objective)
    nothing = sparse.csc_matrix((len(objective),) * 2)
    solution = clarabel.DefaultSolver(nothing, objective / unit, matrix, bounds, cones, settings).solve()
    rows = slice(block.graph.n, block.graph.n + len(pool))
    pool.keep(np.array(solution.z)[rows] > np.array(solution.s)[rows])
    return pool
