"""Figures of simulations: content and texts, that names do not overlap, and that nothing is wrongly called a bound."""

import io
import sys

import matplotlib as mpl
import numpy as np
import pytest
from drawn import axes, boxes_of, line_collections, names_of, overlapping, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.image import imread

from semibandits import MSets, SemibanditsError, SimulationResult, graves_lai
from semibandits.simulation.checkpoints import log_spaced
from semibandits_studies.plotting.exploration import MOST_LABELS, PLAN_LABEL, plot_exploration
from semibandits_studies.plotting.regret import BOUND_LABEL, plot_regret, spread
from semibandits_studies.plotting.style import BEST, LOOKS, MOST_ROWS

NAMES = tuple(f"policy {k}" for k in range(10))


def made_up(policies=3, replications=4, horizon=1000, d=6, bound=2.0, width=0.0, **changes):
    """Policy k has regret (3 + k width) ln t, scattered over replications, and plays each item in a share of rounds."""
    rounds = log_spaced(horizon, 5)
    names = NAMES[:policies]
    scatter = np.linspace(0.8, 1.2, replications)[:, np.newaxis] if replications > 1 else np.ones((1, 1))
    regret = {name: scatter * (3 + k * width) * np.log(rounds) for k, name in enumerate(names)}
    shape = (replications, len(rounds))
    made = {
        "policies": names, "checkpoints": rounds, "regret": regret, "reward": regret,
        "plays": {name: np.broadcast_to(rounds[:, None] // np.arange(1, d + 1), (*shape, d)) for name in names},
        "calls": {name: np.zeros((*shape, 3), dtype=np.int64) for name in names},
        "items": [f"item {i}" for i in range(d)], "lower_bound": bound, "rates": np.arange(d, dtype=float) * 10, "provenance": {},
    }  # fmt: skip
    return SimulationResult(**made | changes)


def plays_of(**options):
    return {name: plays.copy() for name, plays in made_up(**options).plays.items()}


def line_named(ax, label):
    return next(line for line in ax.lines if line.get_label() == label)


def bands_of(ax):
    """Vertices of the shaded bands."""
    return [c.get_paths()[0].vertices for c in ax.collections if isinstance(c, PolyCollection)]


def ends_of(band):
    """Its lowest and highest point at the horizon."""
    heights = band[band[:, 0] == 1000, 1]
    return [heights.min(), heights.max()]


def words_of(ax):
    legend = ax.get_legend()
    named = [*(legend.get_texts() if legend else []), *names_of(ax)]
    return " ".join([ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), *texts(named)])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("policies", [1, 2, 5, 10])
@pytest.mark.parametrize("replications", [1, 4])
def test_a_line_and_a_name_per_policy_and_the_bound(policies, replications):
    result = made_up(policies, replications, width=1.0)
    ax = plot_regret(result, ax=axes())
    boxes = boxes_of(ax)
    assert set(boxes) == {*result.policies, BOUND_LABEL}
    for policy in result.policies:
        line = line_named(ax, policy)
        np.testing.assert_array_equal(line.get_xdata(), result.checkpoints)
        np.testing.assert_allclose(line.get_ydata(), result.regret[policy].mean(axis=0))
    assert len(bands_of(ax)) == (policies if replications > 1 else 0)
    assert overlapping(boxes) == []


def test_the_bound_is_a_dashed_line_of_its_slope_and_its_certified_interval_is_shaded():
    ax = plot_regret(made_up(bound=2.0), ax=axes())
    line = line_named(ax, BOUND_LABEL)
    np.testing.assert_allclose(line.get_ydata(), 2.0 * np.log(line.get_xdata()))
    assert line.is_dashed()
    assert BOUND_LABEL == "C(θ) ln T"
    (band,) = bands_of(plot_regret(made_up(1, 1, lower_bound_interval=(1.5, 2.5)), ax=axes()))
    np.testing.assert_allclose(ends_of(band), np.array([1.5, 2.5]) * np.log(1000))
    for interval in (None, (2.0, 2.0), (2.0, np.inf)):
        assert bands_of(plot_regret(made_up(1, 1, lower_bound_interval=interval), ax=axes())) == []


def test_where_there_is_no_bound_none_is_drawn_or_named():
    ax = plot_regret(made_up(bound=None), ax=axes())
    assert len(ax.lines) == 3
    assert "C(" not in words_of(ax)
    assert "bound" not in words_of(ax).lower()


def test_bands_are_confidence_bands():
    result = made_up(1)
    ax = plot_regret(result, ax=axes(), level=0.8)
    (band,) = bands_of(ax)
    expected = result.bands(NAMES[0], 0.8)
    np.testing.assert_allclose(ends_of(band), [expected.lower[-1], expected.upper[-1]])
    assert "80 %" in ax.get_title()


def test_axes_are_named_with_units_and_rounds_are_logarithmic():
    ax = made_up().plot(axes(), unit="ms")
    assert ax.get_xscale() == "log"
    assert "round" in ax.get_xlabel()
    assert "regret (ms)" in ax.get_ylabel()
    assert ax.get_xlim() == (1, 1000)
    assert "4 replications" in ax.get_title()


def test_ten_policies_differ_in_more_than_colour():
    """How far apart the colours are, is tested for those of the report, which are the same."""
    ax = plot_regret(made_up(10), ax=axes())
    lines = [line_named(ax, name) for name in NAMES]
    assert len({line.get_color() for line in lines}) == len({line.get_marker() for line in lines}) == 10
    assert len({colour for colour, _, _ in LOOKS}) == 10
    luminances = [to_rgba(colour)[:3] @ np.array([0.2126, 0.7152, 0.0722]) for colour, _, _ in LOOKS]
    assert max(luminances) < 0.7  # all of them show on white


def test_names_of_equal_lines_do_not_collide_and_stand_in_the_order_of_their_ends():
    for width, bound in ((0.0, 2.0), (0.01, 2.0), (0.0, 3.0)):
        boxes = boxes_of(plot_regret(made_up(10, width=width, bound=bound), ax=axes()))
        assert overlapping(boxes) == []
        assert width == 0.0 or sorted(boxes, key=lambda name: boxes[name].y0) == [BOUND_LABEL, *NAMES]


def test_horizons_of_all_lengths_and_no_regret_at_all():
    for horizon in (1, 2, 10**9):
        plot_regret(made_up(horizon=horizon), ax=axes()).figure.canvas.draw()
        plot_exploration(made_up(horizon=horizon, rates=np.zeros(6)), NAMES[0], ax=axes()).figure.canvas.draw()
    nothing = {name: np.zeros((4, 16)) for name in NAMES[:3]}
    ax = plot_regret(made_up(regret=nothing, bound=0.0), ax=axes())
    ax.figure.canvas.draw()
    assert ax.get_ylim()[0] == 0


def test_the_image_opens():
    for ax in (made_up().plot(ax=axes()), made_up().plot_exploration(NAMES[1], ax=axes())):
        file = io.BytesIO()
        ax.figure.savefig(file, format="png", dpi=50)
        file.seek(0)
        image = imread(file)
        assert image.shape[:2] == (350, 400)
        assert len(np.unique(image.reshape(-1, 4), axis=0)) > 10


PLOTS = [made_up().plot, lambda: made_up().plot_exploration(NAMES[0]), lambda: graves_lai(MSets(4, 2), [4, 3, 2, 1]).plot()]


def test_a_figure_of_its_own():
    with mpl.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        for draw in PLOTS:
            ax = draw()
            assert ax.figure.number in pyplot.get_fignums()
            pyplot.close(ax.figure)


@pytest.mark.parametrize("missing", ["matplotlib", "matplotlib.pyplot"])
def test_figures_without_matplotlib(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delattr(mpl, "pyplot", raising=False)
    for draw in PLOTS:
        with pytest.raises(SemibanditsError, match="run pip install matplotlib"):
            draw()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 300).map(float), min_size=1, max_size=12))
