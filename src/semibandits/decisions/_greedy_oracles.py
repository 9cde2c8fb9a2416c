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

    The last array is the kind of the matroid, by which `index_search` finds its exchanges; empty over the reals.
    """
    found = packed(matroid)
    if found is None:
        return None
    kind, arrays = found
    data = _filled(*arrays)
    if kind == kinds.REAL:
        return greedy.real_linear, data
    return _KERNELS[kind], (*data[:7], np.array([kind]))


def intersection_oracle(m1: Matroid, m2: Matroid, size: int) -> tuple[LinearKernel, Data] | None:
    """Kernel that finds the heaviest common independent set of `size` items, and the eight arrays it takes.

    The last array is the kind INTERSECTION. None for oracle matroids, and for linear matroids over the reals: their exchanges are
    found with LAPACK, and other arithmetic could decide otherwise.
    """
    first, second = packed(m1), packed(m2)
    if first is None or second is None or kinds.REAL in (first[0], second[0]):
        return None
    sizes = np.array([first[0], second[0], size])
    kernel = partitions_linear if first[0] == second[0] == kinds.PARTITION else intersection_linear
    return kernel, (sizes, *first[1], *second[1], np.array([kinds.INTERSECTION]))


def _filled(*arrays: IntArray) -> Data:
    """Eight int64 arrays: `arrays`, then empty ones."""
    return tuple(arrays) + tuple(np.empty(0, dtype=np.int64) for _ in range(8 - len(arrays)))
