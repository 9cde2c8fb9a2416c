"""Paths in a DAG: data = in_ptr, in_tails, in_items, out_ptr, out_heads, out_items, (m,), as in `kernels.dag`."""

from __future__ import annotations

from numba import njit

from semibandits.kernels.dag import longest_path_into
from semibandits.kernels.labels import labelled_path
from semibandits.kernels.oracles.limits import MAX_LABELS
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray, opaque

ROOT = opaque(True)
"""That F is a + sqrt(c)."""


@njit(cache=True)
def paths_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest path, by dynamic programming."""
    longest_path_into(weights, data[0], data[1], data[2], x)
    return ANSWERED


@njit(cache=True)
def paths_index(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, ratio: float, x: BoolArray
) -> int:
    """Path of largest index, by labels; below ratio 1 with thinned fronts."""
    in_ptr, in_tails, in_items, out_ptr, out_heads, out_items = data[0], data[1], data[2], data[3], data[4], data[5]
    step = 1.0 if ratio >= 1.0 else ratio ** (-2.0 / data[6][0])
    lifted = bonuses if ratio >= 1.0 else bonuses / (ratio * ratio)
    chosen, labels = labelled_path(
        rewards,
        lifted,
        0.0,
        ROOT,
        in_ptr,
        in_tails,
        in_items,
        out_ptr,
        out_heads,
        out_items,
        1.0,
        step,
        1.0,
        MAX_LABELS,
    )
    x[:] = chosen
    return ANSWERED if labels >= 0 else UNANSWERED
