"""Means of items that share effects: ``theta_i = phi_i . beta + b_i``, with beta and the spread of b learnt (theory §9).

The observed mean of item i is normal with variance ``v_i / n_i`` around theta_i; b_i is normal with variance tau^2; the effects
beta are normal with variance omega^2, apart from the mean of all, which may be anything. Given beta the items are independent:
beta is learnt from one observation an item, of variance ``tau^2 + v_i / n_i``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from semibandits._typing import FloatArray

FREE = 1e6
"""Variance of the mean of all, in variances of a reward: it may be anything."""
LEAST, MOST = 1e-8, 1e8
"""Range of both spreads squared, in variances of a reward."""
STEPS = (4.0, 2.0, 1.4, 1.15)
"""Factors by which spreads are changed in turn, until none helps."""
MOVES = 60
"""Number of changes of a spread in one search."""


class Spreads(NamedTuple):
    """Variances of what the effects leave, and of the effects."""

    residual: float  # tau^2
    effects: float  # omega^2


class Seen(NamedTuple):
    """Observed items: their features (n, k), means, and variances of these means, (n,)."""

    phi: FloatArray
    means: FloatArray
    noise: FloatArray


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


def effects_of(seen: Seen, spreads: Spreads, unit: float) -> Effects:
    """The posterior of beta. `unit` is the variance of a reward."""
    weights = 1.0 / (spreads.residual + seen.noise)
    weighted = seen.phi * weights[:, None]
    precision = weighted.T @ seen.phi
    precision[np.diag_indices_from(precision)] += 1.0 / _prior_variances(seen.phi.shape[1], spreads, unit)
    factor = np.asarray(np.linalg.cholesky(precision), dtype=np.float64)
    mean = np.linalg.solve(factor.T, np.linalg.solve(factor, weighted.T @ seen.means))
    return Effects(mean, factor)


def _prior_variances(k: int, spreads: Spreads, unit: float) -> FloatArray:
    """Variances of the effects before the first observation, shape (k,)."""
    variances = np.full(k, spreads.effects)
    variances[0] = FREE * unit
    return variances


def surprise(seen: Seen, spreads: Spreads, unit: float) -> float:
    """Minus the logarithm of the likelihood of both spreads times their prior density, up to a constant.

    A spread s has the density ``s / (1 + s^2 / unit)^(3/2)``: not 0, since no one knows after few items that there is none
    (Chung, Rabe-Hesketh, Dorie, Gelman, Liu, Psychometrika 2013), and with the tail of a Cauchy law.
    """
    effects = effects_of(seen, spreads, unit)
    noise = spreads.residual + seen.noise
    rest = seen.means - seen.phi @ effects.mean
    priors = _prior_variances(seen.phi.shape[1], spreads, unit)
    fit = float((rest**2 / noise).sum() + (effects.mean**2 / priors).sum())
    size = float(np.log(noise).sum() + np.log(priors).sum()) + 2.0 * float(np.log(np.diag(effects.factor)).sum())
    prior = sum(math.log(square) - 3.0 * math.log1p(square / unit) for square in spreads)
    return 0.5 * (fit + size - prior)


def learnt(seen: Seen, start: Spreads, unit: float) -> Spreads:
    """The spreads of least `surprise` near `start`, by changes of one of them at a time."""

    def cost(spreads: Spreads) -> float:
        return surprise(seen, spreads, unit)

    best, least, left = start, cost(start), MOVES
    fields = Spreads._fields if seen.phi.shape[1] > 1 else Spreads._fields[:1]
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
    return (tried[k], costs[k], 2) if costs[k] < least else (spreads, least, 2)


class Posterior(NamedTuple):
    """Mean and variance of each theta_i, shape (d,)."""

    means: FloatArray
    variances: FloatArray


def posterior(phi: FloatArray, means: FloatArray, noise: FloatArray, effects: Effects, spreads: Spreads) -> Posterior:
    """The posterior of each item, exact for Gaussian rewards; `noise` is the variance of the observed mean, inf without any."""
    with np.errstate(invalid="ignore"):
        own = np.where(np.isfinite(noise), spreads.residual / (spreads.residual + noise), 0.0)  # weight of the observed mean
        rest = np.where(np.isfinite(noise), own * noise, spreads.residual)
    shared = 1.0 - own
    return Posterior(shared * (phi @ effects.mean) + own * means, rest + shared**2 * effects.variances(phi))
