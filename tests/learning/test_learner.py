"""Ask and tell: effects of valid calls; invalid calls raise one clear error and change nothing."""

import datetime
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learner_cases import POLICIES, SETS, Pairs

import semibandits as sb
from semibandits.decisions.msets import MSets
from semibandits.errors import InvalidInputError, SolverError
from semibandits.learning import Learner, Round
from semibandits.policies.base import Agent, Policy
from semibandits.policies.cucb import CUCB
from semibandits.policies.escb import ESCB
from semibandits.policies.glade import GLADE
from semibandits.policies.ossb import OSSB
from semibandits.policies.thompson import ThompsonSampling


def fresh(policy=None, decision_set=None, seed=0):
    return Learner(decision_set or SETS["paths"](), policy or ThompsonSampling(), variance=0.5, seed=seed)


def text(learner):
    return json.dumps(learner.state(), allow_nan=False)


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


def test_counts_and_means_are_those_of_the_observed_rewards():
    learner, rng = fresh(), np.random.default_rng(1)
    d = learner.decision_set.d
    plays, sums = np.zeros(d, dtype=int), np.zeros(d)
    for _ in range(30):
        asked = learner.ask()
        rewards = rng.normal(size=len(asked.items))
        learner.tell(asked.id, rewards)
        plays[asked.items] += 1
        sums[asked.items] += rewards
    assert learner.rounds == 30
    assert learner.open_rounds == ()
    np.testing.assert_array_equal(learner.plays, plays)
    np.testing.assert_array_equal(learner.means, np.where(plays, sums / np.maximum(plays, 1), 0.0))
    np.testing.assert_array_equal(learner.means, learner._agent.means)
    np.testing.assert_array_equal(learner.best(), learner.decision_set.maximize(learner.means))
    learner.plays[:] = 7
    learner.means[:] = 7.0
    np.testing.assert_array_equal(learner.plays, plays)


def test_arguments_and_results_are_not_shared():
    learner = fresh()
    asked = learner.ask()
    rewards = np.ones(len(asked.items))
    learner.tell(asked.id, rewards)
    means = learner.means
    rewards[:] = 9.0
    np.testing.assert_array_equal(learner.means, means)
    learner.state()["statistics"]["plays"][0] = 99
    assert learner.state()["statistics"]["plays"][0] != 99


def test_glade_is_the_default():
    assert Learner(MSets(4, 2), variance=1.0, seed=0).policy == GLADE()


@pytest.mark.parametrize(
    "seed",
    [5, np.int64(5), np.random.SeedSequence(5), np.random.default_rng(5)],
    ids=["int", "int64", "sequence", "generator"],
)
def test_seeds_of_all_kinds_mean_the_same(seed):
    expected, learner = fresh(seed=5), fresh(seed=seed)
    for _ in range(12):
        one, other = expected.ask(), learner.ask()
        np.testing.assert_array_equal(one.decision, other.decision)
        expected.tell(one.id, np.ones(len(one.items)))
        learner.tell(other.id, np.ones(len(other.items)))


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


MISUSES = {
    "short": ("shape", lambda asked: [1.0] * (len(asked.items) - 1)),
    "long": ("shape", lambda asked: [1.0] * (len(asked.items) + 1)),
    "scalar": ("shape", lambda asked: 1.0),
    "matrix": ("shape", lambda asked: [[1.0] * len(asked.items)]),
    "of all items": ("shape", lambda asked: asked.decision.astype(float)),
    "ragged": ("numbers", lambda asked: [[1.0], [1.0, 2.0]]),
    "nan": ("finite", lambda asked: [np.nan] * len(asked.items)),
    "infinite": ("finite", lambda asked: [-np.inf] * len(asked.items)),
    "none": ("finite", lambda asked: [None] * len(asked.items)),
    "huge": ("scale", lambda asked: [1e200] * len(asked.items)),
    "too large": ("numbers", lambda asked: [10**400] * len(asked.items)),
    "text": ("numbers", lambda asked: ["1.0"] * len(asked.items)),
    "bytes": ("numbers", lambda asked: [b"1"] * len(asked.items)),
    "text among objects": ("numbers", lambda asked: [Fraction(1), *["1"] * (len(asked.items) - 1)]),
    "complex": ("real", lambda asked: np.ones(len(asked.items)) * 1j),
    "dates": ("numbers", lambda asked: np.array([datetime.date(2020, 1, 1)] * len(asked.items), dtype="datetime64")),
    "objects": ("numbers", lambda asked: [object()] * len(asked.items)),
    "set": ("numbers", lambda asked: {1.0, 2.0}),
    "a label missing": ("no reward for", lambda asked: dict.fromkeys(asked.labels[1:], 1.0)),
    "a label too many": ("got 1 unknown", lambda asked: dict.fromkeys([*asked.labels, "x"], 1.0)),
    "text by label": ("numbers", lambda asked: dict.fromkeys(asked.labels, "1.0")),
    "masked": ("masked entry at index 0", lambda asked: np.ma.array([7.0, 2.0, 3.0], mask=[True, False, False])),
    "all masked": ("masked entry at index 0", lambda asked: np.ma.array(np.ones(3), mask=True)),
    "masked in a list": ("masked entry at index 2", lambda asked: [1.0, 2.0, np.ma.masked]),
    "masked by label": ("masked entry at index 0", lambda asked: dict.fromkeys(asked.labels, np.ma.masked)),
}


