"""Exact budgeted maximisation compared with HiGHS (and SCIP, if installed) on a compact formulation of the same decisions."""

from __future__ import annotations

import itertools
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, sparse

import semibandits as sb
from instances import grid, matching
from reporting import Report, digits

try:
    import pyscipopt
except ImportError:
    pyscipopt = None

REPETITIONS = 3
TIME_LIMIT = 60.0
AGREE = 1e-9
"""Largest difference of two optimal rewards, relative to their size."""
EXACT = {
    "mip_rel_gap": 0.0, "mip_abs_gap": 0.0, "mip_feasibility_tolerance": 1e-9, "primal_feasibility_tolerance": 1e-9,
    "time_limit": TIME_LIMIT,
}  # fmt: skip
"""Options of HiGHS; its defaults allow a gap of 1e-4 and a violation of the budget by 1e-6."""


@dataclass(frozen=True)
class Compact:
    """Mixed-integer description: ``low <= matrix @ (x, y) <= high`` with x in {0, 1}^d and further variables y >= 0."""

    matrix: sparse.csr_array
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Row:
    """A decision set with its compact description; opposed budgets make many decisions nearly as good as the best."""

    name: str
    build: Callable[[], tuple[sb.DecisionSet, Compact]]
    opposed: bool = False


def paths(k: int) -> tuple[sb.DecisionSet, Compact]:
    """Flow conservation."""
    decision_set = grid(k)[0]
    items, ones = np.arange(decision_set.d), np.ones(decision_set.d)
    ends = np.concatenate((decision_set.tails, decision_set.heads)), np.concatenate((items, items))
    balance = np.zeros(len(decision_set.nodes))
    balance[decision_set.nodes.index(decision_set.source)] = 1.0
    balance[decision_set.nodes.index(decision_set.target)] = -1.0
    matrix = sparse.csr_array((np.concatenate((ones, -ones)), ends), shape=(len(balance), decision_set.d))
    return decision_set, Compact(matrix, balance, balance)


def msets(d: int, m: int) -> tuple[sb.DecisionSet, Compact]:
    """One count."""
    return sb.MSets(d, m), counts([np.zeros(d, dtype=int)], [m])


def matchings(n: int) -> tuple[sb.DecisionSet, Compact]:
    """One item in each row and each column."""
    row, column = np.divmod(np.arange(n * n), n)
    return matching(n)[0], counts([row, column], [1, 1])


def counts(groupings: list[np.ndarray], capacities: list[int], low: float | None = None) -> Compact:
    """At most the capacity, or between `low` and the capacity, of items in each group of each grouping."""
    groups = [sparse.csr_array((np.ones(len(g)), (g, np.arange(len(g))))) for g in groupings]
    high = np.concatenate([np.full(g.shape[0], float(c)) for g, c in zip(groups, capacities, strict=True)])
    return Compact(sparse.csr_array(sparse.vstack(groups)), high if low is None else np.full(len(high), low), high)


def trees(n: int) -> tuple[sb.DecisionSet, Compact]:
    """Spanning trees of K_n: node 0 sends one unit to each other node over the chosen edges (single commodity).

    n - 1 edges, and a flow of at most n - 1 on each chosen one, in either direction.
    """
    edges = list(itertools.combinations(range(n), 2))
    d = len(edges)
    items, (tails, heads) = np.arange(d), np.array(edges).T
    incidence = sparse.csr_array((np.repeat([1.0, -1.0], d), (np.concatenate((tails, heads)), np.tile(items, 2))), shape=(n, d))
    identity = sparse.eye_array(d)
    matrix = sparse.block_array(
        [[np.ones((1, d)), None, None], [None, incidence, -incidence], [-(n - 1.0) * identity, identity, identity]]
    )
    supply = np.full(n, -1.0)
    supply[0] = n - 1.0
    low = np.concatenate(([n - 1.0], supply, np.full(d, -np.inf)))
    return sb.SpanningTrees(edges), Compact(sparse.csr_array(matrix), low, np.concatenate(([n - 1.0], supply, np.zeros(d))))


