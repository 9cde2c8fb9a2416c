"""Selection of the largest of many numbers."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray


@kernel
def sift_down(heap: FloatArray, p: int, x: float) -> None:
    """Replace the entry at position `p` of a min-heap by `x` and restore the heap below it."""
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


@kernel
def select_largest(weights: FloatArray, m: int) -> BoolArray:
    """Mask of the `m` largest weights; smaller indices first on ties."""
    chosen = np.zeros(len(weights), dtype=np.bool_)
    select_into(weights, m, chosen)
    return chosen


@kernel
def select_into(weights: FloatArray, m: int, chosen: BoolArray) -> None:
    """Write the mask of :func:`select_largest` into `chosen`: one pass with a heap of size m.

    The previous contents of `chosen` are a guess. If it has m items and is still the only answer, a pass without branches
    suffices. If it has m items and is not, they fill the heap at first, so that few others enter it.
    """
    if m == 0:
        chosen[:] = False
        return
    count, inside, outside = 0, np.inf, -np.inf
    for i in range(len(weights)):
        if chosen[i]:
            count += 1
            inside = min(inside, weights[i])
        else:
            outside = max(outside, weights[i])
    if count == m and inside > outside:
        return
    threshold = _threshold(weights, m, chosen, count == m)
    left = m
    for i in range(len(weights)):
        larger = weights[i] > threshold
        chosen[i] = larger
        left -= larger
    i = 0
    while left > 0:
        equal = weights[i] == threshold
        chosen[i] |= equal
        left -= equal
        i += 1


@kernel
def _threshold(weights: FloatArray, m: int, guess: BoolArray, guessed: bool) -> float:
    """The m-th largest weight; if `guessed`, the search starts from the m items of the guess."""
    heap, filled = np.empty(m), 0
    for i in range(len(weights) if guessed else m):
        if not guessed or guess[i]:
            heap[filled] = weights[i]
            filled += 1
    for p in range(m // 2 - 1, -1, -1):
        sift_down(heap, p, heap[p])
    for i in range(0 if guessed else m, len(weights)):
        if weights[i] > heap[0] and not (guessed and guess[i]):
            sift_down(heap, 0, weights[i])
    return float(heap[0])
