"""m-sets against enumeration."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.errors import InvalidInputError, TooManyDecisionsError
from semibandits.matroids import Oracle

numbers = st.one_of(st.integers(-2, 2).map(float), st.sampled_from([-0.0, 0.1, 0.3, -1e-6, 1e6]))


@st.composite
def instances(draw):
    d = draw(st.integers(1, 7))
    return MSets(d, draw(st.integers(0, d))), np.array(draw(st.lists(numbers, min_size=d, max_size=d)))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(instances())
def test_maximize_equals_enumeration_and_prefers_small_indices(instance):
    decisions, theta = instance
    best = max(
        combinations(range(decisions.d), decisions.m),
        key=lambda s: (sorted(theta[list(s)].tolist(), reverse=True), [-i for i in s]),
    )
    assert np.flatnonzero(decisions.maximize(theta)).tolist() == list(best)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(instances())
def test_swaps_and_exchange_graph_are_those_of_the_matroid_given_by_an_oracle(instance):
    decisions, theta = instance
    reference = MatroidBases(Oracle(decisions.d, lambda indices: len(indices) <= decisions.m))
    ours, theirs = decisions.swaps(theta), reference.swaps(theta)
    assert np.array_equal(ours.decision, theirs.decision)
    assert np.array_equal(ours.leaving, theirs.leaving)
    assert np.array_equal(ours.gaps, theirs.gaps)
    graph, expected = decisions.exchange_graph(theta), reference.exchange_graph(theta)
    for name in ("tails", "heads", "costs", "entering", "leaving"):
        assert np.array_equal(getattr(graph, name), getattr(expected, name)), name
    assert graph.n_arcs == (decisions.d - decisions.m) * (decisions.m + 1) * (decisions.m > 0)


@pytest.mark.parametrize(("d", "m"), [(1, 0), (1, 1), (5, 2), (6, 6), (7, 3)])
def test_count_listing_and_membership(d, m):
    decisions = MSets(d, m)
    rows = decisions.enumerate()
    assert [tuple(np.flatnonzero(row)) for row in rows] == list(combinations(range(d), m))
    assert decisions.count() == comb(d, m) == len(rows)
    assert sum(np.array([code >> i & 1 for i in range(d)]) in decisions for code in range(2**d)) == comb(d, m)
    assert all(row in decisions for row in rows)
    assert (decisions.d, decisions.m, decisions.items) == (d, m, tuple(range(d)))


def test_the_gaps_of_ordered_weights_are_known():
    swaps = MSets(6, 3).swaps([6, 5, 4, 3, 2, 1])
    assert swaps.leaving.tolist() == [-1, -1, -1, 2, 2, 2]
    assert swaps.gaps.tolist() == [np.inf, np.inf, np.inf, 1, 2, 3]


def test_listing_respects_its_limit():
    with pytest.raises(TooManyDecisionsError, match="limit = 5 decisions to list, got 6"):
        MSets(4, 2).enumerate(limit=5)
    assert MSets(4, 2).enumerate(limit=6).shape == (6, 4)


def test_large_instances_select_like_a_sort():
    rng = np.random.default_rng(1)
    for m in (1, 10, 500, 999):
        theta = rng.integers(0, 50, 1000).astype(float)
        expected = np.zeros(1000, dtype=bool)
        expected[np.argsort(-theta, kind="stable")[:m]] = True
        assert np.array_equal(MSets(1000, m).maximize(theta), expected)


def test_read_only_and_strided_weights_are_read():
    decisions = MSets(3, 1)
    theta = np.array([[1.0, 9.0], [3.0, 9.0], [2.0, 9.0]])
    theta.setflags(write=False)
    assert decisions.maximize(theta[:, 0]).tolist() == [False, True, False]
    assert decisions.maximize([1, 3, 2]).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: MSets(3, 4), "m must be at most d = 3, got 4"),
        (lambda: MSets(3, -1), "m must be at least 0, got -1"),
        (lambda: MSets(0, 0), "must have items, got none"),
        (lambda: MSets("3", 1), "d must be an integer, got '3'"),
        (lambda: MSets(3, 1).maximize([1, 2]), r"weights must have shape \(d,\) = \(3,\), got \(2,\)"),
        (lambda: MSets(3, 1).maximize([1, 2, np.inf]), "weights must be finite, got inf at index 2"),
    ],
)
def test_bad_input_is_refused(build, message):
    with pytest.raises(InvalidInputError, match=message):
        build()


def test_huge_finite_weights_are_legal():
    assert MSets(2, 1).maximize([1e300, -1e300]).tolist() == [True, False]
