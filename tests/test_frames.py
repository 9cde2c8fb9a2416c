"""Decision sets from frames and graphs, and the numbers of their items."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import semibandits as sb
from semibandits._frames import is_frame
from semibandits.families.description import describe, fingerprint, rebuild

LINKS = pd.DataFrame(
    {
        "from": ["home", "home", "bridge", "bridge", "ferry"],
        "to": ["bridge", "ferry", "office", "ferry", "office"],
        "minutes": [9.0, 7, 6, 1, 9.5],
        "least": [3, 3, 3, 1, 3],
    },
    index=[7, 7, 3, 1, 0],
)
PAIRS = list(zip(LINKS["from"], LINKS["to"], strict=True))
MINUTES = [9.0, 7.0, 6.0, 1.0, 9.5]


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
    ends = {"tail": "from", "head": "to"}
    sets = [
        (sb.Paths(frame, "home", "office", **ends), sb.Paths(PAIRS, "home", "office")),
        (sb.Routes(frame, "home", "office", **ends), sb.Routes(PAIRS, "home", "office")),
        (
            sb.Routes(frame, "home", "office", "least", directed=False, **ends),
            sb.Routes(PAIRS, "home", "office", [3, 3, 3, 1, 3], directed=False),
        ),
        (sb.SpanningTrees(frame, **ends), sb.SpanningTrees(PAIRS)),
        (sb.Matchings(frame, "none", row="from", column="to"), sb.Matchings(PAIRS, "none")),
    ]  # fmt: skip
    for built, expected in sets:
        assert fingerprint(built) == fingerprint(expected)
        assert built.items == expected.items
        values = built.values_of("minutes")
        assert values.tolist() == MINUTES
        values[0] = 0.0
        assert built.values_of("minutes")[0] == 9.0
        with pytest.raises(
            sb.UnsupportedError, match=f"values_of reads the graph .*, got {type(built).__name__} without one"
        ):
            expected.values_of("minutes")


def test_columns_are_those_of_csv_files_by_default():
    links = LINKS.rename(columns={"from": "tail", "to": "head"})
    assert sb.Paths(links, "home", "office").items == tuple(PAIRS)
    assert sb.Matchings(LINKS.rename(columns={"from": "row", "to": "column"}), "none").items == tuple(PAIRS)


@pytest.mark.parametrize(
    "graph", [nx.DiGraph(), nx.MultiDiGraph(), nx.Graph(), nx.MultiGraph()], ids=lambda graph: type(graph).__name__
)
def test_attributes_of_graphs_are_in_the_order_of_the_items(graph):
    rng = np.random.default_rng(0)
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
    for u, v, cost in [("x", "a", 1.0), ("b", "x", 2.0), ("y", "a", 3.0), ("y", "b", 4.0)]:
        graph.add_edge(u, v, cost=cost)
    x = sb.Matchings(graph)
    assert dict(zip(x.items, x.values_of("cost"), strict=True)) == {
        ("a", "x"): 1.0, ("b", "x"): 2.0, ("a", "y"): 3.0, ("b", "y"): 4.0,
    }  # fmt: skip


def test_errors_of_graphs():
    graph = nx.DiGraph()
    graph.add_edge("a", "b", minutes=1.0, km=2)
    graph.add_edge("b", "c", minutes=2.0, km="far")
    paths = sb.Paths(graph, "a", "c")
    with pytest.raises(
        sb.InvalidInputError,
        match=r"attribute 'minute', got none for \('a', 'b'\); .* are 'minutes', 'km': did you mean 'minutes'",
    ):
        paths.values_of("minute")
    with pytest.raises(sb.InvalidInputError, match=r"km must be a number for every item, got 'far' for \('b', 'c'\)"):
        paths.values_of("km")
    graph.edges["b", "c"]["minutes"] = np.nan
    with pytest.raises(sb.InvalidInputError, match=r"attribute 'minutes', got none for \('b', 'c'\).*: add it there"):
        paths.values_of("minutes")
    graph.add_edge("a", "c", minutes=9.0)
    with pytest.raises(
        sb.InvalidInputError, match=r"the DiGraph must have the items in the order .*: build the decision set again"
    ):
        paths.values_of("minutes")


def test_errors_of_frames():
    with pytest.raises(
        sb.InvalidInputError,
        match=r"one column 'tail', got the columns 'from', 'to', 'minutes', 'least': name another one by tail=\.\.\.",
    ):
        sb.Paths(LINKS, "home", "office")
    paths = sb.Paths(LINKS, "home", "office", tail="from", head="to")
    with pytest.raises(
        sb.InvalidInputError, match=r"one column 'minuts', got the columns 'from', .*: did you mean 'minutes'"
    ):
        paths.values_of("minuts")
    with pytest.raises(sb.InvalidInputError, match="to must be a number for every item, got 'bridge' for"):
        paths.values_of("to")
    twice = pd.DataFrame([["a", "b", "c"]], columns=["tail", "head", "tail"])
    with pytest.raises(
        sb.InvalidInputError, match="must have one column 'tail', got the columns 'tail', 'head', 'tail'"
    ):
        sb.Paths(twice, "a", "b")
    for missing in (None, np.nan, pd.NA, pd.NaT):
        gap = pd.DataFrame({"tail": pd.Series(["a", missing], dtype=object), "head": ["b", "c"]})
        with pytest.raises(
            sb.InvalidInputError, match=r"column 'tail' must have an entry in every row, got .* in row 1"
        ):
            sb.Paths(gap, "a", "b")
    changing = LINKS.copy()
    routes = sb.Routes(changing, "home", "office", tail="from", head="to")
    changing["from"] = changing["from"].tolist()[::-1]
    with pytest.raises(sb.InvalidInputError, match="the DataFrame must have the items in the order"):
        routes.values_of("minutes")


def test_sets_from_frames_are_pickled_without_them():
    paths = sb.Paths(LINKS, "home", "office", tail="from", head="to")
    again = pickle.loads(pickle.dumps(paths))
    assert fingerprint(again) == fingerprint(paths)
    with pytest.raises(sb.UnsupportedError, match="values_of reads"):
        again.values_of("minutes")


@pytest.mark.parametrize("make", [lambda columns: pd.DataFrame(columns), Polars])
def test_msets_of_a_frame(make):
    frame = make({"film": ["Alien", "Brazil", "Cube"], "score": [3, 2, 1]})
    x = sb.MSets.from_frame(frame, 2, item="film")
    assert x.items == ("Alien", "Brazil", "Cube")
    assert x.values_of("score").tolist() == [3.0, 2.0, 1.0]
    assert rebuild(describe(x)).items == x.items
    assert fingerprint(x) != fingerprint(sb.MSets(3, 2))
    assert "items" not in describe(sb.MSets(3, 2))
    learner = sb.Learner(x, variance=1.0, seed=0)
    assert sb.Learner.from_state(learner.state()).ask().labels == learner.ask().labels
    assert "Best set    Alien, Brazil" in sb.graves_lai(x, x.values_of("score")).summary()
    with pytest.raises(
        sb.InvalidInputError, match="one column 'item', got the columns 'film', 'score': name another one by item="
    ):
        sb.MSets.from_frame(frame, 2)
    with pytest.raises(sb.InvalidInputError, match="m must be at most d = 3, got 4"):
        sb.MSets.from_frame(frame, 4, item="film")


def test_labels_of_msets():
    with pytest.raises(sb.InvalidInputError, match="different labels, got 'a' twice"):
        sb.MSets(2, 1, items="aa")
    with pytest.raises(sb.InvalidInputError, match="items must have d = 3 labels, got 2"):
        sb.MSets(3, 1, items="ab")
    with pytest.raises(sb.InvalidInputError, match="frame must be a frame of pandas or polars, got list"):
        sb.MSets.from_frame(["a"], 1)


def test_other_objects_are_no_frames():
    assert not any(map(is_frame, [np.eye(2), nx.Graph(), [("a", "b")], {"tail": ["a"]}, LINKS["from"], "text", None]))
