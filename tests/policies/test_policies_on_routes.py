"""Policies on routes: they start from the known bound, and a prior counts as observed rewards."""

import json

import numpy as np
import pytest

import semibandits as sb
from example_sets import street_grid

POLICIES = [sb.CUCB(), sb.ESCB(), sb.AESCB(), sb.ThompsonSampling(), sb.GLADE(), sb.OSSB()]
by_policy = pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)


def drive(learner, costs, rounds, seed=0, noise=0.1):
    """Play rounds with Gaussian noise; the decisions."""
    rng, chosen = np.random.default_rng(seed), []
    for _ in range(rounds):
        trip = learner.ask()
        chosen.append(trip.decision)
        learner.tell(trip.id, -costs[trip.items] - noise * rng.normal(size=len(trip.items)))
    return np.array(chosen)


@by_policy
def test_the_first_route_is_the_best_one_at_the_least_costs(policy):
    x, _ = street_grid(4, 4, "separate", np.random.default_rng(0), least=0.7)
    first = sb.Learner(x, policy, variance=0.1, seed=0).ask().decision
    assert x.least[first].sum() == pytest.approx(x.least[x.maximize(x.upper)].sum())


@by_policy
def test_links_that_cannot_be_on_a_best_route_are_never_driven(policy):
    x, costs = street_grid(5, 5, "separate", np.random.default_rng(1), least=0.9)
    learner = sb.Learner(x, policy, variance=0.01, seed=0)
    drive(learner, costs, 150)
    driven = learner.plays > 0
    assert 0 < driven.sum() < 0.7 * x.d
    # A link is driven only if the best route through it at least costs beats the best known route, up to noise.
    best = costs[x.maximize(-costs)].sum()
    through = [x.least[next(row for row in x.ranked(x.upper) if row[i])].sum() for i in np.flatnonzero(driven)]
    assert max(through) <= best + 1.0


def test_a_city_is_not_covered_link_by_link():
    x, costs = street_grid(40, 40, "separate", np.random.default_rng(2), least=0.8)
    learner = sb.Learner(x, variance=0.01, seed=0)
    chosen = drive(learner, costs, 60)
    assert x.d == 6240
    assert (learner.plays > 0).sum() < 0.3 * x.d
    best = costs[x.maximize(-costs)].sum()
    assert costs[chosen[-1]].sum() <= 1.1 * best


def test_escb_plays_the_largest_index_with_limited_raises():
    x, costs = street_grid(3, 3, "separate", np.random.default_rng(3), least=0.5)
    agent, rng = sb.ESCB().start(x, np.full(x.d, 0.2)), np.random.default_rng(0)
    rows = x.enumerate()
    for t in range(1, 80):
        chosen = agent.choose(rng)
        plays = agent.player.stats[0]
        means = np.where(plays > 0, agent.means, x.upper)
        bonuses = np.log(t) * 2 * 0.2 / np.maximum(plays, 1.0)
        assert x.index_of(means, bonuses, chosen) >= max(x.index_of(means, bonuses, row) for row in rows) - 1e-9
        items = np.flatnonzero(chosen)
        agent.observe(items, -costs[items] - 0.3 * rng.normal(size=len(items)))


@by_policy
def test_a_prior_counts_as_observed_rewards(policy):
    x, costs = street_grid(3, 4, "shared", np.random.default_rng(4), least=0.5)
    means, plays = -1.2 * costs, np.arange(x.d) % 3
    learner = sb.Learner(x, policy, variance=0.1, seed=5, prior_means=means, prior_plays=plays)
    agent = policy.start(x, np.full(x.d, 0.1))
    for k in range(2):  # the same rewards, observed one by one
        agent.observe(np.flatnonzero(plays > k), means[plays > k])
    assert np.array_equal(agent.player.stats[:2], learner._agent.player.stats[:2])
    assert np.allclose(agent.player.stats, learner._agent.player.stats)
    assert not learner.plays.any()
    drive(learner, costs, 20)
    learner.ask()
    again = sb.Learner.from_state(json.loads(json.dumps(learner.state())))
    assert json.dumps(again.state()) == json.dumps(learner.state())
    assert np.array_equal(drive(again, costs, 10, seed=1), drive(learner, costs, 10, seed=1))


def test_a_prior_is_known_to_simulations():
    x, costs = street_grid(3, 4, "separate", np.random.default_rng(5), least=0.3)
    rewards = sb.GaussianRewards(-costs, variance=0.1)
    options = {"horizon": 300, "replications": 4, "bound": False}
    blind = sb.simulate(x, rewards, sb.GLADE(), **options)
    told = sb.simulate(x, rewards, sb.GLADE(), prior_means=-costs, prior_plays=50, **options)
    assert told.regret["GLADE"][:, -1].mean() < 0.5 * blind.regret["GLADE"][:, -1].mean()
    assert (told.plays["GLADE"][:, -1].sum(axis=1) <= 300 * x.m).all()
    late = sb.simulate(x, rewards, sb.GLADE(), prior_means=-costs, prior_plays=50, delay=5, **options)
    assert min(told.plays["GLADE"].min(), late.plays["GLADE"].min()) >= 0


def test_a_prior_of_any_family():
    learner = sb.Learner(sb.MSets(4, 1), sb.CUCB(), variance=1.0, seed=0, prior_means=[0, 1, 2, 3], prior_plays=[5, 5, 5, 0])
    assert learner.ask().items.tolist() == [3]  # the only item that is not known
    assert learner.best().tolist() == [False, False, True, False]


@pytest.mark.one_in(2)
@by_policy
def test_open_rounds_do_not_repeat_one_new_route(policy):
    x, costs = street_grid(4, 4, "separate", np.random.default_rng(4))
    learner = sb.Learner(x, policy, variance=0.1, seed=0)
    open_rounds = [learner.ask() for _ in range(12)]
    assert len({trip.items.tobytes() for trip in open_rounds}) >= 8
    restored = sb.Learner.from_state(json.loads(json.dumps(learner.state())))
    for trip in open_rounds:
        for played in (learner, restored):
            played.tell(trip.id, costs=costs[trip.items])
        assert np.array_equal(learner.ask().decision, restored.ask().decision)


@by_policy
def test_a_forgotten_round_leaves_an_unobserved_link_as_it_was(policy):
    x, _ = street_grid(4, 4, "separate", np.random.default_rng(5), least=0.7)
    agent = policy.start(x, np.full(x.d, 0.2))
    before = agent.means
    items = [np.flatnonzero(agent.choose(np.random.default_rng(k))) for k in range(3)]
    rounds_with = np.bincount(np.concatenate(items), minlength=x.d)
    assert np.array_equal(agent.means, before - rounds_with * np.sqrt(0.2))
    for chosen in items:
        agent.forget(chosen)
    assert np.array_equal(agent.means, before)


def test_late_outcomes_cost_little():
    """The regret is 3.5 times that without delay; it was 44 times as long as open rounds with a new link did not count."""
    x, costs = street_grid(8, 8, "separate", np.random.default_rng(6))
    rewards, options = sb.GaussianRewards(-costs, variance=0.01), {"seed": 0, "bound": False}
    plain, late = (sb.simulate(x, rewards, sb.GLADE(), 2000, 4, delay=k, **options).regret["GLADE"] for k in (0, 50))
    assert late[:, -1].mean() < 5.0 * plain[:, -1].mean()
