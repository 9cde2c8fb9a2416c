"""Decision sets from frames and graphs, and the numbers of their items."""

import json
import pickle
import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semibandits as sb
from semibandits.families.description import describe, fingerprint, rebuild
from semibandits.inputs.frames import is_frame

PAIRS = [("home", "bridge"), ("home", "ferry"), ("bridge", "office"), ("bridge", "ferry"), ("ferry", "office")]
MINUTES, LEAST = [9.0, 7.0, 6.0, 1.0, 9.5], [3, 3, 3, 1, 3]
LINKS = pd.DataFrame(PAIRS, columns=["from", "to"], index=[7, 7, 3, 1, 0]).assign(minutes=MINUTES, least=LEAST)


class Polars:
    """A frame with the interface of polars: columns by name, whose entries are iterated over."""

    def __init__(self, columns):
        self._columns = columns
        self.columns, self.shape = list(columns), (len(next(iter(columns.values()))), len(columns))

    def __getitem__(self, name):
        return iter(self._columns[name])


FRAMES = [LINKS, Polars(LINKS.to_dict("list"))]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_give_the_same_sets_as_pairs(frame):
    trip, ends = ("home", "office"), {"tail": "from", "head": "to"}
    sets = [
        (sb.Paths(frame, *trip, **ends), sb.Paths(PAIRS, *trip)),
        (sb.Routes(frame, *trip, **ends), sb.Routes(PAIRS, *trip)),
        (sb.Routes(frame, *trip, "least", directed=False, **ends), sb.Routes(PAIRS, *trip, LEAST, directed=False)),
        (sb.SpanningTrees(frame, **ends), sb.SpanningTrees(PAIRS)),
        (sb.Matchings(frame, "none", row="from", column="to"), sb.Matchings(PAIRS, "none")),
    ]
    for built, expected in sets:
        assert fingerprint(built) == fingerprint(expected)
        assert built.items == expected.items
        values = built.values_of("minutes")
        assert values.tolist() == MINUTES
        values[0] = 0.0
        assert built.values_of("minutes")[0] == 9.0
        with pytest.raises(sb.UnsupportedError, match=f"values_of reads the graph .*, got {type(built).__name__} without one"):
            expected.values_of("minutes")


def test_columns_are_those_of_csv_files_by_default():
    links = LINKS.rename(columns={"from": "tail", "to": "head"})
    assert sb.Paths(links, "home", "office").items == tuple(PAIRS)
    assert sb.Matchings(LINKS.rename(columns={"from": "row", "to": "column"}), "none").items == tuple(PAIRS)


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph, nx.Graph, nx.MultiGraph])
def test_attributes_of_graphs_are_in_the_order_of_the_items(kind):
    graph, rng = kind(), np.random.default_rng(0)
    pairs = [("a", "b"), ("c", "d"), ("b", "d"), ("a", "c"), ("b", "c")]
    pairs += [("a", "b"), ("b", "d")] * graph.is_multigraph()
    for u, v in pairs:
        graph.add_edge(u, v, cost=float(rng.random()))
    sets = [sb.Routes(graph, "a", "d")]
    sets += [sb.Paths(graph, "a", "d")] if graph.is_directed() else [sb.SpanningTrees(graph)]
    for x in sets:
        costs = x.values_of("cost")
        for item, cost in zip(x.items, costs, strict=True):
            u, v, *k = item
            attributes = graph.get_edge_data(u, v)
            assert cost == (attributes[k[0] if k else 0]["cost"] if graph.is_multigraph() else attributes["cost"])


