"""Figures of a comparison of two policies. Each policy has the same colour, dashes and marker in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from compare_results import MOST_RATIO, NEW, OLD, Outcome

from semibandits.simulation.statistics import in_last_decades, mean_band
from semibandits_studies.plotting.style import INK, UNEXPLORED, plain_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = {OLD: "#d55e00", NEW: "#0072b2"}
DASHES: Final = {OLD: (0, (7, 1.6)), NEW: (0, ())}
MARKERS: Final = {OLD: "s", NEW: "o"}
LABELS: Final = {OLD: "Thompson sampling", NEW: "GLADE"}
DPI: Final = 110
FAR: Final = 100.0
BEYOND: Final = 0.2
"""Intervals are cut off with an arrow at this distance from all dots, so that a few wide ones do not compress the others."""


def write_figures(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Write compare-ratios.png, compare-star.png and compare-families.png, for which there are instances."""
    folder.mkdir(parents=True, exist_ok=True)
    half = [outcome for outcome in outcomes if outcome.name != "star"]
    if half:
        _save(_ratios(half), folder / "compare-ratios.png")
    for outcome in outcomes:
        if outcome.name == "star":
            _save(_star(outcome), folder / "compare-star.png")
    if half:
        _save(_families(half), folder / "compare-families.png")


def _save(figure: Figure, path: Path) -> None:
    import matplotlib.pyplot as plt

    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def _ratios(outcomes: Sequence[Outcome]) -> Figure:
    """One dot per instance and round with its interval; rows are sorted by the ratio at the last common round."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    common = min(outcome.rounds[-1] for outcome in outcomes)
    outcomes = sorted(outcomes, key=lambda outcome: outcome.ratios[common].value, reverse=True)
    rounds = sorted({t for outcome in outcomes for t in outcome.rounds})
    figure, axes = plt.subplots(
        1, len(rounds), sharey=True, sharex=True, squeeze=False, layout="constrained",
        figsize=(2.2 + 2.5 * len(rounds), 1.6 + 0.21 * len(outcomes)),
    )  # fmt: skip
    low, high = _limits(outcomes)
    axes[0][0].set_xlim(low, high)
    for ax, t in zip(axes[0], rounds, strict=True):
        for y, outcome in enumerate(outcomes):
            if t in outcome.ratios:
                value, lower, upper = outcome.ratios[t]
                better = NEW if value <= 1 else OLD
                colour = COLOURS[better]
                ends = np.clip([lower, upper], -FAR, FAR)  # some are infinite
                ax.plot(ends, [y, y], color=colour, linewidth=1.6, alpha=0.55, solid_capstyle="butt", zorder=3)
                ax.plot([value], [y], marker=MARKERS[better], color=colour, markersize=5, zorder=4)
                for is_cut, x, marker in ((lower < low, low, "<"), (upper > high, high, ">")):
                    if is_cut:
                        ax.plot([x], [y], marker=marker, color=colour, markersize=5, clip_on=False, zorder=5)
        ax.axvline(1.0, color=INK, linewidth=1.1, zorder=2)
        ax.axvline(MOST_RATIO, color=INK, linewidth=1.1, linestyle=(0, (4, 3)), zorder=2)
        exponent = round(np.log10(t))
        ax.set_title(f"T = $10^{exponent}$", color=INK)
        ax.grid(axis="x", color=UNEXPLORED, linewidth=0.6)
        ax.grid(axis="y", color=UNEXPLORED, linewidth=0.35)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_yticks(range(len(outcomes)), [outcome.name for outcome in outcomes], fontsize=8.5)
    axes[0][0].set_ylim(-0.7, len(outcomes) - 0.3)
    figure.supxlabel(
        f"mean regret of GLADE / mean regret of Thompson sampling,\nwith 95 % intervals; lines at 1 and {MOST_RATIO}", fontsize=10
    )
    handles = [
        Line2D([], [], linestyle="", marker=MARKERS[policy], color=COLOURS[policy], label=label)
        for policy, label in ((NEW, "GLADE has less regret"), (OLD, "Thompson sampling has less"))
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False, fontsize=10)
    return figure


def _limits(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Limits that include all dots and the intervals near them; arrows mark intervals that extend beyond."""
    found = np.array([interval for outcome in outcomes for interval in outcome.ratios.values()])
    low = min(0.95, max(found[:, 1].min(), found[:, 0].min() - BEYOND)) - 0.02
    high = max(1.1, min(found[:, 2].max(), found[:, 0].max() + BEYOND)) + 0.02
    return low, high


