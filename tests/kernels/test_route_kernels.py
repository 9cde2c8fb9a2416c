"""Kernels of road networks against networkx, brute force and slower methods."""

import itertools

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.decisions.routes import grouped
from semibandits.kernels.graphs.dijkstra import (
    distances_from,
    negative_walk,
    shortest_path_into,
    shortest_tree,
    turns,
    walks_through,
)
from semibandits.kernels.graphs.ranked_paths import ranked_paths
from semibandits.kernels.graphs.ratios import negative_cycle
from semibandits.kernels.oracles.routes import clip_costs
from strategies import FEW, ends_of, multigraphs, vectors


@st.composite
def digraphs(draw):
    """Number of nodes, tails, heads and costs >= 0 of a digraph without self-loops."""
    n, arcs = draw(multigraphs((2, 6), (1, 14), loops=False))
    return n, *ends_of(arcs), draw(vectors(len(arcs), FEW))


def both_ways(n, tails, heads):
    """Arcs grouped by tail, and by head."""
    arcs = np.arange(len(tails))
    return grouped(n, tails, heads, arcs), grouped(n, heads, tails, arcs)


def zero_at(n, nodes):
    """0 at these nodes, infinite elsewhere."""
    return np.where(np.isin(np.arange(n), nodes), 0.0, np.inf)


def lengths_from(n, tails, heads, costs, start):
    """Bellman and Ford's method."""
    distance = zero_at(n, start)
    for _ in range(n):
        np.minimum.at(distance, heads, distance[tails] + costs)
    return distance


@given(digraphs(), st.integers(0, 5))
@settings(max_examples=150)
def test_distances_and_trees(graph, start):
    n, tails, heads, costs = graph
    start %= n
    out, begin = both_ways(n, tails, heads)[0], zero_at(n, start)
    expected = lengths_from(n, tails, heads, costs, start)
    assert (distances_from(out, costs, begin) == expected).all()
    distance, last = shortest_tree(out, costs, begin)
    assert (distance == expected).all()
    for v in range(n):
        if last[v] >= 0:
            arc = out.items[last[v]]
            assert heads[arc] == v
            assert distance[tails[arc]] + costs[arc] == distance[v]
    two = begin.copy()
    two[(start + 1) % n] = -1.0
    both = np.minimum(expected, lengths_from(n, tails, heads, costs, (start + 1) % n) - 1.0)
    assert (distances_from(out, costs, two) == both).all()


@given(digraphs(), st.data())
@settings(max_examples=150)
def test_shortest_path_with_any_lower_bounds(graph, data):
    n, tails, heads, costs = graph
    out, into = both_ways(n, tails, heads)
    share = data.draw(st.sampled_from((0.0, 0.5, 1.0)))
    ahead = distances_from(into, share * costs, zero_at(n, n - 1))
    ratio = 1.0 / share if share > 0.0 and data.draw(st.booleans()) else 1.0
    expected = lengths_from(n, tails, heads, costs, 0)[n - 1]
    x = np.ones(len(tails), dtype=np.bool_)
    assert shortest_path_into(out, costs, ahead, ratio, 0, n - 1, x) == expected
    if expected < np.inf:
        assert costs[x].sum() == expected
        path = nx.DiGraph((int(tails[a]), int(heads[a])) for a in np.flatnonzero(x))
        assert nx.dag_longest_path_length(path) == x.sum()  # no node twice
    else:
        assert not x.any()