def test_attributes_of_a_bipartite_graph():
    graph = nx.Graph()
    graph.add_nodes_from("xy", bipartite=1)
    graph.add_nodes_from("ab", bipartite=0)
    graph.add_weighted_edges_from([("x", "a", 1.0), ("b", "x", 2.0), ("y", "a", 3.0), ("y", "b", 4.0)], weight="cost")
    x = sb.Matchings(graph)
    assert set(zip(x.items, x.values_of("cost"), strict=True)) == {(("ab"[k % 2], "xy"[k // 2]), k + 1.0) for k in range(4)}


@pytest.mark.parametrize("make", [pd.DataFrame, Polars])
def test_from_frame_is_the_constructor_for_all_graphs(make):
    links, ends = make(LINKS.to_dict("list")), {"tail": "from", "head": "to"}
    named = {"row": "from", "column": "to", "saturate": "most"}
    for cls, arguments, options in (
        (sb.Paths, ("home", "office"), ends),
        (sb.Routes, ("home", "office", "minutes"), ends | {"directed": False}),
        (sb.SpanningTrees, (), ends),
        (sb.Matchings, (), named),
    ):
        if cls is sb.Matchings:
            links = make({"from": ["Ann", "Bob"], "to": ["park", "park"], "minutes": [3.0, 4.0]})
        x = cls.from_frame(links, *arguments, **options)
        assert fingerprint(x) == fingerprint(cls(links, *arguments, **options))
        assert x.values_of("minutes").tolist() == list(links["minutes"])


def test_sets_from_frames_are_pickled_without_them():
    paths = sb.Paths(LINKS, "home", "office", tail="from", head="to")
    again = pickle.loads(pickle.dumps(paths))
    assert fingerprint(again) == fingerprint(paths)
    with pytest.raises(sb.UnsupportedError, match="values_of reads"):
        again.values_of("minutes")


def test_other_objects_are_no_frames():
    assert not any(map(is_frame, [np.eye(2), nx.Graph(), [("a", "b")], {"tail": ["a"]}, LINKS["from"], "text", None]))


ARTICLES = {
    "title": ["Final", "Derby", "Vaccine", "Diet", "Ballot", "Budget"],
    "topic": ["sports", "sports", "health", "health", "politics", "politics"],
    "author": ["Ada", "Ben", "Ada", "Ben", "Ada", "Chris"],
    "clicks": [9, 8, 7, 3, 6, 5],
}


TOPIC, AUTHOR, TITLES = ARTICLES["topic"], ARTICLES["author"], ARTICLES["title"]
OF_TWO = {"item": "title", "groups": ("topic", "author")}
SELECTIONS = [
    (lambda frame: sb.MSets.from_frame(frame, 2, item="title"), sb.MSets(6, 2, items=TITLES), "set    Final, Derby"),
    (
        lambda frame: sb.MatroidBases.from_frame(frame, item="title", group="topic", capacities=1, size=2),
        sb.MatroidBases(sb.matroids.quotas(TOPIC, 1, 2), items=TITLES),
        "selection  Final, Vaccine",
    ),
    (
        lambda frame: sb.MatroidIntersection.from_frame(frame, **OF_TWO, capacities=1),
        sb.MatroidIntersection(sb.matroids.Partition(TOPIC, 1), sb.matroids.Partition(AUTHOR, 1), items=TITLES),
        "selection  Derby, Vaccine, Budget",
    ),
]


@pytest.mark.parametrize("make", [pd.DataFrame, Polars])
@pytest.mark.parametrize(("build", "by_hand", "best"), SELECTIONS)
def test_selections_from_a_frame_are_those_by_hand_with_labels(make, build, by_hand, best):
    x = build(make(ARTICLES))
    assert fingerprint(x) == fingerprint(by_hand)
    assert rebuild(describe(x)).items == x.items == tuple(TITLES)
    assert x.values_of("clicks").tolist() == ARTICLES["clicks"]
    bound = sb.graves_lai(x, x.values_of("clicks"))
    assert f"Best {best}" in bound.summary()
    assert f"best: {best.partition('  ')[2].strip()}" in repr(bound)
    assert re.search(f"{best.partition(' ')[0]}s? to explore", bound.summary())
    assert bound.to_frame()["label"].tolist() == TITLES
    learner = sb.Learner(x, variance=1.0, seed=0)
    asked = learner.ask()
    assert set(asked.labels) <= set(TITLES)
    assert sb.Learner.from_state(learner.state()).ask().labels == learner.ask().labels
    learner.tell(asked.id, dict.fromkeys(asked.labels, 1.0))
    assert f"Best {best.partition(' ')[0]} so far" in learner._repr_html_()


@pytest.mark.parametrize("make", [pd.DataFrame, Polars])
def test_one_column_of_a_frame_gives_the_groups(make):
    frame = make(ARTICLES)
    assert sb.matroids.Partition(frame["topic"], 1).rank == 3
    with pytest.raises(sb.InvalidInputError, match=r"groups must be one column of the frame, got a whole .*: pass for instance"):
        sb.matroids.Partition(frame, 2)


def test_capacities_of_groups_may_differ():
    capacities = {"sports": 2, "health": 1, "politics": 0, "unknown": 9}
    x = sb.MatroidBases.from_frame(pd.DataFrame(ARTICLES), item="title", group="topic", capacities=capacities)
    chosen = x.maximize(x.values_of("clicks"))
    assert [x.items[i] for i in np.flatnonzero(chosen)] == ["Final", "Derby", "Vaccine"]
    capacities = [{"sports": 2, "health": 1, "politics": 0}, 1]
    y = sb.MatroidIntersection.from_frame(pd.DataFrame(ARTICLES), **OF_TWO, capacities=capacities, size=1)
    assert (y.m, y.count()) == (1, 4)


@pytest.mark.parametrize(("kind", "number"), [(sb.MatroidBases, 1), (sb.MatroidIntersection, 2)])
def test_labels_of_matroids_and_intersections(kind, number):
    matroids = [sb.matroids.Uniform(3, 1)] * number
    labelled, plain = kind(*matroids, items="abc"), kind(*matroids)
    assert labelled.items == labelled.labels == ("a", "b", "c")
    assert (plain.items, plain.labels) == ((0, 1, 2), None)


def test_labels_replace_those_of_a_graph():
    triangle = sb.matroids.Graphic([("u", "v"), ("v", "w"), ("u", "w")])
    cheapest = sb.graves_lai(sb.MatroidBases(triangle, items=["bridge", "tunnel", "ferry"]), costs=[1.0, 2.0, 3.0])
    assert "Best spanning forest  bridge, tunnel" in cheapest.summary()
    plain = sb.matroids.Uniform(3, 1)
    for x in (sb.MatroidBases(triangle), sb.MatroidIntersection(triangle, plain), sb.MatroidIntersection(plain, triangle)):
        assert x.items == triangle.items


@settings(max_examples=40)
@given(
    st.sampled_from([nx.MultiDiGraph, nx.MultiGraph]),
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 2, "slow", "fast"])), min_size=1, max_size=9),
    st.lists(st.integers(0, 8), max_size=4),
)
def test_parallel_edges_keep_the_keys_of_networkx(kind, edges, removed):
    graph, ends = kind(), [("a", "b"), ("b", "c"), ("a", "c")]
    nx.add_path(graph, "abc")
    for pair, key in edges:
        graph.add_edge(*ends[pair], key=key)
    for k in removed:
        listed = list(graph.edges(keys=True))
        u, v, key = listed[k % len(listed)]
        if graph.number_of_edges(u, v) > 1:
            graph.remove_edge(u, v, key)
    rows = nx.MultiGraph()
    rows.add_nodes_from("ac", bipartite=0)
    rows.add_node("b", bipartite=1)
    rows.add_edges_from((u, v, key) for u, v, key in graph.edges(keys=True) if "b" in (u, v))
    for x in (sb.Routes(graph, "a", "c"), sb.SpanningTrees(graph.to_undirected()), sb.Matchings(rows, "none")):
        keys = {(frozenset(edge[:2]), *edge[2:]) for edge in (rows if isinstance(x, sb.Matchings) else graph).edges(keys=True)}
        pairs = [frozenset(item[:2]) for item in x.items]
        assert {(frozenset(item[:2]), *item[2:]) for item in x.items if len(item) == 3} <= keys
        assert all((len(item) == 3) == (pairs.count(frozenset(item[:2])) > 1) for item in x.items)
        assert rebuild(json.loads(json.dumps(describe(x)))).items == x.items


def test_descriptions_of_numbered_parallel_edges_have_no_keys():
    edges = [["a", "b"], ["a", "b"], ["b", "c"]]
    x = sb.Paths(edges, "a", "c")
    assert describe(x)["edges"] == edges
    assert rebuild(describe(x)).items == x.items == (("a", "b", 0), ("a", "b", 1), ("b", "c"))
