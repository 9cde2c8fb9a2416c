"""P_BLM, P_IM and fronts over m-sets, against all m-sets, and for large sets against a table over integer sums."""

import math

import numpy as np
import pytest
from brute_force import forgiven
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.decisions import msets
from semibandits.decisions.msets import MSets
from semibandits.errors import Infeasible, SolverError
from strategies import KINDS, small_msets, vectors

TOLERANCE = 1e-11  # relative to the largest number
RATIOS = st.sampled_from([0.1, 0.5, 0.9, 0.99])
SHARES = st.one_of(st.floats(0, 1), st.sampled_from([-0.5, 0.0, 1.0, 1.01]), st.integers(0, 69))


@st.composite
def instances(draw, *, sign=(-1, -1)):
    """An MSets, all its decisions, and two vectors; absolute values are taken where `sign` is 1.

    Half of the vectors are random, since a search for simple failures seldom makes all numbers differ.
    """
    decisions = draw(small_msets())
    found = []
    for own in sign:
        if draw(st.booleans()):
            vector = np.random.default_rng(draw(st.integers(0, 2**32))).uniform(-1, 1, decisions.d) ** 3
        else:
            vector = draw(vectors(decisions.d, KINDS))
        found.append(np.abs(vector) if own == 1 else vector)
    return decisions, decisions.enumerate(), *found


def budget_at(rows, budgets, share):
    """From the smallest budget of a decision (0) to the largest (1); or that of the decision with this number."""
    sums = rows @ budgets
    if isinstance(share, int):
        return float(sums[share % len(sums)])
    return float(sums.min() + share * np.ptp(sums)) if share <= 1 else float(sums.max() + max(np.ptp(sums), 1.0))


def budgeted_ratio(decisions, rows, rewards, budgets, at_least, ratio=1.0):
    """Check the answer and return its reward divided by the best one; 1 if the best reward is 0."""
    met = rows @ budgets >= at_least - forgiven(decisions, budgets)
    if not met.any():
        with pytest.raises(Infeasible):
            decisions.maximize_budgeted(rewards, budgets, at_least, ratio)
        return 1.0
    x = decisions.maximize_budgeted(rewards, budgets, at_least, ratio)
    best = (rows[met] @ rewards).max()
    assert x in decisions
    assert budgets @ x >= at_least - 2 * forgiven(decisions, budgets)
    assert rewards @ x >= (best - TOLERANCE * np.abs(rewards).max() if ratio == 1.0 else ratio * best * (1 - 1e-12))
    return rewards @ x / best if best > 0 else 1.0


def index_ratio(decisions, rows, rewards, bonuses, ratio=1.0):
    """Check the answer and return its bonus divided by the bonus that would reach the best value."""
    x = decisions.maximize_index(rewards, bonuses, ratio)
    assert x in decisions
    best = (rows @ rewards + np.sqrt(rows @ bonuses)).max()
    slack = TOLERANCE * (np.abs(rewards).max() + math.sqrt(bonuses.max()))
    bonus = math.sqrt(bonuses @ x)
    assert rewards @ x + bonus / ratio >= best - slack
    missing = best - rewards @ x
    return min(1.0, bonus / missing) if missing > slack else 1.0


@settings(max_examples=250)
@given(instances(), SHARES)
def test_budgeted_equals_enumeration(instance, share):
    _, rows, _, budgets = instance
    budgeted_ratio(*instance, budget_at(rows, budgets, share))


@settings(max_examples=150)
@given(instances(sign=(1, -1)), SHARES, RATIOS)
def test_budgeted_keeps_its_ratio(record_ratio, instance, share, ratio):
    _, rows, _, budgets = instance
    found = budgeted_ratio(*instance, budget_at(rows, budgets, share), ratio)
    record_ratio("MSets", f"P_BLM, {ratio} asked", found)


@settings(max_examples=150)
@given(instances(sign=(-1, 1)))
def test_index_equals_enumeration(instance):
    index_ratio(*instance)


@settings(max_examples=150)
@given(instances(sign=(-1, 1)), RATIOS)
def test_index_keeps_its_ratio(record_ratio, instance, ratio):
    record_ratio("MSets", f"P_IM, {ratio} asked", index_ratio(*instance, ratio))


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9, 0.99])
def test_ratios_on_random_instances(record_ratio, ratio):
    """Distinct and mostly small rewards and budgets, for which the first decision found is rarely the best."""
    rng = np.random.default_rng(round(100 * ratio))
    for _ in range(250):
        d = int(rng.integers(4, 11))
        decisions = MSets(d, int(rng.integers(1, d)))
        rows, rewards, budgets = decisions.enumerate(), rng.random(d) ** 3, rng.random(d) ** 2
        found = budgeted_ratio(decisions, rows, rewards, budgets, float(rng.choice(rows @ budgets)), ratio)
        record_ratio("MSets", f"P_BLM, {ratio} asked", found)
        bonuses = rng.choice([0.01, 1.0, 100.0]) * budgets**4
        record_ratio("MSets", f"P_IM, {ratio} asked", index_ratio(decisions, rows, rewards, bonuses, ratio))


@settings(max_examples=150)
@given(instances())
def test_front_is_that_of_the_list(instance):
    decisions, rows, rewards, budgets = instance
    front = decisions.budget_front(rewards, budgets)
    assert all(x in decisions for x in front.decisions)
    assert (np.diff(front.budgets) > 0).all()
    assert (np.diff(front.rewards) < 0).all()
    slack_a, slack_c = forgiven(decisions, rewards), forgiven(decisions, budgets)
    for a, c in zip(rows @ rewards, rows @ budgets, strict=True):
        assert ((front.rewards >= a - 2 * slack_a) & (front.budgets >= c - 2 * slack_c)).any()


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
def test_large_rounded_problems_keep_high_ratios(seed):
    """Ratios so high that the first step does not suffice and rewards are rounded."""
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


def test_heavy_item_that_fits_no_decision_does_not_coarsen_the_rounding():
    """Items 0 and 1 are in no decision that meets the budget; rounding by their rewards would make all others equal."""
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
    monkeypatch.setattr(msets, "MAX_NODES", 50)
    rewards = np.sqrt(np.arange(2.0, 62.0))
    decisions = MSets(60, 20)
    with pytest.raises(SolverError, match="limited to 50 labels"):
        decisions.maximize_budgeted(rewards, -rewards, -101.0)
    with pytest.raises(SolverError, match="one budget at a time"):
        decisions.budget_front(rewards, -rewards)
    x = decisions.maximize_budgeted(rewards, -rewards, -101.0, ratio=0.9)
    assert 0.9 * 101.0 <= rewards @ x <= 101.0 + 1e-9
