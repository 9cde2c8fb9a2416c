"""Rewards that cannot be: outside the law, or costs without a minus sign."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.learning import storage


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


def bernoulli(x=None, **arguments):
    return sb.Learner(sb.MSets(3, 2, items="abc") if x is None else x, law="bernoulli", seed=0, **arguments)


def replaced(policy=None, **prior):
    """From a learner without a law, with outcomes of 55 for items a and b, to one with all items but a."""
    learner = sb.Learner(sb.MSets(3, 2, items="abc"), sb.CUCB(), variance=1.0, seed=0)
    learner.tell(learner.ask().id, [55.0, 55.0])
    return learner.replace(sb.MSets(2, 1, items="bc"), policy, **prior)


def restored():
    learner = bernoulli()
    learner.tell(learner.ask().id, [1.0, 1.0])
    state = learner.state()
    state["statistics"]["sums"] = state["agent"]["sums"] = [55.0, 1.0, 0.0]
    return sb.Learner.from_state(storage.sealed({k: v for k, v in state.items() if k != "checksum"}))


ENTRANCES = {
    "history": lambda: sb.Learner.from_history(sb.MSets(3, 1, items="abc"), ["a", "b"], [1.0, 55.0], law="bernoulli", seed=0),
    "history of costs": lambda: sb.Learner.from_history(sb.MSets(3, 1), [0], costs=[1.0], law="bernoulli", seed=0),
    "rounds": lambda: sb.Learner.from_rounds(sb.MSets(3, 1, items="abc"), [{"b": 1.0}, {"a": -1.0}], law="bernoulli", seed=0),
    "prior": lambda: bernoulli(prior_means=[0.5, 55.0, -3.0], prior_plays=[1, 1, 0]),
    "prior of costs": lambda: bernoulli(prior_costs=1.0, prior_plays=1),
    "replace": lambda: replaced(sb.GLADE(law="bernoulli")),
    "prior of replace": lambda: replaced(sb.GLADE(law="poisson"), prior_means=[-1.0, 1.0], prior_plays=1),
    "state": restored,
    "simulation": lambda: sb.simulate(
        sb.MSets(3, 1),
        sb.BernoulliRewards([0.1, 0.2, 0.3]),
        [sb.CUCB(), sb.GLADE()],
        10,
        1,
        prior_means=2.0,
        prior_plays=1,
    ),
}
MESSAGES = {
    "history": "rewards must be from 0 to 1 under the law bernoulli, got 55 for 'b' at index 1",
    "history of costs": "costs must be from -1 to 0 under the law bernoulli, got 1 for 0 at index 0",
    "rounds": "rewards must be from 0 to 1 under the law bernoulli, got -1 for 'a' at index 0 of round 1",
    "prior": "prior_means must be from 0 to 1 under the law bernoulli, got 55 for 'b'",
    "prior of costs": "prior_costs must be from -1 to 0 under the law bernoulli, got 1 for 'a'",
    "replace": "means of observed rewards must be from 0 to 1 under the law bernoulli, got 55 for 'b'",
    "prior of replace": "prior_means must be from 0 to inf under the law poisson, got -1 for 'b'",
    "state": "means of observed rewards must be from 0 to 1 under the law bernoulli, got 55 for 'a'",
    "simulation": "prior_means must be from 0 to 1 under the law bernoulli, got 2 for 0",
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_every_entrance_refuses_what_the_law_excludes(entrance):
    with pytest.raises(sb.InvalidInputError) as caught:
        ENTRANCES[entrance]()
    assert str(caught.value).startswith(MESSAGES[entrance] + ": ")


def test_the_ends_of_a_law_are_possible_everywhere():
    x = sb.MSets(3, 1, items="abc")
    for rewards in ([0.0, 1.0], [1.0, 1.0], [0.0, 0.0]):
        learner = sb.Learner.from_history(x, ["a", "b"], rewards, law="bernoulli", seed=0)
        again = sb.Learner.from_state(learner.state())
        again.replace(sb.MSets(2, 1, items="bc"), prior_means=1.0, prior_plays=2)
    bernoulli(prior_means=[0.0, 1.0, 55.0], prior_plays=[1, 1, 0])  # a mean of no plays does not matter


def test_each_item_has_its_own_law():
    law = sb.laws.Mixed([sb.laws.Bernoulli(), sb.laws.Poisson(), sb.laws.Gamma(cost=True)])
    learner = sb.Learner(sb.MSets(3, 3, items="abc"), sb.GLADE(law=law), variance=1.0, seed=0)
    asked = learner.ask()
    for wrong, message in (
        ([2.0, 2.0, -2.0], "0 to 1 .* got 2 for 'a'"),
        ([1.0, 2.0, 2.0], "-inf to 0 .* got 2 for 'c'"),
    ):
        with pytest.raises(sb.InvalidInputError, match=f"rewards must be from {message}"):
            learner.tell(asked.id, wrong)
    learner.tell(asked.id, [1.0, 2.0, -2.0])


@given(law=st.sampled_from(["bernoulli", "poisson", "poisson:cost", "gamma", "gamma:cost"]), value=st.floats(-1e9, 1e9))
@settings(max_examples=60, deadline=None)
def test_all_entrances_accept_the_same_values(law, value):
    """What `tell` accepts, a history, a round, a prior and their costs accept as well, and nothing else."""
    x, given_law = sb.MSets(2, 1), {"law": law, "variance": 1.0, "seed": 0}

    def told():
        learner = sb.Learner(x, **given_law)
        learner.tell(learner.ask().id, [value])

    entrances = (
        told,
        lambda: sb.Learner.from_history(x, [0], [value], **given_law),
        lambda: sb.Learner.from_history(x, [0], costs=[-value], **given_law),
        lambda: sb.Learner.from_rounds(x, [{1: value}], **given_law),
        lambda: sb.Learner(x, prior_means=[value, 0.0], prior_plays=[1, 0], **given_law),
        lambda: sb.Learner(x, prior_costs=-value, prior_plays=1, **given_law),
    )
    assert len({accepts(entrance) for entrance in entrances}) == 1


def accepts(entrance):
    try:
        entrance()
    except sb.InvalidInputError as error:
        assert "under the law" in str(error)  # noqa: PT017 (both answers are possible)
        return False
    return True
