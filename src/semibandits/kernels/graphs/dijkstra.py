"""Shortest simple paths in directed graphs whose arcs have items, with costs >= 0.

Arcs are grouped by the node that they leave (`ArcGroups`). Two arcs may share an item: the directions of an undirected edge.
"""

from __future__ import annotations

import numpy as np

from semibandits.kernels.arrays import grown
from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.graphs.heap import decrease, empty_heap, pop
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray


@kernel
def shortest_path_into(
    out: ArcGroups, costs: FloatArray, ahead: FloatArray, share: float, source: int, target: int, x: BoolArray
) -> float:
    """Write the items of a shortest path from source to target into x, shape (d,); its length, inf if there is no path.

    A* search (Hart, Nilsson, Raphael 1968). `out` groups arcs by their tails, and costs, shape (d,), are >= 0. `ahead`, shape
    (n,), is the distance from each node to the target at some least costs, inf where there is no path. `share` > 0 is at most the
    smallest ratio of a cost to its least one, so that ``share * ahead`` is a lower bound on the distance.
    """
    nothing, places = np.empty(0, dtype=np.bool_), np.empty(len(ahead), dtype=np.int64)
    count, length = shortest_way(out, costs, ahead, share, (source, target), nothing, nothing, places)
    x[:] = False
    for k in places[:count]:
        x[out.items[k]] = True
    return length


