"""Published policies for one arm of several with rewards 0 and 1, compiled; none uses the horizon.

kl-UCB (Garivier and Cappé 2011, level ln t), KL-UCB++ (Ménard and Garivier 2017) and AdaUCB's level (Lattimore 2018) at the
current round in place of the horizon, IMED (Honda and Takemura 2015), BESA (Baransi, Maillard and Mannor 2014), and
variance-based information-directed sampling (Russo and Van Roy 2018) with uniform priors, by sums over a grid of 1,000 means.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

KL_UCB, KL_UCB_PLUS_PLUS, ADA_UCB, IMED, BESA, IDS = range(6)
GRID = 1_000


@njit(cache=True, error_model="numpy")
def divergence(p: float, q: float) -> float:
    """Of rewards with mean p from those with mean q."""
    return (p * math.log(p / q) if p > 0.0 else 0.0) + ((1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0)


@njit(cache=True, error_model="numpy")
def by_bounds(rule: int, t: int, plays: np.ndarray, means: np.ndarray) -> int:
    """The arm with the largest mean that its plays do not refute at its level."""
    chosen, highest = -1, 0.0
    for i in range(len(plays)):
        n, level = plays[i], math.log(t)
        if rule == KL_UCB_PLUS_PLUS:
            log = max(math.log(t / (len(plays) * n)), 0.0)
            level = max(math.log(max(t / (len(plays) * n) * (1.0 + log * log), 1e-300)), 0.0)
        if rule == ADA_UCB:
            rivals = 0.0
            for other in plays:
                rivals += min(n, math.sqrt(n * other))
            level = max(math.log(t / rivals), 0.0)
        low, high = max(means[i], highest), 1.0
        if chosen >= 0 and (low >= 1.0 or n * divergence(means[i], low) >= level) and means[i] <= highest:
            continue
        for _ in range(30):
            middle = 0.5 * (low + high)
            if n * divergence(means[i], middle) <= level:
                low = middle
            else:
                high = middle
        if chosen < 0 or low > highest:
            chosen, highest = i, low
    return chosen


@njit(cache=True, error_model="numpy")
def by_imed(plays: np.ndarray, means: np.ndarray) -> int:
    """The arm with the smallest n d(mean, best mean) + ln n."""
    chosen, smallest, best = 0, math.inf, means.max()
    for i in range(len(plays)):
        value = math.log(plays[i]) + (plays[i] * divergence(means[i], best) if means[i] < best else 0.0)
        if value < smallest:
            chosen, smallest = i, value
    return chosen


@njit(cache=True)
def subsampled(successes: float, plays: float, size: float, rng: np.random.Generator) -> float:
    """Successes among `size` of the plays, drawn without replacement."""
    left = successes
    if size < plays:
        for k in range(int(size)):
            left -= rng.random() * (plays - k) < left
        return successes - left
    return successes


@njit(cache=True)
def by_besa(plays: np.ndarray, means: np.ndarray, rng: np.random.Generator) -> int:
    """The winner of a tournament in random order; in a duel, the longer history is subsampled to the length of the other."""
    arms = rng.permutation(len(plays))
    while len(arms) > 1:
        winners = np.empty((len(arms) + 1) // 2, dtype=np.int64)
        winners[-1] = arms[-1]
        for k in range(len(arms) // 2):
            a, b = arms[2 * k], arms[2 * k + 1]
            size = min(plays[a], plays[b])
            lead = subsampled(np.rint(means[a] * plays[a]), plays[a], size, rng)
            lead -= subsampled(np.rint(means[b] * plays[b]), plays[b], size, rng)
            winners[k] = a if lead > 0.0 or (lead == 0.0 and plays[a] <= plays[b]) else b
        arms = winners
    return arms[0]


@njit(cache=True, error_model="numpy")
def by_ids(masses: np.ndarray, rng: np.random.Generator) -> int:
    """An arm drawn from the mixture of two arms with the least squared expected gap over variance, for posteriors on the grid."""
    k, points = len(masses), (np.arange(GRID) + 0.5) / GRID
    below, partial = np.empty_like(masses), np.empty_like(masses)
    product = np.ones(GRID)
    for i in range(k):
        below[i] = np.maximum(np.cumsum(masses[i]), 1e-30)
        partial[i] = np.cumsum(masses[i] * points) / below[i]  # mean of arm i, given that it is at most the point
        product *= below[i]
    best = masses / below * product  # arm i is best, with its mean at the point
    chance = best.sum(axis=1)
    given = best @ partial.T
    means = masses @ points
    gaps, variances, optimum = np.empty(k), np.zeros(k), 0.0
    for j in range(k):
        given[j, j] = best[j] @ points
        optimum += given[j, j] / chance.sum()
        if chance[j] > 1e-12:
            variances += chance[j] / chance.sum() * (given[j] / chance[j] - means) ** 2
    gaps = optimum - means
    first, second, share, least = 0, 0, 1.0, math.inf
    for i in range(k):
        for j in range(k):
            rise, more = gaps[i] - gaps[j], variances[i] - variances[j]
            for q in (0.0, 1.0, gaps[j] / rise - 2.0 * variances[j] / more if rise != 0.0 and more != 0.0 else 0.0):
                if 0.0 <= q <= 1.0:
                    ratio = (gaps[j] + q * rise) ** 2 / max(variances[j] + q * more, 1e-300)
                    if ratio < least:
                        first, second, share, least = i, j, q, ratio
    return first if rng.random() < share else second


@njit(cache=True, error_model="numpy")
def play(rule: int, theta: np.ndarray, rounds: int, rng: np.random.Generator) -> float:
    """Regret of one run."""
    k = len(theta)
    plays, means, regret = np.zeros(k), np.zeros(k), 0.0
    masses, points = np.full((k, GRID), 1.0 / GRID), (np.arange(GRID) + 0.5) / GRID
    for t in range(1, rounds + 1):
        if rule == IDS:
            arm = by_ids(masses, rng)
        elif t <= k:
            arm = t - 1
        elif rule == IMED:
            arm = by_imed(plays, means)
        elif rule == BESA:
            arm = by_besa(plays, means, rng)
        else:
            arm = by_bounds(rule, t, plays, means)
        reward = 1.0 if rng.random() < theta[arm] else 0.0
        plays[arm] += 1.0
        means[arm] += (reward - means[arm]) / plays[arm]
        if rule == IDS:
            masses[arm] *= points if reward > 0.0 else 1.0 - points
            masses[arm] /= masses[arm].sum()
        regret += theta.max() - theta[arm]
    return regret
