"""Rule of Thompson sampling."""

from __future__ import annotations

import math

from semibandits.kernels.laws import BERNOULLI, GAMMA, GAMMA_COST, GAUSSIAN, POISSON, POISSON_COST, WORDS
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray
from semibandits.kernels.rules.actions import LINEAR
from semibandits.kernels.rules.estimates import estimate, largest_mean
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import COUNTS, MEANS, ROOTS

SCALE, LAW = 1, 2
"""Places in the parameters: the standard deviation of the posterior, in units of sqrt(2 sigma_i^2 / n_i), and the start of an
array of `kernels.laws`, which is empty if all posteriors are normal."""
LEAST = 1e-3
"""Cube root of the smallest draw as a share of its mean, so that quotients stay finite."""


@kernel(error_model="numpy")
def thompson(t: int, state: RuleState, request: Request) -> int:
    """Draw the mean of each item from its posterior."""
    params, stats, z, weights = state.params, state.stats, state.normals, request.weights
    scale = params[SCALE]
    for i in range(len(weights)):
        # Items that no round contains yet are not drawn: they stand at the largest mean that they can have.
        spread = scale * stats[ROOTS, i] if stats[COUNTS, i] > 0.0 else 0.0
        weights[i] = stats[MEANS, i] + spread * z[i]
    if len(params) > LAW:
        write_posteriors(params, stats, z, weights)
    return LINEAR


@kernel(error_model="numpy")
def write_posteriors(params: FloatArray, stats: FloatArray, z: FloatArray, weights: FloatArray) -> None:
    """Draw the means of items whose law is not Gaussian, from up to two normal numbers each.

    Posteriors under Jeffreys' prior: Gamma(S + 1/2) / n for a count, Beta(S + 1/2, n - S + 1/2) for a probability, and
    S k / Gamma(n k) for a time of shape k.
    """
    d = len(weights)
    law, width = params[LAW:], 2.0 * params[SCALE] * params[SCALE]
    largest = largest_mean(law, stats)
    for i in range(d):
        kind, shape = law[i], law[(WORDS - 2) * d + i]
        if kind == GAUSSIAN:
            continue
        n = max(stats[COUNTS, i], 1.0) / width
        if kind == BERNOULLI:
            successes = n * min(max(stats[MEANS, i], 0.0), 1.0)
            won, lost = gamma(successes + 0.5, z[i]), gamma(n - successes + 0.5, z[d + i])
            weights[i] = won / (won + lost)
        elif kind == POISSON:
            weights[i] = gamma(n * max(stats[MEANS, i], 0.0) + 0.5, z[i]) / n
        elif kind == POISSON_COST:
            weights[i] = -gamma(n * max(-stats[MEANS, i], 0.0) + 0.5, z[i]) / n
        elif kind in (GAMMA, GAMMA_COST):
            weights[i] = estimate(law, i, stats, largest) * (n * shape / gamma(n * shape, z[i]))


@kernel(error_model="numpy")
def gamma(shape: float, z: float) -> float:
    """A draw from Gamma(shape) as a function of a normal number, by the transform of Wilson and Hilferty (1931).

    Close to the law, with tails that are not lighter, so that exploration is not reduced.
    """
    ninth = 1.0 / (9.0 * shape)
    root = max(1.0 - ninth + z * math.sqrt(ninth), LEAST)
    return shape * root * root * root
