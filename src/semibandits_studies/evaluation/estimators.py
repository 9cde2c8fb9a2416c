"""Estimates of what fixed choices would have earned, and their intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtrit

from semibandits._typing import FloatArray, IntArray
from semibandits_studies.evaluation.logs import Logs
from semibandits_studies.evaluation.result import ValueEstimate

GROUPS: Final = 50
"""Number of groups of consecutive rounds that are left out in turn."""
ESTIMATORS: Final = ("logged", "direct", "ips", "self_normalised", "doubly_robust", "weight")
"""Names of the numbers that `estimates` returns: values a round, and the mean weight of a play."""
STEPS: Final = 200
"""Largest number of steps of the fit of positions."""
NEGLIGIBLE: Final = 1e-12


@dataclass(frozen=True, eq=False)
class Target:
    """The choices to evaluate: for each row of the logs, and for all items, the probability that they have the item."""

    rows: FloatArray  # shape (n,)
    items: Callable[[FloatArray], FloatArray]  # from weights of the rounds to the weighted sum of the probabilities, shape (d,)


def estimates(logs: Logs, target: Target, kept: FloatArray, factors: FloatArray | None) -> FloatArray:
    """The numbers of `ESTIMATORS` from the rounds with weight 1 in `kept`, shape (number of rounds,); NaN without probabilities.

    `factors`, by position, are given, or None; then they are estimated if the logs have positions.
    """
    d, rows = len(logs.item_labels), kept[logs.rounds]
    n = kept.sum()
    rewards = logs.rewards
    if logs.positions is not None:
        seen = _examination(logs, rows) if factors is None else factors
        rewards = rewards / seen[logs.positions]

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(logs.items, weights=rows * values, minlength=d).astype(np.float64)

    shown = total(np.ones(len(rewards)))
    means = total(rewards) / np.maximum(shown, 1.0)
    chosen = target.items(kept) / n
    direct = chosen @ means
    logged = (rows @ logs.rewards) / n
    if logs.probabilities is None:
        return np.array([logged, direct, np.nan, np.nan, np.nan, np.nan])
    weights = target.rows / logs.probabilities
    weighed, earned = total(weights), total(weights * rewards)
    size, known = chosen.sum(), chosen @ (shown > 0.0)
    mass = weighed.sum()
    weight = mass / n / size if size else np.nan
    normalised = known * earned.sum() / mass if mass > 0.0 else np.nan
    robust = direct + (earned - means * weighed).sum() / n
    return np.array([logged, direct, earned.sum() / n, normalised, robust, weight])


def _examination(logs: Logs, rows: FloatArray) -> FloatArray:
    """How much each position multiplies the rewards of any item: the two-way multiplicative fit of their sums, with mean 1 over
    the plays [position-based model, Craswell et al. 2008].
    """
    assert logs.positions is not None
    k, d = len(logs.position_labels), len(logs.item_labels)
    cells, where = np.unique(logs.items * k + logs.positions, return_inverse=True)
    items, positions = cells // k, cells % k
    plays = np.bincount(where, weights=rows)
    sums = np.bincount(where, weights=rows * logs.rewards)
    of_items, of_positions = np.bincount(items, weights=sums, minlength=d), np.bincount(positions, weights=sums, minlength=k)
    factors = np.ones(k)
    for _ in range(STEPS):
        means = of_items / np.maximum(np.bincount(items, weights=plays * factors[positions], minlength=d), NEGLIGIBLE)
        expected = np.bincount(positions, weights=plays * means[items], minlength=k)
        fitted = np.where(expected > NEGLIGIBLE, of_positions / np.maximum(expected, NEGLIGIBLE), 1.0)
        fitted = np.maximum(fitted, NEGLIGIBLE)
        fitted /= fitted @ np.bincount(positions, weights=plays, minlength=k) / plays.sum()
        done = np.abs(fitted - factors).max() <= NEGLIGIBLE
        factors = fitted
        if done:
            break
    return factors


def jackknifed(statistic: Callable[[FloatArray], FloatArray], n_rounds: int, confidence: float) -> list[ValueEstimate]:
    """Each number of a statistic of the kept rounds, with an interval: the delete-a-group jackknife over groups of consecutive
    rounds, and Student's t [Efron and Stein 1981; Shao and Tu 1995, section 2.3]. NaN where a number is.
    """
    whole = statistic(np.ones(n_rounds))
    groups: list[IntArray] = np.array_split(np.arange(n_rounds), min(GROUPS, n_rounds))
    others = []
    for group in groups:
        kept = np.ones(n_rounds)
        kept[group] = 0.0
        others.append(statistic(kept))
    left_out = np.array(others)
    deviations = left_out - left_out.mean(axis=0)
    errors = np.sqrt((len(groups) - 1) / len(groups) * np.square(deviations).sum(axis=0))
    half = float(stdtrit(len(groups) - 1, (1.0 + confidence) / 2.0)) * errors
    return [ValueEstimate(*map(float, each)) for each in zip(whole, whole - half, whole + half, strict=True)]
