"""Lists of decisions that take memory for their items only, not for every item of the set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.tables import check_lists, check_table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROWS: Final = 256
"""Number of dense rows that are read at a time: a product with a large boolean matrix makes a copy eight times its size."""
LISTED: Final = 40
"""Bytes of an item in a list of Python: a number and a pointer to it."""
CANCELLED: Final = 1e-3
"""Share of a sum that is left of it after a subtraction, below which it is computed anew."""


@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """A sequence of decisions, each stored as its difference from a base and read as its items.

    Row k consists of the items that are either in `base` or in ``changed[ptr[k]:ptr[k + 1]]``, not in both. Decisions near the
    best one take a few numbers each, however many items they have.
    """

    d: int
    base: IntArray  # items, ascending; it may be empty
    ptr: IntArray  # (number of rows + 1,)
    changed: IntArray  # items, ascending within each row

    def __post_init__(self) -> None:
        for array in (self.base, self.ptr, self.changed):
            array.setflags(write=False)

    # ------------------------------------------------------------------ creation

    @staticmethod
    def empty(d: int) -> Decisions:
        """No decisions over d items."""
        return Decisions(d, np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64))

    @staticmethod
    def of_rows(rows: BoolArray, base: BoolArray | None = None) -> Decisions:
        """Decisions given as boolean rows, shape (k, d)."""
        count, d = rows.shape
        zero = np.zeros(d, dtype=np.bool_) if base is None else base
        parts = [np.empty(0, dtype=np.int64)]
        sizes = np.zeros(count + 1, dtype=np.int64)
        for start in range(0, count, ROWS):
            row, item = np.nonzero(rows[start : start + ROWS] != zero)
            parts.append(item)
            sizes[start + 1 : start + ROWS + 1] = np.bincount(row, minlength=min(ROWS, count - start))
        return Decisions(d, np.flatnonzero(zero), np.cumsum(sizes), np.concatenate(parts))

    @staticmethod
    def of_lists(d: int, lists: Iterable[IntArray], base: BoolArray | None = None) -> Decisions:
        """Decisions given by their distinct items, in any order."""
        zero = np.zeros(d, dtype=np.bool_) if base is None else base
        kept = np.flatnonzero(zero)
        parts, ptr = [np.empty(0, dtype=np.int64)], [0]
        for items in lists:
            parts.append(np.setxor1d(kept, items, assume_unique=True).astype(np.int64))
            ptr.append(ptr[-1] + len(parts[-1]))
        return Decisions(d, kept, np.array(ptr), np.concatenate(parts))

    # ------------------------------------------------------------------ reading

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __repr__(self) -> str:
        return f"Decisions({len(self)} decisions, d={self.d})"

    @overload
    def __getitem__(self, k: int) -> IntArray: ...

    @overload
    def __getitem__(self, k: slice) -> Decisions: ...

    def __getitem__(self, k: int | slice) -> IntArray | Decisions:
        """Items of row k, ascending, or a list of some rows."""
        which = range(len(self))[k]
        if isinstance(which, range):
            return self.select(np.array(which, dtype=np.int64))
        return np.setxor1d(self.base, self.changes(which), assume_unique=True)

    def __iter__(self) -> Iterator[IntArray]:
        return (self[k] for k in range(len(self)))

    def changes(self, k: int) -> IntArray:
        """Items that row k adds to the base or removes from it."""
        return self.changed[self.ptr[k] : self.ptr[k + 1]]

    def mask(self, k: int) -> BoolArray:
        """Row k as a boolean array, shape (d,)."""
        row = self.base_mask
        row[self.changes(k)] ^= True
        return row

    def masks(self, stop: int | None = None) -> Iterator[BoolArray]:
        """The rows up to `stop` as boolean arrays, one at a time."""
        return (self.mask(k) for k in range(len(self) if stop is None else min(stop, len(self))))

    @property
    def base_mask(self) -> BoolArray:
        """The base as a boolean array, shape (d,)."""
        row = np.zeros(self.d, dtype=np.bool_)
        row[self.base] = True
        return row

    @property
    def rows(self) -> IntArray:
        """Row that each entry of `changed` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.ptr))

    @property
    def signs(self) -> FloatArray:
        """1 for each entry of `changed` that adds an item, -1 for each that removes one."""
        return np.where(self.base_mask[self.changed], -1.0, 1.0)

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum of item values over the changes of each row: what it has more than the base, shape (k,)."""
        return np.bincount(self.rows, self.signs * values[self.changed], len(self)).astype(np.float64)

    def totals(self, per_row: FloatArray) -> FloatArray:
        """Sum of row values over the rows with each item, shape (d,)."""
        rows = self.rows
        totals = np.bincount(self.changed, per_row[rows], self.d).astype(np.float64)
        whole = float(per_row.sum())
        totals[self.base] = whole - totals[self.base]
        # Where nearly all is removed, the difference has lost digits. There are few such items: a row removes few.
        for item in self.base[totals[self.base] < CANCELLED * whole]:
            keeps = np.ones(len(self), dtype=np.bool_)
            keeps[rows[self.changed == item]] = False
            totals[item] = per_row[keeps].sum()
        return totals

    # ------------------------------------------------------------------ other lists

    def select(self, which: IntArray | BoolArray) -> Decisions:
        """The rows with these numbers, in this order, or those where a mask is True."""
        numbers: IntArray = np.flatnonzero(which) if which.dtype == np.bool_ else which.astype(np.int64)
        return Decisions(self.d, self.base, *rows_of(self.ptr, self.changed, numbers))

    def on(self, base: BoolArray) -> Decisions:
        """The same rows as differences from another base."""
        same = np.array_equal(np.flatnonzero(base), self.base)
        return self if same else Decisions.of_lists(self.d, self, base)

    def firsts(self) -> IntArray:
        """For each row, the number of the first row that is equal to it."""
        known: dict[bytes, int] = {}
        changed, ptr = self.changed, self.ptr.tolist()
        return np.array([known.setdefault(changed[ptr[k] : ptr[k + 1]].tobytes(), k) for k in range(len(self))], dtype=np.int64)

    def dense(self, *, remedy: str = "leave items out") -> BoolArray:
        """All rows as a boolean array, shape (k, d); `TooManyDecisionsError` if it does not fit into memory."""
        check_table(len(self), self.d, remedy=remedy)
        rows = np.tile(self.base_mask, (len(self), 1))
        rows[self.rows, self.changed] ^= True
        return rows

    def sizes(self) -> IntArray:
        """Number of items of each row, shape (k,)."""
        return len(self.base) + np.bincount(self.rows, self.signs, minlength=len(self)).astype(np.int64)

    def check_listing(self, lists: int = 1) -> None:
        """Check that `lists` Python lists with the items of every row fit into memory; `TooManyDecisionsError` if they do not."""
        remedy = "read a few decisions at a time from plan.items, or use plan.to_csr()"
        check_lists(len(self), int(self.sizes().sum()), lists * LISTED, remedy=remedy)

    def to_csr(self) -> csr_array:
        """All rows as a sparse array of booleans, shape (k, d); `TooManyDecisionsError` if their items do not fit into memory."""
        from scipy.sparse import csr_array

        sizes = self.sizes()
        check_lists(len(self), int(sizes.sum()), 9, remedy="read a few decisions at a time from plan.items")
        indices = np.concatenate([np.empty(0, dtype=np.int64), *self])
        ptr = np.concatenate(([0], np.cumsum(sizes)))
        return csr_array((np.ones(len(indices), dtype=np.bool_), indices, ptr), shape=(len(self), self.d))


def rows_of(ptr: IntArray, values: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """The rows ``values[ptr[k]:ptr[k + 1]]`` with these numbers, in this order, as such arrays."""
    sizes = np.diff(ptr)[numbers]
    begin = np.concatenate(([0], np.cumsum(sizes)))
    return begin, values[np.arange(begin[-1]) + np.repeat(ptr[numbers] - begin[:-1], sizes)]
