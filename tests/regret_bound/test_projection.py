"""Projections on the cone of decisions: each route against the others, and against the conditions for an optimum."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import semibandits as sb
from semibandits.regret_bound.glpg.projection import ColumnProjector, projector

FAMILIES = (
    lambda: sb.MSets(5, 2),
    lambda: sb.MSets(4, 4),
    lambda: sb.MSets(3, 1),
    lambda: sb.Paths([(0, 1), (0, 1), (1, 2), (1, 3), (2, 3), (0, 3)], 0, 3),
    lambda: sb.Matchings(list(itertools.product(range(3), repeat=2))),
    lambda: sb.Matchings(list(itertools.product(range(2), range(3))), saturate="none"),
    lambda: sb.SpanningTrees(list(itertools.combinations(range(4), 2))),
    lambda: sb.EnumeratedDecisions([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0]]),
)
INTERSECTION = sb.MatroidIntersection(  # quotas as a transversal matroid, whose rows the library does not know
    sb.matroids.Transversal([[0], [0], [1], [1], [2], [2]]), sb.matroids.Partition([0, 1, 1, 2, 2, 0], 1)
)


def setting(rng, decision_set):
    """A problem, lower bounds on some items, weights over two orders of magnitude, and a point."""
    problem = sb.ReducedProblem.of(decision_set, rng.integers(0, 3, decision_set.d).astype(float))
    lower = np.where(rng.random(problem.n) < 0.5, rng.choice([0.5, 1.0], problem.n), 0.0)
    if problem.counter:
        lower[-1] = 0.0
    weights = np.ones(problem.n) if rng.random() < 0.5 else 10.0 ** rng.uniform(-1, 1, problem.n)
    point = rng.normal(0, 2, problem.n) if rng.random() < 0.7 else rng.integers(-2, 4, problem.n).astype(float)
    return problem, lower, weights, point


def check_optimal(problem, lower, weights, point, w, tolerance):
    """w is in M, and no vertex of M's generators pulls: with pull = weights (point - w), pull · (y - w) <= 0 for y in M."""
    decisions = problem.lifted(problem.decision_set.enumerate())
    rates, residual = nonnegative_solution(decisions, w)
    assert residual <= tolerance
    assert (w >= lower - tolerance).all()
    pull = weights * (point - w)
    # A multiplier xi >= 0 on tight lower bounds only, with (pull + xi) · x <= 0 on all decisions and = 0 on w.
    tight = np.flatnonzero((w <= lower + 1e-6) & (lower > 0))
    from scipy.optimize import linprog

    n = len(tight)
    rows = np.column_stack((decisions[:, tight], -np.ones(len(decisions))))
    answer = linprog(
        np.append(np.zeros(n), 1.0), A_ub=rows, b_ub=-decisions @ pull, A_eq=np.append(w[tight], 0.0)[None],
        b_eq=[-pull @ w], bounds=[(-1e-9, None)] * n + [(0, None)],
    )  # fmt: skip
    if n:
        assert answer.status == 0
        assert answer.fun <= tolerance * 10
    else:
        assert abs(pull @ w) <= 10 * tolerance
        assert (decisions @ pull).max() <= 10 * tolerance
    assert rates.min() >= 0


def nonnegative_solution(decisions, w):
    from scipy.optimize import nnls

    return nnls(decisions.T, w)


@given(st.integers(0, 2**32 - 1))
def test_routes_agree(seed):
    rng = np.random.default_rng(seed)
    problem, lower, weights, point = setting(rng, FAMILIES[seed % len(FAMILIES)]())
    routes = ["columns", "compact", "auto"]
    points = [projector(problem, lower, weights, route).project(point) for route in routes]
    for w in points[1:]:
        np.testing.assert_allclose(w, points[0], atol=2e-5)


@given(st.integers(0, 2**32 - 1))
def test_exact_routes_are_optimal(seed):
    rng = np.random.default_rng(seed)
    problem, lower, weights, point = setting(rng, sb.MSets(*((5, 2), (4, 4), (3, 1), (6, 5))[seed % 4]))
    w = projector(problem, lower, weights).project(point)
    m = problem.decision_set.m
    assert (w >= lower).all()
    assert w.max() <= w.sum() / m * (1 + 1e-9) + 1e-12
    reference = projector(problem, lower, weights, "compact").project(point)
    distance = weights @ (w - point) ** 2
    assert distance <= weights @ (reference - point) ** 2 + 1e-6 * (1 + distance)


@pytest.mark.parametrize("seed", range(8))
def test_columns_prove_how_close_they_are(seed):
    """For a family without a compact description: the proven distance is tiny, and covers the distance to a list's projection."""
    rng = np.random.default_rng(seed)
    problem, lower, weights, point = setting(rng, INTERSECTION)
    listed = sb.ReducedProblem.of(sb.EnumeratedDecisions(INTERSECTION.enumerate()), problem.theta)
    route = projector(problem, lower, weights)
    assert isinstance(route, ColumnProjector)
    outcome = route.certified(point)
    exact = projector(listed, lower, weights, "compact").project(point)
    assert outcome.distance <= 1e-3
    assert np.sqrt(weights @ (outcome.point - exact) ** 2) <= outcome.distance + 1e-4
    check_optimal(problem, lower, weights, point, outcome.point, 1e-5)


def test_points_of_the_cone_stay():
    problem = sb.ReducedProblem.of(INTERSECTION, np.arange(6.0))
    w = np.array([1.0, 2.0, 0.5]) @ INTERSECTION.enumerate()[[0, 1, 0]].astype(float)
    np.testing.assert_allclose(projector(problem, np.zeros(6)).project(w), w, atol=1e-6)


@pytest.mark.parametrize("route", ["auto", "compact", "columns"])
@pytest.mark.parametrize("size", [0.5, 1.0, 3.0])
def test_points_that_are_only_raised_to_their_lower_bounds(size, route):
    """There are more plays than the largest entry says: 2-sets of four items, each played `size` times."""
    problem = sb.ReducedProblem.of(sb.MSets(4, 2), np.arange(4.0))
    lower, point = size * np.array([1.0, 1.0, 1.0, 0.0]), size * np.array([0.0, 0.0, -1.0, 1.0])
    w = projector(problem, lower, np.ones(4), route).project(point)
    np.testing.assert_allclose(w, np.full(4, size), rtol=1e-6)
