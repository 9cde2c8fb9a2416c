"""m-sets against enumeration."""

from itertools import combinations

import numpy as np
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


def test_large_instances_select_like_a_sort():
    rng = np.random.default_rng(1)
    for m in (1, 10, 500, 999):
        theta = rng.integers(0, 50, 1000).astype(float)
        expected = np.zeros(1000, dtype=bool)
        expected[np.argsort(-theta, kind="stable")[:m]] = True
        assert np.array_equal(MSets(1000, m).maximize(theta), expected)
