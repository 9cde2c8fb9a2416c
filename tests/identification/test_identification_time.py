"""The time of identification against lists of all decisions, another conic program, exact arithmetic, and closed forms."""

from __future__ import annotations

import itertools
import math
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar

import semibandits as sb
from example_sets import largest_matchings, random_list
from semibandits.errors import InvalidInputError, SolverError, UnsupportedError
from semibandits.identification import solve
from semibandits.identification.evidence import Evidence, Observed
from semibandits.identification.exchanges import Listed, Searched
from semibandits.identification.law_searches import ByEvidence
from semibandits.laws import Bernoulli, Gaussian, Poisson, law_from
from semibandits.regret_bound.cuts.cones import cone_program
from semibandits.regret_bound.problem import Problem

GAP = 1e-3


def msets(rng):
    return sb.MSets(*[(5, 2), (6, 3), (4, 1), (5, 4), (3, 3)][rng.integers(5)])


def trees(rng):
    edges = list(itertools.combinations(range(4 + rng.integers(2)), 2))
    return sb.SpanningTrees([e for k, e in enumerate(edges) if k not in (1, 7)])


def quotas(rng):
    return sb.MatroidBases(sb.matroids.Partition((np.arange(7) % 3).tolist(), {0: 1, 1: int(rng.integers(3)), 2: 1}))


def paths(rng):
    rows, columns = 3, int(rng.integers(3, 5))
    steps = [((i, j), (i + a, j + b)) for i in range(rows) for j in range(columns) for a, b in ((0, 1), (1, 0), (1, 1))]
    arcs = [(u, v) for u, v in steps if v[0] < rows and v[1] < columns and (u[0] == v[0] or u[1] == v[1] or rng.random() < 0.4)]
    return sb.Paths(arcs, (0, 0), (rows - 1, columns - 1))


def matchings(rng):
    saturate = ("both", "rows", "columns", "none", "most")[rng.integers(5)]
    if saturate == "most":
        return largest_matchings()
    rows, columns = {"both": (3, 3), "rows": (2, 4), "columns": (4, 3), "none": (3, 3)}[saturate]
    return sb.Matchings(list(itertools.product(range(rows), range(columns))), saturate=saturate)


def intersections(rng):
    while True:
        d, groups = int(rng.integers(6, 9)), int(rng.integers(3, 5))
        first, second = (sb.matroids.Partition(rng.integers(groups, size=d).tolist(), 1) for _ in range(2))
        decision_set = sb.MatroidIntersection(first, second)
        if decision_set.count() <= 150:
            return decision_set


FAMILIES = (msets, trees, quotas, paths, matchings, intersections, random_list)
SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed):
    """A set, means with ties and near ties, variances over up to six orders, and what may be lost."""
    rng = np.random.default_rng(seed)
    decision_set = FAMILIES[seed % len(FAMILIES)](rng)
    d = decision_set.d
    theta = (rng.random(d), rng.normal(size=d), rng.integers(0, 5, d).astype(float))[rng.integers(3)]
    if rng.random() < 0.2:
        theta[rng.integers(d)] += 1e-4 * rng.random()
    variance = rng.uniform(0.2, 2.0, d) if rng.random() < 0.5 else 10.0 ** rng.uniform(-3, 3, d)
    return decision_set, theta, variance, 0.0 if rng.random() < 0.5 else float(10 ** rng.uniform(-3, 0))


def alternatives(decision_set, theta, within):
    """The items in which each other decision differs from the best one, and its gap plus what may be lost."""
    best, rows = decision_set.maximize(theta), decision_set.enumerate()
    rows = rows[(rows != best).any(axis=1)]
    gaps = np.array([math.fsum([*theta[best & ~x], *-theta[x & ~best]]) for x in rows])
    return rows != best, gaps + within


def largest_ratio(differ, distances, variance, plays):
    u = np.divide(2.0 * variance, plays, out=np.full(len(plays), np.inf), where=plays > 0)
    return max(float(u[row].sum()) / distance**2 for row, distance in zip(differ, distances, strict=True))


