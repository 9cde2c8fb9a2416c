"""Negative walks, rankings beyond the first arrays, and clipped costs; `decisions/test_routes.py` compares routes with lists."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semibandits.decisions.routes import grouped
from semibandits.kernels.graphs.dijkstra import negative_walk
from semibandits.kernels.graphs.ranked_paths import ranked_paths
from semibandits.kernels.graphs.ratios import negative_cycle
from semibandits.kernels.oracles.routes import clip_costs
from strategies import FEW, ends_of, multigraphs, vectors


@st.composite
def digraphs(draw):
    """Number of nodes, tails, heads and costs >= 0 of a digraph without self-loops."""
    n, arcs = draw(multigraphs((2, 6), (1, 14), loops=False))
    return n, *ends_of(arcs), draw(vectors(len(arcs), FEW))


def lengths_from(n, tails, heads, costs, start):
    """Bellman and Ford's method."""
    distance = np.where(np.arange(n) == start, 0.0, np.inf)
    for _ in range(n):
        np.minimum.at(distance, heads, distance[tails] + costs)
    return distance


@given(digraphs(), st.data())
@settings(max_examples=150)
def test_negative_walks(graph, data):
    n, tails, heads, costs = graph
    gains = data.draw(vectors(len(tails), FEW))
    walk, pi = negative_walk(grouped(n, tails, heads, np.arange(len(tails))), costs, gains)
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
