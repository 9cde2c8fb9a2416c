"""Every kind of matroid against a definition of independence that shares no code with it."""

import re
from fractions import Fraction
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits import matroids
from semibandits.errors import InvalidInputError, TooManyDecisionsError

KINDS = ("uniform", "partition", "laminar", "graphic", "transversal", "real", "binary", "oracle")
MOST_ITEMS = 5


@st.composite
def instances(draw, kind):
    """A matroid and its definition: a function from a tuple of items to bool."""
    d = draw(st.integers(0, MOST_ITEMS))
    return globals()[f"draw_{kind}"](draw, d)


def draw_uniform(draw, d):
    m = draw(st.integers(0, d))
    return matroids.Uniform(d, m), lambda s: len(s) <= m


def draw_partition(draw, d):
    groups = draw(st.lists(st.sampled_from("abc"), min_size=d, max_size=d))
    capacities = draw(st.one_of(st.integers(0, 3), st.fixed_dictionaries(dict.fromkeys("abc", st.integers(0, 3)))))

    def independent(s):
        chosen = [groups[i] for i in s]
        return all(chosen.count(g) <= (capacities[g] if isinstance(capacities, dict) else capacities) for g in chosen)

    return matroids.Partition(groups, capacities), independent


def draw_laminar(draw, d):
    order = draw(st.permutations(range(d)))
    sets = []

    def split(low, high):
        if high > low and draw(st.booleans()) and set(order[low:high]) not in map(set, sets):
            sets.append(order[low:high])
        if high > low + 1:
            middle = draw(st.integers(low + 1, high - 1))
            split(low, middle)
            split(middle, high)

    split(0, d)
    sets = draw(st.permutations(sets))
    capacities = draw(st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets)))
    return matroids.Laminar(sets, capacities, d=d), lambda s: all(
        len(set(s) & set(part)) <= most for part, most in zip(sets, capacities, strict=True)
    )


def draw_graphic(draw, d):
    edges = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=d, max_size=d))

    def independent(s):
        graph = nx.MultiGraph([edges[i] for i in s])
        return graph.number_of_nodes() == 0 or nx.is_forest(graph)

    return matroids.Graphic(edges), independent


def draw_transversal(draw, d):
    sets = draw(st.lists(st.lists(st.sampled_from("pqrs"), max_size=3), min_size=d, max_size=d))

    def independent(s):
        return any(len(set(places)) == len(s) for places in product(*(sets[i] for i in s)))

    return matroids.Transversal(sets), independent


def draw_real(draw, d):
    r = draw(st.integers(0, 4))
    columns = draw(st.lists(st.lists(st.integers(-2, 2), min_size=r, max_size=r), min_size=d, max_size=d))
    scale = draw(st.sampled_from([1.0, 1e-150, 1e150]))
    return matroids.Linear(
        scale * np.array(columns, dtype=float).reshape(d, r).T
    ), lambda s: exact_rank([columns[i] for i in s]) == len(s)


def exact_rank(rows):
    rows = [[Fraction(x) for x in row] for row in rows]
    rank = 0
    while any(any(row) for row in rows):
        pivot = next(row for row in rows if any(row))
        c = next(c for c, x in enumerate(pivot) if x)
        rows = [[x - row[c] / pivot[c] * y for x, y in zip(row, pivot, strict=True)] for row in rows]
        rank += 1
    return rank


def draw_binary(draw, d):
    r = draw(st.sampled_from([0, 1, 2, 3, 4, 70]))
    columns = [draw(st.integers(0, 2**r - 1 if r < 70 else 7)) << (66 if r == 70 else 0) for _ in range(d)]
    matrix = np.array([[c >> bit & 1 for c in columns] for bit in range(r)]).reshape(r, d)

    def independent(s):
        sums = [0]
        for i in s:
            sums += [x ^ columns[i] for x in sums]
        return 0 not in sums[1:]

    return matroids.Linear(matrix, field=2), independent


def draw_oracle(draw, d):
    _, independent = draw_graphic(draw, d)
    return matroids.Oracle(d, lambda indices: independent(tuple(indices.tolist()))), independent


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


many = settings(max_examples=150, deadline=None, derandomize=True)


@pytest.mark.parametrize("kind", KINDS)
def test_independence_agrees_with_the_definition_and_the_axioms(kind):
    @many
    @given(instances(kind))
    def check(instance):
        matroid, definition = instance
        family = {s for s in subsets(range(matroid.d)) if matroid.is_independent(as_array(s))}
        assert family == table(matroid, definition)
        assert () in family
        assert all(s[:k] + s[k + 1 :] in family for s in family for k in range(len(s)))
        for small, large in product(family, family):
            if len(small) < len(large):
                assert any(tuple(sorted({*small, z})) in family for z in set(large) - set(small))

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_exchanges_and_lightest_partners(kind):
    @many
    @given(instances(kind), st.data())
    def check(instance, data):
        matroid, definition = instance
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

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_bases_are_listed_in_order_and_counted(kind):
    @many
    @given(instances(kind))
    def check(instance):
        matroid, definition = instance
        independent = table(matroid, definition)
        rank = max(map(len, independent))
        expected = sorted(s for s in independent if len(s) == rank)
        assert matroid.rank == rank
        assert [tuple(np.flatnonzero(row)) for row in matroid.bases(len(expected))] == expected
        assert matroid.count_bases() in (None, len(expected))
        with pytest.raises(TooManyDecisionsError, match="limit"):
            matroid.bases(len(expected) - 1)

    check()


