"""Heaviest matchings in a bipartite graph.

One side is the leading side. Either all leading nodes must be matched, or each may stay free. Nodes of the other side may always
stay free.

A matching and duals are built in steps: reductions match most nodes (Jonker, Volgenant 1987), a depth-first search extends the
matching over entries of reduced cost 0, and shortest augmenting paths match the remaining leading nodes, many at once as long as
that pays, then one by one. Memory grows with the number of nodes. Ties are broken by the order of nodes and entries alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.graphs.heap import Heap, append, bring_first, decrease, empty_heap, pop, remove_first, uncounted_heap
from semibandits.kernels.machine.signals import interrupted, raise_interrupt
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.machine.uncounted import uncounted

BIDS = 256
"""Bids between two checks for signals."""
ROUNDS, CHAINS, SMALL = 2, 6, 32
"""Rounds of bids. Nodes that lose their mates bid at once until a round has 1 + n // SMALL bids per leading node, at most CHAINS:
with few nodes, paths cost less than chains of bids."""
MANY = 8
"""Number of free leading nodes from which on one search for all of them pays."""
LEAST_GAIN = 8
"""Forests are grown while each matches at least this many leading nodes: single paths cost less than another forest for fewer."""
DENSE = 4
"""In graphs with at least one entry in this many pairs of nodes, a scan finds the nearest node sooner than a heap."""


class Bipartite(NamedTuple):
    """A bipartite graph: leading node r has the entries ``ptr[r]:ptr[r + 1]``, and entry k joins it to the other node
    ``others[k]``.
    """

    ptr: IntArray
    others: IntArray
    n_others: int  # number of nodes of the other side
    optional: bool  # whether leading nodes may stay free


class Matched(NamedTuple):
    """A heaviest matching, with the duals that prove it.

    With the duals u and v every entry k has ``-weights[k] - u[row] - v[other] >= 0``, with equality if it is chosen. Free nodes
    have dual 0. Duals of other nodes are never positive, nor are those of optional leading nodes. Weight -inf forbids an entry.
    """

    entry: IntArray  # entry of each leading node, -1 if free
    mate: IntArray  # leading node of each other node, -1 if free
    u: FloatArray
    v: FloatArray


class PathSearch(NamedTuple):
    """State of a search for a shortest augmenting path."""

    # The other nodes that are reached and matched. Keys are distances from the start, inf if not reached, -inf if settled.
    heap: Heap
    # Last entry of the path to each other node that is reached, and the leading node of this entry.
    via: IntArray
    via_row: IntArray
    # The other nodes whose distance is final, in order, and their distances.
    settled: IntArray
    at: FloatArray


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

    If it is interrupted, all remaining leading nodes count as unmatched. If sums of weights are not finite, all of them do.
    """
    n, n_others = len(graph.ptr) - 1, graph.n_others
    entry, mate = np.full(n, -1, dtype=np.int64), np.full(n_others, -1, dtype=np.int64)
    u, v = np.zeros(n), np.zeros(n_others)
    weights = uncounted(weights)
    graph = Bipartite(uncounted(graph.ptr), uncounted(graph.others), n_others, graph.optional)
    matched = Matched(uncounted(entry), uncounted(mate), uncounted(u), uncounted(v))
    is_perfect = n == n_others and not graph.optional
    if is_perfect:
        _reduce_columns(weights, graph, matched)
    free = _bid_all(weights, graph, matched)
    _write_row_duals(free, weights, graph, matched)
    if len(free) >= MANY:
        free = _match_tight(free, weights, graph, matched)
    if is_perfect and len(free) >= MANY and not _is_dense(graph):
        free = _match_by_forests(free, weights, graph, matched)
    stuck = _match_all(free, weights, graph, matched)
    _lower_duals(is_perfect, u, v)
    total = 0.0
    for r in range(n):
        total += abs(u[r])
    for c in range(n_others):
        total += abs(v[c])
    if len(stuck) == 0 and not total < np.inf:
        stuck = np.arange(n)
    return Matched(entry, mate, u, v), stuck


@kernel
def _lower_duals(is_perfect: bool, u: FloatArray, v: FloatArray) -> None:
    """Shift the duals so that no v is positive; that is possible if all nodes are matched, and necessary in no other case."""
    highest = 0.0
    if is_perfect:
        for c in range(len(v)):
            highest = max(highest, v[c])
    if highest > 0.0:
        for c in range(len(v)):
            u[c] += highest
            v[c] -= highest


