"""Errors of reward models state what was expected, what was found, and a remedy."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from semibandits import CUCB, MSets, simulate
from semibandits.errors import InvalidInputError
from semibandits.rewards.base import RewardModel
from semibandits.rewards.bernoulli import BernoulliRewards
from semibandits.rewards.bounded import BoundedRewards
from semibandits.rewards.correlated import CorrelatedGaussianRewards
from semibandits.rewards.gaussian import GaussianRewards
from semibandits.rewards.replayed import ReplayedRewards
from semibandits.rewards.sampled import SampledRewards


def zeros(items, rng):
    return np.zeros(len(items))


WITH_THETA = {
    "gaussian": GaussianRewards,
    "correlated": lambda theta: CorrelatedGaussianRewards(theta, np.eye(2)),
    "bernoulli": BernoulliRewards,
    "bounded": BoundedRewards,
    "sampled": lambda theta: SampledRewards(theta, zeros, variance=1.0),
}
THETAS = [
    ([], "theta must have shape (d,) with d >= 1, got (0,): pass the mean reward of each item"),
    (0.5, "theta must have shape (d,) with d >= 1, got (): pass"),
    ([[0.5, 0.5]], "theta must have shape (d,) with d >= 1, got (1, 2): pass"),
    ([0.5, np.nan], "theta must be finite, got nan at index 1: replace"),
    ([0.5, -np.inf], "theta must be finite, got -inf at index 1: replace"),
    ("half", "theta must be an array of numbers, got str: "),
    ([0.5, 1j], "theta must be an array of numbers, got list: "),
    (np.array([1j]), "theta must hold real numbers, got complex128 ones: pass their real parts"),
    ([0.5, 2e300], "theta must be at most 1e+100 in absolute value, got 2e+300: give rewards in a larger unit"),
]


@pytest.mark.parametrize("model", WITH_THETA)
@pytest.mark.parametrize(("theta", "message"), THETAS)
def test_theta(model, theta, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        WITH_THETA[model](theta)


WITH_VARIANCE = {
    "gaussian": lambda variance: GaussianRewards([0.0, 1.0], variance=variance),
    "sampled": lambda variance: SampledRewards([0.0, 1.0], zeros, variance=variance),
    "replayed items": lambda variance: ReplayedRewards([[0, 1], [2]], variance=variance),
    "replayed rounds": lambda variance: ReplayedRewards(np.eye(2), variance=variance),
}
VARIANCES = [
    (0.0, "variance must be positive, got 0.0 for item 0: "),
    ([1.0, -1.0], "variance must be positive, got -1.0 for item 1: "),
    (
        [1.0],
        "variance must be a scalar or have shape (d,) = (2,), got (1,): pass one number for all items, or one per item",
    ),
    (np.ones((2, 1)), "variance must be a scalar or have shape (d,) = (2,), got (2, 1): "),
    (np.nan, "variance must be finite, got nan at index 0: "),
    (1e101, "variance must be at most 1e+100 in absolute value, got 1e+101: "),
    ("1/2", "variance must be an array of numbers, got str: "),
]


@pytest.mark.parametrize("model", WITH_VARIANCE)
@pytest.mark.parametrize(("variance", "message"), VARIANCES)
def test_variance(model, variance, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        WITH_VARIANCE[model](variance)


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        (
            np.eye(3),
            "covariance must have shape (d, d) = (2, 2), got (3, 3): pass one row and one column per item of theta",
        ),
        (1.0, "covariance must have shape (d, d) = (2, 2), got (): "),
        ([1.0, 1.0], "covariance must have shape (d, d) = (2, 2), got (2,): "),
        (
            [[1.0, 0.25], [0.5, 1.0]],
            "covariance must be symmetric, got 0.25 for items (0, 1) and 0.5 for (1, 0): pass (covariance + covariance.T) / 2",
        ),
        (
            [[1.0, 2.0], [2.0, 1.0]],
            "covariance must be positive semidefinite, got the eigenvalue -1: estimate it from joint rounds",
        ),
        (
            [[1.0, 0.0], [0.0, 0.0]],
            "covariance must have a positive diagonal, got 0.0 for item 1: pass a tiny variance",
        ),
        ([[1.0, 0.0], [0.0, -1.0]], "covariance must have a positive diagonal, got -1.0 for item 1: "),
        ([[1.0, np.nan], [0.0, 1.0]], "covariance must be finite, got nan at index 1: "),
        ([[1e101, 0.0], [0.0, 1.0]], "covariance must be at most 1e+100 in absolute value, got 1e+101: "),
    ],
)
def test_covariance(covariance, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        CorrelatedGaussianRewards([0.0, 1.0], covariance)


def test_a_covariance_whose_columns_are_in_another_order_than_its_rows():
    frame = pd.DataFrame(np.diag([1.0, 2.0]), index=list("ab"), columns=list("ab"))
    assert CorrelatedGaussianRewards([0.0, 1.0], frame).covariance.tolist() == [[1.0, 0.0], [0.0, 2.0]]
    with pytest.raises(InvalidInputError, match="rows and columns in the same order"):
        CorrelatedGaussianRewards([0.0, 1.0], frame[["b", "a"]])


def test_rounding_errors_in_a_covariance_are_tolerated():
    theta, covariance = np.zeros(2), np.array([[1.0, 1.0], [1.0, 1.0]])
    CorrelatedGaussianRewards(theta, covariance + np.array([[0.0, 1e-13], [0.0, 0.0]]))
    CorrelatedGaussianRewards(theta, covariance * np.array([[1.0, 1.0 + 1e-13], [1.0 + 1e-13, 1.0]]))
    with pytest.raises(InvalidInputError, match="symmetric"):
        CorrelatedGaussianRewards(theta, covariance + np.array([[0.0, 1e-11], [0.0, 0.0]]))
    with pytest.raises(InvalidInputError, match="semidefinite"):
        CorrelatedGaussianRewards(theta, covariance * np.array([[1.0, 1.0 + 1e-11], [1.0 + 1e-11, 1.0]]))


@pytest.mark.parametrize(("theta", "got"), [([0.5, -0.1], "-0.1 for item 1"), ([1.5, 0.5], "1.5 for item 0")])
def test_probabilities(theta, got):
    with pytest.raises(InvalidInputError, match=re.escape(f"theta must be in [0, 1], got {got}: pass probabilities")):
        BernoulliRewards(theta)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"low": 1.0}, "low must be below high, got low = 1 and high = 1: pass the interval that holds every reward"),
        ({"low": 2.0}, "low must be below high, got low = 2 and high = 1: "),
        ({"low": 0.0, "high": 1e-200}, "low must be below high, got low = 0 and high = 1e-200: "),
        ({"low": np.nan}, "low must be a finite number, got nan: pass one"),
        ({"high": np.inf}, "high must be a finite number, got inf: pass one"),
        ({"high": "1"}, "high must be a finite number, got '1': pass one"),
        ({"high": 1e101}, "low and high must be at most 1e+100 in absolute value, got 0 and 1e+101: "),
        ({"high": 0.25}, "theta must be in [low, high] = [0, 0.25], got 0.5 for item 0: widen the interval"),
        ({"concentration": 0.0}, "concentration must be in [0.001, 1e+09], got 0: use BernoulliRewards"),
        ({"concentration": -1.0}, "concentration must be in [0.001, 1e+09], got -1: "),
        ({"concentration": 1e10}, "concentration must be in [0.001, 1e+09], got 1e+10: "),
        ({"concentration": np.nan}, "concentration must be a finite number, got nan: pass one"),
    ],
)
def test_bounded(arguments, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        BoundedRewards([0.5], **arguments)


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([], "outcomes must hold one log per item, got none: pass at least one"),
        (5.0, "outcomes must be a sequence of d arrays or an array of shape (n, d), got float: pass one log per item"),
        ("abc", "outcomes must be a sequence of d arrays or an array of shape (n, d), got str: "),
        ({1.0, 2.0}, "outcomes must be a sequence of d arrays or an array of shape (n, d), got set: "),
        ({0: [1.0]}, "outcomes must be a sequence of d arrays or an array of shape (n, d), got dict: "),
        (np.array(5.0), "outcomes must be a sequence of d arrays or an array of shape (n, d), got ndarray: "),
        (np.zeros(3), "outcomes[0] must have shape (n,) with n >= 1, got (): pass the outcomes of item 0, or an array"),
        (np.zeros((2, 2, 2)), "outcomes[0] must have shape (n,) with n >= 1, got (2, 2): "),
        ([[1.0], []], "outcomes[1] must have shape (n,) with n >= 1, got (0,): pass the outcomes of item 1"),
        ([[1.0], [np.nan]], "outcomes[1] must be finite, got nan at index 0: "),
        ([[1.0], ["x"]], "outcomes[1] must be an array of numbers, got list: "),
        ([[1.0], [1e101]], "outcomes[1] must be at most 1e+100 in absolute value, got 1e+101: "),
        (
            np.zeros((0, 3)),
            "outcomes must have shape (n, d) with n >= 1 and d >= 1, got (0, 3): pass one row per round",
        ),
        (np.zeros((3, 0)), "outcomes must have shape (n, d) with n >= 1 and d >= 1, got (3, 0): "),
        (np.array([[0.0, np.inf]]), "outcomes must be finite, got inf at index 1: "),
        (
            [[1.0, 1.0], [2.0]],
            "outcomes must vary for some item if variance is left out, got 0 as the largest range: pass the variance",
        ),
        (
            np.array([[1.0, 2.0]]),
            "outcomes must vary for some item if variance is left out, got 0 as the largest range: ",
        ),
    ],
)
def test_outcomes(outcomes, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        ReplayedRewards(outcomes)


def test_constant_logs_with_a_variance():
    model = ReplayedRewards([[1.0, 1.0], [2.0]], variance=0.1)
    assert model.draw([1, 0], np.random.default_rng(0)).tolist() == [2.0, 1.0]


def test_sampler_must_be_a_function():
    with pytest.raises(InvalidInputError, match="sampler must be a function of items and rng, got int: pass one that draws"):
        SampledRewards([0.0], 3, variance=1.0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.zeros(3), "rewards of the sampler must have shape (k,) = (2,), got (3,): return one reward per item"),
        (0.0, "rewards of the sampler must have shape (k,) = (2,), got (): "),
        (np.zeros((2, 1)), "rewards of the sampler must have shape (k,) = (2,), got (2, 1): "),
        ([0.0, np.nan], "rewards of the sampler must be finite, got nan at index 1: return finite rewards"),
        (None, "rewards of the sampler must "),
        (
            np.array([1j, 0.0]),
            "rewards of the sampler must hold real numbers, got complex128 ones: return their real parts",
        ),
        ("ab", "rewards of the sampler must be an array of numbers, got str: "),
        (
            np.ma.array([7.0, 2.0], mask=[False, True]),
            "rewards of the sampler must hold a number for each item, got a masked entry at index 1: fill it in",
        ),
        (
            [np.ma.masked, 2.0],
            "rewards of the sampler must hold a number for each item, got a masked entry at index 0: ",
        ),
        (
            [0.0, -1e308],
            "rewards of the sampler must be at most 1e+100 in absolute value, got -1e+308 at index 1: return rewards in a larger",
        ),
    ],
)
def test_invalid_results_of_a_sampler(answer, message):
    model = SampledRewards([0.0, 1.0, 2.0], lambda items, rng: answer, variance=1.0)
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        model.draw(np.array([0, 2]), np.random.default_rng(0))


def test_the_largest_rewards_and_masked_arrays_without_masked_entries_are_accepted():
    answer = np.ma.array([1e100, -1e100], mask=[False, False])
    model = SampledRewards([0.0, 1.0, 2.0], lambda items, rng: answer, variance=1.0)
    assert model.draw(np.array([0, 2]), np.random.default_rng(0)).tolist() == [1e100, -1e100]


class Huge(RewardModel):
    theta, variance = np.zeros(2), 1.0

    def draw(self, items, rng):
        self.draws = getattr(self, "draws", 0) + 1
        return np.full(len(items), rng.choice([-1e308, 1e308]))


def test_rewards_whose_sums_overflow_are_refused_at_once():
    model = Huge()
    with pytest.raises(InvalidInputError, match=re.escape("rewards of draw must be at most 1e+100 in absolute value")):
        simulate(MSets(2, 1), model, [CUCB()], horizon=1000, replications=1)
    assert model.draws == 1


DRAWING = {
    "kernel": GaussianRewards([0.0, 1.0, 2.0]),
    "sampled": SampledRewards([0.0, 1.0, 2.0], zeros, variance=1.0),
}


@pytest.mark.parametrize("model", DRAWING)
@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([0, 3], "items must be indices in 0 .. d - 1 = 2, got 3: pass items of this reward model"),
        ([-1], "items must be indices in 0 .. d - 1 = 2, got -1: "),
        (
            [0.0, 1.0],
            "items must be indices of items with shape (k,), got float64 with shape (2,): pass numpy.flatnonzero(decision)",
        ),
        (
            [True, False, True],
            "items must be indices of items with shape (k,), got bool with shape (3,): pass numpy.flatnonzero",
        ),
        (1, "items must be indices of items with shape (k,), got int64 with shape (): "),
        ([[0, 1]], "items must be indices of items with shape (k,), got int64 with shape (1, 2): "),
        (np.array([2**64 - 1], dtype=np.uint64), "items must be indices in 0 .. d - 1 = 2, got 18446744073709551615: "),
    ],
)
def test_items(model, items, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        DRAWING[model].draw(items, np.random.default_rng(0))


@pytest.mark.parametrize("model", DRAWING)
@pytest.mark.parametrize(("rng", "kind"), [(0, "int"), (None, "NoneType"), (np.random.RandomState(0), "RandomState")])
def test_generators(model, rng, kind):
    message = re.escape(f"rng must be a numpy.random.Generator, got {kind}: pass numpy.random.default_rng(seed)")
    with pytest.raises(InvalidInputError, match=message):
        DRAWING[model].draw([0], rng)


def test_options_are_keywords_only():
    for make in (
        lambda: GaussianRewards([0.0], 1.0),
        lambda: BoundedRewards([0.0], 0.0),
        lambda: ReplayedRewards([[0, 1]], 1.0),
    ):
        with pytest.raises(TypeError, match="positional"):
            make()
