"""Weighted Laplacians of graphs: conjugate gradients with a diagonal preconditioner."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray


@kernel
def laplacian_solution(
    tails: IntArray, heads: IntArray, weights: FloatArray, excess: FloatArray, tolerance: float, most: int
) -> tuple[FloatArray, int]:
    """Potentials pi with ``sum of weights[e] * (pi[v] - pi[w]) = excess[v]`` over the arcs e = vw, and the number of steps.

    The graph is connected, its weights are positive, and `excess` adds up to 0. Ends when the error in the norm of the
    diagonal is `tolerance` times the first one, or after `most` steps. Every step costs one pass over the arcs.
    """
    n = len(excess)
    degree = np.zeros(n)
    for e in range(len(weights)):
        degree[tails[e]] += weights[e]
        degree[heads[e]] += weights[e]
    solution, image = np.zeros(n), np.empty(n)
    residual = excess.copy()
    direction = residual / degree
    size = 0.0
    for v in range(n):
        size += residual[v] * direction[v]
    enough, steps = tolerance * tolerance * size, 0
    while size > enough and steps < most:
        steps += 1
        for v in range(n):
            image[v] = degree[v] * direction[v]
        for e in range(len(weights)):
            v, w = tails[e], heads[e]
            image[v] -= weights[e] * direction[w]
            image[w] -= weights[e] * direction[v]
        along = 0.0
        for v in range(n):
            along += direction[v] * image[v]
        if not along > 0.0:
            break
        step, before = size / along, size
        size = 0.0
        for v in range(n):
            solution[v] += step * direction[v]
            residual[v] -= step * image[v]
            size += residual[v] * residual[v] / degree[v]
        for v in range(n):
            direction[v] = residual[v] / degree[v] + (size / before) * direction[v]
    return solution, steps
