"""Matchings of bipartite graphs, against enumeration by hand, closed forms and scipy."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from semibandits.decisions.matchings import Matchings
from semibandits.errors import InvalidInputError, TooManyDecisionsError

MODES = ["both", "rows", "columns", "none"]


@st.composite
def graphs(draw, saturate):
    """Pairs in any order, with parallel edges, that allow at least one decision."""
    n_rows = draw(st.integers(1, 4))
    n_columns = n_rows if saturate == "both" else draw(st.integers(1, 4))
    if (saturate == "rows" and n_rows > n_columns) or (saturate == "columns" and n_rows < n_columns):
        n_rows, n_columns = n_columns, n_rows
    pair = st.tuples(st.integers(0, n_rows - 1), st.integers(0, n_columns - 1))
    pairs = draw(st.lists(pair, min_size=1, max_size=6))
    if saturate != "none":
        partner = draw(st.permutations(range(max(n_rows, n_columns))))
        pairs += [(r, c) for r, c in enumerate(partner) if r < n_rows and c < n_columns]
    pairs = draw(st.permutations(pairs))
    assume(all_matchings(pairs, saturate))
    return pairs


weight = st.one_of(st.integers(-3, 3).map(float), st.floats(-1, 1, allow_subnormal=False))


@st.composite
def problems(draw, saturate):
    pairs = draw(graphs(saturate))
    return pairs, np.array(draw(st.lists(weight, min_size=len(pairs), max_size=len(pairs))))


def all_matchings(pairs, saturate):
    """Every decision as a set of items, by trying all sets of edges of a legal size."""
    n_rows, n_columns = len({r for r, _ in pairs}), len({c for _, c in pairs})
    found = []
    for size in range(min(n_rows, n_columns) + 1):
        if (saturate in ("both", "rows") and size < n_rows) or (saturate in ("both", "columns") and size < n_columns):
            continue
        for items in itertools.combinations(range(len(pairs)), size):
            if len({pairs[i][0] for i in items}) == len({pairs[i][1] for i in items}) == size:
                found.append(frozenset(items))
    return found


def as_rows(matchings, d):
    rows = np.zeros((len(matchings), d), dtype=np.bool_)
    for row, matching in zip(rows, matchings, strict=True):
        row[list(matching)] = True
    return rows


def simple_cycles(graph):
    """Arcs of each simple cycle; a node in the middle of each arc distinguishes parallel arcs."""
    halves = nx.DiGraph()
    for k in range(graph.n_arcs):
        halves.add_edge(("node", int(graph.tails[k])), ("arc", k))
        halves.add_edge(("arc", k), ("node", int(graph.heads[k])))
    for cycle in nx.simple_cycles(halves):
        yield np.array([k for kind, k in cycle if kind == "arc"])


@pytest.mark.parametrize("saturate", MODES)
def test_maximize_is_the_best_of_all_matchings(saturate):
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(problems(saturate))
    def check(problem):
        pairs, theta = problem
        decisions = Matchings(pairs, saturate)
        x = decisions.maximize(theta)
        rows = as_rows(all_matchings(pairs, saturate), len(pairs))
        assert (rows == x).all(axis=1).any()
        assert theta @ x == pytest.approx((rows @ theta).max(), abs=1e-14)
        assert np.array_equal(x, decisions.maximize(theta))

    check()


@pytest.mark.parametrize("saturate", MODES)
def test_listing_counting_membership_and_size(saturate):
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(graphs(saturate), st.data())
    def check(pairs, data):
        decisions = Matchings(pairs, saturate)
        expected = set(all_matchings(pairs, saturate))
        rows = decisions.enumerate()
        assert len(rows) == decisions.count() == len(expected)
        assert {frozenset(np.flatnonzero(row).tolist()) for row in rows} == expected
        assert decisions.m == max(map(len, expected))
        assert all(row in decisions for row in rows)
        changed = rows[data.draw(st.integers(0, len(rows) - 1))].copy()
        for k in data.draw(st.sets(st.integers(0, len(pairs) - 1), max_size=3)):
            changed[k] ^= True
        assert (changed in decisions) == (frozenset(np.flatnonzero(changed).tolist()) in expected)

    check()


@pytest.mark.parametrize("saturate", MODES)
def test_exchange_graph(saturate):
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(problems(saturate))
    def check(problem):
        pairs, theta = problem
        decisions = Matchings(pairs, saturate)
        graph = decisions.exchange_graph(theta)
        x = graph.decision
        assert np.array_equal(x, decisions.maximize(theta))
        assert graph.n_nodes == x.sum() + (saturate != "both")
        assert (graph.costs >= 0).all()
        padded = np.append(theta, 0.0)  # item -1 weighs nothing
        from_potentials = padded[graph.leaving] - padded[graph.entering]
        from_potentials += graph.potentials[graph.tails] - graph.potentials[graph.heads]
        assert graph.costs == pytest.approx(from_potentials, abs=1e-13)
        assert np.array_equal(graph.entering[graph.entering >= 0], np.flatnonzero(~x))

    check()


@pytest.mark.parametrize("saturate", MODES)
def test_cycles_are_the_ways_to_another_matching(saturate):
    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(problems(saturate))
    def check(problem):
        pairs, theta = problem
        decisions = Matchings(pairs, saturate)
        graph = decisions.exchange_graph(theta)
        x = graph.decision
        cheapest = np.full(len(pairs), np.inf)
        for cycle in simple_cycles(graph):
            y = graph.apply(cycle)
            assert y in decisions
            entering, leaving = graph.entering[cycle], graph.leaving[cycle]
            entering = entering[entering >= 0]
            assert set(entering.tolist()) == set(np.flatnonzero(y & ~x).tolist())
            assert set(leaving[leaving >= 0].tolist()) == set(np.flatnonzero(x & ~y).tolist())
            assert theta @ x - theta @ y == pytest.approx(graph.costs[cycle].sum(), abs=1e-12)
            cheapest[entering] = np.minimum(cheapest[entering], graph.costs[cycle].sum())
        rows = decisions.enumerate()
        gaps = theta @ x - rows @ theta
        for item in np.flatnonzero(~x):
            # Items in no decision lie on no cycle: inf on both sides.
            assert cheapest[item] == pytest.approx(gaps[rows[:, item]].min(initial=np.inf), abs=1e-12)

    check()


@pytest.mark.parametrize("saturate", MODES)
def test_every_matching_is_made_of_cycles(saturate):
    """The parts of x* xor y are disjoint cycles, each of which gives a decision, and their costs add up to the gap of y."""

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(problems(saturate))
    def check(problem):
        pairs, theta = problem
        decisions = Matchings(pairs, saturate)
        graph = decisions.exchange_graph(theta)
        x = graph.decision
        cycles = list(simple_cycles(graph))
        changes = {(graph.apply(cycle) ^ x).tobytes(): graph.costs[cycle].sum() for cycle in cycles}
        for y in decisions.enumerate():
            edges = nx.Graph((("row", pairs[i][0]), ("column", pairs[i][1])) for i in np.flatnonzero(x ^ y))
            gap = 0.0
            for part in nx.connected_components(edges):
                gap += changes[((x ^ y) & np.array([("row", r) in part for r, _ in pairs])).tobytes()]
            assert theta @ x - theta @ y == pytest.approx(gap, abs=1e-12)

    check()


def test_two_by_two_by_hand():
    pairs = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    decisions = Matchings(pairs)
    assert (decisions.d, decisions.m, decisions.count(), decisions.items) == (4, 2, 2, tuple(pairs))
    assert (decisions.rows, decisions.columns) == (("a", "b"), ("x", "y"))
    graph = decisions.exchange_graph([5, 1, 3, 2])
    assert graph.decision.tolist() == [1, 0, 0, 1]
    assert (graph.tails.tolist(), graph.heads.tolist()) == ([0, 1], [1, 0])
    assert (graph.entering.tolist(), graph.leaving.tolist()) == ([1, 2], [0, 3])
    assert graph.costs.sum() == 3
    assert [Matchings(pairs, saturate).count() for saturate in MODES] == [2, 2, 2, 7]


def test_free_ends_make_loops_at_the_last_node():
    decisions = Matchings([("a", "x"), ("b", "y")], "none")
    graph = decisions.exchange_graph([1, -2])
    assert graph.decision.tolist() == [1, 0]
    assert graph.n_nodes == 2
    assert (graph.tails.tolist(), graph.heads.tolist()) == ([1, 0, 1], [1, 1, 0])
    assert (graph.entering.tolist(), graph.leaving.tolist()) == ([1, -1, -1], [-1, 0, -1])
    assert graph.costs[0] == 2
    assert graph.costs[1:].sum() == 1
    empty = decisions.exchange_graph([0, -1])
    assert not empty.decision.any()
    assert (empty.n_nodes, empty.n_arcs) == (1, 2)
    assert (empty.tails.tolist(), empty.costs.tolist()) == ([0, 0], [0, 1])


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


def test_complete_graphs_are_counted_in_closed_form():
    def complete(n, k):
        return [(r, c) for r in range(n) for c in range(k)]

    assert Matchings(complete(12, 12)).count() == math.factorial(12)
    assert Matchings(complete(3, 60), "rows").count() == math.perm(60, 3)
    assert Matchings(complete(60, 3), "columns").count() == math.perm(60, 3)
    assert Matchings(complete(4, 6), "none").count() == sum(math.comb(4, k) * math.perm(6, k) for k in range(5))
    assert Matchings(complete(8, 300), "rows").count() == math.perm(300, 8) > 2**63


def test_listing_stops_at_its_limit():
    pairs = [(r, c) for r in range(21) for c in range(21)]
    decisions = Matchings(pairs[1:])  # if all pairs may be matched, there is a formula
    with pytest.raises(TooManyDecisionsError, match="limit = 100 decisions to list"):
        decisions.enumerate(100)
    with pytest.raises(TooManyDecisionsError, match="limit = 1,000 decisions to list"):
        decisions.count(1000)
    assert len(Matchings(pairs[:4] + pairs[21:25] + pairs[42:46] + pairs[63:67]).enumerate(24)) == 24


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
    padded = np.append(theta, 0.0)
    reduced = padded[graph.leaving] - padded[graph.entering]
    reduced += graph.potentials[graph.tails] - graph.potentials[graph.heads]
    assert graph.costs == pytest.approx(reduced, abs=1e-13 * scale)


@pytest.mark.parametrize(
    ("edges", "saturate", "message"),
    [
        ([(1, 1)], "row", "saturate must be 'both', 'rows', 'columns' or 'none', got 'row'"),
        ([(1, 1)], None, "got None: 'none' allows any matching"),
        ([], "none", "edges must have at least one edge, got none"),
        (nx.empty_graph(3), "none", "edges must have at least one edge"),
        ([(1, 1), (2, 1)], "both", "as many rows as columns, got 2 rows and 1 columns"),
        (
            [("a", 1), ("b", 1), ("c", 1), ("c", 2), ("c", 3)], "both",
            r"all 3 rows must be matched with saturate='both', got 2 rows \('a', 'b'\) with only 1 column \(1\) to share",
        ),
        (
            [(1, "a"), (1, "b"), (2, "c"), (3, "c")], "columns",
            r"all 3 columns must be matched with saturate='columns', got 2 columns \('a', 'b'\) with only 1 row \(1\)",
        ),
        ([(r, 0) for r in range(20)], "rows", r"got 2 rows \(0, 1\) with only 1 column \(0\) to share: add pairs"),
        (nx.DiGraph([(1, 2)]), "none", "graph must be undirected, got a DiGraph"),
        (nx.cycle_graph(5), "none", "graph must be bipartite, got an edge between"),
        (nx.Graph([(1, 1), (1, 2)]), "none", "graph must be bipartite, got an edge between 1 and 1 on the same side"),
        ([(1, 2, 3)], "none", "each edge must be a pair"),
    ],
)  # fmt: skip
def test_bad_graphs_are_refused(edges, saturate, message):
    with pytest.raises(InvalidInputError, match=message):
        Matchings(edges, saturate)


def test_bad_sides_are_refused():
    graph = nx.Graph([("a", "x"), ("b", "x")])
    nx.set_node_attributes(graph, {"a": 0, "x": 1}, "bipartite")
    with pytest.raises(InvalidInputError, match=r"must be 0 \(row\) or 1 \(column\), got None at node 'b'"):
        Matchings(graph, "none")
    graph.nodes["b"]["bipartite"] = 1
    with pytest.raises(InvalidInputError, match="got an edge between 'x' and 'b' on the same side"):
        Matchings(graph, "none")


def test_an_isolated_node_cannot_be_matched():
    graph = nx.Graph([("a", "x"), ("b", "x")])
    graph.add_node("lonely")
    with pytest.raises(InvalidInputError, match=r"1 row \('lonely'\) with only 0 columns to share|2 rows \('a', 'b'\)"):
        Matchings(graph, "rows")
    nx.set_node_attributes(graph, {"a": 0, "b": 0, "x": 1, "lonely": 1}, "bipartite")
    with pytest.raises(InvalidInputError, match=r"got 1 column \('lonely'\) with only 0 rows to share"):
        Matchings(graph, "columns")


def test_many_nodes_are_shortened_in_messages():
    pairs = [(r, c) for r in range(11) for c in range(10)] + [(11, c) for c in range(10, 12)]
    with pytest.raises(InvalidInputError, match=r"11 rows \(0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\) with only 10 columns"):
        Matchings(pairs)


def test_bad_weights_are_refused():
    decisions = Matchings([(1, 1), (2, 2)])
    with pytest.raises(InvalidInputError, match=r"shape \(d,\) = \(2,\), got \(3,\)"):
        decisions.maximize([1, 2, 3])
    with pytest.raises(InvalidInputError, match="finite, got inf at index 0"):
        decisions.exchange_graph([np.inf, 1])
    message = r"finite sums, got weights up to 1\.7e\+308: scale them down"
    with np.errstate(over="ignore"), pytest.raises(InvalidInputError, match=message):
        Matchings([(1, 1), (1, 2), (2, 1)]).maximize([1.7e308, -1.7e308, -1.7e308])


def test_membership_of_other_things():
    decisions = Matchings([(1, 1), (1, 2), (2, 1), (2, 2)])
    assert [1, 0, 0, 1] in decisions
    assert np.array([True, False, False, True]) in decisions
    assert [1, 0, 0, 0] not in decisions
    assert [1, 0, 1, 0] not in decisions
    assert [1, 0, 0] not in decisions
    assert None not in decisions
