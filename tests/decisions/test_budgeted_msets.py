"""P_BLM, P_IM and fronts over large m-sets against a table over integer sums; small ones are in `tests/optimization`."""

import math

import numpy as np
import pytest

from semibandits.decisions import msets
from semibandits.decisions.msets import MSets
from semibandits.errors import SolverError
from semibandits.kernels.search.grid import best_selection


def best_rewards_by_table(rewards, budgets, m):
    """Largest reward of m items for each sum of budgets, by dynamic programming over integers >= 0."""
    table = np.full((m + 1, int(np.sort(budgets)[::-1][:m].sum()) + 1), -np.inf)
    table[0, 0] = 0.0
    for a, c in zip(rewards, budgets.astype(int), strict=True):
        for k in range(m, 0, -1):
            shifted = table[k - 1, : table.shape[1] - c] + a
            np.maximum(table[k, c:], shifted, out=table[k, c:])
    return table[m]


@pytest.mark.parametrize("seed", range(12))
def test_large_instances_agree_with_a_table_over_sums(seed):
    """Independent and strongly correlated numbers: real rewards, integer budgets."""
    rng = np.random.default_rng(seed)
    d, m = (60, 8) if seed % 2 else (120, 15)
    decisions, budgets = MSets(d, m), rng.integers(0, 60, d).astype(float)
    rewards = rng.random(d) if seed % 3 else (60 - budgets) / 60 + 0.05 * rng.random(d)
    table = best_rewards_by_table(rewards, budgets, m)
    best = np.maximum.accumulate(table[::-1])[::-1]
    front = decisions.budget_front(rewards, budgets)
    for at_least in np.linspace(table.argmax(), len(table) - 1, 7).astype(int).tolist():
        expected = pytest.approx(best[at_least], abs=1e-11)
        assert rewards @ decisions.maximize_budgeted(rewards, budgets, at_least) == expected
        assert rewards @ front.best(at_least) == expected
    for scale in (1e-4, 0.01, 1.0):
        x = decisions.maximize_index(rewards, scale * budgets)
        root = np.sqrt(scale * np.arange(len(table)))
        assert rewards @ x + math.sqrt(scale * budgets @ x) == pytest.approx((table + root).max(), abs=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_large_thinned_problems_keep_high_ratios(seed):
    """Ratios so high that the first step does not suffice and labels are thinned."""
    rng = np.random.default_rng(seed)
    decisions, budgets = MSets(60, 8), rng.integers(0, 40, 60).astype(float)
    rewards = (40 - budgets) / 40 + 0.2 * rng.random(60)
    table = best_rewards_by_table(rewards, budgets, 8)
    at_least = (int(table.argmax()) + len(table)) // 2
    for ratio in (0.999, 0.9999):
        x = decisions.maximize_budgeted(rewards, budgets, at_least, ratio)
        assert budgets @ x >= at_least
        assert rewards @ x >= ratio * table[at_least:].max()
        x = decisions.maximize_index(rewards, budgets, ratio)
        best = (table + np.sqrt(np.arange(len(table)))).max()
        assert rewards @ x + math.sqrt(budgets @ x) / ratio >= best - 1e-11


def test_heavy_item_that_fits_no_decision_does_not_coarsen_the_labels():
    """Items 0 and 1 are in no decision that meets the budget; steps as large as their rewards would make all others equal."""
    rewards = np.array([1e9, 1e9, 5.0, 4.0, 3.0, 2.0, 2.0])
    budgets = np.array([0.0, 0.0, 5.0, 6.5, 8.0, 9.0, 9.0])
    x = MSets(7, 2).maximize_budgeted(rewards, budgets, 14.0, ratio=0.9)
    assert rewards @ x >= 0.9 * 7.0
    assert budgets @ x >= 14.0


def test_ratio_where_only_worthless_decisions_meet_the_budget():
    x = MSets(3, 1).maximize_budgeted([1.0, 0.0, 0.0], [0.0, 1.0, 1.0], 0.5, ratio=0.9)
    assert x.tolist() in ([False, True, False], [False, False, True])


def test_a_search_beyond_its_limits_is_an_error(monkeypatch):
    """With budgets equal to the negated rewards, every decision is undominated; all sums are different."""
    monkeypatch.setattr(msets, "MAX_LABELS", 50)
    rewards = np.sqrt(np.arange(2.0, 62.0))
    decisions = MSets(60, 20)
    with pytest.raises(SolverError, match="limited to 50 labels"):
        decisions.maximize_budgeted(rewards, -rewards, -101.0)
    with pytest.raises(SolverError, match="one budget at a time"):
        decisions.budget_front(rewards, -rewards)
    x = decisions.maximize_budgeted(rewards, -rewards, -101.0, ratio=0.9)
    assert 0.9 * 101.0 <= rewards @ x <= 101.0 + 1e-9


def test_hundreds_of_ties_need_no_labels():
    """Rewards and budgets 0 and 1: some decision on the way between those of largest reward and of largest budget is best."""
    rng = np.random.default_rng(0)
    rewards, budgets = rng.integers(0, 2, (2, 600)).astype(float)
    need = float(np.sort(budgets)[::-1][:250].sum()) - 20.0
    x, labels = best_selection(rewards, budgets, 250, need, False, 1.0, (1.0, 1.0, 1.0), 10)
    assert labels == 0
    both = rewards @ budgets
    assert both < need < (budgets == 1).sum()
    assert rewards @ x == 250 - (need - both)  # all items with both, as many with a budget only as needed, others with a reward
    assert budgets @ x >= need


def test_integers_keep_few_labels():
    """Budgets 0 to 3, 8 of 30 items: at each of at most 31 * 9 nodes at most 25 sums."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        rewards, budgets = rng.random(30), rng.integers(0, 4, 30).astype(float)
        _, labels = best_selection(rewards, budgets, 8, 12.0, False, 0.0, (1.0, 1.0, 1.0), 31 * 9 * 25)
        assert labels >= 0
