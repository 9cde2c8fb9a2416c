"""Units in which the rewards of a problem are about 1, so that nothing on the way overflows, whatever the user's unit is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from semibandits._typing import FloatArray
from semibandits.errors import InvalidInputError
from semibandits.graves_lai.result import ExplorationPlan, GravesLaiResult, Progress
from semibandits.laws import Gaussian

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Units:
    """Powers of two: rewards are counted in 2^reward, variances in 2^variance, which changes no digit.

    C(theta) is proportional to the variances and inversely proportional to the rewards; rates have one more reward below.
    """

    reward: int
    variance: int

    @staticmethod
    def of(theta: FloatArray, variance: FloatArray) -> Units:
        """Units in which the largest reward and the largest variance lie between 1/2 and 1."""
        largest, widest = np.abs(theta).max(initial=0.0), variance.max(initial=0.0)
        return Units(int(np.frexp(largest)[1]), int(np.frexp(widest)[1]))

    def scaled(self, theta: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The problem in these units."""
        return np.ldexp(theta, -self.reward), np.ldexp(variance, -self.variance)

    def progress(self, report: Callable[[Progress], None] | None) -> Callable[[Progress], None] | None:
        """A callback for the scaled problem that reports on the user's."""
        if report is None:
            return None
        return lambda now: report(replace(now, lower=self._value(now.lower), value=self._value(now.value)))

    def unscaled(self, result: GravesLaiResult, theta: FloatArray, variance: FloatArray) -> GravesLaiResult:
        """The result in the units of the user, who gave `theta` and `variance`.

        Raises
        ------
        InvalidInputError
            If the value or a rate is too large or too small for a floating-point number.
        """
        with np.errstate(over="ignore", under="ignore"):
            value, lower = self._value(result.value), self._value(result.lower)
            rates = np.ldexp(result.plan.rates, self.variance - 2 * self.reward)
        if not (
            np.isfinite(value)
            and np.isfinite(rates).all()
            and (rates >= TINY).all()
            and (value > 0) == (len(rates) > 0)
        ):
            raise InvalidInputError(
                "theta and variance must be of a size at which rates 2 * variance / gap^2 are floating-point numbers, got "
                f"rewards up to {np.abs(theta).max():g} and variances up to {variance.max():g}: choose another unit"
            )
        plan = ExplorationPlan(result.plan.decisions, rates)
        return replace(
            result, value=value, lower=lower, plan=plan, theta=theta, variance=variance, law=Gaussian(variance)
        )

    def _value(self, value: float) -> float:
        return float(np.ldexp(value, self.variance - self.reward))
