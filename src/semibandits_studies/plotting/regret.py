"""Regret of policies against the round."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.optimize import isotonic_regression

from semibandits._typing import FloatArray
from semibandits.errors import InvalidInputError
from semibandits.formats.numbers import amount
from semibandits.inputs.validation import number_in
from semibandits.laws.plain import title as law_title
from semibandits.regret_bound.result import GravesLaiResult
from semibandits_studies.plotting.style import (
    arrange,
    draw_frame,
    ink,
    legend_inside,
    line_looks,
    literal,
    new_axes,
    number_ticks,
    other_boxes,
    pen,
    setting,
    write_texts,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Transform

    from semibandits.simulation.results import SimulationResult

BOUND_LABEL: Final = "C(θ) ln T"
ROUNDS: Final = ("round T (logarithmic axis)", "round T")
MARKERS_A_LINE: Final = 7
FAR: Final = 10.0
"""If the bound ends above the regret of all policies by more than this factor, its end is named instead of drawn."""


def plot_regret(
    result: SimulationResult,
    ax: Axes | None = None,
    *,
    level: float = 0.95,
    unit: str = "units of reward",
    title: str | None = None,
    styles: Mapping[str, Mapping[str, Any]] | None = None,
    bound: bool | float | GravesLaiResult | None = None,
) -> Axes:
    """Draw :meth:`SimulationResult.plot`, with bands of a confidence level strictly between 0 and 1.

    One replication has no band. C(θ) ln T, a straight line on the logarithmic axis, bounds the growth of regret as T grows, not
    its value at a single T.
    """
    limit, looks = _bound_of(result, bound), policy_looks(result, styles)
    ax = new_axes() if ax is None else ax
    ax.set_xscale("log")
    lines = [_draw_policy(ax, result, policy, looks[policy], level) for policy in result.policies]
    highest = max(float(result.bands(policy, level)[0][-1]) for policy in result.policies)
    is_far = limit is not None and bound is None and limit[1] * math.log(result.horizon) > FAR * highest > 0.0
    if limit is not None and not is_far:
        lines.append(_draw_bound(ax, result, *limit))
    _format_axes(ax, result)
    if limit is not None and is_far:
        lines.append(_name_bound(ax, result, *limit[:2]))
    many, unit = result.replications > 1, literal(unit)
    long = f"{'mean ' if many else ''}cumulative regret ({unit})"
    usual = f"Regret over {result.replications:,} replications, with pointwise {100 * level:.4g} % confidence bands"
    texts = (title, usual if many else "Regret in one replication", ROUNDS, (long, f"regret ({unit})"))
    write_texts(ax, *texts)
    _name_lines(ax, lines)
    write_texts(ax, *texts)
    return ax


def policy_looks(result: SimulationResult, styles: Mapping[str, Mapping[str, Any]] | None) -> dict[str, dict[str, Any]]:
    """Arguments of `Axes.plot` for each policy."""
    styles = {} if styles is None else styles
    if not isinstance(styles, Mapping) or not set(styles) <= set(result.policies):
        got = list(styles) if isinstance(styles, Mapping) else styles
        raise InvalidInputError(f"styles must map policies among {list(result.policies)} to arguments of Axes.plot, got {got!r}")
    return {policy: line_looks(k, styles.get(policy, {}), f"styles[{policy!r}]") for k, policy in enumerate(result.policies)}


def _bound_of(
    result: SimulationResult, bound: bool | float | GravesLaiResult | None
) -> tuple[str, float, tuple[float, float]] | None:
    """Name, C and bracket of the line to draw."""
    if isinstance(bound, GravesLaiResult):
        if bound.decision_set.d != len(result.items):
            raise InvalidInputError(
                f"bound must be of decisions over d = {len(result.items)} items, got d = {bound.decision_set.d}: pass that of "
                "the simulated problem"
            )
        if "no_bound" in result.provenance and bound.features is None:
            caveat = ", without features"
        else:
            same = result.law is not None and (result.law == bound.law or (result.law.is_quadratic and bound.law.is_quadratic))
            caveat = "" if same else f", {literal(law_title(bound.law).capitalize())}"
        return f"{BOUND_LABEL}{caveat}", bound.lower, (bound.lower, bound.value)
    if bound is None or isinstance(bound, bool):
        known = result.lower_bound
        if bound and known is None:
            raise InvalidInputError("bound=True needs a C(theta), but the result has none: pass a GravesLaiResult or a number")
        return None if bound is False or known is None else (BOUND_LABEL, known, result.lower_bound_interval or (known, known))
    value = number_in(bound, "bound", 0.0, np.inf, "pass C(theta) per ln T")
    return f"{amount(value)} ln T", value, (value, value)


def _draw_policy(ax: Axes, result: SimulationResult, policy: str, looks: dict[str, Any], level: float) -> Line2D:
    rounds, (mean, lower, upper) = result.checkpoints, result.bands(policy, level)
    # Markers of different lines have different positions; each line has one at its end.
    step = max(1, len(rounds) // MARKERS_A_LINE)
    shift = (result.policies.index(policy) * step) // max(1, len(result.policies))
    marks = {
        "markevery": sorted({*range(shift, len(rounds), step), len(rounds) - 1}), "markersize": setting("lines.markersize", 5.5),
        "markeredgecolor": ax.get_facecolor(), "markeredgewidth": pen(0.6), "label": literal(policy), "zorder": 3,
        "clip_on": False,
    }  # fmt: skip
    (line,) = ax.plot(rounds, mean, **(marks | looks))
    if result.replications > 1:
        ax.fill_between(rounds, lower, upper, color=line.get_color(), alpha=0.16, linewidth=0, zorder=2)
    return line


def _draw_bound(ax: Axes, result: SimulationResult, name: str, value: float, bracket: tuple[float, float]) -> Line2D:
    rounds, (lower, upper) = result.checkpoints, bracket
    logarithm = np.log(rounds)
    if lower < upper < np.inf:
        ax.fill_between(rounds, lower * logarithm, upper * logarithm, color=ink(), alpha=0.12, linewidth=0, zorder=1)
    (line,) = ax.plot(
        rounds, value * logarithm, color=ink(), linestyle=(0, (4, 3)), linewidth=pen(1.4), zorder=2.5, label=name, marker=""
    )
    return line


def _name_bound(ax: Axes, result: SimulationResult, name: str, value: float) -> Line2D:
    """Add an invisible line, a single point at the top of the axes, so that the bound is named like the other lines."""
    from matplotlib.lines import Line2D

    top = ax.get_ylim()[1]
    label = f"{name}: {amount(value * math.log(result.horizon))}"
    line = Line2D([result.horizon], [top], color=ink(), linestyle=(0, (4, 3)), linewidth=pen(1.4), label=label)
    ax.add_line(line)
    ax.set_ylim(top=top)
    return line


def _format_axes(ax: Axes, result: SimulationResult) -> None:
    first, last = int(result.checkpoints[0]), result.horizon
    if first < last:
        ax.set_xlim(first, last)
    if last < 10**6:
        number_ticks(ax.xaxis)
    if all((result.regret[policy] >= 0).all() for policy in result.policies):
        ax.set_ylim(bottom=0.0)
    number_ticks(ax.yaxis)
    draw_frame(ax, "both")


@dataclass
class _Place:
    """Where the name of a line stands: to the right of its end, moved apart from other names, whenever the figure is drawn."""

    lines: list[Line2D]
    k: int
    size: float

    def __call__(self, renderer: RendererBase) -> Transform:
        from matplotlib.transforms import Affine2D

        ax = self.lines[self.k].axes
        assert ax is not None
        point = self.size * ax.figure.dpi / 72.0
        x, heights = ax.transData.transform([_end(line) for line in self.lines]).T
        order = np.argsort(heights, kind="stable")
        places = spread(heights[order], 1.3 * point, ax.bbox.y0, ax.bbox.y1)
        return Affine2D().translate(x[0] + 1.8 * point, places[np.flatnonzero(order == self.k)[0]])


def _end(line: Line2D) -> tuple[float, float]:
    x, y = np.asarray(line.get_xydata(), dtype=np.float64)[-1]
    return float(x), float(y)


def _name_lines(ax: Axes, lines: list[Line2D]) -> None:
    """Write the names to the right of the ends of the lines if there is room, else in a legend."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    font = FontProperties(size=rcParams["legend.fontsize"])
    size = font.get_size_in_points()
    names = [
        ax.annotate(
            str(line.get_label()), xy=_end(line), xytext=(0, 0), textcoords=_Place(lines, k, size),
            ha="left", va="center", fontproperties=font, annotation_clip=False, zorder=4,
            arrowprops={
                "arrowstyle": "-", "color": line.get_color(), "linewidth": pen(1.3), "shrinkA": 1.0, "shrinkB": 4.0,
                "relpos": (0.0, 0.5),
            },
        )
        for k, line in enumerate(lines)
    ]  # fmt: skip
    scale = arrange(ax, trial=True)
    figure, boxes = ax.figure.bbox, [name.get_window_extent() for name in names]
    width = max(box.x1 for box in boxes) - ax.bbox.x1
    fits = ax.bbox.width >= 1.5 * width and ax.bbox.height * scale >= 1.3 * size * len(names)
    if not fits or any(box.x1 > figure.x1 or box.count_overlaps(other_boxes(ax)) for box in boxes):
        for name in names:
            name.remove()
        legend_inside(ax)


def spread(heights: FloatArray, distance: float, low: float, high: float) -> FloatArray:
    """Move sorted heights as little as possible so that neighbours are some distance apart, within limits if they fit.

    They are the nearest in the least-squares sense: an isotonic regression after the distances are subtracted, clipped to the
    limits. If not all heights fit, only `low` is respected.
    """
    steps = distance * np.arange(len(heights))
    fitted = isotonic_regression(heights - steps).x
    return np.asarray(np.clip(fitted, low, max(low, high - steps[-1])) + steps, dtype=np.float64)
