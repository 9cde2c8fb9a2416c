"""C(theta) if means are linear in features: against P_GL, formulas, and a cutting plane method from the definition."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

import semibandits as sb
from example_sets import grid, matching, partitions
from semibandits.features.design import Design
from semibandits.regret_bound.certificates.recheck import check_kept

SETS = {
    "m-sets": sb.MSets(7, 3),
    "paths": grid(3),
    "matchings": matching(4),
    "any matchings": matching(3, saturate="none"),
    "trees": sb.SpanningTrees(nx.complete_graph(5)),
    "intersections": partitions(9, 3, 1),
    "lists": sb.EnumeratedDecisions(np.unique(np.random.default_rng(1).random((20, 7)) < 0.5, axis=0)),
    "arms": sb.MSets(8, 1),
}


def drawn(name, seed, k):
    """A set, features, means that are linear in them, and variances; ties for every third seed."""
    rng, x = np.random.default_rng(seed), SETS[name]
    phi = rng.normal(size=(x.d, k))
    if seed % 3 == 0:
        phi = np.round(phi)
    return x, phi, phi @ np.round(rng.normal(size=k), 1), rng.uniform(0.3, 2.0, x.d)


def cheapest(phi, rates, twice, known, towards, gap):
    """The change delta of beta of least information that leaves the known items and closes the gap; None if there is none."""
    fixed = np.vstack((phi[known], towards @ phi))
    target = np.append(np.zeros(known.sum()), gap)
    first = np.linalg.lstsq(fixed, target, rcond=1e-10)[0]
    if abs(fixed @ first - target).max() > 1e-8 * gap:
        return None
    _, sizes, rows = np.linalg.svd(fixed)
    free = rows[(sizes > 1e-10).sum() :].T
    root = phi * np.sqrt(rates / twice)[:, None]
    return first - free @ np.linalg.lstsq(root @ free, root @ first, rcond=1e-13)[0]


def by_cuts(decision_set, phi, theta, variance, rounds=400):
    """C(theta) from the definition, as a bracket: a linear program over changes of beta, each the worst one at some rates."""
    x = decision_set.enumerate().astype(float)
    phi, twice = np.column_stack((np.ones(len(theta)), phi)), 2.0 * variance
    gaps = (x @ theta).max() - x @ theta
    ties = gaps <= 1e-9
    known, best = x[ties].any(axis=0), x[ties][0]
    rows, columns = np.flatnonzero(~ties), x[~ties]
    rates, cuts, upper, lower = np.ones(len(rows)), [], np.inf, 0.0
    kept = rates
    for _ in range(rounds):
        for point in (rates, 0.5 * (rates + kept)):
            values = []
            for row in rows:
                delta = cheapest(phi, point @ columns + 1e-9, twice, known, x[row] - best, gaps[row])
                if delta is not None:
                    information = np.where(known, 0.0, (phi @ delta) ** 2 / twice)
                    values.append(point @ columns @ information)
                    if values[-1] < 1.1 * min(values) or len(cuts) < 200:
                        cuts.append(columns @ information / gaps[rows])
            if not values:
                return 0.0, 0.0
            cost = point @ gaps[rows] / min(values)
            if cost < upper:
                upper, kept = cost, point / min(values)
        solved = linprog(np.ones(len(rows)), A_ub=-np.array(cuts), b_ub=-np.ones(len(cuts)))
        rates, lower = solved.x / gaps[rows], max(lower, solved.fun)
        if upper - lower <= 1e-5 * upper:
            break
    return lower, upper


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("seed", range(6))
def test_independent_features_change_nothing(name, seed):
    x, _, _, variance = drawn(name, seed, 1)
    theta = np.random.default_rng(seed).normal(size=x.d)
    theta = np.round(theta) if seed % 3 == 0 else theta  # ties
    plain = sb.graves_lai(x, theta, variance, method="enumeration", gap=1e-7)
    linear = sb.graves_lai(x, theta, variance, features=np.eye(x.d), gap=1e-7)
    assert linear.value == pytest.approx(plain.value, rel=1e-6)
    assert linear.lower <= plain.value * (1 + 1e-9)
    assert plain.lower <= linear.value * (1 + 1e-9)
    np.testing.assert_array_equal(linear.suboptimal_items, plain.suboptimal_items)
    np.testing.assert_array_equal(linear.optimal_decision, plain.optimal_decision)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(("seed", "k"), [(0, 2), (1, 3), (2, 4), (3, 4)])
def test_bounds_are_those_of_the_definition(name, seed, k):
    x, phi, theta, variance = drawn(name, seed, k)
    lower, upper = by_cuts(x, phi, theta, variance)
    found = sb.graves_lai(x, theta, variance, features=phi, gap=1e-6)
    assert lower <= found.value * (1 + 1e-6)
    assert found.lower <= upper * (1 + 1e-6)
    assert upper - lower <= 1e-3 * upper


@pytest.mark.parametrize("seed", range(5))
def test_one_item_a_round_is_the_linear_bandit(seed):
    """Lattimore, Szepesvari (2017): the least ``sum n_i gap_i`` at which the squared norm of phi_i is at most ``gap_i^2 / 2``."""
    rng = np.random.default_rng(seed)
    phi = np.column_stack((np.ones(8), rng.normal(size=(8, 2))))
    theta = phi @ rng.normal(size=3)
    best, gaps = int(theta.argmax()), theta.max() - theta
    others = np.flatnonzero(gaps > 0)

    def slack(log_rates):
        n = np.full(8, 1e5)  # plays of the best arm cost nothing
        n[others] = np.exp(log_rates)
        norms = np.einsum("ik,kl,il->i", phi, np.linalg.inv(phi.T @ (n[:, None] * phi)), phi)
        return np.log(gaps[others] ** 2 / 2) - np.log(norms[others])

    values = []
    for start in (1.0, 4.0):
        solved = minimize(
            lambda r: np.log(np.exp(r) @ gaps[others]), np.full(7, start), constraints={"type": "ineq", "fun": slack},
            method="SLSQP", options={"maxiter": 2_000, "ftol": 1e-12}, bounds=[(-15, 15)] * 7,
        )  # fmt: skip
        if slack(solved.x).min() > -1e-6:
            values.append(np.exp(solved.fun))
    found = sb.graves_lai(sb.MSets(8, 1), theta, 1.0, features=phi[:, 1:])
    assert found.optimal_decision[best]
    assert found.value == pytest.approx(min(values), rel=1e-3)


def test_features_may_leave_nothing_to_learn():
    """Two items of the best decision show a line and a constant."""
    size = np.array([1.0, 2.0, 3.0, 5.0, 8.0])
    found = sb.graves_lai(sb.MSets(5, 2), 0.1 * size + 1.0, features=size)
    assert (found.value, found.lower, len(found.plan), str(found.status)) == (0.0, 0.0, 0, "optimal")
    assert sb.graves_lai(sb.MSets(5, 2), 0.1 * size + 1.0).value > 1.0


def test_the_plan_may_play_what_is_worse_but_tells_more():
    """Arms on a line: the far one, played seldom, says more than its neighbour."""
    found = sb.graves_lai(sb.MSets(4, 1), [0.2, 0.4, 0.6, 0.8], features=[1, 2, 3, 4])
    assert found.value == pytest.approx(0.6 * 25 / 9)
    assert [row.tolist() for row in found.plan.items] == [[0]]


@given(st.sampled_from(sorted(SETS)), st.integers(0, 10_000), st.integers(1, 8))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_more_knowledge_costs_less(name, seed, k):
    x, phi, theta, variance = drawn(name, seed, k)
    plain = sb.graves_lai(x, theta, variance, throw=False)
    linear = sb.graves_lai(x, theta, variance, features=phi)
    more = sb.graves_lai(x, theta, variance, features=np.column_stack((phi, np.cos(np.arange(x.d)))))
    assert linear.gap <= 1e-4
    assert linear.lower <= more.value * (1 + 1e-9)
    assert more.lower <= plain.value * (1 + 1e-9)
    assert linear.value == pytest.approx(linear.plan.rates @ linear.plan_gaps, rel=1e-9)
    check_kept(linear)


@given(st.integers(0, 10_000), st.integers(-60, 60), st.integers(-60, 60))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_units_do_not_matter(seed, reward, noise):
    x, phi, theta, variance = drawn("m-sets", seed, 3)
    plain = sb.graves_lai(x, theta, variance, features=phi)
    scaled = sb.graves_lai(x, np.ldexp(theta, reward), np.ldexp(variance, noise), features=phi * 7.0 + 3.0)
    assert scaled.value == pytest.approx(np.ldexp(plain.value, noise - reward), rel=1e-4)


def test_bounds_survive_json_and_are_checked_again():
    x, phi, theta, variance = drawn("matchings", 1, 6)
    bound = sb.graves_lai(x, theta, variance, features=phi)
    again = sb.GravesLaiResult.from_json(json.loads(json.dumps(bound.to_json())))
    np.testing.assert_array_equal(again.features, Design.of(phi, x).matrix)
    assert (again.value, again.lower) == (bound.value, bound.lower)
    check_kept(again)
    assert "linear in 7 features" in repr(again)
    with pytest.raises(sb.InvalidInputError, match="the plan must explore enough"):
        check_kept(replace(again, features=None))
    with pytest.raises(sb.InvalidInputError, match=r"features must have 16 rows of one length, got 1 of \[2\]"):
        sb.GravesLaiResult.from_json(bound.to_json() | {"features": [[1.0, 2.0]]})


def test_labels_and_costs():
    pairs = sb.Matchings([(a, b) for a in "ABC" for b in "uvw"])
    costs = [float(i + 2 * j * j) for i in range(3) for j in range(3)]
    assert sb.graves_lai(pairs, costs=costs, features="additive").value == 0.0  # all matchings cost the same
    table = dict(zip(pairs.items, costs, strict=True))
    assert sb.graves_lai(sb.MSets(9, 1, items=pairs.items), costs=costs, features=table).value > 0.0


def test_a_limit_of_time_leaves_a_bracket():
    rng = np.random.default_rng(0)
    phi = rng.normal(size=(80, 30))
    found = sb.graves_lai(sb.MSets(80, 2), phi @ rng.normal(size=30), features=phi, time_limit=1e-3, throw=False)
    assert str(found.status) == "time_limit"
    assert found.lower <= found.value
    if np.isfinite(found.value):
        check_kept(found)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"features": [[1.0], [2.0], [3.0]]},
            sb.InvalidInputError,
            r"features must have shape \(d, k\) with d = 4, got \(3, 1\)",
        ),
        ({"features": [1.0, 2.0, 3.0, 5.0]}, sb.InvalidInputError, "theta must be linear in the features and a constant, got"),
        ({"features": "pooled"}, sb.InvalidInputError, "theta must be linear in the features"),
        ({"features": "poled"}, sb.InvalidInputError, "features must be one of"),
        ({"method": "cycles"}, sb.UnsupportedError, "features need method='enumeration' or 'auto', got 'cycles'"),
        ({"law": sb.laws.Poisson()}, sb.UnsupportedError, "no bound is known here under features unless .* got poisson rewards"),
        ({"law": sb.laws.Gaussian(1.0, upper=9.0)}, sb.UnsupportedError, "got gaussian rewards with one"),
    ],
)
def test_errors(options, error, message):
    with pytest.raises(error, match=message):
        sb.graves_lai(sb.MSets(4, 2), [1.0, 2.0, 3.0, 4.0], **{"features": [1.0, 2.0, 3.0, 4.0]} | options)


def test_sets_that_cannot_be_listed():
    theta = np.arange(100.0)
    with pytest.raises(sb.UnsupportedError, match="no bound is known here under features: they need a list of at most 20,000"):
        sb.graves_lai(sb.MSets(100, 5), theta, features=theta)
    with pytest.raises(sb.InvalidInputError, match="costs must be linear"):
        sb.graves_lai(sb.MSets(100, 5), costs=theta**2, features=theta)
