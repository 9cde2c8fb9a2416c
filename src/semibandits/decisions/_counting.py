"""Formulas for the number of common independent sets of two matroids."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb, prod
from typing import Final

import numpy as np

from semibandits.matroids import Graphic, Matroid, Partition
from semibandits.matroids._matrix_tree import UNLIMITED, count_arborescences

MOST_STEPS: Final = 2_000_000
"""Maximum number of additions for counting within quotas, about two seconds."""
STEPS_AN_ADDITION: Final = 400
"""Elementary steps, the unit of `work`, that one such addition in Python takes."""


def count_common(m1: Matroid, m2: Matroid, size: int, work: int = UNLIMITED) -> int | None:
    """Exact number of common independent sets of `size` items; None if it takes more than about `work` elementary steps or no
    formula is known. There are formulas for two partition matroids, of which one has few groups, and for arborescences (spanning
    trees directed away from a root).
    """
    if isinstance(m1, Partition) and isinstance(m2, Partition):
        first, second = sorted((m1, m2), key=lambda matroid: _states(matroid, size), reverse=True)
        return count_within_quotas(first, second, size, min(MOST_STEPS, work // STEPS_AN_ADDITION))
    for graphic, heads in ((m1, m2), (m2, m1)):
        if isinstance(graphic, Graphic) and isinstance(heads, Partition):
            root = root_of(graphic, heads, size)
            if root is not None:
                edges = graphic.edges
                return count_arborescences(edges.n_nodes, edges.tails, edges.heads, root, work)
    return None


def root_of(graphic: Graphic, heads: Partition, size: int) -> int | None:
    """Number of the root if the common independent sets are arborescences, else None.

    They are if the partition groups the edges by head, all capacities are one, and exactly one node, the root, is not a head.
    """
    edges, groups = graphic.edges, heads.groups
    roots = np.setdiff1d(np.arange(edges.n_nodes), edges.heads)
    pairs = {(int(group), int(head)) for group, head in zip(groups, edges.heads, strict=True)}
    alike = len(pairs) == len(heads.capacities) == edges.n_nodes - 1
    if not alike or len(roots) != 1 or (heads.capacities != 1).any() or size != edges.n_nodes - 1:
        return None
    return int(roots[0])


def count_within_quotas(first: Partition, second: Partition, size: int, most: int = MOST_STEPS) -> int | None:
    """Number of sets of `size` items that respect the capacities of two partitions; None if it takes more than `most` additions.
    Pass the partition with more groups first.

    Dynamic programme over the groups of the first partition. Its state is the number of items in each group of the second: it
    multiplies polynomials with one variable for each of these groups, whose coefficients are counts.
    """
    if _states(second, size) ** 2 * len(first.capacities) > most:
        return None
    limits = [min(limit, size) for limit in second.capacities.tolist()]
    cells = np.zeros((len(first.capacities), len(limits)), dtype=np.int64)
    np.add.at(cells, (first.groups, second.groups), 1)
    ways: Counter[tuple[int, ...]] = Counter({(0,) * len(limits): 1})
    for available, quota in zip(cells.tolist(), first.capacities.tolist(), strict=True):
        ways = _with_group(ways, available, quota, limits, size)
    return sum(number for filled, number in ways.items() if sum(filled) == size)


def _with_group(
    ways: Counter[tuple[int, ...]], available: list[int], quota: int, limits: list[int], size: int
) -> Counter[tuple[int, ...]]:
    """Counts after adding a group with `available` items in each group of the other partition and capacity `quota`."""
    ranges = [range(min(n, limit, quota) + 1) for n, limit in zip(available, limits, strict=True)]
    added = {taken: prod(map(comb, available, taken)) for taken in product(*ranges) if sum(taken) <= quota}
    longer: Counter[tuple[int, ...]] = Counter()
    for filled, number in ways.items():
        for taken, more in added.items():
            total = tuple(map(int.__add__, filled, taken))
            if sum(total) <= size and all(map(int.__le__, total, limits)):
                longer[total] += number * more
    return longer


def _states(matroid: Partition, size: int) -> int:
    """Number of states of its groups, each filled with 0 items up to its capacity."""
    return prod(min(limit, size) + 1 for limit in matroid.capacities.tolist())
