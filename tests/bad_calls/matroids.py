"""Matroids that do not exist, and oracles that are none."""

import networkx as nx
import numpy as np

from semibandits import matroids
from semibandits.errors import TooManyDecisionsError


def independent_if(*known):
    """The axioms of an oracle that accepts these sets and no others."""
    d = 1 + max(map(max, filter(None, known)))
    matroids.check_axioms(matroids.Oracle(d, lambda indices: indices.tolist() in ([], *known)))


CALLS = [
    *((lambda *, d=d, m=m: matroids.Uniform(d, m), message) for d, m, message in (
        (3, 4, "m must be at most d = 3, got 4"), (3, -1, "m must be an integer >= 0, got -1"),
        (3.0, 1, "d must be an integer >= 0, got 3.0"), (True, 1, "d must be an integer >= 0, got True"),
    )),
    *((lambda *, groups=groups, most=most: matroids.Partition(groups, most), message) for groups, most, message in (
        ("ab", {"a": 1}, "every group, got none for 'b'"), ("ab", {"a": 1, "b": -2}, "group 'b' must be an integer >= 0, got -2"),
        ("ab", 1.5, "capacities must be an integer >= 0, got 1.5"), ([1, [2]], 1, r"hashable labels, got \[2\] at position 1"),
        ([1, None], 1, "got None at position 1"), ([1, np.nan], 1, "got nan at position 1"),
        ({"a", "b"}, 1, "groups must be a sequence, got set"),
    )),
    (lambda: matroids.Partition("aabb", 1, size=1),
     r"argument 'size': a limit .* is one of sb\.matroids\.quotas\(groups, capacities, size\)", TypeError),
    (lambda: matroids.quotas("aabb", 1, 3), "size must be at most 2, the number of items that the capacities allow, .* got 3"),
    (lambda: matroids.quotas("aabb", 1, -1), "size must be at most 2, .* and at least 0, got -1"),
    *((lambda *, n=n: matroids.quotas("aabb", 1, n), f"size must be an integer, got {n}") for n in (1.5, True)),
    *((lambda *, sets=sets: matroids.Laminar(sets, 1), message) for sets, message in (
        ([[0, 1], [5], [1, 2]], "sets 0 and 2, which share item 1 while item [02] is"),
        ([[0, 1], [1, 0]], "same items in sets 0 and 1"), ([[0, 0]], r"sets\[0\] must be distinct, got item 0 twice"),
        ([[0, -1]], r"items >= 0 and < d = 1, got -1"), ([[0.5]], r"sets\[0\] must be a one-dimensional array"),
        ([0], r"sets\[0\] must be a collection of items, got 0"), (3, "sets must be a sequence of collections of items, got 3: "),
    )),
    (lambda: matroids.Laminar([[0, 3]], 1, d=3), r"sets\[0\] must contain items >= 0 and < d = 3, got 3"),
    (lambda: matroids.Laminar([[0], [1]], [1]), "one entry per set, got 1 for 2 sets"),
    (lambda: matroids.Laminar([[0]], [-1]), r"capacities\[0\] must be an integer >= 0, got -1"),
    (lambda: matroids.Graphic(nx.DiGraph([(1, 2)])), "graph must be undirected, got a DiGraph"),
    *((lambda *, sets=sets: matroids.Transversal(sets), message) for sets, message in (
        (["p"], r"sets\[0\] must be a collection of places, got 'p'"),
        ([[["p"]]], r"sets\[0\] must contain hashable labels, got \['p'\]"),
        ({"a": ["p"]}, "sequence of collections of places, got {'a'"),
    )),
    (lambda: matroids.Linear([[1, np.nan]]), "matrix must be finite, got nan"),
    (lambda: matroids.Linear([1, 2]), r"matrix must have shape \(r, d\), got \(2,\)"),
    (lambda: matroids.Linear([[1, 2]], field=2), "must contain 0 and 1, got 2.0 in row 0, column 1: reduce it modulo 2"),
    (lambda: matroids.Linear([[1, 2]], field=3), "field must be None .* or 2, got 3"),
    (lambda: matroids.Linear([[1, 2]], tolerance=-1), r"tolerance must lie in \[0, 1\), got -1"),
    (lambda: matroids.Oracle(2, 3), "is_independent must be a function, got int"),
    (lambda: matroids.Oracle(2, lambda indices: len(indices) > 0), "True for the empty set, got False"),
    (lambda: matroids.Oracle(2, lambda indices: None), r"return True or False, got None for \[\]"),
    (lambda: independent_if([0], [1], [2], [1, 2]), r"one size, got \{.*\} and \{.*\} in .* is not a matroid"),
    (lambda: independent_if([0, 1]), r"got the independent set \{0, 1\}, of which a greedy scan keeps only \{\}"),
    (lambda: matroids.Uniform(4, 2).bases(5), "limit = 5 decisions to list, got 6", TooManyDecisionsError),
]  # fmt: skip
