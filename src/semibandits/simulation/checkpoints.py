"""The rounds at which a simulation records where it stands."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from semibandits._typing import IntArray
from semibandits.errors import InvalidInputError

LONGEST_HORIZON: Final = 2**53
"""Counts are kept as float64, which holds every integer up to here."""


def log_spaced(horizon: int, per_decade: int = 20) -> IntArray:
    """Rounds that are evenly spaced on a logarithmic axis.

    Parameters
    ----------
    horizon : int
        Number of rounds, from 1 to 2**53.
    per_decade : int
        Checkpoints per factor of ten, at least 1. Where that is more than there are integers, every round is one.

    Returns
    -------
    ndarray of int64, shape (c,)
        Strictly increasing; the first is 1, the last is `horizon`, and every power of ten in between is one of them.
        There are at most ``per_decade * log10(horizon) + 2``.

    Raises
    ------
    InvalidInputError
        If an argument is no integer in its range.

    Notes
    -----
    Checkpoint k is ``10 ** (k / per_decade)``, rounded. All but the last do not depend on the horizon: a longer
    simulation records the same early rounds.
    """
    horizon = _integer(horizon, "horizon", LONGEST_HORIZON)
    per_decade = _integer(per_decade, "per_decade", 10_000)
    steps = np.arange(math.floor(per_decade * math.log10(horizon)) + 1)
    rounds = np.rint(10.0 ** (steps / per_decade)).astype(np.int64)
    return np.unique(np.append(rounds[rounds < horizon], horizon))


def _integer(value: object, name: str, largest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= largest:
        raise InvalidInputError(f"{name} must be an integer from 1 to {largest}, got {value!r}: pass a whole number")
    return int(value)
