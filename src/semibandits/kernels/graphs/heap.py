"""A binary heap of nodes with keys that may decrease."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray
from semibandits.kernels.machine.uncounted import uncounted


class Heap(NamedTuple):
    """Nodes by increasing key."""

    nodes: IntArray  # (n,): the first size[0] are a binary heap
    place: IntArray  # (n,): position of each node in the heap, -1 if it is not there
    keys: FloatArray  # (n,): key of each node
    size: IntArray  # (1,): number of nodes in the heap


@kernel
def empty_heap(n: int) -> Heap:
    """A heap for n nodes, without any; keys are infinite."""
    return Heap(np.empty(n, dtype=np.int64), np.full(n, -1, dtype=np.int64), np.full(n, np.inf), np.zeros(1, dtype=np.int64))


@kernel
def uncounted_heap(heap: Heap) -> Heap:
    """Uncounted arrays: see `kernels.machine.uncounted`."""
    return Heap(uncounted(heap.nodes), uncounted(heap.place), uncounted(heap.keys), uncounted(heap.size))


@kernel(inline="always")
def decrease(heap: Heap, v: int, key: float) -> None:
    """Set the key of node v, which must not increase while v is in the heap, and insert v if it is not there."""
    nodes, place, keys = heap.nodes, heap.place, heap.keys
    at = place[v]
    if at < 0:
        at = heap.size[0]
        heap.size[0] += 1
    keys[v] = key
    while at > 0:
        above = (at - 1) // 2
        if keys[nodes[above]] <= key:
            break
        nodes[at] = nodes[above]
        place[nodes[at]] = at
        at = above
    nodes[at] = v
    place[v] = at


@kernel(inline="always")
def pop(heap: Heap) -> int:
    """Remove a node of smallest key."""
    nodes, place, keys = heap.nodes, heap.place, heap.keys
    first = int(nodes[0])
    place[first] = -1
    heap.size[0] -= 1
    size = heap.size[0]
    if size > 0:
        v, at = nodes[size], 0
        key = keys[v]
        while True:
            below = 2 * at + 1
            if below >= size:
                break
            if below + 1 < size and keys[nodes[below + 1]] < keys[nodes[below]]:
                below += 1
            if keys[nodes[below]] >= key:
                break
            nodes[at] = nodes[below]
            place[nodes[at]] = at
            at = below
        nodes[at] = v
        place[v] = at
    return first


@kernel(inline="always")
def append(heap: Heap, v: int) -> None:
    """Insert node v without restoring the order."""
    heap.nodes[heap.size[0]], heap.place[v] = v, heap.size[0]
    heap.size[0] += 1


@kernel(inline="always")
def bring_first(heap: Heap) -> None:
    """Swap the first node of smallest key to the front, by a scan of all nodes in any order."""
    nodes, least, nearest = heap.nodes, np.inf, 0
    for i in range(heap.size[0]):
        if heap.keys[nodes[i]] < least:
            least, nearest = heap.keys[nodes[i]], i
    if heap.size[0] > 0:
        nodes[0], nodes[nearest] = nodes[nearest], nodes[0]


@kernel(inline="always")
def remove_first(heap: Heap) -> int:
    """Remove the node at the front without restoring the order."""
    first = int(heap.nodes[0])
    heap.place[first] = -1
    heap.size[0] -= 1
    heap.nodes[0] = heap.nodes[heap.size[0]]
    return first
