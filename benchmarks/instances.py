"""Instances of the benchmarks: mean rewards uniform on (0, 1), or travel times, one seed each."""

from __future__ import annotations

import numpy as np

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


def items_with_features(seed: int, residual: float, d: int = 100, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Features N(0, 1), and means linear in them with standard deviation 0.3 among items, plus `residual` times N(0, 1)."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((d, k))
    theta = features @ rng.standard_normal(k)
    theta = 0.3 * (theta - theta.mean()) / theta.std()
    return features, theta + residual * rng.standard_normal(d)


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


def sparse_pairs(n: int, degree: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the pairs of a random bipartite graph, the union of `degree` permutations."""
    columns = np.stack([rng.permutation(n) for _ in range(degree)], axis=1)
    return np.divmod(np.unique(np.repeat(np.arange(n), degree) * n + columns.ravel()), n)


def sparse_matching(n: int, degree: int = 5, seed: int = 0) -> tuple[sb.Matchings, np.ndarray]:
    """Perfect matchings of such a graph: d is at most n * degree."""
    rng = np.random.default_rng(seed)
    rows, columns = sparse_pairs(n, degree, rng)
    return sb.Matchings(list(zip(rows.tolist(), columns.tolist(), strict=True))), rng.random(len(rows))


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


def streets(k: int) -> tuple[sb.Routes, np.ndarray]:
    """Routes from corner to corner of a k x k grid of two-way streets; times are uniform on (1, 2)."""
    nodes = np.arange(k * k).reshape(k, k)
    ends = np.concatenate((
        np.stack((nodes[:, :-1].ravel(), nodes[:, 1:].ravel()), axis=1),
        np.stack((nodes[:-1].ravel(), nodes[1:].ravel()), axis=1),
    ))  # fmt: skip
    arcs = np.concatenate((ends, ends[:, ::-1]))
    return sb.Routes(arcs.tolist(), 0, k * k - 1), -np.random.default_rng(0).uniform(1.0, 2.0, len(arcs))
