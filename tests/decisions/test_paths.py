"""Paths in a directed acyclic graph, against enumeration by hand and by networkx."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.decisions.paths import Paths
from semibandits.errors import InvalidInputError, TooManyDecisionsError

DIAMOND = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b")]


@st.composite
def networks(draw):
    """Arcs between nodes of shuffled names with at least one path from 'source' to 'target'; some arcs lead nowhere."""
    n = draw(st.integers(2, 6))
    node = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=9))
    arcs = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    first, last = sorted(draw(st.lists(node, min_size=2, max_size=2, unique=True)))
    through = sorted({first, last} | set(draw(st.lists(st.integers(first, last), max_size=2))))
    arcs = draw(st.permutations(arcs + list(itertools.pairwise(through))))
    names = draw(st.permutations("abcdef"[:n]))
    return [(names[u], names[v]) for u, v in arcs], names[first], names[last]


weight = st.one_of(st.integers(-3, 3).map(float), st.floats(-1, 1, allow_subnormal=False))


@st.composite
def problems(draw):
    arcs, source, target = draw(networks())
    return arcs, source, target, np.array(draw(st.lists(weight, min_size=len(arcs), max_size=len(arcs))))


def all_paths(arcs, node, target):
    """Every path as a set of items."""
    if node == target:
        return [frozenset()]
    return [{k} | rest for k, (u, v) in enumerate(arcs) if u == node for rest in all_paths(arcs, v, target)]


def as_rows(paths, d):
    rows = np.zeros((len(paths), d), dtype=np.bool_)
    for row, path in zip(rows, paths, strict=True):
        row[list(path)] = True
    return rows


def simple_cycles(graph):
    """Arcs of each simple cycle; a node in the middle of each arc distinguishes parallel arcs."""
    halves = nx.DiGraph()
    for k in range(graph.n_arcs):
        halves.add_edge(("node", int(graph.tails[k])), ("arc", k))
        halves.add_edge(("arc", k), ("node", int(graph.heads[k])))
    for cycle in nx.simple_cycles(halves):
        yield np.array([k for kind, k in cycle if kind == "arc"])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_maximize_is_the_best_of_all_paths(problem):
    arcs, source, target, theta = problem
    decisions = Paths(arcs, source, target)
    x = decisions.maximize(theta)
    rows = as_rows(all_paths(arcs, source, target), len(arcs))
    assert (rows == x).all(axis=1).any()
    assert theta @ x == pytest.approx((rows @ theta).max(), abs=1e-14)
    assert np.array_equal(x, decisions.maximize(theta))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(networks(), st.data())
def test_listing_counting_membership_and_size(network, data):
    arcs, source, target = network
    decisions = Paths(arcs, source, target)
    expected = {frozenset(path) for path in all_paths(arcs, source, target)}
    rows = decisions.enumerate()
    assert len(rows) == decisions.count() == len(expected)
    assert {frozenset(np.flatnonzero(row).tolist()) for row in rows} == expected
    assert decisions.m == max(len(path) for path in expected)
    assert all(row in decisions for row in rows)
    assert set(np.flatnonzero(decisions.useful_items).tolist()) == set().union(*expected)
    changed = rows[data.draw(st.integers(0, len(rows) - 1))].copy()
    for k in data.draw(st.sets(st.integers(0, len(arcs) - 1), max_size=3)):
        changed[k] ^= True
    assert (changed in decisions) == (frozenset(np.flatnonzero(changed).tolist()) in expected)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_exchange_graph(problem):
    arcs, source, target, theta = problem
    decisions = Paths(arcs, source, target)
    graph = decisions.exchange_graph(theta)
    x = graph.decision
    assert np.array_equal(x, decisions.maximize(theta))
    assert (graph.costs >= 0).all()
    assert (graph.costs[graph.entering < 0] == 0).all()
    padded = np.append(theta, 0.0)  # item -1 weighs nothing
    from_potentials = padded[graph.leaving] - padded[graph.entering]
    from_potentials += graph.potentials[graph.tails] - graph.potentials[graph.heads]
    assert graph.costs == pytest.approx(from_potentials, abs=1e-13)
    used = np.sort(np.concatenate((graph.entering[graph.entering >= 0], graph.leaving[graph.leaving >= 0])))
    assert np.array_equal(used, np.flatnonzero(decisions.useful_items))
    assert np.array_equal(np.flatnonzero(x), np.sort(graph.leaving[graph.leaving >= 0]))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_cycles_are_the_ways_to_another_path(problem):
    arcs, source, target, theta = problem
    decisions = Paths(arcs, source, target)
    graph = decisions.exchange_graph(theta)
    x = graph.decision
    cheapest = np.full(len(arcs), np.inf)
    for cycle in simple_cycles(graph):
        y = graph.apply(cycle)
        assert y in decisions
        assert not np.array_equal(y, x)
        assert theta @ x - theta @ y == pytest.approx(graph.costs[cycle].sum(), abs=1e-12)
        entering = graph.entering[cycle]
        entering = entering[entering >= 0]
        assert set(entering.tolist()) == set(np.flatnonzero(y & ~x).tolist())
        cheapest[entering] = np.minimum(cheapest[entering], graph.costs[cycle].sum())
    rows = decisions.enumerate()
    gaps = theta @ x - rows @ theta
    for item in np.flatnonzero(~x):
        expected = gaps[rows[:, item]].min(initial=np.inf)
        assert cheapest[item] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_every_path_is_made_of_cycles(problem):
    """The arcs in which a path differs from x* conserve flow, and their costs add up to its gap."""
    arcs, source, target, theta = problem
    decisions = Paths(arcs, source, target)
    graph = decisions.exchange_graph(theta)
    x = graph.decision
    for y in decisions.enumerate():
        padded_in, padded_out = np.append(y & ~x, False), np.append(x & ~y, False)
        used = padded_in[graph.entering] | padded_out[graph.leaving]
        assert np.array_equal(graph.apply(np.flatnonzero(used)), y)
        flow = np.bincount(graph.tails[used], minlength=graph.n_nodes)
        assert np.array_equal(flow, np.bincount(graph.heads[used], minlength=graph.n_nodes))
        assert theta @ x - theta @ y == pytest.approx(graph.costs[used].sum(), abs=1e-12)


def test_the_diamond_by_hand():
    decisions = Paths(DIAMOND, "s", "t")
    assert (decisions.d, decisions.m, decisions.count()) == (5, 3, 3)
    assert decisions.items == tuple(DIAMOND)
    assert decisions.enumerate().tolist() == [[1, 0, 1, 0, 0], [1, 0, 0, 1, 1], [0, 1, 0, 1, 0]]
    x = decisions.maximize([1, 2, 1, 2, 5])
    assert x.tolist() == [1, 0, 0, 1, 1]
    assert decisions.walk(x) == ("s", "a", "b", "t")
    assert [decisions.nodes[v] for v in decisions.topological_order] == ["s", "a", "b", "t"]
    graph = decisions.exchange_graph([1, 2, 1, 2, 5])
    assert graph.n_nodes == 4
    assert graph.hub.tolist() == [0, 1, 2, 3]
    assert graph.tails.tolist() == [1, 0, 1, 3, 2]
    assert graph.heads.tolist() == [0, 2, 3, 2, 1]
    assert graph.costs.tolist() == [0, 4, 6, 0, 0]
    assert graph.entering.tolist() == [-1, 1, 2, -1, -1]
    assert graph.leaving.tolist() == [0, -1, -1, 3, 4]


def test_arcs_on_no_path_are_legal_and_never_used():
    arcs = [("s", "t"), ("x", "s"), ("t", "y"), ("s", "dead"), ("x", "y"), ("s", "t")]
    decisions = Paths(arcs, "s", "t")
    assert decisions.items[0] == ("s", "t", 0)
    assert decisions.items[5] == ("s", "t", 1)
    assert decisions.useful_items.tolist() == [1, 0, 0, 0, 0, 1]
    assert decisions.maximize([0, 9, 9, 9, 9, 1]).tolist() == [0, 0, 0, 0, 0, 1]
    graph = decisions.exchange_graph([0, 9, 9, 9, 9, 1])
    assert graph.n_nodes == 2
    assert sorted(graph.entering.tolist()) == [-1, 0]


def test_equally_heavy_paths_and_zero_weights():
    decisions = Paths([("s", "t")] * 3, "s", "t")
    assert decisions.maximize(np.zeros(3)).tolist() == [1, 0, 0]
    assert decisions.maximize([-1, 0, 0]).tolist() == [0, 1, 0]


def test_networkx_graphs_are_read_in_their_order():
    graph = nx.MultiDiGraph([(1, 2), (2, 3), (1, 3), (1, 2)])
    graph.add_node("alone")
    decisions = Paths(graph, 1, 3)
    assert decisions.items == ((1, 2, 0), (1, 2, 1), (1, 3), (2, 3))
    assert decisions.nodes == (1, 2, 3, "alone")
    assert decisions.count() == 3
    assert Paths(nx.DiGraph([(1, 2), (2, 3)]), 1, 3).m == 2


def test_more_paths_than_int64_holds_are_counted():
    arcs = [(v, v + 1) for v in range(70) for _ in range(2)]
    decisions = Paths(arcs, 0, 70)
    assert decisions.count() == 2**70
    with pytest.raises(TooManyDecisionsError, match=r"limit = 100,000 decisions to list, got at least 10\^21"):
        decisions.enumerate()
    assert Paths(arcs[:8], 0, 4).enumerate(limit=16).shape == (16, 8)
    with pytest.raises(TooManyDecisionsError, match="limit = 15 decisions to list, got 16"):
        Paths(arcs[:8], 0, 4).enumerate(limit=15)


def test_grid_paths_are_counted_by_a_binomial_coefficient():
    n = 8
    grid = nx.grid_2d_graph(n + 1, n + 1, create_using=nx.DiGraph)
    grid.remove_edges_from([(u, v) for u, v in grid.edges if sum(v) < sum(u)])
    decisions = Paths(grid, (0, 0), (n, n))
    assert decisions.count() == 12870
    assert decisions.m == 2 * n


def test_membership_of_other_things():
    decisions = Paths(DIAMOND, "s", "t")
    assert [1, 0, 1, 0, 0] in decisions
    assert [0, 0, 0, 0, 0] not in decisions
    assert [1, 1, 1, 1, 0] not in decisions
    assert [1, 0, 0, 0, 0] not in decisions
    assert [1, 0, 1, 0] not in decisions
    assert [2, 0, 1, 0, 0] not in decisions
    assert "path" not in decisions


@pytest.mark.parametrize(
    ("graph", "source", "target", "message"),
    [
        (
            [("a", "b"), ("b", "a"), ("s", "a"), ("a", "t")],
            "s",
            "t",
            "got the cycle '[ab]' -> '[ba]' -> '[ab]': use Routes",
        ),
        ([("s", "t"), ("t", "t")], "s", "t", "got the cycle 't' -> 't': use Routes if costs are nonnegative, or drop"),
        ([("s", "t"), *((v, (v + 1) % 30) for v in range(30))], "s", "t", r"-> \(23 more\) ->"),
        (DIAMOND, "s", "z", "target must be a node of the graph, got 'z': pass one of its 4 node labels"),
        (DIAMOND, 0, "t", "source must be a node of the graph, got 0"),
        (DIAMOND, ["s"], "t", r"source must be a node of the graph, got \['s'\]"),
        (DIAMOND, "t", "s", "target must be reachable from source, got no path from 't' to 's'"),
        (DIAMOND, "s", "s", "source and target must differ, got 's' for both"),
        ([], "s", "t", "source must be a node of the graph, got 's': pass one of its 0"),
        (nx.Graph([("s", "t")]), "s", "t", "graph must be directed, got a Graph"),
        ([("s", "t", 1.0)], "s", "t", "each edge must be a pair"),
    ],
)
def test_bad_graphs_are_refused(graph, source, target, message):
    with pytest.raises(InvalidInputError, match=message):
        Paths(graph, source, target)


def test_the_cycle_shown_is_one():
    arcs = [("s", "t"), ("t", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    with pytest.raises(InvalidInputError) as caught:
        Paths(arcs, "s", "t")
    shown = str(caught.value).split("cycle ")[1].split(":")[0].replace("'", "").split(" -> ")
    assert shown[0] == shown[-1]
    assert len(shown) == 4
    assert all(arc in arcs for arc in itertools.pairwise(shown))


def test_bad_weights_and_decisions_are_refused():
    decisions = Paths(DIAMOND, "s", "t")
    with pytest.raises(InvalidInputError, match=r"shape \(d,\) = \(5,\), got \(4,\)"):
        decisions.maximize([1, 2, 3, 4])
    with pytest.raises(InvalidInputError, match="finite, got nan at index 1"):
        decisions.exchange_graph([1, np.nan, 3, 4, 5])
    with pytest.raises(InvalidInputError, match="decision must be a path from 's' to 't'"):
        decisions.walk([1, 1, 0, 0, 0])
