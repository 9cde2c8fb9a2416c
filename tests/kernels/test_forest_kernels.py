"""Kernels of forests against slow twins in plain Python; `matroids/test_matroid_families.py` has greedy choices and bases."""

import numpy as np
import pytest

from semibandits.kernels import forests


def merge(labels, u, v):
    """Component labels after joining u and v, by relabelling everything."""
    return [labels[u] if label == labels[v] else label for label in labels]


def greedy_twin(n, tails, heads, order):
    labels, kept = list(range(n)), []
    for item in order:
        u, v = tails[item], heads[item]
        if labels[u] != labels[v]:
            labels = merge(labels, u, v)
            kept.append(item)
    return sorted(kept)


def path_twin(tails, heads, members, u, v):
    """Edges of `members` on the path from u to v, None without a path, by depth-first search over partial paths."""
    stack = [(u, [])]
    while stack:
        node, path = stack.pop()
        if node == v:
            return path
        for j in members:
            if j not in path and node in (tails[j], heads[j]):
                stack.append((tails[j] + heads[j] - node, [*path, j]))
    return None


@pytest.fixture(params=range(60))
def instance(request):
    """Nodes, ends of the edges (loops, parallel edges, isolated nodes), an order, weights with ties."""
    rng = np.random.default_rng(request.param)
    n, d = rng.integers(1, 9), rng.integers(0, 13)
    tails, heads = rng.integers(0, n, (2, d))
    return int(n), tails, heads, rng.permutation(d), rng.integers(-2, 3, d).astype(float)


def test_exchanges_and_lightest_edges(instance):
    n, tails, heads, order, weights = instance
    kept = greedy_twin(n, tails, heads, order)
    for members in (kept, kept[::-1], kept[::2]):
        free, swaps = forests.forest_exchanges(n, tails, heads, np.array(members, dtype=np.int64))
        lightest = forests.forest_lightest(n, tails, heads, np.array(members, dtype=np.int64), weights)
        for z in range(len(tails)):
            path = None if z in members else path_twin(tails, heads, members, tails[z], heads[z])
            assert free[z] == (z not in members and path is None)
            leaving = members if free[z] else path or []
            assert {members[a] for a in np.flatnonzero(swaps[:, z])} == set(leaving)
            assert lightest[z] == min(path or [], key=lambda j: (weights[j], j), default=-1)


def test_rooted_forest(instance):
    n, tails, heads, order, _ = instance
    members = np.array(greedy_twin(n, tails, heads, order), dtype=np.int64)
    above, via, depth, root = forests.root_forest(n, tails, heads, members)
    for v in range(n):
        reachable = [u for u in range(n) if path_twin(tails, heads, members, u, v) is not None]
        path = path_twin(tails, heads, members, v, root[v])
        assert root[v] == min(reachable)
        assert depth[v] == len(path)
        assert (above[v] == -1) == (via[v] == -1) == (v == root[v])
        if v != root[v]:
            assert members[via[v]] == path[0]
            assert above[v] == tails[path[0]] + heads[path[0]] - v


def test_lightest_edges_of_a_long_path():
    n = 3000
    tails, heads = np.arange(n), (np.arange(n) + 1) % n  # a cycle; its last edge stays outside
    weights = np.random.default_rng(0).permutation(n).astype(float)
    lightest = forests.forest_lightest(n, tails, heads, np.arange(n - 1), weights)
    assert lightest[n - 1] == np.argmin(weights[: n - 1])
    assert (lightest[: n - 1] == -1).all()
