"""`graves_lai(rewards="bernoulli")` with means of 0, 1 and next to them, and gaps of all sizes."""

import math
from decimal import Decimal

import law_cases
import numpy as np
import pytest
from bernoulli_reference import divergence, exact_divergence, least_of_all, problem
from bound_checks import check_overlap
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from example_sets import grid, matching, random_matching, random_tree_set
from marks import later
from semibandits.errors import SolverError
from semibandits.regret_bound.certificates import price_proof
from semibandits.regret_bound.cuts import rounds as cuts
from semibandits.regret_bound.cuts.enumeration import ListRounds
from semibandits.regret_bound.cycles import price_search

GAP = 1e-4
SETS = law_cases.SETS | {"matchings of rows": lambda rng: random_matching(rng, "rows"), "trees": random_tree_set}
SETS["largest matchings"] = lambda rng: random_matching(rng, "most")
MEANS = {
    "any": lambda rng, d: rng.random(d),
    "ends": lambda rng, d: rng.integers(0, 3, d) / 2.0,
    "ties": lambda rng, d: 0.05 + rng.integers(0, 6, d) / 10.0,
    "small": lambda rng, d: rng.random(d) ** 4,
    "near-ties": lambda rng, d: 0.2 + rng.integers(0, 3, d) / 5.0 + 1e-6 * rng.integers(0, 4, d),
    "equal": lambda rng, d: np.full(d, rng.choice([0.0, 0.3, 1.0])),
}
PAIRS = sb.Paths([("s", "u"), ("u", "t"), ("s", "v"), ("v", "t")], "s", "t")
"""Two paths of two items each."""


def drawn(seed, family, means):
    rng = np.random.default_rng(seed)
    space = law_cases.drawn_set(rng, SETS[family], most=20_000)
    return space, MEANS[means](rng, space.d)


def solve(space, theta, **options):
    return sb.graves_lai(space, theta, rewards="bernoulli", **options)


