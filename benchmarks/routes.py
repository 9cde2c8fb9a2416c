"""Routes in the road network of La Serena and Coquimbo: shortest paths, single decisions of a learner, and C(theta).

Bounds and learners run in separate processes, `python benchmarks/routes.py TASK ...`, so that their peak memory is measured. Each
process plays or solves something else first, so that loading kernels is not timed.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import semibandits as sb
from measured_command import run_command
from reporting import Report, digits, grouped
from semibandits.instances import Instance
from semibandits_studies.datasets import cities

PLAZA = (-71.2520, -29.9027)
"""Longitude and latitude of the Plaza de Armas of La Serena, where all trips start."""
TRIPS = {"5 km north-east": (-71.2169, -29.8717), "5 km south-east": (-71.2102, -29.9290), "5 km south": (-71.2530, -29.9476)}
BOUNDS = (
    ("sioux-falls-routing", 1e-4, 1.0), ("nauru-routing", 1e-4, 5.0), ("la-serena-routing", 1e-4, None),
    *((trip, 0.01, 120.0) for trip in TRIPS),
)  # fmt: skip
"""Dataset or trip, gap to reach, and target in seconds."""
POLICIES = ("GLADE", "ThompsonSampling", "CUCB", "ESCB")
LEARNED = ("la-serena-routing", "5 km south-east")
PAIRS, REPETITIONS = 50, 5
WARM, TIMED = 200, 1_000
"""Untimed and timed rounds of a learner."""


def run_routes(report: Report) -> None:
    """The three tables."""
    _paths(report)
    _learners(report)
    _bounds(report)


def _paths(report: Report) -> None:
    """P_LM between random nodes, compared with Dijkstra's algorithm in SciPy and in networkx."""
    instance = _instance("la-serena-routing")
    routes, costs = instance.decision_set, -instance.theta
    matrix, graph = _matrix(routes, costs), _digraph(routes, costs)
    rows = []
    for number, (source, target) in enumerate(_pairs(matrix)):
        report.doing(f"shortest path {number + 1} of {PAIRS}")
        rows.append(report.row("shortest paths", _timed_path(routes, instance.theta, matrix, graph, source, target)))
    report.done()
    seconds = {name: np.array([row[name] for row in rows]) for name in ("known", "unknown", "scipy", "networkx")}
    report.table(
        f"P_LM between {PAIRS} random pairs of nodes, d = {routes.d:,} (targets: 1.5 times SciPy, a fiftieth of networkx)",
        ("", "ms", "over SciPy", "networkx over it"),
        [
            (
                name, digits(float(np.median(seconds[key])) * 1e3),
                _spread(seconds[key] / seconds["scipy"]), _spread(seconds["networkx"] / seconds[key]),
            )
            for name, key in (
                ("maximize, free-flow times known", "known"), ("maximize, least = 0", "unknown"),
                ("scipy, one source", "scipy"), ("networkx", "networkx"),
            )
        ],
    )  # fmt: skip


def _timed_path(
    routes: sb.Routes, theta: np.ndarray, matrix: csr_array, graph: nx.DiGraph, source: int, target: int
) -> dict[str, float]:
    arcs = list(zip(routes.tails.tolist(), routes.heads.tolist(), strict=True))
    known, unknown = sb.Routes(arcs, source, target, routes.least), sb.Routes(arcs, source, target)
    length = -theta[known.maximize(theta)].sum()
    expected = dijkstra(matrix, indices=source)[target]
    assert math.isclose(length, expected, rel_tol=1e-9)
    assert math.isclose(-theta[unknown.maximize(theta)].sum(), expected, rel_tol=1e-9)
    calls: dict[str, Callable[[], object]] = {
        "known": lambda: known.maximize(theta),
        "unknown": lambda: unknown.maximize(theta),
        "scipy": lambda: dijkstra(matrix, indices=source, return_predecessors=True),
        "networkx": lambda: nx.dijkstra_path(graph, source, target),
    }
    seconds = dict.fromkeys(calls, math.inf)
    for _ in range(REPETITIONS):  # in turn, so that a busy moment is not that of one of them alone
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def _pairs(matrix: csr_array) -> list[tuple[int, int]]:
    """Random pairs of different nodes, with a path from the first to the second."""
    rng, pairs = np.random.default_rng(0), []
    while len(pairs) < PAIRS:
        source, target = rng.integers(matrix.shape[0], size=2).tolist()
        if source != target and np.isfinite(dijkstra(matrix, indices=source)[target]):
            pairs.append((source, target))
    return pairs


def _cheapest(routes: sb.Routes, costs: np.ndarray) -> dict[tuple[int, int], float]:
    """Cost from node to node: of parallel links, the least."""
    found: dict[tuple[int, int], float] = {}
    for u, v, cost in zip(routes.tails.tolist(), routes.heads.tolist(), costs.tolist(), strict=True):
        found[u, v] = min(cost, found.get((u, v), math.inf))
    return found


def _matrix(routes: sb.Routes, costs: np.ndarray) -> csr_array:
    cheapest = _cheapest(routes, costs)
    tails, heads = np.array(list(cheapest)).T
    return csr_array((list(cheapest.values()), (tails, heads)), shape=2 * (len(routes.nodes),))


