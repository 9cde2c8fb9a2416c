"""What was observed before the first round."""

from __future__ import annotations

from typing import NamedTuple

from semibandits._typing import FloatArray


class History(NamedTuple):
    """Observed rewards of items, and the number of rounds in which they were observed."""

    # Number of observed rewards of each item, and their sum, 0 where there are none; shape (d,).
    plays: FloatArray
    sums: FloatArray
    rounds: int  # at least the largest of `plays`