def check_plan(result, decisions):
    """The plan explores enough, and costs the value."""
    theta = result.theta
    assert least_of_all(decisions, theta, result.rates) >= 1.0 - 1e-6
    cost = result.plan.rates @ ((theta @ result.optimal_decision) - result.plan.decisions @ theta)
    assert cost == pytest.approx(result.value, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("family", SETS)
@given(seed=st.integers(0, 10**6), means=st.sampled_from(sorted(MEANS)))
@settings(max_examples=25, deadline=None)
def test_two_methods_agree_and_the_plan_is_feasible(family, seed, means):
    space, theta = drawn(seed, family, means)
    fast = solve(space, theta)
    listed = solve(space, theta, method="enumeration")
    assert fast.rewards == listed.rewards == "bernoulli"
    for one, other in ((fast, listed), (listed, fast)):
        assert one.gap <= GAP
        assert one.lower <= other.value * (1.0 + 1e-9)
        check_plan(one, space.enumerate(20_000))
    np.testing.assert_array_equal(fast.suboptimal_items, listed.suboptimal_items)
    assert all(x in space for x in fast.plan.decisions)


@pytest.mark.parametrize(
    ("theta", "value", "suboptimal"),
    [
        ([1.0, 0.3, 0.0], 0.0, [False, True, True]),  # no arm can look as good as one that always pays
        ([0.5, 0.0, 0.5], 0.5 / math.log(2.0), [False, True, False]),  # d(0, 1/2) = log 2
        ([0.0, 0.0, 0.0], 0.0, [False, False, False]),
        ([1.0, 1.0, 1.0], 0.0, [False, False, False]),
    ],
)
@pytest.mark.parametrize("method", ["closed-form", "cycles", "enumeration"])
def test_means_at_the_ends(theta, value, suboptimal, method):
    result = solve(sb.MSets(3, 1), theta, method=method)
    assert result.value == pytest.approx(value, rel=1e-4)
    np.testing.assert_array_equal(result.suboptimal_items, suboptimal)
    assert len(result.plan) == (value > 0)


def test_two_items_share_a_gap_that_one_cannot_close():
    """A pair of gap 0.9 + 0.9 - 2 * 0.5 = 0.8: either item could rise by 0.5 at most, both share it evenly."""
    space = sb.EnumeratedDecisions([[1, 1, 0, 0], [0, 0, 1, 1]])
    result = solve(space, [0.9, 0.9, 0.5, 0.5])
    assert result.value == pytest.approx(0.8 / (2.0 * divergence(0.5, 0.9)), rel=1e-4)
    assert result.method == "enumeration"
    # A gap that no means can close asks for nothing.
    assert solve(space, [1.0, 1.0, 0.5, 0.5]).value == 0.0


INTERSECTION = sb.MatroidIntersection(
    sb.matroids.Partition([i % 8 for i in range(30)], 1), sb.matroids.Partition([i * i % 11 for i in range(30)], 1)
)  # fmt: skip


@pytest.mark.parametrize(
    ("space", "power", "gap"),
    [
        (matching(8), 1, GAP), (grid(6, diagonals=False), 1, GAP), (INTERSECTION, 1, GAP), (matching(9), 4, 0.02),
        *later((matching(10), 1, GAP), (grid(8, diagonals=False), 1, GAP), (matching(12), 4, 0.02)),
    ],
)  # fmt: skip
def test_larger_instances_reach_the_gap(space, power, gap):
    """Next to 1, thousands of cycles seem violated at prices that are too low. They must not exhaust the search."""
    result = solve(space, 1.0 - np.random.default_rng(0).random(space.d) ** power, gap=gap)
    assert 0.0 < result.lower <= result.value
    assert result.gap <= gap


@pytest.mark.parametrize("tie", [1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("gap", [1e-4, 0.05, 0.5])
def test_cheap_items_next_to_a_near_tie_are_in_the_plan(tie, gap):
    """Parallel arcs are arms: the last one costs a millionth of the near-tie or less, and is needed all the same."""
    theta = np.array([0.5, 0.5 - tie, 0.1])
    gaps = theta[0] - theta[1:]
    needs = np.array([1.0 / float(exact_divergence(t, Decimal(g))) for t, g in zip(theta[1:], gaps, strict=True)])
    result = solve(sb.Paths([("s", "t")] * 3, "s", "t"), theta, gap=gap)
    assert result.gap <= gap
    assert result.lower <= gaps @ needs <= result.value
    assert (result.rates[1:] >= needs * (1.0 - 1e-9)).all()


@pytest.mark.parametrize("seed", range(6))
def test_decisions_a_billionth_apart(seed, monkeypatch):
    """Rates and costs of very different sizes: plans are feasible, brackets are narrow, and two methods agree."""
    space, theta = drawn(seed, ["paths", "perfect matchings", "intersections"][seed % 3], "any")
    decisions = space.enumerate(20_000)
    first, second = np.argsort(-(decisions @ theta))[:2]
    (item, *_) = np.flatnonzero(decisions[first] & ~decisions[second])
    theta[item] -= (decisions[first] @ theta - decisions[second] @ theta) - 1e-9
    result = solve(space, theta)
    assert result.gap <= GAP
    assert result.value > 1e7
    assert least_of_all(decisions, theta, result.rates) >= 1.0 - 1e-6
    programs = []
    program = cuts.program
    monkeypatch.setattr(cuts, "program", lambda *arguments: programs.append(1) or program(*arguments))
    listed = solve(space, theta, method="enumeration", throw=False)
    check_overlap(listed, result)
    # Cuts at rates this far apart change nothing, and are given up.
    assert listed.status == "optimal" or ListRounds.patience < len(programs) < 2 * ListRounds.patience


@pytest.mark.parametrize("family", ["paths", "perfect matchings", "matchings", "intersections"])
@pytest.mark.parametrize("means", ["any", "ends", "small", "near-ties"])
def test_without_any_search_the_plan_is_feasible_and_not_absurd(family, means, monkeypatch):
    """All searches run out of labels: raises of a cycle's items are at least gap/m for one, and that bounds the cost."""
    space, theta = drawn(2, family, means)
    exact = solve(space, theta, method="enumeration")
    monkeypatch.setattr(price_search, "MAX_LABELS", 0)
    monkeypatch.setattr(price_search, "WITH_HUB", 0)
    monkeypatch.setattr(price_proof, "MAX_NUMBERS", 1)
    result = solve(space, theta, throw=False)
    decisions = space.enumerate(20_000)
    items, contains, gaps = problem(decisions, theta)
    alone = 0.0
    for k, t in enumerate(theta[items]):
        least = gaps[contains[:, k]].min()
        if least / space.m < 1.0 - t:
            alone += least / float(exact_divergence(t, Decimal(least / space.m)))
    assert result.lower <= exact.value * (1.0 + 1e-9)
    assert exact.lower <= result.value <= alone * (1.0 + 1e-6)
    assert 0.0 <= result.gap <= 1.0
    assert (result.value > 0.0) == bool(len(result.plan))
    if len(result.plan):
        check_plan(result, decisions)


CLOSE = [[1.0 - rest, low] for rest in (0.1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11) for low in (0.3, 0.1, 0.77, 0.0)]
CLOSE += [[1.0 - rest, 1.0 - rest, 0.5, 0.5] for rest in (0.1, 1e-3, 1e-5, 1e-7, 1e-9)]
# Each item alone is out of reach, and no rate along its own best decision is asked for; together they are not.
CLOSE += [[1.0 - 1e-12, 1.0 - 1e-12, 1.0 - 8e-12, 1.0 - 8e-12]]
# Rises of two means of 0 begin at one and the same price, which has no digits for them: C = t / d(0, t), about 1.
CLOSE += [[t, t, 0.0, 0.0] for t in (1e-2, 1e-5, 1e-8, 1e-12, 1e-16)]


@pytest.mark.parametrize("theta", CLOSE, ids=str)
def test_brackets_hold_to_the_last_digit(theta):
    """Next to 1 a gap rounded in its last digit makes an error of 1e-16 / rest; 60 digits show whether that is covered.

    Of two decisions without a common item, those of the worse one rise by the same share of the gap.
    """
    m = len(theta) // 2
    gap = sum(map(Decimal, theta[:m])) - sum(map(Decimal, theta[m:]))
    value = gap / (m * exact_divergence(theta[-1], gap / m))
    for method in ("cycles", "enumeration") if m == 2 else ("closed-form", "cycles", "enumeration"):
        wanted = GAP if m == 2 else 1e-9 + 1e-13 / (1.0 - theta[0])
        result = solve(PAIRS if m == 2 else sb.MSets(2, 1), theta, method=method, gap=wanted)
        assert Decimal(result.lower) <= value <= Decimal(result.value)


@pytest.mark.parametrize("method", ["cycles", "enumeration"])
@pytest.mark.parametrize("t", [1e-18, *later(1e-25, 1e-50, 1e-100)])
def test_gaps_below_all_digits_leave_a_bracket_that_holds(method, t):
    small = solve(matching(3), np.array([1.0, 0.2, 0.0, 0.0, 1.0, 0.3, 0.5, 0.0, 1.0]) * t, method=method, throw=False)
    same = solve(matching(3), np.array([1.0, 0.2, 0.0, 0.0, 1.0, 0.3, 0.5, 0.0, 1.0]) * 1e-10)
    assert small.lower <= same.value * (1.0 + 1e-9)  # C tends to a limit as all means shrink together
    assert same.lower * (1.0 - 1e-9) <= small.value <= 9.0 * same.value  # m squared times C, as without any search
    pair = solve(PAIRS, [t, t, 0.0, 0.0], method=method, throw=False)
    assert pair.lower <= 1.0 <= pair.value <= 4.1


def test_the_master_does_not_go_to_and_fro_at_kinks():
    """Means of 1e-12 to 1e-5: information is next to a minimum of a few linear functions of the rates."""
    rng = np.random.default_rng(5306)
    theta = rng.random(25) ** 4 * 10.0 ** rng.uniform(-6, 0)
    result, listed = solve(matching(5), theta, gap=1e-3), solve(matching(5), theta, method="enumeration", gap=1e-3)
    check_overlap(result, listed, 0.0)


@pytest.mark.parametrize("seed", [2, 8, 29, 32])
def test_enumeration_ends_where_rates_are_of_very_different_sizes(seed):
    """Means next to 0 and 1: in units of its largest term, a constraint would hold by the tolerance of the program alone."""
    rng = np.random.default_rng(seed)
    space = random_matching(rng, "rows")
    rest = 10.0 ** rng.uniform(-9, -1, space.d)
    theta = np.where(rng.random(space.d) < 0.5, rest, 1.0 - rest)
    listed, cycles = solve(space, theta, method="enumeration"), solve(space, theta, gap=1e-3, throw=False)
    check_overlap(listed, cycles)


def test_the_bracket_is_valid_when_time_runs_out():
    space, theta = matching(9), np.random.default_rng(0).random(81)
    hurried, full = solve(space, theta, time_limit=1e-6, throw=False), solve(space, theta)
    assert hurried.status == "time_limit"
    check_overlap(hurried, full, 0.0)
    with pytest.raises(SolverError, match="the relative gap must be at most"):
        solve(space, theta, time_limit=1e-6)


def test_reward_models_select_their_bound():
    means = [0.5, 0.2]
    assert sb.BernoulliRewards(means).bound_family == "bernoulli"
    assert sb.GaussianRewards(means).bound_family == "gaussian"
    assert sb.BoundedRewards(means).bound_family is None


STALLED = [
    ([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)], [2.4e-25, 1.7e-62, 1e-23, 3.2e-18, 7.5e-40, 2.5e-34, 7.1e-22]),
    (
        [(0, 1), (0, 2), (1, 2), (1, 4), (1, 5), (2, 3), (2, 5), (3, 4), (3, 5), (4, 5)],
        [3e-19, 1 - 1.1e-16, 1 - 4.1063651e-9, 1.7e-54, 1 - 2.0939209e-5, 1 - 1.6e-14, 0.1058844, 5.6e-25, 2.2e-35, 1.1e-17],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arcs", "means"), STALLED)
def test_means_of_which_most_are_next_to_0_or_1(arcs, means):
    """The brackets used to be [1.007, 8.0] and [1.443, 61.6]."""
    paths = sb.Paths(arcs, 0, arcs[-1][1])
    cycles, result = solve(paths, means, method="cycles", throw=False), solve(paths, means)
    assert result.gap <= 1e-4 < cycles.gap
    check_overlap(cycles, result, 1e-12)


def test_a_program_whose_numbers_differ_by_twenty_orders_of_magnitude():
    """The solver used to report the linear program infeasible, so that there was no lower bound."""
    rows = [[2, 5, 7], [2, 3, 4, 5], [1, 3, 6], [1, 2, 5, 6], [0, 2, 6], [0, 2, 3, 5, 6]]
    means = [6.9e-14, 1 - 1e-13, 1 - 1.9e-5, 1.0, 1 - 2.2e-7, 0.12, 3.8e-7, 0.14]
    decisions = [[i in row for i in range(8)] for row in rows]
    result = solve(sb.EnumeratedDecisions(decisions), means)
    assert 0 < result.lower <= result.value <= 1.0001 * result.lower


def test_nothing_is_listed_if_the_method_of_cycles_reaches_the_gap(monkeypatch):
    """Listing 720 matchings only narrows the bracket of a solve that is stuck."""
    monkeypatch.setattr("semibandits.regret_bound.solve.solve_enumeration", None)
    theta = np.random.default_rng(0).uniform(0.2, 0.8, 36)
    found = sb.graves_lai(matching(6), theta, rewards="bernoulli", gap=0.02)
    assert (found.status, found.method) == ("optimal", "cycles")
