"""Descriptions: sets rebuilt from JSON are equal, and fingerprints distinguish sets in any process."""

import json
import math
import os
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import semibandits as sb
from semibandits import InvalidInputError, UnsupportedError, matroids
from semibandits.decisions.matchings import SATURATE
from semibandits.families.description import describe, digest, fingerprint, rebuild
from semibandits.families.labels import decode_label, encode_label, without_addresses
from semibandits.families.matroid_kinds import MATROID_KINDS
from semibandits.families.registry import FAMILIES

RNG = np.random.default_rng(7)
REAL = RNG.normal(size=(3, 6)).round(2)
BINARY = (np.random.default_rng(3).random((70, 9)) < 0.4).astype(int)


def grid_graph():
    """A networkx DAG whose nodes are not in the order of its edges; one is isolated."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from([(2, 2), "alone", (0, 0), (1, 1), (0, 1)])
    graph.add_edges_from([((0, 0), (0, 1)), ((0, 1), (2, 2)), ((0, 0), (2, 2)), ((0, 0), (0, 1)), ((1, 1), (2, 2))])
    return graph


def bipartite_graph(isolated=()):
    """A graph with mixed rows and columns, edges not in the order of the rows, and parallel edges."""
    graph = nx.MultiGraph()
    graph.add_nodes_from(["c2", "r1", "c1", "r2"])
    graph.add_edges_from([("c1", "r2"), ("r1", "c1"), ("c2", "r1"), ("r2", "c1"), ("r2", "c2")])
    graph.add_nodes_from(isolated)
    nx.set_node_attributes(graph, {node: int(node.startswith("c")) for node in graph}, "bipartite")
    return graph


def mixed_tree():
    graph = nx.MultiGraph()
    graph.add_nodes_from([3, 1, 0, 2])
    graph.add_edges_from([(0, 1), (2, 0), (3, 2), (1, 0), (1, 3), (2, 2)])
    return graph


CASES = {
    "paths": lambda: sb.Paths([("s", "a"), ("s", "a"), ("a", "t"), ("s", "t"), ("a", "x"), ("y", "t")], "s", "t"),
    "paths, networkx": lambda: sb.Paths(grid_graph(), (0, 0), (2, 2)),
    "paths, mixed labels": lambda: sb.Paths([(None, 1), (True, 2.5), (1.0, math.inf), (2.5, "t"), (math.inf, "t")], None, "t"),
    "routes": lambda: sb.Routes([("s", "a"), ("a", "s"), ("s", "a"), ("a", "t"), ("a", "x")], "s", "t", [0, 0.5, 0.1, 3, 0]),
    "routes, networkx": lambda: sb.Routes(mixed_tree(), 3, 0, 0.1),
    "routes, undirected": lambda: sb.Routes([(0, 1), (1, 2), (0, 2)], 0, 2, directed=False),
    "trees": lambda: sb.SpanningTrees([(0, 1), (1, 0), (1, 2), (2, 2), (2, 0), (2, 3)]),
    "trees, networkx": lambda: sb.SpanningTrees(mixed_tree()),
    "msets": lambda: sb.MSets(7, 3),
    "msets, labels": lambda: sb.MSets(3, 2, items=["x", 2, (2.0, False)]),
    "msets, empty": lambda: sb.MSets(3, 0),
    "matchings, both": lambda: sb.Matchings([(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)]),
    "matchings, rows": lambda: sb.Matchings([(i, j) for i in range(2) for j in (3, 2, 1)], saturate="rows"),
    "matchings, columns": lambda: sb.Matchings([(i, j) for i in (4, 3, 2) for j in range(2)], saturate="columns"),
    "matchings, none": lambda: sb.Matchings([("a", "b"), ("b", "a"), ("a", "a"), ("c", "b")], saturate="none"),
    "matchings, most": lambda: sb.Matchings([("a", "b"), ("c", "b"), ("a", "a")], saturate="most"),
    "matchings, networkx": lambda: sb.Matchings(bipartite_graph()),
    "matchings, networkx, alone": lambda: sb.Matchings(bipartite_graph(["c9", "r9"]), saturate="none"),
    "matroid, uniform": lambda: sb.MatroidBases(matroids.Uniform(5, 2)),
    "matroid, partition": lambda: sb.MatroidBases(matroids.Partition("babccb", {"a": 1, "b": 2, "c": 0, "z": 4})),
    "matroid, laminar": lambda: sb.MatroidBases(
        matroids.Laminar([{0, 1}, {0, 1, 2, 3, 4}, set(), {2, 3}, {5}], [1, 3, 2, 2, 0], d=8)
    ),
    "matroid, graphic": lambda: sb.MatroidBases(matroids.Graphic([(0, 1), (1, 2), (2, 0), (3, 4), (3, 3), (1, 0)])),
    "matroid, transversal": lambda: sb.MatroidBases(matroids.Transversal([{"a", "d"}, {"a", "b"}, {"b", "c"}, [], ["c"]])),
    "matroid, real": lambda: sb.MatroidBases(matroids.Linear(REAL, tolerance=1e-7)),
    "matroid, real with zeros": lambda: sb.MatroidBases(matroids.Linear([[1, 0, 1, 2, 0], [0, 1, -1, 2, 0]])),
    "matroid, binary": lambda: sb.MatroidBases(matroids.Linear(BINARY, field=2)),
    "intersection": lambda: sb.MatroidIntersection(
        matroids.Graphic([(0, 1), (1, 2), (2, 0), (0, 1)]), matroids.Partition("xyxy", 1)
    ),
    "intersection, size": lambda: sb.MatroidIntersection(matroids.Uniform(4, 3), matroids.Linear(REAL[:, :4]), size=2),
    "matroid, labels, partition": lambda: sb.MatroidBases(matroids.Partition("aab", 1), items=["x", 2, (2.0, False)]),
    "matroid, labels, graphic": lambda: sb.MatroidBases(matroids.Graphic([(0, 1), (1, 2), (2, 0)]), items=[(1, 0), "b", "c"]),
    "intersection, labels": lambda: sb.MatroidIntersection(
        matroids.Graphic([(0, 1), (1, 2), (2, 0)]), matroids.Partition("xyx", 1), items=["x", 2, (2.0, False)]
    ),
    "enumerated": lambda: sb.EnumeratedDecisions([[1, 0, 1], [0, 0, 0], [0, 1, 1]], items=["x", 2, (2.0, False)]),
    "enumerated, plain": lambda: sb.EnumeratedDecisions([[1, 0], [0, 1]]),
}  # fmt: skip


def written_and_read(decision_set):
    return rebuild(json.loads(json.dumps(describe(decision_set), allow_nan=False)))


def test_every_family_matroid_and_mode_is_tried():
    assert {name.split(",")[0] for name in CASES} == set(FAMILIES)
    assert {CASES[name]().saturate for name in CASES if name.startswith("matchings")} == set(SATURATE)
    public = [getattr(matroids, name) for name in matroids.__all__]
    built_in = {cls for cls in public if isinstance(cls, type) and issubclass(cls, matroids.Matroid)}
    described = {kind.cls for kind in MATROID_KINDS.values()}
    assert described == built_in - {matroids.Matroid, matroids.Oracle}
    assert described <= {type(CASES[name]().matroid) for name in CASES if name.startswith("matroid,")}


@pytest.mark.parametrize("name", CASES)
def test_the_rebuilt_set_is_the_same(name):
    decision_set = CASES[name]()
    again = written_and_read(decision_set)
    assert type(again) is type(decision_set)
    assert (again.d, again.m) == (decision_set.d, decision_set.m)
    assert repr(again.items) == repr(decision_set.items)
    assert describe(again) == describe(decision_set) == describe(CASES[name]())
    assert fingerprint(again) == fingerprint(decision_set)
    rng = np.random.default_rng(5)
    for _ in range(20):
        tied = rng.integers(-2, 3, decision_set.d).astype(float)
        loose = rng.normal(size=decision_set.d)
        for w in (tied, loose):
            np.testing.assert_array_equal(again.maximize(w), decision_set.maximize(w))
        np.testing.assert_array_equal(again.maximize_index(tied, np.abs(loose)), decision_set.maximize_index(tied, np.abs(loose)))
    np.testing.assert_array_equal(again.enumerate(), decision_set.enumerate())
    for attribute in ("nodes", "tails", "heads", "rows", "columns", "row_index", "column_index"):
        assert repr(getattr(again, attribute, None)) == repr(getattr(decision_set, attribute, None))


def test_real_matrices_keep_every_bit():
    first = matroids.Linear(np.random.default_rng(1).normal(size=(7, 30)))
    second = written_and_read(sb.MatroidBases(first)).matroid
    assert first._vectors.tobytes() == second._vectors.tobytes()


def test_fingerprints_differ_between_sets():
    found = {name: fingerprint(CASES[name]()) for name in CASES}
    assert len(set(found.values())) == len(CASES)
    changed = [
        sb.MSets(7, 2),
        sb.Paths([("s", "a"), ("s", "a"), ("a", "t"), ("s", "t"), ("y", "t"), ("a", "x")], "s", "t"),
        sb.Matchings([("a", "b"), ("b", "a"), ("a", "a"), ("c", "c")], saturate="none"),
        sb.EnumeratedDecisions([[1, 0], [0, 1]], items=[0.0, 1.0]),
        sb.EnumeratedDecisions([[0, 1], [1, 0]]),
    ]
    assert not {fingerprint(x) for x in changed} & set(found.values())


def test_labels_that_are_not_given_leave_no_trace():
    """So that results that were kept before labels existed still have the same fingerprint."""
    for name in (name for name in CASES if name.startswith(("msets", "matroid", "intersection"))):
        assert ("items" in describe(CASES[name]())) == ("labels" in name)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_description import CASES, Shifted
from semibandits.families.description import fingerprint
print([fingerprint(CASES[name]()) for name in CASES] + [fingerprint(Shifted())])
"""


