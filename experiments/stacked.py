"""Gaussian rewards that all policies of a replication share, item by item and play by play: common random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from semibandits.errors import UnsupportedError
from semibandits.kernels.rewards import STACKED
from semibandits.rewards.base import CompiledRewards, StoredRewards


class StackedRewards(StoredRewards):
    """Gaussian rewards, independent across items; the n-th of an item is the same number for every policy in a replication."""

    def __init__(self, theta: np.ndarray, variance: float | np.ndarray) -> None:
        variances = variance if isinstance(variance, float) else np.array(variance, dtype=np.float64)
        super().__init__(np.array(theta, dtype=np.float64), variances)

    def draw(self, items: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Not supported: a reward depends on the earlier plays of its item, which only the arrays of a compiled loop contain."""
        raise UnsupportedError(
            "stacked rewards need compiled loops, got a decision set or policy that runs in Python: use a family "
            "of the library, or GaussianRewards"
        )

    def compiled(self) -> CompiledRewards:
        """The law for one sequence of rounds."""
        deviations = np.broadcast_to(np.sqrt(self.variance), self.theta.shape)
        ints = np.concatenate(([self.d, 0], np.zeros(self.d))).astype(np.int64)
        return CompiledRewards(STACKED, np.concatenate((self.theta, deviations)), ints)

    @property
    def is_independent_gaussian(self) -> bool:
        """True."""
        return True

    def _parameters(self) -> dict[str, Any]:
        return {"theta": self.theta.tolist(), "variance": np.asarray(self.variance).tolist()}
