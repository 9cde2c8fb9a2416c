"""Drawings of decision sets: a network, a heat map or bars. Positions are shares of a box; styles are added by the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matchings import Matchings
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.families.family import Network
from semibandits.families.registry import family_of
from semibandits.matroids import Matroid, Partition
from semibandits_studies.datasets.borders import borders
from semibandits_studies.plotting.layout import is_map, node_positions, part_of
from semibandits_studies.reporting.formatting import Named
from semibandits_studies.reporting.report_data import Structure
from semibandits_studies.reporting.streets import stretches

MOST_NODES: Final = 3_000
MOST_NODES_ON_SPRINGS: Final = 600
"""Larger graphs without positions are shown as bars: their layout is slow and illegible."""
NARROWEST: Final = 0.25
"""Smallest ratio of the sides of a drawing; the nodes of a thinner one are centred."""
MOST_CELLS: Final = 5_000
"""Larger matrices are shown as bars: a page with more elements is slow, and names become too small."""
MOST_STREETS: Final = 6_000
"""Largest number of links that are drawn in the background only."""
DIGITS: Final = 4
"""Decimals of positions, which are shares of the sides."""
BORDER_MARGIN: Final = 0.06
"""Extent of borders beyond the box, as a share of its sides."""
BORDER_RESOLUTION: Final = 1e-3
"""Points of borders that are closer than this share of a side are left out."""


def network_of(decisions: DecisionSet) -> Network | None:
    """The graph whose edges are the items of a decision set, or None."""
    family = family_of(decisions)
    return None if family is None else family.network(decisions)


def link_labels(decisions: DecisionSet, labels: Sequence[str], streets: Sequence[str] = ()) -> tuple[str, ...]:
    """Labels of items: texts of pairs become ``u → v`` or ``u – v``, after the name of their street, and empty labels numbers."""
    labels = [label if label.strip() else f"item {i}" for i, label in enumerate(labels)]
    network = network_of(decisions)
    if network is None:
        return tuple(labels)
    link, texts = " → " if network.directed else " – ", []
    for item, label in zip(decisions.items, labels, strict=True):
        if isinstance(item, tuple) and label == str(item):
            label = f"{item[0]}{link}{item[1]}" + (f" (#{item[2] + 1})" if len(item) > 2 else "")
        texts.append(label)
    return tuple(f"{street}, {text}" if street else text for street, text in zip_longest(streets, texts))


def drawing_of(structure: Structure, shown: IntArray | None = None, named: Sequence[BoolArray] = ()) -> dict[str, Any]:
    """The drawing of a decision set, which contains every shown item once; the shown items are numbered from 0.

    `shown` are items in ascending order, by default all. `named` are routes, shape (d,), whose street names are written if links
    have street names; nodes have no names then. Positions must be known for every node or for none.
    """
    decisions = structure.decision_set
    network = network_of(decisions)
    shown = np.arange(decisions.d) if shown is None else shown
    most = MOST_NODES if network is not None and network.order is not None else MOST_NODES_ON_SPRINGS
    if network is not None and (structure.positions is not None or len(network.nodes) <= most):
        return _network(network, structure, shown, node_names(network, structure, named))
    if isinstance(decisions, Matchings) and len(shown) == decisions.d and is_matrix(decisions):
        pairs = zip(decisions.row_index.tolist(), decisions.column_index.tolist(), strict=True)
        return {
            "kind": "heatmap",
            "rows": [str(row) for row in decisions.rows],
            "columns": [str(column) for column in decisions.columns],
            "cells": [{"item": item, "row": row, "column": column} for item, (row, column) in enumerate(pairs)],
        }
    groups, name = _named_groups(structure)
    return {"kind": "bars", "groups": groups and [groups[i] for i in shown.tolist()], "group_name": name}


def is_matrix(decisions: DecisionSet) -> bool:
    """Whether a decision set is drawn as a heat map with a cell for each pair: matchings without parallel pairs."""
    return (
        isinstance(decisions, Matchings)
        and len(decisions.rows) * len(decisions.columns) <= MOST_CELLS
        and not any(isinstance(item, tuple) and len(item) > 2 for item in decisions.items)
    )


def node_names(network: Network, instance: Named, named: Sequence[BoolArray]) -> list[str]:
    """Name of each node; where streets along the routes have several links, the name of a street at a node in its middle.

    `named` are the routes along which streets are named, shape (d,).
    """
    parts = [part for decision in named for part in stretches(instance, decision)]
    if not any(part.street and len(part.items) > 1 for part in parts):
        return [str(node) for node in network.nodes]
    number = {node: v for v, node in enumerate(network.nodes)}
    names, written = [""] * len(number), set()
    for part in parts:
        v = number[part.nodes[len(part.nodes) // 2]]
        if part.street and part.street not in written and not names[v]:
            written.add(part.street)
            names[v] = part.street
    for end, name in ((network.source, "start"), (network.target, "destination")):
        if end is not None:
            names[end] = name
    return names


def _network(network: Network, structure: Structure, shown: IntArray, names: Sequence[str]) -> dict[str, Any]:
    places, stretch = node_positions(network, structure.positions), None
    geographic = structure.positions is not None and structure.geographic and is_map(places)
    points = _projected(_across_date_line(places)) if geographic else places * (1.0, -1.0)
    if structure.positions is None and network.order is not None:
        layers, rows = np.ptp(points, axis=0) + 1.0
        stretch = float(np.clip(1.6 * layers / rows, 0.9, 3.0))
    ends = {v: end for v, end in ((network.source, "source"), (network.target, "target")) if v is not None}
    nodes, tails, heads = part_of(network.tails[shown], network.heads[shown], list(ends))
    if len(shown) == len(network.tails):
        nodes, tails, heads = np.arange(len(network.nodes)), network.tails, network.heads
    frame = _Frame.around(points[nodes], stretch)
    return {
        "kind": "network",
        "directed": network.directed,
        "geographic": geographic,
        "aspect": round(frame.aspect, DIGITS),
        "nodes": [
            {"name": names[v], "x": x, "y": y, "end": ends.get(v)}
            for v, (x, y) in zip(nodes.tolist(), frame.shares(points[nodes]), strict=True)
        ],
        "edges": _edges(tails, heads),
        "borders": _borders(frame) if geographic else [],
        "backdrop": _backdrop(network, shown, frame, points),
    }


def _across_date_line(places: FloatArray) -> FloatArray:
    """The places, with longitudes beyond 180 degrees east of the date line if all lie within 180 degrees across it."""
    longitudes = np.sort(places[:, 0] % 360.0)
    if np.ptp(places[:, 0]) <= 180.0:
        return places
    gaps = np.diff(longitudes, append=longitudes[0] + 360.0)
    widest = int(gaps.argmax())
    if gaps[widest] < 180.0:
        return places
    west = (longitudes[(widest + 1) % len(longitudes)] + 180.0) % 360.0 - 180.0
    return np.stack([west + (places[:, 0] - west) % 360.0, places[:, 1]], axis=1)


def _projected(places: FloatArray) -> FloatArray:
    """Mercator's projection, y downwards, which preserves small shapes."""
    longitude, latitude = np.radians(places).T
    return np.stack([longitude, -np.arctanh(np.sin(latitude))], axis=1)


