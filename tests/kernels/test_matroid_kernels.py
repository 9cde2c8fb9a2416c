"""Kernels of partition, laminar, transversal and linear matroids against slow twins in plain Python."""

from itertools import combinations, permutations

import numpy as np
import pytest

from semibandits.kernels import elimination, laminar, matroids, transversal

SEEDS = range(60)


def greedy_twin(order, independent):
    kept = []
    for item in order:
        if independent([*kept, item]):
            kept.append(item)
    return kept


def exchanges_twin(d, members, independent):
    free = [z not in members and independent([*members, z]) for z in range(d)]
    swaps = [[z not in members and independent([*(m for m in members if m != j), z]) for z in range(d)] for j in members]
    return free, swaps


def lightest_twin(free, swaps, members, weights):
    result = []
    for z in range(len(free)):
        circuit = [j for a, j in enumerate(members) if swaps[a][z] and not free[z]]
        result.append(min(circuit, key=lambda j: (weights[j], j), default=-1))
    return result


def compare(rng, d, independent, greedy, exchanges, lightest=None):
    """A random order, and a random part of the items that it keeps."""
    order = rng.permutation(d)[: rng.integers(0, d + 1)]
    kept = greedy_twin(order.tolist(), independent)
    assert np.flatnonzero(greedy(order)).tolist() == sorted(kept)
    members = kept[: rng.integers(0, len(kept) + 1)]
    as_array = np.array(members, dtype=np.int64)
    free, swaps = exchanges(as_array)
    free_twin, swaps_twin = exchanges_twin(d, members, independent)
    assert free.tolist() == free_twin
    assert swaps.tolist() == swaps_twin
    weights = rng.integers(-2, 3, d).astype(float)
    expected = lightest_twin(free_twin, swaps_twin, members, weights)
    assert matroids.lightest_of_rows(swaps & ~free, as_array, weights).tolist() == expected
    if lightest is not None:
        assert lightest(as_array, weights).tolist() == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_partition(seed):
    rng = np.random.default_rng(seed)
    d = rng.integers(0, 11)
    group, capacity = rng.integers(0, 4, d), rng.integers(0, 4, 4)
    compare(
        rng,
        d,
        lambda s: all(sum(group[i] == g for i in s) <= capacity[g] for g in range(4)),
        lambda order: matroids.partition_greedy(group, capacity, order),
        lambda members: matroids.partition_exchanges(group, capacity, members),
        lambda members, weights: matroids.partition_lightest(group, capacity, members, weights),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_laminar(seed):
    rng = np.random.default_rng(seed)
    d, n = rng.integers(0, 11), rng.integers(0, 6)
    above = np.array([rng.integers(-1, s) for s in range(n)], dtype=np.int64)
    innermost, capacity = rng.integers(-1, n, d) if n else np.full(d, -1), rng.integers(0, 5, n)

    def sets_of(item):
        s, found = innermost[item], []
        while s >= 0:
            found.append(s)
            s = above[s]
        return found

    def independent(items):
        return all(sum(s in sets_of(i) for i in items) <= capacity[s] for s in range(n))

    compare(
        rng,
        d,
        independent,
        lambda order: laminar.laminar_greedy(innermost, above, capacity, order),
        lambda members: laminar.laminar_exchanges(innermost, above, capacity, members),
        lambda members, weights: laminar.laminar_lightest(innermost, above, capacity, members, weights),
    )
    members = np.array(greedy_twin(range(d), independent), dtype=np.int64)
    full = laminar.full_sets(innermost, above, capacity, members)
    for z in range(d):
        tight = [s for s in sets_of(z) if sum(s in sets_of(i) for i in members) == capacity[s]]
        assert full[z] == (tight[0] if tight else -1)


@pytest.mark.parametrize("seed", SEEDS)
def test_transversal(seed):
    rng = np.random.default_rng(seed)
    d, n = rng.integers(0, 8), rng.integers(0, 5)
    served = [np.flatnonzero(rng.random(n) < 0.4).tolist() for _ in range(d)]
    start = np.cumsum([0, *map(len, served)])
    places = np.array([p for s in served for p in s], dtype=np.int64)

    def independent(items):
        return any(
            all(p in served[i] for i, p in zip(items, chosen, strict=True)) for chosen in permutations(range(n), len(items))
        )

    compare(
        rng,
        d,
        independent,
        lambda order: transversal.transversal_greedy(n, start, places, order),
        lambda members: transversal.transversal_exchanges(n, start, places, members),
    )


def test_augmenting_path_through_three_items():
    """Items 0, 1, 2 serve {0}, {0, 1}, {1, 2}: to serve item 0 last, both others move."""
    start, places = np.array([0, 1, 3, 5]), np.array([0, 0, 1, 1, 2])
    holder, held, reached_by = np.array([1, 2, -1]), np.array([-1, 0, 1]), np.full(3, -1)
    assert transversal.explore(0, start, places, holder, reached_by) == 2
    assert reached_by.tolist() == [0, 1, 2]
    assert transversal.serve(0, start, places, holder, held, reached_by)
    assert held.tolist() == [0, 1, 2]
    assert holder.tolist() == [0, 1, 2]
    with_twin, places_of_two = np.array([0, 1, 2]), np.array([0, 0])
    holder, held, reached_by = np.array([0]), np.array([0, -1]), np.empty(1, dtype=np.int64)
    assert not transversal.serve(1, with_twin, places_of_two, holder, held, reached_by)
    assert (holder.tolist(), held.tolist()) == ([0], [0, -1])


@pytest.mark.parametrize("seed", SEEDS)
def test_real_greedy(seed):
    rng = np.random.default_rng(seed)
    d, r = rng.integers(0, 9), rng.integers(0, 5)
    rows = rng.integers(-1, 2, (d, r)).astype(float)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(lengths > 0, lengths, 1)
    order = rng.permutation(d)
    expected = greedy_twin(order.tolist(), lambda s: r > 0 and np.linalg.matrix_rank(rows[s]) == len(s))
    assert np.flatnonzero(elimination.real_greedy(unit, order, 1e-9)).tolist() == sorted(expected)


def test_real_greedy_keeps_its_accuracy_on_nearly_parallel_vectors():
    """Five independent vectors within 1e-7 of each other; the sixth is a combination of them."""
    rng = np.random.default_rng(0)
    rows = np.ones(8) + 1e-7 * rng.normal(size=(5, 8))
    rows = np.vstack((rows, rng.random(5) @ rows))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert elimination.real_greedy(unit, np.arange(6), 1e-9).tolist() == [True] * 5 + [False]


@pytest.mark.parametrize("seed", SEEDS)
def test_binary(seed):
    rng = np.random.default_rng(seed)
    d, n_words = rng.integers(0, 9), rng.integers(0, 3)
    vectors = np.zeros((d, n_words), dtype=np.uint64)
    for q in range(n_words):
        vectors[:, q] = rng.choice(np.array([0, 1, 2**63, 2**63 + 1, 2**40], dtype=np.uint64), d)

    def independent(items):
        return all(
            np.bitwise_xor.reduce(vectors[list(part)], axis=0).any()
            for k in range(1, len(items) + 1)
            for part in combinations(items, k)
        )

    compare(
        rng,
        d,
        independent,
        lambda order: elimination.binary_greedy(vectors, order),
        lambda members: elimination.binary_exchanges(vectors, members),
    )


def test_binary_exchanges_of_more_members_than_a_word_has_bits():
    d = 70
    vectors = np.zeros((d + 1, 2), dtype=np.uint64)
    for i in range(d):
        vectors[i, i // 64] = np.uint64(1) << np.uint64(i % 64)
    vectors[d] = vectors[3] ^ vectors[63] ^ vectors[64] ^ vectors[66]
    free, swaps = elimination.binary_exchanges(vectors, np.arange(d))
    assert not free.any()
    assert np.argwhere(swaps).tolist() == [[3, d], [63, d], [64, d], [66, d]]


def test_pieces_of_the_elimination():
    basis = np.array([[0b001, 0], [0b110, 5]], dtype=np.uint64)
    v = np.array([0b111, 1], dtype=np.uint64)
    elimination.reduce_word_vector(v, basis, np.array([0, 0]), np.array([1, 2], dtype=np.uint64), 2)
    assert v.tolist() == [0, 4]
    assert elimination.first_word(v, 2) == 1
    assert elimination.first_word(v, 1) == -1


@pytest.mark.parametrize(("indices", "position"), [([], -1), ([2, 0], -1), ([0, 3], 1), ([-1], 0), ([1, 0, 1], 2), ([5, 5], 0)])
def test_first_bad_index(indices, position):
    assert matroids.first_bad_index(np.array(indices, dtype=np.int64), 3) == position
