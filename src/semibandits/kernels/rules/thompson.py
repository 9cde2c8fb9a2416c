"""Rule of Thompson sampling."""

from __future__ import annotations

from semibandits.kernels.rules.actions import LINEAR
from semibandits.kernels.rules.statistics import MEANS, ROOTS
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

SCALE = 1
"""Place in the parameters of the posterior's standard deviation, in units of sqrt(2 sigma_i^2 / n_i)."""


@kernel(error_model="numpy")
def thompson(
    t: int, params: FloatArray, stats: FloatArray, z: FloatArray, memory: FloatArray, marks: IntArray, rows: BoolArray,
    weights: FloatArray, bonuses: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """A draw from the normal posterior of each mean."""
    scale = params[SCALE]
    for i in range(len(weights)):
        weights[i] = stats[MEANS, i] + scale * stats[ROOTS, i] * z[i]
    return LINEAR