@dataclass(frozen=True, eq=False)
class _Frame:
    """The box around a drawing: its upper left corner, its sides, and their ratio as drawn."""

    corner: FloatArray
    sides: FloatArray
    aspect: float

    @staticmethod
    def around(points: FloatArray, stretch: float | None) -> _Frame:
        """The box of points. `stretch` is its width over its height; None if both directions have the same unit."""
        low, sides = points.min(axis=0), np.ptp(points, axis=0)
        least = np.where(sides > 0, sides, 1.0) if stretch is not None else NARROWEST * (float(sides.max()) or 1.0)
        wide = np.maximum(sides, least)
        return _Frame(low - (wide - sides) / 2, wide, float(wide[0] / wide[1]) if stretch is None else stretch)

    def shares(self, points: FloatArray) -> list[list[float]]:
        """Points as shares of the sides."""
        shares: list[list[float]] = (np.round((points - self.corner) / self.sides, DIGITS) + 0.0).tolist()
        return shares


def _edges(tails: IntArray, heads: IntArray) -> list[dict[str, int]]:
    """Items with their ends; those between the same two nodes, in either direction, are numbered from 0."""
    seen: Counter[tuple[int, int]] = Counter()
    edges = []
    for item, (tail, head) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        pair = (min(tail, head), max(tail, head))
        edges.append({"item": item, "tail": tail, "head": head, "parallel": seen[pair]})
        seen[pair] += 1
    return edges


