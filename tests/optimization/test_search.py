"""The search: criteria, bounds, stopping, and the number of oracle calls."""

import math

import networkx as nx
import numpy as np
import pytest

from semibandits import Infeasible, MSets, SpanningTrees
from semibandits.optimization.criteria import AtLeast, SquareRoot
from semibandits.optimization.front import undominated
from semibandits.optimization.rounding import granularity
from semibandits.optimization.search import search

CRITERIA = [AtLeast(0.3), SquareRoot()]


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: type(criterion).__name__)
def test_bounds_of_criteria_are_their_maxima_over_half_planes(criterion):
    """Check on a fine grid along the line: F is nondecreasing in a, so the maximum is on the line."""
    lowest, highest = (0.3, 40.0) if isinstance(criterion, AtLeast) else (0.0, 4.0)
    c = np.linspace(lowest, highest, 200_001)
    for a, b, slope in ((1.0, 0.5, 0.4), (-2.0, 3.0, 2.0), (0.0, 0.0, 1.3)):
        on_the_line = a + slope * (b - c)
        best = max(criterion.value(float(p), float(q)) for p, q in zip(on_the_line, c, strict=True))
        assert criterion.bound(a, b, slope) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("criterion", CRITERIA[1:], ids=lambda criterion: type(criterion).__name__)
def test_slopes_of_criteria_are_derivatives(criterion):
    for c in (0.2, 1.0, 3.0):
        difference = (criterion.value(0.0, c + 1e-6) - criterion.value(0.0, c - 1e-6)) / 2e-6
        assert criterion.slope(c) == pytest.approx(difference, rel=1e-6)


def test_infeasible_budgets():
    result = search(MSets(5, 2).maximize, np.arange(5.0), np.ones(5), AtLeast(2.5), m=2)
    assert result.decision is None
    assert result.value == result.bound == -math.inf
    assert result.oracle_calls <= 3


def test_a_met_budget_costs_one_call():
    result = search(MSets(5, 2).maximize, np.arange(5.0), np.ones(5), AtLeast(2.0), m=2)
    assert result.value == 7.0
    assert result.oracle_calls == 1


def test_integers_stop_at_the_rounded_bound():
    """Rewards and budgets that are multiples of 7: with the divisor known, the bound cannot lie between multiples."""
    decision_set = MSets(12, 6)
    rng = np.random.default_rng(3)
    rewards, budgets = 7.0 * rng.integers(1, 9, 12), 7.0 * rng.integers(1, 9, 12)
    at_least = float(np.sort(budgets)[-6:].sum()) - 21.0
    plain = search(decision_set.maximize, rewards, budgets, AtLeast(at_least), m=6)
    sharp = search(decision_set.maximize, rewards, budgets, AtLeast(at_least, granularity(rewards)), m=6)
    assert sharp.value == plain.value
    assert sharp.oracle_calls <= plain.oracle_calls
    assert sharp.bound % 7.0 == 0.0


@pytest.mark.parametrize(
    ("weights", "step"),
    [([4, -6, 0], 2.0), ([3, 5], 1.0), ([0, 0], 0.0), ([0.5, 1], 0.0), ([1e16, 1], 0.0), ([1, 2e9], 0.0), ([3e9, 6e9], 3e9)],
)
def test_granularity(weights, step):
    assert granularity(np.array(weights, dtype=float)) == step


def test_front_drops_decisions_that_differ_by_rounding():
    rows = np.eye(4, dtype=bool)
    rewards, budgets = np.array([3.0, 3.0 + 1e-14, 2.0, 1.0]), np.array([1.0, 1.0 + 1e-14, 2.0, 2.0 + 1e-14])
    front = undominated(rows, rewards, budgets, 1)
    assert len(front) == 2
    assert front.rewards.round(6).tolist() == [3.0, 2.0]
    assert np.array_equal(front.best(2.0), rows[2])
    assert np.array_equal(front.best(-5.0), rows[1]) or np.array_equal(front.best(-5.0), rows[0])
    with pytest.raises(Infeasible, match="got 2 at most"):
        front.best(2.5)
    with pytest.raises(ValueError, match="read-only"):
        front.rewards[0] = 0.0


def test_small_differences_of_budgets_do_not_add_up():
    """Each budget is within the tolerance of the one before, but the last one does not count as equal to the first."""
    rewards, budgets = 1.0 + 1e-9 * np.arange(5), 1.0 - 0.7e-12 * np.arange(5)
    front = undominated(np.eye(5, dtype=bool), rewards, budgets, 1)
    assert [int(front.best(c).argmax()) for c in budgets] == [1, 1, 3, 4, 4]


def test_the_search_is_short_on_trees_of_a_complete_graph():
    """Random rewards and budgets, 190 items: a few hundred calls for P_BLM, a handful for P_IM."""
    decision_set = SpanningTrees(nx.complete_graph(20))
    budgeted, index = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rewards, budgets = rng.random(190), rng.random(190)
        low, high = budgets @ decision_set.maximize(rewards), budgets @ decision_set.maximize(budgets)
        criterion = AtLeast(float(low + rng.uniform(0.2, 0.8) * (high - low)))
        budgeted.append(search(decision_set.maximize, rewards, budgets, criterion, 19).oracle_calls)
        index.append(search(decision_set.maximize, rewards, budgets, SquareRoot(), m=19).oracle_calls)
    assert np.median(budgeted) <= 400
    assert np.median(index) <= 10
