"""Column-and-cut generation on decision sets that implement only `maximize`, against enumeration."""

import itertools

import numpy as np
import pytest
from bound_checks import GAP, check, check_overlap, means
from hypothesis import given
from hypothesis import strategies as st

import example_sets
import semibandits as sb
from example_sets import OnlyMaximizes, grid, matching
from semibandits.errors import SolverError


class Counting(OnlyMaximizes):
    calls = 0

    def maximize(self, weights):
        self.calls += 1
        return super().maximize(weights)


class ListedByUser(OnlyMaximizes):
    def enumerate(self, limit=100_000):
        return self._inner.enumerate(limit)


def listed(rng, n, d, m=None):
    if m is None:
        rows = rng.random((n, d)) < rng.uniform(0.2, 0.7)
    else:
        rows = np.zeros((n, d), dtype=bool)
        for row in rows:
            row[rng.choice(d, m, replace=False)] = True
    return sb.EnumeratedDecisions(np.unique(rows, axis=0))


FAMILIES = example_sets.FAMILIES | {
    "grids": lambda rng: grid(diagonals=bool(rng.integers(2)), n=int(rng.integers(2, 6))),
    "longer lists": lambda rng: listed(rng, int(rng.integers(20, 400)), int(rng.integers(8, 15))),
    "lists of one size": lambda rng: listed(rng, int(rng.integers(50, 500)), 14, 5),
}


def checked(decision_set, theta, variance, gap=GAP):
    result = check(OnlyMaximizes(decision_set), theta, variance, gap=gap, slack=lambda gaps: 1e-8 / gaps.min() ** 0.5)
    assert result.method == "columns"
    return result


@pytest.mark.parametrize("kind", ["real", "integer", "ties", "near-ties", "sizes"])
@pytest.mark.parametrize("family", FAMILIES)
def test_bracket_and_plan(family, kind):
    rng = np.random.default_rng([sorted(FAMILIES).index(family), len(kind)])
    for spread in (0.0, 1.0):
        decision_set = FAMILIES[family](rng)
        variance = 0.5 * 10.0 ** (spread * rng.uniform(-1, 1, decision_set.d))
        checked(decision_set, means(rng, decision_set.d, kind), variance)


@st.composite
def lists_and_means(draw):
    d = draw(st.integers(1, 6))
    rows = draw(st.lists(st.tuples(*[st.booleans()] * d), min_size=1, max_size=12, unique=True))
    value = st.sampled_from([-1.0, 0.0, 0.5, 0.5 + 1e-5, 1.0, 2.0]) | st.floats(-2, 2).map(lambda v: round(v, 3))
    return sb.EnumeratedDecisions(np.array(rows)), np.array(draw(st.lists(value, min_size=d, max_size=d)))


@given(lists_and_means())
def test_any_list_of_decisions(problem):
    decision_set, theta = problem
    checked(decision_set, theta, np.full(decision_set.d, 0.5))


def test_the_decision_that_teaches_many_items_at_once():
    """The star: single swaps cost 18, the decision with all nine items only 7.2 (or 5.4 together with them)."""
    k = 9
    hub, b, a = np.eye(1 + 2 * k)[0], np.eye(1 + 2 * k)[1 : 1 + k], np.eye(1 + 2 * k)[1 + k :]
    rows = [hub + b.sum(axis=0), *(b.sum(axis=0) - b + a), a.sum(axis=0)]
    theta = 0.3375 * hub + 0.1625 * b.sum(axis=0)
    s = checked(sb.EnumeratedDecisions(np.array(rows)), theta, np.full(len(theta), 0.5))
    assert s.value == pytest.approx(7.2, rel=GAP)
    assert len(s.plan) == 1


@pytest.mark.parametrize(
    ("decision_set", "seed"), [(matching(7), 1), (matching(12), 2), (grid(8, diagonals=False), 3), (grid(8), 4)], ids=str
)
def test_agrees_with_the_cycle_method_on_sets_too_large_to_list(decision_set, seed):
    theta = np.random.default_rng(seed).random(decision_set.d)
    mine = sb.graves_lai(OnlyMaximizes(decision_set), theta, gap=GAP)
    cycles = sb.graves_lai(decision_set, theta, gap=GAP)
    assert (mine.method, cycles.method) == ("columns", "cycles")
    check_overlap(mine, cycles)
    np.testing.assert_array_equal(mine.suboptimal_items, cycles.suboptimal_items)
    assert all(x in decision_set for x in mine.plan.decisions)


