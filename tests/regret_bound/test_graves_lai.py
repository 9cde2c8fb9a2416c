"""`graves_lai` against full enumeration, family by family."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from enumeration_reference import reference

import semibandits as sb

GAP = 1e-4


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


def random_dag(rng):
    n = int(rng.integers(3, 8))
    pairs = [(i, j) for i, j in itertools.combinations(range(n), 2) if rng.random() < 0.55]
    edges = [(i, i + 1) for i in range(n - 1)] + pairs  # parallel edges occur; so does the whole line
    return sb.Paths([edges[i] for i in rng.permutation(len(edges))], 0, n - 1)


def random_edges(rng, rows, columns):
    pairs = [(i, j) for i in range(rows) for j in range(columns) if i == j or rng.random() < 0.7]
    pairs += [pairs[k] for k in rng.integers(0, len(pairs), int(rng.integers(0, 2)))]
    return [pairs[i] for i in rng.permutation(len(pairs))]


def random_matching(rng, saturate):
    small = int(rng.integers(2, 5))
    large = small + (0 if saturate == "both" else int(rng.integers(0, 2)))
    shape = (large, small) if saturate == "columns" else (small, large)
    return sb.Matchings(random_edges(rng, *shape), saturate=saturate)


def random_matroid(rng, d):
    kind = rng.integers(5)
    if kind == 0:
        return sb.matroids.Uniform(d, int(rng.integers(1, d)))
    if kind == 1:
        return sb.matroids.Partition(rng.integers(0, 3, d).tolist(), int(rng.integers(1, 3)))
    if kind == 2:
        return sb.matroids.Graphic([tuple(rng.choice(5, 2, replace=False).tolist()) for _ in range(d)])
    if kind == 3:
        return sb.matroids.Transversal(
            [rng.choice(4, int(rng.integers(1, 3)), replace=False).tolist() for _ in range(d)]
        )
    return sb.matroids.Linear(rng.integers(-1, 2, (3, d)).astype(float))


def random_tree_set(rng):
    n = int(rng.integers(2, 6))
    edges = [(i, int(rng.integers(0, i))) for i in range(1, n)]
    edges += [tuple(rng.integers(0, n, 2).tolist()) for _ in range(int(rng.integers(0, 6)))]
    return sb.SpanningTrees(edges)


def random_intersection(rng):
    d = int(rng.integers(4, 9))
    return sb.MatroidIntersection(random_matroid(rng, d), random_matroid(rng, d))


def random_list(rng):
    d = int(rng.integers(3, 8))
    matrix = np.unique(rng.random((int(rng.integers(2, 15)), d)) < 0.5, axis=0)
    return sb.EnumeratedDecisions(matrix)


FAMILIES = {
    "msets": lambda rng: sb.MSets(int(rng.integers(3, 8)), int(rng.integers(1, 4))),
    "trees": random_tree_set,
    "matroids": lambda rng: sb.MatroidBases(random_matroid(rng, int(rng.integers(4, 9)))),
    "paths": random_dag,
    "perfect matchings": lambda rng: random_matching(rng, "both"),
    "row matchings": lambda rng: random_matching(rng, "rows"),
    "column matchings": lambda rng: random_matching(rng, "columns"),
    "any matchings": lambda rng: random_matching(rng, "none"),
    "intersections": random_intersection,
    "lists": random_list,
}


def check(decision_set, theta, variance, method="auto"):
    """The bracket holds the reference's, and the plan is what it says, decision by decision."""
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
