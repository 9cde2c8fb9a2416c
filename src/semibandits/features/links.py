"""Scales on which effects add up: means as they are, their logarithms, or their log-odds, by the range of rewards."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import UnsupportedError
from semibandits.laws import Law

LARGEST: Final = 30.0
"""Largest size of logarithms and log-odds."""
WIDEST: Final = 2.0
"""Largest standard deviation of a logarithm or log-odds whose mean is computed."""
NODES, MASSES = np.polynomial.hermite_e.hermegauss(9)
MASSES = MASSES / MASSES.sum()
"""Quadrature for normal laws."""
GRID: Final = 256
"""Number of points between which moments are interpolated."""


class Prior(NamedTuple):
    """What a normal law on the scale of a link says of means: the mean, and how many observed rewards it is worth; (d,) each."""

    means: FloatArray
    plays: FloatArray


class Link:
    """The scale of one law: the log-odds of rewards with two bounds, a logarithm with one, and the mean itself without any."""

    def __init__(self, law: Law | None) -> None:
        low, high = (np.atleast_1d(end) for end in ((-np.inf, np.inf) if law is None else law.outcomes))
        if np.ptp(np.nan_to_num(low, neginf=-1e300)) or np.ptp(np.nan_to_num(high, posinf=1e300)):
            raise UnsupportedError("features need one law for all items, got several: give the items of each law a learner")
        self.low, self.high, self._law = float(low[0]), float(high[0]), law
        self.is_identity = law is None or law.is_quadratic or not (np.isfinite(self.low) or np.isfinite(self.high))
        self.curve = 0.0 if self.is_identity else self._curvature()

    def scale(self, means: FloatArray) -> FloatArray:
        """The means, within their range, on the scale."""
        if self.is_identity:
            return means
        tiny = np.exp(-LARGEST)
        with np.errstate(divide="ignore"):
            if np.isfinite(self.low) and np.isfinite(self.high):
                share = np.clip((means - self.low) / (self.high - self.low), tiny, 1.0 - 1e-12)
                return np.log(share / (1.0 - share))
            if np.isfinite(self.low):
                return np.log(np.maximum(means - self.low, tiny))
            return -np.log(np.maximum(self.high - means, tiny)) if np.isfinite(self.high) else means

    def within(self, means: FloatArray) -> FloatArray:
        """The means, within their range."""
        return self.mean(self.scale(means))

    def mean(self, scaled: FloatArray) -> FloatArray:
        """Means at these places of the scale."""
        if self.is_identity:
            return scaled
        scaled = np.clip(scaled, -LARGEST, LARGEST)
        if np.isfinite(self.low) and np.isfinite(self.high):
            return self.low + (self.high - self.low) / (1.0 + np.exp(-scaled))
        return self.low + np.exp(scaled) if np.isfinite(self.low) else self.high - np.exp(-scaled)

    def slope(self, means: FloatArray) -> FloatArray:
        """Derivative of the mean at these means within the range."""
        if np.isfinite(self.low) and np.isfinite(self.high):
            return (means - self.low) * (self.high - means) / (self.high - self.low)
        return means - self.low if np.isfinite(self.low) else self.high - means

    def most(self, means: FloatArray) -> FloatArray:
        """The largest variance of any law on the range with these means."""
        both = np.isfinite(self.low) and np.isfinite(self.high)
        return (means - self.low) * (self.high - means) if both else np.full(len(means), np.inf)

    def _curvature(self) -> float:
        """Half of the second derivative of the variance in the mean: -1 for probabilities, 0 for counts, 1/k for times."""
        assert self._law is not None
        if np.isfinite(self.low) and np.isfinite(self.high):
            middle, step = 0.5 * (self.low + self.high), 0.25 * (self.high - self.low)
        else:
            middle, step = (self.low + 1.0 if np.isfinite(self.low) else self.high - 1.0), 0.5
        below, at, above = (float(self._law.variance_at(np.array([middle + move]))[0]) for move in (-step, 0.0, step))
        return round((above - 2.0 * at + below) / (2.0 * step * step), 9)

    def towards_end(self, sums: FloatArray, by: float) -> FloatArray:
        """Sums of rewards, with less in favour of rewards away from the end of the range that is 0."""
        return np.maximum(sums - by, 0.0) if self.low == 0.0 else np.minimum(sums + by, 0.0) if self.high == 0.0 else sums

    def prior(self, centres: FloatArray, spread: float) -> Prior:
        """The conjugate prior with the mean and variance that normal laws with these centres and this standard deviation give.

        Its variance is ``V(mean) / (plays - curvature)`` (Morris, Annals of Statistics 1983).
        """
        assert self._law is not None
        low, high = float(centres.min()), float(centres.max())
        step = max((high - low) / (GRID - 2), 1e-9)
        grid = low + step * np.arange(GRID)
        drawn = self.mean(grid[:, None] + min(spread, WIDEST) * NODES)
        means = drawn @ MASSES
        variances = np.square(drawn - means[:, None]) @ MASSES
        plays = np.log(np.maximum(self._law.variance_at(means) / variances + self.curve, 1e-3))
        places = (centres - low) / step
        left = places.astype(np.int64)
        rest = places - left
        scaled, logs = ((1.0 - rest) * each[left] + rest * each[left + 1] for each in (self.scale(means), plays))
        return Prior(self.mean(scaled), np.exp(logs))
