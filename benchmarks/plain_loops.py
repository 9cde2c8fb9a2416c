"""Bandit loops in the style of public research code: Python, NumPy, and oracles of NumPy, SciPy and networkx."""

from __future__ import annotations

import itertools
import time

import networkx as nx
import numpy as np
from scipy.optimize import linear_sum_assignment


def largest_of(m: int):
    """P_LM over the m-sets."""

    def maximize(weights: np.ndarray) -> np.ndarray:
        return np.argpartition(weights, -m)[-m:]

    return maximize


def matching_of(rows: int, columns: int):
    """P_LM over the matchings of a complete bipartite graph, by networkx; item r * columns + c joins row r to column c."""

    def maximize(weights: np.ndarray) -> np.ndarray:
        graph = nx.Graph()
        for item, weight in enumerate(weights):
            row, column = divmod(item, columns)
            graph.add_edge(("row", row), ("column", column), weight=weight, item=item)
        pairs = nx.max_weight_matching(graph, maxcardinality=True)
        return np.array([graph.edges[pair]["item"] for pair in pairs])

    return maximize


def assignment_of(n: int):
    """P_LM over the perfect matchings of n x n, by SciPy; item i * n + j joins row i to column j."""

    def maximize(weights: np.ndarray) -> np.ndarray:
        rows, columns = linear_sum_assignment(weights.reshape(n, n), maximize=True)
        return rows * n + columns

    return maximize


def path_of(arcs: list[tuple[int, int]], source: int, target: int):
    """P_LM over the paths of an acyclic graph, by networkx; an item is an arc."""
    items = {arc: item for item, arc in enumerate(arcs)}

    def maximize(weights: np.ndarray) -> np.ndarray:
        graph = nx.DiGraph()
        graph.add_weighted_edges_from((tail, head, -weight) for (tail, head), weight in zip(arcs, weights, strict=True))
        nodes = nx.shortest_path(graph, source, target, weight="weight", method="bellman-ford")
        return np.array([items[arc] for arc in itertools.pairwise(nodes)])

    return maximize


def tree_of(edges: list[tuple[int, int]]):
    """P_LM over the spanning trees of a graph, by networkx; an item is an edge."""

    def maximize(weights: np.ndarray) -> np.ndarray:
        graph = nx.Graph()
        for item, ((u, v), weight) in enumerate(zip(edges, weights, strict=True)):
            graph.add_edge(u, v, weight=weight, item=item)
        return np.array([item for *_, item in nx.maximum_spanning_tree(graph).edges(data="item")])

    return maximize


def play(policy: str, maximize, theta: np.ndarray, variance: float, rounds: int, seed: int) -> tuple[float, float]:
    """Regret, and processor seconds per round, of CUCB or Thompson sampling; items without a reward weigh most."""
    rng = np.random.default_rng(seed)
    counts, sums = np.zeros(len(theta)), np.zeros(len(theta))
    best = theta[maximize(theta)].sum()
    regret = 0.0
    start = time.process_time()
    for t in range(1, rounds + 1):
        plays = np.maximum(counts, 1)
        means = sums / plays
        if policy == "CUCB":
            weights = means + np.sqrt(2 * variance * np.log(t) / plays)
        else:
            weights = rng.normal(means, np.sqrt(variance / plays))
        items = maximize(np.where(counts > 0, weights, 1e6))
        rewards = rng.normal(theta[items], np.sqrt(variance))
        counts[items] += 1
        sums[items] += rewards
        regret += best - theta[items].sum()
    return regret, (time.process_time() - start) / rounds
