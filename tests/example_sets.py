"""Decision sets shared by many tests."""

import itertools

import networkx as nx
import numpy as np

import semibandits as sb


def grid_arcs(n, diagonals=True):
    """Arcs of a directed n x n grid."""
    steps = [(0, 1), (1, 0)] + [(1, 1)] * diagonals
    cells = list(itertools.product(range(n), repeat=2))
    return [((i, j), (i + a, j + b)) for i, j in cells for a, b in steps if i + a < n and j + b < n]


def grid(n, diagonals=True):
    """Paths from one corner of a directed n x n grid to the opposite one."""
    return sb.Paths(grid_arcs(n, diagonals), (0, 0), (n - 1, n - 1))


def street_grid(rows, columns, kind, rng, *, spread="narrow", least=0.0):
    """Two-way streets on a grid: routes from corner to corner, and mean costs. `kind`: items are "separate" or "shared"."""
    graph = nx.grid_2d_graph(rows, columns)
    if kind == "separate":
        graph = graph.to_directed()
    d = graph.number_of_edges()
    costs = rng.uniform(0.5, 1.5, d) if spread == "narrow" else np.exp(rng.uniform(-2.5, 0.5, d))
    return sb.Routes(graph, (0, 0), (rows - 1, columns - 1), least=least * costs), costs


def matching(n, m=None, saturate="both"):
    """Matchings of n rows to m columns, n by default, where every pair is allowed."""
    return sb.Matchings([(i, j) for i in range(n) for j in range(m or n)], saturate=saturate)


def largest_matchings(row="", column=""):
    """Three rows share two columns, one row has two columns of its own, and one pair is in no largest matching; 8 decisions."""
    pairs = [(0, 0), (1, 0), (1, 1), (3, 2), (2, 0), (3, 0), (2, 1), (3, 3)]
    return sb.Matchings([(f"{row}{i}", f"{column}{j}") for i, j in pairs], saturate="most")


def partitions(d, groups, capacity=2, rng=None):
    """Sets of d items with at most `capacity` of each group, in two random partitions into groups."""
    labels = (np.random.default_rng(d) if rng is None else rng).integers(0, groups, (2, d)).tolist()
    return sb.MatroidIntersection(*(sb.matroids.Partition(row, capacity) for row in labels))


class OnlyMaximizes(sb.DecisionSet):
    """A user's own set with the required members only."""

    d = m = None

    def __init__(self, inner):
        self._inner = inner
        self.d, self.m = inner.d, inner.m

    def maximize(self, weights):
        return self._inner.maximize(weights)


def random_dag(rng):
    n = int(rng.integers(3, 8))
    pairs = [(i, j) for i, j in itertools.combinations(range(n), 2) if rng.random() < 0.55]
    edges = [(i, i + 1) for i in range(n - 1)] + pairs  # parallel edges occur; the line makes it connected
    return sb.Paths([edges[i] for i in rng.permutation(len(edges))], 0, n - 1)


def random_edges(rng, rows, columns):
    pairs = [(i, j) for i in range(rows) for j in range(columns) if i == j or rng.random() < 0.7]
    pairs += [pairs[k] for k in rng.integers(0, len(pairs), int(rng.integers(0, 2)))]
    return [pairs[i] for i in rng.permutation(len(pairs))]


def random_matching(rng, saturate):
    if saturate == "most":  # a part with rows left over, one with columns, and a pair across or elsewhere
        parts = [(i, j) for i in range(5) for j in range(4) if (i < 3) == (j < 1) and rng.random() < 0.8]
        pairs = [(0, 0), *parts, tuple(rng.integers(0, 6, 2).tolist())]
        return sb.Matchings([pairs[i] for i in rng.permutation(len(pairs))], saturate="most")
    small = int(rng.integers(2, 5))
    large = small + (0 if saturate == "both" else int(rng.integers(0, 2)))
    shape = (large, small) if saturate == "columns" else (small, large)
    return sb.Matchings(random_edges(rng, *shape), saturate=saturate)


def random_matroid(rng, d):
    kind = rng.integers(5)
    if kind == 0:
        return sb.matroids.Uniform(d, int(rng.integers(1, d)))
    if kind == 1:
        return sb.matroids.Partition(rng.integers(0, 3, d).tolist(), int(rng.integers(1, 3)))
    if kind == 2:
        return sb.matroids.Graphic([tuple(rng.choice(5, 2, replace=False).tolist()) for _ in range(d)])
    if kind == 3:
        return sb.matroids.Transversal([rng.choice(4, int(rng.integers(1, 3)), replace=False).tolist() for _ in range(d)])
    return sb.matroids.Linear(rng.integers(-1, 2, (3, d)).astype(float))


def random_tree_set(rng):
    n = int(rng.integers(2, 6))
    edges = [(i, int(rng.integers(0, i))) for i in range(1, n)]
    edges += [tuple(rng.integers(0, n, 2).tolist()) for _ in range(int(rng.integers(0, 6)))]
    return sb.SpanningTrees(edges)


def random_intersection(rng):
    d = int(rng.integers(4, 9))
    return sb.MatroidIntersection(random_matroid(rng, d), random_matroid(rng, d))


def random_list(rng):
    d = int(rng.integers(3, 8))
    matrix = np.unique(rng.random((int(rng.integers(2, 15)), d)) < 0.5, axis=0)
    return sb.EnumeratedDecisions(matrix)


FAMILIES = {
    "msets": lambda rng: sb.MSets(int(rng.integers(3, 8)), int(rng.integers(1, 4))),
    "trees": random_tree_set,
    "matroids": lambda rng: sb.MatroidBases(random_matroid(rng, int(rng.integers(4, 9)))),
    "paths": random_dag,
    "perfect matchings": lambda rng: random_matching(rng, "both"),
    "row matchings": lambda rng: random_matching(rng, "rows"),
    "column matchings": lambda rng: random_matching(rng, "columns"),
    "any matchings": lambda rng: random_matching(rng, "none"),
    "intersections": random_intersection,
    "lists": random_list,
    "largest matchings": lambda rng: random_matching(rng, "most"),
}
