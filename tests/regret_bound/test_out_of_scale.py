"""One number out of scale, such as a cost of 1e12 for what is forbidden, hides no gap between other decisions."""

import re

import numpy as np
import pytest
from scale_cases import SETS, check, drawn, least_gap

import semibandits as sb
from marks import later
from semibandits.errors import InvalidInputError
from semibandits.kernels.search.outliers import without_outliers


@pytest.mark.parametrize("seed", [0, 1, 2, 7, *later(3, 4, 5, 6, 8, 9, 10, 11)])
@pytest.mark.parametrize("name", SETS)
def test_brackets_contain_the_value_of_exact_ties(name, seed):
    decision_set, decisions, costs = drawn(seed, name)
    check(decision_set, decisions, costs)
    if name != "maximize only":
        check(decision_set, decisions, costs, "enumeration")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", SETS)
def test_smallest_gaps_and_best_decisions_are_those_of_exact_sums(name, seed):
    decision_set, decisions, costs = drawn(seed, name)
    assert sb.smallest_gap(decision_set, costs=costs) == pytest.approx(least_gap(decisions, costs), rel=1e-3)
    best = decision_set.maximize(-costs)
    assert least_gap(np.array([best, *decisions]), costs) == least_gap(decisions, costs)


def test_a_forbidden_item_sets_no_scale():
    bound = sb.graves_lai(sb.MSets(4, 1), costs=[1, 2, 3, 1e12], variance=0.25)
    assert bound.value == pytest.approx(0.75)
    assert sb.smallest_gap(sb.MSets(4, 1), costs=[1, 2, 3, 1e12]) == 1.0
    assert "Ties" not in bound.summary()


@pytest.mark.parametrize("method", ["auto", "enumeration"])
def test_routes_with_costs_over_ten_orders(method):
    streets = {("home", "a"): 3, ("home", "b"): 4, ("a", "work"): 5, ("b", "work"): 3.5, ("a", "b"): 1}
    streets["home", "work"] = 2_147_483_647
    routes = sb.Routes(list(streets), "home", "work")
    bound = sb.graves_lai(routes, costs=list(streets.values()), variance=0.25, method=method)
    assert bound.value == pytest.approx(1.0, rel=1e-6)


def test_ties_are_shown_with_what_made_them():
    bound = sb.graves_lai(sb.MSets(5, 2), [0.1 + 0.2, 1.0, 0.3, 0.1, -1e12])
    assert bound.ties.tolist() == [[False, True, True, False, False]]
    assert "at least 1 other set as good, up to 6e-17: + 2  − 0" in bound.summary()
    assert not len(sb.graves_lai(sb.MSets(5, 2), [0.9, 0.8, 0.7, 0.1, 0.0]).ties)


def test_an_item_of_every_decision_makes_no_ties():
    streets = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "far")]
    near = sb.graves_lai(sb.SpanningTrees(streets), costs=[1.0, 2.0, 3.0, 1.0])
    bridge = sb.graves_lai(sb.SpanningTrees(streets), costs=[1.0, 2.0, 3.0, 1e15])
    assert bridge.value == pytest.approx(near.value)
    assert not len(bridge.ties)
    assert sb.smallest_gap(sb.SpanningTrees(streets), costs=[1.0, 2.0, 3.0, 1e15]) == 1.0


def test_weights_without_outliers_leave_the_best_decision_as_it_is():
    weights, x = np.array([-1.0, -3.0, -1e9, 0.5]), np.array([True, True, False, False])
    assert without_outliers(weights, x, 2).tolist() == [-1.0, -3.0, -24.0, 0.5]
    assert without_outliers(weights[:2], x[:2], 2) is not None
    zero = np.array([0.0, -1.0])
    assert without_outliers(zero, np.array([True, False]), 1).tolist() == [0.0, -1.0]


@pytest.mark.parametrize("method", ["auto", "enumeration"])
def test_means_that_every_decision_needs_one_of_make_ties_that_are_shown(method):
    """Every decision has one of two items at 1e18, beside which gaps of 1 tie. Without a tolerance searches round them away."""
    intersection = sb.MatroidIntersection(sb.matroids.Partition("aabb", 1), sb.matroids.Uniform(4, 2))
    costs = [1e18, 1.5e18, 2.0, 1.0]
    bound = sb.graves_lai(intersection, costs=costs, method=method)
    assert re.search(r"at least 1 other selection as good, up to 1e\+00: \+ (3  − 2|2  − 3)\n", bound.summary())
    if method == "enumeration":
        assert sb.graves_lai(intersection, costs=costs, method=method, tie_tolerance=0.0).value == pytest.approx(1.0)
        return
    with pytest.raises(InvalidInputError, match="smaller number for what should not be chosen"):
        sb.graves_lai(intersection, costs=costs, tie_tolerance=0.0)
