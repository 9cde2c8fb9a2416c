"""Ask and tell: effects of valid calls, and of policies and sets that fail; `test_four_learners.py` has invalid calls."""

import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from learner_cases import POLICIES, SETS, Fixed, Pairs, text

import semibandits as sb
from semibandits import ESCB, OSSB, InvalidInputError, Learner, MSets, Round, SolverError, ThompsonSampling
from semibandits.learning.reading import facts_of


def fresh(policy=None, decision_set=None, seed=0):
    return Learner(decision_set or SETS["paths"](), policy or ThompsonSampling(), variance=0.5, seed=seed)


def test_a_round_describes_its_decision():
    learner = fresh()
    first, second = learner.ask(), learner.ask()
    assert isinstance(first, Round)
    assert (first.id, second.id) == (0, 1)
    assert first.decision in learner.decision_set
    np.testing.assert_array_equal(first.items, np.flatnonzero(first.decision))
    assert first.labels == tuple(learner.decision_set.items[i] for i in first.items)
    assert [asked.id for asked in learner.open_rounds] == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        first.decision[0] = True
    with pytest.raises(ValueError, match="read-only"):
        first.items[0] = 0
    with pytest.raises(AttributeError):
        first.id = 3


def test_arguments_and_results_are_not_shared():
    learner = fresh()
    asked = learner.ask()
    rewards = np.ones(len(asked.items))
    learner.tell(asked.id, rewards)
    means = learner.means
    rewards[:] = 9.0
    np.testing.assert_array_equal(learner.means, means)
    plays = learner.plays
    learner.plays[:] = 99
    learner.means[:] = 99.0
    learner.state()["statistics"]["plays"][0] = 99
    assert learner.plays.tolist() == learner.state()["statistics"]["plays"] == plays.tolist()
    np.testing.assert_array_equal(learner.means, means)


@pytest.mark.parametrize(
    "seed", [5, np.int64(5), np.random.SeedSequence(5), np.random.default_rng(5)], ids=["int", "int64", "sequence", "generator"]
)
def test_seeds_of_all_kinds_mean_the_same(seed):
    assert text(fresh(seed=seed)) == text(fresh(seed=5))


@pytest.mark.parametrize(
    "rewards",
    [
        lambda asked: list(range(len(asked.items))),
        lambda asked: np.arange(len(asked.items), dtype=np.float32)[::1],
        lambda asked: np.arange(2.0 * len(asked.items))[::2] / 2.0,
        lambda asked: [Fraction(i) for i in range(len(asked.items))],
        lambda asked: {label: i for i, label in reversed(list(enumerate(asked.labels)))},
        lambda asked: np.ma.array(np.arange(len(asked.items)), mask=False),
    ],
    ids=["list", "float32", "strided", "fractions", "labels", "nothing masked"],
)
def test_rewards_may_come_in_many_forms(rewards):
    expected, learner = fresh(), fresh()
    asked, same = learner.ask(), expected.ask()
    learner.tell(np.int64(asked.id), rewards(asked))
    expected.tell(same.id, np.arange(len(same.items), dtype=float))
    assert text(learner) == text(expected)


def test_a_failing_plan_leaves_the_learner_as_it_was(monkeypatch):
    def fails(self, agent):
        raise SolverError("no precision")

    one, other = fresh(OSSB(), MSets(5, 2)), fresh(OSSB(), MSets(5, 2))
    rng, failures = np.random.default_rng(0), 0
    for _ in range(60):
        before = text(one)
        try:
            with monkeypatch.context() as patch:
                patch.setattr(OSSB, "solved", fails)
                asked = one.ask()
        except SolverError:
            failures += 1
            assert text(one) == before
            asked = one.ask()
        np.testing.assert_array_equal(asked.decision, other.ask().decision)
        for learner, rewards in zip((one, other), [rng.normal(size=2)] * 2, strict=True):
            learner.tell(asked.id, rewards)
    assert failures >= 2
    assert text(one) == text(other)


class Stubborn(Pairs):
    """Pairs whose `maximize` fails or returns a wrong result on request."""

    mode = "right"

    def maximize(self, weights):
        if self.mode == "error":
            raise RuntimeError("out of order")
        if self.mode == "wrong":
            return np.ones(3)
        return super().maximize(weights)


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("mode", ["error", "wrong"])
def test_own_sets_that_fail_leave_the_learner_as_it_was(name, mode):
    decision_set = Stubborn()
    learner, rng, failures = fresh(POLICIES[name], decision_set), np.random.default_rng(2), 0
    for _ in range(12):
        before, decision_set.mode = text(learner), mode
        try:
            asked = learner.ask()
        except (RuntimeError, InvalidInputError):
            failures += 1
            decision_set.mode = "right"
            assert text(learner) == before
            asked = learner.ask()
        decision_set.mode = "right"
        learner.tell(asked.id, rng.normal(size=2))
    assert failures


class Listed(Fixed):
    """A user's own policy, which plays a given list and fails at negative rewards."""

    def __init__(self, *answers):
        self.answers, self.seen = list(answers), []

    def start(self, decision_set, variance):
        return Listed(*self.answers)

    def choose(self, rng):
        rng.random()
        return self.answers.pop(0)

    def observe(self, items, rewards):
        if (rewards < 0).any():
            raise RuntimeError("refused")
        self.seen.append([items.tolist(), rewards.tolist()])

    def state(self):
        return {"seen": self.seen}

    def restore(self, state):
        self.seen = state["seen"]


def test_own_policies_must_choose_decisions():
    good = np.array([True, False, True])
    learner = fresh(Listed(np.array([True, False, False]), [2, 0, 0], None, "x", good, [0, 1, 1]), MSets(3, 2))
    for _ in range(4):
        before = text(learner)
        with pytest.raises(InvalidInputError, match="policies must choose decisions"):
            learner.ask()
        assert text(learner) == before
    asked = learner.ask()
    good[:] = True  # the array of the policy is not the one of the round
    np.testing.assert_array_equal(asked.items, [0, 2])
    with pytest.raises(RuntimeError, match="refused"):
        learner.tell(asked.id, [1.0, -1.0])
    assert (learner.plays == 0).all()
    learner.tell(asked.id, [1.0, 2.0])
    np.testing.assert_array_equal(learner.plays, [1, 0, 1])
    assert learner.ask().items.tolist() == [1, 2]


def test_rounds_without_items_are_valid():
    learner = fresh(ESCB(), MSets(3, 0))
    for _ in range(3):
        asked = learner.ask()
        assert asked.items.shape == (0,)
        learner.tell(asked.id, [])
    assert learner.rounds == 3
    assert not learner.best().any()


def test_paths_that_were_never_tried_are_not_the_best_so_far():
    """Their costs are unknown, not 0."""
    streets = [("home", "a"), ("a", "work"), ("home", "b"), ("b", "work")]
    learner = Learner(sb.Paths(streets, "home", "work"), variance=1.0, seed=0)
    asked = learner.ask()
    learner.tell(asked.id, costs=[4.0, 4.0])
    np.testing.assert_array_equal(learner.best(), asked.decision)
    assert ("Its mean cost so far", "8") in facts_of(learner)
    learner = Learner(sb.MSets(3, 2), variance=1.0, seed=0)
    asked = learner.ask()
    learner.tell(asked.id, costs={int(asked.items[0]): 5.0}, partial=True)
    assert learner.best()[asked.items[0]]
    assert ("Its mean cost so far", "5, without 1 item never observed") in facts_of(learner)


def test_the_example_finds_the_fastest_way(capsys):
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "learner.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "after 400 trips: depot -> tunnel -> park -> clinic"
    assert len(lines) == 10
