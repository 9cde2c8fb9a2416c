"""Every kind of matroid against a definition of independence that shares no code with it."""

import re
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matroid_cases import KINDS, defined_matroids
from semibandits import InvalidInputError, TooManyDecisionsError, matroids


def subsets(items):
    return [s for k in range(len(items) + 1) for s in combinations(items, k)]


def as_array(items):
    return np.array(items, dtype=np.int64)


def slow_greedy(order, independent):
    kept = ()
    for item in order:
        if independent((*kept, item)):
            kept = (*kept, item)
    return kept


def table(matroid, definition):
    return {s for s in subsets(range(matroid.d)) if definition(s)}


many = settings(max_examples=100)
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@many
@given(data=st.data())
def test_independence_agrees_with_the_definition_and_the_axioms(kind, data):
    matroid, definition = data.draw(defined_matroids(kind))
    family = {s for s in subsets(range(matroid.d)) if matroid.is_independent(as_array(s))}
    assert family == table(matroid, definition)
    assert () in family
    assert all(s[:k] + s[k + 1 :] in family for s in family for k in range(len(s)))
    for small, large in product(family, family):
        if len(small) < len(large):
            assert any(tuple(sorted({*small, z})) in family for z in set(large) - set(small))


@every_kind
@many
@given(data=st.data())
def test_greedy_exchanges_and_lightest_partners(kind, data):
    matroid, definition = data.draw(defined_matroids(kind))
    d = matroid.d
    order = data.draw(st.permutations(range(d)))[: data.draw(st.integers(0, d))]
    kept = slow_greedy(order, definition)
    assert np.flatnonzero(matroid.greedy(as_array(order))).tolist() == sorted(kept)

    members = kept[: data.draw(st.integers(0, len(kept)))]
    weights = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=d, max_size=d)), dtype=float)
    free, swaps = matroid.exchanges(as_array(members))
    lightest = matroid.lightest_partners(as_array(members), weights)
    assert (free.shape, swaps.shape) == ((d,), (len(members), d))
    for z in range(d):
        outside = z not in members
        assert free[z] == (outside and definition((*members, z)))
        for a, j in enumerate(members):
            assert swaps[a, z] == (outside and definition((*members[:a], *members[a + 1 :], z))), (j, z)
        circuit = [j for a, j in enumerate(members) if swaps[a, z] and not free[z]]
        assert lightest[z] == min(circuit, key=lambda j: (weights[j], j), default=-1)


@every_kind
@many
@given(data=st.data())
def test_bases_are_listed_in_order_and_counted(kind, data):
    matroid, definition = data.draw(defined_matroids(kind))
    independent = table(matroid, definition)
    rank = max(map(len, independent))
    expected = sorted(s for s in independent if len(s) == rank)
    assert matroid.rank == rank
    assert [tuple(np.flatnonzero(row)) for row in matroid.bases(len(expected))] == expected
    assert matroid.count_bases() in (None, len(expected))
    with pytest.raises(TooManyDecisionsError, match="limit"):
        matroid.bases(len(expected) - 1)


def test_families_with_a_formula_use_it():
    """No listing can reach these counts."""
    assert matroids.Uniform(300, 150).count_bases() == pytest.approx(9.375970277e88, rel=1e-9)
    assert matroids.Partition([i % 30 for i in range(300)], 5).count_bases() == 252**30
    assert matroids.Laminar([range(10 * k, 10 * k + 10) for k in range(30)], 5).count_bases() == 252**30
    assert matroids.Graphic(nx.complete_graph(60)).count_bases() == 60**58


@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_bipartite_and_cycle_graphs_have_known_numbers_of_trees(n):
    assert matroids.Graphic(nx.complete_bipartite_graph(n, 4)).count_bases() == n**3 * 4 ** (n - 1)
    cycles = [((c, i), (c, (i + 1) % n)) for c in range(3) for i in range(n)]
    assert matroids.Graphic(cycles).count_bases() == n**3  # numbers of several components are multiplied


@given(groups=st.lists(st.sampled_from("abc"), max_size=7), limits=st.tuples(*[st.integers(0, 4)] * 3), fraction=st.floats(0, 1))
def test_quotas_are_a_partition_with_a_limit_on_all_items(groups, limits, fraction):
    capacities = dict(zip("abc", limits, strict=True))
    size = round(fraction * matroids.quotas(groups, capacities).rank)
    matroid = matroids.quotas(groups, capacities, size)
    assert (matroid.d, matroid.rank) == (len(groups), size)
    for chosen in subsets(range(len(groups))):
        few_of_each = all(sum(groups[i] == g for i in chosen) <= limit for g, limit in capacities.items())
        assert matroid.is_independent(as_array(chosen)) == (few_of_each and len(chosen) <= size)
    assert type(matroids.quotas(groups, capacities)) is matroids.Partition


def test_quotas_are_partitions_where_that_suffices():
    assert type(matroids.quotas("aabb", 1, 2)) is type(matroids.quotas("aaaa", 3, 2)) is matroids.Partition
    assert type(matroids.quotas("aabb", 1, np.int64(1))) is matroids.Laminar
    assert matroids.quotas("aaaa", 3, 2).rank == 2


def test_listing_stops_at_the_limit():
    asked = []

    def independent(indices):
        asked.append(indices)
        return len(indices) <= 15

    matroid = matroids.Oracle(30, independent)
    with pytest.raises(TooManyDecisionsError, match=r"limit = 3 decisions to list, got more"):
        matroid.bases(limit=3)
    assert len(asked) < 3 * 30 * 17