@given(digraphs(), st.data())
@settings(max_examples=150)
def test_walks_lose_their_loops_only(graph, data):
    n, tails, heads, costs = graph
    out, into = both_ways(n, tails, heads)
    starts = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=2))
    first, last = shortest_tree(out, costs, zero_at(n, starts)), shortest_tree(into, costs, zero_at(n, n - 1))
    before, after = np.where(first[1] >= 0, out.items[first[1]], -1), np.where(last[1] >= 0, into.items[last[1]], -1)
    through = np.flatnonzero(np.isfinite(first[0][tails]) & np.isfinite(last[0][heads]))
    ptr, walks = walks_through(through, tails, heads, before, after)
    assert len(ptr) == len(through) + 1
    for k, arc in enumerate(through):
        whole = [arc]
        while before[tails[whole[0]]] >= 0:
            whole.insert(0, before[tails[whole[0]]])
        while after[heads[whole[-1]]] >= 0:
            whole.append(after[heads[whole[-1]]])
        walk = walks[ptr[k] : ptr[k + 1]].tolist()
        nodes = [int(tails[a]) for a in walk] + [int(heads[whole[-1]])]
        assert len(set(nodes)) == len(nodes)
        assert all(heads[a] == tails[b] for a, b in itertools.pairwise(walk))
        assert set(walk) <= set(whole)
        if walk:
            assert tails[walk[0]] == tails[whole[0]]
            assert heads[walk[-1]] == heads[whole[-1]]
        if len({int(tails[a]) for a in whole} | {nodes[-1]}) == len(whole) + 1:
            assert walk == whole


@given(digraphs(), st.data())
@settings(max_examples=150)
def test_negative_walks(graph, data):
    n, tails, heads, costs = graph
    gains = data.draw(vectors(len(tails), FEW))
    walk, pi = negative_walk(both_ways(n, tails, heads)[0], costs, gains)
    from_0 = np.isfinite(lengths_from(n, tails, heads, costs, 0))
    live = from_0[tails]
    cycle, _ = negative_cycle(n, tails[live], heads[live], costs[live], gains[live], np.where(from_0, 0.0, np.inf))
    assert (len(walk) > 0) == (len(cycle) > 0)
    if len(walk):
        assert costs[walk].sum() < gains[walk].sum()
        travelled = walk[::-1]
        assert all(heads[a] == tails[b] for a, b in itertools.pairwise(travelled))
        assert heads[travelled[-1]] == tails[travelled[0]]
        assert len(set(tails[travelled].tolist())) == len(travelled)
    else:
        assert (pi[heads[live]] <= pi[tails[live]] + costs[live] - gains[live] + 1e-12).all()


@given(digraphs(), st.data())
@settings(max_examples=100)
def test_turns_are_all_but_those_back(graph, data):
    n, tails, heads, _ = graph
    is_hub = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    first, second, taken = turns(tails, heads, is_hub, both_ways(n, tails, heads)[0])
    expected = []
    for a, (u, v) in enumerate(zip(tails, heads, strict=True)):
        expected += [(0, a + 1, a)] * bool(is_hub[u]) + [(a + 1, 0, -1)] * bool(is_hub[v])
        if not is_hub[v]:
            expected += [(a + 1, b + 1, b) for b in range(len(tails)) if tails[b] == v and heads[b] != u]
    assert sorted(zip(first.tolist(), second.tolist(), taken.tolist(), strict=True)) == sorted(expected)


def test_rankings_outgrow_their_first_arrays():
    """64 paths of 6 arcs, whose lengths are 0, 1, ..., 63: the binary digits of the length are the second arcs."""
    tails, arcs = np.repeat(np.arange(6), 2), np.arange(12)  # 2v and 2v + 1 from node v
    graph = grouped(7, tails, tails + 1, arcs), grouped(7, tails + 1, tails, arcs)
    costs = np.ravel([(0.0, 2.0**v) for v in range(6)])
    ranking = ranked_paths(*graph, costs, (0, 6), 100, np.inf, 10**9)
    assert ranking.complete
    assert ranking.lengths.tolist() == list(range(64))
    assert ranking.ptr.tolist() == list(range(0, 6 * 64 + 1, 6))
    arcs = graph[0].items[ranking.places].reshape(64, 6)
    assert arcs.tolist() == [[2 * v + (length >> v & 1) for v in range(6)] for length in range(64)]


@given(st.lists(st.tuples(st.floats(-1.0, 1e150), st.floats(0.0, 1e100)), min_size=1))
def test_clipped_costs_and_their_smallest_ratio(pairs):
    costs, least = np.array(pairs).T.copy()
    expected = np.clip(costs, least, 1e100)
    share = clip_costs(costs, least)
    assert (costs == expected).all()
    assert (share * least <= costs * (1.0 + 1e-15)).all()
    known = least > 0.0
    with np.errstate(over="ignore"):
        assert share == min(1e100, (costs[known] / least[known]).min(initial=np.inf))
