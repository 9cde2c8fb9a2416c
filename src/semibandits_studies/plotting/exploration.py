"""Plays of each item by a policy, compared with the plan of the bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits_studies.plotting.labels import name_points
from semibandits_studies.plotting.regret import policy_looks
from semibandits_studies.plotting.style import (
    BEST,
    draw_frame,
    ink,
    legend_inside,
    literal,
    name_rows,
    new_axes,
    number_ticks,
    pen,
    write_texts,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from semibandits.simulation.results import SimulationResult
    from semibandits.simulation.statistics import Band

MOST_LABELS: Final = 8
LINEAR_PART: Final = 0.4
"""Length of the axis from 0 to 1 play, in decades."""
PLAN_LABEL: Final = "plays = w ln T"
PLAYS: Final = ("plays (logarithmic above 1)", "plays")


def plot_exploration(
    result: SimulationResult,
    policy: str,
    ax: Axes | None = None,
    *,
    level: float = 0.95,
    title: str | None = None,
    styles: Mapping[str, Mapping[str, Any]] | None = None,
) -> Axes:
    """Draw :meth:`SimulationResult.plot_exploration`, with bars of a confidence level strictly between 0 and 1.

    Both scales are linear below one play, so that items with rate 0 are visible. The items farthest from the line are named.
    """
    plays, looks = result.item_plays(policy, level), policy_looks(result, styles)[policy]
    ax = new_axes() if ax is None else ax
    over = f", mean of {result.replications:,} replications" if result.replications > 1 else ""
    s = "" if result.horizon == 1 else "s"
    usual = f"{literal(policy)}: plays of items in {result.horizon:,} round{s}{over}"
    along = PLAYS if result.rates is None else ("plays of the plan, w ln T (logarithmic above 1)", "plays of the plan, w ln T")
    texts = (title, usual, along, ("item", "") if result.rates is None else PLAYS)
    write_texts(ax, *texts)
    if result.rates is None:
        _draw_rows(ax, result, plays, looks)
        write_texts(ax, *texts)
    else:
        planned = result.rates * math.log(result.horizon)
        explored = np.ones(len(planned), dtype=np.bool_) if result.suboptimal_items is None else result.suboptimal_items
        _draw_against_plan(ax, result, plays, planned, explored, looks)
        write_texts(ax, *texts)
        legend_inside(ax)
        if (legend := ax.get_legend()) is not None:  # it would give way to names
            legend.set_loc(tuple(ax.transAxes.inverted().transform(legend.get_window_extent().p0)))
        _name_deviations(ax, result, plays.mean, planned, explored)
    return ax


def _draw_rows(ax: Axes, result: SimulationResult, plays: Band, looks: Mapping[str, Any]) -> None:
    """Dots with error bars, from the most to the least played item."""
    order = np.argsort(-plays.mean, kind="stable")
    ax.set_xscale("symlog", linthresh=1.0, linscale=LINEAR_PART)
    shown = order[: name_rows(ax, [result.items[i] for i in order], "played")]
    rows = np.arange(len(shown))
    least = float(plays.mean[shown].min())
    if result.replications > 1:
        ax.hlines(rows, plays.lower[shown], plays.upper[shown], color=looks["color"], linewidth=pen(1.3))
    ax.scatter(plays.mean[shown], rows, s=40, color=looks["color"], marker=looks["marker"], zorder=3)
    ax.set_xlim(left=least / 2 if least >= 1 else -0.2)
    number_ticks(ax.xaxis)


def _draw_against_plan(
    ax: Axes, result: SimulationResult, plays: Band, planned: FloatArray, explored: BoolArray, looks: Mapping[str, Any]
) -> None:
    others = ~explored & (plays.mean > 0)  # without items that belong to no decision
    right, top = 3.0 * max(2.0, float(planned.max())), 3.0 * max(2.0, float(plays.mean.max()))
    ax.set_xscale("symlog", linthresh=1.0, linscale=LINEAR_PART)
    ax.set_yscale("symlog", linthresh=1.0, linscale=LINEAR_PART)
    ax.plot([0, right], [0, right], color=ink(), linestyle=(0, (4, 3)), linewidth=pen(1.3), label=PLAN_LABEL, zorder=2, marker="")
    explored_name = "item" if result.suboptimal_items is None else "suboptimal item"
    for chosen, colour, marker, name in (
        (explored, looks["color"], looks["marker"], explored_name),
        (others, BEST, "D", "item of an optimal decision"),
    ):
        if chosen.any():
            if result.replications > 1:
                ax.vlines(planned[chosen], plays.lower[chosen], plays.upper[chosen], color=colour, linewidth=pen(1.2))
            ax.scatter(
                planned[chosen], plays.mean[chosen], s=34, marker=marker, color=colour, alpha=0.85,
                edgecolor=ax.get_facecolor(), linewidth=pen(0.6), zorder=3, label=name, clip_on=False,
            )  # fmt: skip
    ax.set_xlim(-0.7, right)
    ax.set_ylim(0.7 if plays.mean[explored | others].min(initial=1.0) >= 1 else -0.3, top)
    number_ticks(ax.xaxis, ax.yaxis)
    draw_frame(ax, "both")


def _name_deviations(ax: Axes, result: SimulationResult, plays: FloatArray, planned: FloatArray, explored: BoolArray) -> None:
    """Name the explored items farthest from the line in square roots, which stabilise the variance of counts."""
    from matplotlib.font_manager import FontProperties

    distance = np.where(explored, np.abs(np.sqrt(plays) - np.sqrt(planned)), -1.0)
    order: IntArray = np.argsort(-distance, kind="stable")
    named = [int(i) for i in order[:MOST_LABELS] if distance[i] > 0]
    ends = np.array([(0.0, 0.0), (1.0, 1.0), (ax.get_xlim()[1],) * 2])
    names = [(literal(result.items[i]), FontProperties(size="small")) for i in named]
    points, line = np.column_stack([planned, plays])[order], np.stack([ends[:-1], ends[1:]], axis=1)
    name_points(ax, names, points, np.full(len(points), 3.5), line, np.ones(2), ax.bbox)
