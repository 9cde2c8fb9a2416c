"""The plan of a Graves-Lai solution, drawn according to its decision set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from semibandits.decisions.matchings import Matchings
from semibandits.errors import InvalidInputError
from semibandits.families.registry import family_of
from semibandits_studies.plotting.network import plot_network_plan
from semibandits_studies.plotting.style import (
    BEST,
    RATE_LABEL,
    bound_title,
    legend_below,
    literal,
    name_rows,
    name_ticks,
    new_axes,
    number_ticks,
    on_dark,
    pen,
    rate_bar,
    rate_colours,
    rate_norm,
    write_texts,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from semibandits._typing import FloatArray
    from semibandits.regret_bound.result import GravesLaiResult


def plot_plan(
    result: GravesLaiResult,
    ax: Axes | None = None,
    *,
    labels: Sequence[str] | Mapping[Hashable, str] | None = None,
    positions: Mapping[Hashable, tuple[float, float]] | None = None,
    geographic: bool = False,
    unit: str = "",
    title: str | None = None,
) -> Axes:
    """Draw how often the plan explores each item.

    Paths and spanning trees are drawn as networks, matchings as a heat map, everything else as dots on stems.

    Parameters
    ----------
    result : GravesLaiResult
        The solution.
    ax : Axes, optional
        The axis to draw on; by default that of a new figure.
    labels : mapping from label to str, or sequence of str, length d, optional
        Names to write instead of the labels of nodes, rows and columns, or of the items as dots on stems; labels that are not in
        the mapping are written as they are, except that a network then shows the names in the mapping only. A sequence names
        the items in order, which networks and heat maps do not show.
    positions : mapping from node to (x, y), optional
        Positions of the nodes of a network; by default a layout is computed.
    geographic : bool
        Whether `positions` are longitude and latitude.
    unit : str
        Unit of the rewards, for the title.
    title : str, optional
        The title, "" for none; by default C(theta), left out if it has no room.

    Returns
    -------
    Axes
        The axis drawn on.

    Raises
    ------
    InvalidInputError
        If a node has no position, or the number of labels differs from the number of items.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from semibandits.plotting import plot_plan
    >>> streets = [("home", "park"), ("home", "bridge"), ("park", "office"), ("bridge", "office")]
    >>> bound = sb.graves_lai(sb.Paths(streets, "home", "office"), costs=[4.0, 5.0, 6.0, 4.0])
    >>> figure = Figure()  # a figure without a window
    >>> ax = plot_plan(bound, figure.subplots(), unit="minutes")  # as a network; bound.plot(ax, unit="minutes") is the same
    >>> ax.get_title().split(",")[0]
    'C(θ) = 2 minutes per ln T'
    >>> figure.savefig("plan.png")
    """
    family = family_of(result.decision_set)
    figure = "stems" if family is None else family.figure
    names = labels if isinstance(labels, Mapping) else None
    if figure == "network":
        return plot_network_plan(result, positions, names, ax=ax, geographic=geographic, unit=unit, title=title)
    if figure == "heat map":
        return plot_matching_plan(result, ax=ax, labels=names, unit=unit, title=title)
    if names is not None:
        labels = [names.get(item, str(item)) for item in result.decision_set.items]
    return plot_item_rates(result, ax=ax, labels=cast("Sequence[str] | None", labels), unit=unit, title=title)


def plot_matching_plan(
    result: GravesLaiResult,
    ax: Axes | None = None,
    *,
    labels: Mapping[Hashable, str] | None = None,
    unit: str = "",
    title: str | None = None,
) -> Axes:
    """Heat map of the rates of pairs by row and column, with a frame around the pairs of the optimal matching.

    Parameters
    ----------
    result : GravesLaiResult
        A solution over :class:`Matchings`; the rates of parallel pairs are added.
    ax : Axes, optional
        The axis to draw on; by default that of a new figure.
    labels : mapping from row or column to str, optional
        Names to write instead of the labels of rows and columns.
    unit : str
        Unit of the rewards, for the title.
    title : str, optional
        The title, "" for none; by default C(theta), left out if it has no room.

    Returns
    -------
    Axes
        The axis drawn on.

    Raises
    ------
    InvalidInputError
        If the solution is over another decision set.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from semibandits.plotting import plot_matching_plan
    >>> pairs = [(courier, street) for courier in ("Ada", "Ben") for street in ("Hill", "Park")]
    >>> bound = sb.graves_lai(sb.Matchings(pairs), costs=[3.0, 5.0, 6.0, 4.0])
    >>> figure = Figure()  # a figure without a window
    >>> ax = plot_matching_plan(bound, figure.subplots(), unit="minutes")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Ada', 'Ben']
    >>> figure.savefig("plan.png")
    """
    from matplotlib.patches import Rectangle

    if not isinstance(result.decision_set, Matchings):
        raise InvalidInputError(
            f"result must be a solution over Matchings, got {type(result.decision_set).__name__}: use result.plot()"
        )
    ax = new_axes() if ax is None else ax
    pairs = [item[:2] for item in result.decision_set.items if isinstance(item, tuple)]
    rows = {row: r for r, row in enumerate(dict.fromkeys(row for row, _ in pairs))}
    columns = {column: c for c, column in enumerate(dict.fromkeys(column for _, column in pairs))}
    image = np.full((len(rows), len(columns)), np.nan)
    for i, (row, column) in enumerate(pairs):
        explored = result.rates[i] if result.suboptimal_items[i] else 0.0
        image[rows[row], columns[column]] = np.nan_to_num(image[rows[row], columns[column]]) + explored
    positive = image[image > 0]
    ax.grid(visible=False)
    greys = "Greys_r" if on_dark() else "Greys"
    ax.imshow(np.where(np.isnan(image), np.nan, 1.0), cmap=greys, vmin=0, vmax=9, aspect="auto")
    drawn = ax.imshow(np.where(image > 0, image, np.nan), cmap=rate_colours(), norm=rate_norm(positive), aspect="auto")
    for i in np.flatnonzero(result.optimal_decision).tolist():
        corner = (columns[pairs[i][1]] - 0.5, rows[pairs[i][0]] - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=BEST, linewidth=pen(2.2), zorder=3))
    names = labels or {}
    down, across = ([literal(names.get(label, label)) for label in labelled] for labelled in (rows, columns))
    slanted = max(map(len, across)) * len(across) > 60
    name_ticks(ax.yaxis, down)
    name_ticks(ax.xaxis, across, rotation=60 if slanted else 0, ha="right" if slanted else "center")
    if positive.size:
        rate_bar(ax, drawn)
    write_texts(ax, title, bound_title(result, unit), _axis_label(across, "column"), _axis_label(down, "row"))
    legend_below(ax, [Rectangle((0, 0), 1, 1, fill=False, edgecolor=BEST, linewidth=pen(2.2), label="optimal matching")])
    return ax


def _axis_label(names: Sequence[str], word: str) -> tuple[str, str]:
    """Names with letters need no label."""
    return ("", "") if all(any(letter.isalpha() for letter in name) for name in names) else (word, "")


def plot_item_rates(
    result: GravesLaiResult,
    ax: Axes | None = None,
    *,
    labels: Sequence[str] | None = None,
    unit: str = "",
    title: str | None = None,
) -> Axes:
    """Rates of the suboptimal items as dots on stems, from the most to the least explored.

    Parameters
    ----------
    result : GravesLaiResult
        The solution. Items of the optimal decision, which are played anyway, are left out.
    ax : Axes, optional
        The axis to draw on; by default that of a new figure.
    labels : sequence of str, length d, optional
        Names of the items; by default those of the decision set.
    unit : str
        Unit of the rewards, for the title.
    title : str, optional
        The title, "" for none; by default C(theta), left out if it has no room.

    Returns
    -------
    Axes
        The axis drawn on.

    Raises
    ------
    InvalidInputError
        If the number of labels is not d.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from semibandits.plotting import plot_item_rates
    >>> bound = sb.graves_lai(sb.MSets(4, 1), [0.9, 0.8, 0.5, 0.3])
    >>> figure = Figure()  # a figure without a window
    >>> ax = plot_item_rates(bound, figure.subplots(), labels=["news", "sport", "weather", "chess"])
    >>> [label.get_text() for label in ax.get_yticklabels()]  # the optimal item is left out
    ['sport', 'weather', 'chess']
    >>> figure.savefig("rates.png")
    """
    d = result.decision_set.d
    names = [str(item) for item in result.decision_set.items] if labels is None else list(labels)
    if len(names) != d:
        raise InvalidInputError(f"labels must have d = {d} entries, got {len(names)}: name each item once")
    ax = new_axes() if ax is None else ax
    explored = np.flatnonzero(result.suboptimal_items & (result.rates > 0))
    if not explored.size:
        ax.set_axis_off()
        write_texts(ax, title, bound_title(result, unit))
        return ax
    order = explored[np.argsort(-result.rates[explored], kind="stable")]
    texts = (title, bound_title(result, unit), (RATE_LABEL, ""))
    write_texts(ax, *texts)
    shown: FloatArray = result.rates[order[: name_rows(ax, [names[i] for i in order], "explored")]]
    places = range(len(shown))
    start = shown[-1] / 2 if shown[0] > 20 * shown[-1] else 0.0
    colours = rate_colours()(rate_norm(shown)(shown))
    ax.hlines(places, start, shown, colors=colours, linewidth=pen(2.5))
    ax.scatter(shown, places, s=55, color=colours, zorder=3)
    if start > 0:
        ax.set_xscale("log")
    number_ticks(ax.xaxis)
    ax.set_xlim(left=start)
    write_texts(ax, *texts)
    return ax
