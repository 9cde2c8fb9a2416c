"""Column-and-cut generation on decision sets that implement only `maximize`, against enumeration."""

import itertools

import numpy as np
import pytest
from enumeration_reference import reference
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from example_sets import grid, matching, partitions
from semibandits.decisions.base import DecisionSet
from semibandits.errors import InvalidInputError, SolverError

GAP = 1e-4


class Own(DecisionSet):
    """A user-defined set with d, m and maximize only."""

    def __init__(self, inner):
        self._inner = inner
        self.calls = 0

    d = property(lambda self: self._inner.d)
    m = property(lambda self: self._inner.m)

    def maximize(self, weights):
        self.calls += 1
        return self._inner.maximize(weights)


class ListedByUser(Own):
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


FAMILIES = {
    "m-sets": lambda rng: sb.MSets(int(rng.integers(3, 9)), int(rng.integers(1, 4))),
    "trees": lambda rng: sb.SpanningTrees(list(itertools.combinations(range(int(rng.integers(3, 6))), 2))),
    "matroids": lambda rng: sb.MatroidBases(sb.matroids.Linear(rng.integers(-1, 2, (3, 8)).astype(float))),
    "paths": lambda rng: grid(diagonals=bool(rng.integers(2)), n=int(rng.integers(2, 6))),
    "perfect matchings": lambda rng: matching(int(rng.integers(2, 6))),
    "row matchings": lambda rng: matching(3, 4, saturate="rows"),
    "any matchings": lambda rng: matching(3, saturate="none"),
    "intersections": lambda rng: partitions(int(rng.integers(5, 13)), 4, 1, rng),
    "short lists": lambda rng: listed(rng, int(rng.integers(1, 15)), int(rng.integers(2, 8))),
    "lists": lambda rng: listed(rng, int(rng.integers(20, 400)), int(rng.integers(8, 15))),
    "lists of one size": lambda rng: listed(rng, int(rng.integers(50, 500)), 14, 5),
}

MEANS = {
    "real": lambda rng, d: rng.normal(size=d),
    "integer": lambda rng, d: rng.integers(-3, 4, d).astype(float),
    "few values": lambda rng, d: rng.integers(0, 2, d) * 1.0,
    "small gaps": lambda rng, d: rng.integers(0, 3, d) + 1e-4 * rng.integers(0, 4, d),
    "tiny gaps": lambda rng, d: rng.integers(0, 3, d) + 1e-6 * rng.integers(0, 4, d),
    "sizes": lambda rng, d: 10.0 ** rng.uniform(-3, 0, d),
}


def check(decision_set, theta, variance, gap=GAP):
    """The bracket overlaps that of the reference, and the plan is feasible, decision by decision."""
    decisions = decision_set.enumerate()
    truth = reference(decisions, theta, variance)
    assert truth.upper - truth.lower <= 1e-5 * truth.upper, "the reference itself is too coarse"
    s = sb.graves_lai(Own(decision_set), theta, variance, gap=gap)
    assert s.method == "columns"
    np.testing.assert_array_equal(s.suboptimal_items, truth.suboptimal)
    assert s.gap <= gap
    assert s.lower <= truth.upper * (1 + 1e-9)
    assert s.value >= truth.lower * (1 - 1e-9)
    assert s.optimal_decision @ theta == pytest.approx((decisions @ theta).max(), abs=1e-12)
    check_plan(s, decisions, truth.gaps, variance)
    return s


def check_plan(s, decisions, gaps, variance):
    known = {row.tobytes(): gap for row, gap in zip(decisions, gaps, strict=True)}
    plan_gaps = np.array([known[x.tobytes()] for x in s.plan.decisions])  # KeyError: not a decision
    assert (plan_gaps > 0).all()
    assert (s.plan.rates > 0).all()
    assert s.plan.rates @ plan_gaps == pytest.approx(s.value, rel=1e-8, abs=1e-300)
    items = s.suboptimal_items
    if not items.any():
        assert s.value == s.lower == 0.0
        assert len(s.plan) == 0
        return
    used = decisions[:, items].any(axis=1)
    left = decisions[used][:, items] @ (2.0 * variance[items] / s.rates[items])
    assert (left / gaps[used] ** 2).max() <= 1 + 1e-8 / gaps[used].min() ** 0.5


