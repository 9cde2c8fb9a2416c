"""m-sets: ``data[0] = (m,)``, and UNIFORM in the last array.

P_IM is searched first; where that takes long, label lists take over: they are polynomial in integer rewards.
"""

from __future__ import annotations

from numba import njit

from semibandits.kernels.knapsack import ROOT, SOLVED, searched_selection
from semibandits.kernels.oracles.limits import MAX_LABELS, MAX_NODES
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.selection import select_into
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@njit(cache=True)
def msets_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """The m largest weights; of equal ones those with the smaller index."""
    select_into(weights, data[0][0], x)
    return ANSWERED


@njit(cache=True)
def msets_index(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, ratio: float, x: BoolArray
) -> int:
    """The m items of largest index, exact at any ratio, by label lists."""
    chosen, status = searched_selection(rewards, bonuses, data[0][0], ROOT, 1.0, 0.0, MAX_LABELS, MAX_NODES)
    x[:] = chosen
    return ANSWERED if status == SOLVED else UNANSWERED
