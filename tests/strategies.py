"""Random instances of hypothesis for all tests: numbers, vectors, graphs, networks and decision sets.

Matroids are in `matroid_cases.py`. What only one test can use stays with it.
"""

import itertools

import networkx as nx
import numpy as np
from hypothesis import strategies as st

import semibandits as sb

FEW = st.integers(0, 3).map(float)
WHOLE = st.integers(-3, 3).map(float)
REAL = st.floats(-1.0, 1.0, allow_subnormal=False)
MIXED = WHOLE | REAL
"""Of weights: ties and zeros, or numbers of any size, or some of each."""
FAR_APART = st.integers(-2, 2).map(float) | st.sampled_from([-0.0, 0.1, 0.3, -1e-6, 1e6])
"""Small integers make ties and exact sums; the others have gaps far apart."""
NEAR_TIES = st.sampled_from([1.0, 1.0 + 2**-40, 1.0 - 2**-40, 0.1 + 0.2, 0.3, -1.0])
WEIGHTS = (MIXED, NEAR_TIES, FEW, st.floats(-10, 10, allow_subnormal=False))
"""Kinds of which a vector has one."""
SATURATED = ("both", "rows", "columns", "most", "none")


def vectors(size, numbers):
    """Arrays of floats."""
    return st.lists(numbers, min_size=size, max_size=size).map(lambda values: np.array(values, dtype=np.float64))


def with_vectors(things, *numbers, size=len):
    """Each thing with a vector of each kind of numbers; `size` gives their length for a thing."""
    return things.flatmap(lambda thing: st.tuples(st.just(thing), *(vectors(size(thing), own) for own in numbers)))


def items_of(decision_set):
    """The number of items, a `size` of `with_vectors`."""
    return decision_set.d


def arcs_of_network(network):
    """The number of arcs of `networks`."""
    return len(network[0])


def ends_of(arcs):
    """Tails and heads of pairs, as two arrays."""
    return np.array(arcs, dtype=np.int64).reshape(-1, 2).T.copy()


def pairs_of(n, loops=True):
    """Pairs of n nodes."""
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    return pairs if loops else pairs.filter(lambda pair: pair[0] != pair[1])


@st.composite
def multigraphs(draw, nodes, arcs, *, loops=True, acyclic=False):
    """A number of nodes and pairs (tail, head), with parallel arcs; `nodes` and `arcs` give the least and largest numbers."""
    n = draw(st.integers(*nodes))
    pairs = draw(st.lists(pairs_of(n, loops), min_size=arcs[0], max_size=arcs[1]))
    if acyclic:
        label = draw(st.permutations(range(n)))
        pairs = [(label[min(pair)], label[max(pair)]) for pair in pairs if pair[0] != pair[1]]
    return n, pairs


@st.composite
def ordered_networks(draw, most_nodes, most_arcs):
    """Nodes in topological order, all of them between the first and the last; arcs in any order."""
    n = draw(st.integers(2, most_nodes))
    arcs = draw(st.lists(st.tuples(st.integers(0, n - 2), st.integers(1, n - 1)), max_size=most_arcs))
    arcs = [arc for arc in arcs if arc[0] < arc[1]] + [(v, v + 1) for v in range(n - 1)]
    return n, draw(st.permutations(arcs))


@st.composite
def networks(draw, most_nodes=6, most_arcs=9):
    """Arguments of `Paths`: arcs between shuffled nodes, some parallel, some on no path, and two nodes that a path connects."""
    n = draw(st.integers(2, most_nodes))
    arcs = [(min(pair), max(pair)) for pair in draw(st.lists(pairs_of(n), max_size=most_arcs)) if pair[0] != pair[1]]
    first, last = sorted(draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)))
    through = sorted({first, last} | set(draw(st.lists(st.integers(first, last), max_size=3))))
    arcs = draw(st.permutations(arcs + list(itertools.pairwise(through))))
    names = draw(st.permutations("abcdefg"[:n]))
    return [(names[u], names[v]) for u, v in arcs], names[first], names[last]


@st.composite
def connected_edges(draw):
    """Edges of connected multigraphs with loops and parallel edges, in any order."""
    n = draw(st.integers(1, 5))
    tree = [(draw(st.integers(0, v - 1)), v) for v in range(1, n)]
    extra = draw(st.lists(pairs_of(n), min_size=1 if n == 1 else 0, max_size=8 - n))
    return draw(st.permutations(tree + extra))


@st.composite
def small_msets(draw, most=8):
    """Sets of m of at most that many items."""
    d = draw(st.integers(1, most))
    return sb.MSets(d, draw(st.integers(0, d)))


@st.composite
def bipartite_edges(draw, saturate, most=6):
    """Edges in any order, some parallel, of which at least one matching saturates the sides; at most 4 nodes a side, or 5."""
    if saturate == "most" and draw(st.booleans()):  # a part with rows left over, one with columns, and edges across or elsewhere
        parts = [(0, 0), (1, 0), (2, 0), (2, 1), (0, 1), (1, 1)], [(3, 2), (3, 3), (4, 3), (4, 4), (4, 2)]
        pairs = [pair for part in parts for pair in draw(st.lists(st.sampled_from(part), min_size=2, max_size=4))]
        pairs += draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=2))
        return draw(st.permutations(pairs))
    rows = draw(st.integers(1, 4))
    columns = rows if saturate == "both" else draw(st.integers(1, 4))
    if (saturate == "rows" and rows > columns) or (saturate == "columns" and rows < columns):
        rows, columns = columns, rows
    pairs = draw(st.lists(st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)), min_size=1, max_size=most))
    if saturate not in ("most", "none"):
        partner = draw(st.permutations(range(max(rows, columns))))
        pairs += [(r, c) for r, c in enumerate(partner) if r < rows and c < columns]
    return draw(st.permutations(pairs))


@st.composite
def lists_of_decisions(draw):
    """At most twelve rows of 0 and 1, no two alike."""
    d = draw(st.integers(1, 6))
    return draw(st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=1, max_size=12, unique=True))


@st.composite
def road_graphs(draw, most_nodes=6, most_edges=12):
    """A graph of any kind with a path from node 0 to the last one; also parallel edges, self-loops and isolated nodes."""
    n = draw(st.integers(2, most_nodes))
    graph = draw(st.sampled_from((nx.DiGraph, nx.MultiDiGraph, nx.Graph, nx.MultiGraph)))()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(draw(st.lists(pairs_of(n), max_size=most_edges)))
    if not nx.has_path(graph, 0, n - 1):
        graph.add_edge(0, n - 1)
    return graph


@st.composite
def routes(draw, **limits):
    """Routes, and mean costs that are at least their least costs; many ties and zeros, or none."""
    graph = draw(road_graphs(**limits))
    costs = draw(vectors(graph.number_of_edges(), draw(st.sampled_from((FEW, st.floats(0.01, 3.0))))))
    share = draw(st.sampled_from((0.0, 0.5, 0.9, 1.0)))
    return sb.Routes(graph, 0, graph.number_of_nodes() - 1, least=share * costs), costs
