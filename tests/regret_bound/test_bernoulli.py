"""`graves_lai(rewards="bernoulli")`: methods against each other and against independent computations, family by family."""

import dataclasses
import math
from decimal import Decimal

import numpy as np
import pytest
from bernoulli_reference import divergence, exact_divergence, least_information, least_of_all, local_optimum, problem, rise_at
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import semibandits as sb
from example_sets import grid, matching, random_dag, random_intersection, random_matching, random_tree_set
from marks import later
from semibandits.errors import InvalidInputError, SolverError, TooManyDecisionsError, UnsupportedError
from semibandits.regret_bound import enumeration, price_proof, price_search

GAP = 1e-4
SETS = {
    "paths": random_dag,
    "perfect matchings": lambda rng: random_matching(rng, "both"),
    "matchings of rows": lambda rng: random_matching(rng, "rows"),
    "matchings": lambda rng: random_matching(rng, "none"),
    "intersections": random_intersection,
    "trees": random_tree_set,
}
MEANS = {
    "any": lambda rng, d: rng.random(d),
    "ends": lambda rng, d: rng.integers(0, 3, d) / 2.0,
    "ties": lambda rng, d: 0.05 + rng.integers(0, 6, d) / 10.0,
    "small": lambda rng, d: rng.random(d) ** 4,
    "near-ties": lambda rng, d: 0.2 + rng.integers(0, 3, d) / 5.0 + 1e-6 * rng.integers(0, 4, d),
    "equal": lambda rng, d: np.full(d, rng.choice([0.0, 0.3, 1.0])),
}


def drawn(seed, family, means):
    rng = np.random.default_rng(seed)
    while True:
        try:
            space = SETS[family](rng)
        except InvalidInputError:  # not every random pair of matroids has a common base, not every graph a matching
            continue
        return space, MEANS[means](rng, space.d)


def solve(space, theta, **options):
    return sb.graves_lai(space, theta, rewards="bernoulli", **options)


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
        decisions = space.enumerate(20_000)
        assert least_of_all(decisions, theta, one.rates) >= 1.0 - 1e-6
        cost = one.plan.rates @ ((theta @ one.optimal_decision) - one.plan.decisions @ theta)
        assert cost == pytest.approx(one.value, rel=1e-6, abs=1e-12)
    np.testing.assert_array_equal(fast.suboptimal_items, listed.suboptimal_items)
    assert all(x in space for x in fast.plan.decisions)


@pytest.mark.parametrize("seed", range(6))
def test_no_better_plan_is_found_by_another_solver(seed):
    """SLSQP on tiny problems: its plan costs no less than the lower bound, and not much more than the value."""
    space, theta = drawn(seed, ["paths", "perfect matchings", "intersections"][seed % 3], "any")
    while not 1 <= len(problem(space.enumerate(100), theta)[1]) <= 12:
        seed += 100
        space, theta = drawn(seed, "paths", "any")
    result = solve(space, theta)
    cost = local_optimum(space.enumerate(100), theta)
    assert cost >= result.lower * (1.0 - 1e-9)
    assert cost <= result.value * 1.02


@pytest.mark.parametrize("seed", range(20))
def test_closed_form_is_cycles_is_the_formula(seed):
    rng = np.random.default_rng(seed)
    space = sb.MSets(int(rng.integers(4, 9)), int(rng.integers(1, 4))) if seed % 2 else random_tree_set(rng)
    theta = rng.random(space.d)
    closed = solve(space, theta)
    cycles = solve(space, theta, method="cycles")
    assert closed.method == "closed-form"
    assert cycles.lower <= closed.value <= cycles.value * (1.0 + 1e-9)
    assert cycles.gap <= GAP
    gaps = dict.fromkeys(np.flatnonzero(closed.suboptimal_items), np.inf)
    best = closed.optimal_decision
    for x in space.enumerate(20_000):
        entering = np.flatnonzero(x & ~best)
        if len(entering) == 1 and entering[0] in gaps:
            gaps[entering[0]] = min(gaps[entering[0]], theta @ best - theta @ x)
    assert closed.value == pytest.approx(sum(g / divergence(theta[i], theta[i] + g) for i, g in gaps.items()), rel=1e-9)
    for i, g in gaps.items():
        assert closed.rates[i] >= (1.0 - 1e-9) / divergence(theta[i], theta[i] + g)


