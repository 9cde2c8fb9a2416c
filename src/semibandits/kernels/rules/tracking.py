"""Rule of OSSB: follow a plan, item by item."""

from __future__ import annotations

import math

from semibandits.kernels.rules.actions import LINEAR, LOG, LOGLOG, PLAY, REPLAN
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, SCALES, exploration
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

FORCED, GROWTH = 3, 4
"""Places in the parameters: of epsilon, the share of the number of exploration rounds that every item's count must reach; and of
the share by which a count must have grown since the last plan to call for another."""
INVERSES, REFERENCES, TOLERANCES, TOLD = 0, 1, 2, 3
"""Blocks of d numbers in `memory`: 1 / rate (inf where none is needed); means at the last plan, how far they may move from there
without another plan, and plays told at the last plan."""
BLOCKS = 4
EXPLORED, PLANNED, EXPLOITED = 0, 1, 2
"""Places in `marks`: exploration rounds so far; decisions in the plan, -1 before the first; exploitation rounds since then."""
HEAD = 3
"""In `marks` follows, for each item, the row that covers it, -1 if none does. `rows` are the decisions of the plan, those that
cover all items, and last the optimal decision of the plan."""


@kernel(error_model="numpy")
def ossb(
    t: int, params: FloatArray, stats: FloatArray, z: FloatArray, memory: FloatArray, marks: IntArray, rows: BoolArray,
    weights: FloatArray, bonuses: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """Exploit if every item has its share of f(t), else explore the rarest of the others, unless x* is what is uncertain."""
    if marks[PLANNED] < 0 or stale(params[GROWTH], stats, memory, marks, rows[len(rows) - 1]):
        return REPLAN
    f = exploration(t, params[LOG], params[LOGLOG])
    item = rarest_behind(f, stats, memory)
    row = -1 if item < 0 else most_lacking(item, f, stats, memory, marks, rows)
    if row < 0 or not informative(stats, rows[row], rows[len(rows) - 1]):
        marks[EXPLOITED] += 1
        weights[:] = stats[MEANS]
        return LINEAR
    marks[EXPLORED] += 1
    # Where two decisions tie, exploration never ends, and costs nothing; what is forced must end all the same.
    fewest = min(params[FORCED] * marks[EXPLORED], f)
    for i in range(len(weights)):
        if marks[HEAD + i] >= 0 and stats[COUNTS, i] < fewest:
            row, fewest = marks[HEAD + i], stats[COUNTS, i]
    x[:] = rows[row]
    return PLAY


@kernel(error_model="numpy")
def stale(growth: float, stats: FloatArray, memory: FloatArray, marks: IntArray, optimal: BoolArray) -> bool:
    """Whether a mean has moved too far, its count having grown, or something else than the plan's x* is exploited.

    Both ask for a number of rounds in proportion to a count: plans are needed as often as counts grow by a constant factor.
    """
    d, changed = len(optimal), False
    for i in range(d):
        before = memory[TOLD * d + i]
        gained = stats[PLAYS, i] - before
        changed |= gained > 0.0
        moved = abs(stats[MEANS, i] - memory[REFERENCES * d + i])
        if gained > 0.0 and gained >= growth * before and moved > memory[TOLERANCES * d + i]:
            return True
    if changed:
        for i in range(d):
            before = memory[TOLD * d + i]
            if optimal[i] and marks[EXPLOITED] - (stats[COUNTS, i] - before) > growth * before:
                return True
    return False


@kernel(error_model="numpy")
def rarest_behind(f: float, stats: FloatArray, memory: FloatArray) -> int:
    """Of the items with a count per rate below f the one of smallest count; -1 if there is none.

    The item furthest behind would often be one of a near-tie, which may keep all others waiting for a long time.
    """
    fewest, item = math.inf, -1
    for i in range(stats.shape[1]):
        if stats[COUNTS, i] * memory[i] < f and stats[COUNTS, i] < fewest:
            fewest, item = stats[COUNTS, i], i
    return item


@kernel(error_model="numpy")
def most_lacking(item: int, f: float, stats: FloatArray, memory: FloatArray, marks: IntArray, rows: BoolArray) -> int:
    """Of the plan's decisions with `item` the one whose items together lack most of their shares; -1 if there is none.

    An item that has more than its share counts against a decision, but no more than one that has nothing counts for it.
    """
    row, most = -1, -math.inf
    for k in range(marks[PLANNED]):
        if rows[k, item]:
            lack = 0.0
            for i in range(stats.shape[1]):
                if rows[k, i] and memory[i] < math.inf:
                    lack += max(-1.0, 1.0 - stats[COUNTS, i] * memory[i] / f)
            if lack > most:
                row, most = k, lack
    return row


@kernel(error_model="numpy")
def informative(stats: FloatArray, x: BoolArray, optimal: BoolArray) -> bool:
    """Whether the gap of x is at least as uncertain for the items that enter as for those that leave."""
    entering = leaving = 0.0
    for i in range(len(x)):
        if x[i] and not optimal[i]:
            entering += stats[SCALES, i]
        elif optimal[i] and not x[i]:
            leaving += stats[SCALES, i]
    return entering >= leaving