def test_fingerprints_are_those_of_another_process(request):
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    command = [sys.executable, "-c", SCRIPT, str(request.path.parent)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    expected = [fingerprint(CASES[name]()) for name in CASES] + [fingerprint(Shifted())]
    assert answer.stdout.strip() == str(expected)


class Label:
    """A hashable label whose text contains a memory address."""


class Shifted(sb.DecisionSet):
    """A user-defined set that returns the best item, or a neighbour if `shift` is not 0."""

    m = 1

    def __init__(self, d=4, shift=0):
        self._d, self.shift, self._items = d, shift, tuple(Label() for _ in range(d))

    d, items = property(lambda self: self._d), property(lambda self: self._items)

    def maximize(self, weights):
        return np.arange(self._d) == (int(np.argmax(weights)) + self.shift) % self._d


def independent(indices):
    return len(indices) <= 2


UNSUPPORTED = {
    "Shifted": Shifted,
    "Oracle": lambda: sb.MatroidBases(matroids.Oracle(4, independent)),
    "user-defined": lambda: sb.MatroidIntersection(matroids.Uniform(4, 2), matroids.Oracle(4, independent)),
    "frozenset": lambda: sb.SpanningTrees([(frozenset([1]), 1)]),
    "Label": lambda: sb.EnumeratedDecisions([[1]], items=[Label()]),
}


@pytest.mark.parametrize("word", UNSUPPORTED)
def test_unsupported_sets_are_named(word):
    decision_set = UNSUPPORTED[word]()
    with pytest.raises(UnsupportedError, match=word):
        describe(decision_set)
    assert fingerprint(decision_set) == fingerprint(decision_set)


def test_fingerprints_of_user_defined_sets_depend_on_their_answers():
    assert fingerprint(Shifted()) == fingerprint(Shifted())
    assert len({fingerprint(Shifted()), fingerprint(Shifted(shift=1)), fingerprint(Shifted(5))}) == 3
    without_0 = matroids.Oracle(4, lambda indices: len(indices) <= 2 and 0 not in indices)
    sets = map(sb.MatroidBases, (matroids.Oracle(4, independent), without_0, matroids.Uniform(4, 2)))
    assert len(set(map(fingerprint, sets))) == 3


LABELS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=6,
)


