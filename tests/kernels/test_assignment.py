"""Kernels for bipartite matchings, against plain Python and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from semibandits.kernels.assignment import LIMB_BITS, Bipartite, count_matchings, heaviest_matching, list_matchings
from semibandits.kernels.exchange import incidence


@st.composite
def graphs(draw):
    """Sizes of the two sides, and entries (leading node, other node) in order of the leading nodes."""
    n, n_others = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n_others - 1))
    return n, n_others, sorted(draw(st.lists(pair, max_size=11)), key=lambda entry: entry[0])


def grouped(n, entries):
    ptr, _ = incidence(n, np.array([r for r, _ in entries], dtype=np.int64))
    return ptr, np.array([c for _, c in entries], dtype=np.int64)


def twin_matchings(n, entries, optional, row=0, taken=frozenset()):
    """All matchings as tuples of entries, in lexicographic order with free (None) last."""
    if row == n:
        return [()]
    choices = [(k, {c}) for k, (r, c) in enumerate(entries) if r == row and c not in taken]
    if optional:
        choices.append((None, frozenset()))
    return [(k, *rest) for k, c in choices for rest in twin_matchings(n, entries, optional, row + 1, taken | c)]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(graphs(), st.booleans(), st.data())
def test_heaviest_matching_against_all_matchings(graph, optional, data):
    n, n_others, entries = graph
    number = data.draw(st.sampled_from([st.integers(-3, 3), st.floats(-1, 1, allow_subnormal=False)]))
    weights = np.array(data.draw(st.lists(number, min_size=len(entries), max_size=len(entries))), dtype=np.float64)
    ptr, others = grouped(n, entries)
    chosen, stuck = heaviest_matching(weights, Bipartite(ptr, others, n_others, optional))
    matchings = twin_matchings(n, entries, optional)
    assert (len(stuck) == 0) == (len(matchings) > 0)
    if len(stuck):
        neighbours = {c for r, c in entries if r in stuck}
        assert len(neighbours) < len(set(stuck.tolist())) == len(stuck)
        return
    assert tuple(k if k >= 0 else None for k in chosen) in matchings
    best = max(sum(weights[k] for k in matching if k is not None) for matching in matchings)
    assert weights[chosen[chosen >= 0]].sum() == pytest.approx(best, abs=1e-14)
    if optional:
        assert (weights[chosen[chosen >= 0]] > 0).all()


@pytest.mark.parametrize(("n", "n_others"), [(1, 1), (12, 19), (40, 40), (30, 60)])
@pytest.mark.parametrize("kind", ["real", "few values", "sparse"])
def test_heaviest_matching_against_scipy(n, n_others, kind):
    rng = np.random.default_rng(n_others)
    dense = rng.integers(-2, 3, (n, n_others)) if kind == "few values" else rng.normal(size=(n, n_others))
    present = rng.random((n, n_others)) < (0.2 if kind == "sparse" else 1.0)
    present[np.arange(n), rng.permutation(n_others)[:n]] = True
    rows, others = np.nonzero(present)
    weights = np.where(present, dense, -1e6)
    ptr, _ = incidence(n, rows)
    entry, stuck = heaviest_matching(weights[rows, others], Bipartite(ptr, others, n_others, False))
    assert len(stuck) == 0
    assert len(set(others[entry].tolist())) == n
    assert (rows[entry] == np.arange(n)).all()
    expected = weights[linear_sum_assignment(weights, maximize=True)].sum()
    assert weights[rows, others][entry].sum() == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("optional", [False, True])
def test_weights_whose_sums_overflow_do_not_write_out_of_bounds(optional):
    huge = np.array([1.7e308, -1.7e308, -1.7e308, 1.7e308] * 4)
    with np.errstate(all="ignore"):
        entry, stuck = heaviest_matching(
            huge, Bipartite(np.array([0, 4, 8, 12, 16]), np.tile(np.arange(4), 4), 4, optional)
        )
    assert len(entry) == 4
    assert len(stuck) <= 4


@settings(max_examples=200, deadline=None, derandomize=True)
@given(graphs(), st.booleans(), st.integers(1, 40))
def test_list_matchings_against_recursion(graph, optional, limit):
    n, n_others, entries = graph
    expected = twin_matchings(n, entries, optional)
    if not expected:
        return
    ptr, others = grouped(n, entries)
    items = np.arange(len(entries))[::-1].copy()  # entry k stands for the item `items[k]`
    rows = np.zeros((len(expected), len(entries)), dtype=np.bool_)
    assert list_matchings(ptr, others, items, n_others, optional, len(expected) + 1, rows) == len(expected)
    found = [tuple(np.flatnonzero(row[::-1]).tolist()) for row in rows]
    assert found == [tuple(k for k in matching if k is not None) for matching in expected]
    nowhere = np.empty((0, len(entries)), dtype=np.bool_)
    found = list_matchings(ptr, others, items, n_others, optional, limit, nowhere)
    assert found == min(limit, len(expected))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(graphs(), st.booleans(), st.booleans(), st.integers(1, 3))
def test_count_matchings_against_recursion(graph, optional, others_optional, limbs):
    n, n_others, entries = graph
    expected = [
        matching
        for matching in twin_matchings(n, entries, optional)
        if others_optional or sum(k is not None for k in matching) == n_others
    ]
    ptr, others = grouped(n, entries)
    counted = count_matchings(ptr, others, n_others, optional, others_optional, limbs)
    assert counted.tolist() == [len(expected)] + [0] * (limbs - 1)


def test_counts_carry_into_a_second_limb():
    n, parallel = 8, 60
    expected = math.factorial(n) * parallel**n
    assert 2**LIMB_BITS < expected < 2 ** (2 * LIMB_BITS)
    others = np.tile(np.repeat(np.arange(n), parallel), n)
    counted = count_matchings(np.arange(n + 1) * n * parallel, others, n, False, False, 2)
    assert int(counted[0]) + (int(counted[1]) << LIMB_BITS) == expected
    assert (counted >= 0).all()
