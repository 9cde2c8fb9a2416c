"""Rounds at which a simulation records its state."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from semibandits._typing import IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import whole

LONGEST_HORIZON: Final = 2**53
"""Counts are stored as float64, which represents all integers up to this one."""


def log_spaced(horizon: int, per_decade: int = 20) -> IntArray:
    """Rounds evenly spaced on a logarithmic axis: checkpoint k is ``10 ** (k / per_decade)``, rounded, and the last is `horizon`.

    They increase strictly from 1 and contain every power of ten in between; there are at most ``per_decade * log10(horizon) +
    2``. Where a factor of ten has fewer integers than `per_decade`, every round is a checkpoint. Only the last one depends on the
    horizon: a longer simulation records the same early rounds.
    """
    horizon = as_integer(horizon, "horizon", 1, LONGEST_HORIZON)
    per_decade = as_integer(per_decade, "per_decade", 1, 10_000)
    steps = np.arange(math.floor(per_decade * math.log10(horizon)) + 1)
    rounds = np.rint(10.0 ** (steps / per_decade)).astype(np.int64)
    return np.unique(np.append(rounds[rounds < horizon], horizon))


def as_integer(value: object, name: str, least: int, largest: float = math.inf) -> int:
    """The value as an int, if it is an integer from `least` to `largest`, also in the form 1e3."""
    value = whole(value)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= largest:
        wanted = f"from {least} to {largest}" if largest < math.inf else f">= {least}"
        raise InvalidInputError(f"{name} must be an integer {wanted}, got {value!r}: pass a whole number")
    return int(value)
