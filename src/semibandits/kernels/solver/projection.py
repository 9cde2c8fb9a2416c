"""Weighted projection on the cone of m-sets."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray

HALVINGS = 120


@kernel
def _filled(point: FloatArray, lower: FloatArray, weights: FloatArray, cap: float, lift: float) -> float:
    total = 0.0
    for i in range(len(point)):
        total += min(max(point[i] + lift / weights[i], lower[i]), cap)
    return total


@kernel
def _lift(point: FloatArray, lower: FloatArray, weights: FloatArray, cap: float, total: float) -> float:
    """The lift at which the sum of the values, clipped to [lower, cap], is the total, by bisection."""
    low, high = 0.0, 0.0
    for i in range(len(point)):
        low = min(low, weights[i] * (lower[i] - point[i]))
        high = max(high, weights[i] * (cap - point[i]))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if _filled(point, lower, weights, cap, middle) < total:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _slope(point: FloatArray, lower: FloatArray, weights: FloatArray, cap: float, m: int) -> float:
    mu = _lift(point, lower, weights, cap, m * cap)
    slope = m * mu
    for i in range(len(point)):
        slope -= max(mu - weights[i] * (cap - point[i]), 0.0)
    return slope


@kernel
def project_on_msets(point: FloatArray, lower: FloatArray, weights: FloatArray, m: int) -> FloatArray:
    """Minimise ``sum_i weights_i (w_i - point_i)^2`` over ``lower <= w_i <= s, sum(w) = m s``, s free; 1 <= m <= d, lower >= 0.

    With multipliers mu of the sum and nu_i of the caps, w_i is point_i + mu / weights_i clipped to [lower_i, s]. The value is a
    convex function of s with slope m mu - sum(nu). The method is bisection over s, and over mu for each s.
    """
    low = max(lower.max(), 0.0)
    high = max(low, np.abs(point).max())
    for _ in range(HALVINGS):
        if high == 0.0 or _slope(point, lower, weights, high, m) > 0.0:
            break
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        cap = 0.5 * (low + high)
        if cap <= low or cap >= high:
            break
        if _slope(point, lower, weights, cap, m) > 0.0:
            high = cap
        else:
            low = cap
    cap = 0.5 * (low + high)
    mu = _lift(point, lower, weights, cap, m * cap)
    w = np.empty(len(point))
    for i in range(len(point)):
        w[i] = min(max(point[i] + mu / weights[i], lower[i]), cap)
    return w
