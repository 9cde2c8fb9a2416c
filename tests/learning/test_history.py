"""Learners that start from the logs of another system."""

import json

import numpy as np
import pandas
import pytest
from learner_cases import POLICIES, SETS, Pairs, means_of

from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.msets import MSets
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.learning import Learner
from semibandits.policies.cucb import CUCB
from semibandits.policies.glade import GLADE

LETTERS = EnumeratedDecisions([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]], items="abcd")


def log_of(family, rounds, seed=1):
    """Rounds of an old system that plays any decisions: pairs of indices and rewards."""
    x, rng = SETS[family](), np.random.default_rng(seed)
    theta = means_of(x)
    log = []
    for _ in range(rounds):
        items = np.flatnonzero(x.maximize(theta + rng.normal(size=x.d)))
        log.append((items.tolist(), rng.normal(theta[items]).tolist()))
    return log


def flat(log):
    return [item for items, _ in log for item in items], [reward for _, own in log for reward in own]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("name", POLICIES)
def test_counts_and_means_are_those_of_the_log_and_the_state_is_restored_bit_for_bit(family, name):
    log = log_of(family, 60)
    items, rewards = flat(log)
    learner = Learner.from_history(SETS[family](), items, rewards, POLICIES[name], variance=0.5, seed=3)
    d = learner.decision_set.d
    plays, sums = [0] * d, [0.0] * d
    for item, reward in zip(items, rewards, strict=True):
        plays[item] += 1
        sums[item] += reward
    assert learner.plays.tolist() == plays
    np.testing.assert_array_equal(learner.means, np.array(sums) / np.maximum(plays, 1))
    np.testing.assert_array_equal(learner._agent.plays, plays)
    assert learner.rounds == max(max(plays), -(-sum(plays) // learner.decision_set.m))
    own = {"decision_set": SETS[family]()} if family == "own" else {}
    again = Learner.from_state(json.loads(json.dumps(learner.state(), allow_nan=False)), **own)
    assert again.state() == learner.state()
    for _ in range(10):
        one, other = learner.ask(), again.ask()
        assert one.id == other.id >= learner.rounds - 1
        np.testing.assert_array_equal(one.decision, other.decision)
        reward = np.arange(len(one.items)) / 4
        learner.tell(one.id, reward)
        again.tell(other.id, reward)
    assert again.state() == learner.state()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", ["paths", "trees", "msets", "own", "enumerated"])
@pytest.mark.parametrize("name", ["CUCB", "ESCB", "AESCB", "ThompsonSampling"])
def test_policies_without_memory_continue_as_if_they_had_chosen_the_rounds(family, name):
    rng = np.random.default_rng(4)
    told = Learner(SETS[family](), POLICIES[name], variance=0.5, seed=rng)
    theta, noise = means_of(told.decision_set), np.random.default_rng(8)
    log = []
    for _ in range(50):
        asked = told.ask()
        rewards = noise.normal(theta[asked.items])
        log.append((asked.items, rewards))
        told.tell(asked.id, rewards)
    state = rng.bit_generator.state
    again = np.random.default_rng(0)
    again.bit_generator.state = state
    learner = Learner.from_rounds(SETS[family](), log, POLICIES[name], variance=0.5, seed=again)
    assert learner.rounds == told.rounds == 50
    np.testing.assert_array_equal(learner._agent.player.stats, told._agent.player.stats)
    for _ in range(50):
        one, other = told.ask(), learner.ask()
        assert one.id == other.id
        np.testing.assert_array_equal(one.decision, other.decision)
        rewards = noise.normal(theta[one.items])
        told.tell(one.id, rewards)
        learner.tell(other.id, rewards)


@pytest.mark.parametrize("name", POLICIES)
def test_items_without_observations_come_first(name):
    learner = Learner.from_history(MSets(6, 2), [0, 1, 0, 1, 2, 3], [1.0] * 6, POLICIES[name], variance=0.5, seed=0)
    assert learner.ask().items.tolist() == [4, 5]


@pytest.mark.parametrize("name", POLICIES)
def test_a_long_log_is_used_and_not_explored_again(name):
    """Gaps of 1 after 2,000 observations each: the best decision is played, with far over 99.9 % certainty."""
    theta, rng = np.array([3.0, 2.0, 1.0, 0.0]), np.random.default_rng(0)
    items = np.repeat(np.arange(4), 2000)
    learner = Learner.from_history(MSets(4, 1), items, rng.normal(theta[items], 0.5), POLICIES[name], variance=0.25, seed=0)
    assert learner.rounds == 8000
    for _ in range(50):
        asked = learner.ask()
        assert asked.items.tolist() == [0]
        learner.tell(asked.id, [3.0])


@pytest.mark.parametrize("name", ["GLADE", "CUCB", "OSSB"])
def test_few_observations_in_many_rounds_are_explored(name):
    """ln t counts the rounds of the old system: a rare item with a plausible mean is played."""
    items, rewards = [0] * 5000 + [1, 1], [0.5] * 5000 + [0.4, 0.4]
    learner = Learner.from_history(MSets(2, 1), items, rewards, POLICIES[name], variance=0.25, seed=0)
    assert learner.rounds == 5002
    chosen = []
    for _ in range(20):
        asked = learner.ask()
        chosen.append(asked.items[0])
        learner.tell(asked.id, [0.5 if asked.items[0] == 0 else 0.4])
    assert 1 in chosen


@pytest.mark.parametrize("name", ["outcomes", "costs"])
def test_rounds_may_contain_fewer_items_or_unknown_ones(name):
    x, log = MSets(5, 2, items="abcde"), {"monday": {"a": 1.0, "b": 2.0, "x": 3.0}, "tuesday": {}}
    assert Learner.from_rounds(x, **{name: log}, variance=1.0, seed=0, ignore_unknown=True).rounds == 2


def test_the_default_number_of_rounds_is_the_smallest_possible_one():
    def rounds_of(items, **more):
        return Learner.from_history(MSets(5, 2), items, [1.0] * len(items), variance=1.0, seed=0, **more).rounds

    assert rounds_of([]) == 0
    assert rounds_of([0] * 7) == 7
    assert rounds_of([0, 1, 2, 3, 4]) == 3
    assert rounds_of([0, 0, 0, 1, 2]) == 3
    assert rounds_of([0, 0, 0, 1, 2], rounds=100) == 100
    assert rounds_of([0, 0, 0, 1, 2], rounds=np.int64(3)) == 3


def test_an_empty_history_is_a_new_learner():
    new = Learner(MSets(5, 2), variance=1.0, seed=0)
    for learner in (
        Learner.from_history(MSets(5, 2), [], [], variance=1.0, seed=0),
        Learner.from_rounds(MSets(5, 2), [], variance=1.0, seed=0),
    ):
        assert learner.state() == new.state()
        assert learner.policy == GLADE()


FORMS = {
    "labels": (list("abca"), [1, 2.0, 3, 5]),
    "tuple": (tuple("abca"), (1, 2, 3, 5)),
    "iterator": (iter("abca"), np.array([1, 2, 3, 5])),
    "array": (np.array(list("abca")), np.array([1.0, 2, 3, 5])),
    "indices": ([0, 1, 2, 0], [1, 2, 3, 5]),
    "array of indices": (np.array([0, 1, 2, 0], dtype=np.uint8), [1, 2, 3, 5]),
}


@pytest.mark.parametrize("form", FORMS)
def test_items_may_come_in_many_forms(form):
    learner = Learner.from_history(LETTERS, *FORMS[form], CUCB(), variance=1.0, seed=0)
    assert learner.plays.tolist() == [2, 1, 1, 0]
    assert learner.means.tolist() == [3.0, 2.0, 3.0, 0.0]


def test_series_of_pandas_work():
    table = pandas.DataFrame({"item": list("abca"), "reward": [1, 2, 3, 5], "round": [7, 7, 8, 8]}, index=[5, 3, 9, 1])
    learner = Learner.from_history(LETTERS, table["item"], table["reward"], variance=1.0, seed=0)
    assert learner.plays.tolist() == [2, 1, 1, 0]
    assert learner.means.tolist() == [3.0, 2.0, 3.0, 0.0]
    rounds = [(own["item"], own["reward"]) for _, own in table.groupby("round")]
    assert Learner.from_rounds(LETTERS, rounds, variance=1.0, seed=0).state() == learner.state()
    categories = Learner.from_history(
        LETTERS, table["item"].astype("category"), table["reward"].astype("Float64"), variance=1.0, seed=0
    )
    assert categories.state() == learner.state()


def test_pairs_of_nodes_may_be_lists_or_rows():
    tree = SpanningTrees([(0, 1), (1, 2), (2, 0)])
    for items in ([(0, 1), (2, 0)], [[0, 1], [2, 0]], np.array([[0, 1], [2, 0]])):
        learner = Learner.from_history(tree, items, [1.0, 2.0], variance=1.0, seed=0)
        assert learner.plays.tolist() == [1, 0, 1]


def test_integer_labels_are_not_indices():
    x = EnumeratedDecisions([[1, 0], [0, 1]], items=[1, 5])
    assert Learner.from_history(x, [1, 5, 5], [1.0] * 3, variance=1.0, seed=0).plays.tolist() == [1, 2]


def test_unknown_items_are_skipped_on_request():
    items, rewards = ["a", "x", "b", "y", "x"], [1.0, 9.0, 2.0, 9.0, 9.0]
    learner = Learner.from_history(LETTERS, items, rewards, variance=1.0, seed=0, ignore_unknown=True)
    assert learner.state() == Learner.from_history(LETTERS, ["a", "b"], [1.0, 2.0], variance=1.0, seed=0).state()
    assert learner.plays.tolist() == [1, 1, 0, 0]
    assert learner.means.tolist() == [1.0, 2.0, 0.0, 0.0]
    rounds = [{"a": 1.0, "x": 9.0}, {"b": 2.0, "y": 9.0}, {"x": 9.0}]
    learner = Learner.from_rounds(LETTERS, rounds, variance=1.0, seed=0, ignore_unknown=True)
    assert learner.rounds == 3
    assert learner.plays.tolist() == [1, 1, 0, 0]


def test_rounds_may_be_mappings_or_pairs():
    expected = Learner.from_rounds(LETTERS, [{"a": 1.0, "c": 3.0}, {"b": 2.0}, {}], variance=1.0, seed=0)
    assert expected.rounds == 3
    for outcomes in (
        [(["a", "c"], [1.0, 3.0]), (["b"], np.array([2.0])), ([], [])],
        {"monday": {"a": 1.0, "c": 3.0}, "tuesday": {"b": 2.0}, "sunday": {}},
        ((own, rewards) for own, rewards in [(np.array([0, 2]), [1.0, 3.0]), ([1], [2.0]), ([], [])]),
    ):
        assert Learner.from_rounds(LETTERS, outcomes, variance=1.0, seed=0).state() == expected.state()


def test_a_law_determines_the_variance():
    learner = Learner.from_history(LETTERS, ["a", "b"], [1, 0], law="bernoulli", seed=0)
    assert learner.policy == Learner(LETTERS, law="bernoulli", seed=0).policy
    assert Learner.from_rounds(LETTERS, [{"a": 1, "b": 0}], law="bernoulli", seed=0).state() == learner.state()


class Twins(Pairs):
    """A user's own set, with a label of two items."""

    @property
    def items(self):
        return ("a", "b", "b", "c", "d")


def test_items_of_the_same_label_are_given_by_their_indices():
    learner = Learner.from_history(Twins(), [0, 2], [1.0, 2.0], variance=1.0, seed=0)
    assert learner.plays.tolist() == [1, 0, 1, 0, 0]


def test_the_arrays_of_the_caller_are_not_shared():
    items, rewards = np.array([0, 1]), np.array([1.0, 2.0])
    learner = Learner.from_history(MSets(2, 1), items, rewards, variance=1.0, seed=0)
    learner.tell(learner.ask().id, [1.0])
    assert items.tolist() == [0, 1]
    assert rewards.tolist() == [1.0, 2.0]


def test_means_over_the_known_bound_are_accepted():
    """The mean of few observations may exceed the bound of the means."""
    x = SETS["routes"]()
    learner = Learner.from_history(x, [0, 0, 1], [0.5, 0.5, -1.0], variance=1.0, seed=0)
    assert learner.means[0] == 0.5
    assert learner.ask().decision in x
