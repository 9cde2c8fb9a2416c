"""Decision sets of every family, including the smallest and some too large to list."""

import networkx as nx
import numpy as np

from example_sets import grid_arcs, largest_matchings
from semibandits import matroids
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.decisions.spanning_trees import SpanningTrees


def at_most_one_of_each_parity(indices):
    """Independence oracle of a partition matroid; at module level so that it is picklable."""
    return len(set((indices % 2).tolist())) == len(indices)


def complete(n_rows, n_columns):
    return [(f"r{i}", f"c{j}") for i in range(n_rows) for j in range(n_columns)]


def two_way(graph):
    return [arc for u, v in graph.edges for arc in ((u, v), (v, u))]


EXAMPLES = {
    "paths": {
        "one arc": lambda: Paths([("s", "t")], "s", "t"),
        "parallel arcs and a dead end": lambda: Paths(
            [("s", "a"), ("s", "a"), ("a", "t"), ("s", "t"), ("a", "x"), ("y", "t")], "s", "t"
        ),
        "grid": lambda: Paths(grid_arcs(4), (0, 0), (3, 3)),
        "grid, too many to list": lambda: Paths(grid_arcs(9), (0, 0), (8, 8)),
    },
    "routes": {
        "one arc": lambda: Routes([("s", "t")], "s", "t"),
        "parallel arcs, a loop and a dead end": lambda: Routes(
            [("s", "a"), ("s", "a"), ("a", "s"), ("a", "a"), ("a", "t"), ("s", "t"), ("a", "x"), ("y", "t")], "s", "t", 0.5
        ),
        "two-way streets": lambda: Routes(nx.grid_2d_graph(3, 3).to_directed(), (0, 0), (2, 2), np.arange(24) % 3),
        "streets for both directions": lambda: Routes(nx.grid_2d_graph(3, 3), (0, 0), (2, 2)),
        "too many to list": lambda: Routes(nx.grid_2d_graph(5, 5), (0, 0), (4, 4), 0.1),
    },
    "trees": {
        "one edge": lambda: SpanningTrees([("u", "v")]),
        "parallel edges and a loop": lambda: SpanningTrees([(0, 1), (1, 0), (1, 2), (2, 2), (2, 0), (2, 3)]),
        "complete": lambda: SpanningTrees(nx.complete_graph(5)),
        "too many to list": lambda: SpanningTrees(nx.petersen_graph()),
    },
    "msets": {
        "none of three": lambda: MSets(3, 0),
        "all of three": lambda: MSets(3, 3),
        "two of six": lambda: MSets(6, 2),
        "too many to list": lambda: MSets(40, 10),
    },
    "matchings": {
        "perfect": lambda: Matchings(complete(3, 3)),
        "perfect, with an item that is never used": lambda: Matchings([(0, 0), (0, 1), (1, 1)]),
        "rows": lambda: Matchings(complete(2, 4), saturate="rows"),
        "columns": lambda: Matchings(complete(4, 2), saturate="columns"),
        "none": lambda: Matchings([(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)], saturate="none"),
        "most": lambda: largest_matchings(),
        "parallel items": lambda: Matchings([(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)]),
        "too many to list": lambda: Matchings(complete(8, 8)),
    },
    "matroid": {
        "uniform": lambda: MatroidBases(matroids.Uniform(5, 2)),
        "partition": lambda: MatroidBases(matroids.Partition("aabbbc", {"a": 1, "b": 2, "c": 0})),
        "laminar": lambda: MatroidBases(matroids.Laminar([{0, 1, 2, 3, 4}, {0, 1}, {2, 3}], [3, 1, 2], d=6)),
        "graphic": lambda: MatroidBases(matroids.Graphic([(0, 1), (1, 2), (2, 0), (3, 4), (3, 3)])),
        "transversal": lambda: MatroidBases(matroids.Transversal([["a"], ["a", "b"], ["b", "c"], [], ["c"]])),
        "linear": lambda: MatroidBases(matroids.Linear([[1, 0, 1, 2, 0], [0, 1, 1, 2, 0]])),
        "binary": lambda: MatroidBases(matroids.Linear([[1, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1]], field=2)),
        "oracle": lambda: MatroidBases(matroids.Oracle(5, at_most_one_of_each_parity)),
    },
    "intersection": {
        "assignment": lambda: MatroidIntersection(matroids.Partition("aaabbbccc", 1), matroids.Partition("xyz" * 3, 1)),
        "of a given size": lambda: MatroidIntersection(
            matroids.Partition("aabbcc", 1), matroids.Partition("xyyxzz", {"x": 1, "y": 2, "z": 1}), size=2
        ),
        "empty": lambda: MatroidIntersection(matroids.Uniform(3, 2), matroids.Uniform(3, 1), size=0),
        "oracle": lambda: MatroidIntersection(matroids.Oracle(6, at_most_one_of_each_parity), matroids.Uniform(6, 4)),
        "arborescences, too many to list": lambda: MatroidIntersection(
            matroids.Graphic(two_way(nx.petersen_graph())),
            matroids.Partition([head for _, head in two_way(nx.petersen_graph())], {v: int(v > 0) for v in range(10)}),
        ),
    },
    "enumerated": {
        "one": lambda: EnumeratedDecisions([[1, 0, 1]]),
        "with the empty one": lambda: EnumeratedDecisions([[1, 0, 1], [0, 0, 0], [0, 1, 1]], items="abc"),
        "many": lambda: EnumeratedDecisions(np.unique(np.random.default_rng(0).random((200, 9)) < 0.4, axis=0)),
    },
}
