"""Selection kernels against sorting in plain Python."""

import numpy as np
import pytest

from semibandits.kernels.selection import select_into, select_largest, sift_down


@pytest.mark.parametrize("seed", range(200))
def test_the_largest_are_selected(seed):
    rng = np.random.default_rng(seed)
    d = rng.integers(1, 30)
    weights = rng.integers(-3, 4, d).astype(float) if seed % 2 else rng.normal(size=d)
    for m in {0, 1, d // 2, d}:
        expected = sorted(sorted(range(d), key=lambda i: (-weights[i], i))[:m])
        assert np.flatnonzero(select_largest(weights, m)).tolist() == expected


@pytest.mark.parametrize("seed", range(200))
def test_a_guess_does_not_change_the_answer(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 20))
    weights = rng.integers(-3, 4, d).astype(float) if seed % 2 else rng.normal(size=d)
    for m in {0, 1, d // 2, d}:
        expected = select_largest(weights, m)
        near = expected.copy()
        near[rng.integers(d)] ^= True
        other = np.zeros(d, dtype=bool)
        other[rng.permutation(d)[:m]] = True
        for guess in (expected.copy(), near, other, np.ones(d, dtype=bool), np.zeros(d, dtype=bool)):
            select_into(weights, m, guess)
            assert np.array_equal(guess, expected)


@pytest.mark.parametrize("seed", range(20))
def test_sifting_restores_the_heap(seed):
    rng = np.random.default_rng(seed)
    heap = np.sort(rng.integers(0, 10, 12)).astype(float)  # sorted, hence a min-heap
    x = float(rng.integers(0, 12))
    expected = sorted([*heap[1:], x])
    sift_down(heap, 0, x)
    assert sorted(heap) == expected
    assert all(heap[(p - 1) // 2] <= heap[p] for p in range(1, 12))
