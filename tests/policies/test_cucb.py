"""CUCB against its published index, computed from the full history."""

import math

import numpy as np
import pytest
from histories import asked, assert_best, play, random_statistics, situations
from hypothesis import given, settings
from scipy.special import rel_entr

from semibandits.decisions.msets import MSets
from semibandits.errors import InvalidInputError
from semibandits.kernels.rules.actions import LINEAR
from semibandits.kernels.rules.optimism import cucb
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
def test_the_rule_writes_the_index_of_each_item(t, seed):
    stats, plays, means, variance = random_statistics(seed)
    action, weights, _ = asked(cucb, t, [1.0, 2.0, 3.0], stats)
    f = 2.0 * math.log(t) + (3.0 * math.log(math.log(t)) if t >= 3 else 0.0)
    assert action == LINEAR
    assert np.allclose(weights, means + np.sqrt(2 * variance * f / np.maximum(plays, 1)), rtol=1e-13)


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


def test_with_a_law_one_arm_is_played_as_by_kl_ucb():
    """Every choice of a run has the largest index, found by bisection."""
    agent, rng, theta = CUCB(law="bernoulli").start(MSets(4, 1), 0.25), np.random.default_rng(1), [0.1, 0.2, 0.5, 0.6]
    for t in range(1, 300):
        x = agent.choose(rng)
        if t > 4:
            low, high = agent.means.copy(), np.ones(4)
            for _ in range(60):
                middle = 0.5 * (low + high)
                with np.errstate(divide="ignore", invalid="ignore"):
                    d = rel_entr(agent.means, middle) + rel_entr(1.0 - agent.means, 1.0 - middle)
                is_in = agent.plays * d <= math.log(t)
                low, high = np.where(is_in, middle, low), np.where(is_in, high, middle)
            assert low[x][0] >= low.max() - 1e-9
        items = np.flatnonzero(x)
        agent.observe(items, (rng.random(1) < theta[items[0]]).astype(float))


def test_only_a_law_that_is_given_replaces_the_variance():
    assert CUCB().for_law(Bernoulli()) == CUCB()
    assert build(CUCB(law="bernoulli").specification()) == CUCB(law="bernoulli") != CUCB()


def test_ucb1_by_hand():
    """Two arms of variance 1/2, seen once and twice, with means 0.5 and 0.6: in round 4, 0.5 + 1.177 > 0.6 + 0.833."""
    agent, rng = CUCB().start(MSets(2, 1), 0.5), np.random.default_rng(0)
    outcomes = {0: [0.5], 1: [0.6, 0.6]}
    for _ in range(2):
        (i,) = np.flatnonzero(agent.choose(rng))
        agent.observe(np.array([i]), np.array([outcomes[i][0]]))
    assert agent.choose(rng).tolist() == [False, True]  # the same bonus, the larger mean
    agent.observe(np.array([1]), np.array([0.6]))
    assert agent.choose(rng).tolist() == [True, False]
    assert agent.plays.tolist() == [1, 2]
    assert agent.means.tolist() == [0.5, 0.6]
    assert agent.calls == (2, 0, 0)


def test_parameters():
    assert CUCB() == CUCB(radius=Radius()) == CUCB(radius="log")
    assert CUCB(variance=[1, 2]) == CUCB(variance=np.array([1.0, 2.0]))
    assert hash(CUCB(variance=[1, 2])) == hash(CUCB(variance=(1.0, 2.0)))
    assert CUCB().specification() == {
        "name": "CUCB",
        "variance": None,
        "radius": {"log": 1.0, "loglog": 0.0, "loglog_per_item": 0.0},
    }
    assert CUCB(variance=[1, 2]).specification()["variance"] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"variance": 0.0}, "variance must be positive, got 0.0"),
        ({"variance": [1.0, -1.0]}, "variance must be positive, got -1.0 for item 1"),
        ({"variance": np.nan}, "variance must be finite, got nan"),
        ({"variance": [[1.0, 2.0]]}, "variance must be a scalar or have shape"),
        ({"variance": []}, "variance must be a scalar or have shape"),
        ({"variance": "large"}, "variance must be an array of numbers"),
        ({"radius": "loglog"}, "radius must be one of 'log', .*, got 'loglog'"),
    ],
)
def test_malformed_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        CUCB(**parameters)


@pytest.mark.parametrize("variance", [(1.0, 2.0), (1.0,) * 4])
def test_a_variance_of_another_length_is_refused_at_the_start(variance):
    with pytest.raises(InvalidInputError, match=r"variance must be a scalar or have shape \(d,\) = \(3,\)"):
        CUCB(variance=variance).start(MSets(3, 1), 0.5)
    with pytest.raises(InvalidInputError, match=r"variance must be a scalar or have shape \(d,\) = \(3,\)"):
        CUCB().start(MSets(3, 1), np.array(variance))


def test_a_variance_of_zero_is_refused_at_the_start():
    with pytest.raises(InvalidInputError, match="variance must be positive"):
        CUCB().start(MSets(3, 1), 0.0)