@pytest.mark.parametrize("name", MISUSES)
@pytest.mark.parametrize("many", [False, True])
def test_wrong_rewards_change_nothing(name, many):
    message, rewards = MISUSES[name]
    learner = fresh(decision_set=SETS["matchings"]())
    good, bad = learner.ask(), learner.ask()
    before = text(learner)
    outcomes = {**({good.id: np.ones(3)} if many else {}), bad.id: rewards(bad)}
    with pytest.raises(InvalidInputError, match=message):
        learner.tell_many(outcomes) if many else learner.tell(*outcomes.popitem())
    assert text(learner) == before
    learner.tell(bad.id, np.ones(3))


@pytest.mark.parametrize("call", [lambda learner, i: learner.tell(i, [1.0] * 3), lambda learner, i: learner.forget(i)])
@pytest.mark.parametrize(
    ("round_id", "message"),
    [
        (7, "never asked"), (-1, "never asked"), (0, "told or forgotten"), (1, "told or forgotten"), (None, "integer"),
        ("2", "integer"), (2.0, "integer"), (True, "integer"), ([2], "integer"),
    ],
)  # fmt: skip
def test_wrong_rounds_change_nothing(round_id, message, call):
    learner = fresh(decision_set=SETS["matchings"]())
    learner.tell(learner.ask().id, [1.0] * 3)
    learner.forget(learner.ask().id)
    learner.ask()
    before = text(learner)
    with pytest.raises(InvalidInputError, match=message):
        call(learner, round_id)
    assert text(learner) == before


def test_a_round_is_not_an_id():
    learner = fresh()
    with pytest.raises(InvalidInputError, match=r"pass round\.id"):
        learner.tell(learner.ask(), [1.0])


@pytest.mark.parametrize(
    "outcomes",
    [
        lambda one, other: [(one.id, [1.0, 1.0]), (one.id, [1.0, 1.0])],
        lambda one, other: [(one.id, [1.0, 1.0]), (9, [1.0, 1.0])],
        lambda one, other: [(one.id, [1.0, 1.0]), other.id],
        lambda one, other: [(one.id, [1.0, 1.0]), (other.id, [1.0, 1.0], 3)],
        lambda one, other: one.id,
    ],
    ids=["twice", "unknown", "no pair", "triple", "number"],
)
def test_batches_are_observed_as_a_whole_or_not_at_all(outcomes):
    learner = fresh(decision_set=MSets(5, 2))
    one, other = learner.ask(), learner.ask()
    before = text(learner)
    with pytest.raises(InvalidInputError):
        learner.tell_many(outcomes(one, other))
    assert text(learner) == before
    learner.tell_many((asked.id, [1.0, 2.0]) for asked in (other, one))
    assert learner.open_rounds == ()


BAD_ARGUMENTS = {
    "set": lambda: Learner([1, 2], CUCB(), variance=1.0, seed=0),
    "policy": lambda: Learner(MSets(3, 1), CUCB, variance=1.0, seed=0),
    "zero variance": lambda: Learner(MSets(3, 1), CUCB(), variance=0.0, seed=0),
    "short variance": lambda: Learner(MSets(3, 1), CUCB(), variance=[1.0, 1.0], seed=0),
    "no seed": lambda: Learner(MSets(3, 1), CUCB(), variance=1.0, seed=None),
    "bool seed": lambda: Learner(MSets(3, 1), CUCB(), variance=1.0, seed=True),
    "negative seed": lambda: Learner(MSets(3, 1), CUCB(), variance=1.0, seed=-1),
    "float seed": lambda: Learner(MSets(3, 1), CUCB(), variance=1.0, seed=1.0),
    "other bits": lambda: Learner(MSets(3, 1), CUCB(), variance=1.0, seed=np.random.Generator(np.random.MT19937(0))),
}


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_bad_arguments_are_refused(name):
    with pytest.raises(InvalidInputError, match=r"must .* got"):
        BAD_ARGUMENTS[name]()


