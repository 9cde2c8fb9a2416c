"""Figures of plans: content, positions and colours, and that names do not overlap. Results are made by hand."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from semibandits import datasets
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidBases
from semibandits.decisions.msets import MSets
from semibandits.decisions.paths import Paths
from semibandits.decisions.spanning_trees import SpanningTrees
from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.matroids import Graphic, Partition, Uniform
from semibandits.plotting import plot_item_rates, plot_matching_plan, plot_network_plan, plot_plan
from semibandits.plotting.style import BEST, UNEXPLORED, rate_colours, rate_norm
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Status


def made_up(decision_set, theta, rates=None, value=12.5, gap=1e-5):
    """A result that explores the decisions other than the best at given rates, each listed decision in turn."""
    theta = np.asarray(theta, dtype=float)
    best = decision_set.maximize(theta)
    decisions = decision_set.enumerate()
    decisions = decisions[(decisions != best).any(axis=1)]
    rates = np.geomspace(1, 1000, len(decisions)) if rates is None else np.asarray(rates, dtype=float)
    plan = ExplorationPlan(decisions[rates > 0], rates[rates > 0])
    suboptimal = decisions.any(axis=0) & ~best
    lower = value * (1 - gap)
    variance = np.full(decision_set.d, 0.5)
    return GravesLaiResult(value, lower, Status.OPTIMAL, "cycles", plan, best, suboptimal, decision_set, theta, variance, {})


def axes():
    figure = Figure(figsize=(8, 7), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots()


def lines_of(ax, colour):
    """Segments of the collections drawn in one colour."""
    return [
        segment
        for collection in ax.collections
        if isinstance(collection, LineCollection)
        for segment, edge in zip(
            collection.get_segments(), np.resize(collection.get_edgecolor(), (len(collection.get_segments()), 4)), strict=True
        )
        if np.allclose(edge, to_rgba(colour))
    ]


GRAPH = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("c", "d"), ("b", "c"), ("x", "y")]
THETA = [1.0, 1.0, 0.5, 0.5, 0.1, 0.0, 0.0]
PLACES = {"a": (0, 0), "b": (1, 1), "c": (1, -1), "d": (2, 0), "x": (0, 2), "y": (2, 2)}


@pytest.fixture
def germany():
    instance = datasets.network("germany50").delay_dag("Saarbruecken", "Greifswald")
    decisions = instance.decision_set.enumerate()
    rates = np.where(np.arange(len(decisions) - 1) % 97 == 0, 1.0 + np.arange(len(decisions) - 1), 0.0)
    return instance, made_up(instance.decision_set, instance.theta, rates)


def test_links_are_drawn_at_their_positions_in_three_kinds():
    result = made_up(Paths(GRAPH, "a", "d"), THETA, rates=[1, 0, 0, 100])
    ax = plot_network_plan(result, PLACES, ax=axes())
    explored = result.suboptimal_items & (result.rates > 0)
    grey = lines_of(ax, UNEXPLORED)
    assert len(grey) == np.sum(~explored & ~result.optimal_decision)
    assert any(np.array_equal(segment, [PLACES["x"], PLACES["y"]]) for segment in grey)
    best = lines_of(ax, BEST)
    assert {tuple(map(tuple, segment)) for segment in best} == {((0, 0), (1, 1)), ((1, 1), (2, 0))}
    coloured = lines_of(ax, rate_colours()(1.0))
    assert len(coloured) >= 1


def test_width_and_colour_grow_with_the_rate(germany):
    instance, result = germany
    ax = plot_network_plan(result, instance.positions, ax=axes(), geographic=True)
    collection = max(
        (c for c in ax.collections if isinstance(c, LineCollection)), key=lambda c: len(np.unique(c.get_linewidth()))
    )
    widths = np.asarray(collection.get_linewidth())
    explored = result.suboptimal_items & (result.rates > 0)
    rates = np.sort(result.rates[explored])
    assert len(widths) == len(rates)
    assert (np.diff(widths) >= 0).all()
    assert widths[-1] > 2 * widths[0]
    np.testing.assert_allclose(collection.get_edgecolor(), rate_colours()(rate_norm(rates)(rates)))


def test_parallel_links_do_not_cover_each_other():
    result = made_up(Paths(GRAPH, "a", "d"), THETA)
    ax = plot_network_plan(result, PLACES, ax=axes())
    bent = [segment for c in ax.collections if isinstance(c, LineCollection) for segment in c.get_segments() if len(segment) > 2]
    assert len(bent) == 2
    middles = [segment[len(segment) // 2] for segment in bent]
    assert np.linalg.norm(middles[0] - middles[1]) > 0.1


def test_maps_have_one_scale_in_both_directions(germany):
    instance, result = germany
    ax = plot_network_plan(result, instance.positions, ax=axes(), geographic=True)
    latitudes = [instance.positions[node][1] for node in result.decision_set.nodes]
    assert ax.get_aspect() == pytest.approx(1 / np.cos(np.radians(np.mean(latitudes))))
    assert 1.5 < ax.get_aspect() < 1.7


def boxes_of(ax):
    ax.figure.canvas.draw()
    names = [child for child in ax.get_children() if isinstance(child, Annotation)]
    return {name.get_text(): name.get_window_extent() for name in names}


def test_names_on_the_map_of_germany_do_not_collide(germany):
    instance, result = germany
    ax = plot_network_plan(result, instance.positions, ax=axes(), geographic=True)
    boxes = boxes_of(ax)
    assert set(boxes) == set(map(str, result.decision_set.nodes))
    names = list(boxes)
    for i, name in enumerate(names):
        for other in names[:i]:
            a, b = boxes[name], boxes[other]
            width = min(a.x1, b.x1) - max(a.x0, b.x0)
            height = min(a.y1, b.y1) - max(a.y0, b.y0)
            assert width <= 0.5 or height <= 0.5, (name, other)


def test_names_stand_beside_their_nodes(germany):
    instance, result = germany
    ax = plot_network_plan(result, instance.positions, ax=axes(), geographic=True)
    for name, box in boxes_of(ax).items():
        x, y = ax.transData.transform(instance.positions[name])
        distance = np.hypot(max(box.x0 - x, 0, x - box.x1), max(box.y0 - y, 0, y - box.y1))
        assert 1 < distance < 25, name


def test_ends_are_larger_and_bold():
    ax = plot_network_plan(made_up(Paths(GRAPH, "a", "d"), THETA), PLACES, ax=axes())
    names = {child.get_text(): child for child in ax.get_children() if isinstance(child, Annotation)}
    assert names["a"].get_fontsize() == names["d"].get_fontsize() > names["b"].get_fontsize()
    assert names["a"].get_fontweight() == "bold"


def test_chosen_labels_and_many_nodes():
    result = made_up(Paths(GRAPH, "a", "d"), THETA)
    ax = plot_network_plan(result, PLACES, {"b": "Bonn"}, ax=axes())
    assert set(boxes_of(ax)) == {"Bonn"}
    ladder = [(k, k + 1) for k in range(100)] + [(0, 100)]
    ax = plot_network_plan(made_up(Paths(ladder, 0, 100), np.ones(101)), ax=axes())
    assert set(boxes_of(ax)) == {"0", "100"}


def test_dense_networks_get_thin_strokes_and_the_best_path_on_top():
    thin, thick = ([(k, k + 1) for k in range(n)] + [(k, k + 2) for k in range(n - 1)] for n in (700, 20))
    drawn = {}
    for name, arcs in (("thin", thin), ("thick", thick)):
        last = max(head for _, head in arcs)
        paths = Paths(arcs, 0, last)
        theta = np.array([1.0 if head == tail + 1 else 0.5 for tail, head in arcs])
        best = paths.maximize(theta)
        other = paths.maximize(-theta)
        plan = ExplorationPlan(other[np.newaxis], np.ones(1))
        result = GravesLaiResult(1.0, 1.0, Status.OPTIMAL, "cycles", plan, best, other & ~best, paths, theta, theta, {})
        ax = plot_network_plan(result, ax=axes())
        collections = [c for c in ax.collections if isinstance(c, LineCollection) and len(c.get_segments())]
        front = max(collections, key=lambda c: c.get_zorder())
        drawn[name] = (max(max(c.get_linewidth()) for c in collections), np.allclose(front.get_edgecolor(), to_rgba(BEST)))
    assert drawn["thin"][0] < 0.6 * drawn["thick"][0]
    assert drawn["thin"][1]
    assert not drawn["thick"][1]


def test_title_tells_the_bound_and_how_sure_it_is():
    paths = Paths(GRAPH, "a", "d")
    assert plot_plan(made_up(paths, THETA), ax=axes(), unit="ms").get_title() == "C(θ) = 12.5 ms per ln T, certified gap 1e-5"
    assert "certified within 20%" in plot_plan(made_up(paths, THETA, gap=0.2), ax=axes()).get_title()
    assert "in closed form" in plot_plan(made_up(paths, THETA, gap=0.0), ax=axes()).get_title()
    open_ended = made_up(paths, THETA)
    open_ended = GravesLaiResult(**{**vars(open_ended), "value": np.inf})
    assert plot_plan(open_ended, ax=axes()).get_title() == "C(θ) ≥ 12.5 per ln T"


@pytest.mark.parametrize(
    ("decision_set", "theta"),
    [
        (Paths(GRAPH, "a", "d"), THETA),
        (SpanningTrees([("a", "b"), ("b", "c"), ("a", "c")]), [3, 2, 1]),
        (Matchings([(r, c) for r in range(3) for c in range(3)]), np.eye(3).ravel()),
        (MSets(6, 2), np.arange(6)),
    ],
)
def test_an_axis_given_is_the_only_one_touched(decision_set, theta, monkeypatch):
    """No pyplot figure is made, and pyplot is not needed."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    ax = axes()
    assert plot_plan(made_up(decision_set, theta), ax=ax) is ax
    ax.figure.canvas.draw()


