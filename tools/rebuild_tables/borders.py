"""Rebuild borders.json: outlines of countries, and the borders between the states of the USA, for maps.

    npm pack world-atlas@2.0.2 us-atlas@3.0.1
    python tools/rebuild_tables/borders.py world-atlas-2.0.2.tgz us-atlas-3.0.1.tgz

Both packages redistribute data that are in the public domain: Natural Earth 4.1.0 at 1:50m, and the cartographic
boundary files of the US Census Bureau, 2017. Lines are rounded to 0.01 degrees and thinned to within 0.02 degrees, islands
below 0.02 square degrees are omitted.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from common import lines, member, package_facts, run

GRID = 0.01
TOLERANCE = 0.02
SMALLEST_ISLAND = 0.02
WORLD, STATES = "countries-50m.json", "states-10m.json"


def build(packages: list[Path]) -> str:
    """The table as JSON: each line as its first point and the steps from there, in units of 0.01 degrees."""
    world, states = (json.loads(member(package, name)) for package, name in zip(packages, (WORLD, STATES), strict=True))
    outlines = [arc for arc in arcs_of(world) if not is_small_island(arc)]
    between = Counter(arc for state in states["objects"]["states"]["geometries"] for arc in set(arc_numbers(state)))
    inner = [arc for k, arc in enumerate(arcs_of(states)) if between[k] == 2]
    head = {"unit": GRID, "sources": [package_facts(package) for package in packages]}
    return (
        json.dumps(head)[:-1]
        + ",\n "
        + ",\n ".join(
            f'"{key}": {lines([steps(thinned(piece)) for arc in arcs for piece in without_edges(arc)])}'
            for key, arcs in (("countries", outlines), ("states", inner))
        )
        + "\n}\n"
    )


def arcs_of(topology: dict[str, Any]) -> list[np.ndarray]:
    """Arcs of a TopoJSON topology as arrays of longitude and latitude; each border is one arc, drawn once."""
    scale, translate = (np.array(topology["transform"][key]) for key in ("scale", "translate"))
    return [np.cumsum(np.array(arc), axis=0) * scale + translate for arc in topology["arcs"]]


def arc_numbers(geometry: dict[str, Any]) -> list[int]:
    """Numbers of the arcs that bound a geometry."""
    polygons = [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry["arcs"]
    return [arc if arc >= 0 else ~arc for polygon in polygons for ring in polygon for arc in ring]


def is_small_island(line: np.ndarray) -> bool:
    """Whether a line is closed and encloses less than `SMALLEST_ISLAND` square degrees of the equator."""
    if not np.array_equal(line[0], line[-1]):
        return False
    x, y = (line - line[0]).T
    area = abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2 * np.cos(np.radians(line[0, 1]))
    return bool(area < SMALLEST_ISLAND)


def thinned(line: np.ndarray) -> np.ndarray:
    """The Ramer-Douglas-Peucker subset of the points of a line; a closed line is first cut at its farthest point."""
    keep = np.zeros(len(line), dtype=bool)
    keep[[0, -1]] = True
    far = int(np.argmax(np.hypot(*(line - line[0]).T)))
    keep[far] = True
    parts = [(0, far), (far, len(line) - 1)]
    while parts:
        a, b = parts.pop()
        if b - a < 2:
            continue
        along, inner = line[b] - line[a], line[a + 1 : b] - line[a]
        length = float(np.hypot(*along))
        off = np.abs(inner @ [-along[1], along[0]]) / length if length else np.hypot(*inner.T)
        middle = a + 1 + int(np.argmax(off))
        if off.max() > TOLERANCE:
            keep[middle] = True
            parts += [(a, middle), (middle, b)]
    return line[keep]


def without_edges(line: np.ndarray) -> list[np.ndarray]:
    """The line without parts along or across the edge of the map: the meridian of 180 degrees and the South Pole."""
    rim = (np.abs(line[:, 0]) > 179.99) | (line[:, 1] < -89.9)
    across = np.abs(np.diff(line[:, 0])) > 180
    along = np.flatnonzero(rim[:-1] & rim[1:] | across)
    return [piece for piece in np.split(line, along + 1) if len(piece) > 1]


def steps(line: np.ndarray) -> list[int]:
    """First point and steps in units of the grid, flat; steps of length 0 are omitted."""
    grid = np.rint(line / GRID).astype(int)
    moves = np.diff(grid, axis=0)
    moves = moves[moves.any(axis=1)]
    return [*grid[0].tolist(), *moves.ravel().tolist()]


if __name__ == "__main__":
    run("borders.json", build, ["world-atlas", "us-atlas"], __doc__.splitlines()[0])
