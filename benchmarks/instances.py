"""Instances of the benchmarks: mean rewards uniform on (0, 1), one seed each."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
from scipy import sparse

import semibandits as sb
from semibandits import matroids


def matching(n: int, seed: int = 0) -> tuple[sb.Matchings, np.ndarray]:
    """Perfect matchings of the complete bipartite graph n x n: d = n^2."""
    pairs = [(row, column) for row in range(n) for column in range(n)]
    return sb.Matchings(pairs), np.random.default_rng(seed).random(n * n)


def grid(k: int, seed: int = 0) -> tuple[sb.Paths, np.ndarray]:
    """Corner-to-corner paths of a k x k grid with arcs right, down and diagonal: d = 2k(k-1) + (k-1)^2."""
    arcs = grid_arcs(k)
    return sb.Paths(arcs, 0, k * k - 1), np.random.default_rng(seed).random(len(arcs))


def grid_arcs(k: int) -> list[tuple[int, int]]:
    """Arcs of that grid, its nodes numbered row by row."""
    arcs = []
    for row in range(k):
        for column in range(k):
            here = row * k + column
            if row + 1 < k:
                arcs.append((here, here + k))
            if column + 1 < k:
                arcs.append((here, here + 1))
            if row + 1 < k and column + 1 < k:
                arcs.append((here, here + k + 1))
    return arcs


def write_grid(path: Path, k: int, seed: int = 0) -> int:
    """Write the same grid as a CSV file with named crossings; return the number of arcs."""
    arcs = grid_arcs(k)
    theta = np.random.default_rng(seed).random(len(arcs))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["tail", "head", "theta"])
        for (tail, head), reward in zip(arcs, theta.tolist(), strict=True):
            writer.writerow([crossing(tail, k), crossing(head, k), repr(reward)])
    return len(arcs)


def crossing(node: int, k: int) -> str:
    """Name of a node in the CSV file."""
    return f"r{node // k}c{node % k}"


def listed_matchings(n: int) -> sparse.csr_array:
    """All n! perfect matchings, one 0/1 row each; item i * n + j is the pair (i, j)."""
    columns = np.array(list(itertools.permutations(range(n))))
    items = np.arange(n) * n + columns
    rows = np.repeat(np.arange(len(columns)), n)
    return sparse.csr_array((np.ones(items.size), (rows, items.ravel())), shape=(len(columns), n * n))


def near_tie(n: int, seed: int, gap: float) -> np.ndarray:
    """Rewards of `matching(n, seed)`, one of them raised until the gap of the second-best matching is `gap`.

    The raised pair is in the second-best matching and not in the best, so that no other matching gets closer.
    """
    theta = np.random.default_rng(seed).random(n * n)
    decisions = listed_matchings(n)
    rewards = decisions @ theta
    second, best = np.argsort(rewards)[-2:]
    entering = np.flatnonzero((decisions[[second]] - decisions[[best]]).toarray().ravel() > 0)[0]
    theta[entering] += rewards[best] - rewards[second] - gap
    return theta


def sparse_matching(n: int, degree: int = 5, seed: int = 0) -> tuple[sb.Matchings, np.ndarray]:
    """Perfect matchings of a random bipartite graph, the union of `degree` permutations: d is at most n * degree."""
    rng = np.random.default_rng(seed)
    columns = np.stack([rng.permutation(n) for _ in range(degree)], axis=1)
    pairs = np.unique(np.repeat(np.arange(n), degree) * n + columns.ravel())
    return sb.Matchings(list(zip((pairs // n).tolist(), (pairs % n).tolist(), strict=True))), rng.random(len(pairs))


def layered(layers: int, width: int = 10, degree: int = 5, seed: int = 0) -> tuple[sb.Paths, np.ndarray]:
    """Paths through layers of `width` nodes with arcs to `degree` nodes of the next: d = width (degree (layers - 1) + 2)."""
    rng = np.random.default_rng(seed)
    arcs = [(-1, node) for node in range(width)]
    for layer in range(layers - 1):
        for node in range(layer * width, (layer + 1) * width):
            arcs += [(node, (layer + 1) * width + int(head)) for head in rng.permutation(width)[:degree]]
    arcs += [(node, layers * width) for node in range((layers - 1) * width, layers * width)]
    return sb.Paths(arcs, -1, layers * width), rng.random(len(arcs))


def two_partitions(d: int, groups: int = 10, seed: int = 0) -> tuple[sb.MatroidIntersection, np.ndarray]:
    """Sets with one item of each of `groups` groups in two random partitions at once."""
    rng = np.random.default_rng(seed)
    labels = [rng.integers(groups, size=d).tolist() for _ in range(2)]
    sides = (matroids.Partition(one, 1) for one in labels)
    return sb.MatroidIntersection(*sides), rng.random(d)


def m_sets(d: int, m: int = 10, seed: int = 0) -> tuple[sb.MSets, np.ndarray]:
    """Sets of m of d items."""
    return sb.MSets(d, m), np.random.default_rng(seed).random(d)