@pytest.mark.parametrize("name", POLICIES)
def test_many_open_rounds_cover_all_items_first(name):
    """Without any outcome, rounds cover every item that can be covered before any is repeated."""
    learner = fresh(POLICIES[name], MSets(9, 2))
    asked = [learner.ask() for _ in range(5)]
    assert np.any([one.decision for one in asked], axis=0).all()
    learner.tell_many({one.id: [1.0, 0.0] for one in asked})
    assert (learner.plays >= 1).all()


@pytest.mark.parametrize("name", POLICIES)
def test_items_of_forgotten_rounds_are_played_again(name):
    learner = fresh(POLICIES[name], MSets(4, 2))
    first = learner.ask()
    learner.forget(first.id)
    np.testing.assert_array_equal(learner.ask().decision, first.decision)
    assert learner.rounds == 2


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(POLICIES)), st.randoms(use_true_random=False), st.integers(1, 8))
def test_order_of_tells_is_irrelevant(name, random, n_open):
    """Integer rewards have exact sums in any order, so that the next decision is the same too."""
    one, other = (fresh(POLICIES[name], SETS["paths"](), seed=3) for _ in range(2))
    for _ in range(3):
        rounds = [(one.ask(), other.ask()) for _ in range(n_open)]
        rewards = {asked.id: [random.randint(-3, 3) for _ in asked.items] for asked, _ in rounds}
        ids = list(rewards)
        for i in ids:
            one.tell(i, rewards[i])
        random.shuffle(ids)
        other.tell_many((i, rewards[i]) for i in ids)
        assert all((a.decision == b.decision).all() for a, b in rounds)
    assert text(one) == text(other)


class Failing:
    """The `plan` or rule of a policy that sometimes fails."""

    def __init__(self, monkeypatch, cls, name):
        self.left, original = 0, getattr(cls, name)

        def wrapped(inner, *args):
            if self.left:
                self.left -= 1
                raise SolverError("no precision")
            return original(inner, *args)

        monkeypatch.setattr(cls, name, wrapped)


def test_a_failing_plan_leaves_the_learner_as_it_was(monkeypatch):
    failing = Failing(monkeypatch, OSSB, "solved")
    one, other = fresh(OSSB(), MSets(5, 2)), fresh(OSSB(), MSets(5, 2))
    rng = np.random.default_rng(0)
    failures = 0
    for _ in range(60):
        failing.left = 1
        before = text(one)
        try:
            asked = one.ask()
        except SolverError:
            failures += 1
            assert text(one) == before
            failing.left = 0
            asked = one.ask()
        failing.left = 0
        same = other.ask()
        np.testing.assert_array_equal(asked.decision, same.decision)
        rewards = rng.normal(size=2)
        one.tell(asked.id, rewards)
        other.tell(same.id, rewards)
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
    learner = fresh(POLICIES[name], decision_set)
    rng = np.random.default_rng(2)
    failures = 0
    for _ in range(12):
        before = text(learner)
        decision_set.mode = mode
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


class LastAgent(Agent):
    """Plays a given list."""

    def __init__(self, answers):
        self.answers, self.seen = list(answers), []

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


class Listed(Policy):
    """A user's own policy."""

    def __init__(self, *answers):
        self.answers = answers

    def start(self, decision_set, variance):
        return LastAgent(self.answers)


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
    assert ("Its mean cost so far", "8") in learner._facts()
    learner = Learner(sb.MSets(3, 2), variance=1.0, seed=0)
    asked = learner.ask()
    learner.tell(asked.id, costs={int(asked.items[0]): 5.0}, partial=True)
    assert learner.best()[asked.items[0]]
    assert ("Its mean cost so far", "5, without 1 item never observed") in learner._facts()


@pytest.mark.parametrize("seed", range(20))
def test_the_best_decision_has_the_fewest_unobserved_items_and_then_the_largest_mean(seed):
    rng = np.random.default_rng(seed)
    x = sb.Matchings([(i, j) for i in range(3) for j in range(4)], saturate=("rows", "none")[seed % 2])
    learner = Learner(x, variance=1.0, seed=seed)
    for _ in range(seed % 4 + 1):
        asked = learner.ask()
        learner.tell(asked.id, rng.integers(-2, 3, len(asked.items)).astype(float) * 10.0 ** rng.integers(-3, 4))
    decisions, new = x.enumerate(1_000).astype(int), (learner.plays == 0).astype(int)
    unseen, values = decisions @ new, decisions @ learner.means
    best = learner.best()
    assert best @ new == unseen.min()
    assert best @ learner.means == pytest.approx(values[unseen == unseen.min()].max(), rel=1e-9, abs=1e-9)