@pytest.mark.parametrize("kind", MEANS)
@pytest.mark.parametrize("family", FAMILIES)
def test_bracket_and_plan(family, kind):
    rng = np.random.default_rng([sorted(FAMILIES).index(family), sorted(MEANS).index(kind)])
    for spread in (0.0, 1.0):
        decision_set = FAMILIES[family](rng)
        variance = 0.5 * 10.0 ** (spread * rng.uniform(-1, 1, decision_set.d))
        check(decision_set, MEANS[kind](rng, decision_set.d), variance)


@st.composite
def lists_and_means(draw):
    d = draw(st.integers(1, 6))
    rows = draw(st.lists(st.tuples(*[st.booleans()] * d), min_size=1, max_size=12, unique=True))
    value = st.sampled_from([-1.0, 0.0, 0.5, 0.5 + 1e-5, 1.0, 2.0]) | st.floats(-2, 2).map(lambda v: round(v, 3))
    return sb.EnumeratedDecisions(np.array(rows)), np.array(draw(st.lists(value, min_size=d, max_size=d)))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(lists_and_means())
def test_any_list_of_decisions(problem):
    decision_set, theta = problem
    check(decision_set, theta, np.full(decision_set.d, 0.5))


def test_the_decision_that_teaches_many_items_at_once():
    """The star: single swaps cost 18, the decision with all nine items only 7.2 (or 5.4 together with them)."""
    k = 9
    hub, b, a = np.eye(1 + 2 * k)[0], np.eye(1 + 2 * k)[1 : 1 + k], np.eye(1 + 2 * k)[1 + k :]
    rows = [hub + b.sum(axis=0), *(b.sum(axis=0) - b + a), a.sum(axis=0)]
    theta = 0.3375 * hub + 0.1625 * b.sum(axis=0)
    s = check(sb.EnumeratedDecisions(np.array(rows)), theta, np.full(len(theta), 0.5))
    assert s.value == pytest.approx(7.2, rel=GAP)
    assert len(s.plan) == 1


@pytest.mark.parametrize(
    ("decision_set", "seed"), [(matching(7), 1), (matching(12), 2), (grid(8, diagonals=False), 3), (grid(8), 4)], ids=str
)
def test_agrees_with_the_cycle_method_on_sets_too_large_to_list(decision_set, seed):
    theta = np.random.default_rng(seed).random(decision_set.d)
    mine = sb.graves_lai(Own(decision_set), theta, gap=GAP)
    cycles = sb.graves_lai(decision_set, theta, gap=GAP)
    assert (mine.method, cycles.method) == ("columns", "cycles")
    assert max(mine.lower, cycles.lower) <= min(mine.value, cycles.value) * (1 + 1e-9)
    np.testing.assert_array_equal(mine.suboptimal_items, cycles.suboptimal_items)
    assert all(x in decision_set for x in mine.plan.decisions)


def test_a_finer_gap_is_reached():
    decision_set = matching(5)
    check(decision_set, np.random.default_rng(8).random(25), np.full(25, 0.5), gap=1e-6)


def test_all_decisions_optimal():
    s = sb.graves_lai(Own(matching(3)), np.ones(9))
    assert (s.value, s.lower, s.gap, s.status) == (0.0, 0.0, 0.0, "optimal")
    assert not s.suboptimal_items.any()
    assert len(s.plan) == 0


def test_a_single_decision():
    s = sb.graves_lai(Own(sb.EnumeratedDecisions([[1, 0, 1]])), [1.0, 5.0, -2.0])
    assert s.value == 0.0
    np.testing.assert_array_equal(s.optimal_decision, [True, False, True])


def test_the_empty_decision_and_zero_rewards():
    s = sb.graves_lai(Own(sb.EnumeratedDecisions([[0, 0], [1, 0]])), [-2.0, 0.0])
    assert s.value == pytest.approx(0.5, rel=GAP)
    assert not s.optimal_decision.any()
    assert sb.graves_lai(Own(sb.EnumeratedDecisions([[0, 0], [1, 0]])), [0.0, 0.0]).value == 0.0


