"""C(theta) over routes, against all simple paths."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from bound_checks import check_overlap
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from example_sets import street_grid
from marks import later
from semibandits.laws.gaussian import bounded_by
from semibandits.regret_bound.certificates.recheck import check_kept
from semibandits.regret_bound.cuts.enumeration import information_over_list
from semibandits.regret_bound.problem import Problem
from strategies import routes


def check_bracket(x, costs, variance, law=None):
    """Both bounds against those over all simple paths, and the plan against all alternatives; the result."""
    given = {"law": law} if law is not None else {"variance": variance}
    truth = sb.graves_lai(x, -costs, method="enumeration", gap=1e-6, throw=False, **given)
    found = sb.graves_lai(x, -costs, throw=False, **given)
    check_overlap(found, truth)
    assert all(row in x for row in found.plan.decisions)
    assert found.plan.decisions[:, ~found.optimal_decision].any(axis=1).all()  # none is the optimal route
    if np.isfinite(found.value) and found.value > 0:
        gaps = (costs @ found.plan.decisions.T) - costs[found.optimal_decision].sum()
        assert found.plan.rates @ gaps == pytest.approx(found.value, rel=1e-9)
        problem = Problem(x, -costs, bounded_by(found.law, x.upper), 1e-12, 1e-4)
        assert information_over_list(problem, found.plan) >= 1.0 - 1e-9
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spread", ["narrow", "wide"])
@pytest.mark.parametrize("kind", ["separate", "shared"])
@pytest.mark.parametrize("size", [(3, 3), (3, 4)])
def test_two_way_streets(size, kind, spread):
    closed = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, costs = street_grid(*size, kind, rng, spread=spread, least=(0.0, 0.5, 0.8)[seed % 3])
        found = check_bracket(x, costs, rng.uniform(0.1, 1.0, x.d))
        closed.append(found.status == "optimal")
    assert all(closed)


@given(routes(most_nodes=6, most_edges=12), st.integers(0, 2**32 - 1))
def test_any_graph(case, seed):
    x, costs = case
    check_bracket(x, costs, np.random.default_rng(seed).uniform(0.1, 1.0, x.d))


@pytest.mark.parametrize("law", [sb.laws.Poisson(cost=True), sb.laws.Gamma(2.0, cost=True)])
def test_counts_and_times(law):
    for seed in range(4):
        x, costs = street_grid(3, 3, ("separate", "shared")[seed % 2], np.random.default_rng(seed))
        assert check_bracket(x, costs, None, law).status == "optimal"


def round_trip(r, *, over_c):
    """The cheap way to explore a -> b is a round trip, which no simple path is (theory R3): back at once, or over c."""
    costs = {("s", "t"): 1.0, ("s", "a"): 1.0, ("a", "t"): r, ("a", "b"): r, ("b", "t"): 1.0 - r}
    costs |= {("b", "c"): r / 2, ("c", "a"): r / 2} if over_c else {("b", "a"): r}
    x = sb.Routes(nx.DiGraph(list(costs)), "s", "t")
    variance = np.array([1000.0 if arc == ("b", "t") else 1.0 for arc in x.items])
    return x, np.array([costs[arc] for arc in x.items]), variance


@pytest.mark.parametrize("r", [0.3, 0.1, 0.03])
def test_round_trips_with_u_turns_cost_nothing(r):
    x, costs, variance = round_trip(r, over_c=False)
    assert check_bracket(x, costs, variance).status == "optimal"


@pytest.mark.parametrize("r", [0.1, *later(0.3, 0.03)])
def test_other_round_trips_leave_a_bracket_that_is_told(r):
    x, costs, variance = round_trip(r, over_c=True)
    found = sb.graves_lai(x, -costs, variance, method="columns", throw=False)
    truth = sb.graves_lai(x, -costs, variance, method="enumeration")
    assert found.status == "stalled"
    assert found.lower < 0.9 * truth.lower  # what is known of walks is far from routes here
    assert found.value == pytest.approx(truth.value, rel=1e-3)
    with pytest.raises(sb.SolverError, match=r"walks that visit a node twice.*NP-hard"):
        sb.graves_lai(x, -costs, variance, method="columns")
    assert check_bracket(x, costs, variance).status == "optimal"  # few routes are listed


@pytest.mark.parametrize("gap", [1e-4, *later(0.05)])
@pytest.mark.parametrize("kind", ["separate", "shared"])
def test_every_route_of_a_plan_is_needed_for_the_gap(kind, gap):
    for seed in range(6):
        x, costs = street_grid(3, 4, kind, np.random.default_rng(seed), least=(0.0, 0.5, 0.8)[seed % 3])
        found = sb.graves_lai(x, -costs, gap=gap)
        problem = Problem(x, -costs, bounded_by(found.law, x.upper), 1e-12, gap)
        gaps = found.plan.decisions @ costs - costs[found.optimal_decision].sum()
        for k in range(len(gaps)):
            fewer = np.delete(found.plan.rates, k)
            plan = sb.ExplorationPlan(np.delete(found.plan.decisions, k, axis=0), fewer)
            information = information_over_list(problem, plan)
            cost = fewer @ np.delete(gaps, k)
            assert information == 0.0 or (1.0 - gap) * (1.0 + 0.2 * gap) * cost > found.lower * information


def test_routes_that_an_earlier_round_left_behind_are_dropped():
    falls = sb.datasets.load("sioux-falls-routing")
    found = sb.graves_lai(falls.decision_set, falls.theta, falls.variance)
    assert found.status == "optimal"
    assert len(found.plan.rates) == 1  # two more were played 2.5e-5 and 7.9e-6 times per ln T
    check_kept(found)


def test_nothing_to_explore():
    x = sb.Routes([(0, 1), (1, 2), (2, 1)], 0, 2)
    found = sb.graves_lai(x, [-1.0, -1.0, -1.0])
    assert found.value == found.lower == 0.0
    assert found.status == "optimal"
    known = sb.Routes([(0, 1), (0, 1)], 0, 1, least=[1.0, 2.0])  # the other one costs 2 at least
    assert sb.graves_lai(known, [-1.0, -2.0]).value == 0.0


def test_two_parallel_streets_in_closed_form():
    x = sb.Routes([(0, 1), (0, 1)], 0, 1, least=[0.5, 0.2])
    found = sb.graves_lai(x, [-1.0, -1.5], variance=0.5)
    assert found.value == pytest.approx(2 * 0.5 / 0.5, rel=1e-4)
    assert found.lower == pytest.approx(2 * 0.5 / 0.5, rel=1e-4)


def test_the_known_bound_lowers_the_regret():
    values = []
    for least in (0.0, 0.5, 0.9):
        x, costs = street_grid(3, 4, "separate", np.random.default_rng(0), least=least)
        values.append(sb.graves_lai(x, -costs).value)
    assert values[0] >= values[1] * (1 - 1e-4) >= values[2] * (1 - 1e-4) ** 2
    assert values[2] < values[0]


def test_a_time_limit_leaves_a_bracket():
    x, costs = street_grid(12, 12, "separate", np.random.default_rng(0))
    found = sb.graves_lai(x, -costs, time_limit=0.5, throw=False)
    assert 0.0 <= found.lower <= found.value < np.inf


@pytest.mark.parametrize("size", [4, 7])  # few enough simple paths to list them, and far too many
def test_a_kept_result_is_proved_again(size):
    x, costs = street_grid(size, size, "separate", np.random.default_rng(1), least=0.8)
    found = sb.graves_lai(x, -costs)
    check_kept(found)
    plan = sb.ExplorationPlan(found.plan.decisions, 0.98 * found.plan.rates)
    with pytest.raises(sb.InvalidInputError, match=r"only proved to explore 0\.9[78]"):
        check_kept(replace(found, plan=plan, value=0.98 * found.value, lower=0.0))


@pytest.mark.parametrize("shared", [False, True])
@given(st.lists(st.integers(0, 2), min_size=24, max_size=24))
@settings(max_examples=20)
def test_streets_of_cost_zero(shared, costs):
    grid = nx.grid_2d_graph(3, 3)
    x = sb.Routes(grid if shared else grid.to_directed(), (0, 0), (2, 2))
    costs = np.array(costs[: x.d], dtype=float)
    truth = sb.graves_lai(x, -costs, method="enumeration", gap=1e-6, throw=False)
    found = sb.graves_lai(x, -costs, method="columns", throw=False)
    check_overlap(found, truth)


def test_parallel_streets_one_of_which_is_free():
    x = sb.Routes([(0, 1), (0, 1), (1, 0), (1, 2), (1, 2)], 0, 2)
    found = sb.graves_lai(x, [0.0, -1.0, 0.0, -1.0, -2.0], method="columns")
    alone = sb.graves_lai(sb.Routes([(0, 1), (0, 1), (1, 2), (1, 2)], 0, 2), [0.0, -1.0, -1.0, -2.0], method="enumeration")
    assert found.value == pytest.approx(alone.value, rel=2e-4)
