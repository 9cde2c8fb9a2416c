"""The conformance suite of policies: correct user-defined policies pass, and every violation is detected."""

from dataclasses import dataclass

import numpy as np
import pytest

from family_examples import EXAMPLES
from semibandits import CUCB, Agent, DecisionSet, MSets, Policy
from semibandits.simulation.replication import replicate
from semibandits.testing import check_policy
from semibandits.testing import policies as suite


@dataclass(frozen=True)
class Optimist(Policy):
    """A minimal user-defined policy; each class below violates one requirement."""

    agent: type[Agent] | None = None

    def start(self, decision_set, variance):
        return (self.agent or OptimistAgent)(decision_set, np.broadcast_to(variance, (decision_set.d,)).copy())

    def specification(self):
        return {"name": self.name}


class OptimistAgent(Agent):
    def __init__(self, decision_set: DecisionSet, variance):
        self.decision_set, self.variance = decision_set, variance
        d = decision_set.d
        self.rounds, self.plays, self.sums, self.open = 0, np.zeros(d), np.zeros(d), np.zeros(d)
        self.never = ~suite.coverable(decision_set)

    def choose(self, rng):
        missing = (self.plays == 0) & (self.open == 0) & ~self.never
        x = self.decision_set.maximize(missing.astype(float) if missing.any() else self.weights(rng))
        self.rounds += 1
        self.open += x
        return x

    def weights(self, rng):
        n = np.maximum(self.plays, 1)
        return self.sums / n + np.sqrt(self.variance * np.log(self.rounds + 1) / n) * self.noise(rng)

    def noise(self, rng):
        return 1.0 + 0.1 * rng.standard_normal(len(self.plays))

    def observe(self, items, rewards):
        self.forget(items)
        self.plays[items] += 1
        self.sums[items] += rewards

    def forget(self, items):
        self.open[items] -= 1

    def state(self):
        arrays = {name: getattr(self, name).tolist() for name in ("plays", "sums", "open")}
        return {"rounds": self.rounds, **arrays}

    def restore(self, state):
        self.rounds = state["rounds"]
        for name in ("plays", "sums", "open"):
            setattr(self, name, np.array(state[name]))


EXAMPLE = ("matchings", "none")


def build(family, example):
    return EXAMPLES[family][example]()


@pytest.mark.parametrize(("family", "example"), [EXAMPLE, ("paths", "grid"), ("enumerated", "with the empty one")])
def test_a_sound_policy_of_a_user_passes(family, example):
    decision_set = build(family, example)
    check_policy(Optimist(), decision_set, horizon=max(24, 2 * decision_set.d))


def spoilt(**overrides):
    """An agent that violates a requirement."""
    return type("Spoilt", (OptimistAgent,), overrides)


SHARED = np.zeros(5)


def hands_out_its_memory(self, rng):
    x = OptimistAgent.choose(self, rng)
    known = vars(self).setdefault("known", {})
    return known.setdefault(x.tobytes(), x)


def shares(self, rng):
    SHARED[:] += 1
    return np.arange(5) * SHARED[0] % 7


def spoils(self, items, rewards):
    OptimistAgent.observe(self, items, rewards)
    rewards += 1


def counts_the_last_most(self, items, rewards):
    OptimistAgent.observe(self, items, rewards)
    self.sums[items] = self.plays[items] * rewards


def never_covers(self, rng):
    x = self.decision_set.maximize(self.weights(rng) if self.rounds else np.zeros(len(self.plays)))
    self.rounds += 1
    self.open += x
    return x


def lives_on(self):
    self.known = vars(self).get("known", {})
    self.known.update(OptimistAgent.state(self))
    return self.known


def without_open_rounds(self, state):
    OptimistAgent.restore(self, state)
    self.open[:] = 0


def sees_kernels(self, rng):
    weights = OptimistAgent.weights(self, rng)
    return weights if self.decision_set.compiled() is not None else -weights


def goes_by_place(self, rng):
    return OptimistAgent.weights(self, rng) + 10.0 * np.cos(2.0 * np.arange(len(self.plays)))