def test_two_arms_are_lai_and_robbins():
    result = solve(sb.MSets(2, 1), [0.8, 0.3])
    expected = 0.5 / (0.3 * math.log(0.3 / 0.8) + 0.7 * math.log(0.7 / 0.2))
    assert result.value == pytest.approx(expected, rel=1e-10)
    assert result.lower <= expected <= result.value


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


@pytest.mark.parametrize("family", ["paths", "perfect matchings", "intersections"])
def test_small_gaps_around_one_half_are_gaussian_with_variance_one_quarter(family):
    """d(1/2, 1/2 + e) = 2 e^2 (1 + O(e^2)): within a relative e of the Gaussian bound."""
    space, direction = drawn(5, family, "any")
    for epsilon in (1e-3, 1e-5):
        theta = 0.5 + epsilon * (direction - 0.5)
        gaussian = sb.graves_lai(space, theta, variance=0.25)
        bernoulli = solve(space, theta)
        assert bernoulli.value >= gaussian.lower * (1.0 - 10.0 * epsilon)
        assert bernoulli.lower <= gaussian.value * (1.0 + 10.0 * epsilon)
        assert gaussian.rewards == "gaussian"


def test_bernoulli_rewards_tell_more_than_gaussian_ones_of_the_proxy():
    """Pinsker: d(a, b) >= 2 (a - b)^2, so the bound is at most the Gaussian one with variance 1/4."""
    for seed in range(5):
        space, theta = drawn(seed, "perfect matchings", "any")
        assert solve(space, theta).lower <= sb.graves_lai(space, theta, variance=0.25).value * (1.0 + 1e-9)


@pytest.mark.parametrize(
    "space",
    [
        sb.Matchings([(i, j) for i in range(10) for j in range(10)]),
        grid(8, diagonals=False),
        sb.MatroidIntersection(
            sb.matroids.Partition([i % 8 for i in range(30)], 1), sb.matroids.Partition([i * i % 11 for i in range(30)], 1)
        ),
    ],
    ids=["10x10 matching", "8x8 grid", "intersection of 30 items"],
)
def test_ordinary_instances_reach_the_gap(space):
    result = solve(space, np.random.default_rng(1).random(space.d))
    assert 0.0 < result.lower <= result.value
    assert result.gap <= GAP


def test_answers_have_the_same_bits_twice_and_progress_narrows():
    space, theta = grid(5, diagonals=False), np.random.default_rng(3).random(40)
    seen = []
    first, second = solve(space, theta, progress=seen.append), solve(space, theta)
    assert (first.value, first.lower) == (second.value, second.lower)
    assert seen
    assert all(now.lower <= first.value * (1 + 1e-9) for now in seen)
    assert [now.lower for now in seen] == sorted(now.lower for now in seen)


def least_met(n, theta, result, prices):
    """The least information of the matchings that look worst at some price: an upper bound on that of all."""
    items, best = result.suboptimal_items, theta @ result.optimal_decision
    least = math.inf
    for s in prices:
        worth = s * theta
        for i in np.flatnonzero(items):
            rise = rise_at(theta[i], s / result.rates[i])
            worth[i] += s * rise - result.rates[i] * divergence(theta[i], theta[i] + rise)
        rows, columns = linear_sum_assignment(-worth.reshape(n, n))
        held = np.zeros(n * n, dtype=bool)
        held[rows * n + columns] = True
        gap = best - theta @ held
        held &= items
        if held.any():
            least = min(least, least_information(theta[held], result.rates[held], gap))
    return least


@pytest.mark.parametrize(("n", "seed"), [(9, 0), (12, 0)])
def test_means_of_which_many_are_next_to_1(n, seed):
    """Thousands of cycles seem violated at prices that are too low. They must not exhaust the search."""
    theta = 1.0 - np.random.default_rng(seed).random(n * n) ** 4
    result = solve(matching(n), theta, gap=0.02)
    assert result.gap <= 0.02
    least = least_met(n, theta, result, np.geomspace(50.0, 800.0, 8))
    assert 1.0 - 1e-9 <= least <= 1.02


