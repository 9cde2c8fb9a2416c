"""What was observed before the first round."""

from __future__ import annotations

from typing import NamedTuple

from semibandits._typing import FloatArray, IntArray


class History(NamedTuple):
    """Observed rewards of items, and the number of rounds in which they were observed."""

    # Number of observed rewards of each item, and their sum, 0 where there are none; shape (d,).
    plays: FloatArray
    sums: FloatArray
    rounds: int  # at least the largest of `plays`
    # The item of each observation, -1 if it is unknown, and the reward, in their order; None after `replace`.
    items: IntArray | None = None
    rewards: FloatArray | None = None
