"""Kernels of forests against networkx; `matroids/test_matroid_families.py` has greedy choices and bases."""

import itertools

import networkx as nx
import numpy as np
import pytest

from semibandits.kernels.graphs import forests


def items_along(forest, nodes):
    return [forest.edges[pair]["item"] for pair in itertools.pairwise(nodes)]


@pytest.mark.parametrize("seed", range(60))
def test_rooted_forests_and_exchanges_are_paths(seed):
    """Loops, parallel edges, isolated nodes and weights with ties are among the graphs."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 9)), rng.integers(0, 13)
    tails, heads = rng.integers(0, n, (2, d))
    weights = rng.integers(-2, 3, d).astype(float)
    kept = np.flatnonzero(forests.forest_greedy(n, tails, heads, rng.permutation(d)))
    for members in (kept, kept[::-1].copy(), kept[::2].copy()):
        forest = nx.Graph([(tails[j], heads[j], {"item": j}) for j in members])
        forest.add_nodes_from(range(n))
        paths = {u: nx.single_source_shortest_path(forest, u) for u in range(n)}
        above, via, depth, root = forests.root_forest(n, tails, heads, members)
        for v in range(n):
            assert root[v] == min(paths[v])
            way = items_along(forest, paths[v][root[v]])
            assert depth[v] == len(way)
            if way:
                assert (above[v], members[via[v]]) == (paths[v][root[v]][1], way[0])
            else:
                assert above[v] == via[v] == -1
        free, swaps = forests.forest_exchanges(n, tails, heads, members)
        lightest = forests.forest_lightest(n, tails, heads, members, weights)
        for z, (u, v) in enumerate(zip(tails, heads, strict=True)):
            outside = z not in members
            assert free[z] == (outside and v not in paths[u])
            circuit = items_along(forest, paths[u][v]) if outside and v in paths[u] else []
            assert set(members[swaps[:, z]]) == set(members if free[z] else circuit)
            assert lightest[z] == min(circuit, key=lambda j: (weights[j], j), default=-1)


def test_lightest_edges_of_a_long_path():
    n = 3000
    tails, heads = np.arange(n), (np.arange(n) + 1) % n  # a cycle; its last edge stays outside
    weights = np.random.default_rng(0).permutation(n).astype(float)
    lightest = forests.forest_lightest(n, tails, heads, np.arange(n - 1), weights)
    assert lightest[n - 1] == np.argmin(weights[: n - 1])
    assert (lightest[: n - 1] == -1).all()
