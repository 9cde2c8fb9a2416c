"""Outlines of countries, for maps."""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.errors import InvalidInputError
from semibandits_studies.datasets._tables import bundled_table

BORDERS_PROVENANCE: Final = (
    "countries: Natural Earth 4.1.0, 1:50m; states of the USA: US Census Bureau, cartographic boundary files, 2017; both "
    "in the public domain, as redistributed by the npm packages world-atlas 2.0.2 and us-atlas 3.0.1"
)


def borders(
    west: float, south: float, east: float, north: float, *, margin: float = 0.1, states: bool = True
) -> list[FloatArray]:
    """Coasts and borders of countries within a box, as lines to draw behind a network.

    The box and the lines are in degrees of longitude and latitude. Each line has the shape (k, 2), k >= 2, and is rounded to 0.01
    degrees except where it is cut at the edge; neighbouring countries share one line. Small islands are omitted. Lines extend
    beyond the box on every side by `margin`, >= 0, as a share of its longer side. `states` adds the borders between the states of
    the USA.

    Source: Natural Earth 1:50m, and the US Census Bureau for the states; both are in the public domain. Lines are thinned to
    within 0.02 degrees, about 2 km.
    """
    box = np.array([[west, south], [east, north]], dtype=np.float64)
    if not (np.isfinite(box).all() and (box[0] < box[1]).all()):
        raise InvalidInputError(
            "the box must have west < east and south < north in degrees, got "
            f"({west}, {south}) to ({east}, {north}): swap its corners"
        )
    if not 0 <= margin < math.inf:
        raise InvalidInputError(f"margin must be a number >= 0, got {margin}: 0.1 adds a tenth of the longer side")
    beyond = margin * float((box[1] - box[0]).max())
    low, high = box[0] - beyond, box[1] + beyond
    lines = _lines("countries") + (_lines("states") if states else ())
    return [
        piece
        for line, (least, most) in lines
        if (least <= high).all() and (most >= low).all()
        for piece in _clipped(line, low, high)
    ]


@cache
def _lines(which: str) -> tuple[tuple[FloatArray, tuple[FloatArray, FloatArray]], ...]:
    """Lines with their least and largest coordinates."""
    table, result = bundled_table("borders"), []
    for steps in table[which]:
        grid = np.cumsum(np.array(steps, dtype=np.int64).reshape(-1, 2), axis=0)
        line = grid / round(1 / table["unit"])  # division gives the floats nearest to two decimals
        result.append((line, (line.min(axis=0), line.max(axis=0))))
    return tuple(result)


def _clipped(line: FloatArray, low: FloatArray, high: FloatArray) -> list[FloatArray]:
    """The pieces of a line within a box, cut at its edges (Liang and Barsky 1984)."""
    start, step = line[:-1], np.diff(line, axis=0)
    still: BoolArray = step == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        at_low, at_high = (low - start) / step, (high - start) / step
    outside = still & ((start < low) | (start > high))
    # Where each step enters and leaves the box, as shares of its length in [0, 1]; it misses the box if enter >= leave.
    enter = np.where(still, np.where(outside, np.inf, 0.0), np.minimum(at_low, at_high)).max(axis=1)
    leave = np.where(still, 1.0, np.maximum(at_low, at_high)).min(axis=1)
    enter, leave = np.maximum(enter, 0.0), np.minimum(leave, 1.0)
    seen = enter < leave
    # A piece ends where its line leaves the box, or the next step is outside.
    starts = seen & ~(np.append(False, seen[:-1] & (leave[:-1] >= 1)) & (enter <= 0))
    first, ends, pieces = np.flatnonzero(starts), np.where(starts, np.arange(len(step)), -1), []
    for a in first.tolist():
        after = np.flatnonzero(~seen[a:] | (ends[a:] > a))
        last = a + int(after[0]) - 1 if after.size else len(step) - 1
        end = line[last + 1] if leave[last] >= 1 else start[last] + leave[last] * step[last]
        pieces.append(np.vstack([start[a] + enter[a] * step[a], line[a + 1 : last + 1], end]))
    return pieces
