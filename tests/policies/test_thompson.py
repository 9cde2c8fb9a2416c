"""Thompson sampling against posterior samples computed from the same normal numbers."""

import math

import numpy as np
import pytest
from histories import asked, assert_best, play, random_statistics, situations
from hypothesis import given, settings

from semibandits.decisions.msets import MSets
from semibandits.kernels.rules.actions import LINEAR
from semibandits.kernels.rules.thompson import thompson
from semibandits.policies import ThompsonSampling


@pytest.mark.parametrize("scale", [1.0, 2.5])
@given(situation=situations())
@settings(max_examples=50, deadline=None)
def test_it_plays_the_best_decision_of_its_draw(scale, situation):
    for _, x, account, rows, z in play(ThompsonSampling(scale=scale), situation):
        drawn = account.means + scale * np.sqrt(account.variance / np.maximum(account.plays, 1)) * z
        assert_best(x, rows @ drawn, rows, np.abs(drawn).sum())


@pytest.mark.parametrize("seed", range(5))
def test_the_rule_writes_the_draw(seed):
    stats, plays, means, variance = random_statistics(seed)
    z = np.random.default_rng(seed).normal(size=len(plays))
    action, weights, _ = asked(thompson, 5, [1.0, 3.0 * math.sqrt(0.5)], stats, z)
    assert action == LINEAR
    spread = np.where(plays > 0, 3.0 * np.sqrt(variance / np.maximum(plays, 1)), 0.0)  # items never seen are not drawn
    assert np.allclose(weights, means + spread * z, rtol=1e-13, atol=1e-15)


def test_normal_numbers_are_drawn_in_the_order_of_items_and_not_while_covering():
    agent, rng, copy = ThompsonSampling().start(MSets(3, 1), 0.5), np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(3):
        items = np.flatnonzero(agent.choose(rng))
        agent.observe(items, np.zeros(1))
    assert rng.bit_generator.state == copy.bit_generator.state
    for _ in range(20):
        x = agent.choose(rng)
        agent.forget(np.flatnonzero(x))
        assert x.argmax() == copy.standard_normal(3).argmax()  # all means and counts are equal, as nothing is observed
    assert rng.bit_generator.state == copy.bit_generator.state