BROKEN_AGENTS = [
    ("must return a bool array", {"choose": lambda self, rng: OptimistAgent.choose(self, rng).astype(int)}),
    ("must return a bool array", {"choose": lambda self, rng: OptimistAgent.choose(self, rng)[:-1]}),
    ("choose must return a decision", {"choose": lambda self, rng: ~OptimistAgent.choose(self, rng)}),
    ("choose must return a decision|a seed must fix", {"choose": hands_out_its_memory}),
    ("a seed must fix", {"weights": shares}),
    ("a seed must fix", {"weights": lambda self, rng: np.random.default_rng().normal(size=len(self.plays))}),
    ("observe must not change its arguments", {"observe": spoils}),
    ("calls must be three counts", {"calls": property(lambda self: (0.0, 0.0, 0.0))}),
    ("must be covered first", {"choose": never_covers}),
    ("state must be plain JSON", {"state": lambda self: {**OptimistAgent.state(self), "plays": self.plays}}),
    ("state must be plain JSON", {"state": lambda self: {**OptimistAgent.state(self), "best": np.nan}}),
    ("a restored agent must have the state", {"restore": lambda self, state: None}),
    ("a restored agent must have the state", {"restore": without_open_rounds}),
    (
        "a restored agent must have the state",
        {"restore": lambda self, state: OptimistAgent.restore(self, {**state, "rounds": 0})},
    ),
    ("a state must not change", {"state": lives_on}),
    ("d open rounds must cover every item", {"open": property(lambda self: np.zeros(len(self.plays)), lambda *_: None)}),
    ("items of lost rounds must be covered", {"forget": lambda self, items: None}),
    ("the order of outcomes must not matter", {"observe": counts_the_last_most}),
    ("without kernels, decisions must be the same", {"weights": sees_kernels}),
    ("rewards in another unit", {"weights": lambda self, rng: OptimistAgent.weights(self, rng) + self.noise(rng)}),
    ("labels of items must not matter", {"weights": goes_by_place}),
    ("of large variance must be explored more", {"variance": property(lambda self: 0.5, lambda *_: None)}),
]


@pytest.mark.parametrize(("message", "overrides"), BROKEN_AGENTS)
def test_the_suite_finds_a_broken_agent(message, overrides):
    policy = Optimist(spoilt(**overrides))
    waivers = {"description": "its class is local and cannot be pickled"}
    if "scale" in message or "variance" in message or "labels" in message:
        waivers["scale"] = "another promise is broken here"
    if "variance" in message:
        waivers["labels"] = "another promise is broken here"
    with pytest.raises(AssertionError, match=message):
        check_policy(policy, build(*EXAMPLE), waivers=waivers)


def broken_policy(**overrides):
    """A policy that breaks a promise; pickled, it turns into a sound one."""
    return type("Broken", (Optimist,), {"__reduce__": lambda self: (Optimist, ()), **overrides})()


BROKEN_POLICIES = [
    ("name must be a non-empty string", {"name": ""}),
    ("state must be plain JSON|specification", {"specification": lambda self: {"scale": float("inf")}}),
    ("must be picklable", {"__reduce__": lambda self: (lambda: None, ())}),
    ("name must survive pickling", {"name": "Broken"}),
    ("specification must survive pickling", {"specification": lambda self: {"name": "Broken"}, "name": "Optimist"}),
    (
        "a pickled policy must play the same",
        {"name": "Optimist", "start": lambda self, of, v: spoilt(weights=goes_by_place)(of, np.broadcast_to(v, (of.d,)).copy())},
    ),
]


@pytest.mark.parametrize(("message", "overrides"), BROKEN_POLICIES)
def test_the_suite_finds_a_broken_policy(message, overrides):
    with pytest.raises(AssertionError, match=message) as caught:
        check_policy(broken_policy(**overrides), build(*EXAMPLE))
    assert caught.value.__notes__[0].startswith("while checking the promise '")


ENGINE_ERRORS = [
    ("simulations must play what an agent chooses", "plays", 1),
    ("simulations must count the calls", "calls", 1),
    ("regret must be the sum of the gaps", "regret", 1e-6),
    ("reward must be the sum of the rewards", "reward", 1e-6),
]


@pytest.mark.parametrize(("message", "field", "error"), ENGINE_ERRORS)
def test_the_suite_finds_an_engine_that_drifts(monkeypatch, message, field, error):
    def drifting(*arguments):
        trajectory = replicate(*arguments)
        getattr(trajectory, field)[-1] += error
        return trajectory

    monkeypatch.setattr(suite, "replicate", drifting)
    with pytest.raises(AssertionError, match=message):
        check_policy(CUCB(), MSets(4, 2))
