"""Matroid bases of every kind: P_LM, swaps and exchange graphs against enumeration."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from brute_force import as_rows, costs_of_potentials
from hypothesis import given, settings
from hypothesis import strategies as st

from matroid_cases import KINDS, defined_matroids
from semibandits import matroids
from semibandits.decisions.matroids import MatroidBases
from strategies import FAR_APART, items_of, with_vectors


def instances(kind):
    """A matroid and weights of its items."""
    some = defined_matroids(kind, least=1).map(lambda pair: pair[0])
    return with_vectors(some, FAR_APART, size=items_of)


def all_bases(matroid):
    """Bases by definition: the independent sets of largest size."""
    for k in range(matroid.d, -1, -1):
        found = [s for s in combinations(range(matroid.d), k) if matroid.is_independent(np.array(s, dtype=np.int64))]
        if found:
            return as_rows(found, matroid.d)
    raise AssertionError("the empty set is independent")


def single_swaps(x, bases):
    """(j, i, basis) for every basis of the form x - j + i."""
    changes = [(np.flatnonzero(x & ~y), np.flatnonzero(y & ~x), y) for y in bases]
    return [(leaving[0], entering[0], y) for leaving, entering, y in changes if len(leaving) == 1]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=100)
@given(data=st.data())
def test_swaps_and_exchange_graph_are_the_single_swaps(kind, data):
    matroid, theta = data.draw(instances(kind))
    decisions = MatroidBases(matroid)
    swaps, graph, x = decisions.swaps(theta), decisions.exchange_graph(theta), decisions.maximize(theta)
    assert np.array_equal(swaps.decision, x)
    assert np.array_equal(graph.decision, x)
    expected = single_swaps(x, all_bases(matroid))
    for i in range(decisions.d):
        partners = [j for j, entering, _ in expected if entering == i]
        j = min(partners, key=lambda j: (theta[j], j), default=-1)
        assert swaps.leaving[i] == j
        assert swaps.gaps[i] == (theta[j] - theta[i] if j >= 0 else np.inf)
    assert (swaps.gaps >= 0).all()
    check_star(graph, theta, expected)


def check_star(graph, theta, expected):
    """Every single swap is a cycle of two arcs through the hub, and there are no other cycles."""
    assert graph.n_nodes == 1 + len({i for _, i, _ in expected})
    assert graph.costs == pytest.approx(costs_of_potentials(graph, theta), abs=1e-12)
    assert len(graph.hub) == 0
    out, back = np.flatnonzero(graph.tails == 0), np.flatnonzero(graph.heads == 0)
    assert sorted([*out, *back]) == list(range(graph.n_arcs))
    assert sorted(graph.tails[back]) == list(range(1, graph.n_nodes))
    assert (graph.costs >= 0).all()
    assert (graph.entering[out] == -1).all()
    assert (graph.leaving[back] == -1).all()
    into = {graph.tails[arc]: arc for arc in back}
    cycles = {}
    for arc in out:
        pair = np.array([arc, into[graph.heads[arc]]])
        cycles[graph.leaving[arc], graph.entering[pair[1]]] = (graph.costs[pair].sum(), graph.apply(pair))
    assert len(cycles) == len(out)
    assert set(cycles) == {(j, i) for j, i, _ in expected}
    for j, i, y in expected:
        gap, decision = cycles[j, i]
        assert gap == theta[j] - theta[i]
        assert np.array_equal(decision, y)


def test_labels_come_from_the_matroid():
    decisions = MatroidBases(matroids.Graphic(nx.Graph([("a", "b"), ("b", "c")])))
    assert decisions.items == (("a", "b"), ("b", "c"))
    assert repr(decisions) == "MatroidBases(Graphic(d=2, nodes=3))"
    assert decisions.matroid.rank == 2


def test_results_are_read_only():
    swaps = MatroidBases(matroids.Uniform(3, 1)).swaps([1, 2, 3])
    for array in (swaps.decision, swaps.leaving, swaps.gaps):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