def other_upper_bound(decision_set, differ, distances, variance):
    """Rounds that are enough, by one conic program over the list of all decisions, and all ratios computed here."""
    used = differ.any(axis=0)
    columns = decision_set.enumerate()[:, used]
    best = math.inf
    for accuracy in (1e-9, 1e-8, 1e-7):
        rates, _, _ = cone_program(
            columns, np.ones(len(columns)), differ[:, used], distances**2, 2.0 * variance[used], accuracy, math.inf
        )
        plays = rates @ columns
        if (plays > 0).all():
            best = min(best, rates.sum() * largest_ratio(differ[:, used], distances, variance[used], plays))
    return best


def check(decision_set, theta, variance, within, **options):
    found = sb.identification_time(decision_set, theta, variance=variance, within=within, gap=GAP, **options)
    differ, distances = alternatives(decision_set, theta, within)
    if not len(differ):
        assert (found.value, found.lower, len(found.plan)) == (0.0, 0.0, 0)
        return found
    if within == 0.0 and distances.min() <= 1e-12 * decision_set.m * max(np.abs(theta)):
        assert found.value == found.lower == math.inf
        return found
    assert 0.0 < found.lower <= found.value <= found.lower / (1.0 - GAP)
    plan = np.array(list(found.plan.items.masks()))
    assert all(x in decision_set for x in plan)
    assert found.plan.shares.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(found.plan.item_shares, found.plan.shares @ plan)
    plays = found.value * found.plan.item_shares
    assert largest_ratio(differ, distances, variance, plays) <= 1.0 + 1e-9  # so that `value` is an upper bound
    assert found.lower <= other_upper_bound(decision_set, differ, distances, variance) * (1.0 + 1e-9)
    return found


