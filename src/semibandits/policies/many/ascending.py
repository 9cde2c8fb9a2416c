"""Ascending lists of numbers that change and are read by rank."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from itertools import accumulate, chain
from typing import Final

LOAD: Final = 4_000
"""Longer blocks are halved, since an insertion moves half of a block in memory."""


class Ascending:
    """Different integers in ascending order, in blocks. What it returns depends on the numbers only, not on their history."""

    __slots__ = ("_blocks", "_lasts")

    def __init__(self) -> None:
        self._blocks: list[list[int]] = []
        self._lasts: list[int] = []

    def __len__(self) -> int:
        return sum(map(len, self._blocks))

    def add(self, number: int) -> None:
        """Add a number that is not there yet."""
        if not self._blocks:
            self._blocks, self._lasts = [[number]], [number]
            return
        at = min(bisect_left(self._lasts, number), len(self._blocks) - 1)
        block = self._blocks[at]
        insort(block, number)
        if len(block) > LOAD:
            half = len(block) // 2
            self._blocks[at : at + 1] = block[:half], block[half:]
            self._lasts[at : at + 1] = block[half - 1], block[-1]
        else:
            self._lasts[at] = block[-1]

    def remove(self, number: int) -> None:
        """Remove a number that is there."""
        at = bisect_left(self._lasts, number)
        block = self._blocks[at]
        del block[bisect_left(block, number)]
        if block:
            self._lasts[at] = block[-1]
        else:
            del self._blocks[at], self._lasts[at]

    def at(self, ranks: Iterable[int]) -> list[int]:
        """The numbers with these ranks, from 0."""
        ends = list(accumulate(map(len, self._blocks)))
        found = []
        for rank in ranks:
            block = bisect_right(ends, rank)
            found.append(self._blocks[block][rank - ends[block]])  # from the end of the block
        return found

    def all(self) -> list[int]:
        """All numbers."""
        return list(chain.from_iterable(self._blocks))
