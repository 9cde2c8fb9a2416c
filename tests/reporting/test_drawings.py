"""Drawings of decision sets: every item once, within the box, at its position."""

import math
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payload_schema import check_drawing
from report_cases import ARCS, DECISIONS

from semibandits import Matchings, MatroidBases, MatroidIntersection, MSets, Paths, SpanningTrees
from semibandits.families.registry import family_of
from semibandits.families.texts import item_labels
from semibandits.instances import instance_from_description
from semibandits.matroids import Graphic, Partition, Uniform
from semibandits_studies.reporting.drawings import drawing_of, link_labels
from semibandits_studies.reporting.report_data import Structure
from semibandits_studies.reporting.selection import MOST_ITEMS
from semibandits_studies.reporting.sources import structure_of


def structure(decisions, **changes):
    family = family_of(decisions).name
    return Structure(family=family, decision_set=decisions, labels=item_labels(family, decisions), **changes)


def draw(decisions, **changes):
    drawing = drawing_of(structure(decisions, **changes))
    check_drawing(drawing, decisions.d)
    return drawing


def mapped(places, edges):
    return draw(SpanningTrees(edges), positions=places, geographic=True)


def places_in(drawing):
    return {node["name"]: (node["x"], node["y"]) for node in drawing["nodes"]}


KINDS = {
    "paths": "network", "routes": "network", "trees": "network", "forests": "network", "rooted trees": "network",
    "matchings": "heatmap", "matchings of rows": "heatmap", "any matchings": "heatmap",
}  # fmt: skip


@pytest.mark.parametrize("name", DECISIONS)
def test_each_family_has_its_drawing(name):
    assert draw(DECISIONS[name]())["kind"] == KINDS.get(name, "bars")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=14), st.data())
def test_random_networks(pairs, data):
    """Loops, parallel edges, edges in both directions, with positions or without."""
    nodes = sorted({node for pair in pairs for node in pair})
    decisions = MatroidBases(Graphic(pairs))
    coordinate = st.floats(-1e6, 1e6)
    places = data.draw(
        st.none() | st.fixed_dictionaries({node: st.tuples(coordinate, coordinate) for node in nodes}), label="places"
    )
    drawing = draw(decisions, positions=places)
    assert {node["name"] for node in drawing["nodes"]} == set(map(str, nodes))
    names = [node["name"] for node in drawing["nodes"]]
    drawn = [(names[edge["tail"]], names[edge["head"]]) for edge in drawing["edges"]]
    assert drawn == [(str(tail), str(head)) for tail, head in pairs]
    ends = [frozenset(pair) for pair in pairs]
    assert [edge["parallel"] for edge in drawing["edges"]] == [ends[:i].count(pair) for i, pair in enumerate(ends)]
    assert drawing == draw(MatroidBases(Graphic(pairs)), positions=places)
    if places is not None:
        check_shape(drawing, np.array([places[node] for node in map(int, names)]) * (1, -1))


def check_shape(drawing, points):
    """Drawn distances are proportional to those of the points, up to the rounding of positions."""
    at = np.array([[node["x"] * drawing["aspect"], node["y"]] for node in drawing["nodes"]])
    drawn = np.linalg.norm(at[:, None] - at[None], axis=2)
    true = np.linalg.norm(points[:, None] - points[None], axis=2)
    if true.max() > 0:
        scale = np.ptp(points, axis=0).max() / np.ptp(at, axis=0).max()
        assert np.allclose(drawn * scale, true, atol=2e-3 * true.max())
    order = points[:, 1].argsort()
    assert (np.diff(at[order, 1]) >= -1e-3).all()  # downwards


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(2, 9), st.integers(0, 2**31))
def test_paths_run_from_left_to_right(n, seed):
    rng = np.random.default_rng(seed)
    arcs = [(a, b) for a in range(n) for b in range(a + 1, n) if b == a + 1 or rng.random() < 0.4]
    drawing = draw(Paths(arcs, 0, n - 1))
    at = places_in(drawing)
    assert all(at[str(tail)][0] < at[str(head)][0] for tail, head in arcs)
    assert drawing["directed"]
    assert {node["name"]: node["end"] for node in drawing["nodes"] if node["end"]} == {"0": "source", str(n - 1): "target"}
    assert len(set(at.values())) == n


def test_rooted_trees_are_directed_from_their_root():
    graphic, heads = Graphic(ARCS), Partition([head for _, head in ARCS], 1)
    for pair in ((graphic, heads), (heads, graphic)):
        drawing = draw(MatroidIntersection(*pair))
        assert drawing["directed"]
        assert [node["end"] for node in drawing["nodes"] if node["name"] == "r"] == ["source"]
    other = draw(MatroidIntersection(graphic, Partition([0, 0, 1, 1, 1], 1)))
    assert not other["directed"]
    assert not draw(MatroidIntersection(graphic, Uniform(5, 2)))["directed"]


def test_labels_of_networks_are_links():
    trees = MatroidIntersection(Graphic(ARCS), Partition([head for _, head in ARCS], 1))
    labels = ("r → a", "r → b", "a → b (#1)", "b → a (#2)", "b → c")
    assert link_labels(trees, list(map(str, trees.items))) == labels
    assert link_labels(trees, ["named"] * 5) == ("named",) * 5
    assert link_labels(MSets(2, 1), ["0", "1"]) == ("0", "1")