@contextmanager
def searched_by(kind):
    """Within the block, exchanges are searched for in this way, whatever the family."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solve, "exchanges_of", kind)
        yield


@settings(max_examples=140)
@given(SEEDS)
def test_brackets_are_true_by_lists_of_decisions(seed):
    check(*drawn(seed))


@settings(max_examples=60)
@given(SEEDS, st.sampled_from([Listed, Searched]))
def test_other_searches_for_the_worst_decision_prove_as_much(seed, kind):
    with searched_by(kind):
        check(*drawn(seed))


@settings(max_examples=60)
@given(SEEDS)
def test_lower_bounds_hold_in_exact_arithmetic(seed):
    decision_set, theta, variance, within = drawn(seed)
    solver = solve._Solver(Problem(decision_set, theta, Gaussian(variance), 1e-12, GAP), within)
    solver.run()
    if not 0.0 < solver.lower < math.inf:
        return
    exchanges = list(solver.rows)[: len(solver.multipliers)]
    prices, multipliers = [Fraction(p) for p in solver.prices.tolist()], [Fraction(m) for m in solver.multipliers.tolist()]
    best = set(np.flatnonzero(solver.exchanges.decision).tolist())
    exact = [Fraction(t) for t in theta.tolist()]
    weight, worth = Fraction(0), [Fraction(0)] * len(theta)
    for one, multiplier in zip(exchanges, multipliers, strict=True):
        gap = sum(exact[i] if i in best else -exact[i] for i in one.items.tolist())
        weight += multiplier * (gap + Fraction(within)) ** 2
        for i in one.items.tolist():
            worth[i] += multiplier
    dearest = max(sum(prices[i] for i in np.flatnonzero(x)) for x in decision_set.enumerate())
    # The sum of roots, rounded down: a root of a fraction is at least that of its floor in units of 2^-200.
    terms = [2 * Fraction(v) * y * p for v, y, p in zip(variance.tolist(), worth, prices, strict=True)]
    roots = sum(Fraction(math.isqrt(math.floor(term * 4**200)), 2**200) for term in terms)
    assert roots**2 / (weight * dearest) >= Fraction(solver.lower) * (1 - Fraction(1, 10**13))


def moved(law, mean, slope):
    """The mean at which the divergence from `mean` has this slope: raised if it is positive, lowered if it is negative."""
    if isinstance(law, Poisson):
        return mean / (1.0 - slope)
    if isinstance(law, Gaussian):
        return min(mean + float(law.variance) * slope, float(law.upper))
    root = math.sqrt((1.0 - slope) ** 2 + 4.0 * slope * mean)  # of slope x^2 + (1 - slope) x - mean
    return 2.0 * mean / ((1.0 - slope) + root)


def other_divergence(law, mean, other):
    if isinstance(law, Gaussian):
        return (mean - other) ** 2 / (2.0 * float(law.variance))
    if isinstance(law, Poisson):
        return other - mean + mean * math.log(mean / other)
    return sum(p * math.log(p / q) for p, q in ((mean, other), (1.0 - mean, 1.0 - other)))


def rooms(law, theta, best):
    """How far each mean can move: down if the item leaves, up if it enters."""
    fall = np.inf if isinstance(law, Gaussian) else theta
    return np.where(best, fall, np.inf if isinstance(law, Poisson) else 1.0 - theta)


def least_nats(law, theta, best, row, distance, plays):
    """Information against one decision, by bisection of the slope."""
    items, sign = np.flatnonzero(row), np.where(best, -1.0, 1.0)
    if rooms(law, theta, best)[row].sum() <= distance * (1.0 + 1e-12):
        return math.inf

    def others(s):
        return [moved(law, theta[i], sign[i] * s / plays[i]) for i in items]

    raised = [plays[i] for i in items if not best[i]]
    limit = min(raised) * (1.0 - 1e-12) if isinstance(law, Poisson) and raised else 1e6 * plays.max()
    low, high = 0.0, limit
    for _ in range(200):
        middle = 0.5 * (low + high)
        changed = math.fsum(sign[i] * (mean - theta[i]) for i, mean in zip(items, others(middle), strict=True))
        low, high = (middle, high) if changed < distance else (low, middle)
    return math.fsum(plays[i] * other_divergence(law, theta[i], mean) for i, mean in zip(items, others(low), strict=True))


def drawn_with_law(seed):
    decision_set, theta, _, within = drawn(seed)
    rng = np.random.default_rng(seed + 1)
    law = (Bernoulli(), Poisson(), Gaussian(0.3, upper=1.0))[rng.integers(3)]
    theta = np.abs(theta) / (1.0 + np.abs(theta)) * 0.9 + 0.05  # ties stay ties
    return decision_set, theta * (3.0 if isinstance(law, Poisson) else 1.0), law, within


def check_with_law(decision_set, theta, law, within):
    found = sb.identification_time(decision_set, theta, law=law, within=within, gap=GAP)
    differ, distances = alternatives(decision_set, theta, within)
    if not len(differ) or not found.value:
        room = rooms(law, theta, decision_set.maximize(theta))
        assert found.value == found.lower == 0.0
        assert all(room[row].sum() <= distance * (1.0 + 1e-9) for row, distance in zip(differ, distances, strict=True))
        return found
    if within == 0.0 and distances.min() <= 1e-12 * decision_set.m * max(np.abs(theta)):
        assert found.value == found.lower == math.inf
        return found
    assert 0.0 < found.lower <= found.value <= found.lower / (1.0 - GAP)
    plays, best = found.value * found.plan.item_shares, decision_set.maximize(theta)
    plays = np.where(plays > 0.0, plays, 1e-300)
    nats = [least_nats(law, theta, best, row, distance, plays) for row, distance in zip(differ, distances, strict=True)]
    assert min(nats) >= 1.0 - 1e-7  # so that `value` is an upper bound, and `lower`, which is near, is no larger than that
    assert min(nats) <= 1.0 / (1.0 - GAP)
    return found


@settings(max_examples=60)
@given(SEEDS)
def test_brackets_of_laws_are_true_by_lists_of_decisions(seed):
    check_with_law(*drawn_with_law(seed))


@settings(max_examples=20)
@given(SEEDS)
def test_the_search_for_the_least_evidence_proves_as_much(seed):
    with searched_by(ByEvidence):
        check_with_law(*drawn_with_law(seed))


@pytest.mark.parametrize(
    ("law", "theta"), [("bernoulli", [0.8, 0.5, 0.45, 0.1]), ("poisson", [3.0, 1.0, 0.2]), ("gamma:shape=2", [5.0, 1.0, 0.9])]
)
def test_the_best_of_k_takes_the_time_of_garivier_and_kaufmann(law, theta):
    """Theorem 5 of their paper: plays x_k(y) of the others per play of the best one, with all information equal."""
    known = law_from(law)

    def information(x, mean):
        middle = (theta[0] + x * mean) / (1.0 + x)
        parts = known.divergence_below(np.array(theta[:1]), np.array([theta[0] - middle]))
        return float((parts + x * known.divergence(np.array([mean]), np.array([middle - mean])))[0])

    def time(y):
        plays = [brentq(lambda x, mean=mean: information(x, mean) - y, 0.0, 1e9, xtol=1e-12) for mean in theta[1:]]
        return (1.0 + sum(plays)) / y

    most = min(float(known.divergence_below(np.array(theta[:1]), np.array([theta[0] - mean]))[0]) for mean in theta[1:])
    best = minimize_scalar(time, bounds=(1e-6 * most, most * (1.0 - 1e-6)), method="bounded", options={"xatol": 1e-12})
    found = sb.identification_time(sb.MSets(len(theta), 1), theta, law=law, gap=1e-4)
    assert found.lower <= best.fun * (1.0 + 1e-9)
    assert found.value == pytest.approx(best.fun, rel=1e-6)


@pytest.mark.parametrize("law", ["bernoulli", "poisson", "gamma:shape=3,cost", "gaussian:variance=0.25,upper=1"])
def test_large_sets_with_laws(law):
    """10 x 10 matchings and a grid: the bracket by labels over a grid of prices."""
    rng = np.random.default_rng(2)
    grid = [((i, j), (i + a, j + b)) for i in range(6) for j in range(6) for a, b in ((0, 1), (1, 0)) if max(i + a, j + b) < 6]
    for decision_set in (sb.Matchings(list(itertools.product(range(10), range(10)))), sb.Paths(grid, (0, 0), (5, 5))):
        sign = -1.0 if "cost" in law else 1.0
        found = sb.identification_time(decision_set, sign * (0.05 + 0.9 * rng.random(decision_set.d)), law=law)
        assert found.gap <= GAP
        stop = sb.Stop(threshold="customary")
        observed = Observed(found.theta, 20.0 * found.value * found.plan.item_shares, 1, found.law)
        evidence = Evidence(decision_set, found.optimal_decision, observed, stop)
        evidence.least()
        # The least evidence of many decisions, each by its own search: none is below what the plan promises.
        assert 20.0 * (1.0 - 1e-6) <= min(value for value, _ in evidence.met) <= 20.0 * (1.0 + 2.0 * GAP)


def test_a_law_may_exclude_all_other_decisions():
    """Costs of 1 to 4 cannot fall to 0, so that nobody is the best team; no two articles differ by 2."""
    nobody = sb.Matchings(list(itertools.product(range(2), range(2))), saturate="none")
    assert sb.identification_time(nobody, costs=[1.0, 2.0, 3.0, 4.0], law="poisson:cost").value == 0.0
    assert sb.identification_time(sb.MSets(3, 1), [0.5, 0.4, 0.3], law="bernoulli", within=2.0).value == 0.0


def test_gamma_rewards_that_must_more_than_double():
    swaps = sb.identification_time(sb.MSets(2, 1), [5.0, 1.0], law="gamma")
    assert swaps.gap <= GAP
    with pytest.raises((UnsupportedError, SolverError)):
        sb.identification_time(sb.Matchings(list(itertools.product(range(2), range(2)))), [1.0, 0.02, 0.03, 40.0], law="gamma")


def test_two_arms_take_the_time_of_the_closed_form():
    """Two arms of gap D: plays in proportion to the standard deviations, 2 (s1 + s2)^2 / D^2 rounds in all."""
    found = sb.identification_time(sb.MSets(2, 1), [1.0, 0.6], variance=[1.0, 4.0], gap=1e-6)
    assert found.value == pytest.approx(2.0 * 9.0 / 0.16, rel=1e-5)
    np.testing.assert_allclose(found.plan.item_shares, [1 / 3, 2 / 3], atol=1e-3)
    assert found.least_rounds == pytest.approx(found.lower * 0.9 * math.log(19.0))
    assert found.hardest == [("1 instead of 0", 1.0)]


def test_what_may_be_lost_makes_ties_and_near_ties_finite():
    decision_set, theta = sb.MSets(4, 2), [0.9, 0.8, 0.8, 0.3]
    tied = sb.identification_time(decision_set, theta, variance=0.25)
    assert (tied.value, tied.lower, tied.gap, len(tied.plan), tied.status) == (math.inf, math.inf, 0.0, 0, "optimal")
    assert tied.least_rounds == math.inf
    assert tied.hardest == [("2 instead of 1", 1.0)]
    assert "pass within" in tied.summary()
    times = [sb.identification_time(decision_set, theta, variance=0.25, within=within).value for within in (0.05, 0.1, 0.2)]
    assert times == sorted(times, reverse=True)
    assert math.isfinite(times[0])


def test_units_and_order_of_items_do_not_matter():
    rng = np.random.default_rng(4)
    theta, variance = rng.random(9), rng.uniform(0.5, 2.0, 9)
    pairs = list(itertools.product("abc", range(3)))
    first = sb.identification_time(sb.Matchings(pairs), theta, variance=variance, within=0.01)
    large = sb.identification_time(sb.Matchings(pairs), 1e12 * theta, variance=1e24 * variance, within=1e10)
    assert large.value == pytest.approx(first.value, rel=2 * GAP)
    order = rng.permutation(9)
    other = sb.identification_time(sb.Matchings([pairs[k] for k in order]), theta[order], variance=variance[order], within=0.01)
    assert other.value == pytest.approx(first.value, rel=2 * GAP)
    by_label = sb.identification_time(
        sb.Matchings(pairs), dict(zip(pairs, theta, strict=True)), variance=dict(zip(pairs, variance, strict=True)), within=0.01
    )
    assert by_label.value == first.value
    by_costs = sb.identification_time(sb.Matchings(pairs), costs=-theta, variance=variance, within=0.01)
    assert by_costs.value == first.value


def test_an_item_out_of_scale_leaves_the_others_as_they_are():
    theta = np.array([0.9, 0.8, 0.5, 0.3, -1e12])
    apart = sb.identification_time(sb.MSets(5, 2), theta, variance=0.25)
    without = sb.identification_time(sb.MSets(4, 2), theta[:4], variance=0.25)
    assert apart.value == pytest.approx(without.value, rel=0.01)


def test_frames_and_texts_have_the_labels_of_the_set():
    pages = sb.MSets(4, 2, items=["news", "sport", "weather", "chess"])
    found = sb.identification_time(pages, [0.9, 0.8, 0.5, 0.3], variance=0.25, confidence=0.99)
    frame = found.plan.to_frame()
    assert list(frame.columns) == ["share", "items"]
    assert frame["items"][0] == ("sport", "weather")
    assert "weather instead of sport" in found.summary(top=1)
    assert "chess" not in found.summary(top=1)
    assert "99 % sure" in found.summary()
    assert "T*(θ)" in repr(found)
    assert [share for _, share in found.hardest] == sorted((share for _, share in found.hardest), reverse=True)


def test_a_gap_that_is_not_reached_in_time_is_an_error_with_the_bracket():
    rng = np.random.default_rng(0)
    pairs = list(itertools.product(range(8), range(8)))
    with pytest.raises(SolverError, match="throw=False") as caught:
        sb.identification_time(sb.Matchings(pairs), rng.random(64), gap=1e-12, time_limit=1e-3)
    result = caught.value.result
    assert isinstance(result, sb.IdentificationTime)
    assert 0.0 <= result.lower < result.value


class Pairs(sb.DecisionSet):
    """Non-empty sets of two items, with P_LM only."""

    d, m, rows = 2, 2, np.array([[0, 1], [1, 0], [1, 1]], dtype=bool)

    def maximize(self, weights):
        return self.rows[int(np.argmax(self.rows @ weights))].copy()


@pytest.mark.parametrize("within", [0.0, 1e-9, 1e-11])
def test_a_small_loss_is_no_harder_than_none(within):
    """The best pair has both items; item 0 of mean 0.1 takes 2 variance / 0.01 rounds."""
    assert sb.identification_time(Pairs(), [0.1, 0.4], within=within).value == pytest.approx(100.0, rel=GAP)


@pytest.mark.parametrize(
    ("decision_set", "theta"),
    [
        (sb.EnumeratedDecisions(Pairs.rows), [0.1, 1e6]),
        (sb.EnumeratedDecisions(np.array(list(itertools.product([0, 1], repeat=4)), dtype=bool)), [-1e7, 0.2, 0.1, 1e5]),
        (sb.Matchings(list(itertools.product(range(3), range(3)))), [0.2, 1e6, 0.1, 0.3, 0.2, 0.8, 0.9, 0.7, 0.6]),
        (Pairs(), [0.1, 1e6]),
    ],
)
@pytest.mark.parametrize("within", [0.0, 0.05])
def test_means_out_of_scale_in_all_kinds_of_sets(decision_set, theta, within):
    if isinstance(decision_set, Pairs):
        assert sb.identification_time(decision_set, theta, within=within).value == pytest.approx(
            1.0 / (0.1 + within) ** 2, rel=GAP
        )
    else:
        check(decision_set, np.array(theta), np.full(len(theta), 0.5), within)


@pytest.mark.parametrize(
    ("decision_set", "within"),
    [
        (sb.MatroidBases(sb.matroids.Oracle(40, lambda items: len(items) <= 14)), 0.01),
        (sb.MatroidBases(sb.matroids.Linear(np.random.default_rng(0).normal(size=(30, 200)))), 0.0),
        (sb.Matchings(list(itertools.product(range(20), range(20)))), 0.01),
    ],
)
def test_time_that_is_up_leaves_the_bracket_that_is_known(decision_set, within):
    theta = np.random.default_rng(1).random(decision_set.d)
    found = sb.identification_time(decision_set, theta, within=within, gap=1e-9, time_limit=1e-3, throw=False)
    assert 0.0 <= found.lower < found.value
    assert found.status == "time_limit"
    assert (len(found.plan) == 0) == math.isinf(found.value)
    assert ("no plan was proved in time" in found.summary()) == math.isinf(found.value)


@pytest.mark.parametrize(("scale", "options"), [(1e-160, {}), (1e200, {}), (1.0, {"variance": 1e308}), (1.0, {"within": 1e300})])
def test_numbers_of_rounds_that_are_no_floats_are_refused(scale, options):
    with pytest.raises(InvalidInputError, match="choose another unit"):
        sb.identification_time(sb.MSets(4, 2), scale * np.array([0.9, 0.8, 0.5, 0.3]), **options)


def test_the_result_keeps_its_own_arrays():
    theta, variance = np.array([0.9, 0.5]), np.array([0.1, 0.2])
    found = sb.identification_time(sb.MSets(2, 1), theta, variance=variance)
    theta[0] = variance[0] = 7.0
    assert (found.theta[0], found.variance[0]) == (0.9, 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1.0}, "confidence must lie in"),
        ({"confidence": 0.5}, "confidence must lie in"),
        ({"within": -0.1}, "within must be >= 0"),
        ({"within": math.nan}, "within must be"),
        ({"within": 1e-14}, "within must be 0 or above the rounding"),
        ({"gap": 0.0}, "gap must lie in"),
        ({"time_limit": 0.0}, "time_limit must be positive"),
        ({"variance": 0.0}, "variance must be"),
        ({"law": "bernoulli", "variance": 0.1}, "variance and rewards must be left out"),
        ({"law": "poisson:cost"}, "means must be <= 0"),
        ({"law": 3}, "law must be"),
        ({"costs": [1.0, 2.0, 3.0]}, "theta or costs must be given, got both"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InvalidInputError, match=message):
        sb.identification_time(sb.MSets(3, 1), [0.1, 0.2, 0.3], **options)


def streets(n):
    pairs = [((i, j), (i + a, j + b)) for i in range(n) for j in range(n) for a, b in ((0, 1), (1, 0), (-1, 0), (0, -1))]
    return [(u, v) for u, v in pairs if min(v) >= 0 and max(v) < n]


def test_few_routes_are_listed():
    routes = sb.Routes(streets(3), (0, 0), (2, 2), least=0.5)
    costs = 0.6 + np.random.default_rng(0).random(routes.d)
    found = sb.identification_time(routes, costs=costs, variance=0.1)
    listed = sb.identification_time(sb.EnumeratedDecisions(routes.enumerate()), -costs, variance=0.1)
    assert (found.value, found.lower) == (listed.value, listed.lower)
    assert "(0, 0) → (0, 1)" in found.summary()
    assert found.about_rounds() == listed.about_rounds()
    many = sb.Routes(streets(6), (0, 0), (5, 5))
    with pytest.raises(UnsupportedError, match="use Paths"):
        sb.identification_time(many, costs=np.ones(many.d))


def test_each_family_has_its_exchanges():
    rng = np.random.default_rng(1)
    kinds = {
        family.__name__: type(solve.exchanges_of(Problem(X, rng.random(X.d), Gaussian(0.5), 1e-12, GAP), within)).__name__
        for family in FAMILIES
        for X in [family(rng)]
        for within in [0.0]
    }
    assert kinds["msets"] == kinds["trees"] == kinds["quotas"] == "Swaps"
    assert kinds["paths"] == kinds["matchings"] == kinds["intersections"] == "Cycles"
    assert kinds["random_list"] == "Listed"