@kernel
def _reduce_columns(weights: FloatArray, graph: Bipartite, matched: Matched) -> None:
    """Give each other node the largest dual, and match it to the leading node of its cheapest entry if that is still free.

    A leading node that is matched then hands the reduced cost of its second choice to its mate: other leading nodes find that
    cheaper. This requires that all nodes must be matched.
    """
    ptr, others = graph.ptr, graph.others
    entry, mate, v = matched.entry, matched.mate, matched.v
    n = len(ptr) - 1
    cheapest, row = np.full(len(mate), -1, dtype=np.int64), np.zeros(len(mate), dtype=np.int64)
    for r in range(n):
        for k in range(ptr[r], ptr[r + 1]):
            c = others[k]
            if -weights[k] < (v[c] if cheapest[c] >= 0 else np.inf):
                v[c], cheapest[c], row[c] = -weights[k], k, r
    for c in range(len(mate) - 1, -1, -1):
        if cheapest[c] >= 0 and entry[row[c]] < 0:
            entry[row[c]], mate[c] = cheapest[c], row[c]
    for r in range(n):
        if entry[r] >= 0:
            second = np.inf
            for k in range(ptr[r], ptr[r + 1]):
                if k != entry[r]:
                    second = min(second, -weights[k] - v[others[k]])
            if 0.0 < second < np.inf:
                v[others[entry[r]]] -= second


