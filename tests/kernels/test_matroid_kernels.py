"""Cases that small matroids do not reach; `matroids/test_matroid_families.py` compares all kinds with their definitions."""

from itertools import permutations

import numpy as np
import pytest

from semibandits.kernels.graphs import forests
from semibandits.kernels.matroids import elimination
from semibandits.kernels.matroids import uniform as matroids
from semibandits.kernels.matroids.determinants import determinant_modulo
from semibandits.kernels.matroids.intersection import NEGATIVE_CYCLE, Exchanges, augment, new_paths
from semibandits.kernels.search.selection import select_into, select_largest


def test_real_greedy_keeps_its_accuracy_on_nearly_parallel_vectors():
    """Five independent vectors within 1e-7 of each other; the sixth is a combination of them."""
    rng = np.random.default_rng(0)
    rows = np.ones(8) + 1e-7 * rng.normal(size=(5, 8))
    rows = np.vstack((rows, rng.random(5) @ rows))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert elimination.real_greedy(unit, np.arange(6), 1e-9).tolist() == [True] * 5 + [False]


def test_binary_exchanges_of_more_members_than_a_word_has_bits():
    d = 70
    vectors = np.zeros((d + 1, 2), dtype=np.uint64)
    for i in range(d):
        vectors[i, i // 64] = np.uint64(1) << np.uint64(i % 64)
    vectors[d] = vectors[3] ^ vectors[63] ^ vectors[64] ^ vectors[66]
    free, swaps = elimination.binary_exchanges(vectors, np.arange(d))
    assert not free.any()
    assert np.argwhere(swaps).tolist() == [[3, d], [63, d], [64, d], [66, d]]


@pytest.mark.parametrize(("indices", "position"), [([], -1), ([2, 0], -1), ([0, 3], 1), ([-1], 0), ([1, 0, 1], 2), ([5, 5], 0)])
def test_first_bad_index(indices, position):
    assert matroids.first_bad_index(np.array(indices, dtype=np.int64), 3) == position


def test_lightest_edges_of_a_long_path():
    n = 3000
    tails, heads = np.arange(n), (np.arange(n) + 1) % n  # a cycle; its last edge stays outside
    weights = np.random.default_rng(0).permutation(n).astype(float)
    lightest = forests.forest_lightest(n, tails, heads, np.arange(n - 1), weights)
    assert lightest[n - 1] == np.argmin(weights[: n - 1])
    assert (lightest[: n - 1] == -1).all()


@pytest.mark.parametrize("weight", [1, 2**44])
def test_augmenting_path_reports_a_negative_cycle(weight):
    # Item 0 is chosen; swapping it for item 1 gains `weight`, round and round.
    weights = np.array([0, weight, 0])
    swaps = np.array([[False, True, True]])
    free1, free2 = np.array([False, False, True]), np.array([False, False, True])
    x = np.array([True, False, False])
    graph = Exchanges(free1, swaps), Exchanges(free2, swaps)
    assert augment(weights, np.array([0]), *graph, x, new_paths(3), True) == NEGATIVE_CYCLE
    assert x.tolist() == [True, False, False]


def test_the_largest_are_selected_after_any_guess():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 20))
        weights = rng.integers(-3, 4, d).astype(float) if seed % 2 else rng.normal(size=d)
        for m in {0, 1, d // 2, d}:
            expected = np.isin(np.arange(d), sorted(range(d), key=lambda i: (-weights[i], i))[:m])
            assert np.array_equal(select_largest(weights, m), expected)
            near = expected.copy()
            near[rng.integers(d)] ^= True
            other = np.zeros(d, dtype=bool)
            other[rng.permutation(d)[:m]] = True
            for guess in (expected.copy(), near, other, np.ones(d, dtype=bool), np.zeros(d, dtype=bool)):
                select_into(weights, m, guess)
                assert np.array_equal(guess, expected)


def determinant_twin(matrix):
    """Leibniz's formula in Python integers."""
    n, total = len(matrix), 0
    for p in permutations(range(n)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        for i in range(n):
            sign *= int(matrix[i][p[i]])
        total += sign
    return total


@pytest.mark.parametrize("prime", [2, 5, 2**31 - 1])
@pytest.mark.parametrize("seed", range(30))
def test_determinants_equal_their_expansion(seed, prime):
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 6)
    size = 3 if seed % 2 else 2**31
    matrix = rng.integers(-size, size, (n, n))
    assert determinant_modulo(matrix, prime, 10**6) == determinant_twin(matrix) % prime


def test_an_elimination_beyond_its_budget_is_reported():
    matrix = np.random.default_rng(0).integers(1, 100, (6, 6))
    assert determinant_modulo(matrix, 2**31 - 1, 10) == -1
