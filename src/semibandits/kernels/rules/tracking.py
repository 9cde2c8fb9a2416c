"""Rule of OSSB: follow a plan, item by item."""

from __future__ import annotations

import math
from typing import NamedTuple

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.machine.uncounted import uncounted
from semibandits.kernels.rules.actions import COVER, LINEAR, LOG, LOGLOG, PLAY, REPLAN
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, SCALES, exploration

FORCED, GROWTH = 3, 4
"""Places in the parameters: epsilon, the share of the number of exploration rounds that the count of every item must reach; and
the share by which a count must have grown since the last plan to require another one."""
INVERSES, REFERENCES, TOLERANCES, OBSERVED, BLOCKS = 0, 1, 2, 3, 4
"""Blocks of d numbers in `memory`, see :class:`OssbState`, and their number."""
EXPLORED, PLANNED, EXPLOITED, MARKS = 0, 1, 2, 3
"""Places in `marks`, see :class:`OssbState`, and their number."""


class OssbState(NamedTuple):
    """Views of the state of the rule once it has a plan. Single numbers are views of shape (1,)."""

    inverses: FloatArray  # (d,): 1 / rate, inf for items that need no exploration
    # Means at the last plan, shape (d,), and how far they may move without another plan.
    references: FloatArray
    tolerances: FloatArray
    observed: FloatArray  # (d,): numbers of observed rewards at the last plan
    explored: IntArray  # number of exploration rounds so far
    exploited: IntArray  # number of exploitation rounds since the last plan
    rows: BoolArray  # (k + 1, d): decisions of the plan, then its optimal decision
    planned: BoolArray  # (k, d): the first of these rows, the decisions of the plan
    optimal: BoolArray  # (d,): the last of these rows


@kernel(error_model="numpy")
def ossb_state(memory: FloatArray, marks: IntArray, rows: BoolArray, d: int) -> OssbState:
    """Views of the saved arrays of the rule for d items."""
    memory, marks, rows = (uncounted(memory), uncounted(marks), uncounted(rows))  # reference counts would cost 70 ns per round
    return OssbState(
        memory[INVERSES * d : (INVERSES + 1) * d],
        memory[REFERENCES * d : (REFERENCES + 1) * d],
        memory[TOLERANCES * d : (TOLERANCES + 1) * d],
        memory[OBSERVED * d : (OBSERVED + 1) * d],
        marks[EXPLORED : EXPLORED + 1],
        marks[EXPLOITED : EXPLOITED + 1],
        rows,
        rows[: marks[PLANNED]],
        rows[len(rows) - 1],
    )


@kernel(error_model="numpy")
def ossb(t: int, state: RuleState, request: Request) -> int:
    """Exploit if every item has its share of f(t) or x* itself is uncertain; otherwise explore the rarest of the other items."""
    params, stats = state.params, state.stats
    if state.marks[PLANNED] < 0:
        return REPLAN
    s = ossb_state(state.memory, state.marks, state.rows, len(request.x))
    if is_stale(params[GROWTH], stats, s):
        return REPLAN
    f = exploration(t, params[LOG], params[LOGLOG])
    item = rarest_behind(f, stats, s.inverses)
    row = -1 if item < 0 else most_lacking(item, f, stats, s.inverses, s.planned)
    if row < 0 or not is_informative(stats, s.rows[row], s.optimal):
        s.exploited[0] += 1
        write(request.weights, stats[MEANS])
        return LINEAR
    s.explored[0] += 1
    # If two decisions tie, exploration never ends and costs nothing; forced exploration must end nevertheless.
    fewest, is_behind = min(params[FORCED] * s.explored[0], f), False
    for i in range(len(s.optimal)):
        request.bonuses[i] = stats[COUNTS, i] if stats[COUNTS, i] < fewest else math.inf
        is_behind |= stats[COUNTS, i] < fewest
    write(request.x, s.rows[row])
    return COVER if is_behind else PLAY


@kernel(error_model="numpy")
def is_stale(growth: float, stats: FloatArray, s: OssbState) -> bool:
    """Whether a mean has moved too far while its count grew, or a decision other than the x* of the plan is exploited.

    Both need a number of rounds in proportion to a count, so plans are made as often as counts grow by a constant factor.
    """
    changed = False
    for i in range(len(s.optimal)):
        gained = stats[PLAYS, i] - s.observed[i]
        changed |= gained > 0.0
        moved = abs(stats[MEANS, i] - s.references[i])
        if gained > 0.0 and gained >= growth * s.observed[i] and moved > s.tolerances[i]:
            return True
    if changed:
        for i in range(len(s.optimal)):
            before = s.observed[i]
            if s.optimal[i] and s.exploited[0] - (stats[COUNTS, i] - before) > growth * before:
                return True
    return False


@kernel(error_model="numpy")
def rarest_behind(f: float, stats: FloatArray, inverses: FloatArray) -> int:
    """Item of smallest count among those with a count per rate below f; -1 if there are none.

    The item furthest behind would often be one of a near-tie, which may delay all other items for a long time.
    """
    fewest, item = math.inf, -1
    for i in range(len(inverses)):
        if stats[COUNTS, i] * inverses[i] < f and stats[COUNTS, i] < fewest:
            fewest, item = stats[COUNTS, i], i
    return item


@kernel(error_model="numpy")
def most_lacking(item: int, f: float, stats: FloatArray, inverses: FloatArray, planned: BoolArray) -> int:
    """Row of the plan with `item` whose items together lack most of their shares; -1 if there is none.

    An item with more than its share counts against a decision, but at most as much as an item without plays counts for it.
    """
    row, most = -1, -math.inf
    for k in range(len(planned)):
        if planned[k, item]:
            lack = 0.0
            for i in range(len(inverses)):
                if planned[k, i] and inverses[i] < math.inf:
                    lack += max(-1.0, 1.0 - stats[COUNTS, i] * inverses[i] / f)
            if lack > most:
                row, most = k, lack
    return row


@kernel(error_model="numpy")
def is_informative(stats: FloatArray, x: BoolArray, optimal: BoolArray) -> bool:
    """Whether the gap of x is at least as uncertain for the items that enter as for those that leave."""
    entering = leaving = 0.0
    for i in range(len(x)):
        if x[i] and not optimal[i]:
            entering += stats[SCALES, i]
        elif optimal[i] and not x[i]:
            leaving += stats[SCALES, i]
    return entering >= leaving
