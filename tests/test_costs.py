"""Costs are minus rewards, bit for bit, and errors are about the costs as they were written."""

from functools import partial

import numpy as np
import pytest

import semibandits as sb
from semibandits.laws import Gamma, Gaussian, Poisson

EDGES = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "d"), ("b", "c")]
COSTS = np.array([9.0, 6.0, 7.0, 9.5, 17.0, 0.25])
SETS = {
    "paths": sb.Paths(EDGES, "a", "d"),
    "routes": sb.Routes(EDGES, "a", "d", [2.0, 2.0, 1.0, 3.0, 4.0, 0.0]),
    "trees": sb.SpanningTrees(EDGES),
    "msets": sb.MSets(6, 2),
    "matchings": sb.Matchings([(i, j) for i in "pq" for j in "xyz"], saturate="rows"),
    "listed": sb.EnumeratedDecisions(np.eye(6, dtype=bool)),
}
OUTCOMES = np.random.default_rng(5).integers(0, 9, (12, 6)).astype(float)


@pytest.mark.parametrize("name", SETS)
def test_bounds_and_gaps_are_those_of_minus_the_costs(name):
    ours = sb.graves_lai(SETS[name], costs=COSTS.tolist(), variance=2.0)
    theirs = sb.graves_lai(SETS[name], -COSTS, variance=2.0)
    assert (ours.lower, ours.value, ours.method) == (theirs.lower, theirs.value, theirs.method)
    for field in ("theta", "rates", "optimal_decision"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))
    np.testing.assert_array_equal(ours.plan.decisions, theirs.plan.decisions)
    np.testing.assert_array_equal(ours.costs, COSTS)
    assert sb.smallest_gap(SETS[name], costs=COSTS) == sb.smallest_gap(SETS[name], -COSTS)
    assert COSTS[ours.optimal_decision].sum() == min(COSTS[x].sum() for x in SETS[name].enumerate())


@pytest.mark.parametrize("law", [Poisson(cost=True), Gamma(2.0, cost=True), Gaussian(1.5, upper=0.0)])
def test_bounds_of_laws_take_costs(law):
    ours, theirs = (sb.graves_lai(SETS["paths"], law=law, **means) for means in ({"costs": COSTS}, {"theta": -COSTS}))
    assert (ours.lower, ours.value) == (theirs.lower, theirs.value)


def sampled(items, rng):
    return rng.normal(size=len(items)) + items


def minus_sampled(items, rng):
    return -sampled(items, rng)