@kernel
def shortest_way(
    out: ArcGroups, costs: FloatArray, ahead: FloatArray, share: float, ends: tuple[int, int], blocked: BoolArray,
    forbidden: BoolArray, places: IntArray,
) -> tuple[int, float]:  # fmt: skip
    """Write the places in `out` of the arcs of a shortest path into `places`, in order; their number, and the length, maybe inf.

    The path avoids the nodes that are `blocked`, and does not leave its first node at a place that is `forbidden`; no node is
    blocked and no place forbidden if `blocked` is empty. See :func:`shortest_path_into` for the other arguments.
    """
    n, (start, target), is_limited = len(out.ptr) - 1, ends, len(blocked) > 0
    heap = empty_heap(n)
    distance, last, before = np.full(n, np.inf), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    distance[start] = 0.0
    decrease(heap, start, share * ahead[start])
    while heap.size[0] > 0:
        u = pop(heap)
        if u == target:
            break
        for k in range(out.ptr[u], out.ptr[u + 1]):
            v = out.ends[k]
            reached = distance[u] + costs[out.items[k]]
            if reached < distance[v] and ahead[v] < np.inf:
                if is_limited and (blocked[v] or (u == start and forbidden[k])):
                    continue
                distance[v], last[v], before[v] = reached, k, u
                decrease(heap, v, reached + share * ahead[v])
    if distance[target] == np.inf:
        return 0, np.inf
    count, v = 0, target
    while v != start:
        places[count] = last[v]
        count += 1
        v = before[v]
    for p in range(count // 2):
        places[p], places[count - 1 - p] = places[count - 1 - p], places[p]
    return count, float(distance[target])


@kernel
def shortest_tree(out: ArcGroups, costs: FloatArray, begin: FloatArray) -> tuple[FloatArray, IntArray]:
    """Shortest distance to each node, see `distances_from`, and the place in `out` of the arc by which a shortest path enters it.

    The place is -1 where paths start and where none leads.
    """
    n = len(out.ptr) - 1
    heap, distance, last = empty_heap(n), begin.copy(), np.full(n, -1, dtype=np.int64)
    for u in range(n):
        if begin[u] < np.inf:
            decrease(heap, u, begin[u])
    while heap.size[0] > 0:
        u = pop(heap)
        for k in range(out.ptr[u], out.ptr[u + 1]):
            v = out.ends[k]
            reached = distance[u] + costs[out.items[k]]
            if reached < distance[v]:
                distance[v], last[v] = reached, k
                decrease(heap, v, reached)
    return distance, last


@kernel
def distances_from(out: ArcGroups, costs: FloatArray, begin: FloatArray) -> FloatArray:
    """Shortest distance to each node, shape (n,): the least of ``begin[u]`` plus the length of a path from u; inf if none.

    `begin` is finite where paths may start, and may be negative; costs are >= 0.
    """
    return shortest_tree(out, costs, begin)[0]


@kernel
def walk_of(out: ArcGroups, x: BoolArray, source: int, target: int) -> tuple[IntArray, IntArray]:
    """Nodes of the simple path whose items are x, from source to target, and its places in `out`; empty if x is none."""
    n, count = len(out.ptr) - 1, 0
    for i in range(len(x)):
        count += x[i]
    nodes, arcs = np.empty(count + 1, dtype=np.int64), np.empty(count, dtype=np.int64)
    visited = np.zeros(n, dtype=np.bool_)
    nothing = np.empty(0, dtype=np.int64)
    v, item = source, -1
    nodes[0] = v
    for step in range(count):
        visited[v] = True
        found = -1
        for k in range(out.ptr[v], out.ptr[v + 1]):
            if x[out.items[k]] and out.items[k] != item:
                if found >= 0:
                    return nothing, nothing
                found = k
        if found < 0 or v == target or visited[out.ends[found]]:
            return nothing, nothing
        v, item = out.ends[found], out.items[found]
        nodes[step + 1], arcs[step] = v, found
    return (nodes, arcs) if v == target else (nothing, nothing)


@kernel
def simple_paths(out: ArcGroups, steps: FloatArray, source: int, target: int, limit: int, rows: BoolArray) -> int:
    """Number of simple paths from source to a different target, limit + 1 if there are more; `rows` become the first ones.

    Paths are in lexicographic order of their arcs, which `out` groups by tails. Depth first; a node is entered only if the target
    can still be reached, so that each path takes polynomial time. `steps`, shape (n,), is the least number of arcs from each node
    to the target, inf where there is no path; it guides the search for a way on. `rows`, shape (k, d), must be zeros and become
    the items of the first k paths; k may be 0.
    """
    n, found, depth = len(out.ptr) - 1, 0, 0
    path, place = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    visited, stack, reached = np.zeros(n, dtype=np.bool_), np.empty(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    path[0], place[0], visited[source] = source, out.ptr[source], True
    search = 0
    while depth >= 0:
        u = path[depth]
        if place[depth] == out.ptr[u + 1]:
            visited[u] = False
            depth -= 1
            continue
        v = out.ends[place[depth]]
        place[depth] += 1
        if visited[v]:
            continue
        if v == target:
            if found < len(rows):
                for at in range(depth + 1):
                    rows[found, out.items[place[at] - 1]] = True
            found += 1
            if found > limit:
                return found
            continue
        search += 1
        if _leads_on(out, steps, v, target, visited, stack, reached, search):
            depth += 1
            path[depth], place[depth], visited[v] = v, out.ptr[v], True
    return found


@kernel
def _leads_on(
    out: ArcGroups, steps: FloatArray, v: int, target: int, visited: BoolArray, stack: IntArray, reached: IntArray,
    search: int,
) -> bool:  # fmt: skip
    """Whether a path leads from v to the target past no visited node. `reached` is the number of the last search at each node.

    Depth first, each time to the neighbour that has the fewest steps to the target.
    """
    stack[0], size, reached[v] = v, 1, search
    while size > 0:
        size -= 1
        u, first = stack[size], size
        for k in range(out.ptr[u], out.ptr[u + 1]):
            w = out.ends[k]
            if w == target:
                return True
            if visited[w] or reached[w] == search or steps[w] == np.inf:
                continue
            reached[w] = search
            stack[size] = w
            if size > first and steps[w] > steps[stack[size - 1]]:  # the nearest one stays on top
                stack[size - 1], stack[size] = w, stack[size - 1]
            size += 1
    return False


@kernel
def walks_through(
    arcs: IntArray, tails: IntArray, heads: IntArray, before: IntArray, after: IntArray
) -> tuple[IntArray, IntArray]:
    """A walk through each of these arcs, without its loops: ``walks[ptr[k]:ptr[k + 1]]`` in the order of travel, as (ptr, walks).
    `before` and `after`, shape (n,), are the arcs by which a walk enters a node and by which it goes on; -1 where it starts or
    ends.
    """
    n = len(before)
    ptr, walks, size = np.zeros(len(arcs) + 1, dtype=np.int64), np.empty(1024, dtype=np.int64), 0
    place = np.full(n, -1, dtype=np.int64)
    steps = np.empty(2 * n + 1, dtype=np.int64)
    for number in range(len(arcs)):
        count, arc = 0, arcs[number]
        while arc >= 0:
            steps[count] = arc
            count += 1
            arc = before[tails[arc]]
        for k in range(count // 2):
            steps[k], steps[count - 1 - k] = steps[count - 1 - k], steps[k]
        arc = after[heads[arcs[number]]]
        while arc >= 0:
            steps[count] = arc
            count += 1
            arc = after[heads[arc]]
        if size + count > len(walks):
            walks = grown(walks, 2 * len(walks) + count)
        begin = size
        place[tails[steps[0]]] = begin
        for k in range(count):
            walks[size] = steps[k]
            size += 1
            v = heads[steps[k]]
            if place[v] >= 0:  # a loop from v back to v
                while size > place[v]:
                    size -= 1
                    if heads[walks[size]] != v:
                        place[heads[walks[size]]] = -1
            place[v] = size
        place[tails[steps[0]]] = -1
        for k in range(begin, size):
            place[heads[walks[k]]] = -1
        ptr[number + 1] = size
    return ptr, walks[:size].copy()


@kernel
def turns(tails: IntArray, heads: IntArray, is_hub: BoolArray, out: ArcGroups) -> tuple[IntArray, IntArray, IntArray]:
    """Line graph without U-turns: tails, heads and arcs of a graph whose node 1 + a is arc a, and whose node 0 is the hub.

    Its arc from 1 + a to 1 + b stands for taking b after a, the one from 0 to 1 + b for leaving the hub by b, and the one from
    1 + a to 0, which has the number -1, for coming back to the hub by a. `out` groups the arcs, by number, by their tails.
    """
    count = 0
    for a in range(len(tails)):
        v = heads[a]
        count += is_hub[tails[a]] + (1 if is_hub[v] else out.ptr[v + 1] - out.ptr[v])
    first, second, taken = (np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64))
    size = 0
    for a in range(len(tails)):
        v = heads[a]
        if is_hub[tails[a]]:
            first[size], second[size], taken[size] = 0, a + 1, a
            size += 1
        if is_hub[v]:
            first[size], second[size], taken[size] = a + 1, 0, -1
            size += 1
            continue
        for k in range(out.ptr[v], out.ptr[v + 1]):
            if out.ends[k] != tails[a]:
                first[size], second[size], taken[size] = a + 1, out.items[k] + 1, out.items[k]
                size += 1
    return first[:size].copy(), second[:size].copy(), taken[:size].copy()


@kernel
def negative_walk(out: ArcGroups, costs: FloatArray, gains: FloatArray) -> tuple[IntArray, FloatArray]:
    """Arcs of a closed walk whose costs are below its gains, in reverse order of travel, and potentials.

    Dijkstra's algorithm from node 0, in which nodes may be reached again at a lower potential. The result is empty if there is no
    such walk up to rounding; then ``pi[head] <= pi[tail] + cost - gain`` on all arcs reachable from node 0. ``out.items`` are the
    arcs.
    """
    n = len(out.ptr) - 1
    heap, pi = empty_heap(n), np.full(n, np.inf)
    parent, before = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    settled = np.zeros(n, dtype=np.bool_)
    pi[0] = 0.0
    decrease(heap, 0, 0.0)
    while heap.size[0] > 0:
        u = pop(heap)
        settled[u] = True
        for k in range(out.ptr[u], out.ptr[u + 1]):
            v, arc = out.ends[k], out.items[k]
            reached = pi[u] + (costs[arc] - gains[arc])
            if not reached < pi[v] - 1e-14 * (costs[arc] + gains[arc]) - 1e-15 * abs(reached):
                continue
            if settled[v]:  # then the walk to u may come from v
                at, count = u, 1
                while at != v and parent[at] >= 0:
                    at = before[at]
                    count += 1
                if at == v:
                    walk = np.empty(count, dtype=np.int64)
                    walk[0], at = arc, u
                    for p in range(1, count):
                        walk[p], at = parent[at], before[at]
                    return walk, pi
            pi[v], parent[v], before[v] = reached, arc, u
            decrease(heap, v, reached)
    return np.empty(0, dtype=np.int64), pi
