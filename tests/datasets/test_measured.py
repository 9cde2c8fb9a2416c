"""Properties of every measured dataset, checked against its outcomes."""

import numpy as np
import pytest
from built import built, solved

import semibandits as sb
from semibandits import datasets

MEASURED = [row.name for row in datasets.catalogue() if row.replay]


@pytest.mark.parametrize("name", MEASURED)
def test_theta_is_the_mean_of_the_outcomes(name):
    """To the last bit; labels differ."""
    dataset = built(name)
    assert dataset.origin == "measured"
    assert len(dataset.outcomes) == dataset.decision_set.d == len(set(dataset.labels))
    assert all(mean == log.mean() for mean, log in zip(dataset.theta, dataset.outcomes, strict=True))
    assert np.array_equal(dataset.replay().theta, dataset.theta)
    assert all(not log.flags.writeable for log in dataset.outcomes)
    title = dataset.instance.name
    assert title[0].isupper(), "the title of figures and reports is for people"
    assert " " in title


@pytest.mark.parametrize("name", MEASURED)
def test_the_plan_of_the_bound_tells_every_alternative_apart(name):
    """One decision is optimal, and the plan costs what is said and tells every alternative apart that is tried.

    Alternatives are the best decisions without one of the optimal items, and those of 200 random perturbations.
    """
    dataset, s = built(name), solved(name)
    decisions, theta = dataset.decision_set, dataset.theta
    assert 0 < s.lower <= s.value <= s.lower * (1 + 1.001e-4)
    best = s.optimal_decision
    gaps = theta @ best - s.plan.decisions @ theta
    assert np.isclose(s.plan.rates @ gaps, s.value, rtol=1e-9)
    rng = np.random.default_rng(5)
    tries = [theta - 1e6 * (np.arange(decisions.d) == i) for i in np.flatnonzero(best)]
    tries += [theta + rng.normal(scale=theta.std() * rng.uniform(0.05, 2), size=decisions.d) for _ in range(200)]
    alternatives = 0
    for weights in tries:
        x = decisions.maximize(weights)
        new = x & ~best
        if not new.any():
            assert np.array_equal(x, best)
            continue
        gap = theta @ best - theta @ x
        assert gap > 1e-6 * np.abs(theta).max(), "two decisions are optimal"
        assert np.sum(2 * dataset.variance[new] / s.rates[new]) <= gap**2 * (1 + 1e-6)
        alternatives += 1
    assert alternatives > 20


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", MEASURED)
def test_replay_draws_the_outcomes_with_their_tails(name):
    """4,000 draws of an item have a mean within 5 deviations of theta, except with probability below 1e-6 an item if it were
    Gaussian; the seed is fixed.
    """
    dataset = built(name)
    rewards = dataset.replay()
    assert isinstance(rewards, sb.ReplayedRewards)
    assert not rewards.is_independent_gaussian
    rng, items = np.random.default_rng(3), np.arange(dataset.decision_set.d)
    some = items[:: max(1, len(items) // 6)]
    drawn = np.array([rewards.draw(some, rng) for _ in range(4_000)])
    for i, column in zip(some, drawn.T, strict=True):
        log = dataset.outcomes[i]
        assert set(column) <= set(log)
        assert abs(column.mean() - dataset.theta[i]) <= 5 * log.std() / np.sqrt(4_000)
    result = sb.simulate(dataset.decision_set, rewards, [sb.CUCB(), sb.ThompsonSampling()], horizon=200, replications=2, seed=1)
    assert result.lower_bound is None
    for regret in result.regret.values():
        assert regret.shape[0] == 2
        assert np.all(regret[:, -1] > 0)
