"""Identify: its prices against the formula, and tests that end soon with the right decision."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.kernels.rules import identify as rule
from semibandits.kernels.rules.statistics import fresh_statistics, observe

SETS = {
    "msets": sb.MSets(6, 2),
    "trees": sb.SpanningTrees(list(itertools.combinations(range(4), 2))),
    "matchings": sb.Matchings(list(itertools.product(range(3), "abc"))),
}
CLEAR = np.array([0.9, 0.2, 0.3, 0.1, 0.8, 0.2, 0.3, 0.1, 0.7])
"""Means of matchings of three rows, of which one is clearly the best."""


def statistics(decision_set, rng):
    """Statistics after some rounds, and their arrays: means, plays, variances."""
    variance = rng.uniform(0.2, 2.0, decision_set.d)
    stats = fresh_statistics(variance)
    for i in range(decision_set.d):
        for _ in range(int(rng.integers(1, 30))):
            observe(stats, 2.0 * variance, np.array([i]), 1, rng.normal(size=1) + i / 3.0)
    return stats, stats[2], stats[0], variance


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(SETS)), st.sampled_from([0.1, 1.0, 5.0]))
@settings(max_examples=60)
def test_prices_are_those_of_the_formula(seed, name, sharpness):
    decision_set, rng = SETS[name], np.random.default_rng(seed)
    stats, means, plays, variance = statistics(decision_set, rng)
    d, best = decision_set.d, decision_set.maximize(means)
    others = decision_set.enumerate()
    others = others[(others != best).any(axis=1)]
    others = others[rng.choice(len(others), size=min(d, len(others)), replace=False)]
    pool = np.zeros((d, decision_set.m + 1), dtype=np.int64)
    for k, x in enumerate(others):
        pool[k, 0] = x.sum()
        pool[k, 1 : 1 + x.sum()] = np.flatnonzero(x)
    prices = np.empty(d)
    assert rule.write_prices(sharpness, stats, best, pool, prices)
    differ = others != best
    uncertain = (differ * (variance / plays)).sum(axis=1)
    gaps = means[best].sum() - others @ means
    evidence = gaps**2 / (2.0 * uncertain)
    weights = np.exp(-sharpness * (evidence - evidence.min())) * evidence / uncertain
    expected = (weights @ differ) * variance / plays**2
    np.testing.assert_allclose(prices / prices.max(), expected / expected.max(), rtol=1e-9, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(SETS)))
@settings(max_examples=40)
def test_the_pool_gets_the_decision_that_is_least_for_its_multiplier(seed, name):
    decision_set, rng = SETS[name], np.random.default_rng(seed)
    stats, means, plays, variance = statistics(decision_set, rng)
    d, best = decision_set.d, decision_set.maximize(means)
    decisions = decision_set.enumerate()
    known = decisions[rng.integers(len(decisions))]
    pool = np.zeros((d, decision_set.m + 1), dtype=np.int64)
    pool[:, 0] = known.sum()
    pool[:, 1 : 1 + known.sum()] = np.flatnonzero(known)
    item, weights = int(rng.integers(d)), np.empty(d)
    rule.write_hard(stats, best, pool, item, weights)
    u = variance / plays
    gap = means[best].sum() - means[known].sum()
    slope = gap / u[known != best].sum() if (known != best).any() else 0.0
    part = decisions[decisions[:, item] != best[item]]
    values = slope * (means[best].sum() - part @ means) - 0.5 * slope**2 * ((part != best) @ u)
    found = decision_set.maximize(weights)
    assert found[item] != best[item]
    value = slope * (means[best].sum() - means[found].sum()) - 0.5 * slope**2 * u[found != best].sum()
    assert slope == 0.0 or value <= values.min() + 1e-9 * (1.0 + abs(values.min()))


@pytest.mark.parametrize("name", SETS)
def test_a_test_is_sure_sooner_than_by_thompson_sampling(name):
    decision_set = SETS[name]
    rewards = sb.GaussianRewards(CLEAR if name == "matchings" else np.linspace(0.1, 1.0, decision_set.d), variance=0.25)
    policies = [sb.Identify(), sb.ThompsonSampling()]
    result = sb.simulate(decision_set, rewards, policies, 4_000, 2, seed=0, stop_at=0.95, bound=False, checkpoints=[4_000])
    own, other = (row.stopped for row in result.summary())
    assert (own.share, own.wrong) == (1.0, 0.0)
    assert other.share < 1.0 or own.rounds < other.rounds


def test_no_item_is_given_up():
    rewards = sb.GaussianRewards([0.9, 0.5, 0.1, -3.0], variance=0.25)
    result = sb.simulate(sb.MSets(4, 1), rewards, sb.Identify(forced=4.0), 2_500, 1, seed=0, bound=False, checkpoints=[2_500])
    assert result.plays["Identify"][0, -1].min() >= 50


def test_learners_stop_once_they_are_sure():
    x = sb.Matchings(list(itertools.product(range(3), "abc")))
    learner, rng = sb.Learner(x, sb.Identify(), variance=0.25, seed=1), np.random.default_rng(0)
    while learner.confidence(threshold="customary") < 0.95:
        asked = learner.ask()
        learner.tell(asked.id, CLEAR[asked.items] + 0.5 * rng.standard_normal(3))
        assert asked.id < 5_000
    assert np.array_equal(learner.best(), x.maximize(CLEAR))
