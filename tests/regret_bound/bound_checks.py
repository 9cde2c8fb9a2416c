"""Checks for tests of `graves_lai`, and mean rewards and variances for them."""

import numpy as np
import pytest
from enumeration_reference import reference

import semibandits as sb
from semibandits.decisions.ties import Ties

GAP = 1e-4


def within(tolerance, graph):
    """Decisions tie if their gap is at most this, whatever their items."""
    return Ties(np.ones(max(graph.entering.max(), graph.leaving.max()) + 2), tolerance)


def means(rng, d, kind):
    """Mean rewards: real, integer with ties, all equal but one, and with gaps down to 1e-6."""
    if kind == "real":
        return rng.normal(size=d)
    if kind == "integer":
        return rng.integers(-3, 4, d).astype(float)
    if kind == "ties":
        theta = np.ones(d)
        theta[rng.integers(d)] = rng.choice([0.0, 2.0])
        return theta
    return rng.integers(0, 3, d) + 1e-6 * rng.integers(0, 4, d)


def variances(rng, d, kind):
    return np.full(d, 0.5) if kind == "plain" else 10.0 ** rng.uniform(-1, 1, d)


def check(decision_set, theta, variance, method="auto"):
    """The bracket contains that of the reference, and the plan is correct, decision by decision."""
    decisions = decision_set.enumerate()
    truth = reference(decisions, theta, variance)
    assert truth.upper - truth.lower <= 1e-5 * truth.upper, "the reference itself is too coarse"
    s = sb.graves_lai(decision_set, theta, variance=variance, method=method, gap=GAP)
    assert s.gap <= GAP
    assert s.lower <= truth.upper * (1 + 1e-9)
    assert s.value >= truth.lower * (1 - 1e-9)
    assert s.lower >= truth.lower * (1 - GAP - 1e-9)
    np.testing.assert_array_equal(s.suboptimal_items, truth.suboptimal)
    rewards = decisions @ theta
    assert s.optimal_decision @ theta == pytest.approx(rewards.max(), abs=1e-12)
    assert s.optimal_decision in decision_set
    check_plan(s, decisions, truth.gaps, theta, variance)
    return s


def check_plan(s, decisions, gaps, theta, variance):
    known = {row.tobytes(): gap for row, gap in zip(decisions, gaps, strict=True)}
    plan = s.plan
    assert len(np.unique(plan.decisions, axis=0)) == len(plan)
    assert (plan.rates > 0).all()
    plan_gaps = np.array([known[x.tobytes()] for x in plan.decisions])  # KeyError: not a decision
    assert (plan_gaps > 0).all()
    np.testing.assert_allclose(s.rates, plan.rates @ plan.decisions, rtol=1e-12)
    assert plan.rates @ plan_gaps == pytest.approx(s.value, rel=1e-8, abs=1e-300)
    items = s.suboptimal_items
    if not items.any():
        assert s.value == s.lower == 0.0
        assert len(plan) == 0
        return
    used = decisions[:, items].any(axis=1)
    left = decisions[used][:, items] @ (2.0 * variance[items] / s.rates[items])
    assert (left / gaps[used] ** 2).max() <= 1 + 1e-6
