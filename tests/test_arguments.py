"""Unknown keyword arguments name the one that was probably meant; whole numbers may be floats."""

import inspect

import numpy as np
import pytest

import semibandits as sb
from semibandits.inputs.arguments import MEANT, whole

X = sb.MSets(4, 2)
THETA = [1.0, 2.0, 3.0, 4.0]
REWARDS = sb.GaussianRewards(THETA)


@pytest.mark.parametrize("function", [sb.graves_lai, sb.simulate, sb.smallest_gap, sb.Learner, sb.Paths, sb.GaussianRewards])
def test_signatures_and_documentation_are_kept(function):
    body = function if inspect.isfunction(function) else function.__init__
    assert inspect.signature(body) == inspect.signature(inspect.unwrap(body))
    assert inspect.unwrap(body) is not body
    assert function.__doc__
    assert body.__module__.startswith("semibandits")


def test_no_alias_is_an_argument_with_another_meaning():
    for function in (sb.graves_lai, sb.simulate, sb.Learner, sb.MSets, sb.Paths, sb.GaussianRewards):
        taken = set(inspect.signature(function).parameters)
        for meant, names in MEANT.items():
            assert meant not in taken or not taken & set(names)


def test_whole_numbers_may_be_floats():
    numbers = {"horizon": 1e3, "replications": 2.0, "seed": 3.0, "n_jobs": 1.0, "delay": 2.0, "checkpoints": [1e1, 1e2, 1e3]}
    ours = sb.simulate(X, REWARDS, sb.CUCB(), **numbers)
    theirs = sb.simulate(X, REWARDS, sb.CUCB(), horizon=1000, replications=2, seed=3, delay=2, checkpoints=[10, 100, 1000])
    np.testing.assert_array_equal(ours.regret["CUCB"], theirs.regret["CUCB"])
    assert ours.provenance["specification"] == theirs.provenance["specification"]
    assert isinstance(ours.horizon, int)
    assert ours.checkpoints.tolist() == [10, 100, 1000]
    assert ours.checkpoints.dtype == np.int64
    assert sb.smallest_gap(X, THETA, most_ties=1e3) == 1.0


@pytest.mark.parametrize(("value", "expected"), [(1e3, 1000), (np.float64(2.0), 2), (2.5, 2.5), (7, 7), ("7", "7"), (None, None)])
def test_only_whole_floats_become_integers(value, expected):
    assert whole(value) == expected
    assert type(whole(value)) is type(expected)


def test_the_short_name_of_thompson_sampling():
    assert sb.Thompson is sb.ThompsonSampling
