"""Features of items from round to round: which ones hold in the next round, and with which ones rewards were observed."""

from __future__ import annotations

from typing import Any

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.features.design import Design, RoundFeatures, finite
from semibandits.features.model import Within


class Rows:
    """Features of the next round and of open rounds, and what observed rewards say if they had other features than usual.

    Rewards of an item count as observed with the mean of its features, which is exact for what its rest says; what differs from
    this mean is in `within`, which is exact for the effects, if means are linear in these.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.next: FloatArray | None = None  # in the round that is chosen next, shape (d, k); None if those of the design
        self.open: dict[int, FloatArray] = {}  # by round, of its items, where they are not those of the design
        # Mean of those with which each item was observed, shape (d, k), and what differences tell; None if there are none.
        self.typical: FloatArray = design.matrix
        self.within: Within | None = None

    @property
    def now(self) -> FloatArray:
        """Features in the round that is chosen next, shape (d, k)."""
        return self.design.matrix if self.next is None else self.next

    @property
    def moves(self) -> bool:
        """Whether rewards of the next round may have other features than those that were observed."""
        return self.next is not None or self.within is not None

    def begin(self, seen: RoundFeatures | None) -> None:
        """Choose the next rounds with this knowledge of them."""
        self.next = None if seen is None else self.design.rows(seen)

    def enter(self, round_id: int, items: IntArray) -> None:
        """Keep the features of the items of a round until it is closed."""
        if self.next is not None:
            self.open[round_id] = self.next[items]

    def close(self, round_id: int) -> None:
        """Forget the features of a round."""
        self.open.pop(round_id, None)

    def differences(self, items: IntArray, rows: FloatArray | None) -> FloatArray | None:
        """How features of these items, those of the design if `rows` is None, differ from typical ones; None if nothing does."""
        if rows is None and self.within is None:
            return None
        if self.within is None:
            self.typical, self.within = self.design.matrix.copy(), self._nothing()
        return np.asarray((self.design.matrix[items] if rows is None else rows) - self.typical[items])

    def add(self, items: IntArray, differences: FloatArray, plays: FloatArray, tells: Within) -> None:
        """Count these items as observed once more, after so many times, with features that differ by so much."""
        assert self.within is not None
        self.within = Within(self.within.precision + tells.precision, self.within.weighted + tells.weighted)
        self.typical[items] += differences / (plays + 1.0)[:, None]

    def follow(self, other: Rows, old_places: IntArray) -> None:
        """Take over what was observed with which features; items that the other rows do not have are at -1."""
        if not self.is_like(other):
            return
        kept = old_places >= 0
        typical = self.design.matrix.copy()
        typical[kept] = other.typical[old_places[kept]]
        if other.within is not None or (typical != self.design.matrix).any():
            self.typical, self.within = typical, other.within or self._nothing()

    def reopen(self, round_id: int, other: Rows, order: IntArray) -> None:
        """Take over an open round, whose items are in this order now."""
        if round_id in other.open and self.is_like(other):
            self.open[round_id] = other.open[round_id][order]

    def is_like(self, other: Rows) -> bool:
        """Whether the effects are the same ones."""
        return self.design.names == other.design.names

    def _nothing(self) -> Within:
        k = len(self.design.names)
        return Within(np.zeros((k, k)), np.zeros(k))

    def state(self) -> dict[str, Any]:
        """What differs from the design, as plain JSON."""
        state: dict[str, Any] = {}
        if self.open:
            state["open"] = [[number, rows.tolist()] for number, rows in self.open.items()]
        if self.within is not None:
            changed = np.flatnonzero((self.typical != self.design.matrix).any(axis=1))
            state["typical"] = [changed.tolist(), self.typical[changed].tolist()]
            state["within"] = [self.within.precision.tolist(), self.within.weighted.tolist()]
        return state

    def restored(self, state: Any, sizes: dict[int, int]) -> Rows:
        """The rows of a state; `sizes` are the numbers of items of the open rounds. Errors of Python if it is malformed."""
        k, found = len(self.design.names), Rows(self.design)
        found.open = {int(number): finite(each, (sizes[int(number)], k)) for number, each in state.get("open", [])}
        if "within" in state:
            found.within = Within(finite(state["within"][0], (k, k)), finite(state["within"][1], (k,)))
            items = np.array(state["typical"][0], dtype=np.int64).reshape(-1)
            if (items < 0).any():
                raise ValueError("items below 0")
            found.typical = self.design.matrix.copy()
            found.typical[items] = finite(state["typical"][1], (len(items), k))
        return found
