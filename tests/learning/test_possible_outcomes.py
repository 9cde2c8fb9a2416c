"""Rewards that cannot be: outside the law, or costs without a minus sign."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learner_cases import restored, text

import semibandits as sb


@pytest.mark.parametrize(
    ("law", "wrong", "right"),
    [("bernoulli", 2.0, 1.0), ("bernoulli", -1.0, 0.0), ("bernoulli", 500.0, 0.4), ("poisson", -1.0, 3.0),
     ("poisson:cost", 1.0, -3.0), ("gamma", -0.5, 0.5), ("gamma:cost", 0.5, -0.5)],
)  # fmt: skip
def test_rewards_outside_the_law_are_refused(law, wrong, right):
    learner = sb.Learner(sb.MSets(4, 2), law=law, variance=1.0, seed=0)
    for _ in range(2):
        asked = learner.ask()
        before = text(learner)
        with pytest.raises(sb.InvalidInputError, match=rf"rewards must be from .* under the law .*, got {wrong:g} for"):
            learner.tell(asked.id, [right, wrong])
        assert text(learner) == before
        learner.tell(asked.id, [right, right])
        learner = restored(learner)


@pytest.mark.parametrize("outcome", [{"rewards": [80.0, 57.0]}, {"costs": [-80.0, -57.0]}])
def test_costs_of_routes_without_a_minus_sign_cause_one_warning(outcome):
    x = sb.Routes([(0, 1), (1, 2), (1, 0)], 0, 2)
    learner = sb.Learner(x, variance=100.0, seed=0)
    for _ in range(2):  # warnings are errors in tests
        learner.tell(learner.ask().id, **outcome)
    with pytest.warns(sb.PositiveRewardsWarning, match="pass positive costs as costs=") as warned:
        learner.tell(learner.ask().id, **outcome)
    assert warned[0].filename == __file__  # it points at the call, not into the library
    learner.tell(learner.ask().id, **outcome)  # no second warning
    quiet = sb.Learner(x, variance=100.0, seed=0)
    quiet.tell(quiet.ask().id, costs=[80.0, 57.0])
    for _ in range(5):
        quiet.tell(quiet.ask().id, rewards=[80.0, 1.0])  # noise


def test_the_ends_of_a_law_are_possible_everywhere():
    x = sb.MSets(3, 1, items="abc")
    for rewards in ([0.0, 1.0], [1.0, 1.0], [0.0, 0.0]):
        learner = sb.Learner.from_history(x, ["a", "b"], rewards, law="bernoulli", seed=0)
        restored(learner).replace(sb.MSets(2, 1, items="bc"), prior_means=1.0, prior_plays=2)
    prior = {"prior_means": [0.0, 1.0, 55.0], "prior_plays": [1, 1, 0]}  # a mean of no plays does not matter
    sb.Learner(x, law="bernoulli", seed=0, **prior)


@given(law=st.sampled_from(["bernoulli", "poisson", "poisson:cost", "gamma", "gamma:cost"]), value=st.floats(-1e9, 1e9))
@settings(max_examples=60)
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
