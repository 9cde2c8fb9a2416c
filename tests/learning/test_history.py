"""Learners that start from the logs of another system."""

import numpy as np
import pandas
import pytest
from learner_cases import POLICIES, SETS, Pairs, means_of, play_alike, restored

from semibandits import CUCB, GLADE, EnumeratedDecisions, Learner, MSets, SpanningTrees

LETTERS = EnumeratedDecisions([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]], items="abcd")


def log_of(family, rounds):
    """Items and rewards of an old system that plays any decisions."""
    x, rng = SETS[family](), np.random.default_rng(1)
    theta, items, rewards = means_of(x), [], []
    for _ in range(rounds):
        played = np.flatnonzero(x.maximize(theta + rng.normal(size=x.d)))
        items += played.tolist()
        rewards += rng.normal(theta[played]).tolist()
    return items, rewards


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("name", POLICIES)
def test_counts_and_means_are_those_of_the_log_and_the_state_is_restored_bit_for_bit(family, name):
    items, rewards = log_of(family, 60)
    learner = Learner.from_history(SETS[family](), items, rewards, POLICIES[name], variance=0.5, seed=3)
    plays, sums = np.zeros((2, learner.decision_set.d))
    np.add.at(plays, items, 1.0)
    np.add.at(sums, items, rewards)  # in order
    np.testing.assert_array_equal(learner.plays, plays)
    np.testing.assert_array_equal(learner.means, sums / np.maximum(plays, 1))
    np.testing.assert_array_equal(learner._agent.plays, plays)
    assert learner.rounds == max(plays.max(), -(-len(items) // learner.decision_set.m))
    assert learner.open_rounds == ()
    assert restored(learner).state() == learner.state()


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
    play_alike((told, learner), 50, lambda items: noise.normal(theta[items]))


@pytest.mark.parametrize("name", POLICIES)
def test_items_without_observations_come_first(name):
    learner = Learner.from_history(MSets(6, 2), [0, 1, 0, 1, 2, 3], [1.0] * 6, POLICIES[name], variance=0.5, seed=0)
    assert learner.ask().items.tolist() == [4, 5]


@pytest.mark.parametrize("name", sorted(POLICIES.keys() - {"Identify"}))
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


TREE = SpanningTrees([(0, 1), (1, 2), (2, 0)])
NUMBERED = EnumeratedDecisions([[1, 0], [0, 1]], items=[1, 5])


class Twins(Pairs):
    """A user's own set, with a label of two items."""

    @property
    def items(self):
        return ("a", "b", "b", "c", "d")


@pytest.mark.parametrize(
    ("decision_set", "items", "rewards", "means"),
    [
        (LETTERS, list("abca"), [1, 2.0, 3, 5], [3, 2, 3, 0]),
        (LETTERS, tuple("abca"), (1, 2, 3, 5), [3, 2, 3, 0]),
        (LETTERS, iter("abca"), np.array([1, 2, 3, 5]), [3, 2, 3, 0]),
        (LETTERS, np.array(list("abca")), np.array([1.0, 2, 3, 5]), [3, 2, 3, 0]),
        (LETTERS, pandas.Series(list("abca"), dtype="category"), pandas.Series([1, 2, 3, 5], dtype="Float64"), [3, 2, 3, 0]),
        (LETTERS, [0, 1, 2, 0], [1, 2, 3, 5], [3, 2, 3, 0]),
        (LETTERS, np.array([0, 1, 2, 0], dtype=np.uint8), [1, 2, 3, 5], [3, 2, 3, 0]),
        (TREE, [(0, 1), (2, 0)], [1, 2], [1, 0, 2]),
        (TREE, [[0, 1], [2, 0]], [1, 2], [1, 0, 2]),
        (TREE, np.array([[0, 1], [2, 0]]), [1, 2], [1, 0, 2]),
        (NUMBERED, [1, 5, 5], [1, 2, 4], [1, 3]),  # labels, not indices
        (Twins(), [0, 2], [1, 2], [1, 0, 2, 0, 0]),
        (SETS["routes"](), [0, 0, 1], [0.5, 0.5, -1.0], [0.5, -1, 0, 0, 0, 0, 0]),  # over the bound of the means
    ],
)
def test_items_may_come_in_many_forms(decision_set, items, rewards, means):
    learner = Learner.from_history(decision_set, items, rewards, CUCB(), variance=1.0, seed=0)
    assert learner.means.tolist() == means
    assert learner.plays.sum() == len(rewards)
    assert learner.ask().decision in decision_set


def test_unknown_items_are_skipped_on_request():
    items, rewards = ["a", "x", "b", "y", "x"], [1.0, 9.0, 2.0, 9.0, 9.0]
    learner = Learner.from_history(LETTERS, items, rewards, variance=1.0, seed=0, ignore_unknown=True)
    assert learner.state() == Learner.from_history(LETTERS, ["a", "b"], [1.0, 2.0], variance=1.0, seed=0).state()
    assert learner.plays.tolist() == [1, 1, 0, 0]
    assert learner.means.tolist() == [1.0, 2.0, 0.0, 0.0]
    rounds = {"monday": {"a": 1.0, "c": 3.0, "x": 9.0}, "tuesday": {"b": 2.0, "y": 9.0}, "friday": {"x": 9.0}, "sunday": {}}
    for name in ("outcomes", "costs"):  # unknown items do not count for the size of a decision
        learner = Learner.from_rounds(LETTERS, **{name: rounds}, variance=1.0, seed=0, ignore_unknown=True)
        assert learner.rounds == 4
        assert learner.plays.tolist() == [1, 1, 1, 0]


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


def test_the_arrays_of_the_caller_are_not_shared():
    items, rewards = np.array([0, 1]), np.array([1.0, 2.0])
    learner = Learner.from_history(MSets(2, 1), items, rewards, variance=1.0, seed=0)
    learner.tell(learner.ask().id, [1.0])
    assert items.tolist() == [0, 1]
    assert rewards.tolist() == [1.0, 2.0]


def test_the_variance_is_that_of_repeated_outcomes():
    """By pandas, for logs and rounds, items and iterators; unknown items and single outcomes tell nothing of it."""
    rng = np.random.default_rng(0)
    items = [*rng.integers(0, 4, 60).tolist(), 4]
    rewards = rng.normal(np.array([5.0, 9.0, 2.0, 4.0, 7.0])[items], 3.0)
    within = pandas.Series(rewards).groupby(items).agg(["var", "count"])
    expected = (within["var"].fillna(0.0) * (within["count"] - 1)).sum() / (within["count"] - 1).sum()
    learner = Learner.from_history(MSets(5, 2), iter(items), rewards, seed=0)
    assert learner.variance.shape == ()
    assert learner.variance == pytest.approx(expected, rel=1e-12)
    assert learner.plays.sum() == 61
    unknown = Learner.from_history(MSets(5, 2), [*items, 17, 17], costs=[*(-rewards), 1e6, 2e6], ignore_unknown=True, seed=0)
    assert unknown.variance == pytest.approx(expected, rel=1e-12)
    rounds = [{int(item): reward} for item, reward in zip(items, rewards, strict=True)]
    assert Learner.from_rounds(MSets(5, 2), iter(rounds), seed=0).variance == pytest.approx(expected, rel=1e-12)
    given = Learner.from_history(MSets(5, 2), items, rewards, variance=2.0, seed=0)
    assert given.variance == 2.0
    assert Learner.from_history(MSets(2, 1), [0, 1], [1.0, 0.0], law="bernoulli", seed=0).variance == 0.25
