"""Bandit loops in the style of public research code: Python, NumPy, and oracles of NumPy and networkx."""

from __future__ import annotations

import time

import networkx as nx
import numpy as np


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


def play(policy: str, maximize, theta: np.ndarray, variance: float, rounds: int, seed: int) -> float:
    """Seconds per round of CUCB or Thompson sampling, after every item was observed once."""
    rng = np.random.default_rng(seed)
    d = len(theta)
    counts = np.ones(d)
    sums = rng.normal(theta, np.sqrt(variance))
    best = theta[maximize(theta)].sum()
    regret = 0.0
    start = time.perf_counter()
    for t in range(2, rounds + 2):
        means = sums / counts
        if policy == "CUCB":
            weights = means + np.sqrt(2 * variance * np.log(t) / counts)
        else:
            weights = rng.normal(means, np.sqrt(variance / counts))
        items = maximize(weights)
        rewards = rng.normal(theta[items], np.sqrt(variance))
        counts[items] += 1
        sums[items] += rewards
        regret += best - theta[items].sum()
    return (time.perf_counter() - start) / rounds