def test_without_an_axis_a_figure_is_made():
    mpl.use("agg")
    from matplotlib import pyplot

    ax = made_up(MSets(4, 2), [4, 3, 2, 1]).plot()
    assert pyplot.get_fignums() == [ax.figure.number]
    pyplot.close(ax.figure)


def test_without_matplotlib_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SemibanditsError, match="run pip install matplotlib"):
        made_up(MSets(4, 2), [4, 3, 2, 1]).plot()


def test_nothing_explored_is_drawn_too():
    for decision_set, theta in (
        (Paths([("a", "b"), ("b", "c")], "a", "c"), [1, 1]),
        (MSets(2, 2), [1, 0]),
        (Matchings([(1, 1)]), [0]),
    ):
        ax = plot_plan(made_up(decision_set, theta, value=0.0, gap=0.0), ax=axes())
        assert ax.get_title() == "C(θ) = 0: no exploration needed"
        ax.figure.canvas.draw()


def test_matchings_are_a_heat_map():
    pairs = [(r, c) for r in "ABC" for c in "xyz" if (r, c) != ("A", "z")]
    result = made_up(Matchings(pairs), [3 if (r, c) in (("A", "x"), ("B", "y"), ("C", "z")) else 0 for r, c in pairs])
    ax = plot_plan(result, ax=axes())
    heat = ax.images[-1].get_array()
    assert heat.shape == (3, 3)
    for i, (r, c) in enumerate(pairs):
        drawn = heat["ABC".index(r), "xyz".index(c)]
        if result.suboptimal_items[i] and result.rates[i] > 0:
            assert drawn == pytest.approx(result.rates[i])
        else:
            assert np.ma.is_masked(drawn) or np.isnan(drawn)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["A", "B", "C"]
    assert len(ax.patches) == 3


