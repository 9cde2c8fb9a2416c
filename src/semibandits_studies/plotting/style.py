"""Colours, titles and helpers shared by all figures. The colours are distinct under all common colour blindness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits.errors import SemibanditsError
from semibandits.formats.numbers import amount
from semibandits.formats.printable import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap, Normalize

    from semibandits._typing import FloatArray
    from semibandits.regret_bound.result import GravesLaiResult

BEST: Final = "#d1495b"
"""The optimal decision, which also has a different shape, so that colour is not the only cue."""
UNEXPLORED: Final = "#c9ced6"
INK: Final = "#1f2933"
RATE_LABEL: Final = "plays per ln T"
MOST_ROWS: Final = 40


def rate_colours() -> ListedColormap:
    """Viridis from light to dark, without its palest end, which is invisible on white."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["viridis_r"](np.linspace(0.06, 1.0, 256)), name="rates")


def rate_norm(rates: FloatArray) -> Normalize:
    """Scale of positive rates: logarithmic if they span more than a factor of 20."""
    from matplotlib.colors import LogNorm, Normalize

    low, high = (float(rates.min()), float(rates.max())) if rates.size else (0.0, 1.0)
    if high > 20 * low > 0:
        return LogNorm(low, high)
    return Normalize(0.0, high)


def new_axes() -> Axes:
    """Axes of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise SemibanditsError("figures need matplotlib, which is not installed: run pip install matplotlib") from error
    return pyplot.subplots(figsize=(8.5, 7.0), layout="constrained")[1]


def literal(name: object) -> str:
    """A name for a figure: hidden characters become visible, and dollar signs do not start a formula."""
    return visible(str(name)).replace("$", r"\$")


def points_per_pixel(ax: Axes) -> float:
    """Lay out the figure, so that positions on it are final, and return its points per pixel."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)  # the layout alone; figure.draw_without_rendering() draws, too
    return 72.0 / figure.dpi


def name_rows(ax: Axes, names: Sequence[object], count: int, done: str) -> None:
    """Name the rows of a list from top to bottom, and count the rest of the `count` items, each `done` less often."""
    ax.set_yticks(range(len(names)), list(map(literal, names)))
    ax.set_ylim(len(names) - 0.3, -0.7)
    if count > len(names):
        text = f"and {count - len(names):,} more items, each {done} less often"
        ax.text(0.99, 0.01, text, transform=ax.transAxes, ha="right", va="bottom", color=INK, fontsize="small")
    ax.grid(axis="x", color=UNEXPLORED, linewidth=0.6)


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
