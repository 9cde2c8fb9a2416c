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
    (lambda: matroids.Uniform(3, 4), "m must be at most d = 3, got 4"),
    (lambda: matroids.Uniform(3, -1), "m must be at least 0, got -1"),
    (lambda: matroids.Uniform(3.0, 1), "d must be an integer, got 3.0"),
    (lambda: matroids.Uniform(True, 1), "d must be an integer, got True"),
    (lambda: matroids.Partition("ab", {"a": 1}), "must contain every group, got none for 'b'"),
    (lambda: matroids.Partition("ab", {"a": 1, "b": -2}), "capacity of group 'b' must be at least 0, got -2"),
    (lambda: matroids.Partition("ab", 1.5), "capacities must be an integer, got 1.5"),
    (lambda: matroids.Partition([1, [2]], 1), r"hashable labels, got \[2\] at position 1"),
    (lambda: matroids.Partition([1, None], 1), "got None at position 1"),
    (lambda: matroids.Partition([1, np.nan], 1), "got nan at position 1"),
    (lambda: matroids.Partition({"a", "b"}, 1), "groups must be a sequence, got set"),
    (lambda: matroids.Partition("aabb", 1, size=1),
     r"argument 'size': a limit .* is one of sb\.matroids\.quotas\(groups, capacities, size\)", TypeError),
    (lambda: matroids.quotas("aabb", 1, 3), "size must be at most 2, the number of items that the capacities allow, .* got 3"),
    (lambda: matroids.quotas("aabb", 1, -1), "size must be at most 2, .* and at least 0, got -1"),
    (lambda: matroids.quotas("aabb", 1, 1.5), "size must be an integer, got 1.5"),
    (lambda: matroids.quotas("aabb", 1, True), "size must be an integer, got True"),
    (lambda: matroids.Laminar([[0, 1], [5], [1, 2]], 1), "got sets 0 and 2, which share item 1 while item [02] is"),
    (lambda: matroids.Laminar([[0, 1], [1, 0]], 1), "same items in sets 0 and 1"),
    (lambda: matroids.Laminar([[0, 0]], 1), r"sets\[0\] must be distinct, got item 0 twice"),
    (lambda: matroids.Laminar([[0, 3]], 1, d=3), r"sets\[0\] must contain items >= 0 and < d = 3, got 3"),
    (lambda: matroids.Laminar([[0, -1]], 1), r"sets\[0\] must contain items >= 0 and < d = 1, got -1"),
    (lambda: matroids.Laminar([[0.5]], 1), r"sets\[0\] must be a one-dimensional array of item numbers"),
    (lambda: matroids.Laminar([[0], [1]], [1]), "one entry per set, got 1 for 2 sets"),
    (lambda: matroids.Laminar([[0]], [-1]), r"capacities\[0\] must be at least 0, got -1"),
    (lambda: matroids.Laminar([0], 1), r"sets\[0\] must be a collection of items, got 0"),
    (lambda: matroids.Laminar(3, 1), "sets must be a sequence of collections of items, got int"),
    (lambda: matroids.Graphic(nx.DiGraph([(1, 2)])), "graph must be undirected, got a DiGraph"),
    (lambda: matroids.Transversal(["p"]), r"sets\[0\] must be a collection of places, got 'p'"),
    (lambda: matroids.Transversal([[["p"]]]), r"sets\[0\] must contain hashable labels, got \['p'\]"),
    (lambda: matroids.Transversal({"a": ["p"]}), "sequence with the places of each item, got dict"),
    (lambda: matroids.Linear([[1, np.nan]]), "matrix must be finite, got nan"),
    (lambda: matroids.Linear([1, 2]), r"matrix must have shape \(r, d\), got \(2,\)"),
    (lambda: matroids.Linear([[1, 2]], field=2), "must contain 0 and 1 if field=2, got 2.0 in row 0, column 1"),
    (lambda: matroids.Linear([[1, 2]], field=3), "field must be None .* or 2, got 3"),
    (lambda: matroids.Linear([[1, 2]], tolerance=-1), r"tolerance must lie in \[0, 1\), got -1"),
    (lambda: matroids.Oracle(2, 3), "is_independent must be a function, got int"),
    (lambda: matroids.Oracle(2, lambda indices: len(indices) > 0), "True for the empty set, got False"),
    (lambda: matroids.Oracle(2, lambda indices: None), r"return True or False, got None for \[\]"),
    (lambda: independent_if([0], [1], [2], [1, 2]), r"one size, got \{.*\} and \{.*\} in .* is not a matroid"),
    (lambda: independent_if([0, 1]), r"got the independent set \{0, 1\}, of which a greedy scan keeps only \{\}"),
    (lambda: matroids.Uniform(4, 2).bases(5), "limit = 5 decisions to list, got 6", TooManyDecisionsError),
]  # fmt: skip
