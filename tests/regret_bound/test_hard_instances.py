"""`graves_lai` with numbers of very different sizes: units, shifts, near-ties, variances; against enumeration."""

from fractions import Fraction

import numpy as np
import pytest
from bound_checks import GAP, SMALL, check, check_overlap
from enumeration_reference import reference

import semibandits as sb

by_family = pytest.mark.parametrize("family", SMALL)


def exact_gaps(decisions, theta):
    """Gaps in rational arithmetic, rounded once."""
    exact = [Fraction(value) for value in theta.tolist()]
    rewards = [sum((exact[i] for i in np.flatnonzero(row)), Fraction(0)) for row in decisions]
    best = max(rewards)
    return np.array([float(best - reward) for reward in rewards])


def near_ties(rng, d):
    """Rewards that are equal up to parts between 1e-5 and 1e-11, optionally with a common part of 1,000."""
    base = rng.integers(0, 3, d) * rng.choice([1.0, 0.1, 1 / 3])
    apart = 10.0 ** -rng.integers(5, 12) * rng.random(d) * rng.integers(0, 3, d)
    return base + apart + rng.choice([0.0, 0.0, 1e3])


@pytest.mark.parametrize("seed", range(12))
@by_family
def test_brackets_hold_at_near_ties(family, seed):
    """With reduced costs as rounded by the families, they are off by up to 1.5e-4 here, where the gap claimed is 0."""
    decision_set = SMALL[family]()
    theta, variance = near_ties(np.random.default_rng(seed), decision_set.d), np.full(decision_set.d, 0.5)
    decisions = decision_set.enumerate()
    truth = reference(decisions, theta, variance, gaps=exact_gaps(decisions, theta))
    assert truth.upper - truth.lower <= 1e-3 * truth.upper, "the reference itself is too coarse"
    s = sb.graves_lai(decision_set, theta, variance)
    np.testing.assert_array_equal(s.suboptimal_items, truth.suboptimal)
    check_overlap(s, truth, 1e-12)
    assert s.gap <= GAP


@pytest.mark.parametrize("shift", [1e3, 1e6])
@pytest.mark.parametrize("family", ["m-sets", "perfect matchings", "row matchings", "intersections", "paths"])
def test_a_common_part_of_all_rewards_changes_nothing_but_rounding(family, shift):
    """All decisions of these sets have the same size; the gaps are about 1e-3 here."""
    decision_set = SMALL[family]()
    theta = 1e-3 * np.random.default_rng(8).random(decision_set.d)
    s = check(decision_set, theta, np.full(decision_set.d, 0.5))
    moved = sb.graves_lai(decision_set, theta + shift)
    rounding = 100.0 * shift * 2.0**-52 / 1e-6  # of theta + shift, beside the smallest gaps
    check_overlap(moved, s, rounding)
    assert moved.gap <= GAP
    np.testing.assert_array_equal(moved.suboptimal_items, s.suboptimal_items)


@pytest.mark.parametrize("seed", range(4))
@by_family
def test_variances_over_twelve_orders_of_magnitude(family, seed):
    """Where the conic solver stalls, or calls a wrong point solved."""
    decision_set, rng = SMALL[family](), np.random.default_rng(seed)
    theta = [rng.normal(size=decision_set.d), rng.integers(0, 3, decision_set.d) * 1.0][seed % 2]
    check(decision_set, theta, 10.0 ** rng.uniform(-6, 6, decision_set.d), coarse=1.0)
