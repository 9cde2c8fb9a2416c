"""Proofs that no basis of a matroid beats a known index, from the single swaps around the basis x of largest reward.

Another basis brings in a set S of items, each for an item of its own that could also leave for it alone. Hence its reward
is at most a(x) minus the sum of the gaps of S, and its bonus at most c(x) plus the sum of the gains of S, where the gap of
an item is its smallest loss of reward in a single swap, and its gain the largest growth of the bonus, at least 0. As the
root is concave, what an item adds to ``a - gaps(S) + sqrt(c + gains(S))`` shrinks as S grows.

Around a base without bonus, c = 0, single swaps tell all: if ``gain_i <= gap_i^2`` for every item, then
``gains(S) <= sum of gap_i^2 <= gaps(S)^2``, and no basis has a larger index than x. So whether anything beats the base is decided
in one pass (docs/policies/optimality.md, A).
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.oracles import kinds
from semibandits.kernels.oracles.exchanges import exchanges
from semibandits.kernels.tiers import kernel
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

SAFETY = 1e-15
"""Differences of bonuses are raised by this times the numbers subtracted: they may round down, and the root is steep at 0."""
MOST_STEPS = 20_000
"""Items that a proof looks at, over all sets; one that needs more is given up."""


@kernel
def best_swaps(
    data: tuple[IntArray, ...],
    rewards: FloatArray,
    bonuses: FloatArray,
    x: BoolArray,
    forced: IntArray,
    a: float,
    c: float,
    ratio: float,
) -> tuple[int, int, FloatArray, FloatArray]:
    """Single swaps around x, of largest reward a among the bases that hold and avoid the `forced` items; its bonus is c.

    Returns the items that enter and leave in the swap of largest ``a + sqrt(c) / ratio`` (-1 if there is none), and the
    gap (inf: cannot enter) and the gain of each item.
    """
    if data[7][0] == kinds.UNIFORM and c == 0.0:
        return _best_swaps_of_sets(rewards, bonuses, x, forced, a, ratio)
    d = len(x)
    members = np.flatnonzero(x)
    _, swaps = exchanges(data[7][0], data[0], data[1], data[2], d, members)
    gaps, gains = np.full(d, np.inf), np.zeros(d)
    entering = leaving = -1
    best = -np.inf
    for position in range(len(members)):
        j = members[position]
        if forced[j] != 0:
            continue
        for i in range(d):
            if not swaps[position, i] or forced[i] != 0:
                continue
            loss = rewards[j] - rewards[i]
            gain = max(bonuses[i] - bonuses[j] + SAFETY * len(members) * (c + bonuses[i]), -c)
            gaps[i], gains[i] = min(gaps[i], loss), max(gains[i], gain)
            value = a - loss + math.sqrt(c + gain) / ratio
            if value > best:
                best, entering, leaving = value, i, j
    return entering, leaving, gaps, gains


@kernel
def _best_swaps_of_sets(
    rewards: FloatArray, bonuses: FloatArray, x: BoolArray, forced: IntArray, a: float, ratio: float
) -> tuple[int, int, FloatArray, FloatArray]:
    """The same for sets of a given size around one without bonus: the member of least reward leaves for every item."""
    d = len(x)
    gaps, gains = np.full(d, np.inf), np.zeros(d)
    entering = leaving = -1
    for j in range(d):
        if x[j] and forced[j] == 0 and (leaving < 0 or rewards[j] < rewards[leaving]):
            leaving = j
    if leaving < 0:
        return -1, -1, gaps, gains
    best = -np.inf
    for i in range(d):
        if not x[i] and forced[i] == 0:
            gaps[i], gains[i] = rewards[leaving] - rewards[i], bonuses[i]
            value = a - gaps[i] + math.sqrt(gains[i]) / ratio
            if value > best:
                best, entering = value, i
    return entering, leaving if entering >= 0 else -1, gaps, gains


@kernel
def all_sets_lose(gaps: FloatArray, gains: FloatArray, a: float, c: float, limit: float) -> bool:
    """Whether ``a - gaps(S) + sqrt(c + gains(S)) <= limit`` for all sets S of at least two items; False also if unknown."""
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
    # Items that add nothing to the empty set add nothing to any: with at most one of the others they are looked at below.
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
    """Whether no set of two or more of these items exceeds the limit, by depth-first search; False also if unknown."""
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
    """Most that items from `start` on can add to a set of bonus c, one of them at least."""
    root = math.sqrt(c)
    total, largest = 0.0, -np.inf
    for k in range(start, len(gaps)):
        growth = math.sqrt(c + gains[k]) - root - gaps[k]
        total += max(growth, 0.0)
        largest = max(largest, growth)
    return total if largest > 0 else largest
