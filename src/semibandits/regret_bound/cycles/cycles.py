"""Collections of cycles as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.lists import rows_of
from semibandits.kernels.graphs.cycles import arc_totals, cycle_sums, select_cycles


@dataclass(frozen=True, eq=False)
class Cycles:
    """Cycles of a graph: cycle k uses the arcs ``arcs[ptr[k]:ptr[k + 1]]``, in any order."""

    ptr: IntArray
    arcs: IntArray

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @staticmethod
    def empty() -> Cycles:
        """No cycles."""
        return Cycles(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64))

    @staticmethod
    def joined(families: Iterable[Cycles]) -> Cycles:
        """All cycles of several collections."""
        some = [family for family in families if len(family)]
        if len(some) < 2:
            return some[0] if some else Cycles.empty()
        offsets = np.cumsum([0] + [len(family.arcs) for family in some])
        ptr = [family.ptr[:-1] + offset for family, offset in zip(some, offsets[:-1], strict=True)]
        return Cycles(np.concatenate([*ptr, offsets[-1:]]), np.concatenate([family.arcs for family in some]))

    def __getitem__(self, k: int) -> IntArray:
        return self.arcs[self.ptr[k] : self.ptr[k + 1]]

    @cached_property
    def rows(self) -> IntArray:
        """Number of the cycle that each entry of `arcs` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.ptr))

    def select(self, mask: BoolArray) -> Cycles:
        """The cycles where `mask` is True."""
        return Cycles(*select_cycles(self.ptr, self.arcs, mask))

    def taken(self, order: IntArray) -> Cycles:
        """The cycles with these numbers, in this order."""
        return Cycles(*rows_of(self.ptr, self.arcs, order))

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of arc values over each cycle."""
        writable = values if values.flags.writeable else values.copy()  # costs of exchange graphs are not
        return cycle_sums(self.ptr, self.arcs, writable)

    def totals(self, per_cycle: FloatArray, n_arcs: int) -> FloatArray:
        """Sum of cycle values over the cycles through each arc."""
        return arc_totals(self.ptr, self.arcs, per_cycle, n_arcs)


class CyclePool:
    """Distinct cycles of the master problem, with their squared gaps and the prices of their cheapest raises."""

    def __init__(self, costs: FloatArray) -> None:
        self._costs = costs
        # The key of a cycle is the sum of random marks of its arcs. A collision of 64-bit keys is practically impossible, and
        # would only lose a cut.
        self._marks = np.random.default_rng(0).integers(1, 2**62, len(costs))
        self._known: set[int] = set()
        self._keys = np.empty(0, dtype=np.int64)
        self.cycles = Cycles.empty()
        self.squared_gaps = np.empty(0)
        self.prices = np.empty(0)

    def __len__(self) -> int:
        return len(self.cycles)

    def add(self, cycles: Cycles) -> Cycles:
        """Add the new cycles, and return them."""
        if not len(cycles):
            return cycles
        keys = self._keys_of(cycles)
        new = np.zeros(len(cycles), dtype=np.bool_)
        for k, key in enumerate(keys.tolist()):
            if key not in self._known:
                self._known.add(key)
                new[k] = True
        fresh = cycles.select(new)
        self._keys = np.concatenate((self._keys, keys[new]))
        self.cycles = Cycles.joined((self.cycles, fresh))
        self.squared_gaps = np.concatenate((self.squared_gaps, fresh.sums(self._costs) ** 2))
        self.prices = np.concatenate((self.prices, np.zeros(len(fresh))))
        return fresh

    def carried(self, cycles: Cycles, values: FloatArray) -> FloatArray:
        """Values of the given cycles in the order of the pool; 0 for all other cycles of the pool."""
        place = {key: k for k, key in enumerate(self._keys.tolist())}
        carried = np.zeros(len(self))
        for key, value in zip(self._keys_of(cycles).tolist(), values.tolist(), strict=True):
            if key in place:
                carried[place[key]] = value
        return carried

    def _keys_of(self, cycles: Cycles) -> IntArray:
        return np.add.reduceat(self._marks[cycles.arcs], cycles.ptr[:-1])

    def keep(self, mask: BoolArray) -> None:
        """Remove the cycles where `mask` is False."""
        self._known.difference_update(self._keys[~mask].tolist())
        self._keys = self._keys[mask]
        self.cycles = self.cycles.select(mask)
        self.squared_gaps, self.prices = self.squared_gaps[mask], self.prices[mask]


def renumbered(tails: IntArray, heads: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The nodes at which arcs end, ascending, and the ends of the arcs as positions among them."""
    nodes, ends = np.unique(np.concatenate((tails, heads)), return_inverse=True)
    return nodes, ends[: len(tails)], ends[len(tails) :]


def strong_components(n: int, tails: IntArray, heads: IntArray) -> IntArray:
    """Strongly connected component of each of n nodes, numbered from 0."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    arcs = coo_array((np.ones(len(tails)), (tails, heads)), shape=(n, n))  # parallel arcs add up
    return np.asarray(connected_components(arcs, connection="strong")[1], dtype=np.int64)
