"""Means of items that share effects: ``theta_i = phi_i . beta + b_i``, with beta and the spread of b learnt (theory §9).

The observed mean of item i is normal with variance ``v_i / n_i`` around theta_i; b_i is normal with variance tau^2; the effects
beta are normal with variance omega^2, apart from the mean of all, which may be anything. Given beta the items are independent:
beta is learnt from one observation an item, of variance ``tau^2 + v_i / n_i``. If the features of an item change from round to
round, this observation has the mean of its features, and what differs from this mean tells of beta alone, not of b_i: `Within`.
Both together are the exact likelihood.

Rewards with bounds have the model on the scale of a :class:`semibandits.features.links.Link`. There the observations are those of
the quadratic approximation of the likelihood at its most probable means (Breslow and Clayton, JASA 1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from semibandits._typing import FloatArray
from semibandits.features.links import Link
from semibandits.laws import Law

LEAST, MOST = 1e-8, 1e8
"""Range of both spreads squared, in variances of a reward."""
STEPS = (4.0, 2.0, 1.4, 1.15)
"""Factors by which spreads are changed in turn, until none helps."""
GAIN = 0.01
"""Least gain of a change of a spread, in nats."""
MOVES = 60
"""Number of changes of a spread in one search."""
SWEEPS, FARTHEST, SETTLED = 20, 2.0, 1e-7
"""Largest number of steps to the most probable means, the largest size of a step, and the size at which they end."""


class Spreads(NamedTuple):
    """Variances of what the effects leave, of the effects, and of the mean of all, which is not learnt."""

    residual: float  # tau^2
    effects: float  # omega^2
    mean: float


class Within(NamedTuple):
    """What changing features of the same items tell of beta: precision, shape (k, k), and precision times estimate, (k,)."""

    precision: FloatArray
    weighted: FloatArray


class Seen(NamedTuple):
    """Observed items: their features (n, k), means, and variances of these means, (n,); and what changes of features tell."""

    phi: FloatArray
    means: FloatArray
    noise: FloatArray
    within: Within | None = None


class Effects(NamedTuple):
    """The normal law of beta: its mean, and the Cholesky factor L of its precision, ``precision = L L'``."""

    mean: FloatArray  # (k,)
    factor: FloatArray  # (k, k), lower

    def drawn(self, normals: FloatArray) -> FloatArray:
        """A draw of beta from normal numbers, shape (k,)."""
        return np.asarray(self.mean + np.linalg.solve(self.factor.T, normals))

    def variances(self, phi: FloatArray) -> FloatArray:
        """Variance of ``phi_i . beta``, shape (d,)."""
        roots = phi @ np.linalg.inv(self.factor).T
        return np.asarray(np.einsum("dk,dk->d", roots, roots))


def effects_of(seen: Seen, spreads: Spreads) -> Effects:
    """The posterior of beta."""
    weights = 1.0 / (spreads.residual + seen.noise)
    weighted = seen.phi * weights[:, None]
    precision, estimate = weighted.T @ seen.phi, weighted.T @ seen.means
    if seen.within is not None:
        precision, estimate = precision + seen.within.precision, estimate + seen.within.weighted
    precision[np.diag_indices_from(precision)] += 1.0 / _prior_variances(seen.phi.shape[1], spreads)
    factor = np.asarray(np.linalg.cholesky(precision), dtype=np.float64)
    mean = np.linalg.solve(factor.T, np.linalg.solve(factor, estimate))
    return Effects(mean, factor)


def _prior_variances(k: int, spreads: Spreads) -> FloatArray:
    """Variances of the effects before the first observation, shape (k,)."""
    variances = np.full(k, spreads.effects)
    variances[0] = spreads.mean
    return variances


def surprise(seen: Seen, spreads: Spreads, unit: float) -> float:
    """Minus the logarithm of the likelihood of both spreads times their prior density, up to a constant.

    That of the rests has the density ``1 / (1 + s^2 / unit)``, with `unit` the variance of a reward: half a Cauchy law (Gelman,
    Bayesian Analysis 2006). That of the effects has this density times s: the most probable value is not 0, as if a few items
    that happen to be alike had proved that features say nothing (Chung and others, Psychometrika 2013).
    """
    effects = effects_of(seen, spreads)
    noise = spreads.residual + seen.noise
    rest = seen.means - seen.phi @ effects.mean
    priors = _prior_variances(seen.phi.shape[1], spreads)
    fit = float((rest**2 / noise).sum() + (effects.mean**2 / priors).sum())
    if seen.within is not None:
        fit += float(effects.mean @ (seen.within.precision @ effects.mean - 2.0 * seen.within.weighted))
    size = float(np.log(noise).sum() + np.log(priors).sum()) + 2.0 * float(np.log(np.diag(effects.factor)).sum())
    prior = math.log(spreads.effects / unit) - 2.0 * sum(math.log1p(square / unit) for square in spreads[:2])
    return 0.5 * (fit + size - prior)


def learnt(seen: Seen, start: Spreads, unit: float) -> Spreads:
    """The spreads of least `surprise` near `start`, by changes of one of them at a time."""

    def cost(spreads: Spreads) -> float:
        return surprise(seen, spreads, unit)

    best, least, left = start, cost(start), MOVES
    fields = Spreads._fields[: min(seen.phi.shape[1], 2)]
    for step in STEPS:
        moved = True
        while moved and left > 0:
            moved = False
            for field in fields:
                best, now, used = _moved(best, field, step, unit, least, cost)
                moved |= now < least
                least, left = now, left - used
    return best


def _moved(
    spreads: Spreads, field: str, step: float, unit: float, least: float, cost: Callable[[Spreads], float]
) -> tuple[Spreads, float, int]:
    """The best of a spread, its value divided by the step, and multiplied by it; its cost, and the number of costs computed."""
    options = [getattr(spreads, field) * factor for factor in (1.0 / step, step)]
    tried = [spreads._replace(**{field: min(max(value, LEAST * unit), MOST * unit)}) for value in options]
    costs = [cost(one) for one in tried]
    k = int(np.argmin(costs))
    return (tried[k], costs[k], 2) if costs[k] < least - GAIN else (spreads, least, 2)


def linearised(
    law: Law, link: Link, phi: FloatArray, plays: FloatArray, sums: FloatArray, spreads: Spreads, within: Within | None
) -> Seen:
    """Observations on the scale of the link that stand for the rewards of observed items, by Fisher scoring."""
    centre = link.scale(np.atleast_1d(sums.sum() / plays.sum()))
    start = link.prior(centre, math.sqrt(spreads.residual))
    scaled = link.scale((sums + start.plays * start.means) / (plays + start.plays))
    for _ in range(SWEEPS):
        means = link.mean(scaled)
        slopes = link.slope(means)
        noise = law.variance_at(means) / (plays * slopes**2)
        seen = Seen(phi, scaled + (sums / plays - means) / slopes, noise, within)
        own = spreads.residual / (spreads.residual + noise)
        moved = own * seen.means + (1.0 - own) * (phi @ effects_of(seen, spreads).mean)
        step = np.clip(moved - scaled, -FARTHEST, FARTHEST)
        scaled = scaled + step
        if np.abs(step).max() < SETTLED:
            break
    return seen


class Posterior(NamedTuple):
    """Mean and variance of each theta_i, shape (d,)."""

    means: FloatArray
    variances: FloatArray
