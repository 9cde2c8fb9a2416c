"""What every law of rewards offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from semibandits._typing import FloatArray, IntArray

SMALLEST = 1e-100
"""A slope at which a raise is the variance times the slope, to the last digit."""
LAST_DIGITS = 4e-15
"""What the terms of a conjugate may be off by, relatively, beside the rounding of divergences."""
STEP = 1e-5
"""Relative change of a slope over which the change of the raise is measured: half the digits, as far as rounding allows."""


@dataclass(frozen=True)
class Law(ABC):
    """A family of reward distributions of an item, known up to the mean theta.

    Looking better than it is by a raise e >= 0 costs an item the *divergence* d(theta, theta + e) of its distributions, in nats,
    for each time it is played. Everything that `graves_lai` and the policies know of a law is said by four functions of theta
    and e, over arrays of items; the fourth, `convex_to`, has a default. To write a law of your own, give these, and `check`
    the means that it cannot have; docs/laws.md has an example.

    All methods take a mean for each item, shape (d,), and one raise or slope for each, of a shape that goes with it; they return
    the common shape. Raises are in units of the reward; slopes in nats per unit.
    """

    @property
    def rounding(self) -> float:
        """What divergences may be off by, relatively, beside their last digit: 1e-12."""
        return 1e-12

    @abstractmethod
    def reach(self, theta: FloatArray) -> FloatArray:
        """By how much a mean can be raised at most; inf if by any amount."""

    @abstractmethod
    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """d(theta, theta + rise) for 0 <= rise: 0 at 0, increasing, inf where no distribution is left."""

    @abstractmethod
    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """The raise up to which the divergence is no steeper than `slope` >= 0, in the convex part; the reach if it never is."""

    def convex_to(self, theta: FloatArray) -> FloatArray:
        """The largest raise up to which the divergence is convex; inf unless overridden."""
        return np.full(np.shape(theta), np.inf)

    @abstractmethod
    def check(self, theta: FloatArray) -> None:
        """Refuse means that the law cannot have, shape (d,).

        Raises
        ------
        InvalidInputError
            Saying which.
        """

    @property
    def is_quadratic(self) -> bool:
        """Whether every divergence is ``e^2 / (2 v)``, v being the told variance, for all raises: for this there are formulas."""
        return False

    @property
    def name(self) -> str:
        """Name of the class in small letters."""
        return type(self).__name__.lower()

    @property
    def size(self) -> int | None:
        """How many items it has numbers for; None, unless overridden, if it holds for any."""
        return None

    def take(self, items: IntArray) -> Self:
        """The law of these items, in their order: itself unless items differ."""
        return self

    def variance_at(self, theta: FloatArray) -> FloatArray:
        """Variance of rewards of these means, shape (d,): one over the second derivative of the divergence at 0."""
        tiny = np.full(np.shape(theta), SMALLEST)
        return self.raise_at(theta, tiny) / SMALLEST

    def variance_proxy(self, theta: FloatArray) -> FloatArray:
        """What is told of the spread of rewards where only variances count, shape (d,): the variance at theta."""
        return self.variance_at(theta)

    def least(self, theta: FloatArray) -> FloatArray:
        """The end below which no mean lies, shape (d,): -inf unless overridden."""
        return np.full(np.shape(theta), -np.inf)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Means of rewards seen, as means that the law can have and that leave room for doubt, shape (d,).

        Policies plan with these. All are kept away from an end of the law by what the largest number of `plays` leaves open, not
        each by its own: an item that failed once would else stand above items known to be worth less. Unchanged unless
        overridden.
        """
        return means.copy()

    def estimated_variance(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Variance of rewards whose means were estimated from so many plays, > 0 also where all were the same, shape (d,).

        That at the estimates, unless overridden.
        """
        return self.variance_at(self.estimates(means, plays))

    def compiled(self, d: int) -> FloatArray | None:
        """The law of d items for kernels, see :mod:`semibandits.kernels.laws`; None if they do not know it, as unless overridden.

        Policies that reckon with a law in every round take rewards of other laws for Gaussian, with the variance they are told.
        """
        return None

    def margin(self, theta: FloatArray) -> FloatArray:
        """What is left of a reach, in units of the reward, where gaps have no digits left: 0 unless overridden.

        For every law a gap that is its reach but for 1e-12 of the gap counts as out of reach, too.
        """
        return np.zeros(np.shape(theta))

    def raise_derivative(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """Derivative of `raise_at` by the slope, which must be positive; by a difference, unless overridden."""
        with np.errstate(invalid="ignore", over="ignore"):
            change = self.raise_at(theta, slope * (1.0 + STEP)) - self.raise_at(theta, slope * (1.0 - STEP))
            return np.where(np.isfinite(change) & (slope > 0.0), change / (2.0 * STEP * slope), 0.0)

    def tilt(self, theta: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """`raise_at`, its derivative by the slope (> 0; 0 where the raise is at its limit), and the divergence there."""
        rise = self.raise_at(theta, slope)
        return rise, self.raise_derivative(theta, slope), self.divergence(theta, rise)

    def conjugate(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """``max over raises e of slope e - divergence``, at most the true value up to rounding; inf where it has no limit."""
        rise, _, information = self.tilt(theta, slope)
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(rise), slope * rise - information, np.inf)

    def conjugate_rounding(
        self, theta: FloatArray, slope: FloatArray, rise: FloatArray, information: FloatArray
    ) -> FloatArray:
        """What ``slope rise - information``, the conjugate at a raise that `tilt` gave, may be off by."""
        return (LAST_DIGITS + self.rounding) * (slope * rise + information)
