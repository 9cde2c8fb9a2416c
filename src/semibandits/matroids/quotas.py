"""Quotas: capacities of disjoint groups, and of all items together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from semibandits.errors import InvalidInputError, Option
from semibandits.matroids.laminar import Laminar
from semibandits.matroids.partition import Partition


def quotas(groups: Iterable[Hashable], capacities: int | Mapping[Hashable, int], size: int | None = None) -> Partition | Laminar:
    """Sets that respect the capacity of each group of items, with at most `size` items in all.

    Parameters
    ----------
    groups : sequence of hashable
        ``groups[i]`` is the group of item i.
    capacities : int or mapping from group to int
        Maximum number of items of a group, >= 0. A mapping must contain every group that occurs; others are ignored.
    size : int, optional
        Maximum number of items in all, and so the number of items in a basis; by default as many as the capacities allow.

    Returns
    -------
    Partition or Laminar
        A :class:`Partition` if `size` restricts nothing or there is one group, else a :class:`Laminar` matroid, whose first
        set contains all items.

    Raises
    ------
    InvalidInputError
        If a group is not a valid label, a capacity is missing, negative or not an integer, or `size` is not an integer from 0 to
        the number of items that the capacities allow.

    Examples
    --------
    At most two articles of each section, and three in all:

    >>> limits = sb.matroids.quotas(["news", "news", "news", "sport", "sport"], 2, size=3)
    >>> limits.d, limits.rank, limits.count_bases()
    (5, 3, 9)
    >>> sb.MatroidBases(limits).maximize([0.9, 0.8, 0.7, 0.2, 0.1]).tolist()
    [True, True, False, True, False]
    """
    partition = Partition(groups, capacities)
    if size is None:
        return partition
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise InvalidInputError(Option("size"), f" must be an integer, got {size!r}: pass the number of items in all")
    if not 0 <= size <= partition.rank:
        raise InvalidInputError(
            Option("size"),
            f" must be at most {partition.rank}, the number of items that the capacities allow, and at least 0, got {size}: "
            "change it, or raise the capacities",
        )
    if size == partition.rank:
        return partition
    numbers, limits = partition.groups, partition.capacities.tolist()
    if len(limits) == 1:  # the group would be the same set as all items
        return Partition(numbers.tolist(), int(size))
    sets = np.split(np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1])
    return Laminar([range(partition.d), *(items.tolist() for items in sets)], [int(size), *limits], d=partition.d)
