"""Proposition 6, corrected: scaled rates for rounded rewards are feasible, and cost at most the stated factor."""

import numpy as np
import pytest
from enumeration_reference import reference
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb

FAMILIES = (
    lambda: sb.MSets(5, 2),
    lambda: sb.Paths([(0, 1), (0, 1), (1, 2), (1, 2), (0, 2)], 0, 2),
    lambda: sb.Matchings([(i, j) for i in range(3) for j in range(3)]),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_the_guarantee(seed):
    rng = np.random.default_rng(seed)
    decision_set = FAMILIES[seed % 3]()
    theta = rng.random(decision_set.d)
    problem = sb.ReducedProblem.of(decision_set, theta)
    largest = problem.best.gaps.min() / (4 * decision_set.m)
    grid = sb.discretise(decision_set, theta, largest * rng.choice([1.0, 0.5, 0.1]))
    assert (grid.integers == np.rint(grid.integers)).all()
    assert (np.abs(grid.theta - theta) <= grid.epsilon * (1 + 1e-9)).all()
    # The optimum is unique, so that I is the same for both.
    rounded = sb.graves_lai(decision_set, grid.theta, gap=1e-6)
    np.testing.assert_array_equal(rounded.suboptimal_items, grid.suboptimal_items)
    decisions = decision_set.enumerate()
    truth = reference(decisions, theta, np.full(decision_set.d, 0.5))
    items = grid.suboptimal_items
    rates = grid.scale * rounded.plan.rates
    u = decisions[:, items] @ (1.0 / (grid.scale * rounded.rates[items]))
    assert (u <= truth.gaps**2 * (1 + 1e-9)).all()
    gaps = (decisions @ theta).max() - rounded.plan.decisions @ theta
    assert rates @ gaps <= grid.factor * truth.upper * (1 + 1e-5)


def test_integers_solve_the_same_problem_in_other_units():
    decision_set = sb.MSets(4, 2)
    grid = sb.discretise(decision_set, [0.1, 0.4, 0.72, 0.9], 0.01)
    on_grid, in_integers = sb.graves_lai(decision_set, grid.theta), sb.graves_lai(decision_set, grid.integers)
    assert in_integers.value == pytest.approx(grid.epsilon * on_grid.value, rel=1e-9)
    np.testing.assert_allclose(in_integers.rates, grid.epsilon**2 * on_grid.rates, rtol=1e-9)


def test_factors_by_hand():
    """One item a decision, the smallest gap 0.4 and epsilon 0.1: m epsilon / gap is 1/4."""
    grid = sb.discretise(sb.MSets(3, 1), [1.0, 0.6, 0.2], 0.1 - 1e-12)
    assert grid.scale == pytest.approx(2.25)
    assert grid.factor == pytest.approx(64.0)


def test_suboptimal_items_are_those_of_the_original():
    """All decisions tie, but not after rounding."""
    decision_set = sb.Paths([(0, 1), (1, 2), (0, 2), (0, 3), (3, 2)], 0, 2)
    grid = sb.discretise(decision_set, [0.25, 0.25, 0.5, 0.0, 0.0], 0.04)
    np.testing.assert_array_equal(grid.suboptimal_items, [False, False, False, True, True])
    assert grid.theta[:2].sum() != pytest.approx(grid.theta[2])


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 0.0375])
def test_grid_must_be_fine_enough(epsilon):
    with pytest.raises(sb.InvalidInputError, match=r"gap / \(4 m\) = 0\.0250*"):
        sb.discretise(sb.MSets(3, 2), [0.1, 0.5, 0.3], epsilon)


@pytest.mark.parametrize("epsilon", [0.0, np.nan, np.inf, "fine", None])
def test_epsilon_is_checked(epsilon):
    for theta in ([0.0, 0.5, 1.0], [1.0, 1.0, 1.0]):
        with pytest.raises(sb.InvalidInputError, match="epsilon must be"):
            sb.discretise(sb.MSets(3, 1), theta, epsilon)
