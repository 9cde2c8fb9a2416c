"""Rules of optimism: CUCB, ESCB, AESCB."""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.laws import radius
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray
from semibandits.kernels.oracles.status import LARGEST_NUMBER
from semibandits.kernels.rules.actions import INDEX, LINEAR, LOG, LOGLOG
from semibandits.kernels.rules.estimates import estimate, largest_mean
from semibandits.kernels.rules.levels import plays_of
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import MEANS, ROOTS, SCALES, exploration

LAW = 3
"""Place in the parameters of CUCB where an array of `kernels.laws` starts, which is empty if bounds follow from variances."""
ADDITIVE, LEVELS, IN_REWARDS, LARGEST = 3, 4, 5, 6
"""Places in the parameters of AESCB: delta_t times t, the largest number of steps up to the largest mean, whether weights
are in the unit of the rewards (1) or of the steps (0), and the largest mean that counts."""


@kernel(error_model="numpy")
def cucb(t: int, state: RuleState, request: Request) -> int:
    """mean_i + sqrt(2 sigma_i^2 f(t) / n_i); with a law, the largest q_i with n_i d(mean_i, q_i) <= f(t)."""
    stats, weights = state.stats, request.weights
    f = exploration(t, state.params[LOG], state.params[LOGLOG])
    if len(state.params) > LAW:
        write_bounds(state.params[LAW:], f, stats, weights)
        return LINEAR
    root = math.sqrt(f)
    for i in range(len(weights)):
        weights[i] = stats[MEANS, i] + root * stats[ROOTS, i]
    return LINEAR


@kernel(error_model="numpy")
def write_bounds(law: FloatArray, f: float, stats: FloatArray, weights: FloatArray) -> None:
    """Write the upper confidence bound of each item under its law."""
    largest = largest_mean(law, stats)
    for i in range(len(weights)):
        mean = estimate(law, i, stats, largest)
        weights[i] = mean + radius(law, i, mean, f / plays_of(stats, i))


@kernel(error_model="numpy")
def escb(t: int, state: RuleState, request: Request) -> int:
    """mean·x + sqrt(sum of 2 sigma_i^2 f(t) / n_i over x)."""
    stats, weights, bonuses = state.stats, request.weights, request.bonuses
    f = exploration(t, state.params[LOG], state.params[LOGLOG])
    for i in range(len(weights)):
        weights[i] = stats[MEANS, i]
        bonuses[i] = f * stats[SCALES, i]
    return INDEX


@kernel(error_model="numpy")
def aescb(t: int, state: RuleState, request: Request) -> int:
    """The index of ESCB with means rounded up to multiples of one step, in units of that step if possible."""
    params, stats, weights, bonuses = state.params, state.stats, request.weights, request.bonuses
    f = exploration(t, params[LOG], params[LOGLOG])
    largest = 0.0
    for i in range(len(weights)):
        largest = max(largest, abs(stats[MEANS, i]))
    step = max(params[ADDITIVE] / t, min(largest, params[LARGEST]) / params[LEVELS])
    unit = step if params[IN_REWARDS] > 0.0 or largest > LARGEST_NUMBER * step else 1.0
    for i in range(len(weights)):
        weights[i] = min(max(unit * np.ceil(stats[MEANS, i] / step), -LARGEST_NUMBER), LARGEST_NUMBER)
        bonuses[i] = unit * unit * (f * stats[SCALES, i] / (step * step))
    return INDEX
