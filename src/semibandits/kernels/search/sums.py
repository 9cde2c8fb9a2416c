"""Sums of bonuses, if bonuses take few values.

``sqrt(c) - l c`` is at most ``1 / (4 l)``, attained at ``c = 1 / (4 l^2)``. If bonuses take few values v_1, ..., v_k
besides 0, a decision has c = n_1 v_1 + ... + n_k v_k, and the maximum over these sums alone is a smaller bound. With one
value, and for the bases of a matroid, this bound is exact: the largest reward of a basis with n items of positive bonus is
concave in n, and so is the root, and Fenchel duality is exact for concave sequences. P_IM is then polynomial: the best
multiplier proves its decision, without a search over parts.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arrays import stable_order
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray

MOST_VALUES = 3
MOST_SUMS = 600


@kernel
def attainable_sums(bonuses: FloatArray, m: int) -> FloatArray:
    """All sums of at most m bonuses, ascending, each item at most once; empty if there are too many values or sums."""
    values, numbers, n_values = np.empty(MOST_VALUES), np.zeros(MOST_VALUES, dtype=np.int64), 0
    for i in range(len(bonuses)):
        if bonuses[i] == 0.0:
            continue
        k = 0
        while k < n_values and values[k] != bonuses[i]:
            k += 1
        if k == MOST_VALUES:
            return np.empty(0)
        if k == n_values:
            values[k] = bonuses[i]
            n_values += 1
        numbers[k] = min(numbers[k] + 1, m)
    n1, n2, n3 = int(numbers[0]), int(numbers[1]), int(numbers[2])
    if (n1 + 1) * (n2 + 1) * (n3 + 1) > 6 * MOST_SUMS:
        return np.empty(0)
    sums, n = np.empty((n1 + 1) * (n2 + 1) * (n3 + 1)), 0
    for k1 in range(n1 + 1):
        for k2 in range(min(n2, m - k1) + 1):
            for k3 in range(min(n3, m - k1 - k2) + 1):
                # Values that do not occur are undefined, and their numbers are 0.
                total = k1 * values[0]
                if k2 > 0:
                    total += k2 * values[1]
                if k3 > 0:
                    total += k3 * values[2]
                sums[n] = total
                n += 1
    return sums[stable_order(sums[:n])]


@kernel
def allowance(sums: FloatArray, slope: float) -> float:
    """Largest ``sqrt(c) - slope c`` over the sums, or over all c >= 0 if there are no sums; rounded up."""
    highest = 0.25 / slope
    if len(sums) == 0:
        return highest
    at = int(np.searchsorted(sums, 4.0 * highest * highest))
    largest = 0.0
    for k in range(max(at - 2, 0), min(at + 2, len(sums))):
        largest = max(largest, math.sqrt(sums[k]) - slope * sums[k])
    return float(min(largest * (1.0 + 1e-14) + 1e-15 * slope * sums[-1], highest))
