"""Bounds as plain JSON: equal bit for bit after a round trip, and refused if damaged."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import semibandits as sb
from example_sets import FAMILIES
from semibandits import UnsupportedError, laws
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Status

FIELDS = ("value", "lower", "gap", "status", "method", "stats", "law", "rewards")
ARRAYS = ("theta", "variance", "rates", "optimal_decision", "suboptimal_items", "plan_gaps")


def again(result, decision_set=None):
    return GravesLaiResult.from_json(json.loads(json.dumps(result.to_json(), allow_nan=False)), decision_set)


def assert_same(first, second):
    assert all(getattr(first, name) == getattr(second, name) for name in FIELDS)
    assert all(np.array_equal(getattr(first, name), getattr(second, name)) for name in ARRAYS)
    assert np.array_equal(first.plan.decisions, second.plan.decisions)
    assert np.array_equal(first.plan.rates, second.plan.rates)
    assert second.decision_set.items == first.decision_set.items


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(4))
def test_round_trips_preserve_bounds(family, seed):
    rng = np.random.default_rng(seed)
    decision_set = FAMILIES[family](rng)
    theta = np.round(rng.normal(size=decision_set.d), 1 if seed % 2 else 6)
    result = sb.graves_lai(decision_set, theta, variance=10.0 ** rng.uniform(-2, 1, decision_set.d))
    assert (np.diff(result.plan.rates) <= 0).all()
    assert_same(result, again(result))
    assert again(result, decision_set).decision_set is decision_set


@pytest.mark.parametrize(
    "law",
    [laws.Gaussian(0.3, upper=1.0), laws.Bernoulli(), laws.Poisson(), laws.Gamma(shape=2.0)],
    ids=["known bound", "bernoulli", "poisson", "gamma"],
)
def test_the_law_is_kept(law):
    assert_same(result := sb.graves_lai(sb.MSets(4, 2), [0.8, 0.7, 0.4, 0.2], law=law), again(result))


def test_a_bracket_without_a_plan_is_kept():
    solved = sb.graves_lai(sb.MSets(4, 2), [0.8, 0.7, 0.4, 0.2])
    empty = ExplorationPlan(np.empty((0, 4), dtype=bool), np.empty(0))
    result = replace(solved, value=math.inf, status=Status.TIME_LIMIT, plan=empty)
    assert_same(result, again(result))


class Own(sb.DecisionSet):
    """Any one of three items."""

    d, m = 3, 1

    def maximize(self, weights):
        x = np.zeros(3, dtype=bool)
        x[np.argmax(weights)] = True
        return x


def test_own_sets_are_passed_along():
    payload = sb.graves_lai(sb.MSets(3, 1), [3.0, 2.0, 1.0]).to_json()
    assert isinstance(GravesLaiResult.from_json(payload, Own()).decision_set, Own)
    with pytest.raises(UnsupportedError, match="Own cannot be described"):
        sb.graves_lai(Own(), [3.0, 2.0, 1.0], method="columns").to_json()
