"""Policy iteration for the largest ratio of a cycle, against all cycles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cycle_lists import all_cycles
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.kernels.graphs.ratios import better_choices


def drawn(rng, n):
    """A strongly connected digraph of n nodes with costs and gains."""
    ends = [(v, (v + 1) % n) for v in range(n)] + [tuple(rng.permutation(n)[:2]) for _ in range(rng.integers(2 * n))]
    tails, heads = np.array(ends, dtype=np.int64).T.copy()
    costs = 0.1 + rng.random(len(ends)) * (rng.random(len(ends)) < 0.8)
    gains = rng.random(len(ends)) * (rng.random(len(ends)) < 0.7)
    return tails, heads, costs, gains


def improved(n, tails, heads, costs, gains, steps):
    """Ratios after each call, and the last potentials."""
    graph, choices, potentials = arcs_of(n, tails, heads), np.arange(n), np.zeros(n)
    ratios, done = [0.0], False
    while not done and len(ratios) < 100:
        ratio, done = better_choices(graph, costs, gains, choices, potentials, ratios[-1], steps)
        ratios.append(ratio)
        np.testing.assert_array_equal(tails[choices], np.arange(n))
    assert done
    return ratios, potentials


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.sampled_from([1, 2, 100]))
@settings(max_examples=100)
def test_improvements_in_parts_end_at_the_largest_ratio(seed, n, steps):
    tails, heads, costs, gains = drawn(np.random.default_rng(seed), n)
    best = max(gains[cycle].sum() / costs[cycle].sum() for cycle in all_cycles(n, tails, heads))
    ratios, potentials = improved(n, tails, heads, costs, gains, steps)
    assert ratios == sorted(ratios)
    assert ratios[-1] == pytest.approx(best, rel=1e-9)
    # The potentials prove it.
    assert (gains - ratios[-1] * costs + potentials[heads] - potentials[tails] <= 1e-9).all()


def test_few_improvements_are_enough():
    """3 on average, but 9 without the potentials that agree with the best choices."""
    rng = np.random.default_rng(0)
    calls = [len(improved(12, *drawn(rng, 12), 1)[0]) - 1 for _ in range(40)]
    assert sum(calls) <= 4.5 * 40