@pytest.mark.parametrize(
    ("decision_set", "name"),
    [
        (SpanningTrees([(0, 1), (1, 2), (0, 2)]), "optimal tree"),
        (MatroidBases(Graphic([(0, 1), (1, 2), (0, 2)])), "optimal forest"),
        (MatroidIntersection(Graphic([(0, 1), (1, 2), (0, 2)]), Partition([1, 2, 2], 1)), "optimal tree"),
        (MatroidIntersection(Graphic([(0, 1), (1, 2), (0, 2)]), Uniform(3, 2)), "optimal forest"),
    ],
)
def test_whatever_consists_of_edges_can_be_drawn_as_a_network(decision_set, name):
    ax = plot_network_plan(made_up(decision_set, [3, 2, 1]), ax=axes())
    assert name in [text.get_text() for text in ax.get_legend().get_texts()]


def test_positions_and_labels_of_a_bound():
    result = made_up(Paths(GRAPH, "a", "d"), THETA)
    ax = result.plot(axes(), positions=PLACES, labels={"a": "start", "d": "end"}, unit="ms")
    assert {text.get_text() for text in ax.texts} == {"start", "end"}
    drawn = np.concatenate([collection.get_offsets() for collection in ax.collections if len(collection.get_offsets())])
    assert {tuple(place) for place in drawn.tolist()} >= set(PLACES.values())
    ax = result.plot(axes(), labels=[f"item {i}" for i in range(7)])  # names of items, which a network does not show
    assert {text.get_text() for text in ax.texts} == set("abcdxy")
    ax = made_up(Matchings([(0, 0), (0, 1), (1, 1)], "rows"), [1, 2, 3]).plot(axes(), labels={0: "zero"})
    assert [text.get_text() for text in ax.get_yticklabels()] == ["zero", "1"]
    ax = made_up(MSets(3, 1), [5, 1, 2]).plot(axes(), labels={1: "one"})
    assert {text.get_text() for text in ax.get_yticklabels()} == {"one", "2"}


