"""Determinants modulo a prime against exact expansion in plain Python."""

from itertools import permutations

import numpy as np
import pytest

from semibandits.kernels.matroids.determinants import determinant_modulo


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
