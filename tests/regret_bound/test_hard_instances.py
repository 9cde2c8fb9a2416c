"""`graves_lai` with numbers of very different sizes: units, shifts, near-ties, variances; against enumeration."""

from fractions import Fraction

import enumeration_reference
import numpy as np
import pytest
from enumeration_reference import reference

import semibandits as sb
from example_sets import matching, partitions

GAP = 1e-4


def layered_paths(layers, width):
    arcs = [("s", (0, j)) for j in range(width)] + [((layers - 1, i), "t") for i in range(width)]
    arcs += [((k, i), (k + 1, j)) for k in range(layers - 1) for i in range(width) for j in range(width)]
    return sb.Paths(arcs, "s", "t")


FAMILIES = {
    "m-sets": lambda: sb.MSets(7, 3),
    "paths": lambda: layered_paths(3, 3),
    "perfect matchings": lambda: matching(4),
    "any matchings": lambda: matching(3, saturate="none"),
    "row matchings": lambda: sb.Matchings([(i, j) for i in range(3) for j in range(4)], saturate="rows"),
    "intersections": lambda: partitions(9, 3, 1),
    "lists": lambda: sb.EnumeratedDecisions(np.unique(np.random.default_rng(1).random((20, 7)) < 0.5, axis=0)),
}


def check(decision_set, theta, variance=0.5, rounding=1e-9, **options):
    """The bracket of the library overlaps that of the reference, whose rounding is `rounding`."""
    variance = np.broadcast_to(np.asarray(variance, dtype=float), theta.shape)
    truth = reference(decision_set.enumerate(), theta, variance)
    s = sb.graves_lai(decision_set, theta, variance, **options)
    np.testing.assert_array_equal(s.suboptimal_items, truth.suboptimal)
    assert s.lower <= truth.upper * (1 + rounding)
    assert s.value >= truth.lower * (1 - rounding)
    assert s.value == 0.0 or s.gap <= options.get("gap", GAP)
    return s


@pytest.mark.parametrize("family", FAMILIES)
def test_powers_of_two_change_no_digit(family):
    decision_set = FAMILIES[family]()
    rng = np.random.default_rng(4)
    theta, variance = rng.normal(size=decision_set.d), 10.0 ** rng.uniform(-1, 1, decision_set.d)
    s = sb.graves_lai(decision_set, theta, variance)
    for reward, spread in ((40, 0), (-30, 5), (-300, -90), (350, 0)):
        other = sb.graves_lai(decision_set, np.ldexp(theta, reward), np.ldexp(variance, spread))
        assert (other.value, other.lower) == (np.ldexp(s.value, spread - reward), np.ldexp(s.lower, spread - reward))
        np.testing.assert_array_equal(other.plan.rates, np.ldexp(s.plan.rates, spread - 2 * reward))
        np.testing.assert_array_equal(other.plan.decisions, s.plan.decisions)
        np.testing.assert_array_equal(other.theta, np.ldexp(theta, reward))


@pytest.mark.parametrize("factor", [1e-9, 1e6, 1e12])
@pytest.mark.parametrize("family", FAMILIES)
def test_value_is_inversely_proportional_to_rewards_and_proportional_to_variances(family, factor):
    decision_set = FAMILIES[family]()
    rng = np.random.default_rng(5)
    theta, variance = rng.normal(size=decision_set.d), 10.0 ** rng.uniform(-1, 1, decision_set.d)
    s = check(decision_set, theta, variance)
    for scaled, by in (
        (sb.graves_lai(decision_set, theta * factor, variance), 1.0 / factor),
        (sb.graves_lai(decision_set, theta, variance * factor), factor),
    ):
        assert scaled.lower <= s.value * by * (1 + 1e-9)
        assert scaled.value >= s.lower * by * (1 - 1e-9)
        assert scaled.gap <= GAP


def test_progress_is_in_the_units_of_the_user():
    decision_set, seen = matching(5), []
    theta = 1e9 * np.random.default_rng(0).random(25)
    s = sb.graves_lai(decision_set, theta, progress=seen.append)
    assert seen[-1].lower == pytest.approx(s.lower, rel=2e-4)
    assert seen[-1].value == pytest.approx(s.value, rel=2e-4)


