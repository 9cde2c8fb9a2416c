"""Conformance checks of reward laws."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
from scipy.integrate import quad

from semibandits._typing import ArrayLike, FloatArray
from semibandits.errors import InvalidInputError
from semibandits.inputs.validation import as_floats
from semibandits.laws.base import LAST_DIGITS, Law
from semibandits.testing._require import require

SHARES: Final = np.array([1e-12, 1e-9, 1e-6, 1e-3, 0.03, 0.1, 0.3, 0.6, 0.9, 0.99])
"""Raises to check, as shares of the largest one."""
LARGEST: Final = 50.0
"""The largest raise to check if the law has no limit, in standard deviations or absolute means, whichever is larger."""
_REMEDY: Final = ": formulas that cancel for tiny raises need np.log1p, np.expm1 or a series"


def check_law(law: Law, theta: ArrayLike) -> None:
    """Check that a law satisfies the requirements of :class:`semibandits.laws.Law` at the given means.

    * `check` accepts the means;
    * `reach` and `convex_to` are positive, and the divergence is infinite beyond the reach;
    * the divergence is 0 at 0, increasing, and convex up to `convex_to`;
    * `raise_at` is finite just before the slope `jump_at`, and inf there;
    * `raise_at` is the inverse of the slope s(e) of the divergence d. Then ``d(e) = s e - (integral of raise_at from 0 to s)``,
      which must hold to the relative accuracy `rounding`, including tiny slopes. The integral is computed by quadrature;
    * raises and slopes of shape (k, d) give results of that shape.

    Parameters
    ----------
    law : Law
        The law to check.
    theta : array_like of float, shape (d,)
        Valid means with positive variance. Include extreme values and values near the ends of the range.

    Raises
    ------
    AssertionError
        If a requirement is violated.
    InvalidInputError
        If `theta` is not a vector, or `law.check` refuses it.

    Examples
    --------
    Nothing is printed if all requirements are met. docs/laws.md checks a law that is not in the library.

    >>> from semibandits.laws import Bernoulli, Poisson
    >>> from semibandits.testing import check_law
    >>> check_law(Poisson(cost=True), [-0.02, -3.0])
    >>> check_law(Bernoulli(), [0.5, 1.2])
    Traceback (most recent call last):
        ...
    semibandits.errors.InvalidInputError: theta must lie in [0, 1] for Bernoulli rewards, got 1.2 for item 1: ...
    """
    means = as_floats(theta, "theta")
    if means.ndim != 1 or not len(means):
        raise InvalidInputError(f"theta must be a vector of means, got shape {means.shape}: pass for instance [0.2, 0.7]")
    law.check(means)
    reach, convex_to = law.reach(means), law.convex_to(means)
    require(bool((reach > 0).all() and (convex_to > 0).all()), f"reach and convex_to must be positive, got {reach}, {convex_to}")
    bounded = np.isfinite(reach)
    beyond = law.divergence(means, np.where(bounded, reach * (1.0 + 1e-9), 1.0))[bounded]
    require(bool(np.isinf(beyond).all()), f"the divergence must be inf beyond the reach, got {beyond}")
    require(bool((law.divergence(means, np.zeros(len(means))) == 0.0).all()), "the divergence must be 0 at a raise of 0")
    require(bool((law.raise_at(means, np.zeros(len(means))) == 0.0).all()), "raise_at must be 0 at a slope of 0")
    jumps = law.jump_at(means)
    with np.errstate(all="ignore"):
        before = law.raise_at(means, np.where(np.isfinite(jumps), np.nextafter(jumps, 0.0), 0.0))
        reached = law.raise_at(means, np.where(np.isfinite(jumps), jumps, 0.0))
    require(
        bool(np.isfinite(before).all() and np.isinf(reached[np.isfinite(jumps)]).all()),
        f"raise_at must be finite before and inf at the slopes jump_at, got {before} and {reached} for {jumps}",
    )
    variance, limit = law.variance_at(means), np.minimum(reach, convex_to)
    require(
        bool((variance >= 0.0).all()),
        f"raise_at must increase with the slope from 0 on, where its derivative is the variance, got {variance} for the means "
        f"{means}",
    )
    size = np.maximum(np.sqrt(variance), np.abs(means))
    raises = np.outer(SHARES, np.where(np.isfinite(limit), limit, LARGEST * size))  # shape (k, d)
    _check_shapes(law, means, raises)
    _check_convexity(law, means, raises)
    _check_inverse(law, means, raises)


def _check_shapes(law: Law, theta: FloatArray, raises: FloatArray) -> None:
    for name, answer in (("divergence", law.divergence(theta, raises)), ("raise_at", law.raise_at(theta, raises))):
        require(
            np.shape(answer) == raises.shape,
            f"{name} must return shape {raises.shape} for raises or slopes of that shape, got {np.shape(answer)}",
        )
        k, i = np.unravel_index(np.isnan(answer).argmax(), raises.shape)
        require(
            not np.isnan(answer[k, i]),
            f"{name} must not be NaN, got NaN at the mean {theta[i]} and the raise or slope {raises[k, i]}",
        )
        rows = [getattr(law, name)(theta, row) for row in raises]
        require(np.allclose(answer, rows, rtol=1e-14), f"{name} must be equal row by row, got {answer} and {rows}")


def _check_convexity(law: Law, theta: FloatArray, raises: FloatArray) -> None:
    paid = law.divergence(theta, raises)
    k, i = np.unravel_index((np.diff(paid, axis=0) > 0).argmin(), paid[1:].shape)
    require(
        bool(paid[k + 1, i] > paid[k, i]),
        f"the divergence must increase with the raise, got {paid[k, i]:g} and {paid[k + 1, i]:g} at the mean {theta[i]} and the "
        f"raises {raises[k, i]:g} and {raises[k + 1, i]:g}{_REMEDY}",
    )
    grid = np.linspace(0.0, 1.0, 401)[:, np.newaxis] * raises[-1]
    curve = law.divergence(theta, grid)
    bend = np.diff(curve, 2, axis=0) + 1e-11 * curve[2:]
    k, i = np.unravel_index(bend.argmin(), bend.shape)
    require(
        bool(bend.min() >= 0.0),
        f"the divergence must be convex up to convex_to, got a decreasing slope at the mean {theta[i]} and the raise "
        f"{grid[k + 1, i]}",
    )


def _check_inverse(law: Law, theta: FloatArray, raises: FloatArray) -> None:
    for i in range(len(theta)):
        own, alone = law.take(np.array([i])), theta[i : i + 1]
        slopes = np.array([_slope(own, alone, rise) for rise in raises[:, i]])
        for rise, slope in zip(raises[:, i], slopes, strict=True):
            there = float(own.raise_at(alone, np.array([slope]))[0])
            at = there if abs(there - rise) <= 1e-6 * rise else float(rise)  # far apart where slopes hardly differ
            paid = float(own.divergence(alone, np.array([at]))[0])
            expected = float(slope * at - _integral(own, alone, slope))
            allowed = (LAST_DIGITS + own.rounding) * slope * at + 1e-300
            require(
                abs(paid - expected) <= allowed,
                f"the divergence must agree with raise_at to a relative {own.rounding:g} of slope times raise (or override "
                f"rounding), got {paid!r} instead of {expected!r} at the mean {theta[i]} and the raise {at!r}{_REMEDY}",
            )


def _slope(law: Law, theta: FloatArray, rise: float) -> float:
    """The slope at which `raise_at` gives this raise, by bisection of its logarithm."""
    low, high = -700.0, 700.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if law.raise_at(theta, np.array([np.exp(middle)]))[0] < rise:
            low = middle
        else:
            high = middle
    return float(np.exp(low))


def _integral(law: Law, theta: FloatArray, slope: float) -> float:
    """Integral of raise_at from 0 to a slope."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # quad warns that rounding limits its accuracy
        found, _ = quad(
            lambda share: law.raise_at(theta, np.array([slope * share]))[0], 0.0, 1.0, epsabs=0.0, epsrel=2e-14, limit=1000
        )
    return float(slope * found)
