"""Deletion of nodes and searches from each one; `regret_bound/test_certificate.py` compares the certificate with lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cycle_lists import all_cycles
from semibandits.kernels.graphs.exchange import arcs_of, distances_to
from semibandits.kernels.solver.verification import peel, worst_closed_walk
from strategies import FEW, ends_of, multigraphs, vectors


@st.composite
def digraphs(draw):
    """(n, tails, heads, costs, information): parallel arcs and zero costs, no loops, no information at cost 0."""
    n, arcs = draw(multigraphs((2, 5), (1, 11), loops=False))
    costs = draw(vectors(len(arcs), draw(st.sampled_from([FEW, st.floats(0.01, 3.0)]))))
    return n, *ends_of(arcs), costs, np.where(costs > 0, draw(vectors(len(arcs), st.floats(0.0, 5.0))), 0.0)


def peel_twin(removed, n, tails, heads):
    alive = np.ones(n, dtype=bool)
    alive[list(removed)] = False
    while True:
        inner = alive[tails] & alive[heads]
        kept = alive & np.isin(np.arange(n), tails[inner]) & np.isin(np.arange(n), heads[inner])
        if np.array_equal(kept, alive):
            return alive
        alive = kept


@given(digraphs())
@settings(max_examples=150)
def test_peeling_agrees_with_repeated_deletion(graph):
    n, tails, heads, _, _ = graph
    arcs = arcs_of(n, tails, heads)
    out_degree, in_degree = np.diff(arcs.out_ptr), np.diff(arcs.in_ptr)
    alive = np.ones(n, dtype=bool)
    ends = np.flatnonzero((out_degree == 0) | (in_degree == 0))
    removed = set()
    for seeds in (ends, *(np.array([v]) for v in range(n))):
        removed |= set(seeds.tolist())
        peel(seeds, alive, arcs, out_degree, in_degree)
        np.testing.assert_array_equal(alive, peel_twin(removed, n, tails, heads))
        np.testing.assert_array_equal(out_degree[alive], [alive[heads[tails == v]].sum() for v in np.flatnonzero(alive)])
        np.testing.assert_array_equal(in_degree[alive], [alive[tails[heads == v]].sum() for v in np.flatnonzero(alive)])
    assert not alive.any()


@given(digraphs(), st.sampled_from([0.0, 0.3, 2.0]))
@settings(max_examples=150)
def test_searches_from_each_node_find_the_worst_cycle(graph, at_least):
    n, tails, heads, costs, information = graph
    cycles = [cycle for cycle in all_cycles(n, tails, heads) if costs[cycle].sum() > 0]
    truth = max((information[cycle].sum() / costs[cycle].sum() ** 2 for cycle in cycles), default=0.0)
    arcs = arcs_of(n, tails, heads)
    found = []
    for v in range(n):
        distance = distances_to(v, arcs, costs, np.ones(n, dtype=np.bool_))[0]
        found.append(worst_closed_walk(v, arcs, costs, information, distance, at_least, 1e-13, True, 10_000))
    assert all(walk.complete for walk in found)
    assert max(walk.ratio for walk in found) == pytest.approx(max(truth, at_least), rel=1e-12)