def test_spread_heights_are_apart_in_limits_and_no_farther_than_needed(heights):
    heights = np.sort(heights)
    places = spread(heights, 12.0, 0.0, 300.0)
    assert (np.diff(places) >= 12.0 - 1e-9).all()
    assert places[0] >= -1e-9
    assert places[-1] <= 300.0 + 1e-9
    if (np.diff(heights) >= 12.0).all():
        np.testing.assert_allclose(places, heights)
    # Heights that do not all fit start at the bottom.
    np.testing.assert_allclose(spread(np.array([5.0, 5.0, 6.0]), 10.0, 2.0, 12.0), [2.0, 12.0, 22.0])


def dots_of(ax):
    return {c.get_label(): np.asarray(c.get_offsets()) for c in ax.collections if isinstance(c, PathCollection)}


def test_plays_against_the_plan():
    result = made_up()
    ax = plot_exploration(result, NAMES[2], ax=axes())
    (dots,) = dots_of(ax).values()
    np.testing.assert_allclose(dots[:, 0], np.arange(6) * 10 * np.log(1000))
    np.testing.assert_allclose(dots[:, 1], 1000 // np.arange(1, 7))
    line = line_named(ax, PLAN_LABEL)
    np.testing.assert_array_equal(line.get_xdata(), line.get_ydata())
    assert "w ln T" in ax.get_xlabel()
    assert "plays" in ax.get_ylabel()
    assert NAMES[2] in ax.get_title()


def test_items_of_rate_zero_are_seen():
    ax = plot_exploration(made_up(), NAMES[0], ax=axes())
    ax.figure.canvas.draw()
    (dots,) = dots_of(ax).values()
    assert dots[0, 0] == 0.0
    inside = ax.get_window_extent()
    for x, y in ax.transData.transform(dots):
        assert inside.x0 <= x <= inside.x1
        assert inside.y0 <= y <= inside.y1


def test_optimal_items_are_drawn_in_another_shape_and_unplayable_ones_not_at_all():
    plays = plays_of()
    plays[NAMES[0]][..., 5] = 0
    result = made_up(plays=plays, suboptimal_items=np.array([False, True, True, True, True, False]))
    ax = plot_exploration(result, NAMES[0], ax=axes())
    dots = dots_of(ax)
    assert set(dots) == {"suboptimal item", "item of an optimal decision"}
    np.testing.assert_allclose(dots["item of an optimal decision"], [[0.0, 1000.0]])
    assert len(dots["suboptimal item"]) == 4
    best = next(c for c in ax.collections if c.get_label() == "item of an optimal decision")
    np.testing.assert_allclose(best.get_facecolor()[0, :3], to_rgba(BEST)[:3])
    assert set(texts(names_of(ax))) <= {f"item {i}" for i in range(1, 5)}


def test_the_largest_deviations_are_named():
    """Forty items, all on the line but two."""
    plays = plays_of(d=40)
    plays[NAMES[0]][:, -1, [7, 20]] = 900, 1
    plays[NAMES[0]][:, :-1] = 0
    result = made_up(d=40, rates=1000 // np.arange(1, 41) / np.log(1000), plays=plays)
    boxes = boxes_of(plot_exploration(result, NAMES[0], ax=axes()))
    assert set(list(boxes)[:2]) == {"item 7", "item 20"}
    assert len(boxes) <= MOST_LABELS
    assert overlapping(boxes) == []


def test_bars_show_the_interval_over_replications():
    plays, values = plays_of(), np.array([333, 400, 500, 600])
    plays[NAMES[0]][:, -1, 2] = values
    (bars,) = line_collections(plot_exploration(made_up(plays=plays), NAMES[0], ax=axes()))
    half = 3.182446305284263 * values.std(ddof=1) / 2  # t quantile at 97.5 % with three degrees of freedom, from tables
    np.testing.assert_allclose(bars.get_segments()[2][:, 1], [values.mean() - half, values.mean() + half])
    assert line_collections(plot_exploration(made_up(replications=1), NAMES[0], ax=axes())) == []


@pytest.mark.parametrize("d", [6, 100])
def test_without_rates_items_are_listed_by_plays(d):
    ax = plot_exploration(made_up(rates=None, bound=None, d=d), NAMES[0], ax=axes())
    ax.figure.canvas.draw()
    shown = len(ax.get_yticks())
    assert min(d, MOST_ROWS - 4) <= shown <= min(d, MOST_ROWS)
    assert texts(ax.get_yticklabels()) == [f"item {i}" for i in range(shown)]
    (dots,) = dots_of(ax).values()
    np.testing.assert_allclose(dots[:, 0], 1000 // np.arange(1, shown + 1))
    assert any(f"{100 - shown} more items" in text for text in texts(ax.texts)) == (d == 100)
    assert "plan" not in words_of(ax)
