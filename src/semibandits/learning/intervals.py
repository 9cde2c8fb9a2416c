"""Estimates of the means, with intervals that hold for all numbers of observations at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.formats.text import brief
from semibandits.inputs.pandas_objects import new_frame
from semibandits.inputs.validation import number_in
from semibandits.laws import Gaussian, Law
from semibandits.policies.agents import RuleAgent
from semibandits.policies.base import Policy
from semibandits.policies.rules import LawPolicy

if TYPE_CHECKING:
    from pandas import DataFrame

BISECTIONS: Final = 48


@dataclass(frozen=True, eq=False)
class Estimates:
    """What is known about the mean reward of each item; see :meth:`Learner.estimates`.

    Attributes
    ----------
    error : float
        Probability that the interval of an item ever misses its mean.
    plays : ndarray of int, shape (d,)
        Number of observed rewards.
    open : ndarray of int, shape (d,)
        Number of open rounds with the item.
    means : ndarray of float, shape (d,)
        Mean of the observed rewards, NaN where there are none.
    lower, upper : ndarray of float, shape (d,)
        Ends of the intervals, NaN where nothing was observed; they may be infinite.
    shrunk, shrunk_sd : ndarray of float, shape (d,), or None
        With ``features=``: what is expected of each item, from the outcomes of all and the prior, and its standard deviation.
    labels : tuple
        Labels of the items.

    Notes
    -----
    Means and intervals are those of rewards; if costs are told, rewards are minus costs. :meth:`Learner.estimates` states the
    bound and its assumptions.

    Examples
    --------
    >>> articles = sb.MSets(2, 1, items=["arts", "sport"])
    >>> learner = sb.Learner.from_history(articles, ["arts"] * 100, [0.0, 1.0] * 50, variance=0.25, seed=0)
    >>> estimates = learner.estimates(error=0.05)
    >>> estimates.plays.tolist(), estimates.means.tolist()
    ([100, 0], [0.5, nan])
    >>> f"{estimates.lower[0]:.2f} to {estimates.upper[0]:.2f}"
    '0.25 to 0.75'
    """

    error: float
    plays: IntArray
    open: IntArray
    means: FloatArray
    lower: FloatArray
    upper: FloatArray
    shrunk: FloatArray | None = None
    shrunk_sd: FloatArray | None = None
    labels: tuple[Hashable, ...] = ()

    def __repr__(self) -> str:
        return brief(self)

    def __post_init__(self) -> None:
        for array in (self.plays, self.open, self.means, self.lower, self.upper, self.shrunk, self.shrunk_sd):
            if array is not None:
                array.setflags(write=False)

    def to_frame(self) -> DataFrame:
        """The estimates as a pandas frame.

        Returns
        -------
        DataFrame
            One row an item: item (its label), plays, open, mean, lower, upper, and with features shrunk and shrunk_sd.

        Raises
        ------
        SemibanditsError
            If pandas is not installed.
        """
        known = {"shrunk": self.shrunk, "shrunk_sd": self.shrunk_sd}
        columns = {"plays": self.plays, "open": self.open, "mean": self.means, "lower": self.lower, "upper": self.upper}
        columns |= {name: values for name, values in known.items() if values is not None}
        return new_frame({"item": list(self.labels), **columns})


def checked_error(error: object, name: str = "error") -> float:
    """A probability, > 0 and < 1."""
    return number_in(error, name, 0.0, 1.0, "pass for instance 0.05", ends="()")


def law_of(policy: Policy, rule: RuleAgent | None, variance: float | list[float]) -> Law:
    """The law that a learner assumes: that of its policy, or Gaussian with its variance."""
    law = policy.known_law if isinstance(policy, LawPolicy) else None
    if law is not None and not isinstance(law, Gaussian):
        return law
    return Gaussian(np.asarray(variance) if rule is None else rule.variance)


def interval(law: Law, means: FloatArray, levels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The means theta with ``d(mean, theta) <= level``, as their smallest and largest one, shape (d,) each; rounded outwards.
    `means` lie in the range of the law; `levels`, >= 0, are the information up to which other means are compatible with them.
    """
    if isinstance(law, Gaussian):
        width = np.sqrt(2.0 * np.asarray(law.variance) * levels)
        return means - width, means + width
    lowest, inside = law.least(means), law.possible(means)
    with np.errstate(invalid="ignore"):
        start = np.sqrt(2.0 * law.variance_at(inside) * levels)
    scale = np.where(start > 0.0, start, 1.0)
    fall = _largest(lambda e: law.divergence_below(inside, e), levels, scale, inside - lowest)
    rise = _largest(lambda e: law.divergence(inside, e), levels, scale, law.reach(inside))
    nearest = np.clip(means, lowest, inside + law.reach(inside))  # `inside` may be another mean where the law excludes these
    return np.minimum(inside - fall, nearest), np.maximum(inside + rise, nearest)


def _largest(
    divergence: Callable[[FloatArray], FloatArray], levels: FloatArray, scale: FloatArray, limit: FloatArray
) -> FloatArray:
    """The largest distance up to `limit` whose divergence is at most the level, from above."""
    low, high, factor = np.zeros(len(levels)), np.minimum(scale, limit), 2.0
    with np.errstate(all="ignore"):
        while math.isfinite(factor):
            short = ~(divergence(high) > levels) & (high < limit)
            if not short.any():
                break
            low, high = np.where(short, high, low), np.where(short, np.minimum(high * factor, limit), high)
            factor *= factor
        within = ~(divergence(high) > levels)  # then it is the limit itself
        for _ in range(BISECTIONS):
            middle = np.where(high > 4.0 * low, np.sqrt(low) * np.sqrt(high), 0.5 * (low + high))
            middle = np.where(low > 0.0, middle, 0.5 * high)
            over = divergence(middle) > levels
            low, high = np.where(over, low, middle), np.where(over, middle, high)
    return np.where(within, limit, high)
