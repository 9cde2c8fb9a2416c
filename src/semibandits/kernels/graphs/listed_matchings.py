"""Listing and counting matchings in a bipartite graph: arrays as in :class:`semibandits.kernels.graphs.assignment.Bipartite`."""

from __future__ import annotations

import numpy as np

from semibandits.kernels.machine.signals import check_signals
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, IntArray
from semibandits.kernels.matroids.transversal import augment

LIMB_BITS = 62
"""Bits per limb of a count; the lowest limb comes first."""


@kernel
def _augment(start: int, ptr: IntArray, others: IntArray, partner: IntArray, mate: IntArray, blocked: BoolArray) -> bool:
    """Match the leading node `start` along an augmenting path without blocked nodes of the other side; whether there is one."""
    reached_by = np.empty(len(mate), dtype=np.int64)
    for c in range(len(mate)):
        reached_by[c] = -2 if blocked[c] else -1
    return augment(start, ptr, others, mate, partner, reached_by)


@kernel
def _completes(row: int, c: int, ptr: IntArray, others: IntArray, partner: IntArray, mate: IntArray, blocked: BoolArray) -> bool:
    """Match `row` to `c` and complete the matching again, with the same mates for blocked nodes; whether that is possible."""
    before, other_row = partner[row], mate[c]
    if other_row == row:
        return True
    mate[before] = -1
    blocked[c] = True
    possible = other_row < 0 or _augment(other_row, ptr, others, partner, mate, blocked)
    blocked[c] = False
    if possible:
        partner[row], mate[c] = c, row
    else:
        mate[before] = row
    return possible


@kernel
def list_matchings(
    ptr: IntArray, others: IntArray, items: IntArray, n_others: int, optional: bool, limit: int, rows: BoolArray
) -> int:
    """Number of matchings, at most `limit`; they are written into `rows` unless this is empty.

    The order is lexicographic by the entries of the leading nodes, free last. Only choices that can be completed are made, so
    that the time per matching is polynomial. If not `optional`, a matching of all leading nodes must exist.
    """
    n = len(ptr) - 1
    partner, mate = np.full(n, -1, dtype=np.int64), np.full(n_others, -1, dtype=np.int64)
    blocked = np.zeros(n_others, dtype=np.bool_)
    if not optional:
        for row in range(n):
            _augment(row, ptr, others, partner, mate, blocked)
    place = ptr[:-1].copy()
    chosen = np.full(n + 1, -1, dtype=np.int64)
    level = found = 0
    while level >= 0 and found < limit:
        check_signals()
        if level == n:
            if len(rows) > 0:
                for k in chosen[:n]:
                    if k >= 0:
                        rows[found, items[k]] = True
            found += 1
            level -= 1
            continue
        if chosen[level] >= 0:
            blocked[others[chosen[level]]] = False
            chosen[level] = -1
        descend = False
        while not descend and place[level] < ptr[level + 1]:
            k = place[level]
            place[level] += 1
            if not blocked[others[k]]:
                descend = optional or _completes(level, others[k], ptr, others, partner, mate, blocked)
                if descend:
                    chosen[level] = k
                    blocked[others[k]] = True
        if not descend and optional and place[level] == ptr[level + 1]:
            place[level] += 1
            descend = True
        level += 1 if descend else -1
        if descend and level < n:
            place[level] = ptr[level]
    return found


@kernel
def count_matchings(
    ptr: IntArray, others: IntArray, n_others: int, optional: bool, others_optional: bool, limbs: int
) -> IntArray:
    """Number of matchings as limbs of 62 bits, by dynamic programming over sets of matched nodes of the other side."""
    total = np.int64(1) << n_others
    ways = np.zeros((total, limbs), dtype=np.int64)
    ways[0, 0] = 1
    for row in range(len(ptr) - 1):
        # Larger sets first, so that no set is extended twice by the same node.
        for matched in range(total - 1, -1, -1):
            if not ways[matched].any():
                continue
            for k in range(ptr[row], ptr[row + 1]):
                bit = np.int64(1) << others[k]
                if not matched & bit:
                    _add(ways[matched | bit], ways[matched])
            if not optional:
                ways[matched] = 0
    count = np.zeros(limbs, dtype=np.int64)
    for matched in range(0 if others_optional else total - 1, total):
        _add(count, ways[matched])
    return count


@kernel
def _add(limbs: IntArray, more: IntArray) -> None:
    carry = np.int64(0)
    mask = (np.int64(1) << LIMB_BITS) - 1
    for i in range(len(limbs)):
        value = limbs[i] + more[i] + carry
        limbs[i] = value & mask
        carry = value >> LIMB_BITS
