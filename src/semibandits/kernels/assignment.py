"""Matchings in a bipartite graph.

One side is the leading side. Either all leading nodes must be matched, or each may stay free. Nodes of the other side may always
stay free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.signals import check_signals, interrupted, raise_interrupt
from semibandits.kernels.tiers import kernel
from semibandits.kernels.transversal import augment
from semibandits.kernels.typing import BoolArray, FloatArray, IntArray

ROWS = 16
"""Leading nodes between two checks for signals."""
LIMB_BITS = 62
"""Bits per limb of a count; the lowest limb comes first."""


class Bipartite(NamedTuple):
    """A bipartite graph.

    Attributes
    ----------
    ptr, others : ndarray of int
        The entries ``ptr[r]:ptr[r + 1]`` belong to leading node r; entry k joins it to the other node ``others[k]``.
    n_others : int
        Number of nodes of the other side.
    optional : bool
        Whether leading nodes may stay free.
    """

    ptr: IntArray
    others: IntArray
    n_others: int
    optional: bool


class Matched(NamedTuple):
    """A heaviest matching, with the duals that prove it.

    With the duals u and v every entry k has ``-weights[k] - u[row] - v[other] >= 0``, with equality if it is chosen. Free nodes
    have dual 0. Duals of other nodes are never positive, nor are those of optional leading nodes. Weight -inf forbids an entry.

    Attributes
    ----------
    entry : ndarray of int
        Entry of each leading node, -1 if free.
    mate : ndarray of int
        Leading node of each other node, -1 if free.
    u, v : ndarray of float
        Duals of the two sides.
    """

    entry: IntArray
    mate: IntArray
    u: FloatArray
    v: FloatArray


class Reach(NamedTuple):
    """State of a search for an augmenting path.

    Attributes
    ----------
    distance : ndarray of float
        Distance of each other node from the start.
    via, via_row : ndarray of int
        Last entry of the path to each other node, and the leading node of this entry.
    touched : ndarray of int
        The other nodes that are reached, the scanned ones first.
    scanned : ndarray of bool
        Whether each other node is scanned.
    """

    distance: FloatArray
    via: IntArray
    via_row: IntArray
    touched: IntArray
    scanned: BoolArray


@kernel
def heaviest_matching(weights: FloatArray, graph: Bipartite) -> tuple[IntArray, IntArray]:
    """Entry of each leading node in a matching of largest weight, -1 if free, for callers in Python.

    Weights are per entry. If the leading nodes are optional, entries without positive weight are not used. The second array is
    empty, or, if not all leading nodes can be matched, contains a set of leading nodes with fewer neighbours than members.
    """
    matched, stuck = heaviest_matching_with_duals(weights, graph)
    raise_interrupt()
    return matched.entry, stuck


@kernel
def heaviest_matching_with_duals(weights: FloatArray, graph: Bipartite) -> tuple[Matched, IntArray]:
    """Return a heaviest matching and the unmatched nodes, as in :func:`heaviest_matching`.

    The method is that of shortest augmenting paths. If it is interrupted, all remaining leading nodes count as unmatched.
    """
    n, n_others, others = len(graph.ptr) - 1, graph.n_others, graph.others
    u, v = np.zeros(n), np.zeros(n_others)
    entry, mate = np.full(n, -1, dtype=np.int64), np.full(n_others, -1, dtype=np.int64)
    distance = np.full(n_others, np.inf)
    via, via_row = np.empty(n_others, dtype=np.int64), np.empty(n_others, dtype=np.int64)
    touched, scanned = np.empty(n_others, dtype=np.int64), np.zeros(n_others, dtype=np.bool_)
    matched, reach = Matched(entry, mate, u, v), Reach(distance, via, via_row, touched, scanned)
    for start in range(n):
        if start % ROWS == ROWS - 1 and interrupted():
            return matched, np.arange(start, n)
        length, freed, sink, done, count = _shortest_path(start, weights, graph, matched, reach)
        if length == np.inf:
            return matched, np.append(mate[touched[:done]], start)
        u[start] += length
        for i in range(done):
            c = touched[i]
            u[mate[c]] += length - distance[c]
            v[c] -= length - distance[c]
            scanned[c] = False
        for i in range(count):
            distance[touched[i]] = np.inf
        if freed >= 0 and freed != start:
            sink = others[entry[freed]]
            entry[freed] = -1
        while sink >= 0:
            row = via_row[sink]
            before = others[entry[row]] if entry[row] >= 0 else -1
            entry[row], mate[sink] = via[sink], row
            sink = before
    return matched, np.empty(0, dtype=np.int64)


@kernel
def _shortest_path(
    start: int, weights: FloatArray, graph: Bipartite, matched: Matched, reach: Reach
) -> tuple[float, int, int, int, int]:
    """Dijkstra's method from the leading node `start` to a free other node, or to a leading node that becomes free.

    Fills `reach`. Returns the length (inf if there is no path), the leading node that becomes free (or -1), the other node where
    the path ends (or -1), and the numbers of scanned and touched nodes, which are ``touched[:done]`` and ``touched[:count]``.
    """
    ptr, others, optional = graph.ptr, graph.others, graph.optional
    mate, u, v = matched.mate, matched.u, matched.v
    distance, via, via_row, touched, scanned = reach
    row, reached, done, count = start, 0.0, 0, 0
    freed, free_at = -1, np.inf
    while True:
        offset = reached - u[row]
        if optional and offset < free_at:
            freed, free_at = row, offset
        for k in range(ptr[row], ptr[row + 1]):
            c = others[k]
            if scanned[c] or (optional and weights[k] <= 0.0):
                continue
            length = offset - weights[k] - v[c]
            if length < distance[c]:
                if distance[c] == np.inf:
                    touched[count] = c
                    count += 1
                distance[c], via[c], via_row[c] = length, k, row
        reached, nearest = np.inf, -1
        for i in range(done, count):
            c = touched[i]
            if distance[c] < reached or (distance[c] == reached and mate[c] < 0 <= mate[touched[nearest]]):
                reached, nearest = distance[c], i
        if freed >= 0 and free_at <= reached:
            return free_at, freed, -1, done, count
        if nearest < 0:
            return np.inf, -1, -1, done, count
        c = touched[nearest]
        if mate[c] < 0:
            return reached, -1, c, done, count
        touched[nearest], touched[done] = touched[done], c
        done += 1
        scanned[c] = True
        row = mate[c]


@kernel
def _augment(
    start: int, ptr: IntArray, others: IntArray, partner: IntArray, mate: IntArray, blocked: BoolArray
) -> bool:
    """Match the leading node `start` along an augmenting path without blocked nodes of the other side; whether there is one."""
    reached_by = np.empty(len(mate), dtype=np.int64)
    for c in range(len(mate)):
        reached_by[c] = -2 if blocked[c] else -1
    return augment(start, ptr, others, mate, partner, reached_by)


@kernel
def _completes(
    row: int, c: int, ptr: IntArray, others: IntArray, partner: IntArray, mate: IntArray, blocked: BoolArray
) -> bool:
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
