"""Matchings of bipartite graphs, against enumeration by hand, closed forms and scipy."""

import networkx as nx
import numpy as np
import pytest
from brute_force import costs_of_potentials
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from cycle_lists import all_cycles
from semibandits.decisions.matchings import Matchings
from strategies import MIXED, SATURATED, bipartite_edges, with_vectors

every_mode = pytest.mark.parametrize("saturate", SATURATED)


@every_mode
@settings(max_examples=150)
@given(data=st.data())
def test_exchange_graph(saturate, data):
    """Its cycles are the ways to another matching; the parts of x* xor y are disjoint cycles, whose costs are the gap of y."""
    pairs, theta = data.draw(with_vectors(bipartite_edges(saturate), MIXED))
    decisions = Matchings(pairs, saturate)
    graph, rows = decisions.exchange_graph(theta), decisions.enumerate()
    x = graph.decision
    assert np.array_equal(x, decisions.maximize(theta))
    n_free = {"both": [0], "most": [0, 1, 2]}.get(saturate, [1])
    assert graph.n_nodes - x.sum() in n_free
    assert (graph.costs >= 0).all()
    assert graph.costs == pytest.approx(costs_of_potentials(graph, theta), abs=1e-13)
    assert np.array_equal(graph.entering[graph.entering >= 0], np.flatnonzero(~x))

    gaps = theta @ x - rows @ theta
    cheapest, changes = np.full(len(pairs), np.inf), {}
    for cycle in map(np.array, all_cycles(graph.n_nodes, graph.tails, graph.heads)):
        y, cost = graph.apply(cycle), graph.costs[cycle].sum()
        assert y in decisions
        entering, leaving = graph.entering[cycle], graph.leaving[cycle]
        entering = entering[entering >= 0]
        assert set(entering.tolist()) == set(np.flatnonzero(y & ~x).tolist())
        assert set(leaving[leaving >= 0].tolist()) == set(np.flatnonzero(x & ~y).tolist())
        assert theta @ x - theta @ y == pytest.approx(cost, abs=1e-12)
        cheapest[entering] = np.minimum(cheapest[entering], cost)
        changes[(x ^ y).tobytes()] = cost
    for item in np.flatnonzero(~x):  # those in no decision lie on no cycle: inf on both sides
        assert cheapest[item] == pytest.approx(gaps[rows[:, item]].min(initial=np.inf), abs=1e-12)

    for y, gap in zip(rows, gaps, strict=True):
        edges = nx.Graph((("row", pairs[i][0]), ("column", pairs[i][1])) for i in np.flatnonzero(x ^ y))
        parts = [(x ^ y) & np.array([("row", r) in part for r, _ in pairs]) for part in nx.connected_components(edges)]
        assert gap == pytest.approx(sum(changes[part.tobytes()] for part in parts), abs=1e-12)


def test_items_without_positive_weight_are_left_out_of_free_matchings():
    decisions = Matchings([(r, c) for r in range(3) for c in range(3)], "none")
    assert not decisions.maximize(np.zeros(9)).any()
    assert not decisions.maximize(np.full(9, -1.0)).any()
    assert decisions.maximize([2, 0, 0, 0, -1, 0, 0, 0, 1]).tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 1]
    assert decisions.m == 3


def test_rows_and_columns_have_separate_labels_in_pairs():
    decisions = Matchings([(1, 2), (3, 1), (2, 1), (1, 1)], "columns")
    assert (decisions.rows, decisions.columns) == ((1, 3, 2), (2, 1))
    assert decisions.row_index.tolist() == [0, 1, 2, 0]
    assert decisions.column_index.tolist() == [0, 1, 1, 1]
    assert decisions.maximize([1, 2, 3, 4]).tolist() == [1, 0, 1, 0]


def test_parallel_edges():
    decisions = Matchings([("a", "x"), ("a", "x"), ("b", "y"), ("x", "a")], "none")
    assert decisions.items == (("a", "x", 0), ("a", "x", 1), ("b", "y"), ("x", "a"))
    assert decisions.maximize([1, 2, 0.5, 0]).tolist() == [0, 1, 1, 0]
    assert decisions.maximize([2, 2, 0.5, 0]).tolist() == [1, 0, 1, 0]
    assert [1, 1, 0, 0] not in decisions


