"""Estimated means of items as laws allow them."""

from __future__ import annotations

from semibandits.kernels.laws import GAMMA, at_edge, inside
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray
from semibandits.kernels.rules.statistics import MEANS


@kernel
def largest_mean(law: FloatArray, stats: FloatArray) -> float:
    """Largest of the observed means under gamma laws; 0 without such laws."""
    largest = 0.0
    for i in range(stats.shape[1]):
        if law[i] == GAMMA:
            largest = max(largest, stats[MEANS, i])
    return largest


@kernel
def estimate(law: FloatArray, i: int, stats: FloatArray, largest: float) -> float:
    """The possible mean that is nearest to the observed one; for a mean of 0 under a gamma law see `kernels.laws.at_edge`."""
    mean = inside(law, i, stats[MEANS, i])
    return at_edge(law, i, largest) if law[i] == GAMMA and mean == 0.0 else mean
