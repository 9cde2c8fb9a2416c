"""Policies of a user: the page that explains them, and the saved attributes of their agents."""

import contextlib
import io
import json
import re
import sys
import types
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from semibandits import laws
from semibandits.decisions.msets import MSets
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.learning import Learner
from semibandits.policies import CUCB, Agent, Policy
from semibandits.testing import check_policy

PAGE = (Path(__file__).parents[2] / "docs" / "policies" / "own.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page():
    """The names of the page after its code has run, in a module of its own so that the classes can be pickled."""
    module, code = types.ModuleType("own_page"), "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as module.printed:
        patch.setitem(sys.modules, "own_page", module)
        exec(compile(code, "own.md", "exec"), module.__dict__)
        yield module


def test_the_page_runs(page):
    assert [line.split(":")[0] for line in page.printed.getvalue().splitlines()] == ["EpsilonGreedy", "GLADE"]
    policy = re.search(r"@dataclass.*?self\.sums\[items\] \+= rewards\n", PAGE, re.DOTALL).group()
    assert len([line for line in policy.splitlines() if line.strip()]) <= 25


def test_the_waivers_of_the_page_are_needed(page):
    for promise in page.waivers:
        rest = {name: reason for name, reason in page.waivers.items() if name != promise}
        with pytest.raises(AssertionError):
            check_policy(page.EpsilonGreedy(), MSets(4, 2), waivers=rest)


class PlainAgent(Agent):
    """An agent without `state` and `restore`."""

    def __init__(self, decision_set):
        self.decision_set, self.policy, self.law, self.prior = decision_set, CUCB(), laws.Poisson(), None
        self.best, self.function = decision_set.maximize, len
        self.rounds, self.name, self.is_late, self.scale = 0, "plain", False, np.inf
        self.index = np.full(decision_set.d, np.inf)
        self.counts = np.arange(6, dtype=np.int32).reshape(2, 3)
        self.mask = np.zeros(decision_set.d, dtype=bool)
        self.seen, self.log, self.by_items = {(0, 1)}, [], {(1, 2): [0.5, np.nan]}
        self.largest = np.float64(-np.inf)
        self.empty = np.zeros((0, 3))

    def choose(self, rng):
        return self.best(rng.standard_normal(self.decision_set.d))

    def observe(self, items, rewards):
        self.rounds += 1
        self.index[items] = rewards
        self.mask[items] = True
        self.seen.add(tuple(items.tolist()))
        self.log.append((self.rounds, rewards.copy()))
        self.largest = max(self.largest, rewards.max())


class Plain(Policy):
    def __repr__(self):
        return "Plain()"

    def start(self, decision_set, variance):
        return PlainAgent(decision_set)


def test_plain_attributes_are_restored_from_json():
    learner = Learner(MSets(5, 2), Plain(), variance=1.0, seed=3)
    for t in range(4):
        learner.tell(learner.ask().id, [0.1 * t, -0.3])
    state = json.loads(json.dumps(learner.state(), allow_nan=False))
    again = Learner.from_state(state, policy=Plain())
    learner.ask()
    again.ask()
    before, after = vars(learner._agent), vars(again._agent)
    constant = {"decision_set", "policy", "law", "best", "function"}
    assert before.keys() == after.keys()
    with np.printoptions(floatmode="unique", precision=17):  # all digits, and also types
        for name in before.keys() - constant:
            assert (type(before[name]), repr(before[name])) == (type(after[name]), repr(after[name]))
    assert after["best"].__self__ is after["decision_set"] is not before["decision_set"]
    after["index"][0] = 7.0  # the arrays are writable and new
    assert again.state() != learner.state()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.random.default_rng(0), "got Generator: draw from the rng of `choose`, or implement"),
        (defaultdict(int), "got defaultdict: implement `state` and `restore`"),
        (np.array([object()]), "got ndarray"), ([{"deep": object()}], "got object"),
    ],
)  # fmt: skip
def test_other_attributes_are_unsupported_only_when_a_learner_is_saved(value, message):
    class Other(Plain):
        def start(self, decision_set, variance):
            agent = PlainAgent(decision_set)
            agent.own = value
            return agent

    learner = Learner(MSets(3, 1), Other(), variance=1.0, seed=0)
    learner.tell(learner.ask().id, [1.0])
    message = f"'own' of PlainAgent must be a number, .*, {message}"
    with pytest.raises(UnsupportedError, match=message):
        learner.state()
    with pytest.raises(AssertionError, match=f"agents must be saved with a learner, got an error: the attribute {message}"):
        check_policy(Other(), MSets(3, 1), waivers={"description": "a local class", "coverage": "it is random"})


def test_agents_may_refuse_a_prior():
    with pytest.raises(UnsupportedError, match="PlainAgent does not support prior plays"):
        Learner(MSets(1, 1), Plain(), variance=1.0, seed=0, prior_means=[1.0], prior_plays=1)


DAMAGED = [
    [1],
    {"index": {"array": {"dtype": "|O", "shape": [1], "values": [1]}}},
    {"index": {"array": {"dtype": "<f8", "shape": [9], "values": [1.0]}}},
    {"index": {"unknown": 1}}, {"scale": {"float": "many"}}, {"seen": {"set": [[1]]}},
]  # fmt: skip


def test_a_damaged_state_is_refused_and_changes_nothing():
    agent = PlainAgent(MSets(3, 1))
    before = agent.state()
    for state in DAMAGED:
        with pytest.raises(InvalidInputError, match="the state of PlainAgent must hold its attributes"):
            agent.restore(state)
        assert agent.state() == before
    agent.later = 1
    agent.restore(before)
    assert not hasattr(agent, "later")
