"""m-sets: any m of d items."""

from __future__ import annotations

from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray
from semibandits._validation import item_vector
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.kernels.selection import select_largest
from semibandits.matroids import Uniform


@final
class MSets(MatroidDecisions):
    """All sets of exactly `m` of `d` items.

    Parameters
    ----------
    d : int
        Number of items, >= 1.
    m : int
        Number of items in a decision, 0 <= m <= d.

    Raises
    ------
    InvalidInputError
        If `d` or `m` is no such integer.
    """

    def __init__(self, d: int, m: int) -> None:
        super().__init__(Uniform(d, m))

    def __repr__(self) -> str:
        return f"MSets(d={self._d}, m={self._m})"

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """The m items of largest weight; of equal ones those with the smaller index.

        Raises
        ------
        InvalidInputError
            If `weights` has the wrong shape or holds NaN or infinity.
        """
        return select_largest(item_vector(weights, self._d, "weights"), self._m)

    def _contains(self, x: BoolArray) -> bool:
        return int(np.count_nonzero(x)) == self._m
