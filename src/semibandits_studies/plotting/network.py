"""The plan on a network, with links coloured by exploration rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.errors import InvalidInputError
from semibandits.families.registry import family_of
from semibandits_studies.plotting.labels import name_points
from semibandits_studies.plotting.layout import is_map, node_positions, part_of
from semibandits_studies.plotting.style import (
    BEST,
    UNEXPLORED,
    bound_title,
    ink,
    legend_below,
    literal,
    new_axes,
    pen,
    rate_bar,
    rate_colours,
    rate_norm,
    write_texts,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from semibandits.regret_bound.result import GravesLaiResult

MOST_LABELS: Final = 70
DENSE: Final = 300
"""With more links than this, strokes are thinner and nodes are left out."""
CURVE_POINTS: Final = 13
MOST_LINKS: Final = 3_000
"""Of larger networks only the surroundings of the optimal decision and the plan are drawn."""
SURROUNDINGS: Final = 0.08
"""Margin around these, as a share of the longer side."""
BULGE: Final = 0.12
"""Distance between parallel links in the middle, as a share of their length."""


@dataclass(frozen=True)
class _Drawing:
    """Numbered nodes with positions, and the links between them."""

    nodes: tuple[Hashable, ...]
    tails: IntArray
    heads: IntArray
    places: FloatArray
    ends: tuple[int, ...]
    """Numbers of the source and the target, if any."""
    noun: str
    """Noun for a decision."""
    items: IntArray
    """Items of the links."""
    is_part: bool = False
    """Whether links of the network are left out."""

    @property
    def is_dense(self) -> bool:
        """Whether there are so many links that nodes are left out."""
        return len(self.tails) > DENSE

    @property
    def pen(self) -> float:
        """Width of strokes: by the user's settings, and less in a dense drawing."""
        return pen(1.0 if not self.is_dense else max(0.2, (DENSE / len(self.tails)) ** 0.5))

    @property
    def bold(self) -> float:
        """The same for links of the optimal decision and of the plan, which stand out where only their surroundings are drawn."""
        return max(self.pen, pen(0.7)) if self.is_part else self.pen

    def around(self, items: IntArray) -> _Drawing:
        """These items and the links near them."""
        nodes = np.unique(np.concatenate((self.tails[items], self.heads[items])))
        low, high = self.places[nodes].min(axis=0), self.places[nodes].max(axis=0)
        margin = SURROUNDINGS * float((high - low).max())
        inside = ((self.places >= low - margin) & (self.places <= high + margin)).all(axis=1)
        inside[nodes] = True
        links = np.flatnonzero(inside[self.tails] & inside[self.heads])
        shown, tails, heads = part_of(self.tails[links], self.heads[links], self.ends)
        return replace(
            self,
            nodes=tuple(self.nodes[v] for v in shown),
            tails=tails,
            heads=heads,
            places=self.places[shown],
            ends=tuple(np.searchsorted(shown, np.array(self.ends, dtype=np.int64)).tolist()),
            items=self.items[links],
            is_part=len(links) < len(self.tails),
        )

    def lines(self) -> list[FloatArray]:
        """Points along each link, which is straight unless there are parallel ones and the whole network is drawn."""
        keys = [frozenset(pair) for pair in zip(self.tails.tolist(), self.heads.tolist(), strict=True)]
        total, seen = Counter(keys), Counter[frozenset[int]]()
        lines = []
        for i, key in enumerate(keys):
            low, high = (self.places[v] for v in (min(key), max(key)))
            bend = 0.0 if self.is_part else BULGE * (seen[key] - (total[key] - 1) / 2)
            seen[key] += 1
            line = np.array([low, high])
            if bend:  # a quadratic Bezier curve whose middle is `bend` lengths from that of the straight line
                middle = (low + high) / 2 + 2 * bend * np.array([low[1] - high[1], high[0] - low[0]])
                t = np.linspace(0, 1, CURVE_POINTS)[:, np.newaxis]
                line = (1 - t) ** 2 * low + 2 * t * (1 - t) * middle + t**2 * high
            lines.append(line if self.tails[i] == min(key) else line[::-1])
        return lines


def plot_network_plan(
    result: GravesLaiResult,
    positions: Mapping[Hashable, tuple[float, float]] | None = None,
    labels: Mapping[Hashable, str] | None = None,
    ax: Axes | None = None,
    *,
    geographic: bool = False,
    unit: str = "",
    title: str | None = None,
) -> Axes:
    """Draw the links of a network by exploration rate, and the optimal path or tree.

    Parameters
    ----------
    result : GravesLaiResult
        A solution over decisions whose items are edges of a graph: paths, trees, forests.
    positions : mapping from node to (x, y), optional
        Positions of the nodes. By default paths and routes are drawn from left to right, the latter and trees by a spring layout.
    labels : mapping from node to str, optional
        Names to write; by default those of all nodes if there are at most 70, else of the two ends only.
    ax : Axes, optional
        The axis to draw on; by default that of a new figure.
    geographic : bool
        Whether `positions` are longitude and latitude in degrees. Both directions then have the same scale at the mean
        latitude of the map.
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
        If the items are not edges of a graph, or a node has no position.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from semibandits.plotting import plot_network_plan
    >>> streets = [("home", "park"), ("home", "bridge"), ("park", "office"), ("bridge", "office")]
    >>> bound = sb.graves_lai(sb.Paths(streets, "home", "office"), costs=[4.0, 5.0, 6.0, 4.0])
    >>> places = {"home": (0, 0), "park": (1, 1), "bridge": (1, -1), "office": (2, 0)}
    >>> figure = Figure()  # a figure without a window
    >>> ax = plot_network_plan(bound, places, ax=figure.subplots(), unit="minutes")
    >>> figure.savefig("plan.png")
    """
    drawing = _drawing_of(result, positions)
    if positions is not None and len(drawing.tails) > MOST_LINKS:
        drawing = drawing.around(np.flatnonzero(result.optimal_decision | (result.suboptimal_items & (result.rates > 0))))
    ax = new_axes() if ax is None else ax
    if geographic and is_map(drawing.places):
        ax.set_aspect(1.0 / np.cos(np.radians(np.mean(drawing.places[:, 1]))))
    elif positions is not None:
        ax.set_aspect("equal")
    handles = _draw_links(ax, result, drawing)
    ends, (x, y) = list(drawing.ends), drawing.places.T
    if not drawing.is_dense:
        others = np.setdiff1d(np.arange(len(drawing.nodes)), ends)
        ax.scatter(x[others], y[others], s=22, color=ax.figure.get_facecolor(), edgecolor=ink(), linewidth=pen(0.9), zorder=4)
    if ends:
        ax.scatter(x[ends], y[ends], s=95, color=BEST, edgecolor=ink(), linewidth=pen(1.4), zorder=5)
    ax.set_axis_off()
    ax.margins(0.12, 0.06)
    write_texts(ax, title, bound_title(result, unit))
    legend_below(ax, handles)
    _draw_labels(ax, drawing, labels, result)
    return ax


