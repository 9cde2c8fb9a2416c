"""Check bounds over routes against all simple paths, on random graphs (about a minute).

Two-way street grids, random digraphs, multigraphs and undirected graphs whose two directions share an item; least costs of 0,
half the mean and most of it; alike costs, costs over a factor of 20, ties and zeros, and near-ties. The bracket of each graph
must contain the value over all simple paths, found by enumeration. Then the constraints: random rates, scaled to information 1
over all simple paths, must be proved to suffice by the search for detours, and 0.99 times these rates must not.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter

import networkx as nx
import numpy as np

import semibandits as sb
from semibandits.laws.gaussian import bounded_by
from semibandits.regret_bound.cuts.enumeration import information_over_list
from semibandits.regret_bound.cuts.routes import RouteSolver
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.result import ExplorationPlan

FAMILIES = ("two-way grid", "shared grid", "digraph", "multigraph", "undirected")
SHARES = (0.0, 0.5, 0.9)
"""Least costs, relative to the mean ones."""
DRAWS_PER_GRAPH = 50
CLOSE = 1e-6
SHORT = 0.99


def graph_of(family: str, rng: np.random.Generator) -> nx.Graph:
    """A random graph of a family, with a path from its first node to its last one."""
    if family.endswith("grid"):
        grid = nx.grid_2d_graph(*((3, 3), (3, 4), (4, 4))[rng.integers(3)])
        return grid if family == "shared grid" else grid.to_directed()
    kind = {"digraph": nx.DiGraph, "multigraph": nx.MultiDiGraph, "undirected": nx.MultiGraph}[family]
    while True:
        n = int(rng.integers(4, 8))
        graph = kind()
        graph.add_nodes_from(range(n))
        pairs = rng.integers(0, n, (int(rng.integers(n, 3 * n)), 2)).tolist()
        graph.add_edges_from(pair for pair in pairs if family != "digraph" or pair[0] != pair[1])
        if nx.has_path(graph, 0, n - 1):
            return graph


def costs_of(d: int, rng: np.random.Generator) -> np.ndarray:
    """Costs that are alike, over a factor of 20, with ties and zeros, or nearly tied."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.uniform(0.5, 1.5, d)
    if kind == 1:
        return np.exp(rng.uniform(-2.5, 0.5, d))
    if kind == 2:
        return rng.integers(0, 4, d).astype(float)
    return 1.0 + rng.integers(0, 3, d) + 1e-3 * rng.random(d)


def instance(family: str, seed: int) -> tuple[sb.Routes, np.ndarray, np.ndarray]:
    """Routes, their mean costs and variances."""
    rng = np.random.default_rng([seed, FAMILIES.index(family)])
    graph = graph_of(family, rng)
    nodes = list(graph.nodes)
    d = graph.number_of_edges()
    costs = costs_of(d, rng)
    return sb.Routes(graph, nodes[0], nodes[-1], SHARES[seed % 3] * costs), costs, rng.uniform(0.1, 1.0, d)


def check_brackets(family: str, count: int) -> int:
    """Compare brackets with enumeration, print a row of the table, and return the number of wrong ones."""
    outcomes: Counter[str] = Counter()
    widest = 1.0
    for seed in range(count):
        routes, costs, variance = instance(family, seed)
        truth = sb.graves_lai(routes, -costs, variance, method="enumeration", gap=1e-6, throw=False)
        found = sb.graves_lai(routes, -costs, variance, method="columns", throw=False)
        outcomes["wrong"] += found.lower > truth.value * (1.0 + 1e-9) or truth.lower > found.value * (1.0 + 1e-9)
        outcomes["closed"] += found.status == "optimal"
        outcomes["no plan"] += math.isinf(found.value)
        if found.lower > 0.0:
            widest = max(widest, truth.value / found.lower)
    print(
        f"| {family} | {count} | {outcomes['wrong']} | {outcomes['closed']} | {outcomes['no plan']} | {widest:.4f} |", flush=True
    )
    return outcomes["wrong"]


def check_constraints(family: str, draws: int) -> int:
    """Compare the proof with all simple paths at random rates, print a row of the table, and return the number of errors."""
    compared, short, over, seed = 0, 0, 0, 0
    while compared < draws:
        seed += 1
        routes, costs, variance = instance(family, seed)
        problem = Problem(routes, -costs, bounded_by(sb.laws.Gaussian(variance), routes.upper), 1e-12, CLOSE)
        rows, rng = routes.enumerate(), np.random.default_rng([seed, 1])
        solver = RouteSolver(problem)
        for _ in range(min(DRAWS_PER_GRAPH, draws - compared)):
            rates = rng.exponential(size=len(rows)) ** 3 * (rng.random(len(rows)) < 0.7)
            information = information_over_list(problem, ExplorationPlan(rows, rates))
            if not 0.0 < information < math.inf:
                break  # nothing to explore, or an item that these rates leave out
            compared += 1
            short += solver.least_information(ExplorationPlan(rows, rates / information)) < 1.0 - CLOSE
            over += solver.least_information(ExplorationPlan(rows, SHORT * rates / information)) > SHORT * (1.0 + CLOSE)
    print(f"| {family} | {compared} | {short} | {over} |", flush=True)
    return short + over


def main() -> None:
    """Run both checks, and print a table of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=60, help="graphs of each family")
    parser.add_argument("--draws", type=int, default=2_000, help="draws of rates in each family")
    options = parser.parse_args()
    print("| family | graphs | brackets apart | closed to 1e-4 | without a plan | largest C / lower end |")
    print(f"|{'---|' * 6}")
    wrong = sum(check_brackets(family, options.graphs) for family in FAMILIES)
    print("\n| family | draws | proof falls short | proof of too little |")
    print(f"|{'---|' * 4}")
    wrong += sum(check_constraints(family, options.draws) for family in FAMILIES)
    sys.exit(int(wrong > 0))


if __name__ == "__main__":
    main()