@given(LABELS)
def test_labels_survive_exactly(label):
    again = decode_label(json.loads(json.dumps(encode_label(label), allow_nan=False)))
    assert repr(again) == repr(label)
    assert type(again) is type(label)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9), st.randoms())
def test_any_multigraph_survives(pairs, random):
    graph = nx.MultiGraph()
    graph.add_nodes_from(random.sample(range(5), 5))
    graph.add_edges_from(pairs)
    for source in (graph, pairs):
        first = matroids.Graphic(source)
        second = written_and_read(sb.MatroidBases(first)).matroid
        assert (first.edges.nodes, first.items) == (second.edges.nodes, second.items)
        np.testing.assert_array_equal(first.edges.tails, second.edges.tails)
        np.testing.assert_array_equal(first.edges.heads, second.edges.heads)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8), st.booleans(), st.randoms())
def test_any_bipartite_multigraph_survives(pairs, as_graph, random):
    edges = pairs
    if as_graph:
        nodes = [*(("r", i) for i in range(4)), *(("c", j) for j in range(4))]
        random.shuffle(nodes)
        edges = nx.MultiGraph()
        edges.add_nodes_from((node, {"bipartite": int(node[0] == "c")}) for node in nodes)
        edges.add_edges_from((("r", i), ("c", j)) if random.random() < 0.5 else (("c", j), ("r", i)) for i, j in pairs)
    first = sb.Matchings(edges, "none")
    second = written_and_read(first)
    assert (first.rows, first.columns, first.items) == (second.rows, second.columns, second.items)
    np.testing.assert_array_equal(first.row_index, second.row_index)
    np.testing.assert_array_equal(first.column_index, second.column_index)


