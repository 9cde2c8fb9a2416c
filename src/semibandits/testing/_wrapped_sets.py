"""Wrapped decision sets: without kernels, or with items in another order."""

from __future__ import annotations

from collections.abc import Hashable
from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.inputs.validation import item_vector


@final
class Relabelled(DecisionSet):
    """Another decision set with its items in another order, without kernels, as a user's own set.

    `order` is a permutation: item i is item ``order[i]`` of `inner`. With 0 .. d - 1, results are those of `inner`, ties
    included.
    """

    def __init__(self, inner: DecisionSet, order: IntArray) -> None:
        self._inner = inner
        self._order = np.array(order, dtype=np.int64)
        self._order.setflags(write=False)
        self._back = np.argsort(self._order)

    @property
    def d(self) -> int:
        """Number of items."""
        return self._inner.d

    @property
    def m(self) -> int:
        """Number of items in the largest decision."""
        return self._inner.m

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in the new order."""
        return tuple(self._inner.items[i] for i in self._order)

    @property
    def upper(self) -> FloatArray | None:
        """Upper bounds of the inner set, in the new order."""
        return None if self._inner.upper is None else self._inner.upper[self._order]

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Decision of largest total weight, by the inner set."""
        return self._forth(self._inner.maximize(item_vector(weights, self.d, "weights")[self._back]))

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        return self._forth(self._inner.maximize_index(rewards[self._back], bonuses[self._back], ratio))

    def index_of(self, rewards: FloatArray, bonuses: FloatArray, x: BoolArray) -> float:
        """Index of a decision, in the inner set."""
        return self._inner.index_of(rewards[self._back], bonuses[self._back], x[self._back])

    def _contains(self, x: BoolArray) -> bool:
        return x[self._back] in self._inner

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of decisions, as the inner set counts them."""
        return self._inner.count(limit)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions, one per row, in the order of the inner set."""
        return np.array(self._inner.enumerate(limit)[:, self._order])

    def _forth(self, x: BoolArray) -> BoolArray:
        return np.array(x[self._order])


def in_python(decision_set: DecisionSet) -> Relabelled:
    """The same decision set without kernels."""
    return Relabelled(decision_set, np.arange(decision_set.d))
