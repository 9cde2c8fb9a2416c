"""Gamma-distributed times and amounts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.inputs.validation import check_numbers, number_in
from semibandits.kernels import laws as kernels
from semibandits.laws._series import excess
from semibandits.laws.base import Law

SHARE, LEAST = 1e-3, 1e-100
"""Estimates are at least this share of the mean absolute estimate, and at least `LEAST`, in absolute value."""


@final
@dataclass(frozen=True)
class Gamma(Law):
    """Gamma-distributed rewards of known shape: waiting times (shape 1: exponential), amounts paid.

    Parameters
    ----------
    shape : float
        Inverse of the squared coefficient of variation, > 0.
    cost : bool
        Whether the reward is minus the time. Means must then be negative, otherwise positive.

    Raises
    ------
    InvalidInputError
        If the shape is not positive.

    Notes
    -----
    The divergence from the mean p to q is ``shape (log(q / p) + p / q - 1)`` nats (Garivier and Cappé 2011, for shape 1). For
    rewards it is convex only up to a raise that doubles the mean. For costs it is convex.

    Examples
    --------
    >>> law = sb.laws.Gamma(shape=4.0, cost=True)  # travel times: rewards are minus the times
    >>> minutes = np.array([10.0, 20.0])
    >>> law.variance_at(-minutes).round(3).tolist()  # minutes**2 / shape
    [25.0, 100.0]
    >>> law.reach(-minutes).tolist()  # the largest raise, to a time of 0
    [10.0, 20.0]
    >>> sb.graves_lai(sb.MSets(2, 1), costs=minutes, law=law).rates.round(2).tolist()  # exploration plays per ln T
    [0.0, 0.81]
    """

    shape: float = 1.0
    cost: bool = False

    def __post_init__(self) -> None:
        shape = number_in(self.shape, "shape", 0.0, np.inf, "1 is the exponential law", ends="()")
        object.__setattr__(self, "shape", shape)

    @property
    def outcomes(self) -> tuple[float, float]:
        """Times and amounts are at least 0; their negatives at most 0."""
        return (-np.inf, 0.0) if self.cost else (0.0, np.inf)

    def check(self, theta: FloatArray) -> None:
        """Refuse means of the wrong sign, and 0."""
        sign, remedy = ("< 0", "leave out cost=True") if self.cost else ("> 0", "pass cost=True for costs")
        check_numbers(theta, (theta >= 0.0) if self.cost else (theta <= 0.0), "means", f"be {sign} for {self}", remedy)

    def reach(self, theta: FloatArray) -> FloatArray:
        """inf; for costs, the raise to 0."""
        return -np.asarray(theta) if self.cost else np.full(np.shape(theta), np.inf)

    def least(self, theta: FloatArray) -> FloatArray:
        """0; for costs, -inf."""
        return np.full(np.shape(theta), -np.inf if self.cost else 0.0)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Means moved away from 0, which is not allowed, to at least a thousandth of the mean absolute value."""
        size = np.abs(means)
        margin = max(SHARE * float(size.mean()) if size.size else 0.0, LEAST)
        return np.minimum(means, -margin) if self.cost else np.maximum(means, margin)

    def possible(self, means: FloatArray) -> FloatArray:
        """The nearest means. The law excludes 0: an observed 0 counts as 1 nat against the largest of these means."""
        size = np.maximum(-means if self.cost else means, 0.0)
        if (size == 0.0).any():
            size[size == 0.0] = kernels.at_edge(kernels.array(1, kernels.GAMMA, self.shape), 0, float(size.max()))
        return np.asarray(-size if self.cost else size)

    def compiled(self, d: int) -> FloatArray:
        """See `Law.compiled`; the parameter is the shape."""
        if self.cost:
            return kernels.array(d, kernels.GAMMA_COST, self.shape, 0.0)
        return kernels.array(d, kernels.GAMMA, self.shape)

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """With ``z = e/|theta|``: ``k (log(1+z) - z/(1+z))``, for costs ``k (log(1-z) + z/(1-z))``."""
        z = rise / np.abs(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.cost:
                return np.where(z < 1.0, self.shape * (z * z / (1.0 - z) - excess(-z)), np.inf)
            return self.shape * np.where(z < 1.0, z * z / (1.0 + z) - excess(z), np.log1p(z) - z / (1.0 + z))

    def mirrored(self, theta: FloatArray) -> tuple[Law, FloatArray]:
        """The law of minus the rewards."""
        return replace(self, cost=not self.cost), -theta

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """Where ``k z / (1+z)^2 = s theta``, z <= 1; for costs ``k z / (1-z)^2 = s c``."""
        size = np.abs(theta)
        q = slope * size / self.shape
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.cost:
                return np.where(np.isfinite(q), size * (2.0 * q / (1.0 + 2.0 * q + np.sqrt(1.0 + 4.0 * q))), size)
            root = np.sqrt(np.maximum(1.0 - 4.0 * q, 0.0))
            return size * np.where(q < 0.25, 2.0 * q / (1.0 - 2.0 * q + root), 1.0)

    def raise_derivative(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """``theta^2/k (1+z)^3 / (1-z)``; for costs ``c^2/k (1-z)^3 / (1+z)``."""
        size, sign = np.abs(theta), -1.0 if self.cost else 1.0
        z = sign * self.raise_at(theta, slope) / size
        with np.errstate(divide="ignore"):
            return np.where(z < 1.0, np.square(size) / self.shape * (1.0 + z) ** 3 / (1.0 - z), 0.0)

    def convex_to(self, theta: FloatArray) -> FloatArray:
        """The mean for rewards, which the raise doubles; inf for costs."""
        return np.full(np.shape(theta), np.inf) if self.cost else np.abs(theta)
