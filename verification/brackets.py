"""Brackets of C(theta) compared with independent programs over all decisions.

    python verification/brackets.py laws       every law; three quarters of an hour on one core
    python verification/brackets.py scale      one to three costs 10^3 to 10^15 times as large as the others
    python verification/brackets.py routes     routes in random graphs; a minute

- laws: small instances of each family and law (ties, near-ties, zeros; mixes), solved by `graves_lai`, and by linear programs
  with cuts over all decisions that share no code with the library: laws are given by their variance functions only, divergences
  by quadrature (tests/regret_bound/laws_reference.py). docs/laws.md has the sums.
- scale: the sets of tests/regret_bound/scale_cases.py against exact sums over all decisions. Prints what is wrong, and how many
  brackets reached their gap.
- routes: two-way street grids, random digraphs, multigraphs and undirected graphs whose two directions share an item; least costs
  of 0, half the mean and most of it; alike costs, costs over a factor of 20, ties and zeros, and near-ties. The bracket of each
  graph must contain the value over all simple paths, found by enumeration. Then the constraints: random rates, scaled to
  information 1 over all simple paths, must be proved to suffice by the search for detours, and 0.99 times these rates must not.

The exit code is 1 if a bracket is wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np

import semibandits as sb
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.laws.gaussian import bounded_by
from semibandits.regret_bound.cuts.enumeration import information_over_list
from semibandits.regret_bound.cuts.routes import RouteSolver
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.result import ExplorationPlan

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "regret_bound"))
import law_cases
import scale_cases
from doc_tables import header, row
from laws_reference import bracket, least_of_all

RELATIVE_ERROR = 1e-5
"""Of the reference for laws."""
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
    print(row([family, count, outcomes["wrong"], outcomes["closed"], outcomes["no plan"], f"{widest:.4f}"]), flush=True)
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
    print(row([family, compared, short, over]), flush=True)
    return short + over


def check_laws(options: argparse.Namespace) -> int:
    """Print one row per law and family, and return the number of errors."""
    print("\n".join(header(["law", "family", "instances", "refused", "largest gap", "brackets apart", "plans short"])))
    failed, instances = 0, options.instances or 100
    for name in law_cases.LAWS:
        for family in law_cases.SETS:
            solved, refused, widest, apart, short = 0, 0, 0.0, 0, 0
            seed = 1_000 if options.seed is None else options.seed
            while solved < instances and refused < 9 * instances:
                space, law, items = law_cases.drawn(seed, family, name)
                seed += 1
                try:
                    result = sb.graves_lai(space, items.theta, law=law, throw=False)
                except UnsupportedError:
                    refused += 1
                    continue
                solved += 1
                decisions = space.enumerate(20_000)
                lower, upper = bracket(items, decisions)
                widest = max(widest, result.gap)
                apart += result.lower > upper * (1.0 + RELATIVE_ERROR) or lower > result.value * (1.0 + RELATIVE_ERROR)
                short += least_of_all(items, decisions, result.rates) < 1.0 - RELATIVE_ERROR
            failed += apart + short + (widest > 1e-4)
            print(row([name, family, solved, refused, f"{widest:.1e}", apart, short]), flush=True)
    return failed


def check_scale(options: argparse.Namespace) -> int:
    """Check all draws by both methods, print how they turned out, and return the number of wrong brackets."""
    tally: Counter[str] = Counter()
    for name in scale_cases.SETS:
        for seed in range(options.seed or 0, (options.seed or 0) + (options.instances or 375)):
            for method in ("auto", "enumeration") if name != "maximize only" else ("auto",):
                try:
                    tally[str(scale_cases.check(*scale_cases.drawn(seed, name), method).status)] += 1
                except (AssertionError, InvalidInputError) as error:
                    print(f"{name} {seed} {method}: {error}", flush=True)
                    tally["wrong" if isinstance(error, AssertionError) else "refused"] += 1
    print(", ".join(f"{count:,} {what}" for what, count in sorted(tally.items())))
    return tally["wrong"]


def check_routes(options: argparse.Namespace) -> int:
    """Print a table of the brackets and one of the constraints, and return the number of errors."""
    print("\n".join(header(["family", "graphs", "brackets apart", "closed to 1e-4", "without a plan", "largest C / lower end"])))
    wrong = sum(check_brackets(family, options.instances or 60) for family in FAMILIES)
    print("\n".join(["", *header(["family", "draws", "proof falls short", "proof of too little"])]))
    return wrong + sum(check_constraints(family, options.draws) for family in FAMILIES)


CHECKS = {"laws": check_laws, "scale": check_scale, "routes": check_routes}


def main() -> None:
    """Carry out one of the checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("of", choices=CHECKS)
    parser.add_argument("--instances", type=int, help="instances of each family (and law); by default 100, 375 and 60")
    parser.add_argument("--seed", type=int, help="first seed of laws and scale")
    parser.add_argument("--draws", type=int, default=2_000, help="draws of rates in each family of routes")
    options = parser.parse_args()
    sys.exit(int(CHECKS[options.of](options) > 0))


if __name__ == "__main__":
    main()
