"""What every matroid offers to the decision sets built on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable

import numpy as np

from semibandits._typing import BoolArray, IntArray


class Matroid(ABC):
    """A matroid on the items 0 .. d - 1. Immutable."""

    @property
    @abstractmethod
    def d(self) -> int:
        """Number of items."""

    @property
    def rank(self) -> int:
        """Size of a basis."""
        return int(self.greedy(np.arange(self.d, dtype=np.int64)).sum())

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in order."""
        return tuple(range(self.d))

    @abstractmethod
    def is_independent(self, indices: IntArray) -> bool:
        """Whether the items `indices` (distinct) are independent."""

    @abstractmethod
    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` (distinct items, maybe not all) and keep each item that stays independent; bool, shape (d,)."""

    @abstractmethod
    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set S by one item.

        Parameters
        ----------
        members : ndarray of int, shape (k,)
            The items of S, distinct and independent.

        Returns
        -------
        free : ndarray of bool, shape (d,)
            ``free[z]``: z is not in S and S + z is independent.
        swaps : ndarray of bool, shape (k, d)
            ``swaps[a, z]``: z is not in S and S - members[a] + z is independent (all True in column z if ``free[z]``;
            all False for a loop and for z in S).
        """
