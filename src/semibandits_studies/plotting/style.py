"""Colours, titles and helpers shared by all figures. The colours are distinct under all common colour blindness.

A setting of matplotlib (`rcParams`) that the user changed holds; those at matplotlib's defaults are replaced by the values here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np

from semibandits.errors import InvalidInputError, SemibanditsError
from semibandits.formats.numbers import amount
from semibandits.formats.printable import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.cm import ScalarMappable
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import ListedColormap, Normalize
    from matplotlib.text import Text
    from matplotlib.ticker import LogLocator
    from matplotlib.transforms import BboxBase

    from semibandits._typing import FloatArray
    from semibandits.regret_bound.result import GravesLaiResult

BEST: Final = "#d1495b"
"""The optimal decision, which also has a different shape, so that colour is not the only cue."""
UNEXPLORED: Final = "#c9ced6"
INK: Final = "#1f2933"
RATE_LABEL: Final = "plays per ln T"
MOST_ROWS: Final = 40
SPARE: Final = 0.9
"""Largest share of the side of the axes that their label may take; panels that are drawn later may take some room."""
_SHARES: Final = (1.0, 0.85, 0.7, 0.6, 0.5)
"""Sizes of a legend that are tried, as shares of the size of the settings."""

# Dark enough on white, and distinct under protanopia and deuteranopia (tests measure both); dashes and markers differ as well.
_SOLID: Final = (0, ())
_LONG: Final = (0, (7, 1.6))
_DOTTED: Final = (0, (1.4, 1.4))
_MIXED: Final = (0, (6, 1.6, 1.4, 1.6))
LOOKS: Final = (
    ("#0072b2", _SOLID, "o"), ("#d55e00", _LONG, "s"), ("#44aa99", _MIXED, "^"), ("#332288", _DOTTED, "D"),
    ("#b2182b", _SOLID, "v"), ("#56b4e9", _LONG, "P"), ("#5aae61", _MIXED, "X"), ("#bb5566", _DOTTED, "<"),
    ("#e69f00", _SOLID, "p"), ("#762a83", _LONG, ">"),
)  # fmt: skip


def setting(name: str, ours: Any) -> Any:
    """A setting of matplotlib that the user changed, else ours."""
    matplotlib = _module("matplotlib")
    changed = matplotlib.rcParams[name]
    return ours if changed == matplotlib.rcParamsDefault[name] else changed


def ink() -> str:
    """Colour of lines that stand for no policy."""
    return str(setting("text.color", INK))


def pen(width: float) -> float:
    """Width of a stroke in points: `width`, scaled as the user scaled lines."""
    from matplotlib import rcParams, rcParamsDefault

    return float(width * rcParams["lines.linewidth"] / rcParamsDefault["lines.linewidth"])


def line_looks(k: int, given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Arguments of `Axes.plot` for line k: ours, those of the user's cycle of properties, and those given for it."""
    cycle = list(setting("axes.prop_cycle", ()))
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    colour, dashes, marker = LOOKS[k % len(LOOKS)]
    try:
        if not isinstance(given, Mapping):
            raise TypeError(f"{given!r}")
        chosen = normalize_kwargs(dict(given), Line2D)
        Line2D([], [], **chosen)
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must have arguments of Axes.plot, but matplotlib refuses them: {error}") from error
    looks = {"color": colour, "linestyle": dashes, "marker": marker, "linewidth": pen(1.9)}
    return looks | (cycle[k % len(cycle)] if cycle else {}) | chosen


def rate_colours() -> ListedColormap:
    """The user's colours of images, by default viridis, from faint to strong, without the end that is close to the background."""
    from matplotlib import colormaps, rcParams
    from matplotlib.colors import ListedColormap

    shades = np.linspace(0.94, 0.0, 256)
    return ListedColormap(colormaps[rcParams["image.cmap"]](1.0 - shades if on_dark() else shades), name="rates")


def on_dark() -> bool:
    """Whether figures have a dark background."""
    from matplotlib import rcParams
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(rcParams["figure.facecolor"])
    return alpha > 0 and 0.3 * red + 0.6 * green + 0.1 * blue < 0.5


def rate_norm(rates: FloatArray) -> Normalize:
    """Scale of positive rates: logarithmic if they span more than a factor of 20."""
    from matplotlib.colors import LogNorm, Normalize

    low, high = (float(rates.min()), float(rates.max())) if rates.size else (0.0, 1.0)
    if high > 20 * low > 0:
        return LogNorm(low, high)
    return Normalize(0.0, high)


def new_axes() -> Axes:
    """Axes of a new figure."""
    pyplot = _module("matplotlib.pyplot")
    layout = "tight" if pyplot.rcParams["figure.autolayout"] else "constrained"
    return cast("Axes", pyplot.subplots(figsize=setting("figure.figsize", (8.5, 7.0)), layout=layout)[1])


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise SemibanditsError("figures need matplotlib, which is not installed: run pip install matplotlib") from error


