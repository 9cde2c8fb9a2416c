"""Searches over sets of m items, each kernel against plain Python."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.knapsack import (
    AT_LEAST,
    FRONT,
    ROOT,
    Bounds,
    Goal,
    Start,
    allowance,
    best_multiplier,
    criterion,
    depth_first,
    label_lists,
)

numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-1, 1, allow_subnormal=False))
CLOSE = 1e-11
EVERYTHING = 10**9


@st.composite
def problems(draw, kinds=(AT_LEAST, ROOT)):
    """Two vectors, a count, a criterion with its parameter, and all sets of that many items."""
    d = draw(st.integers(1, 8))
    m = draw(st.integers(0, d))
    rewards, budgets = (np.array(draw(st.lists(numbers, min_size=d, max_size=d))) for _ in range(2))
    rows = np.array([np.isin(np.arange(d), chosen) for chosen in itertools.combinations(range(d), m)])
    kind = draw(st.sampled_from(kinds))
    if kind == ROOT:
        budgets = np.abs(budgets)
        parameter = draw(st.sampled_from([0.1, 1.0, 3.0]))
    else:
        sums = rows @ budgets
        parameter = float(sums.min() + draw(st.floats(-0.1, 1.1)) * np.ptp(sums)) - 1e-11
    return rewards, budgets, m, kind, parameter, rows


def values_of(rewards, budgets, kind, parameter, rows):
    a, c = rows @ rewards, rows @ budgets
    return a + parameter * np.sqrt(c) if kind == ROOT else np.where(c >= parameter, a, -np.inf)


def search_arguments(rewards, budgets, m, kind, parameter, known=-np.inf):
    """Arguments of the two searches with a known value below all others, so that they must find the best decision."""
    multipliers = np.array([0.5, 1.0])
    floors = np.array([known - allowance(Goal(kind, parameter, 0.0), multiplier) for multiplier in multipliers])
    goal = Goal(kind, parameter, 0.0)
    return rewards, budgets, Start(m, 0.0, 0.0), Bounds(multipliers, floors), goal, known


@settings(max_examples=150)
@given(problems())
def test_multiplier_has_the_least_bound(problem):
    """No multiplier of a fine grid gives a smaller bound, and no multiplier at which two decisions tie."""
    rewards, budgets, m, kind, parameter, rows = problem
    multiplier, bound, best = best_multiplier(rewards, budgets, m, Goal(kind, parameter, 0.0))
    values = values_of(rewards, budgets, kind, parameter, rows)
    if values.max() == -np.inf:
        assert bound == -np.inf
        return
    a, c = rows @ rewards, rows @ budgets
    assert bound >= values.max() - CLOSE
    assert best.sum() == m
    assert criterion(Goal(kind, parameter, 0.0), float(rewards @ best), float(budgets @ best)) > -np.inf
    if multiplier > 0:
        own = (a + multiplier * c).max() + allowance(Goal(kind, parameter, 0.0), multiplier)
        assert bound == pytest.approx(own, abs=CLOSE)
    grid = np.geomspace(1e-6, 1e6, 400)
    ties = ((a[:, None] - a) / np.where(c == c[:, None], np.inf, c - c[:, None])).ravel()
    for other in np.concatenate((grid, ties[(ties > 1e-9) & (ties < 1e9)])).tolist():
        assert bound <= (a + other * c).max() + allowance(Goal(kind, parameter, 0.0), other) + CLOSE * (1 + other)


@settings(max_examples=150)
@given(problems())
def test_both_searches_find_the_best_of_a_core(problem):
    rewards, budgets, m, kind, parameter, rows = problem
    values = values_of(rewards, budgets, kind, parameter, rows)
    arguments = search_arguments(rewards, budgets, m, kind, parameter, known=-1e3)
    within, by_labels, first, _ = label_lists(*arguments, EVERYTHING)
    ended, by_depth, second = depth_first(*arguments, EVERYTHING)
    assert within
    assert ended
    if values.max() == -np.inf:
        assert by_labels == by_depth == -1e3
        return
    assert by_labels == pytest.approx(values.max(), abs=CLOSE)
    assert by_depth == pytest.approx(values.max(), abs=CLOSE)
    for x in (first, second):
        assert x.sum() == m
        assert values_of(rewards, budgets, kind, parameter - 1e-12 * (kind == AT_LEAST), x[None])[0] >= by_labels - CLOSE


def test_integers_keep_label_lists_as_short_as_the_range_of_sums():
    """Budgets 0 to 3, 8 of 30 items: no list has more than 25 labels, all of a level fewer than 9 * 25; the history grows by
    what is taken, at most that a level."""
    rng = np.random.default_rng(1)
    rewards, budgets = rng.random(30), rng.integers(0, 4, 30).astype(float)
    bounds = Bounds(np.array([1.0]), np.array([-np.inf]))
    within, *_ = label_lists(rewards, budgets, Start(8, 0.0, 0.0), bounds, Goal(FRONT, 0.0, 0.0), -np.inf, 31 * 9 * 25)
    assert within