def test_families_with_a_formula_use_it():
    """No listing can reach these counts."""
    assert matroids.Uniform(300, 150).count_bases() == pytest.approx(9.375970277e88, rel=1e-9)
    assert matroids.Partition([i % 30 for i in range(300)], 5).count_bases() == 252**30
    assert matroids.Laminar([range(10 * k, 10 * k + 10) for k in range(30)], 5).count_bases() == 252**30
    assert matroids.Graphic(nx.complete_graph(60)).count_bases() == 60**58


@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_bipartite_and_cycle_graphs_have_known_numbers_of_trees(n):
    assert matroids.Graphic(nx.complete_bipartite_graph(n, 4)).count_bases() == n**3 * 4 ** (n - 1)
    assert matroids.Graphic([(i, (i + 1) % n) for i in range(n)]).count_bases() == n


def test_trees_of_several_components_multiply():
    triangles = [(c, k, c, (k + 1) % 3) for c in range(3) for k in range(3)]
    assert matroids.Graphic([((a, b), (x, y)) for a, b, x, y in triangles]).count_bases() == 27


def test_laminar_and_truncated_partition_agree_with_a_direct_sum():
    """At most two of each of three groups of four and five in total: group sizes are 2, 2, 1 in some order."""
    groups = [range(4 * k, 4 * k + 4) for k in range(3)]
    assert matroids.Laminar([*groups, range(12)], [2, 2, 2, 5]).count_bases() == 3 * 6 * 6 * 4


@given(
    groups=st.lists(st.sampled_from("abc"), max_size=7),
    limits=st.tuples(*[st.integers(0, 4)] * 3),
    fraction=st.floats(0, 1),
)
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


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (3, "size must be at most 2, the number of items that the capacities allow, and at least 0, got 3"),
        (-1, r"size must be at most 2, .* and at least 0, got -1"),
        (1.5, r"size must be an integer, got 1\.5"),
        (True, "size must be an integer, got True"),
    ],
)
def test_sizes_of_quotas_are_checked(size, message):
    with pytest.raises(InvalidInputError, match=message):
        matroids.quotas("aabb", 1, size)


def test_a_partition_with_a_size_is_one_of_quotas():
    with pytest.raises(
        TypeError, match=r"argument 'size': a limit .* is one of sb\.matroids\.quotas\(groups, capacities, size\)"
    ):
        matroids.Partition("aabb", 1, size=1)


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
    shown = [
        matroids.Uniform(3, 1),
        matroids.Partition("aab", 1),
        matroids.Laminar([[0, 1]], 1),
        matroids.Graphic([(1, 2)]),
        matroids.Transversal([["p"], ["p", "q"]]),
        matroids.Linear([[1, 0]], field=2),
    ]
    assert [repr(matroid) for matroid in shown] == [
        "Uniform(d=3, m=1)",
        "Partition(d=3, groups=2)",
        "Laminar(d=2, sets=1)",
        "Graphic(d=1, nodes=2)",
        "Transversal(d=2, places=2)",
        "Linear(matrix of shape (1, 2), field=2)",
    ]
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


def test_the_axiom_check_finds_two_bases_of_different_size():
    fake = matroids.Oracle(3, lambda indices: indices.tolist() in ([], [0], [1], [2], [1, 2]))
    with pytest.raises(InvalidInputError, match=r"one size, got \{.*\} and \{.*\} in .* is not a matroid"):
        matroids.check_axioms(fake)


