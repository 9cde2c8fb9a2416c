"""Restored learners continue bit for bit; invalid states are refused with one clear error."""

import copy
import json
import pickle
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from operator import getitem

import numpy as np
import pytest
from learner_cases import MISSING, POLICIES, SETS, means_of, restored, sealed

from semibandits import CUCB, OSSB, Agent, InvalidInputError, Learner, MatroidBases, MatroidIntersection, MSets, Policy, matroids
from semibandits.learning import storage


def run(learner, rng, rounds):
    """Ask for rounds, and tell or forget about as many open ones, in any order; returns the decisions."""
    theta, trace = means_of(learner.decision_set), []
    for _ in range(rounds):
        trace.append(learner.ask().items.tolist())
        for asked in learner.open_rounds:
            fate = rng.random()
            if fate < 0.4:
                learner.tell(asked.id, rng.normal(theta[asked.items]))
            elif fate < 0.45:
                learner.forget(asked.id)
    return trace


AGED = {"half_life": 999.0, "drift_error": 0.5}
OPTIONS = {"OSSB": {"defer_plans": True}, "CUCB": AGED, "ThompsonSampling": AGED}
"""Of some policies; `test_learner_trace` restores all without options."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("family", SETS)
@pytest.mark.parametrize("name", POLICIES)
def test_the_future_is_the_same_bit_for_bit(family, name):
    variance = np.full(SETS[family]().d, 0.4)
    first = Learner(SETS[family](), POLICIES[name], variance=variance, seed=9, **OPTIONS.get(name, {}))
    run(first, np.random.default_rng(1), 25)
    while not first.open_rounds:
        first.ask()
    second = restored(first)
    assert second.policy == first.policy
    for copied in (pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
        assert copied.state() == first.state()
    assert [a.id for a in second.open_rounds] == [a.id for a in first.open_rounds]
    assert all((a.decision == b.decision).all() for a, b in zip(first.open_rounds, second.open_rounds, strict=True))
    assert [a.labels for a in second.open_rounds] == [a.labels for a in first.open_rounds]
    assert (second.half_life, second.wants_plan) == (first.half_life, first.wants_plan)
    for seed in (2, 3):
        assert run(first, np.random.default_rng(seed), 15) == run(second, np.random.default_rng(seed), 15)
        assert first.state() == second.state()
        assert first.solve_plan() == second.solve_plan()
    np.testing.assert_array_equal(first.means, second.means)
    for asked in second.open_rounds:
        second.tell(asked.id, -np.ones(len(asked.items)))
    x, player = second.decision_set, second._agent.player
    coverable = np.any(x.enumerate(), axis=0) & (x.upper is None)  # with an upper bound, policies do not count what is unseen
    assert second.half_life or player.counters[1] == np.sum((second.plays == 0) & coverable)


def test_states_survive_readers_that_turn_whole_floats_into_integers():
    learner = Learner(SETS["matchings"](), CUCB(), variance=1.0, seed=3)
    learner.tell(learner.ask().id, [1.0, 2.0, 0.5])
    plain = learner.state()

    def read(value):
        if isinstance(value, dict):
            return {key: read(part) for key, part in reversed(value.items())}
        if isinstance(value, list):
            return [read(part) for part in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    assert Learner.from_state(read(plain)).state() == plain


def test_the_spare_32_bits_of_the_generator_are_kept():
    rng = np.random.default_rng(0)
    rng.integers(10, dtype=np.uint32)
    learner = Learner(MSets(3, 1), CUCB(), variance=1.0, seed=rng)
    again = restored(learner)
    assert learner.state()["generator"]["has_uint32"] == 1
    np.testing.assert_array_equal(
        learner._rng.integers(10**6, size=5, dtype=np.uint32), again._rng.integers(10**6, size=5, dtype=np.uint32)
    )


@dataclass
class Counting(Policy, Agent):
    """A user's own policy, which cycles through the decisions; its state holds floats and nested lists."""

    step: int = 1

    def start(self, decision_set, variance):
        agent = type(self)()
        agent.rows, agent.asked, agent.told = decision_set.enumerate(), 0, []
        return agent

    def choose(self, rng):
        self.asked += self.step + int(rng.integers(2))
        return self.rows[self.asked % len(self.rows)]

    def observe(self, items, rewards):
        self.told.append((items.tolist(), rewards.tolist()))

    def state(self):
        return {"asked": self.asked, "told": self.told}

    def restore(self, state):
        self.asked, self.told = state["asked"], state["told"]


