"""CUCB, ESCB, AESCB and Thompson sampling against their published indices, from the full history and all decisions."""

import math

import numpy as np
import pytest
from histories import asked, assert_best, play, random_statistics, situations
from hypothesis import example, given, settings

import semibandits as sb
from example_sets import grid
from semibandits.kernels.rules.actions import INDEX, LINEAR
from semibandits.kernels.rules.optimism import aescb, cucb
from semibandits.kernels.rules.statistics import COUNTS, MEANS, fresh_statistics
from semibandits.kernels.rules.thompson import thompson
from semibandits.laws import Bernoulli, law_from
from semibandits.policies import AESCB, CUCB, ESCB, Radius, ThompsonSampling

RADII = {  # coefficients of ln t and ln ln t
    "log": lambda m: (1.0, 0.0),
    "kveton": lambda m: (3.0, 0.0),
    "log-loglog": lambda m: (1.0, 4.0 * m),
    Radius(log=0.5, loglog=3.0, loglog_per_item=2.0): lambda m: (0.5, 3.0 + 2.0 * m),
}
VARIANTS = {
    "as it comes": {},
    "half the bonus": {"ratio": 0.5},
    "a tenth of the bonus, coarse": {"ratio": 0.1, "additive": 10.0},
    "few levels": {"additive": 1e-3, "levels": 3.0},
    "fine steps, which make it ESCB": {"additive": 1e-9, "levels": 1e9},
}
"""Of AESCB."""
by_seed = pytest.mark.parametrize("seed", range(5))


def exploration(t, log, loglog):
    return log * math.log(t) + (loglog * math.log(math.log(t)) if t >= 3 else 0.0)


@pytest.mark.parametrize("radius", RADII, ids=str)
@given(situation=situations())
@example(situation=("matchings", "negative", 180031245, False))  # searches of ESCB take up to 24 maximisations
@settings(max_examples=40, deadline=None)
def test_the_largest_index_is_played(radius, situation):
    for policy in (CUCB(radius=radius), ESCB(radius=radius)):
        for t, x, account, rows, _ in play(policy, situation):
            means, bonuses = account.means, account.bonuses(exploration(t, *RADII[radius](rows.sum(axis=1).max())))
            if policy.name == "CUCB":
                index = means + np.sqrt(bonuses)
                assert_best(x, rows @ index, rows, np.abs(index).sum())
            else:
                assert_best(x, rows @ means + np.sqrt(rows @ bonuses), rows, np.abs(means).sum() + math.sqrt(bonuses.sum()))


@pytest.mark.parametrize("variant", VARIANTS)
@given(situation=situations())
@settings(max_examples=30, deadline=None)
def test_aescb_keeps_its_guarantee(variant, situation):
    policy = AESCB(**VARIANTS[variant])
    for t, x, account, rows, _ in play(policy, situation):
        means, bonuses, m = account.means, account.bonuses(math.log(t)), rows.sum(axis=1).max()
        step = max(policy.additive * math.sqrt(account.variance.max()) / t, np.abs(means).max() / policy.levels)
        best = (rows @ means + np.sqrt(rows @ bonuses)).max()
        rounding = 1e-9 * (np.abs(means).sum() + math.sqrt(bonuses.sum()))
        assert best <= means @ x + math.sqrt(bonuses @ x) / policy.ratio + m * step + rounding


@given(situation=situations())
@settings(max_examples=30, deadline=None)
def test_aescb_plays_the_largest_index_of_rounded_means(situation):
    policy = AESCB(additive=3.0)
    for t, x, account, rows, _ in play(policy, situation):
        step = max(3.0 * math.sqrt(account.variance.max()) / t, np.abs(account.means).max() / policy.levels)
        quotients = account.means / step
        if (np.abs(quotients - np.round(quotients)) < 1e-9).any() and not (quotients == np.round(quotients)).all():
            continue  # the last bits of a mean decide how it is rounded
        rounded, bonuses = np.ceil(quotients), account.bonuses(math.log(t)) / step**2
        scale = np.abs(rounded).sum() + math.sqrt(bonuses.sum())
        assert_best(x, rows @ rounded + np.sqrt(rows @ bonuses), rows, scale)


