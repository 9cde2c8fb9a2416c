"""Small sets of each family against all their decisions by definition: P_LM, lists, counts, membership and sizes."""

import itertools
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from brute_force import as_rows
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from matroid_cases import KINDS, defined_intersections, defined_matroids
from strategies import SATURATED, WEIGHTS, bipartite_edges, connected_edges, lists_of_decisions, networks, vectors

PRECISE = {"intersections": 2.0**-44, "bases": 0.0}
"""Largest loss divided by m times the largest weight; 1e-15 for other families."""


def all_paths(arcs, node, target):
    """Every path as a set of items."""
    if node == target:
        return [frozenset()]
    return [{k} | rest for k, (u, v) in enumerate(arcs) if u == node for rest in all_paths(arcs, v, target)]


def subsets(d, sizes, accepts):
    """The sets of such sizes that a function accepts, each as a tuple."""
    return [chosen for size in sizes for chosen in itertools.combinations(range(d), size) if accepts(chosen)]


@st.composite
def paths(draw):
    arcs, source, target = draw(networks())
    return sb.Paths(arcs, source, target), as_rows(all_paths(arcs, source, target), len(arcs))


@st.composite
def matchings(draw, saturate):
    edges = draw(bipartite_edges(saturate))
    rows, columns = len({r for r, _ in edges}), len({c for _, c in edges})
    least = max(rows * (saturate in ("both", "rows")), columns * (saturate in ("both", "columns")))

    def no_end_is_shared(chosen):
        return len({edges[i][0] for i in chosen}) == len({edges[i][1] for i in chosen}) == len(chosen)

    chosen = subsets(len(edges), range(least, min(rows, columns) + 1), no_end_is_shared)
    if saturate == "most":
        chosen = [each for each in chosen if len(each) == max(map(len, chosen))]
    return sb.Matchings(edges, saturate), as_rows(chosen, len(edges))


@st.composite
def trees(draw):
    edges = draw(connected_edges())
    nodes = {node for edge in edges for node in edge}

    def spans(chosen):
        graph = nx.MultiGraph([edges[i] for i in chosen])
        graph.add_nodes_from(nodes)
        return nx.is_tree(graph)

    return sb.SpanningTrees(edges), as_rows(subsets(len(edges), [len(nodes) - 1], spans), len(edges))


@st.composite
def msets(draw):
    d = draw(st.integers(1, 7))
    m = draw(st.integers(0, d))
    return sb.MSets(d, m), as_rows(subsets(d, [m], lambda chosen: True), d)


@st.composite
def bases(draw, kind):
    matroid, is_independent = draw(defined_matroids(kind, least=1))
    independent = subsets(matroid.d, range(matroid.d + 1), is_independent)
    rank = max(map(len, independent))
    return sb.MatroidBases(matroid), as_rows([chosen for chosen in independent if len(chosen) == rank], matroid.d)


@st.composite
def lists(draw):
    rows = draw(lists_of_decisions())
    return sb.EnumeratedDecisions(rows), np.array(rows, dtype=bool)


DEFINED = {
    "paths": paths(), "trees": trees(), "msets": msets(), "lists": lists(),
    **{f"bases, {kind}": bases(kind) for kind in KINDS},
    **{f"matchings, {saturate}": matchings(saturate) for saturate in SATURATED},
    **{f"intersections, {kind}": defined_intersections(kind) for kind in KINDS},
}  # fmt: skip
every_family = pytest.mark.parametrize("family", DEFINED)


def exact(weights, x):
    return sum((Fraction(w) for w in weights[x].tolist()), Fraction(0))


@every_family
@settings(max_examples=150)
@given(data=st.data())
def test_maximize_is_the_best_by_definition(family, data):
    decision_set, rows = data.draw(DEFINED[family])
    weights = data.draw(vectors(decision_set.d, data.draw(st.sampled_from(WEIGHTS))))
    x = decision_set.maximize(weights)
    assert (rows == x).all(axis=1).any()
    loss = max(exact(weights, row) for row in rows) - exact(weights, x)
    assert (
        0 <= loss <= decision_set.m * Fraction(PRECISE.get(family.split(",")[0], 1e-15)) * Fraction(float(np.abs(weights).max()))
    )
    if (weights == np.rint(weights)).all():
        assert loss == 0
        assert family != "lists" or np.array_equal(x, rows[np.argmax(rows @ weights)])  # the first of the best
    assert np.array_equal(x, decision_set.maximize(weights))


@every_family
@settings(max_examples=150)
@given(data=st.data())
def test_listing_counting_membership_and_size(family, data):
    decision_set, rows = data.draw(DEFINED[family])
    known = {row.tobytes() for row in rows}
    listed = decision_set.enumerate(len(rows))
    assert len(listed) == decision_set.count() == len(rows)
    assert {row.tobytes() for row in listed} == known
    if family.startswith(("trees", "msets", "lists", "bases", "intersections")):
        assert np.array_equal(listed, rows)  # in lexicographic order, or that of the list
    assert decision_set.m == rows.sum(axis=1).max()
    assert getattr(decision_set, "useful_items", rows.any(axis=0)).tolist() == rows.any(axis=0).tolist()
    with pytest.raises(sb.TooManyDecisionsError):
        decision_set.enumerate(len(rows) - 1)
    near = rows[data.draw(st.integers(0, len(rows) - 1))] ^ np.eye(decision_set.d, dtype=bool)
    for x in (
        *rows,
        *near,
        *(row ^ near[-1] for row in near),
        *itertools.islice(itertools.product([False, True], repeat=decision_set.d), 64),
    ):
        assert (x in decision_set) == (np.array(x).tobytes() in known)


LISTED = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1]]


def test_writing_to_results_does_not_change_the_set():
    given_rows = np.array(LISTED, dtype=bool)
    decisions = sb.EnumeratedDecisions(given_rows)
    given_rows[:] = False
    assert decisions.enumerate().tolist() == np.array(LISTED, dtype=bool).tolist()
    decisions.maximize([1, 1, 0, 0])[:] = False
    assert decisions.maximize([1, 1, 0, 0]).tolist() == [True, True, False, False]
    with pytest.raises(ValueError, match="read-only"):
        decisions.enumerate()[0, 0] = False


def test_labels_and_counts():
    decisions = sb.EnumeratedDecisions(LISTED, items=["a", "b", ("c", 1), 7])
    assert decisions.items == ("a", "b", ("c", 1), 7)
    assert sb.EnumeratedDecisions(LISTED).items == (0, 1, 2, 3)
    assert repr(decisions) == "EnumeratedDecisions(n=4, d=4, m=3)"
    assert decisions.count(3) == 4
