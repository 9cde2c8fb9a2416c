"""Compiled oracles of matroids and matroid intersections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from semibandits._typing import IntArray
from semibandits.decisions.compiled import CompiledOracle, compiled_oracle
from semibandits.kernels.oracles import greedy, kinds, swaps
from semibandits.kernels.oracles.intersection import intersection_exchange_costs, intersection_linear
from semibandits.kernels.oracles.partitions import partitions_exchange_costs, partitions_linear
from semibandits.kernels.search.single_swaps import bases_search
from semibandits.matroids import Matroid
from semibandits.matroids._compiled import packed

_LINEAR: Final[dict[int, Callable[..., int]]] = {
    kinds.UNIFORM: greedy.uniform_linear,
    kinds.PARTITION: greedy.partition_linear,
    kinds.LAMINAR: greedy.laminar_linear,
    kinds.GRAPHIC: greedy.forest_linear,
    kinds.TRANSVERSAL: greedy.transversal_linear,
    kinds.BINARY: greedy.binary_linear,
    kinds.REAL: greedy.real_linear,
}
"""P_LM."""


def matroid_oracle(matroid: Matroid, rank: int) -> CompiledOracle | None:
    """Oracle of the bases of a matroid; None for user-defined matroids.

    For matroids over the reals it has P_LM only: exchanges are computed with LAPACK, and kernels with other arithmetic could
    give other results.
    """
    found = packed(matroid)
    if found is None:
        return None
    kind, arrays = found
    if kind == kinds.REAL:
        return compiled_oracle(arrays, matroid.d, rank, _LINEAR[kind])
    is_uniform = kind == kinds.UNIFORM
    return compiled_oracle(
        (*arrays, np.array([kind])),
        matroid.d,
        rank,
        _LINEAR[kind],
        exchange_costs=swaps.uniform_exchange_costs if is_uniform else swaps.bases_exchange_costs,
        swaps=swaps.uniform_swaps if is_uniform else swaps.bases_swaps,
        roles=roles(kind, arrays, matroid.d),
        index=bases_search,
    )


def intersection_oracle(m1: Matroid, m2: Matroid, size: int) -> CompiledOracle | None:
    """Oracle of the common independent sets of `size` items; None if a matroid is user-defined or over the reals."""
    first, second = packed(m1), packed(m2)
    if first is None or second is None or kinds.REAL in (first[0], second[0]):
        return None
    arrays = (np.array([first[0], second[0], size]), *first[1], *second[1])
    both = np.column_stack((roles(*first, m1.d), roles(*second, m2.d)))
    if first[0] == second[0] == kinds.PARTITION:
        linear, exchange_costs = partitions_linear, partitions_exchange_costs
    else:
        linear, exchange_costs = intersection_linear, intersection_exchange_costs
    return compiled_oracle(arrays, m1.d, size, linear, exchange_costs=exchange_costs, roles=_numbered(both))


def roles(kind: int, arrays: tuple[IntArray, IntArray, IntArray], d: int) -> IntArray:
    """Role of each item, shape (d,): exchanging two items of one role maps the bases to themselves (`kernels.search.classes`).

    These are all items of a uniform matroid, the items of a group or of an innermost set, parallel edges, items with the same
    places, and equal vectors. Items that are not known to be interchangeable have roles of their own.
    """
    first, second, third = arrays
    if kind == kinds.UNIFORM:
        return np.zeros(d, dtype=np.int64)
    if kind in (kinds.PARTITION, kinds.LAMINAR):
        return first.copy()
    if kind == kinds.GRAPHIC:
        return _numbered(np.sort(np.column_stack((first, second)), axis=1))
    if kind == kinds.TRANSVERSAL:
        serves = np.zeros((d, int(third[0])), dtype=np.int64)
        serves[np.repeat(np.arange(d), np.diff(first)), second] = 1
        return _numbered(serves)
    return _numbered(first.reshape(second[0], second[1]))


def _numbered(rows: IntArray) -> IntArray:
    """Number of each row; equal rows have equal numbers."""
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
