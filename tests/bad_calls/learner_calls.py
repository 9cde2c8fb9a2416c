"""Learners whose arguments are refused, and calls of a learner."""

from fractions import Fraction

import numpy as np

from semibandits.decisions.base import DecisionSet
from semibandits.decisions.msets import MSets
from semibandits.errors import UnsupportedError
from semibandits.learning import Learner
from semibandits.policies.base import Agent, Policy
from semibandits.policies.cucb import CUCB
from semibandits.policies.ossb import OSSB


def learner(decision_set=MSets(3, 1), policy=CUCB(), *, variance=1.0, seed=0, **options):  # noqa: B008 (never changed)
    return Learner(decision_set, policy, variance=variance, seed=seed, **options)


class Twins(DecisionSet):
    """Two items with one label."""

    d, m, items = 2, 1, ("a", "a")

    def maximize(self, weights):
        return np.arange(2) == np.argmax(weights)

    def __repr__(self):
        return "Twins()"


class Silent(Policy, Agent):
    """A user's own policy without memory."""

    def start(self, decision_set, variance):
        return self

    def choose(self, rng):
        return np.array([True, False])

    def observe(self, items, rewards):
        pass


def moved(new, policy=CUCB(), *, old=MSets(3, 1, items="abc"), variance=1.0, **options):  # noqa: B008
    return learner(old, policy, variance=variance).replace(new, **options)


def asked_for(rounds):
    one = learner()
    one.ask_many(rounds)
    return one


def closed():
    """A learner with a told, a forgotten and an open round."""
    one = asked_for(3)
    first, second, _ = one.open_rounds
    one.tell(first.id, [1.0])
    one.forget(second.id)
    return one


MISSING = "variance must be given, since it differs from item to item and 1 items are new"
OWN, NEITHER = CUCB(variance=(1.0, 2.0, 3.0)), "one of age, before and seconds, got age=None, before=None and seconds=None"
CALLS = [
    *((lambda *, option=option: learner(**option), "must .* got") for option in (
        {"decision_set": [1, 2]}, {"policy": CUCB}, {"variance": 0.0}, {"variance": [1.0, 1.0]}, {"seed": None}, {"seed": True},
        {"seed": -1}, {"seed": 1.0}, {"seed": np.random.Generator(np.random.MT19937(0))},
    )),
    (lambda: learner().tell(learner().ask(), [1.0]), r"pass round\.id"),
    *((lambda *, call=call, number=number: call(closed(), number), message)
      for number, message in ((7, "no such round"), (-1, "no such round"), (0, "round is closed"), (1, "round is closed"),
                              (None, "integer"), (2.0, "integer"), (True, "integer"))
      for call in (lambda one, number: one.tell(number, [1.0]), Learner.forget)),
    *((lambda *, rewards=rewards, call=call: call(learner(MSets(3, 3)), rewards), message) for message, rewards in (
        (r"shape \(k,\) = \(3,\)", [1.0, 1.0]), (r"shape \(k,\) = \(3,\), got \(0,\)", []), ("shape", 1.0),
        ("numbers", [[1.0], [1.0, 2.0], [1.0]]), ("got inf at index 2 .*: pass finite rewards", [1.0, 2.0, np.inf]),
        (r"got -1e\+101 at index 2 .*: scale them down", [1.0, 2.0, -1e101]), ("sequence of real numbers", ["1.0"] * 3),
        ("sequence of real numbers", [Fraction(1), "1", "1"]), ("real numbers, got complex128 ones", np.ones(3) * 1j),
        ("numbers", np.array(["2020-01-01"] * 3, dtype="datetime64[D]")), ("sequence of numbers", [object()] * 3),
        ("numbers", {1.0, 2.0, 3.0}), (r"got 1 unknown of 4 \(first: 'x'\)", dict.fromkeys([0, 1, 2, "x"], 1.0)),
        ("numbers", dict.fromkeys([0, 1, 2], "1.0")), ("shape", np.ones((1, 3))),
    ) for call in (
        lambda one, rewards: one.tell(one.ask().id, rewards),
        lambda one, rewards: one.tell_many({one.ask().id: rewards}, partial=True),
    )),
    (lambda: learner().tell_many([(0, [1.0])]), "no such round"),
    (lambda: asked_for(2).tell_many([(0, [1.0]), (1, [1.0]), (0, [1.0])]), r"each round once, got the ids \[0, 1, 0\]"),
    (lambda: learner().expire(), NEITHER),
    (lambda: learner().expire(age=1, before=1), "one of age, before and seconds, got age=1, before=1"),
    (lambda: learner().expire(age=-1), "age must be an integer >= 0, got -1"),
    (lambda: learner().expire(age=1.5), "age must be an integer"),
    (lambda: learner().expire(before=True), "before must be an integer >= 0, got True"),
    *((lambda *, error=error: learner().estimates(error), "error must") for error in (0.0, np.nan, "0.05")),
    *((lambda *, within=within: learner().confidence(within), "within must") for within in (-1.0, np.nan, "0.05")),
    (lambda: learner().confidence(threshold="safe"), "threshold must be one of .*, got 'safe'"),
    *((lambda *, name=name, value=value: learner(**{name: value}), f"{name} must")
      for name, *values in (("half_life", 0, np.nan, "10"), ("drift_error", 0, "0.1", True)) for value in values),
    (lambda: learner(policy=OSSB(), half_life=10), "half_life needs a policy .* makes no plans, got OSSB", UnsupportedError),
    (lambda: learner(defer_plans=1), "defer_plans must be True or False, got 1"),
    (lambda: moved(3), "decision_set must be a DecisionSet, got int"),
    (lambda: moved(MSets(3, 1), prior_plays=1), "prior_plays"),
    (lambda: moved(MSets(2, 1, items="cz"), variance=[1.0, 2.0, 3.0]), MISSING),
    (lambda: moved(MSets(2, 1, items="ab"), OWN), r"variance must .*\(2,\)"),
    (lambda: moved(Twins()), "labels must be distinct .*got 'a' twice in"),
    (lambda: moved(MSets(2, 1, items="ab"), old=Twins()), "labels must be distinct .*got 'a' twice in"),
    (lambda: Learner.from_history(MSets(2, 1), [0], [1.0], Silent(), variance=1.0, seed=0), "`recall`", UnsupportedError),
    (lambda: moved(MSets(2, 1), Silent(), old=MSets(2, 1)), "not support a history.*override `recall`", UnsupportedError),
]  # fmt: skip