def _backdrop(network: Network, shown: IntArray, frame: _Frame, points: FloatArray) -> list[list[float]]:
    """Lines [x, y, x, y] of links that are not shown themselves, each direction once, with an end near the frame."""
    if len(shown) == len(network.tails):
        return []
    shares = (points - frame.corner) / frame.sides
    is_near: BoolArray = np.abs(shares - 0.5).max(axis=1) <= 0.5 + BORDER_MARGIN
    hidden = np.ones(len(network.tails), dtype=np.bool_)
    hidden[shown] = False
    hidden &= is_near[network.tails] & is_near[network.heads] & (network.tails != network.heads)
    pairs = np.unique(np.sort(np.stack((network.tails, network.heads))[:, hidden], axis=0), axis=1)
    lengths = np.abs(shares[pairs[0]] - shares[pairs[1]]).max(axis=1)
    longest = np.sort(np.argsort(-lengths, kind="stable")[:MOST_STREETS])
    lines: list[list[float]] = np.round(np.hstack((shares[pairs[0]], shares[pairs[1]])), DIGITS)[longest].tolist()
    return lines


def _borders(frame: _Frame) -> list[list[list[float]]]:
    """Outlines of countries in the box, thinned to the visible resolution."""
    ends = frame.corner + frame.sides * np.array([[-BORDER_MARGIN], [1.0 + BORDER_MARGIN]])
    west, east = np.degrees(ends[:, 0]).tolist()
    north, south = np.degrees(np.arcsin(np.tanh(-ends[:, 1]))).tolist()  # the inverse of `_projected`
    lines = []
    for turn in (0.0, -360.0, 360.0):  # outlines end at the date line, but a map may cross it
        for line in borders(west - turn, south, east - turn, north, margin=0.0):
            moved = np.clip(line + np.array([turn, 0.0]), (-540.0, -85.0), (540.0, 85.0))
            points = (_projected(moved) - frame.corner) / frame.sides
            cells = np.floor(points / BORDER_RESOLUTION)
            keep = np.append((cells[1:] != cells[:-1]).any(axis=1), True)
            keep[0] = True
            lines.append((np.round(points[keep], DIGITS) + 0.0).tolist())
    return lines


def _named_groups(structure: Structure) -> tuple[list[str] | None, str]:
    """The group of each item and the noun for groups, if items have groups."""
    decisions = structure.decision_set
    if isinstance(decisions, Matchings):
        return [str(decisions.rows[row]) for row in decisions.row_index.tolist()], "row"
    matroids: tuple[Matroid, ...] = ()
    if isinstance(decisions, MatroidIntersection):
        matroids = (decisions.m1, decisions.m2)
    elif isinstance(decisions, MatroidDecisions):
        matroids = (decisions.matroid,)
    for place, matroid in enumerate(matroids):
        if isinstance(matroid, Partition):
            texts = structure.description.get("matroids", [structure.description.get("matroid")])
            text = texts[place] if isinstance(texts, list | tuple) and place < len(texts) else None
            names = text.get("groups") if isinstance(text, Mapping) else None
            if isinstance(names, list | tuple) and len(names) == len(matroid.groups):
                return [str(name) for name in names], "group"
            return [f"group {group + 1}" for group in matroid.groups.tolist()], "group"
    return None, ""
