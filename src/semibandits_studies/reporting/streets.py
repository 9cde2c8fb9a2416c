"""Routes in words: the streets along them, and where to turn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import atan2, cos, degrees, hypot, radians
from typing import Final

from semibandits._typing import BoolArray, FloatArray
from semibandits.decisions.paths import Paths
from semibandits.decisions.routes import Routes
from semibandits.instances import Instance
from semibandits_studies.reporting.formatting import UNNAMED, Named, streets_of

SLIGHT: Final = 25.0
SHARP: Final = 120.0
"""Angles in degrees from which a turn is one, and from which it is sharp."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Consecutive links of a route on one street."""

    street: str  # "" if it has no name
    nodes: tuple[Hashable, ...]  # both ends included
    items: tuple[int, ...]  # its links


def stretches(instance: Named, decision: BoolArray) -> list[Stretch]:
    """A path or route, street by street; empty if its links have no street names."""
    x, streets = instance.decision_set, streets_of(instance)
    if not streets or not isinstance(x, Paths | Routes):
        return []
    nodes, items = x.walk(decision), x.order(decision).tolist()
    parts, at = [], 0
    for street, group in groupby(items, key=lambda item: streets[item]):
        run = tuple(group)
        parts.append(Stretch(street, tuple(nodes[at : at + len(run) + 1]), run))
        at += len(run)
    return parts


def directions(instance: Instance, decision: BoolArray, costs: FloatArray) -> list[tuple[str, float]]:
    """What to do along a route with street names: an instruction for each street, and what its links cost.

    Turns are known only with positions. `decision` and `costs` have the shape (d,).
    """
    rows: list[tuple[str, float]] = []
    before: Stretch | None = None
    for part in stretches(instance, decision):
        street = part.street or UNNAMED
        text = f"start on {street}" if before is None else f"{_turn(instance, before, part)} {street}"
        rows.append((text, sum(float(costs[i]) for i in part.items)))
        before = part
    return rows


def _turn(instance: Instance, before: Stretch, after: Stretch) -> str:
    """How to turn from one street into the next one."""
    places = instance.positions
    if places is None:
        return "take"
    one, corner, other = (places[v] for v in (before.nodes[-2], before.nodes[-1], after.nodes[1]))
    shrink = cos(radians(corner[1])) if instance.geographic else 1.0
    first, second = _step(one, corner, shrink), _step(corner, other, shrink)
    if not hypot(*first) or not hypot(*second):
        return "continue on"
    angle = degrees(
        atan2(first[0] * second[1] - first[1] * second[0], first[0] * second[0] + first[1] * second[1])
    )  # counterclockwise
    if abs(angle) < SLIGHT:
        return "continue on"
    side = "left" if angle > 0 else "right"
    return f"turn sharp {side} into" if abs(angle) > SHARP else f"turn {side} into"


def _step(start: Sequence[float], end: Sequence[float], shrink: float) -> tuple[float, float]:
    return (end[0] - start[0]) * shrink, end[1] - start[1]