def test_items_are_sorted_by_rate_and_the_optimal_ones_left_out():
    result = made_up(MSets(5, 1), [5, 1, 2, 3, 4], rates=[4, 2, 3, 1])
    ax = plot_item_rates(result, ax=axes(), labels=["best", "p", "q", "r", "s"])
    names = [text.get_text() for text in ax.get_yticklabels()]
    by_rate = sorted(zip(result.rates[1:], ["p", "q", "r", "s"], strict=True), reverse=True)
    assert names == [name for _, name in by_rate]
    dots = ax.collections[-1].get_offsets()
    np.testing.assert_allclose(dots[:, 0], [rate for rate, _ in by_rate])


def test_bad_input():
    result = made_up(MSets(4, 2), [4, 3, 2, 1])
    with pytest.raises(InvalidInputError, match="labels must have d = 4 entries, got 2"):
        plot_item_rates(result, ax=axes(), labels=["a", "b"])
    with pytest.raises(InvalidInputError, match=r"result must be a solution over Matchings, got MSets: use result.plot\(\)"):
        plot_matching_plan(result, ax=axes())
    with pytest.raises(InvalidInputError, match="the decisions must have items that are edges of a graph, got MSets"):
        plot_network_plan(result, ax=axes())
    with pytest.raises(InvalidInputError, match="positions must place every node, got none for 'b'"):
        plot_plan(made_up(Paths(GRAPH, "a", "d"), THETA), ax=axes(), positions={"a": (0, 0)})
    places = dict.fromkeys("abcdxy", (0.0, 0.0)) | {"b": (0.0, np.nan)}
    with pytest.raises(InvalidInputError, match=r"positions must be pairs .*, got \(0.0, nan\) for 'b'"):
        plot_plan(made_up(Paths(GRAPH, "a", "d"), THETA), ax=axes(), positions=places)


@pytest.mark.parametrize("latitude", [89.9, 120.0, 1e9])
def test_positions_that_are_no_map_are_drawn_as_they_are(latitude):
    places = {node: (float(v), latitude) for v, node in enumerate("abcdxy")}
    ax = plot_plan(made_up(Paths(GRAPH, "a", "d"), THETA), ax=axes(), positions=places, geographic=True)
    assert ax.get_aspect() == 1
