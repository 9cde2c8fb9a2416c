"""m-sets: ``data[0] = (m,)``, and UNIFORM in the last array."""

from __future__ import annotations

from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.selection import select_into
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel
def msets_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """The m largest weights; of equal ones those with the smaller index."""
    select_into(weights, data[0][0], x)
    return ANSWERED