class Anonymous(Counting):
    """Its repr contains an address."""

    __repr__ = object.__repr__


@pytest.mark.parametrize("policy", [Counting(), Anonymous()])
def test_own_policies_are_passed_in(policy):
    first = Learner(MSets(4, 2), policy, variance=1.0, seed=0)
    for i in range(5):
        first.tell(first.ask().id, [1.0, float(i)])
    state = first.state()
    second = Learner.from_state(state, policy=type(policy)())
    assert [first.ask().items.tolist() for _ in range(9)] == [second.ask().items.tolist() for _ in range(9)]
    assert first.state() == second.state()
    second._agent.told.clear()
    assert len(state["agent"]["told"]) == 5


def state_of(policy=None, decision_set=None, available=None):
    learner = Learner(decision_set or MSets(4, 2), policy or CUCB(), variance=0.5, seed=4)
    run(learner, np.random.default_rng(3), 8)
    while len(learner.open_rounds) < 2:
        learner.ask()
    if available is not None:
        learner.ask(available)
    return learner.state()


def test_the_original_set_and_policy_may_be_passed_too():
    decision_set = MSets(4, 2)
    learner = Learner.from_state(state_of(), decision_set, CUCB())
    assert learner.decision_set is decision_set
    assert learner.state() == state_of()


def test_every_changed_digit_is_found():
    whole = json.dumps(state_of())
    for position in range(0, len(whole), 7):
        if whole[position].isdigit():
            digit = str((int(whole[position]) + 1) % 10)
            changed = json.loads(whole[:position] + digit + whole[position + 1 :])
            if changed == json.loads(whole):
                continue  # the last digit of a float, which is the same number
            with pytest.raises(InvalidInputError):
                Learner.from_state(changed)


@pytest.fixture(scope="module")
def ossb_state():
    """A state whose agent uses all parts of its state; must not be changed."""
    return state_of(OSSB(), available=[0, 1, 2])


CONTENT = {
    "agent": [MISSING, []],
    "agent counters": [[0]],
    "agent counters 0": [1],  # too few rounds
    "agent counters 1": [3],  # of unseen items
    "agent marks": [lambda marks: [1.5] * len(marks), lambda marks: [10**400] * len(marks), []],
    "agent memory": [[1.0]],
    "agent more": [1],
    "agent part": [3, {}],
    "agent part items": [[1, 0, 2], [0, 1, 9], [0]],
    "agent part memory": [[1.0]],
    "agent pending 0": [-1],
    "agent plays": [MISSING, [0.0] * 4, [1.0]],
    "agent plays 0": [0.5],
    "agent rows": [4, [[0, 7]], [[0]]],
    "agent sums 0": ["inf"],
    "decision_set description m": [3, "x"],
    "decision_set fingerprint": ["0" * 64],
    "generator": [{}],
    "generator bit_generator": ["MT19937"],
    "generator has_uint32": [2],
    "generator inc": ["4"],  # even
    "generator state": [12, str(2**128)],
    "generator uinteger": [-1],
    "next_id": [0, 99, 10**5000],
    "open_rounds": [{}, lambda rounds: [*rounds, rounds[-1]]],
    "open_rounds 0": [MISSING],
    "open_rounds 0 id": [10**6],
    "open_rounds 0 items": [[0], [0, 9], [1, 1, 2]],
    "policy specification gammma": [1.0],
    "policy specification name": ["UCB"],
    "policy specification radius": [MISSING, {"log": -1.0, "loglog": 0.0, "loglog_per_item": 0.0}],
    "statistics": [[]],
    "statistics plays": [10**18],
    "statistics plays 0": [-1.0, 77.0],
    "statistics sums 0": [1e300, 10**400],
    "variance": [-1.0],
}
"""Paths to parts of a state, and what each is replaced by: values, MISSING, or functions of what was there."""
CHANGES = [pytest.param(path, value, id=f"{path} {k}") for path, values in CONTENT.items() for k, value in enumerate(values)]


