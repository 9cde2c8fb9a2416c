"""Transversal matroids: items that can be assigned to different places."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import final

import numpy as np

from semibandits._typing import BoolArray, IntArray
from semibandits.kernels.matroids.transversal import transversal_exchanges, transversal_greedy
from semibandits.matroids._checks import as_collections, as_indices, as_labels
from semibandits.matroids.base import Matroid


@final
class Transversal(Matroid):
    """Sets of items that can be assigned to different places.

    Parameters
    ----------
    sets : sequence of collections of hashable
        ``sets[i]`` contains the places that item i can serve; an item without places is a loop.

    Raises
    ------
    InvalidInputError
        If an entry of `sets` is not a collection of labels.

    Notes
    -----
    These sets form a matroid (Edmonds and Fulkerson 1965). Independence is tested by augmenting paths.

    Examples
    --------
    Couriers 0 and 1 know only the north of the city, courier 2 both districts. Each district takes one courier:

    >>> couriers = sb.matroids.Transversal([["north"], ["north"], ["north", "south"]])
    >>> couriers.is_independent(np.array([0, 1])), couriers.is_independent(np.array([0, 2]))
    (False, True)
    >>> sb.MatroidBases(couriers).maximize([0.3, 0.8, 0.5]).tolist()
    [False, True, True]
    """

    def __init__(self, sets: Sequence[Iterable[Hashable]]) -> None:
        code: dict[Hashable, int] = {}
        served = [[code.setdefault(place, len(code)) for place in places] for places in _read_sets(sets)]
        self._start = np.cumsum([0, *map(len, served)], dtype=np.int64)
        self._places = np.array([p for places in served for p in places], dtype=np.int64)
        self._n_places = len(code)

    def __repr__(self) -> str:
        return f"Transversal(d={self.d}, places={self._n_places})"

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self._start) - 1

    def is_independent(self, indices: IntArray) -> bool:
        """Whether the items `indices` can be assigned to different places."""
        indices = as_indices(indices, self.d)
        return bool(transversal_greedy(self._n_places, self._start, self._places, indices)[indices].all())

    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` and keep each item for which a place can be found or freed; bool, shape (d,)."""
        return transversal_greedy(self._n_places, self._start, self._places, as_indices(order, self.d, "order"))

    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set by one item; see :meth:`Matroid.exchanges`."""
        members = as_indices(members, self.d, "members")
        return transversal_exchanges(self._n_places, self._start, self._places, members)

    @property
    def exchange_steps(self) -> int:
        """Approximate number of elementary steps for `greedy` and `exchanges`: each item searches all alternating paths."""
        return self.d * (self._n_places + len(self._places))


def _read_sets(sets: Sequence[Iterable[Hashable]]) -> list[list[Hashable]]:
    collections = as_collections(sets, "places", "[['a'], ['a', 'b']]")
    return [list(dict.fromkeys(as_labels(places, f"sets[{i}]"))) for i, places in enumerate(collections)]
