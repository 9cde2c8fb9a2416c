"""Function pointers through which a P_IM search calls a family of decision sets.

The search is compiled once, and families are compiled only if they are used.

* ``linear(data, weights, x)``: P_LM, see :mod:`semibandits.kernels.oracles`.
* ``exchange_costs(data, weights, x, forced, costs)``: write a lower bound on the weight that x, the heaviest decision of a part,
  loses if one item changes sides; inf for items that are `forced` or cannot change. Two decisions differ by alternating cycles of
  single exchanges (by single exchanges, for the bases of a matroid), and no cycle around a heaviest decision gains weight. So a
  decision that differs from the heaviest one in an item weighs less by at least the cheapest closed walk through that item. Walks
  visit members of the heaviest decision: from a member that leaves, over the item that enters for it, to the member whose place
  that item takes on the other side.
* ``swaps(data, basis, swaps)``: write the single swaps around a basis, see ``kernels/search/single_swaps.py``.
* ``cycles(data, x, y, number)``: write the number of the cycle, from 0 on, of each item in the exchange from x to y; return the
  number of cycles.

`exchange_costs` and `swaps` return KNOWN, or UNKNOWN if the family does not implement them; `cycles` then returns 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from numba import types

from semibandits.kernels.machine.tiers import PointerType, kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray

UNKNOWN: Final = 0
KNOWN: Final = 1


class Basis(NamedTuple):
    """A basis of a matroid, and the part and the P_IM in which its single swaps are evaluated. Arrays have shape (d,)."""

    x: BoolArray
    forced: IntArray  # 1 for items forced in, -1 for items forced out, 0 for free items
    rewards: FloatArray
    bonuses: FloatArray
    # rewards·x and bonuses·x; the index is a + sqrt(c) / ratio.
    a: float
    c: float
    ratio: float


class Swaps(NamedTuple):
    """Single swaps around a basis."""

    gaps: FloatArray  # (d,): smallest loss of reward in a swap by which each item enters; inf if it cannot enter
    gains: FloatArray  # (d,): largest growth of the bonus in such a swap, at least 0
    best: IntArray  # (2,): items that enter and leave in the swap of largest index, -1 if there are no swaps


PARTS: Final = 8
"""Number of integer arrays that describe a decision set."""
_INTS, _FLOATS, _BOOLS = (types.Array(of, 1, "C") for of in (types.int64, types.float64, types.boolean))
_BASIS = types.NamedTuple((_BOOLS, _INTS, _FLOATS, _FLOATS, *(types.float64,) * 3), Basis)  # type: ignore[no-untyped-call]
_SWAPS = types.NamedTuple((_FLOATS, _FLOATS, _INTS), Swaps)  # type: ignore[no-untyped-call]
DATA: Final = types.Tuple((_INTS,) * PARTS)  # type: ignore[no-untyped-call]
LINEAR: Final = types.int64(DATA, _FLOATS, _BOOLS)
EXCHANGE_COSTS: Final = types.int64(DATA, _FLOATS, _BOOLS, _INTS, _FLOATS)
SWAPS: Final = types.int64(DATA, _BASIS, _SWAPS)
CYCLES: Final = types.int64(DATA, _BOOLS, _BOOLS, _INTS)
SIGNATURES: Final = (LINEAR, EXCHANGE_COSTS, SWAPS, CYCLES)
"""Signatures of the four kernels."""


class OraclePointers(NamedTuple):
    """Pointers to the four kernels of a family."""

    linear: Callable[..., int]
    exchange_costs: Callable[..., int]
    swaps: Callable[..., int]
    cycles: Callable[..., int]


FAMILY: Final = types.NamedTuple([PointerType(each) for each in SIGNATURES], OraclePointers)  # type: ignore[no-untyped-call]
OraclePointers._numba_type_ = FAMILY  # type: ignore[attr-defined]
"""numba would derive it from the fields, in 15 microseconds a call; in a property, the exception of a handler would be lost."""


@kernel
def no_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """For families that do not implement exchange costs."""
    return UNKNOWN


@kernel
def no_swaps(data: tuple[IntArray, ...], basis: Basis, swaps: Swaps) -> int:
    """For families that do not implement swaps."""
    return UNKNOWN


@kernel
def no_cycles(data: tuple[IntArray, ...], x: BoolArray, y: BoolArray, number: IntArray) -> int:
    """For families that do not implement cycles."""
    return 0
