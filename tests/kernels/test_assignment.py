"""Kernels for bipartite matchings: proofs by duals, lists and counts against plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.graphs.assignment import Bipartite, heaviest_matching, heaviest_matching_with_duals
from semibandits.kernels.graphs.listed_matchings import LIMB_BITS, count_matchings


@st.composite
def larger_graphs(draw):
    """Entries of graphs with dozens of nodes and their weights: few entries or many, ties, near ties, forbidden entries."""
    size = st.integers(1, 30) | st.just(90)
    n, n_others = draw(size), draw(size)
    if draw(st.booleans()):
        n_others = n
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    present = rng.random((n, n_others)) < draw(st.sampled_from([0.02, 0.05, 0.15, 0.4, 1.0]))
    if draw(st.booleans()):  # all leading nodes can be matched if there are enough others
        present[np.arange(min(n, n_others)), rng.permutation(n_others)[: min(n, n_others)]] = True
    rows, others = np.nonzero(present)
    kind = draw(st.sampled_from(["real", "few", "bits", "near", "product", "offset"]))
    weights = {
        "real": rng.normal(size=len(rows)),
        "few": rng.integers(-3, 4, len(rows)).astype(float),
        "bits": rng.integers(0, 2, len(rows)).astype(float),
        "near": 0.5 + 1e-13 * rng.random(len(rows)),
        "product": -(rows + 1.0) * (others + 1.0),
        "offset": 1e6 + rng.random(len(rows)),
    }[kind]
    weights[rng.random(len(rows)) < draw(st.sampled_from([0.0, 0.0, 0.2]))] = -np.inf
    return n, n_others, rows, others, weights


@settings(max_examples=150)
@given(larger_graphs(), st.booleans())
def test_duals_prove_larger_matchings_and_stuck_nodes_lack_neighbours(graph, optional):
    n, n_others, rows, others, weights = graph
    ptr = np.searchsorted(rows, np.arange(n + 1))
    (entry, mate, u, v), stuck = heaviest_matching_with_duals(weights, Bipartite(ptr, others, n_others, optional))
    usable = weights > -np.inf
    if len(stuck):
        assert not optional
        assert len(np.unique(stuck)) == len(stuck) > len(np.unique(others[usable & np.isin(rows, stuck)]))
        return
    chosen = entry[entry >= 0]
    assert optional or len(chosen) == n
    assert (rows[chosen] == np.flatnonzero(entry >= 0)).all()
    assert (mate[others[chosen]] == rows[chosen]).all()
    assert np.count_nonzero(mate >= 0) == len(chosen)
    tolerance = 1e-14 * max(1.0, np.abs(weights[usable]).max(initial=0.0)) * n
    reduced = -weights - u[rows] - v[others]
    assert reduced.min(initial=0.0) >= -tolerance
    assert np.abs(reduced[chosen]).max(initial=0.0) <= tolerance
    assert (v <= 0).all()
    assert (v[mate < 0] == 0).all()
    if optional:
        assert (weights[chosen] > 0).all()
        assert u.max() <= tolerance
        assert (u[entry < 0] == 0).all()


@pytest.mark.parametrize("optional", [False, True])
def test_weights_whose_sums_overflow_do_not_write_out_of_bounds(optional):
    huge = np.array([1.7e308, -1.7e308, -1.7e308, 1.7e308] * 4)
    with np.errstate(all="ignore"):
        entry, stuck = heaviest_matching(huge, Bipartite(np.array([0, 4, 8, 12, 16]), np.tile(np.arange(4), 4), 4, optional))
    assert len(entry) == 4
    assert len(stuck) <= 4


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("optional", [False, True])
def test_nodes_count_as_unmatched_if_sums_of_duals_overflow(sign, optional):
    diagonal = Bipartite(np.arange(4), np.arange(3), 4, optional)
    for huge in (False, True):
        _, stuck = heaviest_matching_with_duals(np.full(3, sign * (1e308 if huge else 1.0)), diagonal)
        # Left out if that is possible, nodes of negative weight have duals of 0.
        assert stuck.tolist() == ([0, 1, 2] if huge and (sign > 0.0 or not optional) else [])


def test_counts_carry_into_a_second_limb():
    n, parallel = 8, 60
    expected = math.factorial(n) * parallel**n
    assert 2**LIMB_BITS < expected < 2 ** (2 * LIMB_BITS)
    others = np.tile(np.repeat(np.arange(n), parallel), n)
    counted = count_matchings(np.arange(n + 1) * n * parallel, others, n, False, False, 2)
    assert int(counted[0]) + (int(counted[1]) << LIMB_BITS) == expected
    assert (counted >= 0).all()
