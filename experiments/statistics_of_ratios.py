"""Paired comparisons of two policies over replications: ratios of means, one-sided tests, and many tests at once.

Replications are the samples. All intervals and tests are Student's, so they assume that the mean of the replications is normal.
Regret has a heavy right tail, and a sample without its rare runs has too small a mean and too small a spread: tests then favour
the policy with the heavier tail. :func:`largest_over_mean` returns the largest observed run relative to the mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtr, stdtrit

Vector: TypeAlias = NDArray[np.float64]


class Interval(NamedTuple):
    """An estimate with its confidence interval."""

    value: float
    lower: float
    upper: float


def paired_ratio(numerator: ArrayLike, denominator: ArrayLike, level: float = 0.95) -> Interval:
    """E[a] / E[b] from n >= 2 paired samples, with Fieller's interval.

    It holds all r for which the mean of ``a - r b`` is not significantly different from 0 (Fieller 1954). The ends are infinite
    where the mean of b itself is not significantly different from 0.
    """
    a, b = _pairs(numerator, denominator)
    n = len(a)
    scale = float(stdtrit(n - 1, (1 + level) / 2)) ** 2 / n
    covariance = scale * np.cov(a, b)
    mean_a, mean_b = float(a.mean()), float(b.mean())
    # The ends solve (mean_a - r mean_b)^2 = scale (s_aa - 2 r s_ab + r^2 s_bb).
    quadratic = mean_b**2 - covariance[1, 1]
    linear = mean_a * mean_b - covariance[0, 1]
    constant = mean_a**2 - covariance[0, 0]
    if quadratic <= 0:
        return Interval(mean_a / mean_b if mean_b else math.nan, -math.inf, math.inf)
    root = math.sqrt(max(linear**2 - quadratic * constant, 0.0))
    return Interval(mean_a / mean_b, (linear - root) / quadratic, (linear + root) / quadratic)


def mean_interval(samples: ArrayLike, level: float = 0.95) -> Interval:
    """Mean of n >= 2 samples with Student's interval."""
    x = np.asarray(samples, dtype=np.float64)
    half = float(stdtrit(len(x) - 1, (1 + level) / 2)) * _standard_error(x)
    return Interval(float(x.mean()), float(x.mean()) - half, float(x.mean()) + half)


def p_above(samples: ArrayLike, bound: float = 0.0) -> float:
    """p-value of the one-sided t test of "the mean of n >= 2 samples is at most `bound`": small where it is larger."""
    x = np.asarray(samples, dtype=np.float64)
    excess, error = float(x.mean()) - bound, _standard_error(x)
    rounding = 1e-12 * max(float(np.abs(x).max()), abs(bound))
    if error <= rounding:
        return 0.0 if excess > rounding else 1.0
    return float(stdtr(len(x) - 1, -excess / error))


def p_ratio_above(numerator: ArrayLike, denominator: ArrayLike, factor: float) -> float:
    """p-value of the paired test of "E[a] <= factor E[b]"; see :func:`p_above`."""
    a, b = _pairs(numerator, denominator)
    return p_above(a - factor * b)


def p_ratio_below(numerator: ArrayLike, denominator: ArrayLike, factor: float) -> float:
    """p-value of the paired test of "E[a] >= factor E[b]"."""
    a, b = _pairs(numerator, denominator)
    return p_above(factor * b - a)


def holm(p_values: ArrayLike) -> Vector:
    """Adjusted p-values of tests with any dependence (Holm 1979), in the given order.

    Rejecting those of at most alpha rejects a true hypothesis with probability at most alpha.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def geometric_mean(pairs: Sequence[tuple[ArrayLike, ArrayLike]], level: float = 0.95) -> Interval:
    """Geometric mean over instances of E[a] / E[b], from paired samples with means above 0 on each instance.

    Samples of the same index may depend on each other across instances, for example because all use the same random numbers. The
    interval covers the variation due to replications on the same instances, not that due to other instances. The logarithm is
    assumed to be normal; its variance is estimated by the delta method, clustered by index.
    """
    logs, changes = np.zeros(len(pairs)), np.zeros(max(len(np.asarray(a)) for a, _ in pairs))
    for j, (numerator, denominator) in enumerate(pairs):
        a, b = _pairs(numerator, denominator)
        logs[j] = math.log(a.mean() / b.mean())
        changes[: len(a)] += (a / a.mean() - b / b.mean()) / len(a)
    half = float(ndtri((1 + level) / 2)) * math.sqrt(float(changes @ changes)) / len(pairs)
    centre = float(logs.mean())
    return Interval(math.exp(centre), math.exp(centre - half), math.exp(centre + half))


def largest_over_mean(samples: ArrayLike) -> float:
    """The largest sample over the mean; nan if the mean is 0."""
    x = np.asarray(samples, dtype=np.float64)
    return float(x.max() / x.mean()) if x.mean() else math.nan


def _standard_error(x: Vector) -> float:
    return float(x.std(ddof=1)) / math.sqrt(len(x))


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[Vector, Vector]:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or len(first) < 2:
        raise ValueError(f"samples must be two rows of the same length >= 2, got shapes {first.shape} and {second.shape}")
    return first, second
