"""States of learners that are no states, or damaged, and sets and policies that are not those of a state."""

import json

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.msets import MSets
from semibandits.laws import Gaussian
from semibandits.learning import Learner, storage
from semibandits.policies.base import Agent, Policy
from semibandits.policies.cucb import CUCB


class First(Policy, Agent):
    """A user's own policy, with a specification and nothing to remember."""

    def __init__(self, step=1):
        self.step = step

    def specification(self):
        return {"step": self.step}

    def start(self, decision_set, variance):
        return self

    def choose(self, rng):
        return [True, True, False, False]

    def observe(self, items, rewards):
        pass

    def state(self):
        return {}


class FirstItems(DecisionSet):
    """A user's own set: the first two items."""

    d, m = 5, 2

    def __init__(self, d=5):
        self.d = d

    def maximize(self, weights):
        return np.arange(self.d) < 2


class OneMore(Gaussian):
    """A law that is not of the library."""


def state_of(decision_set=None, policy=None):
    learner = Learner(decision_set or MSets(4, 2), policy or CUCB(), variance=0.5, seed=4)
    learner.tell(learner.ask().id, [1.0, 0.5])
    learner.ask()
    return learner.state()


def restored(decision_set=None, policy=None, *, new_set=None, new_policy=None):
    return Learner.from_state(state_of(decision_set, policy), decision_set=new_set, policy=new_policy)


def changed(**parts):
    return Learner.from_state({**state_of(), **parts})


def without(part):
    return Learner.from_state({name: value for name, value in state_of().items() if name != part})


PARAMETERS = r"policy must have the specification \{'radius': \{'log': 1.0, [^}]*\}\}, got \{'radius'"
CALLS = [
    (lambda: restored(policy=First()), "policy must be passed"),
    (lambda: restored(policy=First(), new_policy=First(2)), "policy must have the specification"),
    (lambda: restored(policy=First(), new_policy=CUCB()), "policy must have the specification"),
    (lambda: restored(new_policy=CUCB(radius="kveton")), PARAMETERS),
    (lambda: restored(policy=CUCB(law=OneMore())), "policy must be passed for .*OneMore.*: its law"),
    (lambda: restored(new_policy="CUCB"), "must be a Policy"),
    (lambda: state_of(policy=First(object())), "specification of First must be plain JSON"),
    (lambda: restored(FirstItems()), "decision_set must be passed"),
    (lambda: restored(FirstItems(), new_set=FirstItems(6)), "decision_set must be the FirstItems"),
    (lambda: restored(new_set=MSets(4, 3)), "decision_set must be the MSets"),
    (lambda: restored(new_set=[4, 2]), "must be a DecisionSet"),
    (lambda: Learner.from_state(json.dumps(state_of())), "json.loads"),
    (lambda: Learner.from_state(None), "json.loads"),
    (lambda: Learner.from_state({}), "format"),
    *((lambda *, name=name, value=value: changed(**{name: value}), message) for name, value, message in (
        ("format", "semibandits.simulation", "format"), ("version", storage.VERSION + 1, "install a newer one"),
        ("version", 0, "version"), ("version", "1", "version"), ("checksum", "0" * 64, "checksum"), ("next_id", 7, "checksum"),
        ("note", "mine", "checksum"), ("variance", float("nan"), "plain JSON"), ("variance", object(), "plain JSON"),
    )),
    (lambda: without("checksum"), "checksum"),
    (lambda: without("agent"), "checksum"),
]  # fmt: skip
