"""Rewards in an interval, independent across items."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from semibandits._typing import ArrayLike
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.validation import check_numbers, finite_number, number_in
from semibandits.kernels.rewards import BETA
from semibandits.rewards._checks import LARGEST_NUMBER, mean_vector
from semibandits.rewards._digest import described
from semibandits.rewards.base import CompiledRewards, KernelRewards

LEAST_CONCENTRATION, MOST_CONCENTRATION = 1e-3, 1e9
"""Outside, a law is two-point or constant up to rounding."""
LEAST_SHAPE = 1e-100
"""Smaller shapes of a Beta law are set to 0: no draw would ever show the difference."""


@final
class BoundedRewards(KernelRewards):
    """Rewards in [low, high], independent across items: scaled Beta laws.

    With p = (theta - low) / (high - low), the reward of an item is low + (high - low) B, where B follows
    Beta(c p, c (1 - p)) and c is the concentration. Its mean is theta and its variance (high - low)**2 p (1 - p) / (1 + c). At
    c = 2 and p = 1/2 it is uniform; as c goes to 0 only low and high remain, as c grows it becomes constant. The reward of an
    item with mean low or high is constant.

    Policies receive the variance (high - low)**2 / 4, a sub-Gaussian proxy of every law on the interval: a function of
    the interval alone.

    Parameters
    ----------
    theta : array_like of float, shape (d,)
        Mean reward of each item, in [low, high].
    costs : array_like of float, shape (d,), optional
        Mean cost of each item instead of `theta`: costs are in [low, high], and rewards are minus costs.
    low, high : float
        Ends of the interval, low < high: of the costs if these are given.
    concentration : float
        How close rewards stay to their mean, in [1e-3, 1e9].

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given; if it has the wrong shape, is not finite, or leaves [low, high]; if
        low >= high, or either is not finite or exceeds 1e100; or if `concentration` leaves its interval.

    Examples
    --------
    >>> stars = sb.BoundedRewards([4.0, 2.5], low=1.0, high=5.0)  # mean ratings of two restaurants
    >>> stars.variance  # (high - low)**2 / 4
    4.0
    >>> stars.draw([0, 1], np.random.default_rng(0)).round(2).tolist()
    [4.61, 4.24]

    References
    ----------
    Hoeffding (1963), "Probability inequalities for sums of bounded random variables", equation 4.16.
    """

    @hinted
    def __init__(
        self,
        theta: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        low: float = 0.0,
        high: float = 1.0,
        concentration: float = 2.0,
    ) -> None:
        means = mean_vector(theta, costs)
        ends = _interval(low, high)
        self._low, self._high = ends if costs is None else (0.0 - ends[1], 0.0 - ends[0])
        remedy = "use BernoulliRewards for rewards at the two ends alone"
        self._concentration = number_in(concentration, "concentration", LEAST_CONCENTRATION, MOST_CONCENTRATION, remedy)
        name, given = ("theta", means) if costs is None else ("costs", 0.0 - means)
        wanted, remedy = f"be in [low, high] = [{ends[0]:g}, {ends[1]:g}]", "widen the interval, or pass the means in its unit"
        check_numbers(given, (means < self._low) | (means > self._high), name, wanted, remedy)
        width = self._high - self._low
        first = self._concentration * ((means - self._low) / width)
        second = self._concentration * ((self._high - means) / width)
        shapes = np.concatenate((first, second))
        numbers = np.concatenate(([self._low, self._high], np.where(shapes < LEAST_SHAPE, 0.0, shapes)))
        super().__init__(means, width**2 / 4, CompiledRewards(BETA, numbers, np.array([len(means)], dtype=np.int64)))

    def _parameters(self) -> dict[str, Any]:
        return {"theta": described(self._theta), "low": self._low, "high": self._high, "concentration": self._concentration}


def _interval(low: float, high: float) -> tuple[float, float]:
    """Valid ends, so far apart that the square of their distance does not underflow."""
    a, b = finite_number(low, "low"), finite_number(high, "high")
    if max(abs(a), abs(b)) > LARGEST_NUMBER:
        raise InvalidInputError(
            f"low and high must be at most {LARGEST_NUMBER:g} in absolute value, got {a:g} and {b:g}: "
            "give rewards in a larger unit"
        )
    if not b > a or (b - a) ** 2 / 4 == 0.0:
        raise InvalidInputError(
            f"low must be below high, got low = {a:g} and high = {b:g}: pass the interval that holds every reward"
        )
    return a, b