def _star(outcome: Outcome) -> Figure:
    """Both policies on the star, with a line whose slope is C(theta)."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 5.0), layout="constrained")
    _draw(ax, outcome, labelled=True)
    ax.annotate(
        f"slope C(θ) = {outcome.bound[1]:.3g}", _guide(ax, outcome, 0.07), xytext=(0, -5), textcoords="offset points",
        color=INK, fontsize=10, va="top",
    )  # fmt: skip
    ax.set_title(f"The star: {outcome.pairs} replications or more, with pointwise 95 % bands", color=INK)
    ax.set_xlabel("round T (logarithmic axis)")
    ax.set_ylabel("mean cumulative regret")
    return figure


def _families(outcomes: Sequence[Outcome]) -> Figure:
    """The first instance of each kind; the last panel contains the legend."""
    import matplotlib.pyplot as plt

    first: dict[str, Outcome] = {}
    for outcome in outcomes:
        first.setdefault(outcome.instance.kind, outcome)
    columns = min(4, len(first) + 1)
    rows = -(-(len(first) + 1) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.2 * columns, 2.9 * rows), squeeze=False, layout="constrained")
    panels = list(axes.ravel())
    for ax, outcome in zip(panels, first.values(), strict=False):
        _draw(ax, outcome, labelled=False)
        _guide(ax, outcome, 0.1)
        ax.set_title(f"{outcome.name} ({outcome.instance.kind})", color=INK, fontsize=10)
    for ax in panels[len(first) :]:
        ax.axis("off")
    handles, labels = panels[0].get_legend_handles_labels()
    panels[len(first)].legend(handles, labels, loc="center", frameon=False, fontsize=11)
    figure.supxlabel("round T (logarithmic axis)", fontsize=10)
    figure.supylabel("mean cumulative regret, with 95 % bands", fontsize=10)
    return figure


def _guide(ax: Axes, outcome: Outcome, below: float) -> tuple[float, float]:
    """Draw a line of slope C(theta) over the last decade, below the curve of NEW by a fraction of the axis; return its start."""
    c = outcome.bound[1]
    window = in_last_decades(outcome.checkpoints, 1.0)
    logs = np.log(outcome.checkpoints[window])
    height = float((outcome.regret[NEW][:, window].mean(axis=0) - c * logs).min()) - below * ax.get_ylim()[1]
    ends = outcome.checkpoints[window][[0, -1]]
    ax.plot(
        ends, height + c * np.log(ends), color=INK, linestyle=(0, (4, 3)), linewidth=1.4, label="slope C(θ)", zorder=2.5,
        scaley=False,
    )  # fmt: skip
    return float(ends[0]), height + c * float(logs[0])


def _draw(ax: Axes, outcome: Outcome, *, labelled: bool) -> None:
    """Mean regret of both policies with bands; names at the ends of the lines if `labelled`."""
    rounds = outcome.checkpoints
    for policy in (OLD, NEW):
        mean, lower, upper = mean_band(outcome.regret[policy], 0.95)
        colour = COLOURS[policy]
        ax.fill_between(rounds, lower, upper, color=colour, alpha=0.18, linewidth=0, zorder=2)
        ax.plot(
            rounds, mean, color=colour, linestyle=DASHES[policy], marker=MARKERS[policy], markersize=5, linewidth=1.9,
            markevery=(0 if policy == OLD else 5, 10), markeredgecolor="white", markeredgewidth=0.6, zorder=3,
            label=LABELS[policy],
        )  # fmt: skip
        if labelled:
            ax.annotate(
                LABELS[policy], (rounds[-1], mean[-1]), xytext=(6, 0), textcoords="offset points", color=colour, va="center",
                fontsize=10, annotation_clip=False,
            )  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(max(1, int(rounds[0])), int(rounds[-1]))
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(plain_number)
    ax.grid(axis="both", which="major", color=UNEXPLORED, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
