"""Simulations against an independent implementation, with its own loops, index, choice and random numbers.

Setting: 8 items, decisions are the pairs, Gaussian rewards of variance 1/2 with the means below; the best pair earns 1.5, the
next one 1.4. All replications are played side by side, one array row each.
"""

import math

import numpy as np
import pytest

from marks import later
from semibandits import CUCB, GaussianRewards, MSets, ThompsonSampling, simulate

THETA = np.array([0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
VARIANCE = 0.5
CHECKPOINTS = (100, 1000)
REPLICATIONS = 1500


def cucb_index(t, means, counts, rng):
    return means + np.sqrt(2 * VARIANCE * math.log(t) / counts)


def thompson_index(t, means, counts, rng):
    return rng.normal(means, np.sqrt(VARIANCE / counts))


def reference(index, seed):
    """Cumulative pseudo-regret at the checkpoints, shape (replications, 2)."""
    rng = np.random.Generator(np.random.MT19937(seed))
    rows = np.arange(REPLICATIONS)
    sums, counts = np.zeros((REPLICATIONS, 8)), np.zeros((REPLICATIONS, 8))
    regret, kept = np.zeros(REPLICATIONS), []
    for t in range(1, CHECKPOINTS[-1] + 1):
        if t <= 4:  # every item once
            pair = np.tile([2 * t - 2, 2 * t - 1], (REPLICATIONS, 1))
        else:
            values = index(t, sums / counts, counts, rng)
            first = values.argmax(axis=1)
            values[rows, first] = -np.inf
            pair = np.column_stack((first, values.argmax(axis=1)))
        for item in pair.T:
            sums[rows, item] += THETA[item] + math.sqrt(VARIANCE) * rng.standard_normal(REPLICATIONS)
            counts[rows, item] += 1
        regret += THETA[0] + THETA[1] - THETA[pair].sum(axis=1)
        if t in CHECKPOINTS:
            kept.append(regret.copy())
    return np.column_stack(kept)


@pytest.mark.parametrize(
    ("policy", "index"), [(CUCB(), cucb_index), *later((ThompsonSampling(), thompson_index))], ids=["CUCB", "Thompson"]
)
def test_mean_regrets_agree(policy, index):
    """Four comparisons at 4 standard errors of the difference: chance fails one of them with probability 2.5e-4 (fixed seeds)."""
    result = simulate(
        MSets(8, 2), GaussianRewards(THETA, variance=VARIANCE), policy, horizon=CHECKPOINTS[-1],
        replications=REPLICATIONS, seed=5, checkpoints=CHECKPOINTS, bound=False,
    )  # fmt: skip
    ours, theirs = result.regret[policy.name], reference(index, seed=6)
    error = np.sqrt(ours.var(axis=0, ddof=1) / REPLICATIONS + theirs.var(axis=0, ddof=1) / REPLICATIONS)
    assert (error < 0.03 * theirs.mean(axis=0)).all()  # so that 4 standard errors are a strict test
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4 * error).all()
