"""Matroid bases of every kind: P_LM, swaps, counts and exchange graphs against enumeration."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits import matroids
from semibandits.decisions.matroids import MatroidBases
from semibandits.errors import InvalidInputError, TooManyDecisionsError

MOST_ITEMS = 5


def draw_uniform(draw, d):
    return matroids.Uniform(d, draw(st.integers(0, d)))


def draw_partition(draw, d):
    return matroids.Partition(
        draw(st.lists(st.sampled_from("abc"), min_size=d, max_size=d)), {"a": 0, "b": 1, "c": draw(st.integers(0, 4))}
    )


def draw_laminar(draw, d):
    a, b = sorted((draw(st.integers(0, d)), draw(st.integers(0, d))))
    cut = draw(st.integers(a, b))
    sets = {frozenset(range(x, y)) for x, y in ((0, d), (a, b), (a, cut), (cut, b))}
    ordered = sorted(sets, key=sorted)
    return matroids.Laminar(ordered, [draw(st.integers(0, 3)) for _ in ordered], d=d)


def draw_graphic(draw, d):
    return matroids.Graphic(draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=d, max_size=d)))


def draw_transversal(draw, d):
    return matroids.Transversal(draw(st.lists(st.sets(st.sampled_from("pqrs"), max_size=3), min_size=d, max_size=d)))


def draw_real(draw, d):
    columns = draw(st.lists(st.lists(st.integers(-1, 1), min_size=3, max_size=3), min_size=d, max_size=d))
    return matroids.Linear(np.array(columns).T)


def draw_binary(draw, d):
    columns = draw(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=d, max_size=d))
    return matroids.Linear(np.array(columns).T, field=2)


def draw_oracle(draw, d):
    return matroids.Oracle(d, draw_graphic(draw, d).is_independent)


KINDS = {
    "uniform": draw_uniform,
    "partition": draw_partition,
    "laminar": draw_laminar,
    "graphic": draw_graphic,
    "transversal": draw_transversal,
    "real": draw_real,
    "binary": draw_binary,
    "oracle": draw_oracle,
}
# Small integers make ties and exact sums; the second kind has gaps far apart.
numbers = st.one_of(st.integers(-2, 2).map(float), st.sampled_from([0.1, 0.3, -1e-6, 1e6]))


@st.composite
def instances(draw, kind):
    d = draw(st.integers(1, MOST_ITEMS))
    matroid = KINDS[kind](draw, d)
    return matroid, np.array(draw(st.lists(numbers, min_size=d, max_size=d)))


def all_bases(matroid):
    """Bases by definition: the independent sets of largest size."""
    for k in range(matroid.d, -1, -1):
        found = [s for s in combinations(range(matroid.d), k) if matroid.is_independent(np.array(s, dtype=np.int64))]
        if found:
            rows = np.zeros((len(found), matroid.d), dtype=bool)
            for row, s in zip(rows, found, strict=True):
                row[list(s)] = True
            return rows
    raise AssertionError("the empty set is independent")


def single_swaps(x, bases):
    """(j, i, basis) for every basis of the form x - j + i."""
    result = []
    for y in bases:
        leaving, entering = np.flatnonzero(x & ~y), np.flatnonzero(y & ~x)
        if len(leaving) == 1:
            result.append((leaving[0], entering[0], y))
    return result


many = settings(max_examples=150, deadline=None, derandomize=True)


@pytest.mark.parametrize("kind", KINDS)
def test_maximize_equals_enumeration(kind):
    @many
    @given(instances(kind))
    def check(instance):
        matroid, theta = instance
        decisions = MatroidBases(matroid)
        bases = all_bases(matroid)
        x = decisions.maximize(theta)
        best = max(sorted(theta[y].tolist(), reverse=True) for y in bases)
        assert sorted(theta[x].tolist(), reverse=True) == best  # item by item: no rounding in sums
        assert any(np.array_equal(x, y) for y in bases)
        assert np.array_equal(x, decisions.maximize(theta.copy()))
        assert (decisions.d, decisions.m) == (matroid.d, x.sum())

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_swaps_and_exchange_graph_are_the_single_swaps(kind):
    @many
    @given(instances(kind))
    def check(instance):
        matroid, theta = instance
        decisions = MatroidBases(matroid)
        swaps, graph = decisions.swaps(theta), decisions.exchange_graph(theta)
        x = decisions.maximize(theta)
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

    check()


def check_star(graph, theta, expected):
    """Every single swap is a cycle of two arcs through the hub, and there are no other cycles."""
    assert graph.n_nodes == 1 + len({i for _, i, _ in expected})
    padded = np.append(theta, 0.0)
    reduced = padded[graph.leaving] - padded[graph.entering] + graph.potentials[graph.tails] - graph.potentials[graph.heads]
    assert graph.costs == pytest.approx(reduced, abs=1e-12)
    assert len(graph.hub) == 0
    out = np.flatnonzero(graph.tails == 0)
    back = np.flatnonzero(graph.heads == 0)
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


@pytest.mark.parametrize("kind", KINDS)
def test_membership_count_and_listing(kind):
    @settings(max_examples=50, deadline=None, derandomize=True)
    @given(instances(kind))
    def check(instance):
        matroid, _ = instance
        decisions = MatroidBases(matroid)
        bases = {tuple(row) for row in all_bases(matroid)}
        listed = decisions.enumerate()
        assert len(listed) == len(bases) == decisions.count()
        assert {tuple(row) for row in listed} == bases
        for code in range(2**decisions.d):
            x = np.array([code >> i & 1 for i in range(decisions.d)])
            assert (x in decisions) == (tuple(x == 1) in bases)

    check()


def test_vectors_that_are_not_decisions():
    decisions = MatroidBases(matroids.Uniform(3, 2))
    assert [1, 1, 0] in decisions
    assert [1, 1] not in decisions
    assert [2, 0, 0] not in decisions
    assert "110" not in decisions


def test_a_large_uniform_matroid_is_counted_but_not_listed():
    decisions = MatroidBases(matroids.Uniform(60, 30))
    assert decisions.count(limit=1) == 118264581564861424
    with pytest.raises(TooManyDecisionsError, match=r"at most limit = 100,000 decisions to list, got 118,264,581,564"):
        decisions.enumerate()
    with pytest.raises(TooManyDecisionsError, match=r"to list, got at least 10\^600: raise limit"):
        MatroidBases(matroids.Uniform(2_000, 1_000)).enumerate()  # comb(2000, 1000) has 601 digits


def test_counting_without_a_formula_stops_at_the_limit():
    decisions = MatroidBases(matroids.Linear(np.random.default_rng(0).normal(size=(4, 12))))
    assert decisions.count() == 495
    with pytest.raises(TooManyDecisionsError, match="limit = 494"):
        decisions.count(limit=494)


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


def test_an_oracle_that_is_not_a_matroid_is_detected():
    """The greedy scan 0, 1, 2, 3 rejects item 1 with item 0, but would accept it with items 0 and 2."""
    independent = [[], [0], [1], [2], [3], [0, 2], [0, 2, 3], [0, 1, 2]]
    decisions = MatroidBases(matroids.Oracle(4, lambda indices: indices.tolist() in independent))
    for ask in (decisions.swaps, decisions.exchange_graph):
        with pytest.raises(InvalidInputError, match=r"improves by 2 when item 3 leaves for item 1: .* is not a matroid"):
            ask([4.0, 3.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: MatroidBases(3), "matroid must be a Matroid, got int"),
        (lambda: MatroidBases(matroids.Uniform(0, 0)), "must have items, got none in Uniform"),
        (lambda: MatroidBases(matroids.Uniform(2, 1)).maximize([1, 2, 3]), r"weights must have shape \(d,\) = \(2,\)"),
        (lambda: MatroidBases(matroids.Uniform(2, 1)).maximize([1, np.nan]), "weights must be finite, got nan"),
        (lambda: MatroidBases(matroids.Uniform(2, 1)).swaps([1, np.inf]), "weights must be finite, got inf"),
        (lambda: MatroidBases(matroids.Uniform(2, 1)).exchange_graph([1]), r"weights must have shape \(d,\) = \(2,\)"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(InvalidInputError, match=message):
        build()
