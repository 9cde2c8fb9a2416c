"""Bipartite matchings: data = ptr, others, items, (number of other nodes, whether leading nodes may stay free).

As in `kernels.assignment`: entry k joins a leading node to ``others[k]``, and is item ``items[k]``. MATCHINGS in the last array.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.assignment import heaviest_matching_with_duals
from semibandits.kernels.oracles.status import ANSWERED, UNANSWERED
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray


@kernel
def matchings_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest matching, by shortest augmenting paths."""
    ptr, others, items, sizes = data[0], data[1], data[2], data[3]
    entries, _, _, _, stuck = heaviest_matching_with_duals(
        _by_entry(weights, items), ptr, others, sizes[0], sizes[1] != 0
    )
    _write(entries, items, x)
    return ANSWERED if len(stuck) == 0 else UNANSWERED


@kernel
def _by_entry(weights: FloatArray, items: IntArray) -> FloatArray:
    result = np.empty(len(items))
    for k in range(len(items)):
        result[k] = weights[items[k]]
    return result


@kernel
def _write(entries: IntArray, items: IntArray, x: BoolArray) -> None:
    x[:] = False
    for k in entries:
        if k >= 0:
            x[items[k]] = True
