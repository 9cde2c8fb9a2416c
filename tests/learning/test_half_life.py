"""Outcomes that lose weight: choices against a plain account of all outcomes, and what weights do to the rest."""

import math

import numpy as np
import pytest
from learner_cases import SETS, means_of, play, play_alike

import semibandits as sb
from marks import later
from semibandits.policies.ageing import LEAST

HALF_LIFE = 20.0


class Account:
    """All outcomes with the ids of their rounds."""

    def __init__(self, d):
        self.told, self.asked, self.d = [], 0, d

    def weighted(self):
        """Weights and weighted sums of the outcomes of each item."""
        plays, sums = np.zeros(self.d), np.zeros(self.d)
        for number, items, rewards in self.told:
            weight = 2.0 ** ((number + 1 - self.asked) / HALF_LIFE)
            plays[items] += weight
            sums[items] += weight * rewards
        return plays, sums

    @property
    def rounds(self):
        return sum(2.0 ** (-age / HALF_LIFE) for age in range(self.asked))


def test_the_choices_of_cucb_are_those_of_discounted_counts():
    """Discounted UCB (Garivier and Moulines 2011), with outcomes up to 5 rounds late."""
    d, rng = 6, np.random.default_rng(0)
    learner = sb.Learner(sb.MSets(d, 2), sb.CUCB(), variance=0.5, seed=0, half_life=HALF_LIFE)
    account, waiting = Account(d), []
    for _ in range(250):
        plays, sums = account.weighted()
        counts = plays + np.bincount(np.concatenate([items for _, items in waiting] or [[]]).astype(int), minlength=d)
        asked = learner.ask()
        if (plays > LEAST).all():
            f = math.log(round(account.rounds) + 1)
            index = sums / plays + np.sqrt(2.0 * 0.5 * f / counts)
            chosen = np.sort(np.argsort(-index, kind="stable")[:2])
            np.testing.assert_array_equal(asked.items, chosen)
        waiting.append((asked.id, asked.items))
        account.asked += 1
        while len(waiting) > rng.integers(0, 6):
            number, items = waiting.pop(int(rng.integers(len(waiting))))
            rewards = rng.normal(np.linspace(0.0, 1.0, d)[items], 0.7)
            learner.tell(number, rewards)
            account.told.append((number, items, rewards))
        plays, sums = account.weighted()
        known = plays > LEAST
        np.testing.assert_allclose(learner.means[known], sums[known] / plays[known], rtol=1e-9)
    assert learner.plays.sum() == 2 * len(account.told)
    assert (plays < 60).all()


@pytest.mark.parametrize("policy", [sb.CUCB(), sb.ThompsonSampling(), sb.ESCB(), sb.AESCB()], ids=lambda one: one.name)
@pytest.mark.parametrize("family", ["msets", "routes", "own"])
def test_with_an_endless_half_life_nothing_changes(policy, family):
    rng = np.random.default_rng(1)
    plain, aged = (sb.Learner(SETS[family](), policy, variance=0.3, seed=4, **options) for options in ({}, {"half_life": 1e300}))
    theta = means_of(plain.decision_set)
    for _ in range(4):
        play_alike((plain, aged), 15, lambda items: rng.normal(theta[items], 0.3))
        plain.ask_many(5)  # which stay open
        aged.ask_many(5)
    np.testing.assert_array_equal(plain.means, aged.means)
    np.testing.assert_array_equal(plain.best(), aged.best())
    assert plain.state()["agent"] == aged.state()["agent"]


@pytest.mark.parametrize("policy", [sb.GLADE(), *later(sb.ThompsonSampling(), sb.CUCB())], ids=lambda one: one.name)
def test_a_better_item_is_found_after_a_change(policy):
    """The worst item becomes the best; all policies that forget play it in most of the last 200 rounds."""
    theta, rng, late = np.array([1.0, 0.8, 0.6, -1.0]), np.random.default_rng(2), 0
    learner = sb.Learner(sb.MSets(4, 1), policy, variance=0.1, seed=0, half_life=100.0)
    for step in range(1_200):
        if step == 600:
            theta = np.array([1.0, 0.8, 0.6, 2.0])
        asked = learner.ask()
        learner.tell(asked.id, rng.normal(theta[asked.items], 0.3))
        late += step >= 1_000 and 3 in asked.items
    assert late > 180
    assert learner.best()[3]


def test_an_item_without_weight_counts_as_unobserved():
    learner = sb.Learner(sb.MSets(4, 1), sb.CUCB(), variance=1e-6, seed=0, half_life=1.0)
    play(learner, 4, lambda items: 1.0 - 0.2 * items)
    play(learner, 9, lambda items: [1.0], available=[True, False, False, False])
    weights = 2.0 ** -np.arange(12.0, 8.0, -1.0)
    assert (weights < LEAST).tolist() == [True, True, True, False]
    assert (learner.means[1:] > 0).tolist() == [False, False, True]
    assert learner.plays.tolist() == [10, 1, 1, 1]
    assert learner.ask().items.tolist() == [1]


def test_a_prior_ages():
    learner = sb.Learner(
        sb.MSets(2, 1), sb.CUCB(), variance=1.0, seed=0, half_life=10.0, prior_means=[1.0, 5.0], prior_plays=[3, 2]
    )
    assert learner.best().tolist() == [False, True]
    for _ in range(10):
        learner.forget(learner.ask().id)
    ageing = learner._progress.ageing
    np.testing.assert_allclose(ageing.plays, [1.5, 1.0])
    np.testing.assert_allclose(ageing.sums, [1.5, 5.0])
    np.testing.assert_array_equal(learner.means, [0.0, 0.0])


def played(rounds=40, **options):
    learner = sb.Learner(sb.MSets(6, 2, items="abcdef"), seed=1, **{"variance": 0.2, "half_life": 15.0, **options})
    rng = np.random.default_rng(3)
    for step in range(rounds):
        asked = learner.ask(available=None if step % 3 else ["a", "b", "c", "f"])
        if step % 5:
            learner.tell(asked.id, rng.normal(0.1 * asked.items, 0.4))
    return learner


def test_items_keep_their_weights_when_the_set_is_replaced():
    learner = played()
    renewed, _ = learner.replace(sb.MSets(5, 2, items="xfeba"), prior_means=[9.0] * 5, prior_plays=4)
    old, new = learner._progress.ageing, renewed._progress.ageing
    np.testing.assert_array_equal(new.plays, [4.0, *old.plays[[5, 4, 1, 0]]])
    np.testing.assert_array_equal(new.sums, [36.0, *old.sums[[5, 4, 1, 0]]])
    assert (new.rounds, renewed.half_life, renewed.rounds) == (old.rounds, 15.0, 40)
    renewed.tell(renewed.ask().id, [0.1, 0.2])
    assert sb.Learner.from_state(renewed.state()).state() == renewed.state()


def test_intervals_are_those_of_weights():
    learner = sb.Learner(sb.MSets(2, 1), sb.CUCB(), variance=1.0, seed=0, half_life=4.0)
    for number in (0, 1):
        learner.tell(learner.ask().id, [float(number)])
    found, n = learner.estimates(0.1), np.array([2.0 ** (-1 / 4), 1.0])
    np.testing.assert_allclose(found.upper - found.means, np.sqrt(2.0 / n * np.log(2 * 2 * 3 / 0.1)))
    assert found.plays.tolist() == [1, 1]