def test_the_rank_is_computed_once():
    calls = []
    matroid = matroids.Oracle(4, lambda indices: calls.append(1) or len(indices) <= 2)
    assert matroid.rank == 2
    before = len(calls)
    assert matroid.rank == 2
    assert len(calls) == before


def test_a_loop_costs_an_oracle_one_call():
    asked = []
    matroid = matroids.Oracle(4, lambda indices: asked.append(indices.tolist()) or 0 not in indices)
    asked.clear()
    free, swaps = matroid.exchanges(as_array([2, 3]))
    assert free.tolist() == [False, True, False, False]
    assert swaps.tolist() == [[False, True, False, False]] * 2
    assert asked == [[0], [1], [1, 2, 3]]


@many
@given(st.lists(st.sets(st.integers(0, 5), min_size=1), max_size=4))
def test_errors_for_crossing_sets_name_the_items(sets):
    crossing = [
        {a, b} for a, b in combinations(range(len(sets)), 2) if sets[a] & sets[b] and sets[a] - sets[b] and sets[b] - sets[a]
    ]
    if not crossing:
        sets = [s for a, s in enumerate(sets) if s not in sets[:a]]
        assert matroids.Laminar(sets, 1, d=6).rank >= 6 - sum(len(s) - 1 for s in sets)
        return
    with pytest.raises(InvalidInputError) as caught:
        matroids.Laminar(sets, 1)
    if "same items" in str(caught.value):
        return  # equal sets are a separate error
    a, b, shared, other, of = map(int, re.findall(r"\d+", str(caught.value)))
    assert {a, b} in crossing
    assert shared in sets[a] & sets[b]
    assert other in sets[of] - sets[a + b - of]


def test_labels_and_names():
    assert matroids.Graphic([("a", "b"), ("b", "a"), ("b", "b")]).items == (("a", "b", 0), ("b", "a", 1), ("b", "b"))
    assert matroids.Uniform(3, 1).items == (0, 1, 2)
    shown = {
        matroids.Uniform(3, 1): "Uniform(d=3, m=1)",
        matroids.Partition("aab", 1): "Partition(d=3, groups=2)",
        matroids.Laminar([[0, 1]], 1): "Laminar(d=2, sets=1)",
        matroids.Graphic([(1, 2)]): "Graphic(d=1, nodes=2)",
        matroids.Transversal([["p"], ["p", "q"]]): "Transversal(d=2, places=2)",
        matroids.Linear([[1, 0]], field=2): "Linear(matrix of shape (1, 2), field=2)",
    }
    assert [repr(matroid) for matroid in shown] == list(shown.values())
    assert "no_more_than_one" in repr(matroids.Oracle(2, no_more_than_one))


def no_more_than_one(indices):
    return len(indices) < 2


def test_the_tolerance_determines_parallel_columns():
    nearly = [[1.0, 1.0], [0.0, 1e-6]]
    assert matroids.Linear(nearly).rank == 2
    coarse = matroids.Linear(nearly, tolerance=1e-5)
    assert coarse.rank == 1
    free, swaps = coarse.exchanges(as_array([0]))
    assert not free.any()
    assert swaps.tolist() == [[False, True]]


def test_the_tolerance_means_the_same_in_exchanges_and_tests():
    """Directions at angles 0, 1e-3 and 1e-6: the third counts as parallel to the first, not to the second."""
    angles = np.array([0.0, 1e-3, 1e-6])
    matroid = matroids.Linear([np.cos(angles), np.sin(angles)], tolerance=1e-5)
    free, swaps = matroid.exchanges(as_array([0, 1]))
    assert not free.any()
    assert [matroid.is_independent(as_array(pair)) for pair in ([1, 2], [0, 2])] == [True, False]
    assert swaps[:, 2].tolist() == [True, False]


def test_capacities_beyond_any_integer_type_mean_no_limit():
    assert matroids.Partition("aaa", 10**30).rank == 3
    assert matroids.Laminar([[0, 1, 2]], 10**30).rank == 3


def test_a_matroid_passes_the_axiom_check():
    matroids.check_axioms(matroids.Graphic(nx.complete_graph(5)))


REFUSED = [
    ([0, 3], "must contain items >= 0 and < d = 3, got 3 at position 1"),
    ([-1], "got -1 at position 0: number items from 0"),
    ([1, 1], "must be distinct, got item 1 twice"),
    ([True, False, True], r"item numbers, got shape \(3,\) and type bool: .*flatnonzero"),
    ([[0]], r"got shape \(1, 1\)"),
    ([0.0], "type float64"),
]


@pytest.mark.parametrize(
    "matroid",
    [
        matroids.Uniform(3, 2), matroids.Partition("aab", 1), matroids.Laminar([[0, 1, 2]], 2),
        matroids.Graphic([(0, 1), (1, 2), (2, 0)]), matroids.Transversal([["p"], ["q"], ["r"]]),
        matroids.Linear(np.eye(3)), matroids.Linear(np.eye(3), field=2), matroids.Oracle(3, no_more_than_one),
    ],
)  # fmt: skip
def test_bad_indices_are_refused_everywhere(matroid):
    for method, (indices, message) in product((matroid.is_independent, matroid.greedy, matroid.exchanges), REFUSED):
        with pytest.raises(InvalidInputError, match=message):
            method(indices)
