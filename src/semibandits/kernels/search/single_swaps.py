"""Proofs by single swaps around the basis x of largest reward that no basis of a matroid has an index above a limit.

In another basis a set S of items enters, each for a different item that could also leave for it in a single swap. Hence its
reward is at most a(x) minus the sum of the gaps of S, and its bonus at most c(x) plus the sum of the gains of S, where the gap of
an item is its smallest loss of reward in a single swap, and its gain the largest growth of the bonus, at least 0. As the
root is concave, the contribution of an item to ``a - gaps(S) + sqrt(c + gains(S))`` shrinks as S grows.

Around a base without bonus, c = 0, single swaps are enough: if ``gain_i <= gap_i^2`` for every item, then
``gains(S) <= sum of gap_i^2 <= gaps(S)^2``, and no basis has a larger index than x. So one pass decides whether any basis has a
larger index than the base (docs/policies/optimality.md, A).
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.pointers import KNOWN, Basis, OraclePointers, Swaps
from semibandits.kernels.search.branch_and_bound import BOUND, SLOPE, SPENT, begin, explore, largest, without_bonuses
from semibandits.kernels.search.problem import (
    BROKEN,
    CALLS,
    FAILED,
    FOUND,
    NO_SLOT,
    SOLVED,
    IndexProblem,
    Search,
    add_decision,
    limit_of,
    query,
    uncounted_search,
)

MOST_STEPS = 20_000
"""Largest number of items that a proof visits, over all sets."""


@kernel
def all_sets_lose(gaps: FloatArray, gains: FloatArray, a: float, c: float, limit: float) -> bool:
    """Whether ``a - gaps(S) + sqrt(c + gains(S)) <= limit`` for all sets S of at least two items; False if this is unknown."""
    if a + math.sqrt(c) > limit:
        return False
    if c == 0.0 and no_swap_gains(gaps, gains):
        return True
    items = np.empty(len(gaps), dtype=np.int64)
    n = 0
    for i in range(len(gaps)):
        if gains[i] > 0 and math.sqrt(c + gains[i]) - math.sqrt(c) > gaps[i]:
            items[n] = i
            n += 1
    # Items that add nothing to the empty set add nothing to any set. Pairs of such an item and one other item are examined here.
    for k in range(n):
        i = items[k]
        if a - gaps[i] + math.sqrt(c + gains[i]) > limit and not _pairs_lose(gaps, gains, a, c, limit, i):
            return False
    if n < 2:
        return True
    return _sets_of_some_lose(gaps[items[:n]], gains[items[:n]], a, c, limit)


@kernel
def no_swap_gains(gaps: FloatArray, gains: FloatArray) -> bool:
    """Whether ``sqrt(gain) <= gap`` for every item."""
    losing = True
    for i in range(len(gaps)):
        losing &= gains[i] <= gaps[i] * gaps[i]
    return losing


@kernel
def _pairs_lose(gaps: FloatArray, gains: FloatArray, a: float, c: float, limit: float, i: int) -> bool:
    """Whether no pair with item i exceeds the limit."""
    largest = -np.inf
    for k in range(len(gaps)):
        if k != i:
            largest = max(largest, a - gaps[i] - gaps[k] + math.sqrt(c + gains[i] + gains[k]))
    return largest <= limit


@kernel
def _sets_of_some_lose(gaps: FloatArray, gains: FloatArray, a: float, c: float, limit: float) -> bool:
    """Whether no set of two or more of these items exceeds the limit, by depth-first search; False if this is unknown."""
    n = len(gaps)
    if a + math.sqrt(c) + _completion(gaps, gains, c, 0) <= limit:
        return True
    reward, bonus, following = np.empty(n + 1), np.empty(n + 1), np.zeros(n + 1, dtype=np.int64)
    reward[0], bonus[0] = a, c
    depth = 0
    for _ in range(MOST_STEPS // n):
        while following[depth] == n:
            if depth == 0:
                return True
            depth -= 1
        k = following[depth]
        following[depth] += 1
        a, c = reward[depth] - gaps[k], bonus[depth] + gains[k]
        value = a + math.sqrt(c)
        if depth > 0 and value > limit:
            return False
        if k + 1 < n and value + _completion(gaps, gains, c, k + 1) > limit:
            depth += 1
            reward[depth], bonus[depth], following[depth] = a, c, k + 1
    return False


@kernel
def _completion(gaps: FloatArray, gains: FloatArray, c: float, start: int) -> float:
    """Largest contribution of at least one of the items from `start` on to a set of bonus c."""
    root = math.sqrt(c)
    total, largest = 0.0, -np.inf
    for k in range(start, len(gaps)):
        growth = math.sqrt(c + gains[k]) - root - gaps[k]
        total += max(growth, 0.0)
        largest = max(largest, growth)
    return total if largest > 0 else largest


@kernel(inline="always", calls=True)
def is_beaten(family: OraclePointers, data: tuple[IntArray, ...], s: Search) -> tuple[bool, int]:
    """Whether swaps around the decision of largest reward prove that no basis is a better answer; and a status.

    The best single swap is also met.
    """
    if s.scales.share < 1.0:
        write(s.y, s.rows[0])  # the base
    else:
        answer = query(family, data, s, 0.0)
        if answer != FOUND:
            return True, FAILED if answer == BROKEN else SOLVED
    slot = add_decision(s, NO_SLOT, NO_SLOT)
    a, c = s.a[slot], s.c[slot]
    d = len(s.y)
    swaps = Swaps(np.empty(d), np.empty(d), np.empty(2, dtype=np.int64))
    if family.swaps(data, Basis(s.y, s.forced, s.rewards, s.bonuses, a, c, s.scales.ratio), swaps) != KNOWN:
        return False, SOLVED
    entering, leaving = swaps.best[0], swaps.best[1]
    if entering >= 0:
        s.y[entering], s.y[leaving] = True, False
        add_decision(s, NO_SLOT, NO_SLOT)
    if s.scales.share < 1.0:
        return no_swap_gains(swaps.gaps, swaps.gains), SOLVED
    return all_sets_lose(swaps.gaps, swaps.gains, a, c, limit_of(s)), SOLVED


@kernel(calls=True)
def bases_search(
    family: OraclePointers, data: tuple[IntArray, ...], problem: IndexProblem, x: BoolArray, report: FloatArray
) -> int:
    """The same as ``search.index_search`` for the bases of a matroid: single swaps come first and mostly suffice."""
    if largest(problem.bonuses) == 0.0:
        return without_bonuses(family, data, problem.rewards, x, report)
    s = begin(problem, x)
    report[BOUND], report[SLOPE] = math.inf, 0.0
    is_done, status = is_beaten(family, data, uncounted_search(s))
    if is_done or status != SOLVED:
        report[BOUND] = limit_of(s)
    else:
        status = explore(family, data, uncounted_search(s), problem.hint, problem.budget, report)
    report[SPENT] = float(s.counts[CALLS])  # this also keeps the arrays alive while they are lent
    return status