def arms(theta):
    return sb.Paths([("s", "t")] * len(theta), "s", "t"), np.array(theta)


@pytest.mark.parametrize("tie", [1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("gap", [1e-4, 0.05, 0.5])
def test_cheap_items_next_to_a_near_tie_are_in_the_plan(tie, gap):
    """Parallel arcs are arms: the last one costs a millionth of the near-tie or less, and is needed all the same."""
    space, theta = arms([0.5, 0.5 - tie, 0.1])
    gaps = theta[0] - theta[1:]
    needs = np.array([1.0 / float(exact_divergence(t, Decimal(g))) for t, g in zip(theta[1:], gaps, strict=True)])
    result = solve(space, theta, gap=gap)
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
    program = enumeration.program
    monkeypatch.setattr(enumeration, "program", lambda *arguments: programs.append(1) or program(*arguments))
    listed = solve(space, theta, method="enumeration", throw=False)
    assert listed.lower <= result.value * (1.0 + 1e-9)
    assert result.lower <= listed.value * (1.0 + 1e-9)
    # Cuts at rates this far apart change nothing, and are given up.
    assert listed.status == "optimal" or enumeration.PATIENCE < len(programs) < 2 * enumeration.PATIENCE


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
    cost = result.plan.rates @ ((theta @ result.optimal_decision) - result.plan.decisions @ theta)
    assert cost == pytest.approx(result.value, rel=1e-6, abs=1e-12)
    if result.value > 0.0:
        assert least_of_all(decisions, theta, result.rates) >= 1.0 - 1e-6


def test_an_infinite_value_is_no_bracket():
    result = solve(sb.MSets(2, 1), [0.8, 0.3])
    assert dataclasses.replace(result, value=math.inf).gap == 1.0


@pytest.mark.parametrize("method", ["closed-form", "cycles", "enumeration"])
@pytest.mark.parametrize("rest", [0.1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11])
def test_brackets_hold_to_the_last_digit(method, rest):
    """Next to 1 a gap rounded in its last digit makes an error of 1e-16 / rest; 60 digits show whether that is covered."""
    for low in (0.3, 0.1, 0.77, 0.0):
        theta = [1.0 - rest, low]
        gap = Decimal(theta[0]) - Decimal(theta[1])
        value = gap / exact_divergence(low, gap)
        result = solve(sb.MSets(2, 1), theta, method=method, gap=1e-9 + 1e-13 / rest)
        assert Decimal(result.lower) <= value <= Decimal(result.value)


@pytest.mark.parametrize("rest", [0.1, 1e-3, 1e-5, 1e-7, 1e-9])
def test_brackets_of_pairs_hold_to_the_last_digit(rest):
    """Two items that rise together, by half of the gap each: C = gap / (2 d(1/2, 1/2 + gap/2)) along the other path."""
    theta = [1.0 - rest, 1.0 - rest, 0.5, 0.5]
    gap = 2 * Decimal(theta[0]) - 1
    value = gap / (2 * exact_divergence(0.5, gap / 2))
    path = sb.Paths([("s", "u"), ("u", "t"), ("s", "v"), ("v", "t")], "s", "t")
    for space in (path, sb.EnumeratedDecisions([[1, 1, 0, 0], [0, 0, 1, 1]])):
        result = solve(space, theta, throw=False)
        assert Decimal(result.lower) <= value <= Decimal(result.value)
        assert result.gap <= 1e-4


@pytest.mark.parametrize("method", ["cycles", "enumeration"])
def test_pairs_whose_items_fill_almost_all_that_1_leaves(method):
    """Each item alone is out of reach, and no rate along its own best decision is asked for; together they are not."""
    theta = [1.0 - 1e-12, 1.0 - 1e-12, 1.0 - 8e-12, 1.0 - 8e-12]
    gap = sum(map(Decimal, theta[:2])) - sum(map(Decimal, theta[2:]))
    value = gap / (2 * exact_divergence(theta[2], gap / 2))
    result = solve(pair_of_paths(), theta, method=method)
    assert Decimal(result.lower) <= value <= Decimal(result.value)


def pair_of_paths():
    return sb.Paths([("s", "u"), ("u", "t"), ("s", "v"), ("v", "t")], "s", "t")


@pytest.mark.parametrize("method", ["cycles", "enumeration"])
@pytest.mark.parametrize("t", [1e-2, 1e-5, 1e-8, 1e-12, 1e-16])
def test_means_of_0_and_small_gaps(method, t):
    """Rises of two means of 0 begin at one and the same price, which has no digits for them: C = t / d(0, t), about 1."""
    value = Decimal(t) / exact_divergence(0.0, Decimal(t))
    result = solve(pair_of_paths(), [t, t, 0.0, 0.0], method=method)
    assert Decimal(result.lower) <= value <= Decimal(result.value)


@pytest.mark.parametrize("method", ["cycles", "enumeration"])
@pytest.mark.parametrize("t", [1e-18, *later(1e-25, 1e-50, 1e-100)])
def test_gaps_below_all_digits_leave_a_bracket_that_holds(method, t):
    small = solve(matching(3), np.array([1.0, 0.2, 0.0, 0.0, 1.0, 0.3, 0.5, 0.0, 1.0]) * t, method=method, throw=False)
    same = solve(matching(3), np.array([1.0, 0.2, 0.0, 0.0, 1.0, 0.3, 0.5, 0.0, 1.0]) * 1e-10)
    assert small.lower <= same.value * (1.0 + 1e-9)  # C tends to a limit as all means shrink together
    assert same.lower * (1.0 - 1e-9) <= small.value <= 9.0 * same.value  # m squared times C, as without any search
    pair = solve(pair_of_paths(), [t, t, 0.0, 0.0], method=method, throw=False)
    assert pair.lower <= 1.0 <= pair.value <= 4.1


def test_the_master_does_not_go_to_and_fro_at_kinks():
    """Means of 1e-12 to 1e-5: information is next to a minimum of a few linear functions of the rates."""
    rng = np.random.default_rng(5306)
    theta = rng.random(25) ** 4 * 10.0 ** rng.uniform(-6, 0)
    result, listed = solve(matching(5), theta, gap=1e-3), solve(matching(5), theta, method="enumeration", gap=1e-3)
    assert max(result.lower, listed.lower) <= min(result.value, listed.value)


@pytest.mark.parametrize("seed", [2, 8, 29, 32])
def test_enumeration_ends_where_rates_are_of_very_different_sizes(seed):
    """Means next to 0 and 1: in units of its largest term, a constraint would hold by the tolerance of the program alone."""
    rng = np.random.default_rng(seed)
    space = random_matching(rng, "rows")
    rest = 10.0 ** rng.uniform(-9, -1, space.d)
    theta = np.where(rng.random(space.d) < 0.5, rest, 1.0 - rest)
    listed, cycles = solve(space, theta, method="enumeration"), solve(space, theta, gap=1e-3, throw=False)
    assert max(listed.lower, cycles.lower) <= min(listed.value, cycles.value) * (1.0 + 1e-9)


def test_the_bracket_is_valid_when_time_runs_out():
    space = sb.Matchings([(i, j) for i in range(12) for j in range(12)])
    theta = np.random.default_rng(0).random(144)
    hurried = solve(space, theta, time_limit=1e-6, throw=False)
    full = solve(space, theta)
    assert hurried.status == "time_limit"
    assert hurried.lower <= full.value
    assert full.lower <= hurried.value
    with pytest.raises(SolverError, match="the relative gap must be at most"):
        solve(space, theta, time_limit=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"theta": [0.5, 1.2, 0.1]}, r"theta must lie in \[0, 1\] for Bernoulli rewards, got 1.2 for item 1"),
        ({"variance": 0.25}, "variance must be left out for Bernoulli rewards"),
        ({"variance": None}, "must be left out for Bernoulli rewards, got None: it is theta"),
        ({"variance": [0.5, 0.5, 0.5]}, "variance must be left out for Bernoulli rewards"),
        ({"theta": [1e-200, 0.0, 0.0]}, "must be 0 or contain a mean of 1e-100 or more .*, got at most 1e-200: pass 0"),
        ({"rewards": "poisson"}, "rewards must be 'gaussian' or 'bernoulli', got 'poisson'"),
    ],
)
def test_invalid_input_is_refused(options, message):
    arguments = {"theta": [0.5, 0.2, 0.1], "rewards": "bernoulli"} | options
    with pytest.raises(InvalidInputError, match=message):
        sb.graves_lai(sb.MSets(3, 1), **arguments)


