"""Frames and graphs without the columns, attributes or labels that a decision set needs."""

import networkx as nx
import numpy as np
import pandas as pd

import semibandits as sb

LINKS = pd.DataFrame({"from": ["home", "home", "ferry"], "to": ["bridge", "ferry", "bridge"], "minutes": [9.0, 7, 1]})
TOPICS = ["sports", "sports", "health", "health", "politics", "politics"]
ARTICLES = pd.DataFrame({"title": list("ABCDEF"), "topic": TOPICS, "author": ["Ada", "Ben", "Ada", "Ben", "Ada", "Cy"]})
ENDS = {"tail": "from", "head": "to"}


def numbers_of_graph(column, change=lambda graph: None):
    graph = nx.DiGraph()
    graph.add_edge("a", "b", minutes=1.0, km=2)
    graph.add_edge("b", "c", minutes=2.0, km="far")
    paths = sb.Paths(graph, "a", "c")
    change(graph)
    return paths.values_of(column)


def numbers_of_links(column, change=lambda links: None):
    links = LINKS.copy()
    routes = sb.Routes(links, "home", "bridge", **ENDS)
    change(links)
    return routes.values_of(column)


def links_with_a_gap(missing):
    gap = pd.DataFrame({"tail": pd.Series(["a", missing], dtype=object), "head": ["b", "c"]})
    return sb.Paths(gap, "a", "b")


def selection(**options):
    return sb.MatroidBases.from_frame(ARTICLES, capacities=1, **options)


def of_two(**options):
    given = {"item": "title", "groups": ("topic", "author"), "capacities": 1} | options
    return sb.MatroidIntersection.from_frame(ARTICLES, **given)


ORDER = "must have the items in the order .*: build the decision set again"
LABELS, TWICE = "items must have d = 3 labels, got 2", "different labels, got 'a' twice"
NO_FRAME = r"frame must be a frame .*, got list: use .* items=\.\.\.\)"
CALLS = [
    (lambda: numbers_of_graph("minute"), r"'minute', got none for \('a', 'b'\); .* are 'minutes', 'km': did you mean 'minutes'"),
    (lambda: numbers_of_graph("km"), r"km must be a number for every item, got 'far' for \('b', 'c'\)"),
    (lambda: numbers_of_graph("minutes", lambda graph: graph.edges["b", "c"].update(minutes=np.nan)), "got none for .*: add it"),
    (lambda: numbers_of_graph("minutes", lambda graph: graph.add_edge("a", "c", minutes=9.0)), f"the DiGraph {ORDER}"),
    (lambda: numbers_of_links("minutes", lambda links: links.update(links["from"][::-1].set_axis(range(3)))), f"Frame {ORDER}"),
    (lambda: numbers_of_links("minuts"), "one column 'minuts', got the columns 'from', .*: did you mean 'minutes'"),
    (lambda: numbers_of_links("to"), "to must be a number for every item, got 'bridge' for"),
    (lambda: sb.Paths(LINKS, "home", "bridge"), r"'tail', got the columns 'from', 'to', 'minutes': name another .* tail=\.\.\."),
    (lambda: sb.Paths(pd.DataFrame([["a", "b", "c"]], columns=["tail", "head", "tail"]), "a", "b"), "must have one column 'tail"),
    *((lambda *, gap=gap: links_with_a_gap(gap), r"column 'tail' must have an entry in every row, got .* in row 1")
      for gap in (None, pd.NA, pd.NaT)),
    (lambda: sb.MSets.from_frame(ARTICLES, 2), "one column 'item', got the columns 'title', .*: name another one by item="),
    (lambda: sb.MSets.from_frame(ARTICLES, 7, item="title"), "m must be at most d = 6, got 7"),
    (lambda: sb.MSets.from_frame(["a"], 1), "frame must be a frame of pandas or polars, got list"),
    (lambda: sb.MSets(2, 1, items="aa"), TWICE),
    (lambda: sb.MSets(3, 1, items="ab"), LABELS),
    (lambda: sb.MSets(4, 2, items=ARTICLES), "items must be one column of the frame"),
    (lambda: sb.MatroidBases(sb.matroids.Uniform(3, 1), items="aba"), TWICE),
    (lambda: sb.MatroidIntersection(sb.matroids.Uniform(3, 1), sb.matroids.Uniform(3, 2), items="aba"), TWICE),
    (lambda: sb.matroids.Partition(ARTICLES, 2), r"one column of the frame, got a whole DataFrame: pass .* frame\['name'\]"),
    (lambda: selection(), "one column 'item', got the columns 'title', .*: name another one by item="),
    (lambda: selection(item="title"), "one column 'group', got the columns 'title', .*: name another one by group="),
    (lambda: selection(item="topic", group="topic"), "different labels, got 'sports' twice"),
    (lambda: selection(groups="topic"), r"keyword argument 'groups': did you mean group=\.\.\.\?", TypeError),
    (lambda: of_two(groups=("topic", "genre")), "one column 'genre', got the columns .*: name another one by groups="),
    (lambda: of_two(groups="topic"), "groups must have two entries, got 'topic': name two columns"),
    (lambda: of_two(capacities={"sports": 1}), "capacities must have two entries, got .*: pass an integer, or"),
    (lambda: of_two(capacities=[1, 1, 1]), "capacities must have two entries"),
    (lambda: sb.MatroidBases.from_frame(["a"], capacities=1), NO_FRAME),
    (lambda: sb.MatroidIntersection.from_frame(["a"], capacities=1), NO_FRAME),
    (lambda: sb.Matchings.from_frame([("a", "b")]), r"frame must be a frame .*, got list: use Matchings\(pairs\)"),
    (lambda: sb.Matchings.from_frame(LINKS, rows="from"), r"keyword argument 'rows': did you mean row=\.\.\.\?", TypeError),
]  # fmt: skip
