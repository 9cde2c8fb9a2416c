"""Learners and simulations play the same: same seeds, same rewards, same decisions, bit for bit."""

import json

import numpy as np
import pytest
from learner_cases import POLICIES, SETS, means_of

from semibandits import BernoulliRewards, GaussianRewards, Learner
from semibandits.families.registry import FAMILIES
from semibandits.policies.registry import POLICIES as ALL_POLICIES
from semibandits.simulation.replication import replicate
from semibandits.simulation.specification import Specification

ROUNDS = 80


def specification_of(decision_set, policy, rewards=None, horizon=ROUNDS):
    rewards = GaussianRewards(means_of(decision_set), variance=0.3) if rewards is None else rewards
    every = np.arange(1, horizon + 1)
    return Specification.of(decision_set, rewards, {"it": policy}, horizon=horizon, replications=3, seed=11, checkpoints=every)


def learned(specification, replication, saved_at=()):
    """Plays of each item after each round, and the learner, which is saved and restored at the start of some rounds."""
    reward_seed, seed = specification.seeds(replication)
    rewards = specification.rewards
    learner = Learner(
        specification.decision_set, specification.policies["it"], variance=rewards.variance, seed=seed,
        rewards=rewards.family,
    )  # fmt: skip
    rng = np.random.default_rng(reward_seed)
    plays = np.zeros((specification.horizon, rewards.d), dtype=np.int64)
    for t in range(specification.horizon):
        if t in saved_at:
            own = {} if learner.state()["decision_set"]["description"] else {"decision_set": learner.decision_set}
            learner = Learner.from_state(json.loads(json.dumps(learner.state(), allow_nan=False)), **own)
        asked = learner.ask()
        learner.tell(asked.id, rewards.draw(asked.items, rng))
        plays[t] = learner.plays
    return plays, learner


def test_nothing_is_missing():
    assert set(FAMILIES) == set(SETS) - {"largest matchings", "own"}
    assert {policy.__name__ for policy in ALL_POLICIES} == set(POLICIES)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("name", POLICIES)
def test_same_trace_as_the_engine(family, name):
    specification = specification_of(SETS[family](), POLICIES[name])
    expected = replicate(specification, "it", 2)
    plays, learner = learned(specification, 2, saved_at=(3, 40))
    np.testing.assert_array_equal(plays, expected.plays)
    assert (*learner._agent.calls, learner._agent.undecided) == tuple(expected.calls[-1].tolist())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", POLICIES)
def test_same_trace_with_bernoulli_rewards_and_many_rounds(name):
    decision_set = SETS["paths"]()
    rewards = BernoulliRewards(np.clip(means_of(decision_set), 0.0, 1.0))
    specification = specification_of(decision_set, POLICIES[name], rewards, horizon=400)
    np.testing.assert_array_equal(learned(specification, 0)[0], replicate(specification, "it", 0).plays)