def literal(name: object) -> str:
    """A name for a figure: hidden characters become visible, and dollar signs do not start a formula."""
    return visible(str(name)).replace("$", r"\$")


def arrange(ax: Axes, *, trial: bool = False) -> float:
    """Lay out the figure, so that positions on it are final, and return its points per pixel.

    A figure without a layout engine is laid out once, but not for a trial, if texts of the axes leave it or meet other axes.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    engine = figure.get_layout_engine()
    if engine is None and not trial and all(each.get_subplotspec() is not None for each in figure.axes):
        from matplotlib.layout_engine import TightLayoutEngine

        box, others = ax.get_tightbbox() or ax.bbox, other_boxes(ax)
        if box.count_overlaps(others) or not all(is_inside(each, figure.bbox) for each in (box, *others)):
            engine = TightLayoutEngine()
    if engine is not None:
        engine.execute(figure)  # the layout alone; figure.draw_without_rendering() draws, too
    ax.apply_aspect()
    return 72.0 / figure.dpi


def other_boxes(ax: Axes) -> list[BboxBase]:
    """Boxes of the other axes of the figure with their texts, in pixels."""
    others = [each for each in ax.figure.axes if each.get_subplotspec() != ax.get_subplotspec()]
    return [box for each in others if (box := each.get_tightbbox()) is not None]


def is_inside(box: BboxBase, room: BboxBase) -> bool:
    """Whether a box lies in a room, both in pixels."""
    return bool(box.x0 >= room.x0 and box.y0 >= room.y0 and box.x1 <= room.x1 and box.y1 <= room.y1)


def write_texts(ax: Axes, title: str | None, usual: str, x: tuple[str, str] = ("", ""), y: tuple[str, str] = ("", "")) -> None:
    """Write the labels of the axes, each long or short, and the title, by default the usual one if it has room.

    To be called before what depends on the size of the axes, and again after what changes it.
    """
    ax.set_xlabel(x[0])
    ax.set_ylabel(y[0])
    text = ax.set_title(title or "")
    arrange(ax)
    fit(ax.xaxis.label, *x, SPARE * ax.bbox.width)
    fit(ax.yaxis.label, *y, SPARE * ax.bbox.height)
    if title is None:
        fit(text, usual, "", SPARE * ax.bbox.width)
    arrange(ax)


def fit(text: Text, long: str, short: str, room: float) -> None:
    """Write words that have room, in pixels, on one line or two: the long ones, else the short ones."""
    for words in (long, short):
        width = len(words) // 2
        while len(lines := textwrap.wrap(words, max(1, width), break_long_words=False)) > 2:
            width += 1
        for tried in (words, words.replace(" (", "\n(", 1), words.replace(", ", ",\n", 1), "\n".join(lines)):
            text.set_text(tried)
            box = text.get_window_extent()
            if (box.height if text.get_rotation() == 90 else box.width) <= room:
                return


def legend_inside(ax: Axes) -> None:
    """A legend that covers nothing if there is such a place, in a smaller font or several columns if it takes that."""
    from matplotlib import rcParams
    from matplotlib.collections import LineCollection
    from matplotlib.font_manager import FontProperties

    arrange(ax)
    size, tried = FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points(), []
    for share in _SHARES:
        for columns in (1, 2, 3):
            box = ax.legend(fontsize=share * size, ncols=columns).get_window_extent()
            bars = [each for each in ax.collections if isinstance(each, LineCollection)]
            paths = [(path, each) for each in bars for path in each.get_paths()] + [(line.get_path(), line) for line in ax.lines]
            lines = [path.transformed(drawn.get_transform()) for path, drawn in paths]
            dots = [dots.get_offset_transform().transform(dots.get_offsets()) for dots in ax.collections]
            near = box.expanded(1 / SPARE, 1 / SPARE)
            covered = sum(near.count_contains(path.vertices) + path.intersects_bbox(near, filled=False) for path in lines)
            covered += sum(near.count_contains(points) for points in dots)
            tried.append((not is_inside(box, ax.bbox), covered, -share, columns))
            if tried[-1][:2] == (False, 0):
                return
    *_, share, columns = min(tried)
    ax.legend(fontsize=-share * size, ncols=columns)


def legend_below(ax: Axes, handles: Sequence[Artist]) -> None:
    """A legend without a frame below the axis and its label, in as many columns as have room."""
    from matplotlib.transforms import ScaledTranslation

    scale, figure = arrange(ax), ax.figure
    box = ax.get_tightbbox()
    down = 0.0 if box is None else (ax.bbox.y0 - box.y0) * scale / 72
    below = ax.transAxes + ScaledTranslation(0, -down, figure.dpi_scale_trans)
    for columns in range(len(handles), 0, -1):
        legend = ax.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=below, ncols=columns, frameon=False
        )
        if legend.get_window_extent().width <= ax.bbox.width:
            break
    arrange(ax)


def rate_bar(ax: Axes, drawn: ScalarMappable, **looks: Any) -> Colorbar:
    """A colour bar of rates."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import LogLocator

    bar = ax.figure.colorbar(drawn, ax=ax, label=RATE_LABEL, **looks)
    if isinstance(drawn.norm, LogNorm):
        bar.set_ticks(LogLocator(subs=(1.0, 2.0, 5.0)))
    bar.minorticks_off()
    number_ticks(bar.ax.yaxis)
    return bar


