"""Placing the names of nodes so that they cover neither each other, nor nodes, nor links more than they must."""

from __future__ import annotations

from typing import Final

import numpy as np

from semibandits._typing import FloatArray, IntArray

ROUNDS: Final = 4
GAP: Final = 3.0
"""Points between a node and its name."""

# Where a name may stand: the direction from the node to the name, and how much that place is disliked.
_DIRECTIONS: Final = (
    (1.0, 0.0, 0.0), (-1.0, 0.0, 0.1), (0.0, 1.0, 0.15), (0.0, -1.0, 0.15),
    (0.8, 0.8, 0.2), (0.8, -0.8, 0.2), (-0.8, 0.8, 0.25), (-0.8, -0.8, 0.25),
    (1.0, 0.4, 0.3), (1.0, -0.4, 0.3), (-1.0, 0.4, 0.35), (-1.0, -0.4, 0.35),
    (0.4, 1.0, 0.3), (0.4, -1.0, 0.3), (-0.4, 1.0, 0.35), (-0.4, -1.0, 0.35),
)  # fmt: skip
_DISTANCES: Final = ((1.0, 0.0), (2.2, 0.5), (3.6, 1.2))


def place_labels(
    points: FloatArray, radii: FloatArray, sizes: FloatArray, segments: FloatArray, weights: FloatArray
) -> FloatArray:
    """Choose a place for each label among a few around its point.

    Parameters
    ----------
    points : ndarray of float, shape (n, 2)
        The points, in units of the page (y upwards), the most important first.
    radii : ndarray of float, shape (n,)
        Size of the dot at each point; 0 for none.
    sizes : ndarray of float, shape (k, 2)
        Width and height of the labels of the first k points.
    segments : ndarray of float, shape (s, 2, 2)
        Line segments to keep clear of.
    weights : ndarray of float, shape (s,)
        How much covering each of them is disliked.

    Returns
    -------
    ndarray of float, shape (k, 2)
        Lower left corner of each label.

    Notes
    -----
    One label after the other takes its cheapest place given the others, in a few rounds. The cost of a place is the
    share of the label that overlaps other labels and dots, plus the weighted length of the links under it.
    """
    k = len(sizes)
    places = np.empty((k, len(_DIRECTIONS) * len(_DISTANCES), 2))
    alone = np.empty(places.shape[:2])
    for i in range(k):
        places[i], dislike = _places_around(points[i], radii[i], sizes[i])
        for j, corner in enumerate(places[i]):
            alone[i, j] = dislike[j] + _fixed_cost(corner, sizes[i], points, radii, segments, weights)
    choice = np.full(k, -1, dtype=np.int64)
    for _ in range(ROUNDS):
        for i in range(k):
            cost = alone[i] + _label_cost(i, places, sizes, choice)
            choice[i] = int(np.argmin(cost))
    return places[np.arange(k), choice]


def _places_around(point: FloatArray, radius: float, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lower left corners of the places around a point, and how much each is disliked."""
    corners, dislike = [], []
    for stretch, far in _DISTANCES:
        for x, y, odd in _DIRECTIONS:
            direction = np.array([x, y])
            side = np.where(np.abs(direction) < 0.5, 2 * direction, np.sign(direction))
            centre = point + direction * (radius + GAP * stretch) + side * size / 2
            corners.append(centre - size / 2)
            dislike.append(far + odd)
    return np.array(corners), np.array(dislike)


def _fixed_cost(
    corner: FloatArray,
    size: FloatArray,
    points: FloatArray,
    radii: FloatArray,
    segments: FloatArray,
    weights: FloatArray,
) -> float:
    """Cost of covering dots and links."""
    nearest = np.clip(points, corner, corner + size)
    covered = np.maximum(0.0, radii - np.linalg.norm(points - nearest, axis=1)) / np.maximum(radii, 1e-9)
    under = _length_inside(segments, corner, corner + size)
    return float(6.0 * covered[radii > 0].sum() + (weights * under).sum() / size[1])


def _label_cost(i: int, places: FloatArray, sizes: FloatArray, choice: IntArray) -> FloatArray:
    """Cost of overlapping the labels placed so far, for each place of label i."""
    cost = np.zeros(places.shape[1])
    for j in np.flatnonzero(choice >= 0):
        if j != i:
            low = np.maximum(places[i], places[j, choice[j]])
            high = np.minimum(places[i] + sizes[i], places[j, choice[j]] + sizes[j])
            area = np.prod(np.maximum(0.0, high - low), axis=1)
            cost += 12.0 * area / min(np.prod(sizes[i]), np.prod(sizes[j])) + 1.0 * (area > 0)
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
