"""Small problems that compile what larger ones of the method "cycles" call.

Kernels compile when they are first called. Where they are not cached yet that takes half a minute, which nothing interrupts: time
limits would be over before the first round. So what has a limit solves these problems first, once a process.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.paths import Paths


def small_problems() -> Iterator[tuple[DecisionSet, FloatArray]]:
    """A decision set whose exchange graph has a hub and one without, with mean rewards in (0, 1)."""
    square = Matchings([(i, j) for i in range(3) for j in range(3)])
    ladder = Paths([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 0, 3)
    means = np.array([0.9, 0.5, 0.3, 0.2, 0.8, 0.4, 0.3, 0.6, 0.7])
    for decision_set in (square, ladder):
        yield decision_set, means[: decision_set.d].copy()
