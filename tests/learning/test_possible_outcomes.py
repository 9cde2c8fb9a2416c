"""Rewards that cannot be: outside the law, or costs without a minus sign."""

import json

import pytest

import semibandits as sb


@pytest.mark.parametrize(
    ("law", "wrong", "right"),
    [
        ("bernoulli", 2.0, 1.0),
        ("bernoulli", -1.0, 0.0),
        ("bernoulli", 500.0, 0.4),
        ("poisson", -1.0, 3.0),
        ("poisson:cost", 1.0, -3.0),
        ("gamma", -0.5, 0.5),
        ("gamma:cost", 0.5, -0.5),
    ],
)
def test_rewards_outside_the_law_are_refused(law, wrong, right):
    learner = sb.Learner(sb.MSets(4, 2), law=law, variance=1.0, seed=0)
    asked = learner.ask()
    before = json.dumps(learner.state())
    with pytest.raises(sb.InvalidInputError, match=rf"rewards must be from .* under the law .*, got {wrong:g} for"):
        learner.tell(asked.id, [right, wrong])
    assert json.dumps(learner.state()) == before
    learner.tell(asked.id, [right, right])
    again = sb.Learner.from_state(json.loads(json.dumps(learner.state())))
    asked = again.ask()
    with pytest.raises(sb.InvalidInputError, match="under the law"):
        again.tell(asked.id, [wrong, right])


def test_costs_outside_the_law_are_named_as_costs():
    learner = sb.Learner(sb.MSets(4, 2), law="poisson:cost", variance=1.0, seed=0)
    with pytest.raises(sb.InvalidInputError, match=r"costs must be from 0 to inf under the law .*, got -3 for"):
        learner.tell(learner.ask().id, costs=[2.0, -3.0])


def test_policies_without_a_law_take_any_rewards():
    learner = sb.Learner(sb.MSets(4, 2), sb.CUCB(), variance=1.0, seed=0)
    learner.tell(learner.ask().id, [500.0, -3.0])


@pytest.mark.parametrize("outcome", [{"rewards": [80.0, 57.0]}, {"costs": [-80.0, -57.0]}])
def test_costs_of_routes_without_a_minus_sign_cause_one_warning(outcome):
    x = sb.Routes([(0, 1), (1, 2), (1, 0)], 0, 2)
    learner = sb.Learner(x, variance=100.0, seed=0)
    for _ in range(2):  # warnings are errors in tests
        learner.tell(learner.ask().id, **outcome)
    with pytest.warns(sb.PositiveRewardsWarning, match="pass positive costs as costs="):
        learner.tell(learner.ask().id, **outcome)
    learner.tell(learner.ask().id, **outcome)  # no second warning
    quiet = sb.Learner(x, variance=100.0, seed=0)
    quiet.tell(quiet.ask().id, costs=[80.0, 57.0])
    for _ in range(5):
        quiet.tell(quiet.ask().id, rewards=[80.0, 1.0])  # noise
