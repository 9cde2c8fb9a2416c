"""Selection of the largest of many numbers."""

from __future__ import annotations

import numpy as np
from numba import njit

from semibandits.kernels.typing import BoolArray, FloatArray


@njit(cache=True)
def sift_down(heap: FloatArray, p: int, x: float) -> None:
    """Put `x` into the min-heap from position `p` downwards, over what stood there."""
    n = len(heap)
    child = 2 * p + 1
    while child < n:
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= x:
            break
        heap[p] = heap[child]
        p = child
        child = 2 * p + 1
    heap[p] = x


@njit(cache=True)
def select_largest(weights: FloatArray, m: int) -> BoolArray:
    """Mask of the `m` largest weights; of equal ones those with the smaller index. One pass with a heap of size m."""
    d = len(weights)
    chosen = np.zeros(d, dtype=np.bool_)
    if m == 0:
        return chosen
    heap = weights[:m].copy()
    for p in range(m // 2 - 1, -1, -1):
        sift_down(heap, p, heap[p])
    for i in range(m, d):
        if weights[i] > heap[0]:
            sift_down(heap, 0, weights[i])
    threshold = heap[0]  # the m-th largest
    left = m
    for i in range(d):
        if weights[i] > threshold:
            chosen[i] = True
            left -= 1
    i = 0
    while left > 0:
        if weights[i] == threshold:
            chosen[i] = True
            left -= 1
        i += 1
    return chosen
