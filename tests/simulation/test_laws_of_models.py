"""Laws of reward models, and C(theta) for them in simulations."""

import dataclasses

import numpy as np
import pytest

import semibandits as sb
from semibandits.laws import Bernoulli, Gamma, Gaussian, Poisson

COUNTS = np.array([3.0, 2.5, 2.0, 1.0, 0.5])


def orders(items, rng):
    return rng.poisson(COUNTS[items]).astype(float)


class Counts(sb.RewardModel):
    """Poisson counts; policies receive the variance of the largest mean."""

    theta, variance, law = COUNTS, 3.0, Poisson()
    draw = staticmethod(orders)


def test_models_without_a_law():
    """Policies are told that clicks which are replayed are Bernoulli."""
    correlated = sb.CorrelatedGaussianRewards([0.5, 0.2], covariance=[[1.0, 0.5], [0.5, 1.0]])
    for rewards in (sb.BoundedRewards([0.5, 0.2]), correlated, sb.ReplayedRewards([[0.0, 1.5], [0.0, 1.0]])):
        assert (rewards.law, rewards.told_law, rewards.family) == (None, None, None)
    clicks = sb.ReplayedRewards([[0.0, 1.0, 1.0], [0.0, 1.0], [0.0, 0.0, 1.0]])
    assert (clicks.law, clicks.told_law, clicks.family) == (None, Bernoulli(), "bernoulli")


@pytest.mark.parametrize(
    ("bound", "is_used"), [(True, True), ({"law": Poisson()}, True), ({"variance": 3.0}, False)], ids=["own", "law", "variance"]
)
def test_a_users_model_is_bounded_by_its_law(bound, is_used):
    space = sb.MSets(5, 2)
    expected = sb.graves_lai(space, COUNTS, law=Poisson())
    known = bound if bound is True else sb.graves_lai(space, COUNTS, **bound)
    for rewards in (Counts(), sb.SampledRewards(COUNTS, orders, variance=3.0, law=Poisson())):
        result = sb.simulate(space, rewards, sb.ThompsonSampling(), horizon=50, replications=1, seed=0, bound=known)
        assert rewards.bound_family == "poisson"
        assert result.lower_bound == (expected.lower if is_used else None)
        assert result.lower_bound_interval == ((expected.lower, expected.value) if is_used else None)


def test_a_sampler_may_come_with_its_law():
    plain, rewards, named = (sb.SampledRewards(COUNTS, orders, variance=3.0, law=law) for law in (None, Poisson(), "poisson"))
    assert rewards.law == Poisson()
    assert rewards.specification()["parameters"]["law"] == "Poisson(cost=False)"
    assert "law" not in plain.specification()["parameters"]
    assert named.specification() == rewards.specification()


def test_laws_of_many_numbers_are_distinguished():
    means = np.linspace(0.0, 1.0, 3_000)

    def specified(variances):
        rewards = sb.SampledRewards(means, orders, variance=3.0, law=Gaussian(variances))
        return rewards.specification()["parameters"]["law"]

    variances = np.full(3_000, 0.5)
    assert len(specified(variances)) == 64
    assert specified(variances) == specified(variances.copy())
    variances[1_500] += 1e-15
    assert specified(variances) != specified(np.full(3_000, 0.5))


MODELS = [
    (sb.GaussianRewards(COUNTS, variance=[0.5, 3.0, 1, 1, 1]), Gaussian([0.5, 3.0, 1, 1, 1])),
    (sb.GaussianRewards(COUNTS, upper=3.0), Gaussian(0.5, upper=3.0)),
    (sb.BernoulliRewards(COUNTS / 4.0), Bernoulli()),
    (sb.PoissonRewards(COUNTS), Poisson()),
    (sb.PoissonRewards(-COUNTS, cost=True), Poisson(cost=True)),
    (sb.GammaRewards(-COUNTS, shape=3.0, cost=True), Gamma(3.0, cost=True)),
]


@pytest.mark.parametrize(("rewards", "law"), MODELS, ids=lambda one: type(one).__name__)
def test_results_have_the_law(rewards, law, tmp_path):
    """Also after saving; it is the law of the bound and the one that policies received."""
    assert rewards.law == rewards.told_law == law
    result = sb.simulate(sb.MSets(5, 2), rewards, [sb.GLADE(), sb.ThompsonSampling()], 100, 2, seed=3)
    assert result.law == law
    assert result.lower_bound == sb.graves_lai(sb.MSets(5, 2), rewards.theta, law=law).lower
    result.save(tmp_path / "result.zip")
    assert sb.load_simulation(tmp_path / "result.zip").law == law
    told = sb.simulate(sb.MSets(5, 2), rewards, [sb.GLADE(law=law), sb.ThompsonSampling(law=law)], 100, 2, seed=3, bound=None)
    for name in result.policies:
        np.testing.assert_array_equal(result.regret[name], told.regret[name])


def test_laws_of_results_of_earlier_versions():
    result = sb.simulate(sb.MSets(5, 2), sb.BernoulliRewards(COUNTS / 4.0), sb.CUCB(), 10, 1, seed=0, bound=None)
    provenance = {key: value for key, value in result.provenance.items() if key != "law"}
    assert dataclasses.replace(result, provenance=provenance).law == Bernoulli()
    for odd in ({}, {"law": None}, {"law": {"name": "Cauchy()"}}, {"law": 3}, {"specification": {"rewards": 3}}):
        assert dataclasses.replace(result, provenance=odd).law is None


class ByName(sb.Policy):
    """A user's policy from before policies received laws: it uses the name."""

    def __init__(self, told=None):
        self.told = told

    def for_rewards(self, family):
        return ByName(family)

    def start(self, decision_set, variance):
        return sb.CUCB(variance=0.1 if self.told == "bernoulli" else 9.0).start(decision_set, variance)


def test_policies_of_users_receive_the_name():
    assert ByName().for_law(Poisson()).told == "poisson"
    assert ByName().for_law(None).told is None
    rewards = sb.BernoulliRewards(COUNTS / 4.0)
    own = sb.simulate(sb.MSets(5, 2), rewards, {"it": ByName()}, 200, 2, seed=1, bound=None)
    same = sb.simulate(sb.MSets(5, 2), rewards, {"it": sb.CUCB(variance=0.1)}, 200, 2, seed=1, bound=None)
    np.testing.assert_array_equal(own.regret["it"], same.regret["it"])
