"""Poisson counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.inputs.validation import check_numbers
from semibandits.kernels import laws as kernels
from semibandits.laws._series import excess
from semibandits.laws.base import Law

FAR = 1e10
"""Raises above this multiple of the mean use a formula with separate logarithms."""


@final
@dataclass(frozen=True)
class Poisson(Law):
    """Poisson counts: orders, accidents, goals.

    Parameters
    ----------
    cost : bool
        Whether the reward is minus the count. Means must then be at most 0, otherwise at least 0.

    Notes
    -----
    The divergence from the mean count p to q is ``q - p - p log(q / p)`` nats (Garivier and Cappé 2011).

    Examples
    --------
    >>> law = sb.laws.Poisson()
    >>> orders = np.array([4.0, 1.0])  # mean orders of two dishes a day
    >>> law.divergence(orders, np.array([1.0, 4.0])).round(3).tolist()  # nats per day, against a mean of 5
    [0.107, 2.391]
    >>> sb.graves_lai(sb.MSets(3, 1), [5.0, 4.0, 1.0], law=law).rates.round(2).tolist()  # exploration plays per ln T
    [0.0, 9.31, 0.42]
    >>> accidents = sb.laws.Poisson(cost=True)
    >>> sb.graves_lai(sb.MSets(3, 1), costs=[1.0, 2.0, 4.0], law=accidents).rates.round(2).tolist()
    [0.0, 2.59, 0.39]
    """

    cost: bool = False

    @property
    def outcomes(self) -> tuple[float, float]:
        """Counts are at least 0; their negatives at most 0."""
        return (-np.inf, 0.0) if self.cost else (0.0, np.inf)

    def check(self, theta: FloatArray) -> None:
        """Refuse means of the wrong sign."""
        sign, remedy = ("<= 0", "leave out cost=True") if self.cost else (">= 0", "pass cost=True for costs")
        check_numbers(theta, (theta > 0.0) if self.cost else (theta < 0.0), "means", f"be {sign} for {self}", remedy)

    def reach(self, theta: FloatArray) -> FloatArray:
        """inf; for costs, the raise to 0."""
        return -np.asarray(theta) if self.cost else np.full(np.shape(theta), np.inf)

    def least(self, theta: FloatArray) -> FloatArray:
        """0; for costs, -inf."""
        return np.full(np.shape(theta), -np.inf if self.cost else 0.0)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Means moved to at least half a count in N + 1 plays away from 0, with N the largest number of plays."""
        margin = 0.5 / (float(plays.max(initial=0.0)) + 1.0)
        return np.minimum(means, -margin) if self.cost else np.maximum(means, margin)

    def estimated_variance(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """``(S + 1/2) / n`` for a total count S in n plays, the posterior mean under Jeffreys' prior."""
        count = np.maximum(plays, 1.0)
        return np.asarray((np.maximum(-means if self.cost else means, 0.0) * count + 0.5) / count)

    def compiled(self, d: int) -> FloatArray:
        """See `Law.compiled`; the law has no parameters."""
        return kernels.array(d, kernels.POISSON_COST, bound=0.0) if self.cost else kernels.array(d, kernels.POISSON)

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """``e - theta log(1 + e/theta)``; for costs c ``-e - c log(1 - e/c)``."""
        count = np.abs(theta)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.cost:
                return np.where(rise < count, count * excess(-rise / count), np.where(rise > 0.0, np.inf, 0.0))
            # If the mean is 0, the divergence is e.
            logarithm = np.where(count > 0.0, count * (np.log(rise) - np.log(count)), 0.0)
            return np.where(rise > FAR * count, rise - logarithm, np.where(rise > 0.0, count * excess(rise / count), 0.0))

    def mirrored(self, theta: FloatArray) -> tuple[Law, FloatArray]:
        """The law of minus the rewards."""
        return replace(self, cost=not self.cost), -theta

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """``theta s / (1 - s)``, inf from s = 1 on; for costs ``c s / (1 + s)``."""
        count = np.abs(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.cost:
                return np.where(np.isfinite(slope), count * (slope / (1.0 + slope)), count)
            return np.where(slope < 1.0, count * (slope / (1.0 - slope)), np.inf)

    def jump_at(self, theta: FloatArray) -> FloatArray:
        """1 for a mean of 0, whose raises are 0 up to this slope; none for costs."""
        return np.where((np.asarray(theta) == 0.0) & (not self.cost), 1.0, np.inf)

    def raise_derivative(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """``theta / (1 - s)^2``; for costs ``c / (1 + s)^2``."""
        count = np.abs(theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            return count / np.square(1.0 + slope) if self.cost else np.where(slope < 1.0, count / np.square(1.0 - slope), 0.0)
