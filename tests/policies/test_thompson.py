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


def chosen_and_forgotten(agent, rng):
    """A decision that changes no count."""
    x = agent.choose(rng)
    agent.forget(np.flatnonzero(x))
    return x


def test_probability_of_the_worse_arm():
    """After 4 and 9 plays with means 0 and 0.5 and variance 1/2, arm 0 is drawn the larger with probability
    P(Z > 0.5 / sqrt(1/8 + 1/18)) = 0.1197. Share of 4,000 independent decisions, 4 standard errors wide: fails by chance
    with probability 6e-5, and the seed is fixed.
    """
    agent, rng = ThompsonSampling().start(MSets(2, 1), 0.5), np.random.default_rng(11)
    for i, n, mean in ((0, 4, 0.0), (1, 9, 0.5)):
        for _ in range(n):
            agent.observe(np.array([i]), np.array([mean]))
    exact = 0.5 * math.erfc(0.5 / math.sqrt(1 / 8 + 1 / 18) / math.sqrt(2))
    share = np.mean([chosen_and_forgotten(agent, rng)[0] for _ in range(4_000)])
    assert abs(share - exact) < 4 * math.sqrt(exact * (1 - exact) / 4_000)


def test_normal_numbers_are_drawn_in_the_order_of_items_and_not_while_covering():
    agent, rng, copy = ThompsonSampling().start(MSets(3, 1), 0.5), np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(3):
        items = np.flatnonzero(agent.choose(rng))
        agent.observe(items, np.zeros(1))
    assert rng.bit_generator.state == copy.bit_generator.state
    for _ in range(20):
        x = chosen_and_forgotten(agent, rng)
        assert x.argmax() == copy.standard_normal(3).argmax()  # all means and counts are equal, as nothing is observed
    assert rng.bit_generator.state == copy.bit_generator.state
