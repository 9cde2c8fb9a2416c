"""The kernels of the certificate against slow twins."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cycle_lists import all_cycles
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.kernels.solver.verification import peel, worst_closed_walk
from strategies import FEW, ends_of, multigraphs, vectors


@st.composite
def digraphs(draw):
    """(n, tails, heads, costs, information): parallel arcs and zero costs, no loops, no information at cost 0."""
    n, arcs = draw(multigraphs((2, 5), (1, 11), loops=False))
    costs = draw(vectors(len(arcs), draw(st.sampled_from([FEW, st.floats(0.01, 3.0)]))))
    return n, *ends_of(arcs), costs, np.where(costs > 0, draw(vectors(len(arcs), st.floats(0.0, 5.0))), 0.0)


def worst_ratio(start, alive, tails, heads, costs, information):
    """Largest information/cost^2 of a simple cycle through `start`."""
    cycles = [c for c in all_cycles(len(alive), tails, heads) if start in tails[c] and alive[tails[c]].all()]
    return max((information[c].sum() / costs[c].sum() ** 2 for c in cycles if costs[c].sum() > 0), default=0.0)


def distances_twin(start, alive, tails, heads, costs):
    distance = np.where(np.arange(len(alive)) == start, 0.0, np.inf)
    for _ in range(len(alive)):
        for tail, head, cost in zip(tails, heads, costs, strict=True):
            if alive[tail] and alive[head]:
                distance[tail] = min(distance[tail], cost + distance[head])
    return distance


def peel_twin(removed, n, tails, heads):
    alive = np.ones(n, dtype=bool)
    alive[list(removed)] = False
    while True:
        inner = alive[tails] & alive[heads]
        kept = alive & np.isin(np.arange(n), tails[inner]) & np.isin(np.arange(n), heads[inner])
        if np.array_equal(kept, alive):
            return alive
        alive = kept


def search(graph, start, alive, ratio, max_labels=10_000, from_each=False):
    n, tails, heads, costs, information = graph
    distance = distances_twin(start, alive, tails, heads, costs)
    return worst_closed_walk(start, arcs_of(n, tails, heads), costs, information, distance, ratio, 1e-13, from_each, max_labels)


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


@given(digraphs(), st.integers(0, 4), st.sampled_from([0.0, 0.3, 2.0]))
@settings(max_examples=150)
def test_worst_closed_walk_is_the_worst_simple_cycle(graph, dead, at_least):
    n, tails, heads, costs, information = graph
    alive, start = np.arange(n) != dead, (dead + 1) % n if dead < n else 0
    truth = worst_ratio(start, alive, tails, heads, costs, information)
    ratio, walk, labels, complete = search(graph, start, alive, at_least)
    assert complete
    assert labels >= 1
    # A walk that passes other cycles may be worse than each simple cycle through its start, if one of those is worse still.
    assert ratio >= max(truth, at_least) * (1 - 1e-12)
    if ratio == at_least:
        assert len(walk) == 0
    else:
        np.testing.assert_array_equal(heads[walk], np.roll(tails[walk], -1))
        assert tails[walk[0]] == start
        assert alive[tails[walk]].all()
        assert ratio == pytest.approx(information[walk].sum() / costs[walk].sum() ** 2, rel=1e-12)
        if len(set(tails[walk])) == len(walk):
            assert ratio <= truth * (1 + 1e-12)


@given(digraphs(), st.sampled_from([0.0, 0.3, 2.0]))
@settings(max_examples=150)
def test_searches_from_each_node_find_the_worst_cycle(graph, at_least):
    n, tails, heads, costs, information = graph
    alive = np.ones(n, dtype=bool)
    truth = max(worst_ratio(v, alive, tails, heads, costs, information) for v in range(n))
    found = [search(graph, v, alive, at_least, from_each=True) for v in range(n)]
    assert all(complete for *_, complete in found)
    assert max(ratio for ratio, *_ in found) == pytest.approx(max(truth, at_least), rel=1e-12)
    everything = [search(graph, v, alive, at_least) for v in range(n)]
    assert sum(labels for _, _, labels, _ in found) <= sum(labels for _, _, labels, _ in everything)


def test_label_limit_breaks_the_search_off():
    n = 8
    tails, heads = np.array([(v, w) for v in range(n) for w in range(n) if v != w]).T.copy()
    rng = np.random.default_rng(1)
    graph = (n, tails, heads, rng.random(len(tails)), rng.random(len(tails)))
    alive = np.ones(n, dtype=bool)
    ratio, _, labels, complete = search(graph, 0, alive, 0.0, max_labels=5)
    assert not complete
    assert labels <= 6
    full = search(graph, 0, alive, 0.0)
    assert full[3]
    assert full[0] >= ratio
    # As many labels as the whole search needs are enough.
    assert search(graph, 0, alive, 0.0, max_labels=full[2])[3]


@pytest.mark.parametrize("seed", range(4))
def test_a_search_that_outgrows_its_first_arrays(seed):
    """Rings of pairs of arcs, on which no walk may be dropped."""
    k, rng = 12, np.random.default_rng(seed)
    tails, heads = np.repeat(np.arange(k), 2), np.repeat(np.arange(1, k + 1) % k, 2)
    more = 0.5 ** np.arange(k)
    costs = np.stack((np.ones(k), 1.0 + more), axis=1).ravel()
    information = np.stack((np.ones(k), 1.0 + more * rng.uniform(1.8, 2.6, k)), axis=1).ravel()
    graph = (k, tails, heads, costs, information)
    ratio, walk, labels, complete = search(graph, 0, np.ones(k, dtype=bool), 0.0)
    assert complete
    assert labels > 2 * 1024
    walks = 2 * np.arange(k) + np.array(list(itertools.product((0, 1), repeat=k)))
    ratios = information[walks].sum(axis=1) / costs[walks].sum(axis=1) ** 2
    assert ratio == pytest.approx(ratios.max(), rel=1e-12)
    np.testing.assert_array_equal(walk, walks[ratios.argmax()])
