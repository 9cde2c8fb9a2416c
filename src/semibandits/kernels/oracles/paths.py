"""Paths in a DAG: data = in_ptr, in_tails, in_items, out_ptr, out_heads, out_items, (m,), as in `kernels.dag`; PATHS in the
last one.
"""

from __future__ import annotations

from semibandits.kernels.dag import longest_path_into
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel
def paths_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest path, by dynamic programming."""
    longest_path_into(weights, data[0], data[1], data[2], x)
    return ANSWERED
