"""Rewards of 0 or 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import check_numbers
from semibandits.kernels import laws as kernels
from semibandits.kernels.bernoulli import divergences, tilts
from semibandits.laws.base import LAST_DIGITS, Law

NEAR = 0.1
"""Raises up to this share of the room have no cancellation in what remains of the room."""
LEAST_PROBABILITY = 1e-100
"""If the largest mean is positive but below this, rates overflow."""


@final
@dataclass(frozen=True)
class Bernoulli(Law):
    """Rewards of 0 or 1: clicks, deliveries, successes. Means are probabilities, in [0, 1].

    Notes
    -----
    The divergence is that of Bernoulli laws, in nats: ``p log(p / q) + (1 - p) log((1 - p) / (1 - q))`` from the mean p to q
    (Garivier and Cappé 2011).

    Examples
    --------
    >>> law = sb.laws.Bernoulli()
    >>> clicks = np.array([0.5, 0.2])  # probabilities of a click on two articles
    >>> law.divergence(clicks, np.array([0.1, 0.1])).round(4).tolist()  # nats per play, against probabilities 0.1 larger
    [0.0204, 0.0257]
    >>> sb.graves_lai(sb.MSets(3, 1), [0.5, 0.2, 0.4], law=law).rates.round(2).tolist()  # exploration plays per ln T
    [0.0, 5.19, 49.66]
    """

    @property
    def outcomes(self) -> tuple[float, float]:
        """0 and 1; numbers between them are allowed."""
        return 0.0, 1.0

    def check(self, theta: FloatArray) -> None:
        """Refuse means that are not probabilities."""
        wanted = "lie in [0, 1] for Bernoulli rewards"
        check_numbers(theta, (theta < 0.0) | (theta > 1.0), "theta", wanted, "pass probabilities, or another law")
        if 0.0 < theta.max(initial=0.0) < LEAST_PROBABILITY:
            raise InvalidInputError(
                f"theta must be 0 or contain a mean of {LEAST_PROBABILITY:g} or more for Bernoulli rewards, got at most "
                f"{theta.max()}: pass 0 for such small probabilities"
            )

    def reach(self, theta: FloatArray) -> FloatArray:
        """1 - theta."""
        return 1.0 - np.asarray(theta)

    def variance_proxy(self, theta: FloatArray) -> FloatArray:
        """1/4, the largest variance, since the variance at theta would reveal theta."""
        return np.full(np.shape(theta), 0.25)

    def least(self, theta: FloatArray) -> FloatArray:
        """0."""
        return np.zeros(np.shape(theta))

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Means clipped to a distance of 1/(2N + 2) from 0 and 1, with N the largest number of plays."""
        margin = 0.5 / (plays.max(initial=0.0) + 1.0)
        return np.clip(means, margin, 1.0 - margin)

    def estimated_variance(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """The variance at ``(S + 1/2) / (n + 1)`` for S successes in n plays, the posterior mean under Jeffreys' prior."""
        smooth = (np.clip(means, 0.0, 1.0) * plays + 0.5) / (plays + 1.0)
        return np.asarray(smooth * (1.0 - smooth))

    def variance_at(self, theta: FloatArray) -> FloatArray:
        """Theta (1 - theta)."""
        return np.asarray(theta * (1.0 - theta))

    def compiled(self, d: int) -> FloatArray:
        """See `Law.compiled`; the law has no parameters."""
        return kernels.array(d, kernels.BERNOULLI, bound=1.0)

    def margin(self, theta: FloatArray) -> FloatArray:
        """1e-12, the distance from a mean of 1 that counts as 0."""
        return np.full(np.shape(theta), 1e-12)

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """``theta excess(e/theta) + (1-theta) excess(-e/(1-theta))`` with excess(x) = x - log(1+x): no term is negative."""
        shape, pairs = _pairs(theta, rise)
        return divergences(*pairs).reshape(shape)

    def mirrored(self, theta: FloatArray) -> tuple[Law, FloatArray]:
        """The law of failures, whose probabilities are ``1 - theta``."""
        return self, 1.0 - theta

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """The root of ``s (theta + e) (1 - theta - e) = e``."""
        return self.tilt(theta, slope)[0]

    def tilt(self, theta: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See `Law.tilt`. A separate equation for 1 minus the raised mean keeps digits if the raised mean is close to 1."""
        shape, pairs = _pairs(theta, slope)
        rise, derivative, information = (part.reshape(shape) for part in tilts(*pairs))
        return rise, derivative, information

    def conjugate_rounding(self, theta: FloatArray, slope: FloatArray, rise: FloatArray, information: FloatArray) -> FloatArray:
        """See `Law.conjugate_rounding`. Close to 1, the terms of the divergence and their errors are far larger than it."""
        rest = 1.0 - theta
        return LAST_DIGITS * (slope * rise + information + np.where(rise > NEAR * rest, rise + rest, 0.0))


def _pairs(one: FloatArray, other: FloatArray) -> tuple[tuple[int, ...], tuple[FloatArray, FloatArray]]:
    """The shape of the broadcast arrays, and their entries in order."""
    left, right = np.array(one, dtype=np.float64), np.array(other, dtype=np.float64)
    if left.shape != right.shape:  # broadcasting takes longer than the kernels on small arrays
        left, right = (np.array(part) for part in np.broadcast_arrays(left, right))
    return left.shape, (left.ravel(), right.ravel())
