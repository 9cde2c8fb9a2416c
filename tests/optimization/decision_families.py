"""Random small decision sets of each family, their lists, and random rewards and budgets."""

import itertools

import networkx as nx
import numpy as np

from semibandits import DecisionSet, EnumeratedDecisions, MatroidBases, MatroidIntersection, SpanningTrees, matroids


class OnlyMaximizes(DecisionSet):
    """A user-defined class with the required methods only."""

    def __init__(self, rows):
        self._rows = rows

    d = property(lambda self: self._rows.shape[1])
    m = property(lambda self: int(self._rows.sum(axis=1).max()))

    def maximize(self, weights):
        return self._rows[np.argmax(self._rows @ np.asarray(weights, dtype=float))].copy()


def random_rows(rng, d):
    return np.unique(rng.random((rng.integers(1, 60), d)) < rng.uniform(0.2, 0.8), axis=0)


def tree(rng):
    n = int(rng.integers(2, 6))
    edges = [(i, int(rng.integers(i))) for i in range(1, n)]
    return SpanningTrees(edges + [tuple(rng.integers(0, n, 2).tolist()) for _ in range(rng.integers(0, 6))])


def partition(rng):
    return MatroidBases(matroids.Partition(rng.integers(0, 4, 9).tolist(), int(rng.integers(1, 3))))


def laminar(rng):
    cut = int(rng.integers(3, 7))
    sets = [set(range(9)), set(range(cut)), set(range(cut, 9)), {0, 1}]
    return MatroidBases(matroids.Laminar(sets, rng.integers(1, 4, 4).tolist(), d=9))


def transversal(rng):
    return MatroidBases(matroids.Transversal([np.flatnonzero(rng.random(4) < 0.4).tolist() for _ in range(8)]))


def linear(rng):
    return MatroidBases(matroids.Linear(rng.integers(-1, 2, (3, 8)).astype(float)))


def intersection(rng):
    pairs = [*itertools.combinations(range(4), 2), (0, 1), (2, 3)]
    second = matroids.Partition(rng.integers(0, 4, len(pairs)).tolist(), 1)
    return MatroidIntersection(matroids.Graphic(nx.MultiGraph(pairs)), second)


def enumerated(rng):
    return EnumeratedDecisions(random_rows(rng, 8))


def own(rng):
    return OnlyMaximizes(random_rows(rng, 8))


FAMILIES = {
    "trees": tree,
    "partition": partition,
    "laminar": laminar,
    "transversal": transversal,
    "linear": linear,
    "intersection": intersection,
    "enumerated": enumerated,
    "own": own,
}


def listed(decision_set):
    return decision_set._rows if isinstance(decision_set, OnlyMaximizes) else decision_set.enumerate()


def numbers(rng, d, kind):
    """Rewards and budgets: integers with ties and zeros, reals, near-ties, nearly opposed, of very different sizes."""
    match kind:
        case "integers":
            return rng.integers(-3, 4, d).astype(float), rng.integers(-3, 4, d).astype(float)
        case "large integers":
            return rng.integers(0, 10**6, d).astype(float), rng.integers(-(10**6), 10**6, d).astype(float)
        case "reals":
            return rng.normal(size=d), rng.normal(size=d)
        case "near-ties":
            noise = 1e-10 * rng.random((2, d))
            return rng.integers(-1, 2, d) + noise[0], rng.integers(0, 3, d) + noise[1]
        case "opposed":
            budgets = rng.random(d)
            return 0.01 * rng.random(d) - budgets, budgets
        case "tiny and large":
            return 1e-30 * rng.normal(size=d), 1e20 * rng.normal(size=d)
        case "zeros":
            return rng.integers(0, 2) * rng.random(d), np.where(rng.random(d) < 0.7, 0.0, rng.random(d))
    raise AssertionError(kind)


KINDS = ("integers", "large integers", "reals", "near-ties", "opposed", "tiny and large", "zeros")
