"""GLPG against enumeration: the theorem's guarantee for feasible T, refusal otherwise, and certified gaps in practice."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from bound_checks import LAYERS, check_overlap
from enumeration_reference import reference
from hypothesis import given
from hypothesis import strategies as st

import semibandits as sb
from example_sets import largest_matchings, matching
from marks import later
from semibandits.decisions.polytopes import decomposed, polytope
from semibandits.kernels.machine import tiers
from semibandits.kernels.solver.orthant import Constraints, descend_orthant
from semibandits.regret_bound.certificates.upper import least_information
from semibandits.regret_bound.cuts import enumeration
from semibandits.regret_bound.glpg.algorithm import GLPG
from semibandits.regret_bound.glpg.reduction import plays_counter
from semibandits.regret_bound.glpg.worst import SLACK, BudgetedDecisions, BudgetFrontDecisions, ListedDecisions, SearchedDecisions
from semibandits.regret_bound.problem import Problem

GROUPS = np.random.default_rng(9).integers(0, 3, (2, 9)).tolist()

FAMILIES = {
    "paths": lambda: sb.Paths(LAYERS, "s", "t"),
    "perfect matchings": lambda: matching(5),
    "row matchings": lambda: matching(3, 4, saturate="rows"),
    "any matchings": lambda: matching(3, 4, saturate="none"),
    "largest matchings": largest_matchings,
    "m-sets": lambda: sb.MSets(9, 4),
    "trees": lambda: sb.SpanningTrees(list(itertools.combinations(range(5), 2))),
    "matroid": lambda: sb.MatroidBases(sb.matroids.Partition([0, 0, 0, 1, 1, 1, 2, 2, 2], 2)),
    "intersection": lambda: sb.MatroidIntersection(*(sb.matroids.Partition(row, 1) for row in GROUPS)),
    "list": lambda: sb.EnumeratedDecisions(np.unique(np.random.default_rng(1).random((60, 9)) < 0.5, axis=0)),
}


def check(result, gap):
    """Bracket and plan against full enumeration."""
    decisions = result.decision_set.enumerate()
    truth = reference(decisions, result.theta, result.variance)
    np.testing.assert_array_equal(result.suboptimal_items, truth.suboptimal)
    check_overlap(result, truth)
    assert result.gap <= gap
    items = truth.suboptimal
    u = decisions[:, items] @ (2 * result.variance[items] / result.rates[items])
    assert (u <= truth.gaps**2 * (1 + 1e-9) + 1e-12).all()
    assert result.value == pytest.approx(
        result.plan.rates @ ((result.optimal_decision.astype(float) - result.plan.decisions) @ result.theta), rel=1e-9
    )
    return truth


@pytest.mark.parametrize("gap", [0.05, *later(0.01)])
@pytest.mark.parametrize("family", FAMILIES)
def test_practical_schedule_reaches_certified_gaps(family, gap):
    decision_set = FAMILIES[family]()
    assert 5 < decision_set.count() <= 130
    theta = np.random.default_rng(0).random(decision_set.d)
    check(sb.graves_lai(decision_set, theta, method="glpg", gap=gap), gap)
    if gap == 0.05 and family in ("paths", "perfect matchings", "any matchings", "list"):
        variance = 10.0 ** np.random.default_rng(1).uniform(-0.5, 0.5, decision_set.d)
        check(sb.graves_lai(decision_set, theta, variance, method="glpg", gap=gap), gap)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("theta", [(0, 1), (1, 0), (0, 0, 1), (0, 1, 1)])
def test_the_guarantee_of_the_theorem(theta):
    theta = np.array(theta, dtype=float)
    problem = sb.ReducedProblem.of(sb.MSets(len(theta), 1), theta)
    parameters = sb.GLPGParameters.theoretical(problem, 0.5)
    assert 1e5 < parameters.steps < 2e6
    algorithm = GLPG(problem, parameters)
    result = algorithm.run()
    assert algorithm.steps == parameters.steps
    truth = float((1.0 / (theta.max() - theta[theta < theta.max()])).sum())
    assert truth <= result.value <= truth + 0.5
    assert (result.rates[theta < theta.max()] >= 1.0).all()


def test_the_guarantee_with_a_ratio():
    problem = sb.ReducedProblem.of(sb.MSets(2, 1), [0, 1])
    parameters = sb.GLPGParameters.theoretical(problem, 1.0, 0.5)
    result = GLPG(problem, parameters).run()
    assert 1.0 <= result.value <= 1.0 / 0.5 + 1.0


def test_corrected_constants():
    """Two arms, theta = (0, 1), delta = 0.1: errata 2 to 5 by hand, with m = 1, d = 2 and q = (1, 0)."""
    problem = sb.ReducedProblem.of(sb.MSets(2, 1), [0, 1])
    p = sb.GLPGParameters.theoretical(problem, 0.1, most_steps=10**8)
    delta2 = 0.1 / 4
    delta1 = 0.05 / (1 + delta2)
    penalty = (delta1 + 2) / delta2
    squared_slope = 2 * (1 + 2 * penalty**2)
    np.testing.assert_allclose(problem.cost, [1.0, 0.0], atol=1e-12)
    assert p.inflation == pytest.approx(1 + delta2)
    assert p.penalty == pytest.approx(penalty)
    assert p.steps == math.ceil(4 * squared_slope / delta1**2)
    assert 4 / (2 * p.step * p.steps) + p.step * squared_slope / 2 == pytest.approx(delta1, rel=1e-6)


@pytest.mark.parametrize(
    ("decision_set", "theta", "delta", "expected"),
    [
        (sb.MSets(2, 1), [0, 1], 0.1, 4.5e7),
        (sb.MSets(3, 2), [0, 1, 1], 1.0, 2e11),
        (sb.MSets(10, 3), [0, 1, 2, 3, 4, 5, 5, 5, 0, 1], 0.1, 2.0e32),
    ],
)
def test_refusal_names_the_number_of_steps(decision_set, theta, delta, expected):
    problem = sb.ReducedProblem.of(decision_set, theta)
    with pytest.raises(sb.InvalidInputError, match="practical schedule") as refusal:
        sb.GLPGParameters.theoretical(problem, delta)
    named = float(str(refusal.value).split("got T = ")[1].split(" ")[0])
    assert named == pytest.approx(expected, rel=0.5)


def test_no_cost_on_the_items_of_i():
    """Plays cost here, but items do not. Where nothing is violated, the subgradient is 0 on I."""
    rows = ["00100", "01011", "01101", "01110", "10000", "10001", "11001", "11101", "11110"]
    decision_set = sb.EnumeratedDecisions([[int(c) for c in row] for row in rows])
    theta = np.array([0.0, 0.0, 0.0, 2.0, 2.0])
    variance = np.array([0.5118577277809431, 0.47374371357043243, 0.2897740865352899, 0.5241082700575319, 0.4028099912370926])
    result = sb.graves_lai(decision_set, theta, variance, method="glpg", gap=0.05)
    exact = sb.graves_lai(decision_set, theta, variance, method="enumeration", gap=1e-8)
    check_overlap(result, exact, 0.0)
    assert result.gap <= 0.05


@pytest.mark.parametrize("form", [lambda x: x.astype(int), lambda x: x.tolist()])
def test_own_class_may_answer_with_integers_or_lists(form):
    class Own(sb.DecisionSet):
        d, m = 4, 2

        def maximize(self, weights):
            x = sb.MSets(4, 2).maximize(weights)
            weights[:] = 0.0
            return form(x)

    theta = np.array([1.0, 2.0, 3.0, 4.0])
    for method in ("glpg", "columns"):
        result = sb.graves_lai(Own(), theta, method=method, gap=0.05)
        assert result.lower <= 1.5 <= result.value  # 1/1 + 1/2 for swaps of gaps 2 and 1


def test_all_optimal_costs_nothing():
    result = sb.graves_lai(sb.MSets(4, 2), np.ones(4), method="glpg")
    assert (result.value, result.lower, len(result.plan)) == (0.0, 0.0, 0)


def test_steps_can_be_inspected_and_lead_where_run_leads():
    problem = sb.ReducedProblem.of(FAMILIES["paths"](), np.random.default_rng(0).random(len(LAYERS)))
    parameters = sb.GLPGParameters(steps=20, stages=2)
    stepped, run = GLPG(problem, parameters), GLPG(problem, parameters)
    reports = [stepped.step() for _ in range(40)]
    run.run(gap=1e-9)
    assert [(r.stage, r.number) for r in reports] == [(s, k) for s in (0, 1) for k in range(1, 21)]
    assert (stepped.value, stepped.lower, stepped.stage) == (run.value, run.lower, 2)
    weights = [r.step for r in reports[:20]]
    mean = np.average([r.iterate for r in reports[:20]], axis=0, weights=weights)
    np.testing.assert_allclose(reports[19].average, mean, rtol=1e-12)
    assert all(r.decision in problem.decision_set for r in reports)


def test_steps_of_the_practical_schedule_follow_its_description():
    """Single items, so that projections are clips: the formulas of `GLPGParameters`, with v = 2 sigma^2."""
    gaps, v = np.array([0.4, 0.7, 0.8]), np.array([1.0, 3.0, 0.5])
    problem = sb.ReducedProblem.of(sb.MSets(4, 1), np.append(1.0, 1.0 - gaps), np.append(1.0, v) / 2.0)
    glpg = GLPG(problem, sb.GLPGParameters(penalty=3.0, step=0.5, steps=8, stages=1))
    norm, w = gaps**3 / v, v / gaps**2
    cost, radius = gaps @ w, math.sqrt(norm @ w**2)
    assert glpg.value == pytest.approx(cost)
    for _ in range(7):
        step = glpg.step()
        violations = v / w / gaps**2 - 1.0
        gradient = gaps.copy()
        if violations.max() > 1e-12:
            worst = np.flatnonzero(step.decision[1:])
            assert violations[worst] == pytest.approx(violations.max())
            assert step.violation == pytest.approx(violations.max())
            gradient[worst] -= (3.0 * cost * v / w**2 / gaps**2)[worst]
        length = 0.5 * radius / math.sqrt(8 * (gradient**2 / norm).sum())
        w = w - length * gradient / norm
        assert step.step == pytest.approx(length)
        np.testing.assert_allclose(step.iterate, np.append(0.0, w), rtol=1e-9)


def test_the_first_stage_improves_the_lower_bound():
    """The multipliers of the start are optimal for matroids only."""
    problem = sb.ReducedProblem.of(FAMILIES["perfect matchings"](), np.random.default_rng(0).random(25))
    glpg = GLPG(problem)
    first = glpg.lower
    assert first > 0.0
    for _ in range(glpg.parameters.steps):
        glpg.step()
    assert glpg.stage == 1
    assert glpg.lower > 1.01 * first


def slow_descent(start, lower, cost, items, v, squared_gaps, penalty, step, ratio, steps):
    w, total, counts = start.copy(), np.zeros(len(start)), np.zeros(len(items), dtype=int)
    for _ in range(steps):
        h = v / (ratio * w[items]) - squared_gaps
        k = int(np.argmax(h))
        g = cost.copy()
        if h[k] > 0:
            g[items[k]] -= penalty * ratio * v[k] / (ratio * w[items[k]]) ** 2
            counts[k] += 1
        w = np.maximum(w - step * g, lower)
        total += w
    return w, total, counts


@given(st.integers(0, 2**32 - 1))
def test_compiled_descent_is_the_plain_one(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 6))
    items = np.flatnonzero(rng.random(d) < 0.6)
    if not len(items):
        items = np.array([0])
    lower = np.where(np.isin(np.arange(d), items), 0.2, 0.0)
    arguments = (
        lower + rng.random(d), lower, rng.random(d), items, 0.5 + rng.random(len(items)),
        rng.integers(1, 3, len(items)).astype(float), 2.0, 0.01, float(rng.choice([1.0, 0.5])), 50,
    )  # fmt: skip
    start, lower, cost, *constraints, penalty, step, ratio, steps = arguments
    found = descend_orthant(start, lower, cost, Constraints(*constraints), penalty, step, ratio, steps)
    for fast, slow in zip(found, slow_descent(*arguments), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_number_of_plays(family):
    decision_set = FAMILIES[family]()
    count = plays_counter(decision_set)
    decisions = decision_set.enumerate().astype(float)
    solvable = np.linalg.lstsq(decisions, np.ones(len(decisions)), rcond=None)[0]
    assert (count is not None) == np.allclose(decisions @ solvable, 1.0)
    if count is not None:
        np.testing.assert_allclose(decisions @ count, 1.0, atol=1e-9)
        np.testing.assert_allclose(count, solvable, atol=1e-9)  # the shortest one


@given(st.integers(0, 2**32 - 1))
def test_most_violated_decision(seed):
    """Erratum 7: the maximum over all decisions is met by listing and fronts, and bounded by what a ratio finds."""
    rng = np.random.default_rng(seed)
    decision_set = (sb.MSets(5, 2), sb.Paths([(0, 1), (0, 1), (1, 2), (1, 2), (0, 2), (1, 2)], 0, 2))[seed % 2]
    theta = rng.integers(0, 4, decision_set.d).astype(float)
    problem = sb.ReducedProblem.of(decision_set, theta)
    if not len(problem.items):
        return
    u = np.zeros(decision_set.d)
    u[problem.items] = 10.0 ** rng.uniform(-2, 2, len(problem.items))
    decisions = decision_set.enumerate()
    gaps = (problem.optimal_decision @ theta) - decisions @ theta
    counted = decisions[:, problem.items].any(axis=1)
    worst = {True: (decisions @ u)[counted] / gaps[counted] ** 2, False: (decisions @ u - gaps**2)[counted]}
    for relative in (True, False):
        for finder, ratio in ((ListedDecisions, 1.0), (BudgetFrontDecisions, 1.0), (BudgetedDecisions, 0.5)):
            x, gap = finder(problem, ratio, relative).find(u)
            found = (u @ x) / ratio / gap**2 if relative else (u @ x) / ratio - gap**2
            assert found >= worst[relative].max() - 1e-9 * abs(worst[relative].max())
            if ratio == 1.0:
                assert found == pytest.approx(worst[relative].max(), rel=1e-9)
    x, gap = SearchedDecisions(problem, 1.0, True).find(u)
    assert gap == pytest.approx(problem.optimal_decision @ theta - x @ theta, rel=1e-9)
    assert worst[True].max() / (1.0 + SLACK) <= (u @ x) / gap**2 * (1.0 + 1e-9) <= worst[True].max() * (1.0 + 1e-6)


@given(st.integers(0, 2**32 - 1))
def test_decomposition_adds_up_with_few_terms(seed):
    """Erratum 8, its own example (2-sets of 3 items, w = (2, 1, 1)) among the points."""
    rng = np.random.default_rng(seed)
    names = ("paths", "perfect matchings", "any matchings", "m-sets")
    decision_set = FAMILIES[names[seed % 4]]() if seed % 5 else sb.MSets(3, 2)
    problem = sb.ReducedProblem.of(decision_set, rng.random(decision_set.d))
    decisions = decision_set.enumerate()
    some = decisions[rng.integers(0, len(decisions), 6)]
    if decision_set.d == 3:
        some = np.array([[1, 1, 0], [1, 0, 1]], dtype=bool)
    rates = rng.integers(1, 4, len(some)) if rng.random() < 0.5 else rng.random(len(some))
    w = rates @ problem.lifted(some)
    parts, weights = decomposed(decision_set, polytope(decision_set), w[: decision_set.d], float(problem.count @ w))
    assert all(x in decision_set for x in parts)
    assert (weights > 0).all()
    np.testing.assert_allclose(weights @ problem.lifted(parts), w, atol=1e-7 * rates.sum())
    assert len(parts) <= np.linalg.matrix_rank(problem.lifted(decisions)) + 1


@pytest.mark.parametrize("family", ["paths", "perfect matchings", "list"])
def test_least_information_by_other_ways_than_listing(family, monkeypatch):
    decision_set = FAMILIES[family]()
    rng = np.random.default_rng(4)
    problem = Problem(decision_set, rng.random(decision_set.d), sb.laws.Gaussian(), 1e-12, 1e-4)
    rates = rng.uniform(0.5, 2.0, decision_set.d) * 0.1
    plan = sb.ExplorationPlan(np.eye(decision_set.d, dtype=bool), rates)
    listed = least_information(problem, plan)
    assert listed < 1.0  # the search for cycles proves no more than 1
    monkeypatch.setattr(enumeration, "MAX_DECISIONS", 2)
    assert listed * (1 - 3e-6) <= least_information(problem, plan) <= listed * (1 + 1e-12)
    assert 0.0 < least_information(replace(problem, limit=-math.inf), plan) <= listed


def test_swaps_out_of_reach_need_no_plays():
    """No mean can rise above 1, so that only the item of the second block can enter."""
    decision_set = sb.MatroidBases(sb.matroids.Partition([0, 0, 1, 1], 1))
    problem = Problem(decision_set, np.array([1.0, 0.5, 0.75, 0.5]), sb.laws.Bernoulli(), 1e-12, 1e-4)
    plan = sb.ExplorationPlan(np.array([[1, 0, 0, 1]], dtype=bool), np.array([3.0]))
    assert least_information(problem, plan) == pytest.approx(1.5 * math.log(4.0 / 3.0))  # 3 d(1/2, 3/4)


def test_a_search_without_a_fast_front_hears_the_time_limit():
    """One front of these matchings takes minutes."""
    decision_set = matching(16)
    theta, seconds = np.random.default_rng(0).random(256), tiers.seconds
    start = seconds()
    found = sb.graves_lai(decision_set, theta, method="glpg", gap=1e-6, time_limit=0.5, throw=False)
    assert seconds() - start < 60.0
    assert found.status == "time_limit"
    truth = sb.graves_lai(decision_set, theta, gap=1e-2)
    assert found.lower <= truth.value
    assert truth.lower <= found.value < math.inf


def test_progress_and_time_limit():
    seen = []
    decision_set = FAMILIES["paths"]()
    theta = np.random.default_rng(0).random(decision_set.d)
    sb.graves_lai(decision_set, theta, method="glpg", gap=0.05, progress=seen.append)
    assert [now.round for now in seen] == list(range(1, len(seen) + 1))
    assert all(now.lower <= now.value * (1 + 1e-9) for now in seen)
    early = sb.graves_lai(decision_set, theta, method="glpg", gap=1e-6, time_limit=1e-6, throw=False)
    check(early, math.inf)
    assert early.status == "time_limit"
