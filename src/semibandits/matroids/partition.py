"""Partition matroids: capacities on disjoint groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import comb, prod
from typing import final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.outcomes import whole_number
from semibandits.kernels.matroids.uniform import partition_exchanges, partition_greedy, partition_lightest
from semibandits.matroids._checks import as_indices, as_labels
from semibandits.matroids.base import Matroid
from semibandits.matroids.counts import binomial_steps


@final
class Partition(Matroid):
    """Sets that respect the capacity of each group of items.

    Parameters
    ----------
    groups : sequence of hashable
        ``groups[i]`` is the group of item i.
    capacities : int or mapping from group to int
        Maximum number of items of a group, >= 0. A mapping must contain every group that occurs; others are ignored.

    Raises
    ------
    InvalidInputError
        If a group is not a valid label, or a capacity is missing, negative or not an integer.

    See Also
    --------
    semibandits.matroids.quotas : The same with a limit on the number of items in all.

    Examples
    --------
    At most one of two articles about news, and at most two of three about sport:

    >>> page = sb.matroids.Partition(["news", "news", "sport", "sport", "sport"], {"news": 1, "sport": 2})
    >>> page.rank, page.count_bases()
    (3, 6)
    >>> page.is_independent(np.array([0, 1]))  # both are news
    False
    >>> sb.MatroidBases(page).maximize([0.9, 0.8, 0.1, 0.3, 0.2]).tolist()
    [True, False, False, True, True]
    """

    @hinted
    def __init__(self, groups: Iterable[Hashable], capacities: int | Mapping[Hashable, int]) -> None:
        labels = as_labels(groups, "groups")
        code: dict[Hashable, int] = {}
        self._group = np.array([code.setdefault(label, len(code)) for label in labels], dtype=np.int64)
        limits = [_capacity_of(group, capacities) for group in code]
        self._sizes = np.bincount(self._group, minlength=len(code))
        self._capacity = np.array([min(limit, len(labels)) for limit in limits], dtype=np.int64)

    def __repr__(self) -> str:
        return f"Partition(d={self.d}, groups={len(self._capacity)})"

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self._group)

    @property
    def groups(self) -> IntArray:
        """Group number of each item, shape (d,): groups are numbered from 0 in the order of their first item."""
        return self._group.copy()

    @property
    def capacities(self) -> IntArray:
        """Maximum number of items of each group, shape (number of groups,), at most d."""
        return self._capacity.copy()

    def is_independent(self, indices: IntArray) -> bool:
        """Whether no group has more items in `indices` than its capacity."""
        counts = np.bincount(self._group[as_indices(indices, self.d)], minlength=len(self._capacity))
        return bool((counts <= self._capacity).all())

    def greedy(self, order: IntArray) -> BoolArray:
        """Scan `order` and keep each item whose group is below capacity; bool, shape (d,)."""
        return partition_greedy(self._group, self._capacity, as_indices(order, self.d, "order"))

    def exchanges(self, members: IntArray) -> tuple[BoolArray, BoolArray]:
        """Ways to change an independent set by one item; see :meth:`Matroid.exchanges`."""
        return partition_exchanges(self._group, self._capacity, as_indices(members, self.d, "members"))

    def lightest_partners(self, members: IntArray, weights: FloatArray) -> IntArray:
        """Lightest member of each full group, for its other items; see :meth:`Matroid.lightest_partners`."""
        return partition_lightest(self._group, self._capacity, as_indices(members, self.d, "members"), weights)

    def count_bases(self) -> int:
        """Number of bases: the product over groups of (size choose capacity)."""
        return prod(comb(n, min(n, c)) for n, c in zip(self._sizes.tolist(), self._capacity.tolist(), strict=True))

    def count_bases_within(self, work: int) -> int | None:
        """Number of bases; None if it takes more than about `work` elementary steps."""
        product = len(self._sizes) * (1 + self.d // 30)  # one factor per group, up to d bits in total
        steps = product + sum(map(binomial_steps, self._sizes.tolist(), np.minimum(self._sizes, self._capacity).tolist()))
        return self.count_bases() if steps <= work else None


def _capacity_of(group: Hashable, capacities: int | Mapping[Hashable, int]) -> int:
    if not isinstance(capacities, Mapping):
        return whole_number(capacities, "capacities", remedy="pass one integer for all groups or a mapping from group to integer")
    if group not in capacities:
        raise InvalidInputError(
            f"capacities must contain every group, got none for {group!r}: add capacities[{group!r}] (0 excludes its items)"
        )
    return whole_number(capacities[group], f"the capacity of group {group!r}", remedy="pass the maximum number of its items")