def number_ticks(*axes: Axis) -> None:
    """Write ticks as 0.1, 1 or 1,000 instead of powers of ten, as many as have room."""
    for axis in axes:
        if axis.get_scale() == "log":
            cast("LogLocator", axis.get_major_locator()).set_params(numticks=99)  # by default fewer on a short axis
        axis.set_major_formatter(partial(_tick, axis, plain_number))


def name_ticks(axis: Axis, names: Sequence[str], **looks: Any) -> None:
    """Write names at 0, 1, ..., as many as have room."""
    axis.set_ticks(range(len(names)))
    axis.set_tick_params(length=0)
    for label in axis.get_ticklabels():
        label.set(**looks)
    axis.set_major_formatter(partial(_tick, axis, partial(_name, names)))


def _name(names: Sequence[str], value: float) -> str:
    return names[int(value)]


def _tick(axis: Axis, words: Callable[[float], str], value: float, position: int | None = None) -> str:
    """A tick label; empty for all but each second, third, ... tick if more of them would touch.

    That at the right end is always written: its width changes the layout, which would change the number of labels.
    """
    from matplotlib.textpath import TextToPath

    ax, label, ends = axis.axes, axis.get_major_ticks(1)[0].label1, sorted(axis.get_view_interval())
    values = [each for each in axis.get_majorticklocs().tolist() if ends[0] <= each <= ends[1]]
    if position is None or value not in values:
        return words(value)
    is_row, to_page = axis is ax.xaxis, axis.get_transform().transform
    length = (ax.bbox.width if is_row else ax.bbox.height) * 72.0 / ax.figure.dpi
    places = to_page(np.array(values)) * length / np.ptp(to_page(np.array(ends)))
    sizes = np.full(len(values), label.get_fontsize())
    if is_row and not label.get_rotation():
        font, measure = label.get_fontproperties(), TextToPath().get_text_width_height_descent
        sizes = sizes / 2 + [measure(words(each), font, False)[0] for each in values]
    if is_row:
        values, places, sizes = values[::-1], places[::-1], sizes[::-1]
    step = 1
    while (np.abs(np.diff(places[::step])) < (sizes[::step][1:] + sizes[::step][:-1]) / 2).any():
        step += 1
    return "" if values.index(value) % step else words(value)


def name_rows(ax: Axes, names: Sequence[object], done: str) -> int:
    """Name rows of a list from top to bottom, at most 40 and as many as have room, and count the rest, each `done` less often."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size=rcParams["ytick.labelsize"]).get_size_in_points()
    shown = int(np.clip(arrange(ax) * ax.bbox.height / (1.15 * size), 1, min(MOST_ROWS, len(names))))
    ax.set_yticks(range(shown), list(map(literal, names[:shown])))
    ax.set_ylim(shown - 0.3, -0.7)
    if len(names) > shown:
        words = f"and {len(names) - shown:,} more items, each {done} less often"
        text = ax.text(0.99, 0.01, words, transform=ax.transAxes, ha="right", va="bottom", fontsize="small")
        arrange(ax)
        fit(text, words, f"and {len(names) - shown:,} more", 0.7 * ax.bbox.width)
    draw_frame(ax, "x")
    return shown


def draw_frame(ax: Axes, grid: Literal["x", "both"]) -> None:
    """Grid lines behind the data, and no spines at the top and on the right."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis=grid, color=setting("grid.color", UNEXPLORED), linewidth=setting("grid.linewidth", 0.6))
    ax.set_axisbelow(True)


def bound_title(result: GravesLaiResult, unit: str) -> str:
    """C(θ) with the width of its bracket."""
    suffix = f" {literal(unit)}" if unit else ""
    if not np.isfinite(result.value):
        return f"C(θ) ≥ {result.lower:,.4g}{suffix} per ln T"
    if result.value == 0:
        return "C(θ) = 0: no exploration needed"
    gap, precision = result.gap, "in closed form"
    if gap > 0:
        precision = f"certified within {gap:.0%}" if gap >= 0.01 else f"certified gap {gap:.0e}".replace("e-0", "e-")
    return f"C(θ) = {result.value:,.4g}{suffix} per ln T, {precision}"


def plain_number(value: float, _: object = None) -> str:
    """A tick as 0.1, 1 or 1,000 instead of a power of ten."""
    return amount(value, digits=7)