@given(st.lists(st.sets(st.integers(0, 5), max_size=4), min_size=1, max_size=6), st.permutations("uvwxyz"), st.randoms())
def test_names_of_places_do_not_matter(sets, names, random):
    renamed = [random.sample([names[p] for p in places], len(places)) for places in sets]
    first, second = (sb.MatroidBases(matroids.Transversal([*s])) for s in (sets, renamed))
    assert fingerprint(first) == fingerprint(second)
    np.testing.assert_array_equal(written_and_read(first).enumerate(), second.enumerate())


def changed(name, key, value):
    return {**describe(CASES[name]()), key: value}


REAL_MATROID = describe(CASES["matroid, real"]())["matroid"]
DAMAGED = {
    "nothing": {},
    "text": "paths",
    "family": {"family": "cycles"},
    "list": [1],
    "missing": {"family": "msets", "d": 3},
    "number": changed("msets", "m", "3"),
    "negative": changed("msets", "m", -1),
    "edges": changed("paths", "edges", [["s", "t", "u"]]),
    "no list": changed("paths", "edges", 3),
    "label": changed("paths", "source", {"set": []}),
    "tag": changed("paths", "source", {"float": "1", "int": "1"}),
    "nan": changed("paths", "source", {"float": "nan"}),
    "cycle": changed("paths", "edges", [["s", "t"], ["t", "s"]]),
    "side": changed("matchings, both", "saturate", "all"),
    "stranger": changed("matchings, rows", "edges", [[0, 9]]),
    "matroid": changed("matroid, uniform", "matroid", {"matroid": "oracle"}),
    "capacities": changed("matroid, partition", "matroid", {"matroid": "partition", "groups": [0], "capacities": []}),
    "row": changed("enumerated", "decisions", [[3]]),
    "negative row": changed("enumerated", "decisions", [[-1]]),
    "fraction": changed("enumerated", "decisions", [[0.5]]),
    "columns": changed("matroid, real", "matroid", {**REAL_MATROID, "columns": [[2.0, 0.0, 0.0]] * 6}),
    "shape": changed("matroid, real", "matroid", {**REAL_MATROID, "shape": [4, 6]}),
    "size": changed("intersection", "size", 9),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_one_clear_error(name):
    with pytest.raises(InvalidInputError, match="description of a decision set must"):
        rebuild(DAMAGED[name])


def test_digests_of_whole_floats_and_integers_are_equal():
    assert digest({"a": [1.0, -2.0, 0.5], "b": True}) == digest({"b": True, "a": [1, -2, 0.5]})
    assert digest([1]) != digest([True])
    assert digest([1]) != digest(["1"])
    with pytest.raises(ValueError, match="not JSON compliant"):
        digest([math.nan])


def test_addresses_are_dropped():
    assert without_addresses("<a.Label object at 0x7f12ab>") == "<a.Label object>"