def trees_martin(n: int) -> tuple[sb.DecisionSet, Compact]:
    """Spanning trees of K_n by Martin's extended formulation, whose relaxation has no fractional vertices.

    For each node k and edge ij, the edge is directed towards k or away from it: x_ij = y_kij + y_kji, and each node but k has
    one outgoing edge towards k: sum over j of y_kij = 1 for i != k, 0 for i = k.
    """
    edges = list(itertools.combinations(range(n), 2))
    d = len(edges)
    tails, heads = np.array(edges).T
    items, ones, identity = np.arange(d), np.ones(d), sparse.eye_array(d)
    leaving = [sparse.csr_array((ones, (end, items)), shape=(n, d)) for end in (tails, heads)]
    every = sparse.eye_array(n)
    matrix = sparse.block_array(
        [
            [np.ones((1, d)), None, None],
            [np.tile(-np.eye(d), (n, 1)), sparse.kron(every, identity), sparse.kron(every, identity)],
            [None, sparse.kron(every, leaving[0]), sparse.kron(every, leaving[1])],
        ]
    )
    equal = np.concatenate(([n - 1.0], np.zeros(n * d), (1.0 - np.eye(n)).ravel()))
    return sb.SpanningTrees(edges), Compact(sparse.csr_array(matrix), equal, equal)


def partition(groups: int, size: int, capacity: int) -> tuple[sb.DecisionSet, Compact]:
    """Bases of a partition matroid: `capacity` items of each group."""
    group = np.repeat(np.arange(groups), size)
    return sb.MatroidBases(sb.matroids.Partition(group.tolist(), capacity)), counts([group], [capacity])


