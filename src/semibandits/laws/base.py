"""Abstract base class of laws of rewards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from semibandits._typing import FloatArray, IntArray

SMALLEST = 1e-100
"""A slope so small that the raise equals the variance times the slope up to rounding."""
LAST_DIGITS = 4e-15
"""Relative error of the terms of a conjugate, in addition to the rounding of divergences."""
_STEPS = np.arange(-3.5, 3.51, 0.0625)
NODES = 1.0 / (1.0 + np.exp(-np.pi * np.sinh(_STEPS)))
WEIGHTS = 0.0625 * np.pi * np.cosh(_STEPS) * NODES * (1.0 - NODES)
"""Double exponential quadrature over [0, 1], for functions that change fast at either end (Takahasi and Mori 1974)."""
FALLS = 80
"""Bisections of a fall."""
STEP = 1e-5
"""Relative change of the slope in the difference quotient of the raise, which then has about half of all digits."""


@dataclass(frozen=True)
class Law(ABC):
    """A family of reward distributions of an item, known up to the mean theta.

    The *divergence* d(theta, theta + e), e >= 0, is the Kullback-Leibler divergence of the distribution of mean theta from that
    of mean theta + e, in nats: the information of one play against the larger mean. In an exponential family its slope is
    e / V(theta + e), with V the variance as a function of the mean.

    Subclasses implement `check`, `reach`, `divergence` and `raise_at`, and also `convex_to` if the divergence is not convex
    everywhere. The other methods have defaults: policies use `least`, `estimates`, `estimated_variance` and `compiled`, and
    intervals of means `possible`; `rounding`, `margin` and `conjugate_rounding` control numerical tolerances. Certificates rely
    on `divergence` having a relative error of at most `rounding` for all parameters, including tiny raises. docs/laws.md has an
    example, and :func:`semibandits.testing.check_law` tests these requirements.

    All methods take means of shape (d,), and raises or slopes of shape (..., d); they return the shape of the latter. Raises are
    in units of the reward, slopes in nats per unit. Laws compare and hash by their parameters, as frozen dataclasses do.

    Notes
    -----
    C(theta) depends on the law through its divergences alone (Graves and Lai 1997; theory L1 to L5). Morris (Annals of Statistics
    10, 1982) describes exponential families by their variance functions.

    Examples
    --------
    A law of your own, Gaussian rewards of variance 1, gives the same bound as the built-in one:

    >>> class UnitVariance(sb.laws.Law):
    ...     def check(self, theta): ...  # any mean is allowed
    ...     def reach(self, theta): return np.full(np.shape(theta), np.inf)
    ...     def divergence(self, theta, rise): return np.square(rise) / 2.0
    ...     def raise_at(self, theta, slope): return slope + np.zeros_like(theta)
    >>> problem = sb.MSets(3, 1), [0.9, 0.8, 0.5]
    >>> [round(sb.graves_lai(*problem, law=law).value, 2) for law in (UnitVariance(), sb.laws.Gaussian(variance=1.0))]
    [25.0, 25.0]
    """

    @property
    def rounding(self) -> float:
        """Bound on the relative error of divergences, 1e-12 unless overridden."""
        return 1e-12

    @property
    def outcomes(self) -> tuple[float | FloatArray, float | FloatArray]:
        """Smallest and largest possible reward, of all items or of each, shape (d,); by default any number."""
        return -np.inf, np.inf

    @abstractmethod
    def reach(self, theta: FloatArray) -> FloatArray:
        """Largest raise of each mean; inf if unlimited."""

    @abstractmethod
    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """d(theta, theta + rise) for rise >= 0: 0 at 0, increasing, inf where no distribution has this mean."""

    def divergence_below(self, theta: FloatArray, fall: FloatArray) -> FloatArray:
        """d(theta, theta - fall) for fall >= 0: 0 at 0, increasing, inf from the lower end of the range on. See `mirrored`."""
        law, means = self.mirrored(np.asarray(theta, dtype=np.float64))
        return law.divergence(means, fall)

    def mirrored(self, theta: FloatArray) -> tuple[Law, FloatArray]:
        """A law and means whose raises are the falls from the means `theta`, shape (..., d).

        Unless overridden, the divergence of a fall is the integral of ``e / V(theta - e)`` over e, as for exponential families of
        variance V, by double exponential quadrature. Estimates with intervals, drift checks and identification use it.
        """
        return _Falls(self), theta

    @abstractmethod
    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """The raise up to which the divergence is no steeper than `slope` >= 0, within the convex part.

        If the slope is never reached, return the reach or the end of the convex part. The result must be accurate for slopes as
        small as 1e-100.
        """

    def convex_to(self, theta: FloatArray) -> FloatArray:
        """The largest raise up to which the divergence is convex; inf unless overridden."""
        return np.full(np.shape(theta), np.inf)

    def jump_at(self, theta: FloatArray) -> FloatArray:
        """The slope at which `raise_at` jumps from a finite raise to inf; inf, unless overridden, if it does not jump.

        Optional: the search for the cheapest raises then need not find the jump by bisection.
        """
        return np.full(np.shape(theta), np.inf)

    @abstractmethod
    def check(self, theta: FloatArray) -> None:
        """Refuse means that the law does not allow, shape (d,).

        Raises
        ------
        InvalidInputError
            If a mean is not allowed. The message should name an item.
        """

    @property
    def is_quadratic(self) -> bool:
        """Whether all divergences are ``e^2 / (2 v)`` with v the variance proxy, so that closed formulas apply."""
        return False

    @property
    def name(self) -> str:
        """Class name in lower case."""
        return type(self).__name__.lower()

    @property
    def size(self) -> int | None:
        """Number of items if the law has parameters per item; None, unless overridden, if it applies to any number."""
        return None

    def take(self, items: IntArray) -> Self:
        """The law of these items, in this order: the law itself unless it has parameters per item."""
        return self

    def variance_at(self, theta: FloatArray) -> FloatArray:
        """Variance of rewards with these means, shape (d,): the inverse of the second derivative of the divergence at 0."""
        tiny = np.full(np.shape(theta), SMALLEST)
        return self.raise_at(theta, tiny) / SMALLEST

    def variance_proxy(self, theta: FloatArray) -> FloatArray:
        """Variance used by methods that only support variances, shape (d,): by default the variance at theta."""
        return self.variance_at(theta)

    def least(self, theta: FloatArray) -> FloatArray:
        """Lower end of the range of means, shape (d,): -inf unless overridden."""
        return np.full(np.shape(theta), -np.inf)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Adjust sample means so that policies can plan with them, shape (d,).

        A mean at an end of its range would count as certain, so means are kept at a distance from the ends that depends on the
        largest number of `plays`. The distance is the same for all items, so that an item that failed once does not rank above
        items that are known to be bad. By default the means are returned unchanged.
        """
        return means.copy()

    def possible(self, means: FloatArray) -> FloatArray:
        """Observed means as the law allows them, shape (d,), for intervals around them: unless overridden, the nearest ones."""
        return np.asarray(np.maximum(means + np.minimum(self.reach(means), 0.0), self.least(means)))

    def estimated_variance(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Variance of rewards with means estimated from these numbers of plays, shape (d,); > 0 even if all rewards are equal.

        Unless overridden, the variance at the estimates.
        """
        return self.variance_at(self.estimates(means, plays))

    def compiled(self, d: int) -> FloatArray | None:
        """The law of d items as an array for :mod:`semibandits.kernels.laws`; None, the default, if not supported.

        Policies that use a law in every round treat rewards of unsupported laws as Gaussian with the variances passed to them.
        """
        return None

    def margin(self, theta: FloatArray) -> FloatArray:
        """Distance from the reach, in units of the reward, within which gaps count as out of reach: 0 unless overridden.

        For laws whose reach is rounded. In addition, gaps within a relative distance of 1e-12 of the reach count as out of reach.
        """
        return np.zeros(np.shape(theta))

    def raise_derivative(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """Derivative of `raise_at` in the slope, which must be positive; a difference quotient unless overridden."""
        with np.errstate(invalid="ignore", over="ignore"):
            change = self.raise_at(theta, slope * (1.0 + STEP)) - self.raise_at(theta, slope * (1.0 - STEP))
            return np.where(np.isfinite(change) & (slope > 0.0), change / (2.0 * STEP * slope), 0.0)

    def tilt(self, theta: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """`raise_at`, its derivative in the slope (> 0; 0 where the raise is at its limit), and the divergence at the raise."""
        rise = self.raise_at(theta, slope)
        return rise, self.raise_derivative(theta, slope), self.divergence(theta, rise)

    def conjugate(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """``max of slope e - divergence`` over raises e in the convex part; inf if unbounded."""
        rise, _, information = self.tilt(theta, slope)
        with np.errstate(invalid="ignore"):
            return np.where(np.isfinite(rise), slope * rise - information, np.inf)

    def conjugate_rounding(self, theta: FloatArray, slope: FloatArray, rise: FloatArray, information: FloatArray) -> FloatArray:
        """Bound on the error of ``slope rise - information``, the conjugate at a raise from `tilt`."""
        return (LAST_DIGITS + self.rounding) * (slope * rise + information)


@dataclass(frozen=True)
class _Falls(Law):
    """The law of minus the rewards of an exponential family, whose means are still those of the rewards."""

    law: Law

    def check(self, theta: FloatArray) -> None:
        """See `Law.check`."""
        self.law.check(theta)

    @property
    def size(self) -> int | None:
        """See `Law.size`."""
        return self.law.size

    def take(self, items: IntArray) -> Self:
        """See `Law.take`."""
        return type(self)(self.law.take(items))

    def reach(self, theta: FloatArray) -> FloatArray:
        """Distance to the lower end of the range."""
        return np.asarray(theta - self.law.least(theta))

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """The integral of the slope ``e / V(theta - e)``."""
        theta, rise = np.broadcast_arrays(np.asarray(theta, dtype=np.float64), np.asarray(rise, dtype=np.float64))
        is_inside = rise < self.reach(theta)
        inner, total = np.where(is_inside, rise, 0.0), np.zeros(theta.shape)
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            distance = node * inner
            with np.errstate(divide="ignore", invalid="ignore"):
                slope = distance / self.law.variance_at(theta - distance)
            total += weight * np.where(inner > 0.0, slope * inner, 0.0)
        return np.where(is_inside | (rise <= 0.0), total, np.inf)

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """The root of ``e = slope V(theta - e)`` by bisection."""
        theta, slope = np.broadcast_arrays(np.asarray(theta, dtype=np.float64), np.asarray(slope, dtype=np.float64))
        low, high = np.zeros(theta.shape), self.reach(theta)
        start = np.minimum(slope * self.law.variance_at(theta), 0.5 * high)
        step = np.where(start > 0.0, start, 1.0)
        for _ in range(FALLS):
            middle = np.where(np.isfinite(high), 0.5 * (low + high), low + step)
            with np.errstate(all="ignore"):
                flat = middle <= slope * self.law.variance_at(theta - middle)
            low, high, step = np.where(flat, middle, low), np.where(flat, high, middle), np.where(flat, 2.0 * step, step)
        return np.asarray(low)
