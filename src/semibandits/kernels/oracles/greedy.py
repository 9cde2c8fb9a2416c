"""P_LM for bases of matroids: greedy scans from the heaviest item to the lightest; ties are broken by the smaller index.

The first three arrays of the data are those of a packed matroid, see ``kernels/oracles/kinds.py``.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import stable_order, write
from semibandits.kernels.graphs.forests import forest_greedy
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.matroids.elimination import binary_greedy, real_greedy
from semibandits.kernels.matroids.laminar import laminar_greedy
from semibandits.kernels.matroids.transversal import transversal_greedy
from semibandits.kernels.matroids.uniform import partition_greedy
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.search.selection import select_into


@kernel
def descending(weights: FloatArray) -> IntArray:
    """Items from the heaviest to the lightest; ties are broken by the smaller index."""
    return stable_order(-weights)


@kernel
def uniform_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """The m heaviest items; data: (m,)."""
    select_into(weights, data[0][0], x)
    return ANSWERED


@kernel
def partition_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest basis of a partition matroid; data: group of each item, capacity of each group."""
    write(x, partition_greedy(data[0], data[1], descending(weights)))
    return ANSWERED


@kernel
def laminar_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest basis of a laminar matroid; data: innermost set of each item, set above each set, capacities."""
    write(x, laminar_greedy(data[0], data[1], data[2], descending(weights)))
    return ANSWERED


@kernel
def forest_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest spanning forest; data: tails, heads, number of nodes."""
    write(x, forest_greedy(data[2][0], data[0], data[1], descending(weights)))
    return ANSWERED


@kernel
def transversal_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest basis of a transversal matroid; data: start of each item's places, places, number of places."""
    write(x, transversal_greedy(data[2][0], data[0], data[1], descending(weights)))
    return ANSWERED


@kernel
def binary_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest basis over the field of two elements; data: packed words, (d, words of an item)."""
    vectors = data[0].view(np.uint64).reshape(data[1][0], data[1][1])
    write(x, binary_greedy(vectors, descending(weights)))
    return ANSWERED


@kernel
def real_linear(data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray) -> int:
    """Heaviest basis over the reals; data: bits of the unit vectors, (d, coordinates), bits of the tolerance."""
    vectors = data[0].view(np.float64).reshape(data[1][0], data[1][1])
    write(x, real_greedy(vectors, descending(weights), data[2].view(np.float64)[0]))
    return ANSWERED
