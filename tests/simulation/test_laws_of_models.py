"""Reward models say what their law is, and simulations are bounded by C(theta) for it."""

from __future__ import annotations

import numpy as np
import pytest

import semibandits as sb
from semibandits.laws import Bernoulli, Gaussian, Poisson

COUNTS = np.array([3.0, 2.5, 2.0, 1.0, 0.5])


class Counts(sb.RewardModel):
    """Poisson counts; policies are told the variance of the largest mean."""

    theta = COUNTS
    variance = 3.0
    law = Poisson()

    def draw(self, items, rng):
        return rng.poisson(self.theta[items]).astype(float)


def test_models_of_the_library():
    assert sb.GaussianRewards([1.0, 2.0], variance=[0.5, 3.0]).law == Gaussian([0.5, 3.0])
    assert sb.BernoulliRewards([0.5, 0.2]).law == Bernoulli()
    assert sb.BoundedRewards([0.5, 0.2]).law is None
    assert sb.CorrelatedGaussianRewards([0.5, 0.2], covariance=[[1.0, 0.5], [0.5, 1.0]]).law is None


def test_a_model_of_ones_own_is_bounded_by_its_law():
    space = sb.MSets(5, 2)
    expected = sb.graves_lai(space, COUNTS, law=Poisson())
    result = sb.simulate(space, Counts(), [sb.ThompsonSampling(), sb.GLADE()], horizon=200, replications=2, seed=0)
    assert Counts().bound_family == "poisson"
    assert result.lower_bound == expected.lower
    assert result.lower_bound_interval == (expected.lower, expected.value)


@pytest.mark.parametrize(("bound", "counts"), [({"law": Poisson()}, True), ({"variance": 3.0}, False)])
def test_only_a_bound_for_the_law_counts(bound, counts):
    space = sb.MSets(5, 2)
    known = sb.graves_lai(space, COUNTS, **bound)
    result = sb.simulate(space, Counts(), sb.ThompsonSampling(), horizon=50, replications=1, seed=0, bound=known)
    assert (result.lower_bound is not None) == counts


def orders(items, rng):
    return rng.poisson(COUNTS[items]).astype(float)


def test_a_sampler_may_come_with_its_law():
    rewards = sb.SampledRewards(COUNTS, orders, variance=3.0, law=Poisson())
    assert rewards.law == Poisson()
    assert rewards.specification()["parameters"]["law"] == "Poisson(cost=False)"
    assert "law" not in sb.SampledRewards(COUNTS, orders, variance=3.0).specification()["parameters"]
    result = sb.simulate(sb.MSets(5, 2), rewards, sb.ThompsonSampling(), horizon=50, replications=1, seed=0)
    assert result.lower_bound == sb.graves_lai(sb.MSets(5, 2), COUNTS, law=Poisson()).lower
    with pytest.raises(sb.InvalidInputError, match="law must be a Law or None, got str"):
        sb.SampledRewards(COUNTS, orders, variance=3.0, law="poisson")
    with pytest.raises(sb.InvalidInputError, match="means must be <= 0"):
        sb.SampledRewards(COUNTS, orders, variance=3.0, law=Poisson(cost=True))


def test_laws_of_many_numbers_are_told_apart():
    means = np.linspace(0.0, 1.0, 3_000)

    def specified(variances):
        rewards = sb.SampledRewards(means, orders, variance=3.0, law=Gaussian(variances))
        return rewards.specification()["parameters"]["law"]

    variances = np.full(3_000, 0.5)
    assert len(specified(variances)) == 64
    assert specified(variances) == specified(variances.copy())
    variances[1_500] += 1e-15
    assert specified(variances) != specified(np.full(3_000, 0.5))