@pytest.mark.parametrize("method", ["columns", "glpg"])
def test_methods_for_gaussian_rewards_alone(method):
    with pytest.raises(UnsupportedError, match="is for Gaussian rewards"):
        solve(sb.MSets(3, 1), [0.5, 0.2, 0.1], method=method)


def test_unsupported_methods_name_supported_ones():
    listed = sb.EnumeratedDecisions(np.eye(3, dtype=int))
    with pytest.raises(UnsupportedError, match=r"needs an exchange graph, got EnumeratedDecisions.*use method='enumeration'"):
        solve(listed, [0.5, 0.2, 0.1], method="cycles")
    with pytest.raises(TooManyDecisionsError, match=r"at most 20,000 decisions.*use method='cycles' or 'auto'"):
        solve(matching(9), np.linspace(0.1, 0.9, 81), method="enumeration")
    many = sb.EnumeratedDecisions((np.arange(20_001)[:, None] >> np.arange(15)) % 2)
    with pytest.raises(TooManyDecisionsError, match=r"at most 20,000 decisions.*rewards='gaussian' with variance=0.25"):
        solve(many, np.linspace(0.1, 0.9, 15))


def test_the_closed_form_is_for_matroids():
    with pytest.raises(UnsupportedError, match="closed form holds for matroid bases"):
        solve(grid(2, diagonals=False), [0.1, 0.2, 0.3, 0.4], method="closed-form")


