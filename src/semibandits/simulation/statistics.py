"""Means, slopes and their confidence intervals over replications."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.inputs.validation import number_in

SETTLED: Final = 0.9
"""Share of rounds with an optimal decision from which on a policy counts as settled."""
CALLS: Final = ("linear_calls", "index_calls", "plans", "undecided")
STOPPED: Final = ("stopped", "stop_round", "stop_wrong")
"""Columns for the calls of a policy, and for its stops."""
NEAR: Final = 0.05
"""Share of the best mean reward that a policy may lose a round and still count as near it."""
LATEST: Final = 0.9
"""Share of all rounds after which it is too late to tell."""


class Estimate(NamedTuple):
    """A mean over replications with its confidence interval; the ends are nan for one replication."""

    value: float
    lower: float
    upper: float


class Band(NamedTuple):
    """Means over replications with pointwise confidence intervals, each of shape (c,)."""

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray


class Stopped(NamedTuple):
    """Replications that stopped before the horizon."""

    share: float  # of all replications
    rounds: float  # mean number of rounds before the stop; nan if none stopped
    wrong: float  # share of those that stopped whose decision is not good enough; nan if none stopped

    @staticmethod
    def of(checkpoints: IntArray, stops: IntArray) -> Stopped:
        """From the rounds after stops, shape (n, c, 2)."""
        after, wrong = stops[stops[:, -1, 0] > 0, -1].T
        if not len(after):
            return Stopped(0.0, math.nan, math.nan)
        return Stopped(len(after) / len(stops), float((checkpoints[-1] - after).mean()), float((wrong > 0).mean()))


@dataclass(frozen=True)
class PolicySummary:
    """Summary of one policy. Intervals have level 95 %, with the replications as samples (Student's t)."""

    policy: str
    regret: float  # mean cumulative pseudo-regret at the horizon, in units of reward
    standard_error: float  # of `regret`; nan for one replication
    regret_interval: tuple[float, float]  # confidence interval; nan for one replication
    slope: float  # of the mean regret against ln T over the last decade; nan if that has fewer than two checkpoints
    slope_interval: tuple[float, float]  # confidence interval
    slope_ratio: float | None  # slope / C(theta); None if the bound is unknown or 0
    regret_ratio: float | None  # regret / (C(theta) ln T) at the horizon T; None if the bound is unknown or C(theta) ln T is 0
    # Mean number of linear oracle calls, index oracle calls, plans, and index calls without a proof, up to the horizon.
    calls: tuple[float, float, float, float]
    # Share of the rounds in which an optimal decision was played; None if that was not recorded.
    optimal_share: float | None = None
    # The first round from which on an optimal decision was played in at least nine of ten rounds, in every interval between
    # checkpoints; None if there is no such round before the last tenth, or it is unknown.
    settled: int | None = None
    # The first round from which on the mean reward is within 5 % of the best one, in every interval between checkpoints, or None.
    within: int | None = None
    # With `stop_at`: how many replications stopped, when, and how many of those were wrong.
    stopped: Stopped | None = None

    def numbers(self) -> dict[str, Any]:
        """All of it by name, one number each: the columns of a table."""
        found: dict[str, Any] = {}
        for name, value in ((field.name, getattr(self, field.name)) for field in fields(self)):
            if name == "calls":
                found |= dict(zip(CALLS, value, strict=True))
            elif name == "stopped":
                found |= {} if value is None else dict(zip(STOPPED, value, strict=True))
            elif isinstance(value, tuple):
                ends = (f"{name.removesuffix('_interval')}_{end}" for end in ("lower", "upper"))
                found |= dict(zip(ends, value, strict=True))
            else:
                found[name] = value
        return found


def standard_error(samples: FloatArray) -> FloatArray:
    """Standard error of the mean along the first axis, ``s / sqrt(n)`` with the unbiased variance s**2; nan for one sample."""
    n = len(samples)
    if n == 1:
        return np.full(samples.shape[1:], np.nan)
    return np.asarray(np.std(samples, axis=0, ddof=1) / math.sqrt(n), dtype=np.float64)


def mean_band(samples: FloatArray, level: float) -> Band:
    """Mean along the first axis of samples of shape (n, c), and its pointwise confidence interval.

    Half widths are t quantiles with n - 1 degrees of freedom times the standard error; nan for n = 1.
    """
    from scipy.special import stdtrit

    level = number_in(level, "level", 0.0, 1.0, "pass 0.95 for 95 %", ends="()")
    mean = np.asarray(np.mean(samples, axis=0), dtype=np.float64)
    quantile = stdtrit(max(len(samples) - 1, 1), (1 + level) / 2)
    half = quantile * standard_error(samples)
    return Band(mean, mean - half, mean + half)


def in_last_decades(checkpoints: IntArray, decades: float) -> BoolArray:
    """Mask of the checkpoints in the last decades, those from ``horizon / 10**decades`` on, inclusive."""
    decades = number_in(decades, "decades", 0.0, math.inf, "pass 1.0 for the last factor of 10", ends="()")
    # The quotient is exact at the ends of whole decades. Beyond 300 decades the power would overflow.
    return np.asarray(checkpoints >= float(checkpoints[-1]) / 10.0 ** min(decades, 300.0))


def log_slopes(rounds: IntArray, values: FloatArray) -> FloatArray:
    """Least-squares slope of each row of `values`, shape (n, c), against ln T at c distinct rounds T; nan if c < 2."""
    if len(rounds) < 2:
        return np.full(len(values), np.nan)
    x = np.log(rounds)
    x -= x.mean()
    # The sum of x is 0 up to rounding: without its first value, a constant has the slope 0.
    return np.asarray((values - values[:, :1]) @ x / (x @ x), dtype=np.float64)


def slope_estimate(checkpoints: IntArray, regret: FloatArray, decades: float, level: float = 0.95) -> Estimate:
    """Slope of the mean regret against ln T over the last decades, with a confidence interval.

    The slope of the mean curve is the mean of the slopes of the replications, which are the samples of the interval. `regret` has
    the shape (n, c), one replication per row.
    """
    window = in_last_decades(checkpoints, decades)
    slopes = log_slopes(checkpoints[window], regret[:, window])
    value, lower, upper = (float(end[0]) for end in mean_band(slopes[:, np.newaxis], level))
    return Estimate(value, lower, upper)


def settled_round(checkpoints: IntArray, optimal: IntArray, share: float = SETTLED) -> int | None:
    """The first round from which on optimal decisions have at least this share of every interval between checkpoints.

    It is None if there is no such round, or less than a tenth of all rounds follow. `optimal`, shape (n, c), counts the rounds so
    far in which an optimal decision was played, one replication per row; the share is that of all replications together.
    """
    played = np.diff(optimal.sum(axis=0), prepend=0) / (len(optimal) * np.diff(checkpoints, prepend=0))
    return _from_then_on(checkpoints, played >= share)


def near_round(checkpoints: IntArray, regret: FloatArray, most: float) -> int | None:
    """The first round from which on the mean regret grows by at most `most` a round in every interval between checkpoints.

    It is None if there is no such round, or less than a tenth of all rounds follow. `regret`, shape (n, c), is cumulative
    pseudo-regret, one replication per row.
    """
    lost = np.diff(regret.mean(axis=0), prepend=0.0) / np.diff(checkpoints, prepend=0)
    return _from_then_on(checkpoints, lost <= most)


def _from_then_on(checkpoints: IntArray, holds: BoolArray) -> int | None:
    """The first round from which on every interval that ends at a checkpoint has a property, unless it is too late to tell."""
    failing = np.flatnonzero(~holds)
    if len(failing) == 0:
        return 1
    last = int(checkpoints[failing[-1]])
    return None if last > LATEST * checkpoints[-1] else last + 1


def summarise(
    policy: str,
    checkpoints: IntArray,
    regret: FloatArray,
    calls: IntArray,
    lower_bound: float | None,
    optimal: IntArray | None = None,
    stops: IntArray | None = None,
    best_mean: float | None = None,
) -> PolicySummary:
    """Summary of one policy; `lower_bound` is C(theta), and `best_mean` the mean reward of the best decision, if they are known.

    `regret`, shape (n, c), is cumulative pseudo-regret, one replication per row. `calls`, shape (n, c, 4), are numbers of oracle
    calls (linear, index), plans, and index calls without a proof. `optimal`, shape (n, c), is the number of rounds in which an
    optimal decision was played, and `stops`, shape (n, c, 2), those after a stop, if they were recorded.
    """
    final = mean_band(regret[:, -1:], 0.95)
    slope = slope_estimate(checkpoints, regret, 1.0)
    bound = lower_bound or math.nan  # there is no ratio to a bound of 0
    mean, reference = float(final.mean[0]), bound * math.log(int(checkpoints[-1]))
    linear, index, plans, undecided = (float(count) for count in calls[:, -1].mean(axis=0))
    return PolicySummary(
        policy=policy,
        regret=mean,
        standard_error=float(standard_error(regret[:, -1])),
        regret_interval=(float(final.lower[0]), float(final.upper[0])),
        slope=slope.value,
        slope_interval=(slope.lower, slope.upper),
        slope_ratio=slope.value / bound if bound > 0 else None,
        regret_ratio=mean / reference if reference > 0 else None,
        calls=(linear, index, plans, undecided),
        optimal_share=None if optimal is None else float(optimal[:, -1].mean() / checkpoints[-1]),
        settled=None if optimal is None else settled_round(checkpoints, optimal),
        within=None if best_mean is None else near_round(checkpoints, regret, NEAR * abs(best_mean)),
        stopped=None if stops is None else Stopped.of(checkpoints, stops),
    )
