"""Compiled P_LM of matroids and of intersections of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from semibandits._typing import IntArray
from semibandits.kernels.oracles import greedy, kinds
from semibandits.kernels.oracles.intersection import intersection_linear
from semibandits.kernels.oracles.partitions import partitions_linear
from semibandits.matroids import Matroid
from semibandits.matroids._compiled import packed

LinearKernel: TypeAlias = Callable[..., int]
Data: TypeAlias = tuple[IntArray, ...]

_KERNELS: dict[int, Any] = {
    kinds.UNIFORM: greedy.uniform_linear,
    kinds.PARTITION: greedy.partition_linear,
    kinds.LAMINAR: greedy.laminar_linear,
    kinds.GRAPHIC: greedy.forest_linear,
    kinds.TRANSVERSAL: greedy.transversal_linear,
    kinds.BINARY: greedy.binary_linear,
    kinds.REAL: greedy.real_linear,
}


def greedy_oracle(matroid: Matroid) -> tuple[LinearKernel, Data] | None:
    """Kernel that finds the heaviest basis of a matroid, and the eight arrays it takes; None for oracle matroids.

    The last array has the kind of the matroid, by which `index_search` finds its exchanges, and the roles of the items; empty
    over the reals.
    """
    found = packed(matroid)
    if found is None:
        return None
    kind, arrays = found
    data = _filled(*arrays)
    if kind == kinds.REAL:
        return greedy.real_linear, data
    return _KERNELS[kind], (*data[:7], np.concatenate(([kind], roles(kind, arrays, matroid.d))))


def intersection_oracle(m1: Matroid, m2: Matroid, size: int) -> tuple[LinearKernel, Data] | None:
    """Kernel that finds the heaviest common independent set of `size` items, and the eight arrays it takes.

    The last array has the kind INTERSECTION and the roles of the items. None for oracle matroids, and for linear matroids over
    the reals: their exchanges are found with LAPACK, and other arithmetic could decide otherwise.
    """
    first, second = packed(m1), packed(m2)
    if first is None or second is None or kinds.REAL in (first[0], second[0]):
        return None
    sizes = np.array([first[0], second[0], size])
    kernel = partitions_linear if first[0] == second[0] == kinds.PARTITION else intersection_linear
    both = np.column_stack((roles(*first, m1.d), roles(*second, m2.d)))
    return kernel, (sizes, *first[1], *second[1], np.concatenate(([kinds.INTERSECTION], _numbered(both))))


def roles(kind: int, arrays: tuple[IntArray, IntArray, IntArray], d: int) -> IntArray:
    """A number for each item, shape (d,): items of the same number may be exchanged in every basis.

    These are all items of a uniform matroid, those of a group or of an innermost set, parallel edges, items that may serve the
    same places, and equal vectors.
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
    """Number of each row, equal for equal ones."""
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _filled(*arrays: IntArray) -> Data:
    """Eight int64 arrays: `arrays`, then empty ones."""
    return tuple(arrays) + tuple(np.empty(0, dtype=np.int64) for _ in range(8 - len(arrays)))
