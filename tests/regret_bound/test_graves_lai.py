"""`graves_lai` against full enumeration, family by family."""

import numpy as np
import pytest
from bound_checks import GAP, check, means, variances

import semibandits as sb
from example_sets import FAMILIES


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["real", "integer", "ties", "near-ties"])
@pytest.mark.parametrize("spread", ["plain", "varied"])
@pytest.mark.parametrize("family", FAMILIES)
def test_bracket_and_plan(family, kind, spread):
    # 4 kinds x 2 spreads x 6 instances = 48 a family.
    index = list(FAMILIES).index(family)
    for trial in range(6):
        rng = np.random.default_rng([index, trial, len(kind), len(spread)])
        decision_set = FAMILIES[family](rng)
        theta = means(rng, decision_set.d, kind)
        check(decision_set, theta, variances(rng, decision_set.d, spread))


@pytest.mark.parametrize("family", ["msets", "trees", "matroids"])
@pytest.mark.parametrize("seed", range(5))
def test_cycle_method_agrees_with_the_closed_form(family, seed):
    rng = np.random.default_rng(seed)
    decision_set = FAMILIES[family](rng)
    theta = means(rng, decision_set.d, ["real", "integer"][seed % 2])
    exact = sb.graves_lai(decision_set, theta, method="closed-form")
    cycles = check(decision_set, theta, np.full(decision_set.d, 0.5), method="cycles")
    assert cycles.lower <= exact.value * (1 + 1e-9)
    assert cycles.value >= exact.value * (1 - 1e-9)


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "lists"])
def test_enumeration_method_agrees(family):
    rng = np.random.default_rng(7)
    decision_set = FAMILIES[family](rng)
    check(decision_set, means(rng, decision_set.d, "real"), np.full(decision_set.d, 0.5), method="enumeration")


@pytest.mark.parametrize("n", range(2, 31))
def test_identity_matchings(n):
    theta = np.where(np.eye(n, dtype=bool), 2.0, 1.0).ravel()
    s = sb.graves_lai(sb.Matchings([(i, j) for i in range(n) for j in range(n)]), theta)
    assert s.lower <= n * (n - 1) / 2 * (1 + 1e-12)
    assert s.value >= n * (n - 1) / 2 * (1 - 1e-12)
    assert s.gap <= GAP


@pytest.mark.parametrize(("d", "m"), [(5, 1), (8, 3), (30, 10)])
def test_m_sets_have_their_textbook_value(d, m):
    theta = np.random.default_rng(d).normal(size=d)
    ranked = np.sort(theta)[::-1]
    s = sb.graves_lai(sb.MSets(d, m), theta)
    assert s.value == pytest.approx((1.0 / (ranked[m - 1] - ranked[m:])).sum(), rel=1e-12)
    assert s.lower <= s.value


def test_all_decisions_optimal_means_an_empty_plan():
    s = sb.graves_lai(sb.Paths([(0, 1), (0, 1), (1, 2)], 0, 2), [1.0, 1.0, 5.0])
    assert s.value == s.lower == s.gap == 0.0
    assert len(s.plan) == 0
    assert not s.suboptimal_items.any()
    assert s.rates.tolist() == [0.0, 0.0, 0.0]


def test_items_that_no_decision_contains_have_rate_zero():
    s = sb.graves_lai(sb.Paths([(0, 1), (0, 2), (1, 3), (2, 3), (1, 9)], 0, 3), [1.0, 0.5, 0.0, 0.0, 7.0])
    assert s.rates[4] == 0.0
    assert not s.suboptimal_items[4]
    assert s.value == pytest.approx(4.0, rel=GAP)  # one detour of two new items: w = 2 / gap^2 each, cost 2 / gap


def test_one_decision_only():
    s = sb.graves_lai(sb.MSets(3, 3), [1.0, 2.0, 3.0])
    assert s.value == 0.0
    assert s.optimal_decision.all()


def test_results_do_not_share_memory_with_the_input():
    theta = np.array([2.0, 1.0, 0.0])
    s = sb.graves_lai(sb.MSets(3, 1), theta)
    theta[:] = 9.0
    assert s.theta.tolist() == [2.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="read-only"):
        s.plan.rates[0] = 1.0


@pytest.mark.parametrize("name", ["gap", "time_limit", "tie_tolerance"])
def test_options_must_be_numbers(name):
    with pytest.raises(sb.InvalidInputError, match=f"{name} must be a finite number, got 'a'"):
        sb.graves_lai(sb.MSets(3, 1), [1, 2, 3], **{name: "a"})


def test_decision_set_must_be_one():
    with pytest.raises(sb.InvalidInputError, match="decision_set must be a DecisionSet, got list"):
        sb.graves_lai([[0, 1], [1, 0]], [1, 2])
