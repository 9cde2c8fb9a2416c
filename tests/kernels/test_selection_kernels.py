"""Selection kernels against sorting in plain Python."""

import numpy as np

from semibandits.kernels.search.selection import select_into, select_largest


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
