"""Gaussian rewards of known variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray, IntArray
from semibandits._validation import as_floats
from semibandits.errors import InvalidInputError
from semibandits.kernels import laws as kernels
from semibandits.laws.base import Law

DEFAULT_VARIANCE = 0.5


@final
@dataclass(frozen=True, eq=False)
class Gaussian(Law):
    """Gaussian rewards; any rewards whose deviations are sub-Gaussian with this variance are no harder.

    Parameters
    ----------
    variance : float or sequence of float, shape (d,)
        Variance, > 0: one for all items, or one for each.
    upper : float or sequence of float, shape (d,)
        What the means are known not to exceed: 0 for costs, minus the free-flow time for travel times; inf if nothing is known.

    Raises
    ------
    InvalidInputError
        If a variance is not positive, or a bound is nan or -inf.
    """

    variance: ArrayLike = DEFAULT_VARIANCE
    upper: ArrayLike = np.inf

    def __post_init__(self) -> None:
        variance = as_floats(self.variance, "variance")
        if not (variance > 0.0).all():
            raise InvalidInputError(
                f"variance must be positive, got {variance.min()}: pass the variance of the rewards"
            )
        upper = np.asarray(self.upper, dtype=np.float64)
        if np.isnan(upper).any() or (upper == -np.inf).any():
            raise InvalidInputError("upper must be numbers or inf, got nan or -inf: leave it out if no bound is known")
        object.__setattr__(self, "variance", _plain(variance))
        object.__setattr__(self, "upper", np.inf if np.isinf(upper).all() else _plain(upper))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Gaussian)
            and np.array_equal(self.variance, other.variance)
            and np.array_equal(self.upper, other.upper)
        )

    def __hash__(self) -> int:
        return hash((np.asarray(self.variance).tobytes(), np.asarray(self.upper).tobytes()))

    def check(self, theta: FloatArray) -> None:
        """Refuse means above what is known of them."""
        for name in ("variance", "upper"):
            shape = np.shape(getattr(self, name))
            if shape not in ((), np.shape(theta)):
                raise InvalidInputError(
                    f"{name} must be one number or one for each of {len(theta)} items, got shape {shape}"
                )
        above = np.flatnonzero(theta > np.asarray(self.upper))
        if above.size:
            raise InvalidInputError(
                f"means must be at most upper, got {theta[above[0]]:g} for item {above[0]}: leave upper out, or raise it"
            )

    @property
    def size(self) -> int | None:
        """None if it has one number for all."""
        return max((np.size(one) for one in (self.variance, self.upper) if np.ndim(one)), default=None)

    def take(self, items: IntArray) -> Self:
        """The law of these items."""
        parts = (np.asarray(one)[items] if np.ndim(one) else one for one in (self.variance, self.upper))
        return type(self)(*parts)

    @property
    def is_quadratic(self) -> bool:
        """Unless a bound is known."""
        return bool(np.isinf(np.asarray(self.upper)).all())

    @property
    def rounding(self) -> float:
        """0: a square over a number."""
        return 0.0

    def reach(self, theta: FloatArray) -> FloatArray:
        """Up to the bound, which can be attained."""
        return np.asarray(self.upper) - theta

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """e^2 / (2 sigma^2)."""
        return np.where(rise <= self.reach(theta), np.square(rise) / (2.0 * np.asarray(self.variance)), np.inf)

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """sigma^2 s, up to the bound."""
        return np.minimum(np.asarray(self.variance) * slope, self.reach(theta))

    def raise_derivative(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """sigma^2, and 0 at the bound."""
        variance = np.asarray(self.variance)
        return np.where(variance * slope < self.reach(theta), variance, 0.0)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """At most the bound."""
        return np.asarray(np.minimum(means, np.asarray(self.upper)))

    def compiled(self, d: int) -> FloatArray:
        """Variances and bounds."""
        return kernels.array(d, kernels.GAUSSIAN, self.variance, self.upper)

    def variance_at(self, theta: FloatArray) -> FloatArray:
        """The variance, whatever the bound."""
        return np.broadcast_to(np.asarray(self.variance, dtype=np.float64), np.shape(theta)).copy()


def _plain(values: FloatArray) -> float | FloatArray:
    """A number, or numbers that nobody changes."""
    if np.ndim(values) == 0:
        return float(values)
    values = np.array(values)
    values.setflags(write=False)
    return values
