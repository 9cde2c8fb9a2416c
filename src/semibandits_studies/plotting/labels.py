"""Placement of names with little overlap with each other, with nodes and with links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits_studies.plotting.style import arrange, is_inside, other_boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties
    from matplotlib.transforms import BboxBase

ROUNDS: Final = 4
GAP: Final = 3.0
"""Points between a node and its name."""
FRAME: Final = 20.0
"""Cost of a name across the frame of the axes or on the legend."""

# Candidate positions of a name: the direction (x, y) from the node to the name, and the penalty of that position.
_DIRECTIONS: Final = (
    (1.0, 0.0, 0.0), (-1.0, 0.0, 0.1), (0.0, 1.0, 0.15), (0.0, -1.0, 0.15),
    (0.8, 0.8, 0.2), (0.8, -0.8, 0.2), (-0.8, 0.8, 0.25), (-0.8, -0.8, 0.25),
    (1.0, 0.4, 0.3), (1.0, -0.4, 0.3), (-1.0, 0.4, 0.35), (-1.0, -0.4, 0.35),
    (0.4, 1.0, 0.3), (0.4, -1.0, 0.3), (-0.4, 1.0, 0.35), (-0.4, -1.0, 0.35),
)  # fmt: skip
_DISTANCES: Final = ((1.0, 0.0), (2.2, 0.5), (3.6, 1.2))
"""Factors of `GAP`, and their penalties."""


def name_points(
    ax: Axes,
    names: Sequence[tuple[str, FontProperties]],
    points: FloatArray,
    radii: FloatArray,
    segments: FloatArray,
    weights: FloatArray,
    room: BboxBase,
    **looks: Any,
) -> None:
    """Write the names of the first points, in data coordinates, where `place_labels` puts them.

    Those that would leave the room or cover an earlier one, the title, the legend or other axes are left out.
    """
    scale = arrange(ax)
    on_page = ax.transData.transform(points) * scale
    lines = (ax.transData.transform(segments.reshape(-1, 2)) * scale).reshape(-1, 2, 2)
    texts = [
        ax.annotate(
            text, xy=tuple(point), xytext=(0.0, 0.0), textcoords="offset points", fontproperties=font, ha="left", va="bottom",
            zorder=6, annotation_clip=False, in_layout=False, **looks,
        )
        for (text, font), point in zip(names, points, strict=False)
    ]  # fmt: skip
    legend = ax.get_legend()
    taken = [ax.title.get_window_extent(), *([] if legend is None else [legend.get_window_extent()]), *other_boxes(ax)]
    frames = np.concatenate([_frame(room, 2), *(_frame(box, 5) for box in taken)]) * scale
    lines, weights = np.concatenate([lines, frames]), np.concatenate([weights, np.full(len(frames), FRAME)])
    sizes = np.array([text.get_window_extent().size for text in texts]).reshape(-1, 2) * scale
    for text, start, place in zip(texts, on_page, place_labels(on_page, radii, sizes, lines, weights), strict=False):
        text.xyann = tuple(place - start)
        box = text.get_window_extent()
        if is_inside(box, room) and not box.count_overlaps(taken):
            taken.append(box)
        else:
            text.remove()


def _frame(box: BboxBase, rows: int) -> FloatArray:
    """The left and right side of a box, and lines across it from bottom to top, shape (rows + 2, 2, 2)."""
    across = [((box.x0, y), (box.x1, y)) for y in np.linspace(box.y0, box.y1, rows)]
    return np.array([*across, *(((x, box.y0), (x, box.y1)) for x in (box.x0, box.x1))])


def place_labels(
    points: FloatArray, radii: FloatArray, sizes: FloatArray, segments: FloatArray, weights: FloatArray
) -> FloatArray:
    """Lower left corners of k labels, shape (k, 2), each at a position chosen among candidates around its point.

    `points`, shape (n, 2), are on the page (y upwards), the most important first; `radii`, shape (n,), are those of their dots, 0
    for no dot. `sizes`, shape (k, 2), are width and height of the labels of the first k points. `segments`, shape (s, 2, 2), are
    lines to avoid, and `weights`, shape (s,), the cost of covering each of them.

    In each of a few rounds, one label after the other moves to its cheapest position given the others. The cost of a position is
    the share of the label that overlaps other labels and dots, plus the weighted length of the segments under it.
    """
    k = len(sizes)
    places = np.empty((k, len(_DIRECTIONS) * len(_DISTANCES), 2))
    alone = np.empty(places.shape[:2])
    directions, stretches = np.array(_DIRECTIONS), np.array(_DISTANCES)
    penalties = np.add.outer(stretches[:, 1], directions[:, 2]).ravel()
    towards = directions[:, :2]
    sides = np.where(np.abs(towards) < 0.5, 2 * towards, np.sign(towards))
    for i in range(k):
        centres = [points[i] + towards * (radii[i] + GAP * stretch) + sides * sizes[i] / 2 for stretch in stretches[:, 0]]
        places[i] = np.concatenate(centres) - sizes[i] / 2
        for j, corner in enumerate(places[i]):
            nearest = np.clip(points, corner, corner + sizes[i])
            covered = np.maximum(0.0, radii - np.linalg.norm(points - nearest, axis=1)) / np.maximum(radii, 1e-9)
            under = _length_inside(segments, corner, corner + sizes[i])
            cover = 6.0 * covered[radii > 0].sum() + (weights * under).sum() / sizes[i, 1]
            alone[i, j] = penalties[j] + cover
    choice = np.full(k, -1, dtype=np.int64)
    for _ in range(ROUNDS):
        for i in range(k):
            cost = alone[i] + _label_cost(i, places, sizes, choice)
            choice[i] = int(np.argmin(cost))
    return places[np.arange(k), choice]


def _label_cost(i: int, places: FloatArray, sizes: FloatArray, choice: IntArray) -> FloatArray:
    """Cost of overlapping the labels placed so far, for each candidate position of label i."""
    cost = np.zeros(places.shape[1])
    for j in np.flatnonzero(choice >= 0):
        if j != i:
            low = np.maximum(places[i], places[j, choice[j]])
            high = np.minimum(places[i] + sizes[i], places[j, choice[j]] + sizes[j])
            area = np.prod(np.maximum(0.0, high - low), axis=1)
            cost += 12.0 * area / min(np.prod(sizes[i]), np.prod(sizes[j])) + 10.0 * (area > 0)
    return cost


def _length_inside(segments: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Length of each segment inside a box (Liang and Barsky's clipping)."""
    if not len(segments):
        return np.zeros(0)
    start, step = segments[:, 0], segments[:, 1] - segments[:, 0]
    safe = np.where(step == 0, 1.0, step)
    one, two = (low - start) / safe, (high - start) / safe
    flat = step == 0
    inside = (start >= low) & (start <= high)
    enter = np.where(flat, np.where(inside, -np.inf, np.inf), np.minimum(one, two)).max(axis=1)
    leave = np.where(flat, np.where(inside, np.inf, -np.inf), np.maximum(one, two)).min(axis=1)
    share = np.maximum(0.0, np.minimum(leave, 1.0) - np.maximum(enter, 0.0))
    return np.asarray(share * np.linalg.norm(step, axis=1), dtype=np.float64)