def test_a_finer_gap_is_reached():
    checked(matching(5), np.random.default_rng(8).random(25), np.full(25, 0.5), gap=1e-6)


@pytest.mark.parametrize(
    ("rows", "theta", "value", "suboptimal"),
    [
        (matching(3).enumerate(), [1.0] * 9, 0.0, [False] * 9),  # all are optimal
        ([[1, 0, 1]], [1.0, 5.0, -2.0], 0.0, [False, False, False]),
        ([[0, 0], [1, 0]], [-2.0, 0.0], 0.5, [True, False]),  # the empty decision is best
        ([[0, 0], [1, 0]], [0.0, 0.0], 0.0, [False, False]),
        ([[1, 0, 0], [0, 1, 0]], [1.0, 0.0, 9.0], 1.0, [False, True, False]),  # no decision has the third item
    ],
)
def test_degenerate_sets(rows, theta, value, suboptimal):
    s = sb.graves_lai(OnlyMaximizes(sb.EnumeratedDecisions(rows)), theta)
    assert (s.value, s.status) == (pytest.approx(value, rel=GAP), "optimal")
    assert s.lower <= value <= s.value
    np.testing.assert_array_equal(s.suboptimal_items, suboptimal)
    assert bool(len(s.plan)) == (value > 0.0)


def test_near_ties_follow_the_tolerance():
    theta = [1.0, 1.0 - 1e-6, 0.0]
    strict = sb.graves_lai(OnlyMaximizes(sb.MSets(3, 1)), theta)
    assert strict.value == pytest.approx(1e6 + 1.0, rel=2 * GAP)
    loose = sb.graves_lai(OnlyMaximizes(sb.MSets(3, 1)), theta, tie_tolerance=1e-5)
    assert loose.value == pytest.approx(1.0, rel=GAP)


@pytest.mark.parametrize("limit", [1e-9, 0.02])
def test_a_bracket_at_the_time_limit(limit):
    decision_set, theta = grid(15), np.random.default_rng(0).random(15 * 14 * 2 + 14 * 14)
    own = Counting(decision_set)
    s = sb.graves_lai(own, theta, time_limit=limit, throw=False)
    assert s.status == "time_limit"
    if limit < 1e-6:  # what any bracket needs, and no more: the optimum, and the best decision with each other item
        assert s.stats["rounds"] == 0
        assert own.calls == 1 + (~s.optimal_decision).sum()
    truth = sb.graves_lai(decision_set, theta, gap=1e-3)
    assert 0 < s.lower <= truth.value
    assert s.value >= truth.lower
    with pytest.raises(SolverError, match="time_limit") as caught:
        sb.graves_lai(own, theta, time_limit=limit)
    assert caught.value.result.value >= truth.lower


@pytest.mark.parametrize("decision_set", [matching(5), OnlyMaximizes(matching(5))], ids=["cycles", "columns"])
def test_progress_is_in_the_units_of_the_user_and_bits_are_the_same_again(decision_set):
    seen, theta = [], 1e9 * np.random.default_rng(3).random(25)
    s = sb.graves_lai(decision_set, theta, progress=seen.append)
    assert [p.round for p in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].value == pytest.approx(s.value, rel=2e-4)
    assert seen[-1].lower == pytest.approx(s.lower, rel=2e-4)
    if s.method == "columns":
        assert (seen[-1].value, seen[-1].lower) == pytest.approx((s.value, s.lower), rel=1e-12)
        assert all(a.lower <= b.lower and a.value >= b.value for a, b in itertools.pairwise(seen))
    again = sb.graves_lai(decision_set, theta)
    assert (s.value, s.lower) == (again.value, again.lower)
    np.testing.assert_array_equal(s.plan.decisions, again.plan.decisions)


def test_which_method_is_taken():
    theta = np.random.default_rng(5).random(36)
    assert sb.graves_lai(ListedByUser(matching(4)), theta[:16]).method == "enumeration"
    assert sb.graves_lai(ListedByUser(matching(6)), theta).method == "columns"
    assert sb.graves_lai(matching(5), theta[:25]).method == "cycles"
    assert sb.graves_lai(matching(5), theta[:25], method="columns").method == "columns"
    assert sb.graves_lai(sb.MSets(5, 2), theta[:5]).method == "closed-form"
    many = listed(np.random.default_rng(6), 900, 20, 5)
    assert sb.graves_lai(many, np.random.default_rng(7).random(20)).method == "columns"