def _digraph(routes: sb.Routes, costs: np.ndarray) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((u, v, cost) for (u, v), cost in _cheapest(routes, costs).items())
    return graph


def _learners(report: Report) -> None:
    """Milliseconds of `ask` and peak memory for each policy and trip."""
    rows = []
    for trip in LEARNED:
        for policy in POLICIES:
            report.doing(f"{policy} on {trip}")
            rows.append(report.row("learners on routes", {"trip": trip, "policy": policy, **_task("ask", trip, policy)}))
    report.done()
    report.table(
        f"Learner.ask over {TIMED:,} rounds after {WARM} (targets: median 10 ms for GLADE and Thompson sampling, 500 MB)",
        ("trip", "policy", "median, ms", "p99, ms", "largest, ms", "first, ms", "peak MB"),
        grouped(
            [
                (
                    row["trip"], row["policy"], *(digits(row[key]) for key in ("median", "p99", "largest", "first")),
                    f"{row['peak_bytes'] / 1e6:,.0f}",
                )
                for row in rows
            ],
            len(POLICIES),
        ),
    )  # fmt: skip


def _bounds(report: Report) -> None:
    """Seconds and peak memory of C(theta)."""
    rows = []
    for trip, gap, target in BOUNDS:
        report.doing(f"bound of {trip}")
        rows.append(report.row("bounds of routes", {"trip": trip, "target": target, **_task("bound", trip, str(gap))}))
    report.done()
    report.table(
        "graves_lai (targets as shown, and 2 GB)",
        ("trip", "arcs left", "s", "target", "certified", "gap", "plan", "MB", "status"),
        [
            (
                row["trip"], f"{row['arcs']:,}", digits(row["seconds"]),
                "" if row["target"] is None else f"{row['target']:g}", f"{row['lower']:.5g}–{row['value']:.5g}",
                f"{row['gap']:.1e}", str(row["routes"]), f"{row['peak_bytes'] / 1e6:,.0f}", row["status"],
            )
            for row in rows
        ],
    )  # fmt: skip


def _task(*arguments: str) -> dict[str, Any]:
    """Output of a task in a separate process, and its peak memory."""
    done = run_command(sys.executable, __file__, *arguments)
    if done["exit_code"]:
        raise RuntimeError(f"the task {' '.join(arguments)} must end with 0, got {done['exit_code']}")
    return {**json.loads(done["output"]), "peak_bytes": done["peak_bytes"]}


def _ask(trip: str, policy: str) -> dict[str, float]:
    """Milliseconds of `ask`."""
    instance = _instance(trip)
    deviation, rng = np.sqrt(instance.variance), np.random.default_rng(1)
    learner = sb.Learner(instance.decision_set, variance=instance.variance, policy=getattr(sb, policy)(), seed=0)
    spent = []
    for _ in range(WARM + TIMED):
        start = time.perf_counter()
        asked = learner.ask()
        spent.append((time.perf_counter() - start) * 1e3)
        rewards = instance.theta[asked.items] + deviation[asked.items] * rng.standard_normal(len(asked.items))
        learner.tell(asked.id, rewards)
    timed = np.array(spent[WARM:])
    median, p99 = np.quantile(timed, (0.5, 0.99)).tolist()
    return {"median": median, "p99": p99, "largest": float(timed.max()), "first": spent[0]}


def _bound(trip: str, gap: float) -> dict[str, Any]:
    """Seconds of `graves_lai`, which has solved another problem before, and its result."""
    small = _instance("sioux-falls-routing")
    sb.graves_lai(small.decision_set, small.theta, small.variance, gap=1e-3)
    instance = _instance(trip)
    start = time.perf_counter()
    result = sb.graves_lai(instance.decision_set, instance.theta, instance.variance, gap=gap, time_limit=300, throw=False)
    return {
        "seconds": time.perf_counter() - start, "d": instance.decision_set.d, "arcs": int(result.stats["arcs"]),
        "lower": result.lower, "value": result.value, "gap": result.gap, "asked": gap, "routes": len(result.plan.rates),
        "status": str(result.status),
    }  # fmt: skip


@cache
def _instance(trip: str) -> Instance:
    """The instance of a dataset, or of a trip from the plaza."""
    if trip not in TRIPS:
        return sb.datasets.load(trip).instance
    network = cities.road_network("coquimbo", "La Serena and Coquimbo")
    slowdown = np.array([cities.SLOWDOWN.get(link.kind, 1.1) for link in network.links])
    return network.travel_times(trip, network.nearest(*PLAZA), network.nearest(*TRIPS[trip]), slowdown, "")


def _spread(ratios: np.ndarray) -> str:
    """Median, with the smallest and the largest."""
    return f"{digits(float(np.median(ratios)), 2)} ({digits(float(ratios.min()), 2)} to {digits(float(ratios.max()), 2)})"


def main() -> None:
    """Run one task and print its result as a JSON object."""
    task, trip, setting = sys.argv[1:]
    print(json.dumps(_ask(trip, setting) if task == "ask" else _bound(trip, float(setting))))


if __name__ == "__main__":
    main()