@pytest.mark.parametrize("scale", [1.0, 2.5])
@given(situation=situations())
@settings(max_examples=50, deadline=None)
def test_thompson_sampling_plays_the_best_decision_of_its_draw(scale, situation):
    for _, x, account, rows, z in play(ThompsonSampling(scale=scale), situation):
        drawn = account.means + scale * np.sqrt(account.variance / np.maximum(account.plays, 1)) * z
        assert_best(x, rows @ drawn, rows, np.abs(drawn).sum())


@by_seed
@pytest.mark.parametrize(("t", "step"), [(2, 0.25), (100, 0.005), (10**9, None)])
def test_the_rule_of_aescb_writes_integer_means(t, step, seed):
    stats, plays, means, variance = random_statistics(seed)
    action, weights, bonuses = asked(aescb, t, [0.5, 1.0, 0.0, 0.5, 1000.0, 0.0, math.inf], stats)
    step = step or np.abs(means).max() / 1000.0
    assert action == INDEX
    assert np.array_equal(weights, np.round(weights))
    assert (weights * step >= means - 1e-12).all()
    assert ((weights - 1) * step <= means + 1e-12).all()
    assert np.abs(weights).max() <= 1001.0  # the last bit of the quotient may lift it over 1000
    assert np.allclose(bonuses * step**2, 2 * variance * math.log(t) / np.maximum(plays, 1), rtol=1e-12)


@by_seed
def test_the_rule_of_thompson_sampling_writes_the_draw(seed):
    stats, plays, means, variance = random_statistics(seed)
    z = np.random.default_rng(seed).normal(size=len(plays))
    action, weights, _ = asked(thompson, 5, [1.0, 3.0 * math.sqrt(0.5)], stats, z)
    assert action == LINEAR
    spread = np.where(plays > 0, 3.0 * np.sqrt(variance / np.maximum(plays, 1)), 0.0)  # items never seen are not drawn
    assert np.allclose(weights, means + spread * z, rtol=1e-13, atol=1e-15)


def test_normal_numbers_are_drawn_in_the_order_of_items_and_not_while_covering():
    agent, rng, copy = ThompsonSampling().start(sb.MSets(3, 1), 0.5), np.random.default_rng(2), np.random.default_rng(2)
    for _ in range(3):
        agent.observe(np.flatnonzero(agent.choose(rng)), np.zeros(1))
    assert rng.bit_generator.state == copy.bit_generator.state
    for _ in range(20):
        x = agent.choose(rng)
        agent.forget(np.flatnonzero(x))
        assert x.argmax() == copy.standard_normal(3).argmax()  # all means and counts are equal, as nothing is observed
    assert rng.bit_generator.state == copy.bit_generator.state


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


@pytest.mark.parametrize("kind", [ESCB, AESCB])
def test_every_search_is_decided_in_a_grid_of_3432_paths(kind):
    """A budget of 12 maximisations a round leaves 80 % of the searches undecided."""
    paths = grid(8, diagonals=False)
    costs = np.random.default_rng(0).random(paths.d)
    result = sb.simulate(paths, sb.GaussianRewards(costs=costs, variance=0.25), [kind()], horizon=500, replications=2, seed=1)
    _, searches, _, undecided = result.summary()[0].calls
    assert searches > 450
    assert undecided == 0


def test_parameters():
    assert CUCB() == CUCB(radius=Radius()) == CUCB(radius="log") == CUCB().for_law(Bernoulli())
    assert CUCB(law="bernoulli") != CUCB()
    assert CUCB(variance=[1, 2]) == CUCB(variance=np.array([1.0, 2.0]))
    assert hash(CUCB(variance=[1, 2])) == hash(CUCB(variance=(1.0, 2.0)))
    radius = {"log": 1.0, "loglog": 0.0, "loglog_per_item": 0.0}
    assert CUCB().specification() == {"name": "CUCB", "variance": None, "radius": radius}
    assert CUCB(variance=[1, 2]).specification()["variance"] == [1.0, 2.0]
    assert isinstance(Radius(log=2).log, float)
