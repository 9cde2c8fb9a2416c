"""The multiplier of the search over m-sets, against plain Python; `decisions/test_budgeted_msets.py` has the search."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.search.grid import best_multiplier, sums
from semibandits.kernels.search.labels import Goal, value_of

numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-1, 1, allow_subnormal=False))
CLOSE = 1e-11


@st.composite
def problems(draw):
    """Two vectors, a count, a goal, and all sets of that many items."""
    d = draw(st.integers(1, 8))
    m = draw(st.integers(0, d))
    rewards, budgets = (np.array(draw(st.lists(numbers, min_size=d, max_size=d))) for _ in range(2))
    rows = np.array([np.isin(np.arange(d), chosen) for chosen in itertools.combinations(range(d), m)])
    if draw(st.booleans()):
        budgets = draw(st.sampled_from([0.01, 1.0, 9.0])) * np.abs(budgets)
        return rewards, budgets, m, Goal(0.0, True, 0.0, 0.0, 0.0), rows
    reached = rows @ budgets
    need = float(reached.min() + draw(st.floats(-0.1, 1.1)) * np.ptp(reached)) - 1e-11
    return rewards, budgets, m, Goal(need, False, 0.0, 0.0, 0.0), rows


def values_of(rewards, budgets, goal, rows):
    a, c = rows @ rewards, rows @ budgets
    return a + np.sqrt(c) if goal.root else np.where(c >= goal.need, a, -np.inf)


def offset(goal, multiplier):
    """Largest F(a, c) - (a + multiplier * c)."""
    return 0.25 / multiplier if goal.root else -multiplier * goal.need


@settings(max_examples=150)
@given(problems())
def test_multiplier_has_the_least_bound(problem):
    """No multiplier of a fine grid gives a smaller bound, and no multiplier at which two decisions tie."""
    rewards, budgets, m, goal, rows = problem
    multiplier, bound, best = best_multiplier(rewards, budgets, m, goal)
    values = values_of(rewards, budgets, goal, rows)
    if values.max() == -np.inf:
        assert bound == -np.inf
        return
    a, c = rows @ rewards, rows @ budgets
    assert bound >= values.max() - CLOSE
    assert best.sum() == m
    assert value_of(*sums(rewards, budgets, best), goal) > -np.inf
    if multiplier > 0:
        assert bound == pytest.approx((a + multiplier * c).max() + offset(goal, multiplier), abs=CLOSE)
    candidates = np.geomspace(1e-6, 1e6, 400)
    ties = ((a[:, None] - a) / np.where(c == c[:, None], np.inf, c - c[:, None])).ravel()
    for other in np.concatenate((candidates, ties[(ties > 1e-9) & (ties < 1e9)])).tolist():
        assert bound <= (a + other * c).max() + offset(goal, other) + CLOSE * (1 + other)