def test_items_in_no_decision_are_not_suboptimal():
    s = sb.graves_lai(Own(sb.EnumeratedDecisions([[1, 0, 0], [0, 1, 0]])), [1.0, 0.0, 9.0])
    np.testing.assert_array_equal(s.suboptimal_items, [False, True, False])
    assert s.value == pytest.approx(1.0, rel=GAP)


def test_near_ties_follow_the_tolerance():
    theta = [1.0, 1.0 - 1e-6, 0.0]
    strict = sb.graves_lai(Own(sb.MSets(3, 1)), theta)
    assert strict.value == pytest.approx(1e6 + 1.0, rel=2 * GAP)
    loose = sb.graves_lai(Own(sb.MSets(3, 1)), theta, tie_tolerance=1e-5)
    assert loose.value == pytest.approx(1.0, rel=GAP)


@pytest.mark.parametrize("limit", [1e-9, 0.02, 0.1])
def test_a_bracket_at_the_time_limit(limit):
    decision_set, theta = grid(15), np.random.default_rng(0).random(15 * 14 * 2 + 14 * 14)
    own = Own(decision_set)
    s = sb.graves_lai(own, theta, time_limit=limit, throw=False)
    assert s.status == "time_limit"
    if limit < 1e-6:  # what any bracket needs, and no more: the optimum, and the best decision with each other item
        assert s.stats["rounds"] == 0
        assert own.calls == 1 + (~s.optimal_decision).sum()
    truth = sb.graves_lai(decision_set, theta, gap=1e-3)
    assert 0 < s.lower <= truth.value
    assert s.value >= truth.lower
    with pytest.raises(SolverError, match="time_limit") as caught:
        sb.graves_lai(Own(decision_set), theta, time_limit=limit)
    assert caught.value.result.value >= truth.lower


def test_progress_is_reported_in_the_users_units():
    seen = []
    theta = 1000.0 * np.random.default_rng(3).random(25)
    s = sb.graves_lai(Own(matching(5)), theta, progress=seen.append)
    assert [p.round for p in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].value == pytest.approx(s.value, rel=1e-12)
    assert seen[-1].lower == pytest.approx(s.lower, rel=1e-12)
    assert all(a.lower <= b.lower and a.value >= b.value for a, b in itertools.pairwise(seen))


def test_same_input_same_bits():
    theta = np.random.default_rng(4).random(25)
    first, second = (sb.graves_lai(Own(matching(5)), theta) for _ in range(2))
    assert (first.value, first.lower) == (second.value, second.lower)
    np.testing.assert_array_equal(first.plan.decisions, second.plan.decisions)


def test_which_method_is_taken():
    theta = np.random.default_rng(5).random(25)
    assert sb.graves_lai(ListedByUser(matching(4)), theta[:16]).method == "enumeration"
    assert sb.graves_lai(ListedByUser(matching(6)), np.random.default_rng(5).random(36)).method == "columns"
    assert sb.graves_lai(matching(5), theta).method == "cycles"
    assert sb.graves_lai(matching(5), theta, method="columns").method == "columns"
    assert sb.graves_lai(sb.MSets(5, 2), theta[:5]).method == "closed-form"
    many = listed(np.random.default_rng(6), 900, 20, 5)
    assert sb.graves_lai(many, np.random.default_rng(7).random(20)).method == "columns"


class Answers(DecisionSet):
    d, m = 3, 1

    def __init__(self, answer):
        self._answer = answer

    def maximize(self, weights):
        return self._answer


@pytest.mark.parametrize("answer", [[True, False], [0.5, 0, 0], None, [True, True, False]])
def test_a_wrong_answer_of_maximize(answer):
    with pytest.raises(InvalidInputError, match="maximize must return a 0/1 vector"):
        sb.graves_lai(Answers(answer), [1.0, 2.0, 3.0])


def test_integers_will_do_as_an_answer():
    inner = sb.MSets(3, 1)

    class Integers(Own):
        def maximize(self, weights):
            return super().maximize(weights).astype(int).tolist()

    assert sb.graves_lai(Integers(inner), [1.0, 0.5, 0.0]).value == pytest.approx(3.0, rel=GAP)
