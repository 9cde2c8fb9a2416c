"""Plays of each item by a policy, compared with the plan of the bound."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits_studies.plotting.labels import write_labels
from semibandits_studies.plotting.style import BEST, INK, MOST_ROWS, UNEXPLORED, literal, name_rows, new_axes, plain_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from semibandits.simulation.results import SimulationResult
    from semibandits.simulation.statistics import Band

MOST_LABELS: Final = 8
LINEAR_PART: Final = 0.4
"""Length of the axis from 0 to 1 play, in decades."""
COLOUR: Final = "#0072b2"
PLAN_LABEL: Final = "plays = w ln T"


def plot_exploration(result: SimulationResult, policy: str, ax: Axes | None = None, *, level: float = 0.95) -> Axes:
    """Draw :meth:`SimulationResult.plot_exploration`, with bars of a confidence level strictly between 0 and 1.

    Both scales are linear below one play, so that items with rate 0 are visible. The items farthest from the line are named.
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
    """Dots with error bars, from the most to the least played item."""
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
    name_rows(ax, [result.items[i] for i in shown], len(order), "played")
    ax.set_xlabel("plays (logarithmic above 1)")
    ax.set_ylabel("item")


def _draw_against_plan(ax: Axes, result: SimulationResult, plays: Band, planned: FloatArray) -> None:
    explored = np.ones(len(planned), dtype=np.bool_) if result.suboptimal_items is None else result.suboptimal_items
    others = ~explored & (plays.mean > 0)  # without items that belong to no decision
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
    ax.set_xlabel("plays of the plan, w ln T (logarithmic above 1)")
    ax.set_ylabel("plays (logarithmic above 1)")
    ax.grid(color=UNEXPLORED, linewidth=0.6)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=3, frameon=False)
    _name_deviations(ax, result, plays.mean, planned, explored)


def _name_deviations(ax: Axes, result: SimulationResult, plays: FloatArray, planned: FloatArray, explored: BoolArray) -> None:
    """Name the explored items farthest from the line in square roots, which stabilise the variance of counts."""
    from matplotlib.font_manager import FontProperties

    distance = np.where(explored, np.abs(np.sqrt(plays) - np.sqrt(planned)), -1.0)
    order: IntArray = np.argsort(-distance, kind="stable")
    named = [int(i) for i in order[:MOST_LABELS] if distance[i] > 0]
    ends = np.array([(0.0, 0.0), (1.0, 1.0), (ax.get_xlim()[1],) * 2])
    names = [(literal(result.items[i]), FontProperties(size=8.5)) for i in named]
    points, line = np.column_stack([planned, plays])[order], np.stack([ends[:-1], ends[1:]], axis=1)
    write_labels(ax, names, points, np.full(len(points), 3.5), line, np.ones(2))
