"""Posterior laws of means: their tails, and draws from their tails."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import betaincc, betainccinv, ndtr, ndtri

from semibandits._typing import FloatArray

WIDE = 15.0
"""Draws this many standard deviations above an estimate do not occur: their probability is below 1e-29."""


class Posterior(Protocol):
    """Laws of draws for an item with n plays and an estimated mean; they increase with the mean. Arguments are arrays."""

    def position(self, n: FloatArray, mean: FloatArray) -> FloatArray:
        """An increasing function of the mean in which the draws have a standard deviation of about 1."""

    def mean_at(self, n: FloatArray, position: FloatArray) -> FloatArray:
        """The inverse of `position`."""

    def tail(self, level: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
        """Probability that a draw exceeds the level."""

    def draw(self, tail: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
        """The number that draws exceed with this probability."""


class Normal:
    """The normal law with the variance ``width^2 / n``."""

    def __init__(self, width: float) -> None:
        self._width = width

    def position(self, n: FloatArray, mean: FloatArray) -> FloatArray:
        """See `Posterior`."""
        result: FloatArray = mean * (np.sqrt(n) / self._width)
        return result

    def mean_at(self, n: FloatArray, position: FloatArray) -> FloatArray:
        """See `Posterior`."""
        result: FloatArray = position * (self._width / np.sqrt(n))
        return result

    def tail(self, level: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
        """See `Posterior`."""
        result: FloatArray = ndtr((mean - level) * (np.sqrt(n) / self._width))
        return result

    def draw(self, tail: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
        """See `Posterior`."""
        result: FloatArray = mean - ndtri(tail) * (self._width / np.sqrt(n))
        return result


class Beta:
    """The Beta law of a probability after n rewards, under Jeffreys' prior; n is divided by the square of `width`."""

    def __init__(self, width: float) -> None:
        self._factor = 1.0 / width**2

    def _won(self, n: FloatArray, mean: FloatArray) -> FloatArray:
        result: FloatArray = n * self._factor * np.clip(mean, 0.0, 1.0)
        return result

    def position(self, n: FloatArray, mean: FloatArray) -> FloatArray:
        """See `Posterior`."""
        result: FloatArray = 2.0 * np.sqrt(self._won(n, mean) + 0.5)
        return result

    def mean_at(self, n: FloatArray, position: FloatArray) -> FloatArray:
        """See `Posterior`."""
        result: FloatArray = np.clip((0.25 * position**2 - 0.5) / (n * self._factor), 0.0, 1.0)
        return result

    def tail(self, level: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
        """See `Posterior`."""
        won = self._won(n, mean)
        result: FloatArray = np.asarray(
            betaincc(won + 0.5, n * self._factor - won + 0.5, np.clip(level, 0.0, 1.0)), dtype=np.float64
        )
        return result

    def draw(self, tail: FloatArray, n: FloatArray, mean: FloatArray) -> FloatArray:
        """See `Posterior`."""
        won = self._won(n, mean)
        result: FloatArray = np.asarray(betainccinv(won + 0.5, n * self._factor - won + 0.5, tail), dtype=np.float64)
        return result
