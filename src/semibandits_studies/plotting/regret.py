"""Regret of policies against the round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from semibandits._typing import FloatArray
from semibandits_studies.plotting.style import INK, UNEXPLORED, literal, new_axes, plain_number, points_per_pixel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from semibandits.simulation.results import SimulationResult

BOUND_LABEL: Final = "C(θ) ln T"
MARKERS_A_LINE: Final = 7
LABEL_SIZE: Final = 9.5
"""Size in points; labels of lines are moved apart until they do not touch."""
ROUND_LABEL: Final = "round T"

# Dark enough on white, and distinct under protanopia and deuteranopia (tests measure both); dashes and markers differ as well.
_SOLID: Final = (0, ())
_LONG: Final = (0, (7, 1.6))
_DOTTED: Final = (0, (1.4, 1.4))
_MIXED: Final = (0, (6, 1.6, 1.4, 1.6))
_LOOKS: Final = (
    ("#0072b2", _SOLID, "o"), ("#d55e00", _LONG, "s"), ("#44aa99", _MIXED, "^"), ("#332288", _DOTTED, "D"),
    ("#b2182b", _SOLID, "v"), ("#56b4e9", _LONG, "P"), ("#5aae61", _MIXED, "X"), ("#bb5566", _DOTTED, "<"),
    ("#e69f00", _SOLID, "p"), ("#762a83", _LONG, ">"),
)  # fmt: skip


class _End(NamedTuple):
    """The end of a line, and its label."""

    text: str
    height: float
    colour: str


def plot_regret(result: SimulationResult, ax: Axes | None = None, *, level: float = 0.95, unit: str = "units of reward") -> Axes:
    """Draw :meth:`SimulationResult.plot`, with bands of a confidence level strictly between 0 and 1.

    One replication has no band. C(θ) ln T, a straight line on the logarithmic axis, bounds the growth of regret as T grows, not
    its value at a single T.
    """
    ax = new_axes() if ax is None else ax
    ax.set_xscale("log")
    ends = []
    for k, policy in enumerate(result.policies):
        ends.append(_draw_policy(ax, result, policy, k, level))
    if result.lower_bound is not None:
        ends.append(_draw_bound(ax, result, result.lower_bound))
    _format_axes(ax, result, level, unit)
    _label_ends(ax, float(result.horizon), ends)
    return ax


def _draw_policy(ax: Axes, result: SimulationResult, policy: str, k: int, level: float) -> _End:
    colour, dashes, marker = _LOOKS[k % len(_LOOKS)]
    rounds, (mean, lower, upper) = result.checkpoints, result.bands(policy, level)
    if result.replications > 1:
        ax.fill_between(rounds, lower, upper, color=colour, alpha=0.16, linewidth=0, zorder=2)
    # Markers of different lines have different positions; each line has one at its end.
    step = max(1, len(rounds) // MARKERS_A_LINE)
    shift = (k * step) // max(1, len(result.policies))
    marked = sorted({*range(shift, len(rounds), step), len(rounds) - 1})
    ax.plot(
        rounds, mean, color=colour, linestyle=dashes, marker=marker, markevery=marked, markersize=5.5,
        markeredgecolor="white", markeredgewidth=0.6, linewidth=1.9, zorder=3, label=literal(policy), clip_on=False,
    )  # fmt: skip
    return _End(literal(policy), float(mean[-1]), colour)


def _draw_bound(ax: Axes, result: SimulationResult, bound: float) -> _End:
    rounds = result.checkpoints
    logarithm = np.log(rounds)
    lower, upper = result.lower_bound_interval or (bound, bound)
    if lower < upper < np.inf:
        ax.fill_between(rounds, lower * logarithm, upper * logarithm, color=INK, alpha=0.12, linewidth=0, zorder=1)
    ax.plot(rounds, bound * logarithm, color=INK, linestyle=(0, (4, 3)), linewidth=1.4, zorder=2.5, label=BOUND_LABEL)
    return _End(BOUND_LABEL, float(bound * logarithm[-1]), INK)


def _format_axes(ax: Axes, result: SimulationResult, level: float, unit: str) -> None:
    first, last = int(result.checkpoints[0]), result.horizon
    if first < last:
        ax.set_xlim(first, last)
    if last < 10**6:
        ax.xaxis.set_major_formatter(plain_number)
    if all((result.regret[policy] >= 0).all() for policy in result.policies):
        ax.set_ylim(bottom=0.0)
    ax.yaxis.set_major_formatter(plain_number)
    ax.set_xlabel(f"{ROUND_LABEL} (logarithmic axis)")
    many = result.replications > 1
    ax.set_ylabel(f"{'mean ' if many else ''}cumulative regret ({literal(unit)})")
    ax.set_title(
        f"Regret over {result.replications:,} replications, with pointwise {100 * level:.4g} % confidence bands"
        if many
        else "Regret in one replication",
        color=INK,
    )
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="both", which="major", color=UNEXPLORED, linewidth=0.6)
    ax.set_axisbelow(True)


def _label_ends(ax: Axes, horizon: float, ends: list[_End]) -> None:
    """Write the names to the right of the ends of the lines, moved apart where they would touch."""
    scale = points_per_pixel(ax)
    ends = sorted(ends, key=lambda end: end.height)
    heights = ax.transData.transform([(horizon, end.height) for end in ends])[:, 1] * scale
    box = ax.get_window_extent()
    places = spread(heights, 1.3 * LABEL_SIZE, box.y0 * scale, box.y1 * scale)
    for end, height, place in zip(ends, heights, places, strict=True):
        ax.annotate(
            end.text, xy=(horizon, end.height), xytext=(18, place - height), textcoords="offset points", color=INK,
            ha="left", va="center", fontsize=LABEL_SIZE, annotation_clip=False, zorder=4,
            arrowprops={
                "arrowstyle": "-", "color": end.colour, "linewidth": 1.3, "shrinkA": 1.0, "shrinkB": 4.0,
                "relpos": (0.0, 0.5),
            },
        )  # fmt: skip


def spread(heights: FloatArray, distance: float, low: float, high: float) -> FloatArray:
    """Move sorted heights as little as possible so that neighbours are some distance apart, within limits if they fit.

    They are the nearest in the least-squares sense: an isotonic regression after the distances are subtracted, clipped to the
    limits. If not all heights fit, only `low` is respected.
    """
    steps = distance * np.arange(len(heights))
    fitted = isotonic_regression(heights - steps).x
    return np.asarray(np.clip(fitted, low, max(low, high - steps[-1])) + steps, dtype=np.float64)