def test_reward_models_select_their_bound():
    means = [0.5, 0.2]
    assert sb.BernoulliRewards(means).bound_family == "bernoulli"
    assert sb.GaussianRewards(means).bound_family == "gaussian"
    assert sb.BoundedRewards(means).bound_family is None


STALLED = [
    (
        [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)],
        [2.4e-25, 1.7e-62, 1e-23, 3.2e-18, 7.5e-40, 2.5e-34, 7.1e-22],
    ),
    (
        [(0, 1), (0, 2), (1, 2), (1, 4), (1, 5), (2, 3), (2, 5), (3, 4), (3, 5), (4, 5)],
        [3e-19, 1 - 1.1e-16, 1 - 4.1063651e-9, 1.7e-54, 1 - 2.0939209e-5, 1 - 1.6e-14, 0.1058844, 5.6e-25, 2.2e-35, 1.1e-17],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arcs", "means"), STALLED)
def test_means_of_which_most_are_next_to_0_or_1(arcs, means):
    """The brackets used to be [1.007, 8.0] and [1.443, 61.6]."""
    paths = sb.Paths(arcs, 0, arcs[-1][1])
    cycles = sb.graves_lai(paths, means, rewards="bernoulli", method="cycles", throw=False)
    result = sb.graves_lai(paths, means, rewards="bernoulli")
    assert result.gap <= 1e-4 < cycles.gap
    assert cycles.lower <= result.value * (1 + 1e-12)
    assert result.lower <= cycles.value * (1 + 1e-12)


def test_a_program_whose_numbers_differ_by_twenty_orders_of_magnitude():
    """The solver used to report the linear program infeasible, so that there was no lower bound."""
    rows = [[2, 5, 7], [2, 3, 4, 5], [1, 3, 6], [1, 2, 5, 6], [0, 2, 6], [0, 2, 3, 5, 6]]
    means = [6.9e-14, 1 - 1e-13, 1 - 1.9e-5, 1.0, 1 - 2.2e-7, 0.12, 3.8e-7, 0.14]
    decisions = [[i in row for i in range(8)] for row in rows]
    result = sb.graves_lai(sb.EnumeratedDecisions(decisions), means, rewards="bernoulli")
    assert 0 < result.lower <= result.value <= 1.0001 * result.lower