def _drawing_of(result: GravesLaiResult, positions: Mapping[Hashable, tuple[float, float]] | None) -> _Drawing:
    family = family_of(result.decision_set)
    network = None if family is None else family.network(result.decision_set)
    if family is None or network is None:
        raise InvalidInputError(
            f"the decisions must have items that are edges of a graph, got {type(result.decision_set).__name__}: "
            "use plot_plan, which draws any decision set"
        )
    ends = tuple(end for end in (network.source, network.target) if end is not None)
    noun = family.nouns_of(result.decision_set).decision.split()[-1]
    places, items = node_positions(network, positions), np.arange(len(network.tails))
    return _Drawing(network.nodes, network.tails, network.heads, places, ends, noun, items)


def _draw_links(ax: Axes, result: GravesLaiResult, drawing: _Drawing) -> list[Line2D]:
    """Draw the links and the colour bar, and return what the legend explains."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    lines, bold = drawing.lines(), drawing.bold

    def draw(items: IntArray, zorder: float, **looks: object) -> None:
        ax.add_collection(LineCollection([lines[i] for i in items], capstyle="round", zorder=zorder, **looks))

    best = result.optimal_decision[drawing.items]
    rates = result.rates[drawing.items]
    explored = result.suboptimal_items[drawing.items] & (rates > 0)
    rest = ~explored & ~best
    draw(np.flatnonzero(rest), 1.0, colors=UNEXPLORED, linewidths=1.1 * drawing.pen)
    for width, colour in ((7.0, BEST), (2.6, ax.figure.get_facecolor())):
        # In a dense drawing the optimal decision is visible only on top and without its empty core.
        dense = drawing.is_dense
        draw(np.flatnonzero(best), 3.5 if dense else 2.0, colors=BEST if dense else colour, linewidths=width * bold)
    handles = [Line2D([], [], color=BEST, linewidth=pen(6), label=f"optimal {drawing.noun}")]
    if explored.any():
        order = np.flatnonzero(explored)[np.argsort(rates[explored])]
        rates = rates[order]
        norm, colours = rate_norm(rates), rate_colours()
        draw(order, 3.0, colors=colours(norm(rates)), linewidths=bold * (1.3 + 4.7 * np.asarray(norm(rates))))
        bar = rate_bar(ax, ScalarMappable(norm, colours), shrink=0.5, aspect=25, pad=0.02, panchor=False)
        bar.outline.set_visible(False)
    if rest.any():
        handles.append(Line2D([], [], color=UNEXPLORED, linewidth=pen(2), label="not in the plan"))
    return handles


def _draw_labels(ax: Axes, drawing: _Drawing, labels: Mapping[Hashable, str] | None, result: GravesLaiResult) -> None:
    """Name the nodes, the two ends first."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.patheffects import withStroke

    numbers = [*drawing.ends, *(v for v in range(len(drawing.nodes)) if v not in drawing.ends)]
    if labels is not None:
        texts = {v: literal(labels[drawing.nodes[v]]) for v in numbers if drawing.nodes[v] in labels}
    else:
        shown = numbers if len(numbers) <= MOST_LABELS else drawing.ends
        texts = {v: literal(drawing.nodes[v]) for v in shown}
    order = [*texts, *(v for v in range(len(drawing.nodes)) if v not in texts)]
    radii = np.array([5.5 if v in drawing.ends else 3.0 for v in order])
    fonts = (FontProperties(size="small"), FontProperties(size="large", weight="bold"))
    names = [(text, fonts[v in drawing.ends]) for v, text in texts.items()]
    pieces = [np.stack([line[:-1], line[1:]], axis=1) for line in drawing.lines()]
    explored = (result.suboptimal_items & (result.rates > 0))[drawing.items]
    costs = np.where(result.optimal_decision[drawing.items], 4.0, np.where(explored, 1.0, 0.4))  # of a name on a link
    segments, weights = np.concatenate(pieces), np.repeat(costs, list(map(len, pieces)))
    halo = [withStroke(linewidth=2.2, foreground=ax.figure.get_facecolor())]
    name_points(ax, names, drawing.places[order], radii, segments, weights, ax.figure.bbox, path_effects=halo)
