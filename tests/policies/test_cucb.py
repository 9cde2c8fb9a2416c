"""CUCB against its published index, computed from the full history; and what its rule and that of ESCB write."""

import math

import numpy as np
import pytest
from histories import asked, assert_best, play, random_statistics, situations
from hypothesis import given, settings

from semibandits.kernels.rules.actions import INDEX, LINEAR
from semibandits.kernels.rules.optimism import cucb, escb
from semibandits.kernels.rules.statistics import COUNTS, MEANS, fresh_statistics
from semibandits.laws import Bernoulli, law_from
from semibandits.policies import CUCB, Radius
from semibandits.policies.registry import build

RADII = {
    "log": lambda t, m: math.log(t),
    "kveton": lambda t, m: 3.0 * math.log(t),
    "log-loglog": lambda t, m: math.log(t) + (4.0 * m * math.log(math.log(t)) if t >= 3 else 0.0),
}


@pytest.mark.parametrize("radius", RADII)
@given(situation=situations())
@settings(max_examples=40, deadline=None)
def test_it_plays_the_largest_index(radius, situation):
    for t, x, account, rows, _ in play(CUCB(radius=radius), situation):
        f = RADII[radius](t, rows.sum(axis=1).max())
        index = account.means + np.sqrt(account.bonuses(f))
        assert_best(x, rows @ index, rows, np.abs(index).sum())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("t", [1, 2, 3, 1000])
def test_the_rules_write_indices_and_squared_bonuses(t, seed):
    stats, plays, means, variance = random_statistics(seed)
    f = 2.0 * math.log(t) + (3.0 * math.log(math.log(t)) if t >= 3 else 0.0)
    squares = 2 * variance * f / np.maximum(plays, 1)
    action, weights, _ = asked(cucb, t, [1.0, 2.0, 3.0], stats)
    assert action == LINEAR
    assert np.allclose(weights, means + np.sqrt(squares), rtol=1e-13)
    action, weights, bonuses = asked(escb, t, [1.0, 2.0, 3.0], stats)
    assert action == INDEX
    assert np.array_equal(weights, means)
    assert np.allclose(bonuses, squares, rtol=1e-13)


@pytest.mark.parametrize("t", [2, 50, 100_000])
@pytest.mark.parametrize(("law", "means"), [("bernoulli", [0.0, 0.05, 0.5, 0.9, 1.0]), ("poisson", [0.0, 0.1, 1.0, 7.0, 30.0])])
def test_with_a_law_the_rule_writes_the_index_of_kl_ucb(law, means, t):
    plays, policy = np.array([1.0, 30.0, 4.0, 2000.0, 10.0]), CUCB(law=law)
    stats = fresh_statistics(np.full(5, 0.25))
    stats[MEANS], stats[COUNTS] = means, plays
    _, weights, _ = asked(cucb, t, policy.params(1, np.full(5, 0.25)), stats)
    rise, most = weights - means, math.log(t) / plays
    assert np.allclose(law_from(law).divergence(np.array(means), rise)[:4], most[:4], rtol=1e-9)
    assert weights[4] == 1.0 if law == "bernoulli" else weights[4] > means[4]


def test_only_a_law_that_is_given_replaces_the_variance():
    assert CUCB().for_law(Bernoulli()) == CUCB()
    assert build(CUCB(law="bernoulli").specification()) == CUCB(law="bernoulli") != CUCB()


def test_parameters():
    assert CUCB() == CUCB(radius=Radius()) == CUCB(radius="log")
    assert CUCB(variance=[1, 2]) == CUCB(variance=np.array([1.0, 2.0]))
    assert hash(CUCB(variance=[1, 2])) == hash(CUCB(variance=(1.0, 2.0)))
    radius = {"log": 1.0, "loglog": 0.0, "loglog_per_item": 0.0}
    assert CUCB().specification() == {"name": "CUCB", "variance": None, "radius": radius}
    assert CUCB(variance=[1, 2]).specification()["variance"] == [1.0, 2.0]
