"""Means, variances and decision sets of the entries of the panel. Stars are in stars.py.

Every function that draws takes the generator of its instance. A change in the number or order of its draws changes
the instances: panel_manifest.py --check shows which.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, TypeAlias

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import semibandits as sb

Vector: TypeAlias = NDArray[np.float64]
Bandit: TypeAlias = tuple[sb.DecisionSet, Vector, "float | Vector"]
"""Decisions, mean rewards and variances."""

VARIANCE: Final = 0.5
"""Variance of every item, where variances are equal."""


# -- means and variances ---------------------------------------------------------------------------------------------


def uniform(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Bandit:
    """Uniform means, and equal variances."""
    return decision_set, _means(rng, decision_set), VARIANCE


def _means(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Vector:
    """Uniform on (0, 1); costs on paths."""
    return _sign(decision_set) * rng.random(decision_set.d)


def _sign(decision_set: sb.DecisionSet) -> int:
    return -1 if isinstance(decision_set, sb.Paths) else 1


def unequal(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Bandit:
    """Uniform means, and variances between 0.1 and 1."""
    return decision_set, _means(rng, decision_set), rng.uniform(0.1, 1, decision_set.d)


def ties(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Bandit:
    """Means among five values, drawn until at least four decisions are optimal."""
    decisions = decision_set.enumerate()
    while True:
        theta = _sign(decision_set) * rng.integers(0, 5, decision_set.d) / 4.0
        rewards = decisions @ theta
        if np.count_nonzero(rewards == rewards.max()) >= 4:
            return decision_set, theta, VARIANCE


def near_tie(rng: np.random.Generator, decision_set: sb.DecisionSet) -> Bandit:
    """Uniform means, but one item that only the second best decision has is raised until the gap is small."""
    decisions = decision_set.enumerate()
    while True:
        theta = _means(rng, decision_set)
        rewards = decisions @ theta
        second, best = np.argsort(rewards)[-2:]
        raised = theta.copy()
        raised[rng.choice(np.flatnonzero(decisions[second] & ~decisions[best]))] += (
            rewards[best] - rewards[second] - rng.uniform(0.01, 0.03)
        )
        if (raised >= theta).all() and np.abs(raised - _sign(decision_set) / 2).max() < 0.5:
            return decision_set, raised, VARIANCE


# -- decision sets ---------------------------------------------------------------------------------------------------


def trees(n: int) -> sb.SpanningTrees:
    """Trees of the complete graph of n nodes."""
    return sb.SpanningTrees(nx.complete_graph(n))


def random_trees(rng: np.random.Generator, n: int, n_edges: int) -> sb.SpanningTrees:
    """Trees of a graph drawn uniformly among the connected ones."""
    pairs = list(itertools.combinations(range(n), 2))
    while True:
        graph: nx.Graph[int] = nx.Graph([pairs[k] for k in np.sort(rng.choice(len(pairs), n_edges, replace=False))])
        if len(graph) == n and nx.is_connected(graph):
            return sb.SpanningTrees(list(graph.edges))


def laminar() -> sb.MatroidBases:
    """Bases of nested groups of twelve items, with a limit for each group."""
    return sb.MatroidBases(sb.matroids.Laminar([range(4), range(4, 8), range(8, 12), range(8)], [2, 2, 1, 3]))


def transversal(rng: np.random.Generator, d: int, places: int) -> sb.MatroidBases:
    """Each item may serve one to three of the places."""
    return sb.MatroidBases(
        sb.matroids.Transversal([rng.choice(places, rng.integers(1, 4), replace=False).tolist() for _ in range(d)])
    )


def grid(n: int, steps: Sequence[tuple[int, int]] = ((0, 1), (1, 0), (1, 1))) -> sb.Paths:
    """Arcs right, down and diagonal, between opposite corners of n times n nodes."""
    arcs = [
        ((r, c), (r + down, c + right))
        for r, c, (down, right) in itertools.product(range(n), range(n), steps)
        if r + down < n and c + right < n
    ]
    return sb.Paths(arcs, (0, 0), (n - 1, n - 1))


def layers(rng: np.random.Generator, n_layers: int, width: int) -> sb.Paths:
    """The source has arcs to all first nodes, and each node has two or three arcs to the next layer."""
    arcs: list[tuple[object, object]] = [("s", (0, j)) for j in range(width)]
    for layer, j in itertools.product(range(n_layers - 1), range(width)):
        heads = np.sort(rng.choice(width, rng.integers(2, 4), replace=False))
        arcs += [((layer, j), (layer + 1, int(head))) for head in heads]
    return sb.Paths([*arcs, *(((n_layers - 1, j), "t") for j in range(width))], "s", "t")


def detours(rng: np.random.Generator) -> sb.Paths:
    """Two stages of three chains of 5 to 7 arcs each, and two chains of 11 past both: every way out is long."""
    arcs: list[tuple[object, object]] = []
    for tail, head, lengths in (("s", "u", rng.integers(5, 8, 3)), ("u", "t", rng.integers(5, 8, 3)), ("s", "t", (11, 11))):
        for number, length in enumerate(lengths):
            nodes = [tail, *((tail, head, number, k) for k in range(1, length)), head]
            arcs += itertools.pairwise(nodes)
    return sb.Paths(arcs, "s", "t")


def matchings(n: int) -> sb.Matchings:
    """Perfect matchings of n nodes with n others."""
    return sb.Matchings(list(itertools.product(range(n), range(n))))


def sparse_matchings(rng: np.random.Generator, n: int, density: float) -> sb.Matchings:
    """Matchings of any size in a random bipartite graph."""
    return sb.Matchings([pair for pair in itertools.product(range(n), range(n)) if rng.random() < density], "none")


def cycle_with_chords(rng: np.random.Generator) -> sb.Matchings:
    """Perfect matchings of one cycle of 12 to 16 nodes with three chords."""
    n = int(rng.integers(6, 9))
    cycle = [(i, (i + k) % n) for i in range(n) for k in (0, 1)]
    others = [(i, (i + k) % n) for i in range(n) for k in range(2, n)]
    return sb.Matchings([*cycle, *(others[k] for k in np.sort(rng.choice(len(others), 3, replace=False)))])


def two_partitions(rng: np.random.Generator, d: int, sizes: tuple[int, int]) -> sb.MatroidIntersection:
    """At most two items of each group, in two partitions drawn at random into groups of at most these sizes."""
    first, second = (sb.matroids.Partition((rng.permutation(d) % -(-d // size)).tolist(), 2) for size in sizes)
    return sb.MatroidIntersection(first, second)


def colourful(rng: np.random.Generator, n: int, colours: int) -> sb.MatroidIntersection:
    """Largest forests of a complete graph whose edges all differ in colour."""
    edges = list(itertools.combinations(range(n), 2))
    colour = (rng.permutation(len(edges)) % colours).tolist()
    return sb.MatroidIntersection(sb.matroids.Graphic(edges), sb.matroids.Partition(colour, 1))


def listed(rng: np.random.Generator, d: int, n: int) -> sb.EnumeratedDecisions:
    """Different decisions of 3 to 6 items."""
    rows: dict[bytes, NDArray[np.bool_]] = {}
    while len(rows) < n:
        row = np.zeros(d, dtype=np.bool_)
        row[rng.choice(d, rng.integers(3, 7), replace=False)] = True
        rows.setdefault(row.tobytes(), row)
    return sb.EnumeratedDecisions(np.array(list(rows.values())))