@kernel
def _bid_all(weights: FloatArray, graph: Bipartite, matched: Matched) -> IntArray:
    """Match most leading nodes by augmenting row reduction; return those that are still free and must be matched.

    A free node takes its cheapest other node and lowers the dual of that until the second choice is as cheap; a node that loses
    its mate bids next. If the cheapest nodes are all taken, a node waits for the next round.
    """
    others, entry, mate, v = graph.others, matched.entry, matched.mate, matched.v
    n, bids = len(graph.ptr) - 1, 0
    free = np.flatnonzero(entry < 0)
    left = len(free)
    for _ in range(ROUNDS):
        waiting, left, most = left, 0, bids + min(CHAINS, 1 + n // SMALL) * n
        for i in range(waiting):
            r = free[i]
            while r >= 0:
                bids += 1
                if bids % BIDS == 0 and interrupted():
                    return np.flatnonzero(entry < 0)
                k, gap = _cheapest(r, weights, graph, matched)
                if k < 0 and gap < 0.0:  # staying free is best, and remains so, as duals are only lowered
                    break
                c = others[k] if k >= 0 else -1
                is_lower = k >= 0 and -np.inf < v[c] - gap < v[c]
                if k < 0 or (mate[c] >= 0 and not is_lower):
                    free[left] = r
                    left += 1
                    break
                if is_lower:
                    v[c] -= gap
                loser = mate[c]
                entry[r], mate[c] = k, r
                if loser >= 0:
                    entry[loser] = -1
                    if bids >= most:
                        free[left] = loser
                        left += 1
                        break
                r = loser
    return free[:left]


@kernel(inline="always")
def _cheapest(r: int, weights: FloatArray, graph: Bipartite, matched: Matched) -> tuple[int, float]:
    """Cheapest entry of a leading node, preferably to a free node, and how much cheaper it is than the second choice.

    Staying free counts as a choice of cost 0 if it is allowed; if it is the cheapest, the result is -1 and -1. Without a choice
    the entry is -1, without a second one the difference is inf.
    """
    ptr, others, mate, v = graph.ptr, graph.others, matched.mate, matched.v
    first, second, best = np.inf, np.inf, -1
    if graph.optional:
        second = 0.0
    for k in range(ptr[r], ptr[r + 1]):
        cost = -weights[k] - v[others[k]]
        if cost < second:
            if cost < first:
                first, second, best = cost, min(first, second), k
            else:
                second = cost
    if best < 0:
        return -1, -1.0 if graph.optional else np.inf
    if second == first and mate[others[best]] >= 0:
        for k in range(best + 1, ptr[r + 1]):
            if -weights[k] - v[others[k]] == first and mate[others[k]] < 0:
                return k, 0.0
    return best, second - first


@kernel
def _write_row_duals(free: IntArray, weights: FloatArray, graph: Bipartite, matched: Matched) -> None:
    """Write the duals of all leading nodes: the largest ones for those that are still free."""
    ptr, others = graph.ptr, graph.others
    entry, u, v = matched.entry, matched.u, matched.v
    for r in range(len(entry)):
        if entry[r] >= 0:
            u[r] = -weights[entry[r]] - v[others[entry[r]]]
    for r in free:
        u[r] = 0.0 if graph.optional else np.inf
        for k in range(ptr[r], ptr[r + 1]):
            u[r] = min(u[r], -weights[k] - v[others[k]])


@kernel
def _match_tight(free: IntArray, weights: FloatArray, graph: Bipartite, matched: Matched) -> IntArray:
    """Match free leading nodes along entries of reduced cost 0; return those that are still free.

    All searches together meet each node once, so that the matching need not be as large as possible.
    """
    n, left = len(graph.ptr) - 1, 0
    seen, place = np.zeros(graph.n_others, dtype=np.bool_), graph.ptr[:-1].copy()
    path = np.empty(n, dtype=np.int64)
    for start in free:
        path[0] = start
        if not _finds_tight(weights, graph, matched, seen, place, path):
            free[left] = start
            left += 1
    return free[:left]


@kernel
def _finds_tight(
    weights: FloatArray, graph: Bipartite, matched: Matched, seen: BoolArray, place: IntArray, path: IntArray
) -> bool:
    """Match the free leading node ``path[0]`` by a depth-first search over entries of reduced cost 0; whether that succeeds.

    Other nodes that were `seen` are not met again. The search continues at the entry ``place[r]`` of each leading node r.
    """
    ptr, others = graph.ptr, graph.others
    entry, mate, u, v = matched
    depth = 0
    while depth >= 0:
        r = path[depth]
        k = place[r]
        while k < ptr[r + 1] and (seen[others[k]] or not -weights[k] - u[r] - v[others[k]] <= 0.0):
            k += 1
        place[r] = k
        if k == ptr[r + 1]:
            depth -= 1
            continue
        c = others[k]
        seen[c] = True
        if mate[c] >= 0:
            depth += 1
            path[depth] = mate[c]
            continue
        for r in path[: depth + 1]:
            entry[r], mate[others[place[r]]] = place[r], r
        return True
    return False


@kernel
def _is_dense(graph: Bipartite) -> bool:
    """Whether a scan of all nodes finds the nearest one sooner than a heap."""
    return DENSE * len(graph.others) >= graph.n_others * (len(graph.ptr) - 1)


@kernel
def _empty_search(n_others: int) -> PathSearch:
    room = np.empty((3, n_others), dtype=np.int64)
    return PathSearch(empty_heap(n_others), room[0], room[1], room[2], np.empty(n_others))


@kernel
def _uncounted(s: PathSearch) -> PathSearch:
    """Uncounted arrays: see `kernels.machine.uncounted`."""
    heap, at = uncounted_heap(s.heap), uncounted(s.at)
    return PathSearch(heap, uncounted(s.via), uncounted(s.via_row), uncounted(s.settled), at)


@kernel
def _match_by_forests(free: IntArray, weights: FloatArray, graph: Bipartite, matched: Matched) -> IntArray:
    """Match free leading nodes along the paths of shortest-path forests; return those that are still free.

    This requires that all nodes must be matched: a free node of the other side may then have any dual.
    """
    n, s = len(graph.ptr) - 1, _empty_search(graph.n_others)
    root, sink = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    gain = LEAST_GAIN
    while gain >= LEAST_GAIN and len(free) >= MANY and not interrupted():
        before = len(free)
        free = _match_forest(free, weights, graph, matched, s, root, sink)
        gain = before - len(free)
    return free


@kernel
def _match_forest(
    free: IntArray, weights: FloatArray, graph: Bipartite, matched: Matched, s: PathSearch, root: IntArray, sink: IntArray
) -> IntArray:
    """Grow shortest-path trees from all free leading nodes at once, until half of them have a free node of the other side.

    The paths to these nodes have no node in common, and with the new duals their entries have reduced cost 0. The tree of each
    leading node is written into `root`, the free node that it reaches first into `sink`.
    """
    mate, u, v = matched.mate, matched.u, matched.v
    s = _uncounted(s)
    heap, keys, settled, at = s.heap, s.heap.keys, s.settled, s.at
    reached, found, begun, done, count = 0.0, 0, 0, 0, 0
    while True:
        if begun < len(free):
            row = free[begun]
            root[row], sink[row] = row, -1
            begun += 1
        else:
            if done == count:
                if heap.size[0] == 0 or 4 * found >= len(free):
                    break
                c = pop(heap)
                reached = max(reached, keys[c])
                settled[count], at[count], keys[c] = c, reached, -np.inf
                count += 1
            c = settled[done]
            done += 1
            row, tree = mate[c], root[s.via_row[c]]
            if row < 0:
                found += sink[tree] < 0
                sink[tree] = c if sink[tree] < 0 else sink[tree]
                continue
            root[row] = tree
        offset = reached - u[row]
        for k in range(graph.ptr[row], graph.ptr[row + 1]):
            c = graph.others[k]
            length = offset - weights[k] - v[c]
            if not length < keys[c]:
                continue
            s.via[c], s.via_row[c] = k, row
            if length <= reached and heap.place[c] < 0:
                settled[count], at[count], keys[c] = c, reached, -np.inf
                count += 1
            else:
                decrease(heap, c, length)
    for row in free:
        u[row] += reached
    _raise_duals(reached, count, matched, s)
    left = 0
    for row in free:
        if sink[row] >= 0:
            _flip(sink[row], graph, matched, s)
        else:
            free[left] = row
            left += 1
    return free[:left]


@kernel
def _raise_duals(length: float, count: int, matched: Matched, s: PathSearch) -> None:
    """Give the settled nodes, `count` of them, the duals after a search of this length, and empty the arrays of the search."""
    heap, mate = s.heap, matched.mate
    for j in range(count):
        c = s.settled[j]
        if mate[c] >= 0:
            matched.u[mate[c]] += length - s.at[j]
        matched.v[c] -= length - s.at[j]
        heap.keys[c] = np.inf
    for j in range(heap.size[0]):
        heap.keys[heap.nodes[j]], heap.place[heap.nodes[j]] = np.inf, -1
    heap.size[0] = 0


@kernel
def _flip(sink: int, graph: Bipartite, matched: Matched, s: PathSearch) -> None:
    """Change the matching along the path that ends at this other node."""
    entry = matched.entry
    while sink >= 0:
        row = s.via_row[sink]
        before = graph.others[entry[row]] if entry[row] >= 0 else -1
        entry[row], matched.mate[sink] = s.via[sink], row
        sink = before


@kernel
def _match_all(free: IntArray, weights: FloatArray, graph: Bipartite, matched: Matched) -> IntArray:
    """Match the free leading nodes along shortest augmenting paths; return the unmatched nodes as `heaviest_matching` does."""
    if len(free) == 0:
        return np.empty(0, dtype=np.int64)
    return _augment_all(free, weights, graph, matched, _empty_search(graph.n_others))


@kernel
def _augment_all(free: IntArray, weights: FloatArray, graph: Bipartite, matched: Matched, s: PathSearch) -> IntArray:
    """The same with the arrays of a search."""
    search = _uncounted(s)
    for i in range(len(free)):
        if interrupted():
            return free[i:]
        start = free[i]
        length, freed, sink, count = _shortest_path(start, weights, graph, matched, search)
        if length == np.inf:
            return np.append(matched.mate[s.settled[:count]], start)
        matched.u[start] += length
        _raise_duals(length, count, matched, search)
        if freed >= 0:
            matched.u[freed] = 0.0
            sink = graph.others[matched.entry[freed]] if freed != start else -1
            matched.entry[freed] = -1
        _flip(sink, graph, matched, search)
    return np.empty(0, dtype=np.int64)


@kernel
def _shortest_path(
    start: int, weights: FloatArray, graph: Bipartite, matched: Matched, s: PathSearch
) -> tuple[float, int, int, int]:
    """Dijkstra's method from the leading node `start` to a free other node, or to a leading node that becomes free.

    Returns the length (inf if there is no path), the leading node that becomes free (or -1), the other node where the path ends
    (or -1), and the number of settled nodes.
    """
    ptr, others, optional = graph.ptr, graph.others, graph.optional
    mate, u, v = matched.mate, matched.u, matched.v
    heap, via, via_row, settled, at = s
    keys, is_dense = heap.keys, _is_dense(graph)
    row, reached, done, count = start, 0.0, 0, 0
    freed, sink, best = -1, -1, np.inf
    while True:
        offset = reached - u[row]
        if optional and offset < best:
            freed, sink, best = row, -1, offset
        for k in range(ptr[row], ptr[row + 1]):
            c = others[k]
            length = offset - weights[k] - v[c]
            if not (length < best and length < keys[c]):
                continue
            via[c], via_row[c] = k, row
            if mate[c] < 0:
                freed, sink, best = -1, c, length
            elif length <= reached and heap.place[c] < 0:
                settled[count], at[count], keys[c] = c, reached, -np.inf
                count += 1
            elif not is_dense:
                decrease(heap, c, length)
            else:
                keys[c] = length
                if heap.place[c] < 0:
                    append(heap, c)
        if best <= reached:
            break
        if done == count:
            if is_dense:
                bring_first(heap)
            if heap.size[0] == 0 or keys[heap.nodes[0]] >= best:
                break
            c = remove_first(heap) if is_dense else pop(heap)
            settled[count], at[count], keys[c] = c, keys[c], -np.inf
            count += 1
            reached = at[done]
        row = mate[settled[done]]
        done += 1
    return max(best, reached) if best < np.inf else best, freed, sink, count
