"""m-sets against enumeration."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from brute_force import assert_same_exchanges
from hypothesis import given, settings

from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.matroids import Oracle
from strategies import FAR_APART, items_of, small_msets, with_vectors


@settings(max_examples=150)
@given(with_vectors(small_msets(7), FAR_APART, size=items_of))
def test_maximize_equals_enumeration_and_prefers_small_indices(instance):
    decisions, theta = instance
    best = max(
        combinations(range(decisions.d), decisions.m),
        key=lambda s: (sorted(theta[list(s)].tolist(), reverse=True), [-i for i in s]),
    )
    assert np.flatnonzero(decisions.maximize(theta)).tolist() == list(best)


@settings(max_examples=150)
@given(with_vectors(small_msets(7), FAR_APART, size=items_of))
def test_swaps_and_exchange_graph_are_those_of_the_matroid_given_by_an_oracle(instance):
    decisions, theta = instance
    reference = MatroidBases(Oracle(decisions.d, lambda indices: len(indices) <= decisions.m))
    assert_same_exchanges(decisions, reference, theta)
    assert decisions.exchange_graph(theta).n_arcs == (decisions.d - decisions.m) * (decisions.m + 1) * (decisions.m > 0)


@pytest.mark.parametrize(("d", "m"), [(1, 0), (1, 1), (5, 2), (6, 6), (7, 3)])
def test_count_and_listing(d, m):
    decisions = MSets(d, m)
    rows = decisions.enumerate()
    assert [tuple(np.flatnonzero(row)) for row in rows] == list(combinations(range(d), m))
    assert decisions.count() == comb(d, m) == len(rows)
    assert (decisions.d, decisions.m, decisions.items) == (d, m, tuple(range(d)))


def test_large_instances_select_like_a_sort():
    rng = np.random.default_rng(1)
    for m in (1, 10, 500, 999):
        theta = rng.integers(0, 50, 1000).astype(float)
        expected = np.zeros(1000, dtype=bool)
        expected[np.argsort(-theta, kind="stable")[:m]] = True
        assert np.array_equal(MSets(1000, m).maximize(theta), expected)
