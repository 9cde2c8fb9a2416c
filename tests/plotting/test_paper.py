"""Figures of all sizes and styles: texts stay on the page and apart, and the settings of matplotlib hold."""

import pickle
from contextlib import contextmanager

import matplotlib as mpl
import numpy as np
import pytest
from cycler import cycler
from matplotlib import style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

import semibandits as sb
from semibandits.formats.numbers import amount
from semibandits.simulation.checkpoints import log_spaced
from semibandits_studies.plotting.regret import BOUND_LABEL, plot_regret
from semibandits_studies.plotting.style import LOOKS

NAMES = (
    "GLADE with shrunk means", "Thompson sampling", "CUCB", "KL-ESCB, budget 1,000", "OSSB(gamma=0.01)", "Identify",
    "Replay of last year", "Epsilon-greedy, 5 %", "ESCB, exact oracle",
)  # fmt: skip
STYLES = {
    "default": {}, "dark_background": "dark_background", "ggplot": "ggplot", "small": {"font.size": 6},
    "serif": {"font.family": "serif", "axes.labelsize": 8, "font.size": 8, "legend.fontsize": 7},
}  # fmt: skip
PAGES = {"column": ((3.3, 2.4), 1), "panels": ((7.0, 2.6), 2), "poster": ((33.0, 20.0), 1), "default": ((6.4, 4.8), 1)}
LAYOUTS = (None, "tight", "constrained")


