"""How often a policy played each item, against what the plan of the bound asks for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.plotting.labels import place_labels
from semibandits.plotting.style import BEST, INK, UNEXPLORED, literal, new_axes, plain_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from semibandits.simulation.results import SimulationResult
    from semibandits.simulation.statistics import Band

MOST_LABELS: Final = 8
MOST_ROWS: Final = 40
LINEAR_PART: Final = 0.4
"""Length of the part from 0 to 1 play, in decades."""
COLOUR: Final = "#0072b2"
PLAN_LABEL: Final = "plays = w ln T"


def plot_exploration(result: SimulationResult, policy: str, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw how often each item was played up to the horizon, against w ln T where the rates w are known.

    Parameters
    ----------
    result : SimulationResult
        What to draw. Without rates the items are listed by their plays.
    policy : str
        Name of the policy.
    ax : Axes, optional
        Where to draw; by default a new figure.
    level : float
        Confidence level of the bars, strictly between 0 and 1.

    Returns
    -------
    Axes
        The axis drawn on. Both of its scales are logarithmic from one play on and linear below, so that items with
        rate 0 have a place. The items farthest from the line are named.

    Raises
    ------
    InvalidInputError
        If there is no such policy or level.
    """
    plays = result.item_plays(policy, level)
    ax = new_axes() if ax is None else ax
    if result.rates is None:
        _draw_rows(ax, result, plays)
    else:
        _draw_against_plan(ax, result, plays, result.rates * math.log(result.horizon))
    over = f", mean of {result.replications:,} replications" if result.replications > 1 else ""
    s = "" if result.horizon == 1 else "s"
    ax.set_title(f"{literal(policy)}: plays of items in {result.horizon:,} round{s}{over}", color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    return ax


def _draw_rows(ax: Axes, result: SimulationResult, plays: Band) -> None:
    """Dots with bars, from the most to the least played item."""
    order = np.argsort(-plays.mean, kind="stable")
    shown = order[:MOST_ROWS]
    rows = np.arange(len(shown))
    least = float(plays.mean[shown].min())
    ax.set_xscale("symlog", linthresh=1.0, linscale=LINEAR_PART)
    if result.replications > 1:
        ax.hlines(rows, plays.lower[shown], plays.upper[shown], color=COLOUR, linewidth=1.3)
    ax.scatter(plays.mean[shown], rows, s=40, color=COLOUR, zorder=3)
    ax.set_xlim(left=least / 2 if least >= 1 else -0.2)
    ax.xaxis.set_major_formatter(plain_number)
    ax.set_yticks(rows, [literal(result.items[i]) for i in shown])
    ax.set_ylim(len(shown) - 0.3, -0.7)
    ax.set_xlabel("plays (logarithmic axis from 1 on)")
    ax.set_ylabel("item")
    if len(order) > len(shown):
        text = f"and {len(order) - len(shown):,} more items, each played less often"
        ax.text(0.99, 0.01, text, transform=ax.transAxes, ha="right", va="bottom", color=INK, fontsize="small")
    ax.grid(axis="x", color=UNEXPLORED, linewidth=0.6)


def _draw_against_plan(ax: Axes, result: SimulationResult, plays: Band, planned: FloatArray) -> None:
    explored = np.ones(len(planned), dtype=np.bool_) if result.suboptimal_items is None else result.suboptimal_items
    others = ~explored & (plays.mean > 0)  # items in no decision are left out
    right, top = 3.0 * max(2.0, float(planned.max())), 3.0 * max(2.0, float(plays.mean.max()))
    ax.set_xscale("symlog", linthresh=1.0, linscale=LINEAR_PART)
    ax.set_yscale("symlog", linthresh=1.0, linscale=LINEAR_PART)
    ax.plot([0, right], [0, right], color=INK, linestyle=(0, (4, 3)), linewidth=1.3, label=PLAN_LABEL, zorder=2)
    explored_name = "item" if result.suboptimal_items is None else "suboptimal item"
    for chosen, colour, marker, name in (
        (explored, COLOUR, "o", explored_name),
        (others, BEST, "D", "item of an optimal decision"),
    ):
        if chosen.any():
            if result.replications > 1:
                ax.vlines(planned[chosen], plays.lower[chosen], plays.upper[chosen], color=colour, linewidth=1.2)
            ax.scatter(
                planned[chosen], plays.mean[chosen], s=34, marker=marker, color=colour, alpha=0.85,
                edgecolor="white", linewidth=0.6, zorder=3, label=name, clip_on=False,
            )  # fmt: skip
    ax.set_xlim(-0.7, right)
    ax.set_ylim(0.7 if plays.mean[explored | others].min(initial=1.0) >= 1 else -0.3, top)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(plain_number)
    ax.set_xlabel("plays that the plan asks for, w ln T (logarithmic axis from 1 on)")
    ax.set_ylabel("plays (logarithmic axis from 1 on)")
    ax.grid(color=UNEXPLORED, linewidth=0.6)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=3, frameon=False)
    _name_deviations(ax, result, plays.mean, planned, explored)


def _name_deviations(
    ax: Axes, result: SimulationResult, plays: FloatArray, planned: FloatArray, explored: BoolArray
) -> None:
    """Name the explored items farthest from the line, in square roots: a scale on which counts scatter alike."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    distance = np.where(explored, np.abs(np.sqrt(plays) - np.sqrt(planned)), -1.0)
    order: IntArray = np.argsort(-distance, kind="stable")
    named = [int(i) for i in order[:MOST_LABELS] if distance[i] > 0]
    page = ax.get_figure(root=True)
    assert page is not None
    page.draw_without_rendering()  # lays the page out: from here on, places on it are final
    scale = 72.0 / page.dpi  # points per pixel
    font = FontProperties(size=8.5)
    points = ax.transData.transform(np.column_stack([planned, plays])[order]) * scale
    measure = TextToPath().get_text_width_height_descent
    sizes = np.array([measure(literal(result.items[i]), font, False)[:2] for i in named]).reshape(-1, 2)
    ends = ax.transData.transform([(0.0, 0.0), (1.0, 1.0), (ax.get_xlim()[1],) * 2]) * scale
    segments = np.stack([ends[:-1], ends[1:]], axis=1)
    corners = place_labels(points, np.full(len(points), 3.5), sizes, segments, np.ones(2))
    for i, corner, point in zip(named, corners, points, strict=False):
        ax.annotate(
            literal(result.items[i]), xy=(planned[i], plays[i]), xytext=tuple(corner - point), textcoords="offset points",
            fontproperties=font, color=INK, ha="left", va="bottom", zorder=6, annotation_clip=False,
        )  # fmt: skip
