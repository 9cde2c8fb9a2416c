"""Means at the edge of their law: policies and estimates use the same one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.kernels.rules.estimates import estimate, largest_mean
from semibandits.kernels.rules.statistics import MEANS, ROWS
from semibandits.laws import Bernoulli, Gamma, Mixed, Poisson
from semibandits.learning.intervals import interval

THETA = np.array([3.0, 2.0, 10.0])
GAMMAS = {
    "GLADE": lambda law: sb.GLADE(),
    "ThompsonSampling": lambda law: sb.ThompsonSampling(),
    "CUCB": lambda law: sb.CUCB(law=law),
    "OSSB": lambda law: sb.OSSB(),
}


def learner_after(policy, shape, outcome, rounds=250, seed=0):
    """A learner on three gamma items; `outcome` replaces the k-th outcome of the best one unless it returns None."""
    law, rng = Gamma(shape), np.random.default_rng(seed)
    learner = sb.Learner(sb.MSets(3, 1), GAMMAS[policy](law), law=law, variance=1.0, seed=0)
    for t in range(rounds):
        (item,) = learner.ask().items
        drawn = rng.gamma(shape, THETA[item] / shape)
        own = outcome(int(learner.plays[2])) if item == 2 else None
        learner.tell(t, [drawn if own is None else own])
    return learner


@pytest.mark.parametrize("policy", GAMMAS)
@pytest.mark.parametrize("shape", [0.5, 1.0, 4.0])
def test_one_outcome_of_0_does_not_end_an_item(policy, shape):
    """Seconds are rounded. The item was never played again, though its upper limit was infinite."""
    learner = learner_after(policy, shape, lambda k: 0.0 if k == 0 else max(1.0, 10.0 + k % 3))
    assert learner.plays[2] > 200
    estimates = learner_after(policy, shape, lambda k: 0.0, rounds=3).estimates()
    assert 0.0 == estimates.lower[2] < estimates.upper[2] < math.inf
    if shape == 1.0:  # and an item that only gives 0 is played a few times
        assert 2 <= learner_after(policy, shape, lambda k: 0.0).plays[2] <= 15


PLAIN = (Bernoulli(), Poisson(), Poisson(cost=True), Gamma(0.5), Gamma(4.0), Gamma(2.0, cost=True))
EDGES = {"bernoulli": (0.0, 1.0, 0.3), "poisson": (0.0, 2.5), "gamma": (0.0, 2.5)}


@given(law=st.sampled_from(PLAIN), data=st.data())
@settings(max_examples=100, deadline=None)
def test_policies_and_estimates_use_the_same_mean(law, data):
    sign = -1.0 if getattr(law, "cost", False) else 1.0
    means = sign * np.array(data.draw(st.lists(st.sampled_from(EDGES[law.name]), min_size=1, max_size=5))) + 0.0
    stats = np.zeros((ROWS, len(means)))
    stats[MEANS] = means
    codes, possible = law.compiled(len(means)), law.possible(means)
    in_rules = [estimate(codes, i, stats, largest_mean(codes, stats)) for i in range(len(means))]
    if law != Gamma(2.0, cost=True):  # a cost of 0 is the best of all, and the item is played until it is not 0
        assert np.array_equal(in_rules, possible)
    assert np.array_equal(Mixed([law] * len(means)).possible(means), possible)
    if law.name == "gamma":
        law.check(possible)
    assert np.array_equal(possible[means != 0.0], means[means != 0.0])
    low, high = interval(law, means, np.full(len(means), 0.7))
    assert (np.isfinite(low) & np.isfinite(high) & (low <= means) & (means <= high)).all()
    if sign > 0.0:  # whatever is as far away as the upper limit has the information of the level
        raises = np.minimum(high, law.reach(possible) + possible) - possible
        inside = raises < law.reach(possible)
        assert law.divergence(possible, raises)[inside] == pytest.approx(0.7, rel=1e-6)


def test_a_mean_of_0_counts_as_one_nat_against_the_largest():
    means = np.array([0.0, 8.0, 2.0])
    for shape in (0.5, 1.0, 4.0, 100.0):
        possible = Gamma(shape).possible(means)
        assert Gamma(shape).divergence(possible[:1], 8.0 - possible[:1])[0] == pytest.approx(1.0, rel=1e-9)
        assert possible[1:].tolist() == [8.0, 2.0]
        assert Gamma(shape, cost=True).possible(-means).tolist() == (-possible).tolist()
    assert (Gamma().possible(np.zeros(2)) > 0.0).all()