def test_maps_are_conformal():
    """On a small part of the globe, a degree of longitude is cos(latitude) as long as one of latitude."""
    places = {"a": (10.0, 59.9), "b": (10.2, 59.9), "c": (10.2, 60.1), "d": (10.0, 60.1)}
    drawing = mapped(places, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    assert drawing["geographic"]
    assert drawing["aspect"] == pytest.approx(math.cos(math.radians(60)), rel=1e-3)
    assert places_in(drawing) == {"a": (0, 1), "b": (1, 1), "c": (1, 0), "d": (0, 0)}


def test_borders_lie_where_the_nodes_are():
    """The border between Germany and Poland runs along the Oder: east of Berlin, west of Poznan."""
    places = {"Berlin": (13.4, 52.5), "Poznan": (16.9, 52.4), "Szczecin": (14.6, 53.4), "Wroclaw": (17.0, 51.1)}
    edges = [("Berlin", "Poznan"), ("Szczecin", "Wroclaw"), ("Berlin", "Szczecin")]
    drawing = mapped(places, edges)
    at = places_in(drawing)
    points = np.array([point for line in drawing["borders"] for point in line])
    level = points[np.abs(points[:, 1] - at["Berlin"][1]) < 0.05]
    assert len(level)
    assert ((level[:, 0] > at["Berlin"][0] + 0.1) & (level[:, 0] < at["Poznan"][0] - 0.3)).any()
    assert draw(SpanningTrees(edges), positions=places)["borders"] == []


def test_a_map_across_the_date_line_is_not_torn():
    """Suva and Apia are 1,150 km apart: the map is that of the same islands moved 30 degrees to the west."""
    places = {"Suva": (178.4, -18.1), "Apia": (-171.8, -13.8), "Labasa": (179.4, -16.4), "Nukualofa": (-175.2, -21.1)}
    edges = [("Suva", "Apia"), ("Suva", "Labasa"), ("Nukualofa", "Suva")]
    drawing, other = mapped(places, edges), mapped({name: (x % 360 - 30, y) for name, (x, y) in places.items()}, edges)
    assert drawing["aspect"] == pytest.approx(other["aspect"], abs=1e-3)
    at = places_in(drawing)
    np.testing.assert_allclose([*at.values()], [*places_in(other).values()], rtol=0, atol=1e-3)
    assert (at["Suva"][0], at["Apia"][0]) == (0, 1)


def test_a_map_beyond_the_date_line_has_its_borders():
    """Anchorage and Nome, given west and east of Greenwich, lie between the same coasts."""
    west = {"Anchorage": (-149.9, 61.2), "Nome": (-165.4, 64.5)}
    east = {name: (x + 360, y) for name, (x, y) in west.items()}
    first, second = (mapped(places, [tuple(west)])["borders"] for places in (west, east))
    assert len(first)
    assert [len(line) for line in first] == pytest.approx([len(line) for line in second], abs=2)


def test_positions_that_are_no_map_are_drawn_as_they_are_and_flat_ones_stay_in_the_box():
    for place in ((0.0, 89.0), (500.0, 1.0)):
        drawing = mapped({"a": place, "b": (1.0, 0.0)}, [("a", "b")])
        assert (drawing["geographic"], drawing["borders"]) == (False, [])
    for places in ({"a": (3.0, 3.0), "b": (3.0, 3.0)}, {"a": (0.0, 0.0), "b": (9.0, 0.0)}):
        assert all(node["y"] == 0.5 for node in draw(SpanningTrees([("a", "b")]), positions=places)["nodes"])


def test_large_matrices_are_whole_and_sparse_pairs_of_more_rows_and_columns_are_bars():
    rows, columns = 40, 60
    whole = Matchings([(f"row {r}", c) for r in range(rows) for c in range(columns) if (r * c) % 8 != 7], "rows")
    sparse = Matchings([(k, k) for k in range(200)] + [(k, k + 1) for k in range(199)], "none")
    assert draw(whole)["kind"] == "heatmap"
    assert draw(sparse)["kind"] == "bars"
    assert len(draw(whole)["cells"]) == whole.d > MOST_ITEMS > sparse.d


def test_heat_maps_have_the_rows_and_columns_of_the_pairs():
    pairs = [("u", "x"), ("v", "x"), ("v", "y"), ("w", "z")]
    drawing = draw(Matchings(pairs, saturate="none"))
    shown = [(drawing["rows"][cell["row"]], drawing["columns"][cell["column"]]) for cell in drawing["cells"]]
    assert shown == pairs


def test_bars_have_the_groups_of_the_file():
    groups = ["crime", "drama", "crime"]
    description = {"family": "matroid", "theta": [1, 2, 3], "items": ["A", "B", "C"]}
    matroid = {"kind": "partition", "groups": groups, "capacities": 1}
    drawing = drawing_of(structure_of(instance_from_description(description | {"matroid": matroid})))
    assert drawing == {"kind": "bars", "groups": groups, "group_name": "group"}
    both = description | {"family": "intersection", "matroids": [{"kind": "uniform", "size": 2}, matroid]}
    assert drawing_of(structure_of(instance_from_description(both)))["groups"] == groups
    assert draw(MatroidBases(Partition(groups, 1)))["groups"] == ["group 1", "group 2", "group 1"]
    assert draw(MSets(3, 1))["groups"] is None


def test_graphs_too_large_to_be_laid_out_become_bars():
    graph = nx.path_graph(601)
    assert draw(SpanningTrees(graph))["kind"] == "bars"
    places = {node: (float(node), float(node % 7)) for node in graph}
    assert draw(SpanningTrees(graph), positions=places)["kind"] == "network"
    assert draw(Paths(list(graph.edges), 0, 600))["kind"] == "network"


def test_reports_need_no_matplotlib(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None; import semibandits as sb; "
        "sb.write_report(sys.argv[1], bound=sb.graves_lai(sb.SpanningTrees([(0, 1), (1, 2), (0, 2)]), [1, 2, 3]))"
    )
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "r.html"], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("", "")
    assert '"drawing":{"kind":"network",' in (tmp_path / "r.html").read_text(encoding="utf-8")
