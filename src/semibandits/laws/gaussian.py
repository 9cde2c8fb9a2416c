"""Gaussian rewards of known variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from semibandits._typing import ArrayLike, FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import as_floats, check_numbers
from semibandits.kernels import laws as kernels
from semibandits.laws.base import Law

DEFAULT_VARIANCE = 0.5


@final
@dataclass(frozen=True, eq=False)
class Gaussian(Law):
    """Gaussian rewards. Bounds also hold for rewards with sub-Gaussian deviations of this variance.

    Parameters
    ----------
    variance : float or sequence of float, shape (d,)
        Variance, > 0: one number for all items, or one per item.
    upper : float or sequence of float, shape (d,)
        Known upper bound on the means: 0 for costs, minus the free-flow time for travel times, inf if none is known.

    Raises
    ------
    InvalidInputError
        If a variance is not positive, or an upper bound is nan or -inf.

    Notes
    -----
    The divergence is ``e^2 / (2 variance)`` nats for a raise of the mean by e, inf above the upper bound.

    Examples
    --------
    >>> law = sb.laws.Gaussian(variance=[1.0, 4.0, 4.0])  # daily tips of three couriers
    >>> law.divergence(np.array([9.0, 8.0, 7.0]), np.array([1.0, 1.0, 2.0])).tolist()  # rise**2 / (2 variance)
    [0.5, 0.125, 0.5]
    >>> sb.graves_lai(sb.MSets(3, 1), [9.0, 8.0, 7.0], law=law).rates.round(2).tolist()  # 2 variance / gap**2
    [0.0, 8.0, 2.0]
    >>> sb.laws.Gaussian(upper=0.0).reach(np.array([-3.0])).tolist()  # a cost of 3 can be at most 3 lower
    [3.0]
    """

    variance: ArrayLike = DEFAULT_VARIANCE
    upper: ArrayLike = np.inf

    def __post_init__(self) -> None:
        variance = as_floats(self.variance, "variance")
        if not (variance > 0.0).all():
            raise InvalidInputError(f"variance must be positive, got {variance.min()}: pass the variance of the rewards")
        upper = np.asarray(self.upper, dtype=np.float64)
        if np.isnan(upper).any() or (upper == -np.inf).any():
            raise InvalidInputError("upper must be numbers or inf, got nan or -inf: leave it out if no bound is known")
        object.__setattr__(self, "variance", _read_only(variance))
        object.__setattr__(self, "upper", np.inf if np.isinf(upper).all() else _read_only(upper))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Gaussian)
            and np.array_equal(self.variance, other.variance)
            and np.array_equal(self.upper, other.upper)
        )

    def __hash__(self) -> int:
        return hash((np.asarray(self.variance).tobytes(), np.asarray(self.upper).tobytes()))

    def check(self, theta: FloatArray) -> None:
        """Refuse means above their upper bound."""
        for name in ("variance", "upper"):
            shape = np.shape(getattr(self, name))
            if shape not in ((), np.shape(theta)):
                raise InvalidInputError(f"{name} must be one number or one per item, of shape ({len(theta)},), got shape {shape}")
        check_numbers(theta, theta > np.asarray(self.upper), "means", "be at most upper", "leave upper out, or increase it")

    @property
    def size(self) -> int | None:
        """Number of items if there is a parameter per item, otherwise None."""
        return max((np.size(one) for one in (self.variance, self.upper) if np.ndim(one)), default=None)

    def take(self, items: IntArray) -> Self:
        """The law of these items."""
        parts = (np.asarray(one)[items] if np.ndim(one) else one for one in (self.variance, self.upper))
        return type(self)(*parts)

    @property
    def is_quadratic(self) -> bool:
        """True unless an upper bound is known."""
        return bool(np.isinf(np.asarray(self.upper)).all())

    @property
    def rounding(self) -> float:
        """0: the divergence is a square divided by a number."""
        return 0.0

    def reach(self, theta: FloatArray) -> FloatArray:
        """Distance to the upper bound, which is attained."""
        return np.asarray(self.upper) - theta

    def divergence(self, theta: FloatArray, rise: FloatArray) -> FloatArray:
        """e^2 / (2 sigma^2)."""
        return np.where(rise <= self.reach(theta), np.square(rise) / (2.0 * np.asarray(self.variance)), np.inf)

    def mirrored(self, theta: FloatArray) -> tuple[Law, FloatArray]:
        """The same variance; falls are not limited by the upper bound."""
        return Gaussian(self.variance), -theta

    def raise_at(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """sigma^2 s, limited by the upper bound."""
        return np.minimum(np.asarray(self.variance) * slope, self.reach(theta))

    def raise_derivative(self, theta: FloatArray, slope: FloatArray) -> FloatArray:
        """sigma^2, and 0 at the bound."""
        variance = np.asarray(self.variance)
        return np.where(variance * slope < self.reach(theta), variance, 0.0)

    def estimates(self, means: FloatArray, plays: FloatArray) -> FloatArray:
        """Means limited by the upper bound."""
        return np.asarray(np.minimum(means, np.asarray(self.upper)))

    def compiled(self, d: int) -> FloatArray:
        """See `Law.compiled`; the parameters are variance and upper bound."""
        return kernels.array(d, kernels.GAUSSIAN, self.variance, self.upper)

    def variance_at(self, theta: FloatArray) -> FloatArray:
        """The variance, whatever the upper bound."""
        return np.broadcast_to(np.asarray(self.variance, dtype=np.float64), np.shape(theta)).copy()


def _read_only(values: FloatArray) -> float | FloatArray:
    """A float, or a read-only copy of an array."""
    if np.ndim(values) == 0:
        return float(values)
    values = np.array(values)
    values.setflags(write=False)
    return values


def bounded_by(law: Law, upper: FloatArray | None) -> Law:
    """The law of means that are also known to be at most `upper`, shape (d,), if it is Gaussian; other laws are unchanged."""
    if upper is None or not isinstance(law, Gaussian):
        return law
    return Gaussian(law.variance, np.minimum(law.upper, upper))
