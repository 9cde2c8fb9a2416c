"""Representation of matroids for kernels: a kind and three arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from semibandits._typing import IntArray
from semibandits.kernels.oracles import kinds
from semibandits.matroids.base import Matroid
from semibandits.matroids.graphic import Graphic
from semibandits.matroids.laminar import Laminar
from semibandits.matroids.linear import Linear
from semibandits.matroids.partition import Partition
from semibandits.matroids.transversal import Transversal
from semibandits.matroids.uniform import Uniform

Arrays: TypeAlias = tuple[IntArray, IntArray, IntArray]


def packed(matroid: Matroid) -> tuple[int, Arrays] | None:
    """Kind of a built-in matroid and its arrays (C-contiguous copies, int64), as described in ``kernels/oracles/kinds.py``; None
    for matroids that call Python code, including subclasses of built-in ones.
    """
    if type(matroid) not in (Uniform, Partition, Laminar, Graphic, Transversal, Linear):
        return None
    match matroid:
        case Uniform():
            return kinds.UNIFORM, _arrays(np.array([matroid.rank]))
        case Partition():
            return kinds.PARTITION, _arrays(matroid._group, matroid._capacity)
        case Laminar():
            return kinds.LAMINAR, _arrays(matroid._innermost, matroid._above, matroid._capacity)
        case Graphic():
            return kinds.GRAPHIC, _arrays(matroid._tails, matroid._heads, np.array([matroid.edges.n_nodes]))
        case Transversal():
            return kinds.TRANSVERSAL, _arrays(matroid._start, matroid._places, np.array([matroid._n_places]))
        case Linear():
            if matroid._field == 2:
                return kinds.BINARY, _arrays(matroid._words, np.array(matroid._words.shape))
            shape, tolerance = np.array(matroid._vectors.shape), np.array([matroid._tolerance])
            return kinds.REAL, _arrays(matroid._vectors, shape, tolerance)
    return None


def _arrays(*parts: np.ndarray) -> Arrays:
    """Three one-dimensional int64 arrays: copies of the bits of `parts`, then empty arrays."""
    bits = [np.array(part, order="C").reshape(-1).view(np.int64) for part in parts]
    first, second, third = (*bits, *(np.empty(0, dtype=np.int64) for _ in range(3 - len(bits))))
    return first, second, third