@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1e160, 1e308])
@pytest.mark.parametrize("family", ["m-sets", "perfect matchings", "lists"])
def test_rates_beyond_floating_point_are_refused(family, factor):
    decision_set = FAMILIES[family]()
    theta = np.random.default_rng(0).random(decision_set.d)
    with pytest.raises(sb.InvalidInputError, match="theta and variance must be of a size at which"):
        sb.graves_lai(decision_set, theta * factor)


def exact_reference(decisions, theta, variance):
    """Bracket and set I as in `reference`, from gaps computed in rational arithmetic."""
    exact = [Fraction(float(value)) for value in theta]
    rewards = [sum((exact[i] for i in np.flatnonzero(row)), Fraction(0)) for row in decisions]
    gaps = np.array([float(max(rewards) - reward) for reward in rewards])
    optimal = gaps <= 1e-12 * decisions.sum(axis=1).max() * abs(theta).max()
    items = decisions.any(axis=0) & ~decisions[optimal].any(axis=0)
    if not items.any():
        return 0.0, 0.0, items
    rows = ~optimal & decisions[:, items].any(axis=1)
    x, delta = decisions[rows][:, items].astype(float), gaps[rows]
    order = np.argsort(delta, kind="stable")
    _, first = np.unique(x[order], axis=0, return_index=True)
    brackets = [
        enumeration_reference._bracket(x[order][first], delta[order][first], 2.0 * variance[items], accuracy)
        for accuracy in (1e-7, 1e-8, 1e-9)
    ]
    return max(lower for lower, _ in brackets), min(upper for _, upper in brackets), items


def near_ties(rng, d):
    """Rewards that are equal up to parts between 1e-5 and 1e-11, optionally with a common part of 1,000."""
    base = rng.integers(0, 3, d) * rng.choice([1.0, 0.1, 1 / 3])
    apart = 10.0 ** -rng.integers(5, 12) * rng.random(d) * rng.integers(0, 3, d)
    return base + apart + rng.choice([0.0, 0.0, 1e3])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("family", FAMILIES)
def test_brackets_hold_at_near_ties(family, seed):
    """With reduced costs as rounded by the families, they are off by up to 1.5e-4 here, where the gap claimed is 0."""
    decision_set = FAMILIES[family]()
    theta, variance = near_ties(np.random.default_rng(seed), decision_set.d), np.full(decision_set.d, 0.5)
    lower, upper, items = exact_reference(decision_set.enumerate(), theta, variance)
    assert upper - lower <= 1e-3 * upper, "the reference itself is too coarse"
    s = sb.graves_lai(decision_set, theta, variance)
    np.testing.assert_array_equal(s.suboptimal_items, items)
    assert s.lower <= upper * (1 + 1e-12)
    assert s.value >= lower * (1 - 1e-12)
    assert s.gap <= GAP


@pytest.mark.parametrize("shift", [1e3, 1e6])
@pytest.mark.parametrize("family", ["m-sets", "perfect matchings", "row matchings", "intersections", "paths"])
def test_a_common_part_of_all_rewards_changes_nothing_but_rounding(family, shift):
    """All decisions of these sets have the same size; the gaps are about 1e-3 here."""
    decision_set = FAMILIES[family]()
    theta = 1e-3 * np.random.default_rng(8).random(decision_set.d)
    s = check(decision_set, theta)
    moved = sb.graves_lai(decision_set, theta + shift)
    rounding = 100.0 * shift * 2.0**-52 / 1e-6  # of theta + shift, beside the smallest gaps
    assert moved.lower <= s.value * (1 + rounding)
    assert moved.value >= s.lower * (1 - rounding)
    assert moved.gap <= GAP
    np.testing.assert_array_equal(moved.suboptimal_items, s.suboptimal_items)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", FAMILIES)
def test_variances_over_twelve_orders_of_magnitude(family, seed):
    decision_set = FAMILIES[family]()
    rng = np.random.default_rng(seed)
    theta = [rng.normal(size=decision_set.d), rng.integers(0, 3, decision_set.d) * 1.0][seed % 2]
    variance = 10.0 ** rng.uniform(-6, 6, decision_set.d)
    s = check(decision_set, theta, variance)
    used = decision_set.enumerate()
    used = used[used[:, s.suboptimal_items].any(axis=1)]
    gaps = s.optimal_decision @ theta - used @ theta
    left = used[:, s.suboptimal_items] @ (2.0 * variance / np.where(s.rates > 0, s.rates, 1.0))[s.suboptimal_items]
    assert (left <= gaps**2 * (1 + 1e-9)).all()
