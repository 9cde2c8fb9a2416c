"""What the search for P_IM asks of a family of decision sets, through function pointers.

The search is compiled once, and of the families only those in use.

* ``linear(data, weights, x)``: P_LM, see :mod:`semibandits.kernels.oracles`.
* ``exchange_costs(data, weights, x, forced, costs)``: a lower bound on the weight that the heaviest decision of a part, x, loses
  if one item changes sides; inf for items that are `forced` or cannot change. Two decisions differ by alternating cycles of
  single exchanges (by single exchanges, for the bases of a matroid), and around a heaviest decision no cycle gains anything. So a
  decision that differs from the heaviest one in an item weighs less by at least the cheapest closed walk through that item. Walks
  run over the members of the heaviest decision: from a member that leaves, over the item that enters for it, to the member whose
  place that item takes on the other side.
* ``swaps(data, rewards, bonuses, x, forced, a, c, ratio, gaps, gains, swap)``: the single swaps around x, see
  ``kernels/index/swaps.py``.
* ``cycles(data, x, y, number)``: numbers the items of each cycle of the exchange from x to y, from 0 on, and returns how many
  cycles there are.

`exchange_costs` and `swaps` return KNOWN, or UNKNOWN where a family has none; `cycles` returns 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

UNKNOWN: Final = 0
KNOWN: Final = 1


class OraclePointers(NamedTuple):
    """Pointers to the four."""

    linear: Callable[..., int]
    exchange_costs: Callable[..., int]
    swaps: Callable[..., int]
    cycles: Callable[..., int]


@kernel
def no_exchange_costs(
    data: tuple[IntArray, ...], weights: FloatArray, x: BoolArray, forced: IntArray, exchange_costs: FloatArray
) -> int:
    """Nothing is known."""
    return UNKNOWN


@kernel
def no_swaps(
    data: tuple[IntArray, ...], rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, c: float,
    ratio: float, gaps: FloatArray, gains: FloatArray, swap: IntArray,
) -> int:  # fmt: skip
    """Nothing is known."""
    return UNKNOWN


@kernel
def no_cycles(data: tuple[IntArray, ...], x: BoolArray, y: BoolArray, number: IntArray) -> int:
    """None are known."""
    return 0
