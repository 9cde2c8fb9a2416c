"""Scaling rewards, budgets or bonuses does not change decisions, even for tiny numbers."""

import numpy as np
import pytest

import semibandits as sb

SETS = {
    "bases": sb.MatroidBases(sb.matroids.Partition([0, 0, 0, 1, 1, 1], 1)),
    "m-sets": sb.MSets(6, 3),
    "matchings": sb.Matchings([(i, j) for i in range(3) for j in range(3)]),
    "paths": sb.Paths([(0, 1), (0, 1), (1, 2), (1, 2), (0, 2), (2, 3), (2, 3)], 0, 3),
    "lists": sb.EnumeratedDecisions(np.eye(5, dtype=bool)),
}


@pytest.mark.parametrize("power", [-1000, -400, -170, 170, 300])
@pytest.mark.parametrize("family", SETS)
def test_powers_of_two_change_no_decision(family, power):
    decision_set = SETS[family]
    rng = np.random.default_rng(abs(power))
    factor = 2.0**power
    for _ in range(10):
        rewards, budgets = rng.normal(size=(2, decision_set.d))
        sums = decision_set.enumerate() @ budgets
        level = float(rng.choice(sums))
        best = decision_set.maximize_budgeted(rewards, budgets, level)
        assert np.array_equal(decision_set.maximize_budgeted(rewards, factor * budgets, factor * level), best)
        assert np.array_equal(decision_set.maximize_budgeted(factor * rewards, budgets, level), best)
        front = decision_set.budget_front(rewards, budgets)
        scaled = decision_set.budget_front(factor * rewards, factor * budgets)
        assert np.array_equal(front.decisions, scaled.decisions)
        if abs(power) <= 300:
            bonuses = budgets**2
            best = decision_set.maximize_index(rewards, bonuses)
            half = 2.0 ** (power // 2)
            assert np.array_equal(decision_set.maximize_index(half * rewards, half**2 * bonuses), best)


def test_negligible_numbers_count_as_zero():
    decision_set = sb.MSets(4, 2)
    assert decision_set.maximize_index([1, 2, 3, 4], [1e-310, 0, 0, 0]).tolist() == [False, False, True, True]
    assert decision_set.maximize_budgeted([1e99, 2, 3, 4], [1e-310, 1e-310, 0, 0], 1.5e-310)[0]
    with pytest.raises(sb.Infeasible, match="lower at_least"):
        decision_set.maximize_budgeted([1, 2, 3, 4], [1e-310] * 4, 1e300)
    assert decision_set.maximize_budgeted([1, 2, 3, 4], [1e-310] * 4, -1e300).tolist() == [False, False, True, True]


@pytest.mark.parametrize("family", SETS)
def test_a_penalty_does_not_hide_the_other_rewards(family):
    """Two items cost 1e12, which stands for forbidden: of the decisions without them the best one is found."""
    decision_set, compared = SETS[family], 0
    rows = decision_set.enumerate()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rewards, budgets = rng.random((2, decision_set.d))
        forbidden = rng.choice(decision_set.d, 2, replace=False)
        rewards[forbidden] = -1e12
        at_least = np.median(rows @ budgets)
        allowed = rows[(rows @ budgets >= at_least) & ~rows[:, forbidden].any(axis=1)]
        if len(allowed):
            compared += 1
            x = decision_set.maximize_budgeted(rewards, budgets, at_least)
            assert rewards @ x == pytest.approx((allowed @ rewards).max(), abs=1e-11)
    assert compared > 8