def changed(state, path, value):
    """A copy of a state with another value of one part."""
    *outer, last = (int(key) if key.isdigit() else key for key in path.split())
    state = copy.deepcopy(state)
    part = reduce(getitem, outer, state)
    if value is MISSING:
        part.pop(last)
    else:
        part[last] = value(part[last]) if callable(value) else value
    return state


@pytest.mark.parametrize(("path", "value"), CHANGES)
def test_invalid_content_is_refused_with_a_correct_checksum(path, value, ossb_state):
    state = changed(ossb_state, path, value)
    with suppress(ValueError):  # numbers of thousands of digits cannot be written
        state = sealed(state)
    with pytest.raises(InvalidInputError, match=r"must|did you mean"):
        Learner.from_state(state)


@pytest.mark.parametrize(
    "decision_set",
    [
        MSets(5, 2),
        MatroidBases(matroids.Uniform(5, 2)),
        MatroidBases(matroids.Laminar([[0, 1]], 1, d=5)),
        MatroidBases(matroids.Linear(np.eye(3, 5))),
        MatroidBases(matroids.Linear(np.eye(3, 5), field=2)),
        MatroidIntersection(matroids.Uniform(5, 2), matroids.Laminar([[0, 1]], 1, d=5)),
    ],
)
@pytest.mark.parametrize("d", [10**18, 10**12])
def test_sets_that_claim_to_be_huge_are_refused_before_memory_is_taken(decision_set, d):
    written = json.dumps(state_of(CUCB(), decision_set))
    for key in ("d", "shape"):
        written = re.sub(rf'"{key}": (\[\d+, )?5\b', rf'"{key}": \g<1>{d}', written)
    with pytest.raises(InvalidInputError, match=rf"d must be the number of items, 5, got {d}"):
        Learner.from_state(sealed(json.loads(written)))


def test_rows_that_claim_to_be_huge_are_refused_before_memory_is_taken():
    state = state_of(CUCB(), MatroidBases(matroids.Linear(np.eye(3, 5), field=2)))
    state["decision_set"]["description"]["matroid"]["shape"][0] = 10**12
    with pytest.raises(InvalidInputError, match=r"entries, got 5 x 1,000,000,000,000"):
        Learner.from_state(sealed(state))


@pytest.mark.parametrize(("path", "value"), [change for change in CHANGES if change.values[0].startswith("agent ")])
def test_a_refused_state_leaves_the_agent_as_it_was(path, value, ossb_state):
    learner = Learner.from_state(ossb_state)
    before = learner._agent.state()
    try:
        learner._agent.restore(changed(ossb_state, path, value)["agent"])
    except InvalidInputError:
        assert learner._agent.state() == before
    else:  # only the learner can detect it
        assert (path, value) == ("agent plays", [0.0] * 4)


def test_states_that_are_not_json_are_refused():
    learner = Learner(MSets(3, 1), Counting(), variance=1.0, seed=0)
    learner._agent.told = [float("nan")]
    with pytest.raises(InvalidInputError, match="plain JSON"):
        learner.state()


def test_the_format_is_as_documented():
    """A change here needs a new version of the format, and a reader for the old one."""
    state = state_of()
    assert (state["format"], state["version"]) == ("semibandits.learner", 1)
    assert set(state) == {"format", "version", "library", "checksum", *storage.PARTS}
    assert set(state["generator"]) == {"bit_generator", "state", "inc", "has_uint32", "uinteger"}
    assert isinstance(state["generator"]["state"], str)
    assert state["open_rounds"][0].keys() == {"id", "items"}
    state = Learner(MSets(4, 2), OSSB(), variance=0.5, seed=4, defer_plans=True).state()
    assert (state["version"], state["defer_plans"]) == (2, True)


def test_policies_may_refuse_state_that_their_kernels_do_not_check(monkeypatch, ossb_state):
    monkeypatch.setattr(OSSB, "accepts", lambda self, player: False)
    with pytest.raises(InvalidInputError, match="marks in the state of an agent must be those of OSSB"):
        Learner.from_state(ossb_state)
