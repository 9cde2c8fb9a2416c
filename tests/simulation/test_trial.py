"""Errors in the classes of a user come before anything is compiled, solved or played."""

import numpy as np
import pytest
from small_runs import same

import semibandits as sb
from semibandits.simulation import run

X = sb.MSets(4, 2)
THETA = np.array([0.1, 0.2, 0.3, 0.4])
REWARDS = sb.GaussianRewards(THETA, variance=1.0)


class MyAgent(sb.Agent):
    def __init__(self, decision_set):
        self.decision_set = decision_set

    def choose(self, rng):
        return self.decision_set.maximize(rng.standard_normal(self.decision_set.d))

    def observe(self, items, rewards):
        pass


class Mine(sb.Policy):
    agent = MyAgent

    def start(self, decision_set, variance):
        return self.agent(decision_set)


class Counts(sb.RewardModel):
    theta, variance = THETA, 1.0

    def draw(self, items, rng):
        return rng.poisson(self.theta[items])


class Half(sb.Agent):
    """An agent without `observe`."""

    __init__, choose = MyAgent.__init__, MyAgent.choose


def mine(agent=None, **overrides):
    return type("Mine", (Mine,), {"agent": agent or type("MyAgent", (MyAgent,), overrides)})()


def raises(error):
    def method(self, *arguments):
        raise error

    return method


@pytest.fixture
def nothing_else(monkeypatch):
    """Fail if the bound or a replication is computed."""
    for name in ("_bound", "run"):
        monkeypatch.setattr(run, name, raises(AssertionError(f"{name} was called")))


@pytest.mark.usefixtures("nothing_else")
@pytest.mark.parametrize(
    ("policy", "error", "message"),
    [
        (mine(choose=lambda self, rng: None), sb.InvalidInputError, "choose decisions, masks of shape .d,., got None in round 1"),
        (mine(choose=lambda self, rng: [1, 1, 1, 0]), sb.InvalidInputError, "got .1, 1, 1, 0. in round 1"),
        (mine(choose=raises(ZeroDivisionError("mine"))), ZeroDivisionError, "mine"),
        (mine(observe=lambda self, items: None), TypeError, "observe|argument"),
        (mine(agent=lambda self, x: None), sb.InvalidInputError, "`start` of the policy Mine must return an Agent, got None"),
        (mine(agent=Half), TypeError, "abstract.*observe"),
    ],
)  # fmt: skip
def test_a_policy(policy, error, message, tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(error, match=message):
        sb.simulate(X, REWARDS, [sb.CUCB(), policy], horizon=10, replications=1, folder=folder)
    assert not folder.exists()


@pytest.mark.usefixtures("nothing_else")
@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"draw": lambda self, items, rng: 1.0}, r"rewards of draw must have shape .k,. = .2,., got \(\)"),
        ({"draw": lambda self, items, rng: self.mean[items]}, "no attribute 'mean'"),
        ({"theta": THETA.tolist()}, "theta of Counts must be an array of float64, shape .d,., got list"),
        ({"theta": np.arange(4)}, "theta of Counts must be an array of float64, .* got int64"),
        ({"theta": np.array([0.1, np.nan, 0, 0])}, "theta must be finite, got nan at index 1"),
        ({"theta": np.float64(1.0)}, "theta of Counts must be an array of float64"),
        ({"variance": 0.0}, "variance must be positive"), ({"variance": [1.0, 2.0]}, "variance must be a scalar or have shape"),
    ],
)  # fmt: skip
def test_a_reward_model(overrides, message):
    model = type("Counts", (Counts,), overrides)()
    with pytest.raises((sb.InvalidInputError, AttributeError), match=message):
        sb.simulate(X, model, sb.CUCB(), horizon=10, replications=1)


def test_the_trial_does_not_change_the_simulation(monkeypatch):
    tried = sb.simulate(X, Counts(), [Mine(), sb.CUCB()], horizon=40, replications=2, seed=5)
    monkeypatch.setattr(run, "play_trial", lambda specification: None)
    plain = sb.simulate(X, Counts(), [Mine(), sb.CUCB()], horizon=40, replications=2, seed=5)
    assert same(plain, tried)


def test_classes_of_the_library_play_no_trial(monkeypatch):
    monkeypatch.setattr("semibandits.simulation.trial.started", raises(AssertionError("started")))
    monkeypatch.setattr("semibandits.simulation.trial._draw", raises(AssertionError("drawn")))
    assert sb.simulate(X, REWARDS, [sb.CUCB(), sb.GLADE()], horizon=10, replications=1).horizon == 10
