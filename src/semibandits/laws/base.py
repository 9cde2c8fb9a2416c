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

    The *divergence* d(theta, theta + e), e >= 0, is the Kullback-Leibler divergence of the distribution of mean theta from that
    of mean theta + e, in nats: what one play tells against the larger mean. In an exponential family its slope is
    e / V(theta + e), with V the variance as a function of the mean.

    Subclasses implement `check`, `reach`, `divergence` and `raise_at`, and also `convex_to` if the divergence is not convex
    everywhere. The other methods have defaults: policies use `least`, `estimates`, `estimated_variance` and `compiled`;
    `rounding`, `margin` and `conjugate_rounding` control numerical tolerances. Certificates rely on `divergence` having a
    relative error of at most `rounding` for all parameters, including tiny raises. docs/laws.md has an example, and
    :func:`semibandits.testing.check_law` tests these requirements.

    All methods take means of shape (d,), and raises or slopes of shape (..., d); they return the shape of the latter. Raises are
    in units of the reward, slopes in nats per unit. Laws compare and hash by their parameters, as frozen dataclasses do.
    """

    @property
    def rounding(self) -> float:
        """Relative error of divergences, at most; 1e-12 unless overridden."""
        return 1e-12

    @abstractmethod
    def reach(self, theta: FloatArray) -> FloatArray:
        """By how much a mean can be raised at most; inf if by any amount."""

    @abstractmethod
    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """d(theta, theta + rise) for 0 <= rise: 0 at 0, increasing, inf where no distribution is left."""

    @abstractmethod
    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """The raise up to which the divergence is no steeper than `slope` >= 0, within the convex part.

        If the slope is never reached, return the reach or the end of the convex part. The result must be accurate for slopes as
        small as 1e-100.
        """

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
        """Variance used by methods that only support variances, shape (d,): by default the variance at theta."""
        return self.variance_at(theta)

    def least(self, theta: FloatArray) -> FloatArray:
        """The end below which no mean lies, shape (d,): -inf unless overridden."""
        return np.full(np.shape(theta), -np.inf)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Adjust sample means so that policies can plan with them, shape (d,).

        A mean at an end of its range would count as certain, so means are kept at a distance from the ends that depends on the
        largest number of `plays`. The distance is the same for all items: otherwise an item that failed once would rank above
        items that are known to be worse. By default the means are returned unchanged.
        """
        return means.copy()

    def estimated_variance(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Variance of rewards whose means were estimated from so many plays, > 0 also where all were the same, shape (d,).

        That at the estimates, unless overridden.
        """
        return self.variance_at(self.estimates(means, plays))

    def compiled(self, d: int) -> FloatArray | None:
        """The law of d items for kernels, see :mod:`semibandits.kernels.laws`; None if they do not know it, as unless overridden.

        Policies that use a law in every round treat rewards of other laws as Gaussian, with the variances passed to them.
        """
        return None

    def margin(self, theta: FloatArray) -> FloatArray:
        """Distance from the reach, in units of the reward, within which gaps count as out of reach: 0 unless overridden.

        For laws whose reach is itself rounded. For every law, gaps within 1e-12 of their reach count as out of reach, too.
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
        """``max of slope e - divergence`` over raises e in the convex part; inf where it has no limit."""
        rise, _, information = self.tilt(theta, slope)
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(rise), slope * rise - information, np.inf)

    def conjugate_rounding(
        self, theta: FloatArray, slope: FloatArray, rise: FloatArray, information: FloatArray
    ) -> FloatArray:
        """What ``slope rise - information``, the conjugate at a raise that `tilt` gave, may be off by."""
        return (LAST_DIGITS + self.rounding) * (slope * rise + information)
