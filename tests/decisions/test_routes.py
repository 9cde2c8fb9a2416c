"""Simple paths in any graph, against networkx and enumeration."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from example_sets import street_grid
from strategies import routes


def index_of(costs, least, bonuses, x):
    """Largest mean of a route if squared raises over bonuses add up to at most 1: bisection for the common slope."""
    on = x & (bonuses > 0)
    limits, b = (costs - least)[on], bonuses[on]
    if (limits**2 / np.where(b > 0, b, 1.0)).sum() <= 1.0:
        return limits.sum() - costs[x].sum()
    low, high = 0.0, 1e9
    for _ in range(400):
        middle = 0.5 * (low + high)
        inside = (np.minimum(limits, middle * b) ** 2 / b).sum() <= 1.0
        low, high = (middle, high) if inside else (low, middle)
    return np.minimum(limits, low * b).sum() - costs[x].sum()


@given(routes())
@settings(max_examples=150)
def test_routes_are_the_simple_paths_of_networkx(case):
    x, _ = case
    graph = (nx.MultiDiGraph if x.directed else nx.MultiGraph)()
    for i, (u, v) in enumerate(zip(x.tails.tolist(), x.heads.tolist(), strict=True)):
        graph.add_edge(u, v, key=i)
    ends = x.nodes.index(x.source), x.nodes.index(x.target)
    expected = sorted(sorted(i for *_, i in path) for path in nx.all_simple_edge_paths(graph, *ends))
    rows = x.enumerate()
    assert sorted(np.flatnonzero(row).tolist() for row in rows) == expected
    assert x.count() == len(expected)
    assert rows.sum(axis=1).max() <= x.m
    assert not rows[:, ~x.useful_items].any()


@given(routes(most_nodes=5, most_edges=8))
@settings(max_examples=100)
def test_membership_and_walks(case):
    x, _ = case
    rows = {row.tobytes() for row in x.enumerate()}
    for bits in itertools.islice(itertools.product((False, True), repeat=x.d), 256):
        assert (np.array(bits) in x) == (np.array(bits).tobytes() in rows)
    for row in x.enumerate():
        walk, order = x.walk(row), x.order(row)
        assert walk[0] == x.source
        assert walk[-1] == x.target
        assert len(set(walk)) == len(walk) == len(order) + 1
        for u, v, item in zip(walk, walk[1:], order, strict=False):
            ends = {x.nodes[x.tails[item]], x.nodes[x.heads[item]]}
            assert ends == {u, v}
        assert sorted(order) == np.flatnonzero(row).tolist()


@given(routes(), st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_the_best_route_at_clipped_weights(case, seed):
    x, _ = case
    rows = x.enumerate()
    rng = np.random.default_rng(seed)
    for weights in (-rng.integers(-2, 4, x.d).astype(float), -rng.exponential(size=x.d), x.upper, np.zeros(x.d)):
        best = x.maximize(weights)
        clipped = np.minimum(weights, x.upper)
        assert best in x
        assert clipped[best].sum() >= (rows @ clipped).max() - 1e-12
        assert (x.maximize(weights) == best).all()
        assert (x.compiled().maximize(weights.copy()) == best).all()


@given(routes(), st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_routes_in_order(case, seed):
    x, costs = case
    rows = x.enumerate()
    ranked = list(x.ranked(-costs))
    assert sorted(row.tobytes() for row in ranked) == sorted(row.tobytes() for row in rows)
    lengths = np.array(ranked) @ costs
    assert (np.diff(lengths) >= -1e-12).all()
    assert lengths[0] == pytest.approx((rows @ costs).min(), abs=1e-12)


@given(routes(), st.integers(0, 2**32 - 1), st.sampled_from((0.01, 1.0, 100.0)))
@settings(max_examples=150)
def test_the_largest_index_with_limited_raises(case, seed, size):
    x, costs = case
    rng = np.random.default_rng(seed)
    bonuses = size * rng.random(x.d) ** 3 * rng.choice([0.0, 1.0, 1.0], x.d)
    values = [index_of(costs, x.least, bonuses, row) for row in x.enumerate()]
    best = max(values)
    slack = 1e-8 * (1.0 + abs(best))
    assert index_of(costs, x.least, bonuses, x.maximize_index(-costs, bonuses)) >= best - slack
    for ratio in (0.5, 0.9):
        found = x.maximize_index(-costs, bonuses, ratio=ratio)
        raised = index_of(costs, x.least, bonuses, found) + costs[found].sum()
        assert best <= raised / ratio - costs[found].sum() + slack
    for most in (1, 3, 1_000):
        answer = x.search_index(-costs, bonuses, most=most)
        assert answer.value == pytest.approx(index_of(costs, x.least, bonuses, answer.decision), abs=slack)
        assert answer.value - slack <= best <= answer.bound + slack
        assert answer.is_proven or most < 1_000


@given(routes(), st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_budgets(case, seed):
    x, costs = case
    rows = x.enumerate()
    budgets = np.random.default_rng(seed).integers(-3, 4, x.d).astype(float)
    reached = rows @ budgets
    front = x.budget_front(-costs, budgets)
    for at_least in np.unique(reached):
        expected = (rows @ costs)[reached >= at_least].min()
        found = x.maximize_budgeted(-costs, budgets, at_least)
        assert budgets[found].sum() >= at_least
        assert costs[found].sum() == pytest.approx(expected, abs=1e-9)
        assert costs[front.best(at_least)].sum() == pytest.approx(expected, abs=1e-9)
    if costs.any():  # rewards are at most 0
        with pytest.raises(sb.InvalidInputError, match="a ratio to a negative maximum is undefined"):
            x.maximize_budgeted(-costs, budgets, reached.min(), ratio=0.5)
    with pytest.raises(sb.Infeasible):
        x.maximize_budgeted(-costs, budgets, reached.max() + 1.0)


def test_a_sequence_of_arcs_is_directed_unless_told_otherwise():
    assert sb.Routes([("s", "a"), ("t", "a")], "s", "t", directed=False).count() == 1


def test_a_large_street_grid_is_fast_and_right():
    x, costs = street_grid(60, 60, "separate", np.random.default_rng(0), least=0.5)
    best = x.maximize(-costs)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((u, v, c) for (u, v), c in zip(x.items, costs, strict=True))
    assert costs[best].sum() == pytest.approx(nx.dijkstra_path_length(graph, x.source, x.target), rel=1e-12)


@pytest.mark.parametrize("directed", [True, False])
def test_self_loops_and_nodes_apart_change_nothing(directed):
    graph = (nx.MultiDiGraph if directed else nx.MultiGraph)([(0, 1), (1, 2), (0, 2), (2, 1)])
    alone = sb.Routes(graph, 0, 2)
    graph.add_edges_from([(0, 0), (1, 1), (2, 2), (8, 9), (9, 8)])
    graph.add_node("island")
    x = sb.Routes(graph, 0, 2)
    assert (x.d, x.count(), x.m) == (alone.d + 5, alone.count(), alone.m)
    costs = np.append([1.0, 1.0, 3.0, 1.5] if directed else [1.0, 1.5, 3.0, 1.0], np.zeros(5))
    apart = np.array([u == v or u in (8, 9) for u, v, *_ in x.items])
    assert not x.useful_items[apart].any()
    weights = np.zeros(x.d)
    weights[~apart] = -costs[:4]
    assert not x.maximize(weights)[apart].any()
    assert (x.maximize(weights)[~apart] == alone.maximize(-costs[:4])).all()
    bound = sb.graves_lai(x, weights)
    assert bound.value == pytest.approx(sb.graves_lai(alone, -costs[:4]).value, rel=1e-12)
    assert not bound.plan.decisions[:, apart].any()


def test_weights_that_no_mean_can_have_are_clipped():
    x = sb.Routes([(0, 1), (1, 0), (1, 2), (0, 2)], 0, 2)
    assert x.maximize([-1.0, 5.0, 5.0, -0.5]).tolist() == [False, False, False, True]  # 1 -> 2 costs 0, not -5


@pytest.mark.parametrize("scale", [1e-150, 1e-160])
def test_the_largest_index_of_tiny_costs(scale):
    """Products of prices are too small for floats there."""
    x = sb.Routes([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], 0, 3, directed=False)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rewards, bonuses = -scale * rng.random(5), scale * (scale * rng.random(5))
        best = max(x.index_of(rewards, bonuses, row) for row in x.enumerate())
        found = x.index_of(rewards, bonuses, x.maximize_index(rewards, bonuses))
        assert found >= best - 1e-9 * scale if scale == 1e-150 else np.isfinite(found)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_of_searches_that_stop_do_not_rise_with_their_budget(seed):
    nodes, steps = [(r, c) for r in range(5) for c in range(5)], ((0, 1), (1, 0))
    streets = [((r, c), (r + a, c + b)) for r, c in nodes for a, b in steps if max(r + a, c + b) < 5]
    routes, rng = sb.Routes(streets, (0, 0), (4, 4), directed=False), np.random.default_rng(seed)
    rewards, bonuses = -rng.uniform(0.9, 1.1, 40), rng.uniform(0.0, 1.0, 40) * rng.integers(0, 2, 40)
    found = [routes.search_index(rewards, bonuses, most=most) for most in (1, 5, 10, 15, 20, 30, 50, 80, 120, 500)]
    bounds = [answer.bound for answer in found]
    assert bounds == sorted(bounds, reverse=True)
    assert found[-1].is_proven
    assert bounds[-1] == pytest.approx(found[-1].value, rel=1e-9)
    # Routes in order of length prove more before the search is complete.
    assert len({answer.bound for answer in found if not answer.is_proven}) > 2


@pytest.mark.parametrize(("seed", "scale"), [(0, 1.5), (1, 3.0)])
def test_a_ranking_of_routes_keeps_to_the_budget(seed, scale):
    """What takes more than 50 shortest paths is not proven with two thirds of them; a path that is split may exceed them."""
    x, costs = street_grid(8, 8, "separate", np.random.default_rng(seed), spread="wide")
    bonuses = scale * np.random.default_rng(seed + 1).random(x.d)
    whole = x.search_index(-costs, bonuses, most=10_000)
    assert whole.is_proven
    assert whole.calls > 50
    most = 2 * whole.calls // 3
    part = x.search_index(-costs, bonuses, most=most)
    assert not part.is_proven
    assert most <= part.calls < whole.calls
    assert part.value <= whole.value <= part.bound