def simulated(policies=2, horizon=100_000, replications=8, **changes):
    """Policies with long names and regret of all shapes, and plays of twelve items."""
    rounds, names, d = log_spaced(horizon, 8), NAMES[:policies], 12
    scatter = np.random.default_rng(1).uniform(1.0, 1.4, (replications, 1))
    growth = {name: (3 + 2 * k) * (1 + rounds / horizon * (k % 3)) for k, name in enumerate(names)}
    regret = {name: scatter * each * np.log(rounds) for name, each in growth.items()}
    plays = np.broadcast_to(rounds[:, None] // np.arange(1, d + 1) ** 3, (replications, len(rounds), d))
    made = {
        "policies": names, "checkpoints": rounds, "regret": regret, "reward": regret, "plays": dict.fromkeys(names, plays),
        "calls": dict.fromkeys(names, np.zeros((replications, len(rounds), 3), dtype=np.int64)),
        "items": [f"Frankfurt to Paris {i}" for i in range(d)], "lower_bound": 2.0, "rates": np.arange(d) * 20.0,
        "provenance": {},
    }  # fmt: skip
    return sb.SimulationResult(**made | changes)


def bound():
    cities = ["Frankfurt", "Paris", "London Heathrow", "Rome", "Madrid", "Oslo", "Wien", "Bern"]
    pairs = [(city, f"gate {gate}") for city in cities for gate in range(8)]
    return sb.graves_lai(sb.Matchings(pairs), np.random.default_rng(0).random(64))


def page(size=(3.3, 2.4), panels=1, layout=None):
    figure = Figure(figsize=size, layout=layout)
    FigureCanvasAgg(figure)
    return np.ravel(figure.subplots(1, panels)).tolist()


@contextmanager
def recorded(monkeypatch):
    """The texts that are drawn."""
    drawn, draw = [], Text.draw

    def noted(text, renderer, *args, **options):
        drawn.append(text)
        return draw(text, renderer, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Text, "draw", noted)
        yield drawn


def check_texts(figure, monkeypatch):
    """All texts are inside the figure, and no two cover each other by more than the blank margins of their lines."""
    with recorded(monkeypatch) as drawn:
        figure.canvas.draw()
    texts = [text for text in dict.fromkeys(drawn) if text.get_text()]
    boxes = [(text.get_text(), Text.get_window_extent(text), 0.2 * text.get_fontsize() * figure.dpi / 72) for text in texts]
    assert len(boxes) > 5
    for k, (name, box, blank) in enumerate(boxes):
        assert box.x0 >= -0.5, name
        assert box.y0 >= -0.5, name
        assert box.x1 <= figure.bbox.x1 + 0.5, name
        assert box.y1 <= figure.bbox.y1 + 0.5, name
        for other, there, blank_there in boxes[:k]:
            across = min(box.x1, there.x1) - max(box.x0, there.x0)
            down = min(box.y1, there.y1) - max(box.y0, there.y0)
            assert min(across, down) <= max(blank, blank_there), (name, other)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("chosen", STYLES)
@pytest.mark.parametrize("size", PAGES)
@pytest.mark.parametrize("policies", [2, 9])
def test_texts_stay_on_the_page_and_apart(policies, size, chosen, layout, monkeypatch):
    result = simulated(policies)
    with style.context([STYLES[chosen], {"font.size": 40} if size == "poster" else {}]):
        axes = page(*PAGES[size], layout)
        result.plot(axes[0])
        if len(axes) == 2:
            result.plot_exploration(NAMES[1], axes[1])
        check_texts(axes[0].figure, monkeypatch)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("chosen", STYLES)
def test_texts_of_explorations_and_plans_in_a_column(chosen, layout, monkeypatch):
    listed = sb.graves_lai(sb.MSets(60, 5), np.linspace(0, 1, 60))
    for draw in (
        lambda ax: simulated().plot_exploration(NAMES[0], ax),
        lambda ax: simulated(rates=None, lower_bound=None).plot_exploration(NAMES[0], ax),
        lambda ax: simulated(lower_bound=1e7, lower_bound_interval=None).plot(ax),
        lambda ax: bound().plot(ax, unit="minutes"),
        lambda ax: listed.plot(ax, unit="minutes"),
    ):
        with style.context(STYLES[chosen]):
            (ax,) = page(layout=layout)
            draw(ax)
            check_texts(ax.figure, monkeypatch)


def colours_of(ax):
    return [to_hex(line.get_color()) for line in ax.lines[: len(ax.lines) - 1]]


def test_settings_of_matplotlib_hold_and_ours_stand_for_those_at_their_defaults():
    result = simulated()
    ax = result.plot(page((8, 7))[0])
    assert colours_of(ax) == [colour for colour, *_ in LOOKS[:2]]
    chosen = {
        "axes.prop_cycle": cycler(color=["#123456", "#654321"]), "lines.linewidth": 3.0, "lines.markersize": 2.0,
        "grid.color": "#00ff00", "grid.linewidth": 2.5, "legend.fontsize": 5, "axes.titlesize": 7, "axes.labelsize": 6,
        "text.color": "#0000ff",
    }  # fmt: skip
    with mpl.rc_context(chosen):
        theirs = result.plot(page((8, 7), layout="constrained")[0])
    assert colours_of(theirs) == ["#123456", "#654321"]
    assert [theirs.lines[k].get_linewidth() / ax.lines[k].get_linewidth() for k in range(3)] == pytest.approx([2.0] * 3)
    assert {line.get_markersize() for line in theirs.lines[:2]} == {2.0}
    assert {to_hex(line.get_color()) for line in theirs.get_xgridlines()} == {"#00ff00"}
    assert theirs.get_xgridlines()[0].get_linewidth() == 2.5
    assert theirs.title.get_fontsize() == 7
    assert theirs.xaxis.label.get_fontsize() == theirs.yaxis.label.get_fontsize() == 6
    assert {text.get_fontsize() for text in theirs.texts} == {5}
    assert to_hex(theirs.lines[2].get_color()) == "#0000ff"


def test_a_figure_of_its_own_has_the_size_of_the_settings_if_they_were_changed():
    with mpl.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        for size, expected in ((None, (8.5, 7.0)), ((3.3, 2.4), (3.3, 2.4))):
            with mpl.rc_context({} if size is None else {"figure.figsize": size}):
                ax = simulated().plot()
            assert tuple(ax.figure.get_size_inches()) == expected
            pyplot.close(ax.figure)


def test_maps_of_colours_follow_the_settings_and_the_background():
    images = {}
    for name, settings in (("ours", {}), ("dark", {"figure.facecolor": "black"}), ("theirs", {"image.cmap": "magma"})):
        with mpl.rc_context(settings):
            ax = bound().plot(page()[0])
        images[name] = ax.images[1].cmap([0.0, 1.0])
    light = {name: ends[:, :3] @ np.array([0.3, 0.6, 0.1]) for name, ends in images.items()}
    assert light["ours"][0] > light["ours"][1]
    assert light["dark"][0] < light["dark"][1]
    assert not np.allclose(images["theirs"], images["ours"])


def test_names_stand_at_the_ends_of_lines_where_they_fit_and_else_in_a_legend():
    wide, narrow = (simulated().plot(page(size, layout="constrained")[0]) for size in ((8, 7), (3.3, 2.4)))
    names = [*NAMES[:2], BOUND_LABEL]
    assert [text.get_text() for text in wide.texts] == names
    assert wide.get_legend() is None
    assert len(narrow.texts) == 0
    assert [text.get_text() for text in narrow.get_legend().get_texts()] == names


def test_a_legend_covers_no_line_where_there_is_room():
    ax = simulated().plot(page(layout="constrained")[0])
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert not any(line.get_path().transformed(line.get_transform()).intersects_bbox(box, filled=False) for line in ax.lines)


def test_names_stay_apart_when_the_figure_changes_its_size_and_figures_can_be_pickled(monkeypatch):
    ax = simulated(9).plot(page((8, 7), layout="constrained")[0])
    for size in ((8, 4), (6, 9)):
        ax.figure.set_size_inches(size)
        check_texts(ax.figure, monkeypatch)
    assert len(pickle.loads(pickle.dumps(ax.figure)).axes[0].texts) == 10


def test_titles():
    result = simulated()
    usual = result.plot(page((8, 7))[0]).get_title()
    assert usual == "Regret over 8 replications, with pointwise 95 % confidence bands"
    assert result.plot(page((5, 4))[0]).get_title().replace("\n", " ") == usual
    for draw in (result.plot, bound().plot, lambda ax, **o: result.plot_exploration(NAMES[0], ax, **o)):
        assert draw(page((3.0, 2.4), layout="constrained")[0]).get_title() == ""
        assert draw(page((8, 7))[0], title="").get_title() == ""
        assert draw(page((8, 7))[0], title="Ours, $x$").get_title() == "Ours, $x$"


def test_styles_of_policies():
    styles = {"CUCB": {"c": "black", "ls": ":", "label": "upper bounds"}}
    ax = simulated(3).plot(page((8, 7))[0], styles=styles)
    line = ax.lines[2]
    assert (line.get_color(), line.get_linestyle(), line.get_label()) == ("black", ":", "upper bounds")
    assert "upper bounds" in [text.get_text() for text in ax.texts] + [text.get_text() for text in ax.get_legend().get_texts()]
    assert to_hex(ax.lines[0].get_color()) == LOOKS[0][0]
    ax = simulated(3).plot_exploration("CUCB", page((8, 7))[0], styles=styles)
    (dots,) = (dots for dots in ax.collections if dots.get_label() == "item")
    assert to_hex(dots.get_facecolor()[0, :3]) == "#000000"


def test_the_line_of_the_bound():
    problem = sb.MSets(12, 3)
    theta = np.linspace(0.1, 0.9, 12)
    gaussian, counts = sb.graves_lai(problem, theta), sb.graves_lai(problem, theta, law="bernoulli")
    of_gaussian = simulated(provenance={"law": {"name": "gaussian"}})
    unknown = simulated(lower_bound=None, provenance={"law": None})
    featured = simulated(lower_bound=None, provenance={"law": {"name": "gaussian"}, "no_bound": "too many"})

    def line(result, bound):
        last = result.plot(page()[0], bound=bound).lines[-1]
        return last.get_label(), last.get_ydata()[-1] / np.log(result.horizon)

    assert line(of_gaussian, None) == line(of_gaussian, True) == (BOUND_LABEL, pytest.approx(2.0))
    assert line(of_gaussian, gaussian) == (BOUND_LABEL, pytest.approx(gaussian.lower))
    assert line(of_gaussian, counts) == (f"{BOUND_LABEL}, Bernoulli", pytest.approx(counts.lower))
    assert line(unknown, gaussian) == (f"{BOUND_LABEL}, Gaussian", pytest.approx(gaussian.lower))
    assert line(featured, gaussian) == (f"{BOUND_LABEL}, without features", pytest.approx(gaussian.lower))
    assert line(unknown, 12.5) == ("12.5 ln T", pytest.approx(12.5))
    # One that would press the policies to the axis is only named, unless it is asked for.
    far = simulated(lower_bound=1e7, lower_bound_interval=None)
    ax = far.plot(page()[0])
    assert ax.lines[-1].get_label() == f"{BOUND_LABEL}: {amount(1e7 * np.log(far.horizon))}"
    assert ax.lines[-1].get_xydata().tolist() == [[far.horizon, ax.get_ylim()[1]]]
    assert line(far, True) == (BOUND_LABEL, pytest.approx(1e7))
    for result, bound in ((of_gaussian, False), (unknown, None), (unknown, False)):
        assert len(result.plot(page()[0], bound=bound).lines) == 2


def test_few_ticks_on_a_short_logarithmic_axis():
    for width, expected in ((3.3, ["10", "1,000", "100,000"]), (9.0, ["1", "10", "100", "1,000", "10,000", "100,000"])):
        ax = plot_regret(simulated(), page((width, 2.4), layout="constrained")[0], title="", bound=False)
        ax.figure.canvas.draw()
        assert [
            label.get_text() for label in ax.get_xticklabels() if label.get_text() not in ("", "0.1", "1,000,000")
        ] == expected
