"""Unknown keyword arguments name the one that was probably meant; whole numbers may be floats."""

import inspect
import math

import numpy as np
import pytest

import semibandits as sb
from semibandits._arguments import MEANT, whole
from semibandits.errors import InvalidInputError

X = sb.MSets(4, 2)
THETA = [1.0, 2.0, 3.0, 4.0]
REWARDS = sb.GaussianRewards(THETA)
EDGES = [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sb.graves_lai(X, THETA, sigma=2.0), "graves_lai() got an unexpected keyword argument 'sigma': "
         "did you mean variance=sigma**2?"),
        (lambda: sb.graves_lai(X, weights=THETA), "did you mean theta=... for rewards or costs=... for costs?"),
        (lambda: sb.graves_lai(X, cost=THETA), "did you mean costs=...?"),
        (lambda: sb.graves_lai(X, THETA, tol=1e-3), "did you mean gap=...?"),
        (lambda: sb.graves_lai(X, THETA, gamma=0.1), "it is a parameter of policies, as in sb.OSSB(gamma=0.1)"),
        (lambda: sb.graves_lai(X, THETA, varience=1.0), "did you mean variance=...?"),
        (lambda: sb.smallest_gap(X, means=THETA), "did you mean theta=... for rewards or costs=... for costs?"),
        (lambda: sb.simulate(X, REWARDS, sb.CUCB(), workers=2), "simulate() got an unexpected keyword argument 'workers': "
         "did you mean n_jobs=...?"),
        (lambda: sb.simulate(X, REWARDS, sb.CUCB(), T=10), "did you mean horizon=...?"),
        (lambda: sb.simulate(X, REWARDS, sb.CUCB(), n_runs=10), "did you mean replications=...?"),
        (lambda: sb.simulate(X, REWARDS, sb.CUCB(), random_state=10), "did you mean seed=...?"),
        (lambda: sb.Learner(X, std=2.0, seed=0), "Learner() got an unexpected keyword argument 'std': "
         "did you mean variance=std**2?"),
        (lambda: sb.Learner(X, prior_mean=THETA, seed=0), "did you mean prior_means=...?"),
        (lambda: sb.Learner(X, gamma=2.0, seed=0), "it is a parameter of policies"),
        (lambda: sb.Paths(EDGES, start="a", target="c"), "Paths() got an unexpected keyword argument 'start': "
         "did you mean source=...?"),
        (lambda: sb.Routes(EDGES, "a", end="c"), "did you mean target=...?"),
        (lambda: sb.Paths(EDGES, "a", "c", weight="minutes"), "means belong to graves_lai or to a reward model"),
        (lambda: sb.SpanningTrees(EDGES, weights=[1, 2]), "means belong to graves_lai or to a reward model"),
        (lambda: sb.MSets(4, k=2), "did you mean m=...?"),
        (lambda: sb.Matchings([("a", "b")], saturated="rows"), "did you mean saturate=...?"),
        (lambda: sb.GaussianRewards(THETA, sigma=2.0), "did you mean variance=sigma**2?"),
    ],
)  # fmt: skip
def test_the_error_names_the_argument_that_was_meant(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value)


def test_the_error_is_plain_where_nothing_is_close():
    with pytest.raises(TypeError) as caught:
        sb.graves_lai(X, THETA, zzz=1)
    assert str(caught.value) == "graves_lai() got an unexpected keyword argument 'zzz'"


@pytest.mark.parametrize("function", [sb.graves_lai, sb.simulate, sb.smallest_gap, sb.Learner, sb.Paths, sb.GaussianRewards])
def test_signatures_and_documentation_are_kept(function):
    body = function if inspect.isfunction(function) else function.__init__
    assert inspect.signature(body) == inspect.signature(inspect.unwrap(body))
    assert inspect.unwrap(body) is not body
    assert function.__doc__
    assert body.__module__.startswith("semibandits.")


def test_no_alias_is_an_argument_with_another_meaning():
    for function in (sb.graves_lai, sb.simulate, sb.Learner, sb.MSets, sb.Paths, sb.GaussianRewards):
        taken = set(inspect.signature(function).parameters)
        for meant, names in MEANT.items():
            assert meant not in taken or not taken & set(names)


def test_whole_numbers_may_be_floats():
    ours = sb.simulate(X, REWARDS, sb.CUCB(), horizon=1e3, replications=2.0, seed=3.0, n_jobs=1.0, delay=2.0)
    theirs = sb.simulate(X, REWARDS, sb.CUCB(), horizon=1000, replications=2, seed=3, delay=2)
    np.testing.assert_array_equal(ours.regret["CUCB"], theirs.regret["CUCB"])
    assert ours.provenance["specification"] == theirs.provenance["specification"]
    assert isinstance(ours.horizon, int)


def test_checkpoints_may_be_floats():
    result = sb.simulate(X, REWARDS, sb.CUCB(), horizon=1e3, replications=1, checkpoints=[1e1, 1e2, 1e3])
    assert result.checkpoints.tolist() == [10, 100, 1000]
    assert result.checkpoints.dtype == np.int64


def test_ties_may_be_counted_in_floats():
    assert sb.smallest_gap(X, THETA, most_ties=1e3) == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {"horizon": 10.5}, {"horizon": math.inf}, {"replications": math.nan}, {"replications": "2"}, {"horizon": True},
        {"checkpoints": [1.5, 10.0]}, {"checkpoints": [1.0, math.nan, 10.0]}, {"n_jobs": 1.5}, {"delay": 0.5},
    ],
)  # fmt: skip
def test_other_floats_are_refused(options):
    with pytest.raises(InvalidInputError):
        sb.simulate(X, REWARDS, sb.CUCB(), **{"horizon": 10, "replications": 1, **options})


@pytest.mark.parametrize(("value", "expected"), [(1e3, 1000), (np.float64(2.0), 2), (2.5, 2.5), (7, 7), ("7", "7"), (None, None)])
def test_only_whole_floats_become_integers(value, expected):
    assert whole(value) == expected
    assert type(whole(value)) is type(expected)


def test_the_short_name_of_thompson_sampling():
    assert sb.Thompson is sb.ThompsonSampling
