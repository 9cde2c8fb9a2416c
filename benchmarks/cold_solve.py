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
from semibandits.regret_bound.cycles.block import BlockSolver
from semibandits.regret_bound.cycles.cycles import CyclePool
from semibandits.regret_bound.cycles.presolve import Block, presolve

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


def cone_program(block: Block, pool: CyclePool) -> tuple[np.ndarray, sparse.csc_matrix, np.ndarray, list[object]]:
    """The master problem of Gaussian items: one second-order cone per arc with an item, and one linear row per cycle.

    Variables are phi, flows scaled by v/gap^2, and zeta, scaled information; rows are scaled by the squared gaps of their cycles.
    Without scaling, conic solvers report success with values that are wrong by a few percent. Rows: balance; cycles; non-negative
    flow on arcs without an item; phi * zeta >= 1 on the others.

    Returns objective, matrix, right-hand side and cones.
    """
    graph, informative, cycles = block.graph, block.informative, pool.cycles
    items, plain = np.flatnonzero(informative), np.flatnonzero(~informative)
    scale = np.where(informative, block.twice_variance, np.median(block.twice_variance[informative])) / block.gaps**2
    row_scale = np.zeros(graph.n)
    np.maximum.at(row_scale, graph.tails, scale)
    np.maximum.at(row_scale, graph.heads, scale)
    a, k = len(scale), len(items)
    arcs = np.arange(a)
    column = np.full(a, -1, dtype=np.int64)
    column[items] = a + np.arange(k)
    with_item = informative[cycles.arcs]
    entries, entry_rows = cycles.arcs[with_item], cycles.rows[with_item]
    cone = graph.n + len(cycles) + len(plain) + 3 * np.arange(k)
    rows = (
        np.concatenate((graph.tails, graph.heads)), graph.n + entry_rows, graph.n + len(cycles) + np.arange(len(plain)),
        cone, cone, cone + 2, cone + 2,
    )  # fmt: skip
    columns = (np.concatenate((arcs, arcs)), column[entries], plain, items, column[items], items, column[items])
    values = (
        scale / row_scale[graph.tails], -scale / row_scale[graph.heads], block.gaps[entries] ** 2 / pool.squared_gaps[entry_rows],
        -np.ones(len(plain)), -np.ones(k), -np.ones(k), -np.ones(k), np.ones(k),
    )  # fmt: skip
    n_rows = graph.n + len(cycles) + len(plain) + 3 * k
    matrix = sparse.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(n_rows, a + k))
    bounds = np.zeros(n_rows)
    bounds[graph.n : graph.n + len(cycles)] = 1.0
    bounds[cone + 1] = 2.0
    cones = [clarabel.ZeroConeT(graph.n), clarabel.NonnegativeConeT(len(cycles) + len(plain))]
    cones += [clarabel.SecondOrderConeT(3)] * k
    return np.concatenate((graph.costs * scale, np.zeros(k))), matrix, bounds, cones


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
        parts.append(cone_program(block, pool))
    loops = presolved.loops
    return Yardstick(ConeProgram(parts, float((2.0 * VARIANCE / presolved.gaps[loops]).sum())), binding)


def _binding_cycles(block: Block, gap: float) -> CyclePool:
    """The known cycles whose multiplier exceeds their slack in a precise solution."""
    solver = BlockSolver(block, 0.8 * gap, np.inf)
    solver.solve(lambda _: None)
    pool = copy.deepcopy(solver.pool)
    objective, matrix, bounds, cones = cone_program(block, pool)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = FINE
    unit = float(objective @ np.ones(len(objective))) / len(objective)
    nothing = sparse.csc_matrix((len(objective),) * 2)
    solution = clarabel.DefaultSolver(nothing, objective / unit, matrix, bounds, cones, settings).solve()
    rows = slice(block.graph.n, block.graph.n + len(pool))
    pool.keep(np.array(solution.z)[rows] > np.array(solution.s)[rows])
    return pool
