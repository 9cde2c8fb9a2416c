"""Searches over sets of m items, each kernel against plain Python."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.search.grid import NONE, best_between, best_multiplier, best_selection, grid, search_core, sums
from semibandits.kernels.search.labels import Goal, Thinning, best_path, value_of
from semibandits.optimization.rounding import granularity

numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-1, 1, allow_subnormal=False))
CLOSE = 1e-11
EVERYTHING = 10**9
EXACT = (1.0, 1.0, 1.0)


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


@settings(max_examples=150)
@given(problems(), st.data())
def test_search_of_a_core_finds_the_best_decision_with_the_other_items_fixed(problem, data):
    rewards, budgets, m, goal, rows = problem
    d = len(rewards)
    core = np.array(data.draw(st.permutations(range(d)))[: data.draw(st.integers(1, d))])
    top, worst = rows[data.draw(st.integers(0, len(rows) - 1))], np.zeros(d, dtype=bool)
    worst[:] = rows[values_of(rewards, budgets, goal, rows).argmin()]
    inside = np.isin(np.arange(d), core)
    same = rows[(rows == top)[:, ~inside].all(axis=1)]
    x, labels = search_core(rewards, budgets, top, core, goal, EXACT, worst, EVERYTHING)
    best = max(values_of(rewards, budgets, goal, same).max(), values_of(rewards, budgets, goal, worst[None])[0])
    assert labels >= 0
    if best > -np.inf:
        assert x.sum() == m
        assert values_of(rewards, budgets, goal._replace(need=goal.need - 1e-12), x[None])[0] == pytest.approx(best, abs=CLOSE)


@settings(max_examples=200)
@given(problems(), st.sampled_from([1.0, 0.99, 0.7, 0.2]))
def test_selections_have_their_ratio(problem, ratio):
    """Of the reward for a budget (rewards >= 0 below 1), and of the bonus for an index."""
    rewards, budgets, m, goal, rows = problem
    if goal.root:
        x, labels = best_selection(rewards, budgets / ratio**2, m, 0.0, True, 0.0, (1.0, 1.0, ratio**2), EVERYTHING)
    else:
        rewards = np.abs(rewards) if ratio < 1 else rewards
        step = granularity(rewards)
        x, labels = best_selection(rewards, budgets, m, goal.need, False, step, (ratio, ratio, 1.0), EVERYTHING)
    best = values_of(rewards, budgets, goal, rows).max()
    if best == -np.inf:
        assert labels == NONE
        return
    assert labels >= 0
    assert x.sum() == m
    a, c = sums(rewards, budgets, x)
    if goal.root:
        assert a + np.sqrt(c) / ratio >= best - CLOSE
    else:
        assert c >= goal.need - 1e-12
        assert a >= ratio * best - CLOSE


@settings(max_examples=60)
@given(st.integers(1, 7), st.data())
def test_paths_of_the_grid_are_the_sets(n, data):
    """With items whose sums are all different, the best path at each budget is the set of that sum."""
    size = data.draw(st.integers(0, n))
    into, out_of = grid(n, size)
    budgets = np.concatenate((2.0 ** np.arange(n), [0.0, 0.5]))
    for chosen in itertools.combinations(range(n), size):
        need = float(sum(2**i for i in chosen)) + 0.5
        goal, thinning = Goal(need, False, 0.0, 0.0, 0.0), Thinning(1.0, 1.0)
        x, labels = best_path(-budgets, budgets, goal, into, out_of, thinning, 1.0, -np.inf, EVERYTHING)
        assert labels >= 0
        assert np.flatnonzero(x[:n]).tolist() == list(chosen)
        assert x[n + 1]


def test_hundreds_of_ties_need_no_labels():
    """Rewards and budgets 0 and 1: some decision on the way between those of largest reward and of largest budget is best."""
    rng = np.random.default_rng(0)
    rewards, budgets = rng.integers(0, 2, (2, 600)).astype(float)
    need = float(np.sort(budgets)[::-1][:250].sum()) - 20.0
    x, labels = best_selection(rewards, budgets, 250, need, False, 1.0, EXACT, 10)
    assert labels == 0
    both = rewards @ budgets
    assert both < need < (budgets == 1).sum()
    assert rewards @ x == 250 - (need - both)  # all items with both, as many with a budget only as needed, others with a reward
    assert budgets @ x >= need


def test_no_better_decision_on_the_way():
    low, high = np.array([True, False]), np.array([False, True])
    goal = Goal(2.0, False, 0.0, 0.0, 0.0)
    assert best_between(np.array([1.0, 0.0]), np.array([0.0, 1.0]), low, high, goal, low).tolist() == [True, False]


def test_integers_keep_few_labels():
    """Budgets 0 to 3, 8 of 30 items: at each of at most 31 * 9 nodes at most 25 sums."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        rewards, budgets = rng.random(30), rng.integers(0, 4, 30).astype(float)
        _, labels = best_selection(rewards, budgets, 8, 12.0, False, 0.0, EXACT, 31 * 9 * 25)
        assert labels >= 0
