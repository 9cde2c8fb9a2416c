"""Instances of the benchmarks: mean rewards uniform on (0, 1), one seed each."""

from __future__ import annotations

import numpy as np

import semibandits as sb


def matching(n: int, seed: int = 0) -> tuple[sb.Matchings, np.ndarray]:
    """Perfect matchings of the complete bipartite graph n x n: d = n^2."""
    pairs = [(row, column) for row in range(n) for column in range(n)]
    return sb.Matchings(pairs), np.random.default_rng(seed).random(n * n)


def grid(k: int, seed: int = 0) -> tuple[sb.Paths, np.ndarray]:
    """Corner-to-corner paths of a k x k grid with arcs right, down and diagonal: d = 2k(k-1) + (k-1)^2."""
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
    return sb.Paths(arcs, 0, k * k - 1), np.random.default_rng(seed).random(len(arcs))