def test_networkx_graphs_with_and_without_sides():
    graph = nx.Graph([("u", "a"), ("b", "u"), ("v", "b")])
    found = Matchings(graph, "rows")
    assert (found.rows, found.columns) == (("u", "v"), ("a", "b"))
    assert found.items == (("u", "a"), ("u", "b"), ("v", "b"))
    nx.set_node_attributes(graph, {"a": 0, "b": 0, "u": 1, "v": 1}, "bipartite")
    given_sides = Matchings(graph)
    assert (given_sides.rows, given_sides.columns) == (("a", "b"), ("u", "v"))
    assert given_sides.items == (("a", "u"), ("b", "u"), ("b", "v"))
    assert given_sides.enumerate().tolist() == [[1, 0, 1]]
    parallel = nx.MultiGraph([(1, 2), (2, 1), (3, 2)])
    assert Matchings(parallel, "columns").items == ((1, 2, 0), (1, 2, 1), (3, 2))
    parallel.add_node("alone")
    assert Matchings(parallel, "columns").rows == (1, 3, "alone")


def test_listing_avoids_dead_ends():
    """Row r has the columns r and above, so only the diagonal is perfect; a naive search tries 2^24 partial matchings."""
    pairs = [(r, c) for r in range(25) for c in range(25) if c >= r]
    for order in (pairs, pairs[::-1], sorted(pairs, key=lambda pair: (pair[0], -pair[1]))):
        rows = Matchings(order).enumerate()
        assert len(rows) == 1
        assert all(r == c for r, c in (order[i] for i in np.flatnonzero(rows[0])))


@pytest.mark.parametrize("n", [12, 30])
def test_maximize_against_scipy(n):
    rng = np.random.default_rng(n)
    pairs = [(r, c) for r in range(n) for c in range(n + 7)]
    theta = rng.normal(size=(n, n + 7))
    expected = theta[linear_sum_assignment(theta, maximize=True)].sum()
    assert theta.ravel() @ Matchings(pairs, "rows").maximize(theta.ravel()) == pytest.approx(expected, abs=1e-11)
    flipped = [(c, r) for r, c in pairs]
    assert theta.ravel() @ Matchings(flipped, "columns").maximize(theta.ravel()) == pytest.approx(expected, abs=1e-11)
    positive = np.maximum(theta, 0)
    expected = positive[linear_sum_assignment(positive, maximize=True)].sum()
    assert theta.ravel() @ Matchings(pairs, "none").maximize(theta.ravel()) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_near_ties_leave_costs_non_negative(scale):
    n = 30
    rng = np.random.default_rng(3)
    theta = scale * (rng.integers(0, 3, n * n) / 3 + 1e-15 * rng.normal(size=n * n))
    graph = Matchings([(r, c) for r in range(n) for c in range(n)]).exchange_graph(theta)
    assert (graph.costs >= 0).all()
    assert graph.costs == pytest.approx(costs_of_potentials(graph, theta), abs=1e-13 * scale)


@pytest.mark.parametrize("seed", range(6))
def test_largest_matchings_of_sparse_graphs(seed):
    """Rows and columns are left over in different parts: the size against networkx, the weight against a linear program."""
    rng = np.random.default_rng(seed)
    pairs = [(r, c) for r in range(70) for c in range(80) if rng.random() < 0.015 + 0.2 * (r < 20 and c < 12)]
    decisions, d = Matchings([pairs[i] for i in rng.permutation(len(pairs))], "most"), len(pairs)
    graph = nx.Graph((("row", r), ("column", c)) for r, c in decisions.items)
    rows = [node for node in graph if node[0] == "row"]
    assert decisions.m == len(nx.bipartite.hopcroft_karp_matching(graph, rows)) // 2
    assert decisions.m < min(len(decisions.rows), len(decisions.columns))
    degrees = [decisions.row_index == r for r in range(len(decisions.rows))]
    degrees += [decisions.column_index == c for c in range(len(decisions.columns))]
    for theta in (rng.normal(size=d), -100.0 - rng.integers(0, 3, d), np.zeros(d)):
        x = decisions.maximize(theta)
        assert x in decisions
        bound = linprog(-theta, np.array(degrees), np.ones(len(degrees)), np.ones((1, d)), [decisions.m], bounds=(0, 1))
        assert theta @ x == pytest.approx(-bound.fun, abs=1e-7)
