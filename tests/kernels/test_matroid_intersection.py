"""Paths and cycles in the exchange graph of two matroids against slow twins in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.kernels.matroids.intersection import (
    CHANGED,
    NEGATIVE_CYCLE,
    NO_PATH,
    Exchanges,
    augment,
    new_paths,
    shortest_cycle,
)


def arcs_of(members, swaps1, swaps2):
    """The exchange graph as a dict from item to the items it has an arc to."""
    successors = {v: [] for v in range(swaps1.shape[1])}
    for a, y in enumerate(members.tolist()):
        successors[y] += np.flatnonzero(swaps1[a]).tolist()
        for z in np.flatnonzero(swaps2[a]).tolist():
            successors[z].append(y)
    return successors


def slow_distances(weights, members, free1, successors):
    """Smallest (cost, arcs) of a path from a free item to each item, by relaxing all arcs until nothing changes."""
    length = {v: int(w) if v in members else -int(w) for v, w in enumerate(weights)}
    best = {v: (length[v], 0) for v in np.flatnonzero(free1).tolist()}
    changed = True
    while changed:
        changed = False
        for u in list(best):
            for v in successors[u]:
                candidate = (best[u][0] + length[v], best[u][1] + 1)
                if v not in best or candidate < best[v]:
                    best[v], changed = candidate, True
    return best


def slow_cycle_length(item, successors):
    """Fewest arcs of a closed walk through `item` and larger items, by layers; None without such a walk."""
    layer, seen, length = {item}, set(), 0
    while layer:
        length += 1
        layer = {v for u in layer for v in successors[u] if v >= item} - seen
        if item in layer:
            return length
        seen |= layer
    return None


@st.composite
def graphs_without_negative_cycles(draw):
    """Arcs that respect drawn potentials, so that no cycle is negative, though arcs are; weights of any sign, many ties."""
    d = draw(st.integers(1, 9))
    x = np.array(draw(st.lists(st.booleans(), min_size=d, max_size=d)))
    members = np.flatnonzero(x)
    k = len(members)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    weights, levels = rng.integers(-3, 4, d), rng.integers(-3, 4, d)
    outside = np.flatnonzero(~x)
    swaps1, swaps2 = np.zeros((2, k, d), dtype=np.bool_)
    for a, y in enumerate(members):
        for z in outside:
            swaps1[a, z] = rng.random() < 0.7 and levels[y] - weights[z] >= levels[z]
            swaps2[a, z] = rng.random() < 0.7 and levels[z] + weights[y] >= levels[y]
    free1, free2 = ~x & (rng.random((2, d)) < 0.4)
    return weights, members, free1, swaps1, free2, swaps2


@given(graphs_without_negative_cycles())
@settings(max_examples=150)
def test_augmenting_path_is_cheapest_and_of_these_the_shortest(graph):
    weights, members, free1, swaps1, free2, swaps2 = graph
    successors = arcs_of(members, swaps1, swaps2)
    best = slow_distances(weights, set(members.tolist()), free1, successors)
    x = np.isin(np.arange(len(weights)), members)
    paths = new_paths(len(x))
    status = augment(weights, members, Exchanges(free1, swaps1), Exchanges(free2, swaps2), x, paths, True)
    ends = [best[z] for z in np.flatnonzero(free2).tolist() if z in best]
    if not ends:
        assert status == NO_PATH
        assert np.flatnonzero(x).tolist() == members.tolist()
        return
    assert status == CHANGED
    end = min(np.flatnonzero(free2).tolist(), key=lambda z: (paths.cost[z], paths.arcs[z]))
    path = [end]
    while (a := paths.via[path[0]]) >= 0:
        path = [paths.via_in[a], members[a], *path]
    path = np.array(path)
    assert np.array_equal(np.flatnonzero(x), sorted(set(members.tolist()) ^ set(path.tolist())))
    assert free1[path[0]]
    assert free2[path[-1]]
    assert len(set(path.tolist())) == len(path)
    assert all(v in successors[u] for u, v in zip(path[:-1].tolist(), path[1:].tolist(), strict=True))
    cost = int(weights[path[1::2]].sum() - weights[path[::2]].sum())
    assert (cost, len(path) - 1) == min(ends)


@pytest.mark.parametrize("weight", [1, 2**44])
def test_augmenting_path_reports_a_negative_cycle(weight):
    # Item 0 is chosen; swapping it for item 1 gains `weight`, round and round.
    weights = np.array([0, weight, 0])
    swaps = np.array([[False, True, True]])
    free1, free2 = np.array([False, False, True]), np.array([False, False, True])
    x = np.array([True, False, False])
    graph = Exchanges(free1, swaps), Exchanges(free2, swaps)
    assert augment(weights, np.array([0]), *graph, x, new_paths(3), True) == NEGATIVE_CYCLE
    assert x.tolist() == [True, False, False]


@st.composite
def bipartite_graphs(draw):
    d = draw(st.integers(1, 9))
    x = np.array(draw(st.lists(st.booleans(), min_size=d, max_size=d)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    swaps1, swaps2 = (rng.random((2, int(x.sum()), d)) < draw(st.sampled_from([0.2, 0.4, 0.8]))) & ~x
    return x, swaps1, swaps2


@given(bipartite_graphs())
@settings(max_examples=150)
def test_shortest_cycle(graph):
    x, swaps1, swaps2 = graph
    members = np.flatnonzero(x)
    successors = arcs_of(members, swaps1, swaps2)
    for item in range(len(x)):
        cycle = shortest_cycle(item, members, swaps1, swaps2).tolist()[::-1]
        length = slow_cycle_length(item, successors)
        if length is None:
            assert cycle == []
            continue
        assert len(cycle) == len(set(cycle)) == length
        assert cycle[0] == item == min(cycle)
        assert all(v in successors[u] for u, v in zip(cycle, [*cycle[1:], item], strict=True))