def intersection(n: int, per_cell: int, capacity: int) -> tuple[sb.DecisionSet, Compact]:
    """Items in the cells of an n x n table, several each: `capacity` of each row and of each column."""
    row, column = np.divmod(np.arange(n * n * per_cell) // per_cell, n)
    matroids = (sb.matroids.Partition(side.tolist(), capacity) for side in (row, column))
    return sb.MatroidIntersection(*matroids), counts([row, column], [capacity, capacity])


ROWS = (
    Row("paths, grid 20 × 20", lambda: paths(20)),
    Row("paths, grid 30 × 30", lambda: paths(30)),
    Row("paths, grid 30 × 30, opposed", lambda: paths(30), opposed=True),
    Row("20 of 200 items", lambda: msets(200, 20)),
    Row("50 of 1000 items", lambda: msets(1000, 50)),
    Row("matchings 10 × 10", lambda: matchings(10)),
    Row("matchings 20 × 20", lambda: matchings(20)),
    Row("trees of K20, one commodity", lambda: trees(20)),
    Row("trees of K20, Martin", lambda: trees_martin(20)),
    Row("partition, 20 × 3 of 10", lambda: partition(20, 10, 3)),
    Row("intersection, 5 × 5 × 4", lambda: intersection(5, 4, 2)),
)


def run_budgeted(report: Report, draws: int) -> None:
    """One row per decision set: medians over the draws of all times and of their ratio."""
    rows = []
    for row in ROWS:
        decision_set, compact = row.build()
        results = []
        for draw in range(draws):
            report.doing(f"{row.name}, draw {draw}")
            found = measure(decision_set, compact, draw, opposed=row.opposed)
            results.append(report.row("budgeted draws", {"row": row.name, "draw": draw, **found}))
        rows.append(report.row("budgeted", _summary(row.name, decision_set.d, results)))
    report.done()
    report.table(
        f"P_BLM, rewards and budgets ~ U(0, 1), budget half-way from that of the best decision to the largest; {draws} draws",
        ("decisions", "d", "ours ms", "slowest", "HiGHS ms", "SCIP ms", "HiGHS/ours", "min–max", "lost"),
        [_line(row) for row in rows],
    )
    report.line(
        "lost: number of draws in which HiGHS was faster."
        if any(row["slower"] for row in rows)
        else "Ours was faster in all draws.",
        f"Medians. Rewards agree to {AGREE:g}; HiGHS and SCIP run with gap 0, budgets to 1e-9, {TIME_LIMIT:g} s at most.",
        "opposed: budgets are 1 - reward + U(0, 0.1).",
        "≥: some draws reached that limit and are not compared." if any(row["unsolved"] for row in rows) else "",
    )


def measure(decision_set: sb.DecisionSet, compact: Compact, draw: int, *, opposed: bool) -> dict[str, Any]:
    """One draw: seconds of each solver. Ours is compiled before; all have the same budget."""
    rng = np.random.default_rng(draw)
    rewards, budgets = rng.random(decision_set.d), rng.random(decision_set.d)
    if opposed:
        budgets = 1.0 - rewards + 0.1 * budgets
    at_least = 0.5 * float(budgets @ decision_set.maximize(rewards) + budgets @ decision_set.maximize(budgets))
    x = decision_set.maximize_budgeted(rewards, budgets, at_least)  # compiles
    seconds = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        x = decision_set.maximize_budgeted(rewards, budgets, at_least)
        seconds.append(time.perf_counter() - start)
    value = float(rewards @ x)
    result: dict[str, Any] = {"seconds": statistics.median(seconds), "value": value}
    for name, solve in (("highs", by_highs), ("scip", by_scip)):
        if name == "scip" and pyscipopt is None:
            continue
        result[f"{name}_seconds"], theirs = solve(compact, rewards, budgets, at_least)
        result[f"{name}_solved"] = theirs is not None
        if theirs is not None and abs(value - theirs) > AGREE * max(1.0, abs(value)):
            raise AssertionError(f"ours {value!r}, {name} {theirs!r}")
    return result


def by_highs(compact: Compact, rewards: np.ndarray, budgets: np.ndarray, at_least: float) -> tuple[float, float | None]:
    """Seconds, and the reward of the decision found, or None if the search reached the limit."""
    n, d = compact.matrix.shape[1], len(rewards)
    high, integer = np.full(n, np.inf), np.zeros(n)
    high[:d] = integer[:d] = 1.0
    constraints = [
        optimize.LinearConstraint(compact.matrix, compact.low, compact.high),
        optimize.LinearConstraint(np.concatenate((budgets, np.zeros(n - d)))[None], at_least, np.inf),
    ]
    costs = np.concatenate((-rewards, np.zeros(n - d)))
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Unrecognized options")  # scipy passes unknown options on
        solved = optimize.milp(
            costs, constraints=constraints, integrality=integer, bounds=optimize.Bounds(0, high), options=EXACT
        )
    seconds = time.perf_counter() - start
    return seconds, float(rewards[solved.x[:d] > 0.5].sum()) if solved.status == 0 else None


def by_scip(compact: Compact, rewards: np.ndarray, budgets: np.ndarray, at_least: float) -> tuple[float, float | None]:
    """The same by SCIP; the time includes passing the model."""
    d = len(rewards)
    start = time.perf_counter()
    model = pyscipopt.Model()
    model.hideOutput()
    for name, value in (("limits/gap", 0.0), ("limits/time", TIME_LIMIT), ("numerics/feastol", 1e-9)):
        model.setParam(name, value)
    variables = [model.addVar(vtype="B" if i < d else "C", lb=0.0) for i in range(compact.matrix.shape[1])]
    matrix = compact.matrix
    for k, (low, high) in enumerate(zip(compact.low, compact.high, strict=True)):
        entries = range(matrix.indptr[k], matrix.indptr[k + 1])
        sum_ = pyscipopt.quicksum(float(matrix.data[e]) * variables[matrix.indices[e]] for e in entries)
        if low == high:
            model.addCons(sum_ == float(high))
            continue
        if low > -np.inf:
            model.addCons(sum_ >= float(low))
        if high < np.inf:
            model.addCons(sum_ <= float(high))
    model.addCons(pyscipopt.quicksum(float(budgets[i]) * variables[i] for i in range(d)) >= at_least)
    model.setObjective(pyscipopt.quicksum(float(rewards[i]) * variables[i] for i in range(d)), "maximize")
    model.optimize()
    seconds = time.perf_counter() - start
    if model.getStatus() != "optimal":
        return seconds, None
    return seconds, float(sum(rewards[i] for i in range(d) if model.getVal(variables[i]) > 0.5))


def _summary(name: str, d: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    ratios = [result["highs_seconds"] / result["seconds"] for result in results]
    scip = [result["scip_seconds"] for result in results if "scip_seconds" in result]
    return {
        "name": name,
        "d": d,
        "draws": len(results),
        "seconds": statistics.median(result["seconds"] for result in results),
        "slowest": max(result["seconds"] for result in results),
        "highs_seconds": statistics.median(result["highs_seconds"] for result in results),
        "scip_seconds": statistics.median(scip) if scip else None,
        "ratio": statistics.median(ratios),
        "ratio_min": min(ratios),
        "ratio_max": max(ratios),
        "unsolved": sum(not result["highs_solved"] for result in results),
        "slower": sum(ratio < 1.0 for ratio in ratios),
    }


def _line(row: dict[str, Any]) -> list[str]:
    mark = "≥ " if row["unsolved"] else ""
    return [
        row["name"],
        str(row["d"]),
        digits(row["seconds"] * 1e3),
        digits(row["slowest"] * 1e3),
        digits(row["highs_seconds"] * 1e3),
        "–" if row["scip_seconds"] is None else digits(row["scip_seconds"] * 1e3),
        mark + digits(row["ratio"]),
        f"{digits(row['ratio_min'], 2)}–{digits(row['ratio_max'], 2)}",
        _slower(row),
    ]


def _slower(row: dict[str, Any]) -> str:
    if not row["slower"]:
        return ""
    return f"{row['slower']}/{row['draws']}"
