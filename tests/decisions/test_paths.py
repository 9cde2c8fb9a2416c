"""Paths in a directed acyclic graph, against enumeration by hand and by networkx."""

import itertools

import numpy as np
import pytest
from brute_force import costs_of_potentials
from hypothesis import given, settings

from cycle_lists import all_cycles
from semibandits.decisions.paths import Paths
from semibandits.errors import InvalidInputError
from strategies import MIXED, arcs_of_network, networks, with_vectors

DIAMOND = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("a", "b")]


@settings(max_examples=150)
@given(with_vectors(networks(), MIXED, size=arcs_of_network))
def test_exchange_graph(instance):
    """Its cycles are the ways to another path, and the arcs in which a path differs from x* conserve flow and cost its gap."""
    (arcs, source, target), theta = instance
    decisions = Paths(arcs, source, target)
    graph, rows = decisions.exchange_graph(theta), decisions.enumerate()
    x = graph.decision
    assert np.array_equal(x, decisions.maximize(theta))
    assert (graph.costs >= 0).all()
    assert (graph.costs[graph.entering < 0] == 0).all()
    assert graph.costs == pytest.approx(costs_of_potentials(graph, theta), abs=1e-13)
    assert (graph.potentials[0], graph.potentials[-1]) == (0.0, pytest.approx(-(theta @ x), abs=1e-13))
    used = np.sort(np.concatenate((graph.entering[graph.entering >= 0], graph.leaving[graph.leaving >= 0])))
    assert np.array_equal(used, np.flatnonzero(decisions.useful_items))
    assert np.array_equal(np.flatnonzero(x), np.sort(graph.leaving[graph.leaving >= 0]))

    gaps = theta @ x - rows @ theta
    cheapest = np.full(len(arcs), np.inf)
    for cycle in map(np.array, all_cycles(graph.n_nodes, graph.tails, graph.heads)):
        y = graph.apply(cycle)
        assert y in decisions
        assert not np.array_equal(y, x)
        assert theta @ x - theta @ y == pytest.approx(graph.costs[cycle].sum(), abs=1e-12)
        entering = graph.entering[cycle]
        entering = entering[entering >= 0]
        assert set(entering.tolist()) == set(np.flatnonzero(y & ~x).tolist())
        cheapest[entering] = np.minimum(cheapest[entering], graph.costs[cycle].sum())
    for item in np.flatnonzero(~x):
        assert cheapest[item] == pytest.approx(gaps[rows[:, item]].min(initial=np.inf), abs=1e-12)

    for y, gap in zip(rows, gaps, strict=True):
        padded_in, padded_out = np.append(y & ~x, False), np.append(x & ~y, False)
        used = padded_in[graph.entering] | padded_out[graph.leaving]
        assert np.array_equal(graph.apply(np.flatnonzero(used)), y)
        flow = np.bincount(graph.tails[used], minlength=graph.n_nodes)
        assert np.array_equal(flow, np.bincount(graph.heads[used], minlength=graph.n_nodes))
        assert gap == pytest.approx(graph.costs[used].sum(), abs=1e-12)


def test_the_diamond_by_hand():
    decisions = Paths(DIAMOND, "s", "t")
    assert decisions.items == tuple(DIAMOND)
    assert decisions.enumerate().tolist() == [[1, 0, 1, 0, 0], [1, 0, 0, 1, 1], [0, 1, 0, 1, 0]]
    assert decisions.walk(decisions.maximize([1, 2, 1, 2, 5])) == ("s", "a", "b", "t")
    assert [decisions.nodes[v] for v in decisions.topological_order] == ["s", "a", "b", "t"]


def test_arcs_on_no_path_are_legal_and_never_used():
    arcs = [("s", "t"), ("x", "s"), ("t", "y"), ("s", "dead"), ("x", "y"), ("s", "t")]
    decisions = Paths(arcs, "s", "t")
    assert decisions.items[0] == ("s", "t", 0)
    assert decisions.items[5] == ("s", "t", 1)
    assert decisions.useful_items.tolist() == [1, 0, 0, 0, 0, 1]
    assert decisions.maximize([0, 9, 9, 9, 9, 1]).tolist() == [0, 0, 0, 0, 0, 1]


def test_equally_heavy_paths_and_zero_weights():
    decisions = Paths([("s", "t")] * 3, "s", "t")
    assert decisions.maximize(np.zeros(3)).tolist() == [1, 0, 0]
    assert decisions.maximize([-1, 0, 0]).tolist() == [0, 1, 0]


def test_more_paths_than_int64_holds_are_counted():
    assert Paths([(v, v + 1) for v in range(70) for _ in range(2)], 0, 70).count() == 2**70


def test_the_cycle_shown_is_one():
    arcs = [("s", "t"), ("t", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    with pytest.raises(InvalidInputError) as caught:
        Paths(arcs, "s", "t")
    shown = str(caught.value).split("cycle ")[1].split(":")[0].replace("'", "").split(" -> ")
    assert shown[0] == shown[-1]
    assert len(shown) == 4
    assert all(arc in arcs for arc in itertools.pairwise(shown))