MODELS = {
    "gaussian": (sb.GaussianRewards(costs=COSTS, variance=2.0), sb.GaussianRewards(-COSTS, variance=2.0)),
    "bounded above": (sb.GaussianRewards(costs=COSTS, upper=0.0), sb.GaussianRewards(-COSTS, upper=0.0)),
    "poisson": (sb.PoissonRewards(costs=COSTS), sb.PoissonRewards(-COSTS, cost=True)),
    "gamma": (sb.GammaRewards(costs=COSTS, shape=2.0), sb.GammaRewards(-COSTS, shape=2.0, cost=True)),
    "bounded": (sb.BoundedRewards(costs=COSTS, low=0.0, high=20.0), sb.BoundedRewards(-COSTS, low=-20.0, high=0.0)),
    "correlated": tuple(
        sb.CorrelatedGaussianRewards(**means, covariance=np.eye(6) + 0.5) for means in ({"costs": COSTS}, {"theta": -COSTS})
    ),
    "replayed rounds": (sb.ReplayedRewards(costs=OUTCOMES), sb.ReplayedRewards(-OUTCOMES)),
    "replayed items": (
        sb.ReplayedRewards(costs=[OUTCOMES[: k + 2, k] for k in range(6)]),
        sb.ReplayedRewards([-OUTCOMES[: k + 2, k] for k in range(6)]),
    ),
    "sampled": (
        sb.SampledRewards(costs=COSTS, sampler=sampled, variance=1.0),
        sb.SampledRewards(-COSTS, minus_sampled, variance=1.0),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_reward_models_take_costs(name):
    ours, theirs = MODELS[name]
    np.testing.assert_array_equal(ours.theta, theirs.theta)
    np.testing.assert_array_equal(ours.costs, -theirs.theta)
    np.testing.assert_array_equal(ours.variance, theirs.variance)
    assert ours.law == theirs.law
    assert (ours.specification() == theirs.specification()) == (name != "sampled")
    items = np.array([0, 2, 5])
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(20):
        np.testing.assert_array_equal(ours.draw(items, one), theirs.draw(items, other))


def test_a_sampler_of_costs_has_its_own_specification():
    zero = {"variance": 1.0, "sampler": sampled}
    one, other = sb.SampledRewards(costs=np.zeros(6), **zero), sb.SampledRewards(np.zeros(6), **zero)
    assert one.specification() != other.specification()


def test_no_cost_is_no_reward_without_a_sign():
    assert not np.signbit(sb.GaussianRewards(costs=[0.0, 1.0]).theta[0])
    assert not np.signbit(sb.GaussianRewards([0.0, 1.0]).costs[0])


def test_simulations_with_costs_and_prior_costs_have_the_same_bits():
    ours, theirs = MODELS["gaussian"]
    policies = [sb.GLADE(), sb.ThompsonSampling(), sb.OSSB()]
    guess, options = COSTS + 1.0, {"horizon": 200, "replications": 2, "seed": 7, "prior_plays": 3}
    one = sb.simulate(SETS["paths"], ours, policies, prior_costs=guess, **options)
    other = sb.simulate(SETS["paths"], theirs, policies, prior_means=-guess, **options)
    assert one.provenance["specification"] == other.provenance["specification"]
    for policy in one.policies:
        np.testing.assert_array_equal(one.regret[policy], other.regret[policy])
        np.testing.assert_array_equal(one.plays[policy], other.plays[policy])


def test_learners_are_told_costs_in_every_form():
    ours, theirs = (
        sb.Learner(SETS["paths"], sb.GLADE(), variance=2.0, seed=1, prior_plays=2, **prior)
        for prior in ({"prior_costs": COSTS}, {"prior_means": -COSTS})
    )
    draws = np.random.default_rng(2)
    for step in range(60):
        asked = ours.ask()
        assert asked.labels == theirs.ask().labels
        costs = draws.normal(COSTS[asked.items], 1.4)
        unseen = [None] * (len(costs) - 1)
        told = (
            partial(ours.tell, asked.id, costs=costs),
            partial(ours.tell, asked.id, costs=dict(zip(asked.labels, costs, strict=True))),
            partial(ours.tell_many, costs={asked.id: costs.tolist()}),
            partial(ours.tell_many, costs=[(asked.id, costs)]),
            partial(ours.tell, asked.id, costs=[costs[0], *unseen], partial=True),
        )
        told[step % 5]()
        theirs.tell(asked.id, [-costs[0], *unseen] if step % 5 == 4 else -costs, partial=step % 5 == 4)
    assert ours.state() == theirs.state()
    np.testing.assert_array_equal(ours.costs, -theirs.means)
    assert np.count_nonzero(ours.costs > 0) >= 3


def test_histories_take_costs():
    draws = np.random.default_rng(4)
    items = draws.integers(0, 6, 50)
    labels, costs = [EDGES[i] for i in items], draws.normal(COSTS[items], 2.0)
    options = {"variance": 2.0, "seed": 3}
    ours = sb.Learner.from_history(SETS["paths"], labels, costs=costs, **options)
    theirs = sb.Learner.from_history(SETS["paths"], labels, -costs, **options)
    assert ours.state() == theirs.state()
    days = [{EDGES[0]: 9.25, EDGES[1]: 6.5}, {EDGES[4]: 17.0}]
    minus = [{edge: -cost for edge, cost in day.items()} for day in days]
    ours = sb.Learner.from_rounds(SETS["paths"], costs=days, **options)
    theirs = sb.Learner.from_rounds(SETS["paths"], minus, **options)
    assert ours.state() == theirs.state()
    np.testing.assert_array_equal(ours.costs, [9.25, 6.5, 0.0, 0.0, 17.0, 0.0])
