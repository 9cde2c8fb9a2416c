"""Proofs of column-and-cut generation with P_LM only: prices, lower bound, worst constraint; against enumeration."""

import math

import numpy as np
import pytest
from enumeration_reference import reference
from hypothesis import assume, given
from hypothesis import strategies as st

import semibandits as sb
from semibandits.errors import InvalidInputError
from semibandits.regret_bound.certificates.pricing_bound import priced, pricing_bound
from semibandits.regret_bound.cuts.decision_search import DecisionSearch, simple_ratio
from semibandits.regret_bound.cuts.oracle import DecisionPool, Oracle, best_with_each_item

NEVER = math.inf


@st.composite
def problems(draw):
    """Decisions, theta with ties, zeros and near-ties, and a seed for the rest."""
    d = draw(st.integers(2, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = np.unique(rng.random((draw(st.integers(2, 40)), d)) < draw(st.sampled_from([0.3, 0.5])), axis=0)
    theta = {
        "real": rng.normal(size=d),
        "integer": rng.integers(-2, 3, d) * 1.0,
        "near": rng.integers(-1, 2, d) + 1e-5 * rng.integers(0, 3, d),
    }[draw(st.sampled_from(["real", "integer", "near"]))]
    return sb.EnumeratedDecisions(rows), theta, rng


def prepared(decision_set, theta):
    oracle = Oracle(decision_set, theta)
    best = best_with_each_item(oracle, 1e-12)
    pool = DecisionPool(best.items, decision_set.d)
    for x, gap in zip(best.decisions, best.gaps, strict=True):
        pool.add(x, float(gap))
    return oracle, best, pool


def rest(decision_set, theta, best):
    """Items of I in, and gaps of, all decisions that hold one."""
    decisions = decision_set.enumerate()
    gaps = (decisions @ theta).max() - decisions @ theta
    used = decisions[:, best.items].any(axis=1)
    return decisions[used][:, best.items].astype(float), gaps[used]


@given(problems(), st.floats(-6, 2))
def test_no_decision_is_worth_more_than_priced_says(problem, size):
    decision_set, theta, rng = problem
    oracle, best, _ = prepared(decision_set, theta)
    assume(len(best.items))
    prices = rng.random(len(best.items)) * 10.0 ** rng.uniform(-3, 0, len(best.items))
    prices[rng.random(len(prices)) < 0.2] = 0.0
    contains, gaps = rest(decision_set, theta, best)
    truth = (contains @ prices / gaps).max()
    outcome = priced(oracle, best, prices, 10.0**size)
    assert outcome.ratio >= truth * (1 - 1e-9)
    assert all(x in decision_set for x in outcome.met)
    if truth >= 10.0**size and gaps.min() > 1e-4:
        assert outcome.ratio <= truth * (1 + 1e-8)
        assert max(outcome.met[:, best.items] @ prices) > 0 or truth == 0


@given(problems())
def test_any_multipliers_and_prices_give_a_lower_bound(problem):
    decision_set, theta, rng = problem
    oracle, best, pool = prepared(decision_set, theta)
    assume(len(best.items))
    variance = 0.5 * 10.0 ** rng.uniform(-1, 1, decision_set.d)
    truth = reference(decision_set.enumerate(), theta, variance)
    prices, multipliers = rng.random(len(best.items)), rng.random(len(pool)) / pool.gaps**2
    ratio = priced(oracle, best, prices, 1.0).ratio
    bound = pricing_bound(pool.contains, pool.gaps, 2.0 * variance[best.items], multipliers, prices, ratio)
    assert 0 < bound <= truth.upper * (1 + 1e-9)


def test_the_bound_is_met_by_the_right_prices():
    """Two arms that cost 1 and 2: prices equal to the gaps and multipliers 1/gap^3 prove 1 + 1/2."""
    gaps, eye = np.array([1.0, 2.0]), np.eye(2)
    assert pricing_bound(eye, gaps, np.ones(2), gaps**-3, gaps, 1.0) == pytest.approx(1.5, rel=1e-13)
    assert pricing_bound(eye, gaps, np.ones(2), gaps**-3, 3.0 * gaps, 3.0) == pytest.approx(1.5, rel=1e-13)
    assert pricing_bound(eye, gaps, np.ones(2), gaps**-3, 3.0 * gaps, 6.0) == pytest.approx(0.75, rel=1e-13)


@pytest.mark.parametrize(("multipliers", "prices", "ratio"), [(0, 1, 1), (1, 0, 1), (1, 1, math.inf), (1, 1, 0)])
def test_nothing_proves_nothing(multipliers, prices, ratio):
    assert pricing_bound(np.eye(2), np.ones(2), np.ones(2), multipliers * np.ones(2), prices * np.ones(2), ratio) == 0.0


@given(problems(), st.sampled_from([0.0, 1e-5, 0.05, 1.0]))
def test_the_search_finds_the_worst_constraint(problem, slack):
    decision_set, theta, rng = problem
    oracle, best, pool = prepared(decision_set, theta)
    assume(len(best.items))
    u = 10.0 ** rng.uniform(-2, 0, len(best.items)) * best.gaps ** rng.choice([0.0, 2.0])
    contains, gaps = rest(decision_set, theta, best)
    truth = (contains @ u / gaps**2).max()
    outcome = DecisionSearch(oracle, best, pool, u, slack, NEVER).run()
    assert outcome.complete
    rounding = 1e-8 * max(1.0, 1e-4 / gaps.min())  # a bound is rounded up by some units in the last place of sums, over the gap
    assert truth * (1 - 1e-9) <= outcome.ratio <= truth * (1 + slack) * (1 + rounding) + 1e-9 * slack
    assert simple_ratio(oracle, best, u) >= truth * (1 - 1e-9)
    # The pool holds a decision that is as bad, up to the slack.
    assert (pool.contains @ u / pool.gaps**2).max() >= truth / (1 + slack) * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_search_where_many_constraints_bind(seed):
    """At rates near the optimum many decisions of different gaps are equally bad: no Lagrangian bound closes them together."""
    rng = np.random.default_rng(seed)
    decision_set = sb.Matchings([(i, j) for i in range(5) for j in range(5)])
    theta = rng.random(25) if seed % 2 else rng.integers(0, 4, 25).astype(float)
    s = sb.graves_lai(decision_set, theta, method="enumeration")
    oracle, best, pool = prepared(decision_set, theta)
    u = 1.0 / s.rates[best.items]
    contains, gaps = rest(decision_set, theta, best)
    truth = (contains @ u / gaps**2).max()
    outcome = DecisionSearch(oracle, best, pool, u, 0.0, NEVER).run()
    assert outcome.ratio == pytest.approx(truth, rel=1e-9)
    assert outcome.nodes < 20 * len(contains)


def test_a_search_that_may_not_search_still_bounds():
    decision_set, theta = sb.MSets(8, 3), np.arange(8.0)
    oracle, best, pool = prepared(decision_set, theta)
    u = np.ones(len(best.items))
    contains, gaps = rest(decision_set, theta, best)
    outcome = DecisionSearch(oracle, best, pool, u, 0.0, -NEVER).run()
    assert outcome.ratio >= (contains @ u / gaps**2).max() * (1 - 1e-12)


def test_the_pool_keeps_the_best_of_those_with_the_same_items_of_i():
    pool = DecisionPool(np.array([1, 2]), 4)
    assert pool.add(np.array([True, False, False, True]), 0.0) == (-1, False)
    assert pool.add(np.array([False, True, False, False]), 2.0) == (0, True)
    assert pool.add(np.array([True, True, False, False]), 3.0) == (0, False)
    assert pool.add(np.array([False, True, False, True]), 1.0) == (0, True)
    np.testing.assert_array_equal(pool.decisions, [[False, True, False, True]])
    with pytest.raises(InvalidInputError, match="tie_tolerance must be above the rounding"):
        pool.add(np.array([False, False, True, False]), 0.0)
