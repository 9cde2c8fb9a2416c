"""What the rewards of single items say, given the effects: by variances, or on the scale of a law with bounds."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.features.links import Link, Prior
from semibandits.features.model import Effects, Posterior, Seen, Spreads, Within, linearised
from semibandits.features.rows import Rows
from semibandits.laws import Law

FREE: Final = 1e16
"""Variance of the mean of all, in variances of a reward: it may be anything."""
FREE_SCALED: Final = 25.0
"""Variance of the logarithm or the log-odds of the mean of all."""
ODD: Final = 5.0
"""Of pooled items, so many are expected to be unlike the others, however alike those are that were observed."""
ODD_SPREAD: Final = 0.5
"""Least variance of these, in variances of a reward."""


class Counts(NamedTuple):
    """Observed rewards of each item, shape (d,)."""

    plays: FloatArray
    sums: FloatArray


class Known(NamedTuple):
    """What effects say of items with the features of the design."""

    prior: Prior
    spread: FloatArray  # (d,): variance of what they say


class Items:
    """The items of an agent, with the law of their rewards."""

    def __init__(self, rows: Rows, law: Law | None, variance: FloatArray) -> None:
        self.rows, self.law, self.variance, self.link = rows, law, variance, Link(law)

    def unit(self, counts: Counts) -> float:
        """Variance of a reward, by which spreads are measured; 1 on the scale of a link."""
        if not self.link.is_identity:
            return 1.0
        total = float(counts.plays.sum())
        return float(counts.plays @ self.variance) / total if total else float(self.variance.mean())

    def free(self, unit: float) -> float:
        """Variance of the mean of all before the first reward."""
        return FREE * unit if self.link.is_identity else FREE_SCALED

    def seen(self, counts: Counts, spreads: Spreads) -> tuple[IntArray, Seen]:
        """Observed items, and the observations that tell of the effects."""
        items = np.flatnonzero(counts.plays > 0.0)
        phi, n, sums = self.rows.typical[items], counts.plays[items], counts.sums[items]
        if self.law is None or self.link.is_identity or not len(items):
            return items, Seen(phi, sums / n, self.variance[items] / n, self.rows.within)
        return items, linearised(self.law, self.link, phi, n, sums, spreads, self.rows.within)

    def observe(self, counts: Counts, items: IntArray, rewards: FloatArray, rows: FloatArray | None) -> None:
        """Take note of the features with which items are observed, before their rewards enter the counts."""
        differences = self.rows.differences(items, rows)
        if differences is None:
            return
        n, k = counts.plays[items], differences.shape[1]
        tells = Within(np.zeros((k, k)), np.zeros(k))
        again = np.flatnonzero((n > 0.0) & differences.any(axis=1))
        if len(again):
            means = counts.sums[items[again]] / n[again]
            slopes, variances = self._at(counts, items[again])
            weights, by = n[again] / (n[again] + 1.0) * slopes / variances, differences[again]
            tells = Within((by * (weights * slopes)[:, None]).T @ by, by.T @ (weights * (rewards[again] - means)))
        self.rows.add(items, differences, n, tells)

    def recall(self, counts: Counts, items: IntArray, rewards: FloatArray, contexts: FloatArray) -> None:
        """Take note of the contexts of single observations, with those of all in the counts."""
        rows, d = self.rows.design.crossed(items, contexts), len(counts.plays)
        sums = np.stack([np.bincount(items, weights=column, minlength=d) for column in rows.T], axis=1)
        seen = counts.plays > 0.0
        typical = np.where(seen[:, None], sums / np.maximum(counts.plays, 1.0)[:, None], self.rows.design.matrix)
        by, (slopes, variances) = rows - typical[items], self._at(counts, items)
        rests = rewards - counts.sums[items] / counts.plays[items]
        self.rows.typical = typical
        self.rows.within = Within((by * (slopes**2 / variances)[:, None]).T @ by, by.T @ (slopes / variances * rests))

    def _at(self, counts: Counts, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """Slopes of the means of observed items on their scale, and variances of their rewards, at means within the range."""
        if self.law is None or self.link.is_identity:
            return np.ones(len(items)), self.variance[items]
        centre = float(counts.sums.sum() / counts.plays.sum())
        means = self.link.within((counts.sums[items] + 0.5 * centre) / (counts.plays[items] + 0.5))
        return self.link.slope(means), self.law.variance_at(means)

    def prior(self, beta: FloatArray, variance: float) -> Prior:
        """Mean of each item in the next round given the effects, and the number of rewards that it is worth.

        `variance` is that of the rests.
        """
        return self._prior(self.rows.now @ beta, variance)

    def given(
        self, counts: Counts, beta: FloatArray, variance: float, odd: BoolArray | None = None, prior: Prior | None = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Given the effects: prior mean of each item, number of its rewards together with the prior, and their mean.

        Items that are `odd` have the variance of unlike ones; `prior` is that of the others, if it is known.
        """
        means, weights = prior or self.prior(beta, variance)
        if odd is not None and odd.any():
            others = self.prior(beta, self._odd(variance))
            means, weights = np.where(odd, others.means, means), np.where(odd, others.plays, weights)
        total = counts.plays + weights
        return means, total, (self._moved(counts, beta) + weights * means) / total

    def _prior(self, centres: FloatArray, variance: float) -> Prior:
        """The same for items with these means on the scale."""
        if self.link.is_identity:
            return Prior(centres, self.variance / variance)
        return self.link.prior(centres, math.sqrt(variance))

    def _odd(self, variance: float) -> float:
        return max(variance, ODD_SPREAD * (float(self.variance.mean()) if self.link.is_identity else 1.0))

    def _moved(self, counts: Counts, beta: FloatArray) -> FloatArray:
        """Sums of rewards as they would be with the features of the next round."""
        if not self.rows.moves:
            return counts.sums
        shift, n = (self.rows.now - self.rows.typical) @ beta, np.maximum(counts.plays, 1e-300)
        moved = self.link.mean(self.link.scale(counts.sums / n) + shift)
        return np.where(counts.plays > 0.0, counts.plays * moved, 0.0)

    def posterior(
        self, counts: Counts, effects: Effects, variance: float, odd: BoolArray | None = None, known: Known | None = None
    ) -> Posterior:
        """Mean and variance of each item in the next round; `known` is what the effects say of its features of the design."""
        prior, total, means = self.given(counts, effects.mean, variance, odd, known and known.prior)
        own = counts.plays / total
        if self.rows.moves or known is None:
            spread = effects.variances(self.rows.now - own[:, None] * self.rows.typical)
        else:
            spread = np.square(1.0 - own) * known.spread
        if self.law is None or self.link.is_identity:
            return Posterior(means, self.variance / total + spread)
        rest = self.law.variance_at(means) / np.maximum(total - self.link.curve, 1e-3)
        return Posterior(means, np.minimum(rest + np.square(self.link.slope(prior)) * spread, self.link.most(means)))

    def evidence(self, counts: Counts, beta: FloatArray, variance: float) -> FloatArray | None:
        """Logarithm of the odds against each item being unlike the others, given the effects; None if there are features.

        Pooled items have the normal law of the rests, or, a few of them, a wide one.
        """
        if len(self.rows.design.names) > 1:
            return None
        n, centres = np.maximum(counts.plays, 1e-9), self.rows.typical @ beta
        if self.law is None or self.link.is_identity:
            rests, noise = counts.sums / n - centres, self.variance / n
        else:
            means, weights = self._prior(centres, self._odd(variance))
            means = (counts.sums + weights * means) / (counts.plays + weights)
            slopes = self.link.slope(means)
            rests = self.link.scale(means) + (counts.sums / n - means) / slopes - centres
            noise = self.law.variance_at(means) / (n * slopes**2)
        like, unlike = variance + noise, self._odd(variance) + noise
        found = 0.5 * (np.log(unlike / like) - rests**2 * (1.0 / like - 1.0 / unlike))
        return math.log(max(len(centres) / ODD, 2.0)) + np.where(counts.plays > 0.0, found, 0.0)
