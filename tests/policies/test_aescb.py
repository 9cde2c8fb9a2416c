"""AESCB against its guarantee, over the list of all decisions."""

import math

import numpy as np
import pytest
from histories import asked, assert_best, play, random_statistics, situations
from hypothesis import given, settings

from semibandits.kernels.rules.actions import INDEX
from semibandits.kernels.rules.optimism import aescb
from semibandits.policies import AESCB

VARIANTS = {
    "as it comes": {},
    "half the bonus": {"ratio": 0.5},
    "a tenth of the bonus, coarse": {"ratio": 0.1, "additive": 10.0},
    "few levels": {"additive": 1e-3, "levels": 3.0},
    "fine steps, which make it ESCB": {"additive": 1e-9, "levels": 1e9},
}


@pytest.mark.parametrize("variant", VARIANTS)
@given(situation=situations())
@settings(max_examples=30, deadline=None)
def test_it_keeps_its_guarantee(variant, situation):
    policy = AESCB(**VARIANTS[variant])
    for t, x, account, rows, _ in play(policy, situation):
        means, bonuses, m = account.means, account.bonuses(math.log(t)), rows.sum(axis=1).max()
        step = max(policy.additive * math.sqrt(account.variance.max()) / t, np.abs(means).max() / policy.levels)
        best = (rows @ means + np.sqrt(rows @ bonuses)).max()
        rounding = 1e-9 * (np.abs(means).sum() + math.sqrt(bonuses.sum()))
        assert best <= means @ x + math.sqrt(bonuses @ x) / policy.ratio + m * step + rounding


@given(situation=situations())
@settings(max_examples=30, deadline=None)
def test_it_plays_the_largest_index_of_rounded_means(situation):
    policy = AESCB(additive=3.0)
    for t, x, account, rows, _ in play(policy, situation):
        step = max(3.0 * math.sqrt(account.variance.max()) / t, np.abs(account.means).max() / policy.levels)
        quotients = account.means / step
        if (np.abs(quotients - np.round(quotients)) < 1e-9).any() and not (quotients == np.round(quotients)).all():
            continue  # the last bits of a mean decide how it is rounded
        rounded, bonuses = np.ceil(quotients), account.bonuses(math.log(t)) / step**2
        scale = np.abs(rounded).sum() + math.sqrt(bonuses.sum())
        assert_best(x, rows @ rounded + np.sqrt(rows @ bonuses), rows, scale)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("t", "step"), [(2, 0.25), (100, 0.005), (10**9, None)])
def test_the_rule_writes_integer_means(t, step, seed):
    stats, plays, means, variance = random_statistics(seed)
    action, weights, bonuses = asked(aescb, t, [0.5, 1.0, 0.0, 0.5, 1000.0, 0.0, math.inf], stats)
    step = step or np.abs(means).max() / 1000.0
    assert action == INDEX
    assert np.array_equal(weights, np.round(weights))
    assert (weights * step >= means - 1e-12).all()
    assert ((weights - 1) * step <= means + 1e-12).all()
    assert np.abs(weights).max() <= 1001.0  # the last bit of the quotient may lift it over 1000
    assert np.allclose(bonuses * step**2, 2 * variance * math.log(t) / np.maximum(plays, 1), rtol=1e-12)
