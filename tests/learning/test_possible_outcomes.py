"""Rewards that cannot be: outside the law, or costs without a minus sign."""

import warnings

import numpy as np
import pandas as pd
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


def told(learner, *rounds, **arguments):
    """Messages of the sign warnings in these rounds. A round is one number per item, or one number for all items."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for values in rounds:
            asked = learner.ask()
            learner.tell(asked.id, **{name: np.broadcast_to(values, len(asked.items)) for name in arguments or ("rewards",)})
    assert {each.category for each in found} <= {sb.SignChangeWarning}
    assert {each.filename for each in found} <= {__file__}
    return [str(each.message) for each in found]


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("first", ["costs", "rewards"])
def test_outcomes_of_the_other_sign_than_before_cause_one_warning(m, first):
    second = "rewards" if first == "costs" else "costs"
    learner = sb.Learner(sb.MSets(4, m), variance=9.0, seed=0)
    assert not told(learner, 30.0, 31.0, 27.0, 33.0, 30.0, **{first: 1})
    other, strict = restored(learner), restored(learner)
    for one in (learner, other):
        (message,) = told(one, 29.0, 32.0, **{second: 1})  # the first of the two
        assert message.startswith(f"{second} of the same items must keep their sign, got 29 on average in round 5, and -")
    asked = strict.ask()
    before = text(strict)
    with pytest.raises(sb.SignChangeWarning):  # warnings are errors in tests
        strict.tell(asked.id, **{second: [31.0] * m})
    with pytest.raises(sb.SignChangeWarning):
        strict.tell(asked.id, **{second: [31.0] * m})
    assert text(strict) == before  # after an error nothing was told, and a repeated call fails again


@pytest.mark.parametrize("mean", [0.0, 0.5, -1.0, 2.0])
@pytest.mark.parametrize("m", [1, 3])
def test_rewards_around_zero_cause_no_sign_warning(mean, m):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        learner = sb.Learner(sb.MSets(3 * m, m), sb.CUCB(), variance=4.0, seed=seed)
        assert not told(learner, *(mean + 2.0 * rng.standard_normal((100, m))))


def test_means_that_depend_on_the_context_cause_no_sign_warning():
    """Fixed features alone do not turn the warning off."""
    items = list("abc")
    table = pd.DataFrame({"size": [1.0, 2.0, 3.0]}, index=items)
    learner = sb.Learner(sb.MSets(3, 1, items=items), variance=1.0, features=table, context={"day": [-1.0, 1.0]}, seed=0)
    for number in range(30):
        day = -1.0 if number % 7 > 4 else 1.0
        asked = learner.ask(context={"day": day})
        learner.tell(asked.id, day * (6.0 + asked.items))
    learner = sb.Learner(sb.MSets(3, 1, items=items), variance=1.0, features=table, seed=0)
    assert len(told(learner, *[20.0] * 5, costs=1)) == 0
    assert len(told(learner, 20.0)) == 1


@pytest.mark.filterwarnings("ignore::semibandits.errors.OutlierWarning")
def test_signs_of_unusual_outcomes():
    """Items with profits beside items with losses, outcomes of any size, lost ones, and a mean of exactly 0."""
    learner = sb.Learner.from_history(sb.MSets(4, 1), [0, 1, 2, 3] * 9, [20.0, -20.0] * 18, sb.CUCB(), variance=1.0, seed=0)
    learner.tell(learner.ask().id, [-20.0])  # the mean of an item may change where signs differ from item to item
    for variance in (1e-100, 1.0):
        learner = sb.Learner(sb.MSets(3, 2), variance=variance, seed=0)
        for values in ([0.0, 0.0], [1e100, -1e100], [-1e100, None], [None, None], [-1.0, 1e100], [-1e100, 0.0], [-1.0, -1.0]):
            learner.tell(learner.ask().id, values, partial=True)


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
