"""Figures of plans: content, positions and colours, and that names do not overlap. Results are made by hand."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from drawn import axes, boxes_of, line_collections, lines_of, names_of, overlapping, texts
from matplotlib.colors import to_rgba

import semibandits as sb
from semibandits import GravesLaiResult, Matchings, MatroidIntersection, MSets, Paths, SpanningTrees
from semibandits.matroids import Graphic, Partition, Uniform
from semibandits.plotting import plot_item_rates, plot_network_plan, plot_plan
from semibandits.regret_bound.result import Status
from semibandits_studies.plotting.style import BEST, UNEXPLORED, rate_colours, rate_norm


def made_up(decision_set, theta, rates=None, value=12.5, gap=1e-5):
    """A result that explores the decisions other than the best at given rates, each listed decision in turn."""
    theta = np.asarray(theta, dtype=float)
    best = decision_set.maximize(theta)
    decisions = decision_set.enumerate()
    decisions = decisions[(decisions != best).any(axis=1)]
    rates = np.geomspace(1, 1000, len(decisions)) if rates is None else np.asarray(rates, dtype=float)
    plan = sb.ExplorationPlan(decisions[rates > 0], rates[rates > 0])
    suboptimal = decisions.any(axis=0) & ~best
    lower = value * (1 - gap)
    variance = np.full(decision_set.d, 0.5)
    return GravesLaiResult(value, lower, Status.OPTIMAL, "cycles", plan, best, suboptimal, decision_set, theta, variance, {})


GRAPH = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("c", "d"), ("b", "c"), ("x", "y")]
THETA = [1.0, 1.0, 0.5, 0.5, 0.1, 0.0, 0.0]
PLACES = {"a": (0, 0), "b": (1, 1), "c": (1, -1), "d": (2, 0), "x": (0, 2), "y": (2, 2)}


def small(**options):
    return made_up(Paths(GRAPH, "a", "d"), THETA, **options)


@pytest.fixture(scope="module")
def germany():
    """Positions, a result, and its figure, with the boxes of names."""
    instance = sb.datasets.network("germany50").delay_dag("Saarbruecken", "Greifswald")
    decisions = instance.decision_set.enumerate()
    rates = np.where(np.arange(len(decisions) - 1) % 97 == 0, 1.0 + np.arange(len(decisions) - 1), 0.0)
    result = made_up(instance.decision_set, instance.theta, rates)
    ax = plot_network_plan(result, instance.positions, ax=axes(), geographic=True)
    return instance.positions, result, ax, boxes_of(ax)


def test_links_are_drawn_at_their_positions_in_three_kinds():
    result = small(rates=[1, 0, 0, 100])
    ax = plot_network_plan(result, PLACES, ax=axes())
    explored = result.suboptimal_items & (result.rates > 0)
    grey = lines_of(ax, UNEXPLORED)
    assert len(grey) == np.sum(~explored & ~result.optimal_decision)
    assert any(np.array_equal(segment, [PLACES["x"], PLACES["y"]]) for segment in grey)
    assert {tuple(map(tuple, segment)) for segment in lines_of(ax, BEST)} == {((0, 0), (1, 1)), ((1, 1), (2, 0))}
    assert lines_of(ax, rate_colours()(1.0))


def test_width_and_colour_grow_with_the_rate(germany):
    _, result, ax, _ = germany
    collection = max(line_collections(ax), key=lambda one: len(np.unique(one.get_linewidth())))
    widths = np.asarray(collection.get_linewidth())
    explored = result.suboptimal_items & (result.rates > 0)
    rates = np.sort(result.rates[explored])
    assert len(widths) == len(rates)
    assert (np.diff(widths) >= 0).all()
    assert widths[-1] > 2 * widths[0]
    np.testing.assert_allclose(collection.get_edgecolor(), rate_colours()(rate_norm(rates)(rates)))


def test_parallel_links_do_not_cover_each_other_and_ends_are_larger_and_bold():
    ax = plot_network_plan(small(), PLACES, ax=axes())
    one, other = (segment for c in line_collections(ax) for segment in c.get_segments() if len(segment) > 2)
    assert np.linalg.norm(one[len(one) // 2] - other[len(other) // 2]) > 0.1
    names = {name.get_text(): name for name in names_of(ax)}
    assert names["a"].get_fontsize() == names["d"].get_fontsize() > names["b"].get_fontsize()
    assert names["a"].get_fontweight() == "bold"


def test_maps_have_one_scale_in_both_directions(germany):
    positions, result, ax, _ = germany
    latitudes = [positions[node][1] for node in result.decision_set.nodes]
    assert ax.get_aspect() == pytest.approx(1 / np.cos(np.radians(np.mean(latitudes))))
    assert 1.5 < ax.get_aspect() < 1.7


def test_names_on_the_map_of_germany_do_not_collide_and_stand_beside_their_nodes(germany):
    positions, result, ax, boxes = germany
    assert set(boxes) == set(map(str, result.decision_set.nodes))
    assert overlapping(boxes, slack=0.5) == []
    for name, box in boxes.items():
        x, y = ax.transData.transform(positions[name])
        distance = np.hypot(max(box.x0 - x, 0, x - box.x1), max(box.y0 - y, 0, y - box.y1))
        assert 1 < distance < 25, name


def test_chosen_labels_and_many_nodes():
    assert texts(names_of(plot_network_plan(small(), PLACES, {"b": "Bonn"}, ax=axes()))) == ["Bonn"]
    ladder = [(k, k + 1) for k in range(100)] + [(0, 100)]
    ax = plot_network_plan(made_up(Paths(ladder, 0, 100), np.ones(101)), ax=axes())
    assert set(texts(names_of(ax))) == {"0", "100"}


def test_dense_networks_get_thin_strokes_and_the_best_path_on_top():
    widths, is_best_in_front = [], []
    for n in (700, 20):
        arcs = [(k, k + 1) for k in range(n)] + [(k, k + 2) for k in range(n - 1)]
        paths, theta = Paths(arcs, 0, n), np.repeat([1.0, 0.5], [n, n - 1])
        best, other = paths.maximize(theta), paths.maximize(-theta)
        plan = sb.ExplorationPlan(other[np.newaxis], np.ones(1))
        result = GravesLaiResult(1.0, 1.0, Status.OPTIMAL, "cycles", plan, best, other & ~best, paths, theta, theta, {})
        collections = line_collections(plot_network_plan(result, ax=axes()))
        front = max(collections, key=lambda one: one.get_zorder())
        widths.append(max(max(one.get_linewidth()) for one in collections))
        is_best_in_front.append(np.allclose(front.get_edgecolor(), to_rgba(BEST)))
    assert widths[0] < 0.6 * widths[1]
    assert is_best_in_front == [True, False]


def test_title_tells_the_bound_and_how_sure_it_is():
    titles = [
        plot_plan(result, ax=axes(), unit=unit).get_title()
        for result, unit in ((small(), "ms"), (small(gap=0.2), ""), (small(gap=0.0), ""), (replace(small(), value=np.inf), ""))
    ]
    assert titles == [
        "C(θ) = 12.5 ms per ln T, certified gap 1e-5", "C(θ) = 12.5 per ln T, certified within 20%",
        "C(θ) = 12.5 per ln T, in closed form", "C(θ) ≥ 12.5 per ln T",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decision_set", "theta", "value"),
    [
        (Paths(GRAPH, "a", "d"), THETA, 12.5),
        (SpanningTrees([("a", "b"), ("b", "c"), ("a", "c")]), [3, 2, 1], 12.5),
        (Matchings([(r, c) for r in range(3) for c in range(3)]), np.eye(3).ravel(), 12.5),
        (MSets(6, 2), np.arange(6), 12.5),
        (Paths([("a", "b"), ("b", "c")], "a", "c"), [1, 1], 0.0),
        (MSets(2, 2), [1, 0], 0.0),
        (Matchings([(1, 1)]), [0], 0.0),
    ],
)
def test_an_axis_given_is_the_only_one_touched_also_where_nothing_is_explored(decision_set, theta, value, monkeypatch):
    """No pyplot figure is made, and pyplot is not needed."""
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    ax = axes()
    assert plot_plan(made_up(decision_set, theta, value=value, gap=0.0), ax=ax) is ax
    ax.figure.canvas.draw()
    assert (ax.get_title() == "C(θ) = 0: no exploration needed") == (value == 0)


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
    assert texts(ax.get_yticklabels()) == ["A", "B", "C"]
    assert len(ax.patches) == 3


TRIANGLE = [(0, 1), (1, 2), (0, 2)]


@pytest.mark.parametrize(
    ("decision_set", "name"),
    [
        (SpanningTrees(TRIANGLE), "optimal tree"),
        (sb.MatroidBases(Graphic(TRIANGLE)), "optimal forest"),
        (MatroidIntersection(Graphic(TRIANGLE), Partition([1, 2, 2], 1)), "optimal tree"),
        (MatroidIntersection(Graphic(TRIANGLE), Uniform(3, 2)), "optimal forest"),
    ],
)
def test_whatever_consists_of_edges_can_be_drawn_as_a_network(decision_set, name):
    ax = plot_network_plan(made_up(decision_set, [3, 2, 1]), ax=axes())
    assert name in texts(ax.get_legend().get_texts())


def test_positions_and_labels_of_a_bound():
    result = small()
    ax = result.plot(axes(), positions=PLACES, labels={"a": "start", "d": "end"}, unit="ms")
    assert set(texts(ax.texts)) == {"start", "end"}
    drawn = np.concatenate([collection.get_offsets() for collection in ax.collections if len(collection.get_offsets())])
    assert {tuple(place) for place in drawn.tolist()} >= set(PLACES.values())
    ax = result.plot(axes(), labels=[f"item {i}" for i in range(7)])  # names of items, which a network does not show
    assert set(texts(ax.texts)) == set("abcdxy")
    ax = made_up(Matchings([(0, 0), (0, 1), (1, 1)], "rows"), [1, 2, 3]).plot(axes(), labels={0: "zero"})
    assert texts(ax.get_yticklabels()) == ["zero", "1"]
    ax = made_up(MSets(3, 1), [5, 1, 2]).plot(axes(), labels={1: "one"})
    assert set(texts(ax.get_yticklabels())) == {"one", "2"}


def test_items_are_sorted_by_rate_and_the_optimal_ones_left_out():
    result = made_up(MSets(5, 1), [5, 1, 2, 3, 4], rates=[4, 2, 3, 1])
    ax = plot_item_rates(result, ax=axes(), labels=["best", "p", "q", "r", "s"])
    rates, names = zip(*sorted(zip(result.rates[1:], "pqrs", strict=True), reverse=True), strict=True)
    assert texts(ax.get_yticklabels()) == [*names]
    np.testing.assert_allclose(ax.collections[-1].get_offsets()[:, 0], rates)


@pytest.mark.parametrize("latitude", [89.9, 120.0, 1e9])
def test_positions_that_are_no_map_are_drawn_as_they_are(latitude):
    places = {node: (float(v), latitude) for v, node in enumerate("abcdxy")}
    ax = plot_plan(small(), ax=axes(), positions=places, geographic=True)
    assert ax.get_aspect() == 1
