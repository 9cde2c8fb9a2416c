"""Queue of rounds with delayed outcomes, in the order in which these are due."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.machine.uncounted import uncounted
from semibandits.kernels.rules.statistics import enter, observe_open

OPEN, DRAWN = 0, 1
"""Places in `counts`: number of open rounds, and of delays used."""
DUE, ASKED, LOST, SIZE, ITEMS = 0, 1, 2, 3, 4
"""Places in a row of `rounds`: the round after which it is due, its own number, whether its outcome is lost, the number of its
items, and the items."""


class Queue(NamedTuple):
    """Open rounds, and delays of the next rounds; arrays have length 0 if outcomes are observed at once.

    ``heap[:n]`` are the rows of the n open rounds, a binary heap by due date, then by number; ``heap[n:]`` are free rows.
    `delays` and `losses` are those of the next rounds; ``played[i]`` is the number of plays of item i.
    """

    heap: IntArray
    rounds: IntArray
    outcomes: FloatArray
    counts: IntArray
    delays: IntArray
    losses: BoolArray
    played: FloatArray


def queue(room: int, d: int, m: int) -> Queue:
    """An empty queue for `room` open rounds of at most m of d items, without delays."""
    return Queue(
        np.arange(room), np.zeros((room, ITEMS + m), dtype=np.int64), np.zeros((room, m)), np.zeros(2, dtype=np.int64),
        np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_), np.zeros(d),
    )  # fmt: skip


def widened(queue: Queue) -> Queue:
    """The same queue with twice the room."""
    room = len(queue.heap)
    return queue._replace(
        heap=np.concatenate((queue.heap, np.arange(room, 2 * room))),
        rounds=np.concatenate((queue.rounds, np.zeros_like(queue.rounds))),
        outcomes=np.concatenate((queue.outcomes, np.zeros_like(queue.outcomes))),
    )


@kernel
def uncounted_queue(queue: Queue) -> Queue:
    """Uncounted arrays: see `kernels.machine.uncounted`."""
    return Queue(
        uncounted(queue.heap), uncounted(queue.rounds), uncounted(queue.outcomes), uncounted(queue.counts),
        uncounted(queue.delays), uncounted(queue.losses), uncounted(queue.played),
    )  # fmt: skip


@kernel
def is_full(queue: Queue) -> bool:
    """Whether there is no room for another round."""
    return bool(queue.counts[OPEN] == len(queue.heap))


@kernel
def needs_supply(queue: Queue) -> bool:
    """Whether the queue needs room or a delay for the next round."""
    return is_full(queue) or queue.counts[DRAWN] == len(queue.delays)


@kernel(error_model="numpy")
def postpone(queue: Queue, stats: FloatArray, spread: FloatArray, t: int, items: IntArray, k: int, outcomes: FloatArray) -> None:
    """Open round t with the rewards ``outcomes[:k]`` of ``items[:k]``, which are observed later or lost."""
    heap, rounds, place = queue.heap, queue.rounds, queue.counts[OPEN]
    row, delay = heap[place], queue.counts[DRAWN]
    rounds[row, DUE], rounds[row, ASKED] = t + queue.delays[delay], t
    rounds[row, LOST], rounds[row, SIZE] = queue.losses[delay], k
    queue.counts[OPEN] += 1
    queue.counts[DRAWN] += 1
    for p in range(k):
        rounds[row, ITEMS + p] = items[p]
        queue.outcomes[row, p] = outcomes[p]
        queue.played[items[p]] += 1.0
    while place > 0 and is_before(rounds, row, heap[(place - 1) // 2]):
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = row
    enter(stats, spread, items, k, 1.0)


@kernel(error_model="numpy")
def observe_due(queue: Queue, stats: FloatArray, spread: FloatArray, t: int) -> int:
    """Close the rounds that are due after round t, in order; return the number of items observed for the first time."""
    fresh = 0
    while queue.counts[OPEN] > 0 and queue.rounds[queue.heap[0], DUE] <= t:
        row = first_out(queue)
        items, k = queue.rounds[row, ITEMS:], queue.rounds[row, SIZE]
        if queue.rounds[row, LOST]:
            enter(stats, spread, items, k, -1.0)
        else:
            fresh += observe_open(stats, spread, items, k, queue.outcomes[row])
    return fresh


@kernel(error_model="numpy")
def first_out(queue: Queue) -> int:
    """Remove the first round; return its row, which stays valid until the next round is added."""
    heap, rounds = queue.heap, queue.rounds
    queue.counts[OPEN] -= 1
    size, first = queue.counts[OPEN], heap[0]
    row, place = heap[size], 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and is_before(rounds, heap[child + 1], heap[child]):
            child += 1
        if not is_before(rounds, heap[child], row):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = row
    heap[size] = first
    return int(first)


@kernel(error_model="numpy")
def is_before(rounds: IntArray, row: int, other: int) -> bool:
    """Whether a round is due before another one, or at the same time but chosen before it."""
    if rounds[row, DUE] != rounds[other, DUE]:
        return bool(rounds[row, DUE] < rounds[other, DUE])
    return bool(rounds[row, ASKED] < rounds[other, ASKED])
