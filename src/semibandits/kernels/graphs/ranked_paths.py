"""Simple paths in order of their lengths (Yen, Management Science 17, 1971; parts after Lawler, Management Science 18, 1972)."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import grown
from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.graphs.dijkstra import distances_from, shortest_way
from semibandits.kernels.machine.signals import interrupted
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray


class Ranking(NamedTuple):
    """Shortest simple paths, by increasing length."""

    # Path p takes the arcs at places[ptr[p]:ptr[p + 1]] of the arc groups, in order.
    ptr: IntArray
    places: IntArray
    lengths: FloatArray
    complete: bool  # whether the ranking contains all paths up to the given length
    searches: int  # number of shortest paths computed


@kernel
def ranked_paths(
    out: ArcGroups, into: ArcGroups, costs: FloatArray, ends: tuple[int, int], most: int, longest: float, budget: int
) -> Ranking:
    """The first `most` simple paths of at most the length `longest`; the search ends after about `budget` shortest paths.

    `out` and `into` group arcs by their tails and heads; costs, shape (d,), are >= 0; `ends` are source and target.
    """
    n, source, target = len(out.ptr) - 1, ends[0], ends[1]
    begin = np.full(n, np.inf)
    begin[target] = 0.0
    ahead = distances_from(into, costs, begin)
    blocked, forbidden = np.zeros(n, dtype=np.bool_), np.zeros(len(out.items), dtype=np.bool_)
    ptr, lengths = np.zeros(most + 1, dtype=np.int64), np.empty(most)
    places, found, searches = np.empty(64, dtype=np.int64), 0, 1
    # Candidate c: arcs pool[at[c]:at[c] + size[c]], the position from which it deviates, and the candidate it was split from.
    pool, filled = np.empty(1024, dtype=np.int64), 0
    about = np.empty((64, 4), dtype=np.int64)
    path = np.empty(n, dtype=np.int64)
    count, length = shortest_way(out, costs, ahead, 1.0, ends, blocked, forbidden, path)
    heap = [(length, 0)]
    candidates, complete = 0, True
    if length < np.inf and length <= longest:
        if count > len(pool):
            pool = np.empty(2 * count, dtype=np.int64)
        for p in range(count):
            pool[p] = path[p]
        filled, candidates = count, 1
        about[0, 0], about[0, 1], about[0, 2], about[0, 3] = 0, count, 0, -1
    else:
        heap.clear()
    while len(heap) > 0 and found < most:
        if searches >= budget or interrupted():
            complete = False
            break
        length, c = heapq.heappop(heap)
        at, size, deviation = about[c, 0], about[c, 1], about[c, 2]
        if ptr[found] + size > len(places):
            places = grown(places, 2 * len(places) + size)
        for p in range(size):
            places[ptr[found] + p] = pool[at + p]
        lengths[found] = length
        found += 1
        ptr[found] = ptr[found - 1] + size
        if found == most:
            break
        # The parts of its part that do not have it: by its first arcs and another one then.
        v, walked = source, 0.0
        for p in range(size):
            if p >= deviation:
                forbidden[pool[at + p]] = True
                ancestor = c
                while p == about[ancestor, 2] and about[ancestor, 3] >= 0:
                    ancestor = about[ancestor, 3]
                    forbidden[pool[about[ancestor, 0] + p]] = True
                blocked[v] = True
                count, more = shortest_way(out, costs, ahead, 1.0, (v, target), blocked, forbidden, path)
                searches += 1
                if more < np.inf and walked + more <= longest:
                    while filled + p + count > len(pool):
                        pool = grown(pool, 2 * len(pool))
                    if candidates == len(about):
                        about = grown(about, 2 * len(about))
                    about[candidates, 0], about[candidates, 1] = filled, p + count
                    about[candidates, 2], about[candidates, 3] = p, c
                    for q in range(p):
                        pool[filled + q] = pool[at + q]
                    for q in range(count):
                        pool[filled + p + q] = path[q]
                    filled += p + count
                    heapq.heappush(heap, (walked + more, candidates))
                    candidates += 1
                for k in range(out.ptr[v], out.ptr[v + 1]):
                    forbidden[k] = False
            blocked[v] = True
            walked += costs[out.items[pool[at + p]]]
            v = out.ends[pool[at + p]]
        blocked[:] = False
    return Ranking(ptr[: found + 1].copy(), places[: ptr[found]].copy(), lengths[:found].copy(), complete, searches)
