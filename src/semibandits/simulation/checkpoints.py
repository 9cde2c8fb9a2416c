"""Rounds at which a simulation records its state."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from semibandits._typing import IntArray
from semibandits.inputs.arguments import whole
from semibandits.inputs.outcomes import whole_number

LONGEST_HORIZON: Final = 2**53
"""Counts are stored as float64, which represents all integers up to this one."""


def log_spaced(horizon: int, per_decade: int = 20) -> IntArray:
    """Rounds evenly spaced on a logarithmic axis: checkpoint k is ``10 ** (k / per_decade)``, rounded, and the last is `horizon`.

    They increase strictly from 1 and contain every power of ten in between; there are at most ``per_decade * log10(horizon) +
    2``. Where a factor of ten has fewer integers than `per_decade`, every round is a checkpoint. Only the last one depends on the
    horizon: a longer simulation records the same early rounds.
    """
    horizon = whole_number(whole(horizon), "horizon", least=1, most=LONGEST_HORIZON)
    per_decade = whole_number(whole(per_decade), "per_decade", least=1, most=10_000, remedy="leave it out for 20")
    steps = np.arange(math.floor(per_decade * math.log10(horizon)) + 1)
    rounds = np.rint(10.0 ** (steps / per_decade)).astype(np.int64)
    return np.unique(np.append(rounds[rounds < horizon], horizon))
