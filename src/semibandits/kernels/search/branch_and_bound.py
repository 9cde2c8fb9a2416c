"""The search over parts: the largest goal a + f(c) over any decisions that can be maximised linearly, see `problem`.

A part of the decision set is given by items forced in and out; parts are searched depth first. At a multiplier, the bound of a
part (`hull`) for decisions in which an item changes sides is lower by the exchange cost of the item (`exchange_costs` of the
family). If this bound excludes a better answer, the item keeps its side in the whole part. Decisions of very different c may have
nearly the same index, as in a run of ESCB with many unknown items. Then the bound at the best multiplier fixes few items, and
multipliers for smaller and larger c fix most of the others.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray, runtime_constant
from semibandits.kernels.oracles.pointers import KNOWN, OraclePointers
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.search.classes import branching_item, force, write_classes
from semibandits.kernels.search.hull import bound_at, climb, look_closer, try_slope
from semibandits.kernels.search.problem import (
    AT_LEAST,
    BASE,
    BEST,
    BROKEN,
    CALLS,
    FAILED,
    FORCED,
    FOUND,
    NO_SLOT,
    POOL,
    PRECISION,
    ROOT,
    SOLVED,
    STOPPED,
    BudgetProblem,
    IndexProblem,
    Scales,
    Search,
    add_decision,
    gains,
    is_closed,
    limit_of,
    query,
    uncounted_search,
    value_of,
)
from semibandits.kernels.search.sums import attainable_sums

NO_LIMIT = runtime_constant(2**62)
ROUNDING = 1e-13
"""Tolerance for pairs above a line, in units of m times the largest weight."""
STEEPEST = 1e6
"""Largest multiplier of an edge, in units of max|rewards| / max bonuses."""
TINY = 1e-290
"""Lower bound on divisors, so that quotients are finite."""
SWEEPS = 2
"""Number of sweeps before a split; the second follows only if the first has fixed an item."""
SWEEP = 4
"""Number of multipliers of a sweep."""
WIDEST = 0.9
"""Largest relative distance of their roots of c from the best one."""
NONE_KNOWN = -1
"""The family does not implement exchange costs."""
BOUND, SLOPE, SPENT = 0, 1, 2
"""Places in the report of a search."""
REPORT = 3


@kernel(calls=True)
def fix(family: OraclePointers, data: tuple[IntArray, ...], s: Search, slope: float) -> int:
    """Force the items whose change of sides cannot give a better answer; return their number, or ``NONE_KNOWN``.

    The decision y must be best at `slope`.
    """
    forced, exchange_costs, path, y = s.forced, s.exchange_costs, s.path, s.y
    a = c = 0.0
    for i in range(len(y)):
        if y[i]:
            a += s.rewards[i]
            c += s.bonuses[i]
    if s.values[BEST] == -np.inf:
        return NONE_KNOWN
    room = bound_at(s, a, c, slope) - limit_of(s) + 4.0 * (s.scales.slack_a + slope * s.scales.slack_c)
    if family.exchange_costs(data, s.weights, y, forced, exchange_costs) != KNOWN:
        return NONE_KNOWN
    before = s.counts[FORCED]
    for i in range(len(y)):
        if forced[i] == 0 and exchange_costs[i] >= room:
            forced[i] = 1 if y[i] else -1
            path[s.counts[FORCED]], s.is_second[s.counts[FORCED]] = i, True
            s.counts[FORCED] += 1
    return int(s.counts[FORCED] - before)


@kernel(inline="always", calls=True)
def sweep(family: OraclePointers, data: tuple[IntArray, ...], s: Search, slope: float, gap: float) -> tuple[int, int]:
    """Fix items at multipliers on both sides of the best one, which leaves this gap; return their number and a status.

    Let r be the root of c. A decision that closes the gap has a + slope * c at most the bound minus 1 / (4 slope), hence r is
    between 1 / (2 slope) * (1 - w) and 1 / (2 slope) * (1 + w), with w = 2 sqrt(slope * gap). The multipliers are best for such
    r.
    """
    before = s.counts[FORCED]
    width = min(2.0 * math.sqrt(slope * gap), WIDEST)
    for step in range(SWEEP):
        factor = 1.0 + width * ((2 * step + 1) / SWEEP - 1.0)
        other = min(slope / factor, s.scales.steepest)
        answer = query(family, data, s, other)
        if answer != FOUND:
            return 0, FAILED if answer == BROKEN else SOLVED
        look_closer(family, data, s, add_decision(s, NO_SLOT, NO_SLOT))
        fix(family, data, s, other)
    return int(s.counts[FORCED] - before), SOLVED


@kernel
def split(s: Search, left: int, right: int, bound: float) -> bool:
    """Force an item in which two decisions differ to the side of the better one; False if they only differ by permutations."""
    item = branching_item(s, left, right)
    if item < 0:
        return False
    better = left if value_of(s, s.a[left], s.c[left]) >= value_of(s, s.a[right], s.c[right]) else right
    n_left = n_right = 0
    p = s.start[item]
    while p < len(s.order) and s.start[s.order[p]] == s.start[item]:
        n_left += s.rows[left, s.order[p]]
        n_right += s.rows[right, s.order[p]]
        p += 1
    more = left if n_left > n_right else right
    depth = s.counts[FORCED]
    s.path[depth], s.bounds[depth], s.is_second[depth] = item, bound, False
    s.counts[FORCED] += 1
    force(s, item, 1 if better == more else -1)
    return True


@kernel
def other_half(s: Search) -> tuple[bool, float]:
    """Return to the last split whose other half may contain a better answer, and enter it.

    Returns whether there is such a split, and its bound.
    """
    while s.counts[FORCED] > 0:
        depth = s.counts[FORCED] - 1
        item = s.path[depth]
        if not s.is_second[depth] and not is_closed(s, s.bounds[depth]):
            s.is_second[depth] = True
            force(s, item, -s.forced[item])
            return True, float(s.bounds[depth])
        s.forced[item] = 0
        s.counts[FORCED] -= 1
    return False, -np.inf


@kernel
def open_bound(s: Search, bound: float) -> float:
    """Bound of all parts that are still open, including the current one of bound `bound`."""
    largest = bound
    for depth in range(s.counts[FORCED]):
        if not s.is_second[depth]:
            largest = max(largest, s.bounds[depth])
    return float(max(largest, s.values[BEST]))


@kernel(calls=True)
def explore(family: OraclePointers, data: tuple[IntArray, ...], s: Search, hint: float, most: int, report: FloatArray) -> int:
    """Search all parts within the budget; return a status."""
    bound = math.inf
    if 0.0 < hint < math.inf:
        bound, status = try_slope(family, data, s, hint)
        report[SLOPE] = hint
        if status != SOLVED:
            return status
    sweeps, is_sorted = SWEEPS, False
    while True:
        bound, left, right, slope, status = climb(family, data, s, bound, most)
        if s.counts[FORCED] == 0:
            report[SLOPE] = slope
        if status == SOLVED and left >= 0 and not is_closed(s, bound) and not gains(s):
            fixed = fix(family, data, s, slope) if s.counts[CALLS] < most else NONE_KNOWN
            if fixed > 0:
                continue
            if s.counts[CALLS] >= most:
                status = STOPPED
            elif fixed == 0 and sweeps > 0 and s.scales.goal == ROOT:
                fixed, status = sweep(family, data, s, slope, bound - s.values[BEST])
                sweeps = sweeps - 1 if fixed > 0 else 0
                if status == SOLVED:
                    continue
            else:
                if not is_sorted:
                    write_classes(data[7], s.rewards, s.bonuses, s.order, s.place, s.start)
                    is_sorted = True
                if split(s, left, right, bound):
                    continue
        if status != SOLVED:
            report[BOUND] = open_bound(s, bound)
            return status
        if gains(s):
            report[BOUND] = open_bound(s, bound)
            return SOLVED
        is_open, bound = other_half(s)
        if not is_open:
            report[BOUND] = limit_of(s) if s.values[BEST] > -np.inf else -np.inf
            return SOLVED


@kernel
def largest(numbers: FloatArray) -> float:
    """Largest absolute value."""
    found = 0.0
    for number in numbers:
        found = max(found, abs(number))
    return found


@kernel(calls=True)
def without_bonuses(
    family: OraclePointers, data: tuple[IntArray, ...], rewards: FloatArray, x: BoolArray, report: FloatArray
) -> int:
    """Write a decision of largest reward into x."""
    report[BOUND], report[SLOPE], report[SPENT] = math.inf, 0.0, 1.0
    return SOLVED if family.linear(data, rewards, x) == ANSWERED else FAILED


@kernel
def fresh(rewards: FloatArray, bonuses: FloatArray, m: int, scales: Scales, sums: FloatArray, x: BoolArray) -> Search:
    """A new search."""
    d = len(rewards)
    return Search(
        rewards,
        bonuses,
        np.empty(d),
        np.empty(d, dtype=np.bool_),
        np.zeros(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty((POOL, d), dtype=np.bool_),
        np.empty(POOL),
        np.empty(POOL),
        np.empty(POOL, dtype=np.int64),
        np.zeros(3, dtype=np.int64),
        np.full(2, -np.inf),
        x,
        scales,
        m,
        np.empty(d),
        np.empty(d),
        np.zeros(d, dtype=np.bool_),
        sums,
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
        np.empty(d, dtype=np.int64),
    )


@kernel
def scaled(
    rewards: FloatArray, bonuses: FloatArray, m: int, ratio: float, share: float, goal: int, at_least: float, step: float
) -> Scales:
    """Tolerances for numbers of this size."""
    largest_a, largest_c = largest(rewards), largest(bonuses)
    steepest = STEEPEST * (largest_a if largest_a > 0 else 1.0) / max(largest_c, TINY)
    slack_a, slack_c = ROUNDING * m * largest_a, ROUNDING * m * largest_c
    return Scales(ratio, share, slack_a, slack_c, PRECISION * m * largest_a, steepest, goal, at_least, step)


@kernel
def begin(problem: IndexProblem, x: BoolArray) -> Search:
    """A new search, which has met the base and the guess if the share is below 1."""
    rewards, bonuses, m = problem.rewards, problem.bonuses, problem.m
    scales = scaled(rewards, bonuses, m, problem.ratio, problem.share, ROOT, 0.0, 0.0)
    s = fresh(rewards, bonuses, m, scales, attainable_sums(bonuses, m), x)
    if problem.share < 1.0:
        write(s.y, x)
        add_decision(s, NO_SLOT, NO_SLOT)
        s.values[BASE] = s.values[BEST]
        write(s.y, problem.guess)
        add_decision(s, NO_SLOT, NO_SLOT)
    return s


@kernel(calls=True)
def index_search(
    family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray, report: FloatArray
) -> int:
    """Write a decision of largest index into `x`, up to the ratio and the share of the problem.

    With a share below 1, x is initially the base. The last array of `data` contains the roles of the items, see `classes`, or is
    empty. `report` becomes a bound on the index of all decisions (up to ratio and share), the best multiplier, and the number of
    oracle calls. Returns ``SOLVED``; ``STOPPED`` without a proof: x is then the best decision found; or ``FAILED`` without an
    answer.
    """
    if largest(problem.bonuses) == 0.0:
        return without_bonuses(family, data, problem.rewards, x, report)
    s = begin(problem, x)
    status = explore(family, data, uncounted_search(s), problem.hint, problem.budget, report)
    report[SPENT] = float(s.counts[CALLS])  # this also keeps the arrays alive while they are lent
    return status


@kernel(inline="always", calls=True)
def budget_search(
    family: OraclePointers, data: tuple[IntArray, ...], problem: BudgetProblem, x: BoolArray, report: FloatArray
) -> int:
    """Write a decision of largest reward that meets the budget into `x`.

    Parameters and statuses are those of :func:`index_search`. The bound of the report is -inf if no decision meets the budget;
    x is then undefined.
    """
    rewards, budgets, m = problem.rewards, problem.budgets, problem.m
    scales = scaled(rewards, budgets, m, 1.0, 1.0, AT_LEAST, problem.at_least, problem.step)
    s = fresh(rewards, budgets, m, scales, np.empty(0), x)
    report[BOUND], report[SLOPE] = math.inf, 0.0
    status = explore(family, data, uncounted_search(s), 0.0, NO_LIMIT, report)
    report[SPENT] = float(s.counts[CALLS])  # this also keeps the arrays alive while they are lent
    return status