def test_the_axiom_check_finds_an_independent_set_with_dependent_subsets():
    fake = matroids.Oracle(2, lambda indices: indices.tolist() in ([], [0, 1]))
    with pytest.raises(InvalidInputError, match=r"got the independent set \{0, 1\}, of which a greedy scan keeps only \{\}"):
        matroids.check_axioms(fake)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: matroids.Uniform(3, 4), "m must be at most d = 3, got 4"),
        (lambda: matroids.Uniform(3, -1), "m must be at least 0, got -1"),
        (lambda: matroids.Uniform(3.0, 1), "d must be an integer, got 3.0"),
        (lambda: matroids.Uniform(True, 1), "d must be an integer, got True"),
        (lambda: matroids.Partition("ab", {"a": 1}), "must contain every group, got none for 'b'"),
        (lambda: matroids.Partition("ab", {"a": 1, "b": -2}), "capacity of group 'b' must be at least 0, got -2"),
        (lambda: matroids.Partition("ab", 1.5), "capacities must be an integer, got 1.5"),
        (lambda: matroids.Partition([1, [2]], 1), r"hashable labels, got \[2\] at position 1"),
        (lambda: matroids.Partition([1, None], 1), "got None at position 1"),
        (lambda: matroids.Partition([1, float("nan")], 1), "got nan at position 1"),
        (lambda: matroids.Partition({"a", "b"}, 1), "groups must be a sequence, got set"),
        (lambda: matroids.Laminar([[0, 1], [5], [1, 2]], 1), "got sets 0 and 2, which share item 1 while item [02] is"),
        (lambda: matroids.Laminar([[0, 1, 2], [0, 1], [1, 2, 3, 4]], 1), "got sets 0 and 2, which share item"),
        (lambda: matroids.Laminar([[0, 1], [1, 0]], 1), "same items in sets 0 and 1"),
        (lambda: matroids.Laminar([[0, 0]], 1), r"sets\[0\] must be distinct, got item 0 twice"),
        (lambda: matroids.Laminar([[0, 3]], 1, d=3), r"sets\[0\] must contain items >= 0 and < d = 3, got 3"),
        (lambda: matroids.Laminar([[0, -1]], 1), r"sets\[0\] must contain items >= 0 and < d = 1, got -1"),
        (lambda: matroids.Laminar([[0.5]], 1), r"sets\[0\] must be a one-dimensional array of item numbers"),
        (lambda: matroids.Laminar([[0], [1]], [1]), "one entry per set, got 1 for 2 sets"),
        (lambda: matroids.Laminar([[0]], [-1]), r"capacities\[0\] must be at least 0, got -1"),
        (lambda: matroids.Laminar([0], 1), r"sets\[0\] must be a collection of items, got 0"),
        (lambda: matroids.Laminar(3, 1), "sets must be a sequence of collections of items, got int"),
        (lambda: matroids.Graphic(nx.DiGraph([(1, 2)])), "graph must be undirected, got a DiGraph"),
        (lambda: matroids.Transversal(["p"]), r"sets\[0\] must be a collection of places, got 'p'"),
        (lambda: matroids.Transversal([[["p"]]]), r"sets\[0\] must contain hashable labels, got \['p'\]"),
        (lambda: matroids.Transversal({"a": ["p"]}), "sequence with the places of each item, got dict"),
        (lambda: matroids.Linear([[1, float("nan")]]), "matrix must be finite, got nan"),
        (lambda: matroids.Linear([1, 2]), r"matrix must have shape \(r, d\), got \(2,\)"),
        (
            lambda: matroids.Linear([[1, 2]], field=2),
            "matrix must contain 0 and 1 if field=2, got 2.0 in row 0, column 1",
        ),
        (lambda: matroids.Linear([[1, 2]], field=3), "field must be None .* or 2, got 3"),
        (lambda: matroids.Linear([[1, 2]], tolerance=-1), r"tolerance must lie in \[0, 1\), got -1"),
        (lambda: matroids.Linear([[1, 2]], tolerance=float("nan")), r"tolerance must lie in \[0, 1\), got nan"),
        (lambda: matroids.Oracle(2, 3), "is_independent must be a function, got int"),
        (lambda: matroids.Oracle(2, lambda indices: len(indices) > 0), "True for the empty set, got False"),
        (lambda: matroids.Oracle(2, lambda indices: None), r"return True or False, got None for \[\]"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(InvalidInputError, match=message):
        build()


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([0, 3], "must contain items >= 0 and < d = 3, got 3 at position 1"),
        ([-1], "got -1 at position 0: number items from 0"),
        ([1, 1], "must be distinct, got item 1 twice"),
        ([True, False, True], r"item numbers, got shape \(3,\) and type bool: .*flatnonzero"),
        ([[0]], r"got shape \(1, 1\)"),
        ([0.0], "type float64"),
    ],
)
@pytest.mark.parametrize(
    "matroid",
    [
        matroids.Uniform(3, 2),
        matroids.Partition("aab", 1),
        matroids.Laminar([[0, 1, 2]], 2),
        matroids.Graphic([(0, 1), (1, 2), (2, 0)]),
        matroids.Transversal([["p"], ["q"], ["r"]]),
        matroids.Linear(np.eye(3)),
        matroids.Linear(np.eye(3), field=2),
        matroids.Oracle(3, no_more_than_one),
    ],
    ids=KINDS,
)
def test_bad_indices_are_refused_everywhere(matroid, indices, message):
    for method in (matroid.is_independent, matroid.greedy, matroid.exchanges):
        with pytest.raises(InvalidInputError, match=message):
            method(indices)
