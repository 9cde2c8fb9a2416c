"""Rounds of a policy on a decision set: one at a time, or many."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from semibandits.kernels.arrays import write
from semibandits.kernels.late import Queue, needs_supply, observe_due, postpone, uncounted_queue
from semibandits.kernels.machine.signals import STEPS, check_signals, raise_interrupt
from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.machine.uncounted import uncounted
from semibandits.kernels.oracles.calls import call_index
from semibandits.kernels.oracles.pointers import OraclePointers
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.rewards import draw
from semibandits.kernels.rules.actions import (
    COVER,
    ENOUGH,
    GAIN_FIRST,
    GUESS,
    HINT,
    INDEX,
    LINEAR,
    LINEAR_FIRST,
    PLAY,
    RATIO,
    REPLAN,
    WAITING,
)
from semibandits.kernels.rules.records import Request, RuleState
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, observe
from semibandits.kernels.search import problem
from semibandits.kernels.search.branch_and_bound import REPORT, SLOPE, SPENT
from semibandits.kernels.search.ordered import maximize_in_order
from semibandits.kernels.search.problem import IndexProblem

DONE, FAILED, PAUSED, WANTING, NONE_LEFT = 0, -1, -2, -3, -4
"""Statuses besides ``REPLAN``: a decision or the last checkpoint is reached; an oracle failed; enough rounds are played; the
queue of open rounds is full or has no more delays; no item is left that has to be tried."""
ROUND, UNSEEN, RECORDED, LINEAR_CALLS, INDEX_CALLS, PLANS, UNDECIDED, SEARCHED = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in `counters`: rounds played, unseen items, checkpoints recorded, calls of each oracle, plans, index calls that ended
without a proof, and linear maximisations in index searches. The number of unseen items is 0 if means have an upper bound, or
once all of them were found to be in no decision."""
COUNTERS = 8
LEAST_CALLS, CALLS_A_ROUND, MOST_CALLS = 16, 12, 400
"""Budget of a search for a gain in linear maximisations: the minimum, the allowance per round (less those already used), and the
maximum. With few items the minimum is ``MOST_CALLS // d``, since each maximisation is cheap. Rules that play the decision of
largest index always get the maximum: a smaller budget can return the same suboptimal decision in every round."""


class Oracle(NamedTuple):
    """Data of a decision set, and the size of its largest decision."""

    data: tuple[IntArray, ...]
    m: int


class Player(NamedTuple):
    """Parameters and state of a policy.

    `spread` is 2 sigma_i^2. `exempt` marks items that no round has to try: all if means have an upper bound, otherwise those that
    were found to be in no decision, to save time.
    """

    params: FloatArray
    spread: FloatArray
    stats: FloatArray
    memory: FloatArray
    marks: IntArray
    rows: BoolArray
    exempt: BoolArray
    counters: IntArray


class Environment(NamedTuple):
    """Reward model, its means, largest mean of a decision, and the gap up to which a decision counts as optimal."""

    kind: int
    floats: FloatArray
    ints: IntArray
    theta: FloatArray
    best: float
    tie: float


class Record(NamedTuple):
    """Results at the checkpoints, one per row of `sums` (regret, reward, optimal rounds) and `counts` (plays of items, calls)."""

    checkpoints: IntArray
    sums: FloatArray
    counts: IntArray
    totals: FloatArray


def record(checkpoints: IntArray, d: int) -> Record:
    """An empty record for these checkpoints."""
    c = len(checkpoints)
    counts = np.zeros((c, d + UNDECIDED + 1 - LINEAR_CALLS), dtype=np.int64)
    return Record(checkpoints.copy(), np.zeros((c, 3)), counts, np.zeros(3))


class Scratch(NamedTuple):
    """Arrays of length d that rounds overwrite; the length of `normals` is set by the policy; for `report` see `index_search`."""

    x: BoolArray
    items: IntArray
    weights: FloatArray
    bonuses: FloatArray
    normals: FloatArray
    outcomes: FloatArray
    noise: FloatArray
    report: FloatArray


def scratch(d: int, normals: int = 0) -> Scratch:
    """Fresh arrays."""
    return Scratch(
        np.zeros(d, dtype=np.bool_), np.zeros(d, dtype=np.int64), np.zeros(d), np.zeros(d), np.zeros(normals),
        np.zeros(d), np.zeros(d), np.zeros(REPORT),
    )  # fmt: skip


@kernel
def uncounted_oracle(oracle: Oracle) -> Oracle:
    """Uncounted arrays: see `kernels.machine.uncounted`."""
    a, b, c, d, e, f, g, h = oracle.data
    data = (
        uncounted(a), uncounted(b), uncounted(c), uncounted(d), uncounted(e), uncounted(f), uncounted(g), uncounted(h),
    )  # fmt: skip
    return Oracle(data, oracle.m)


@kernel
def uncounted_player(player: Player) -> Player:
    """Uncounted arrays."""
    return Player(
        uncounted(player.params), uncounted(player.spread), uncounted(player.stats), uncounted(player.memory),
        uncounted(player.marks), uncounted(player.rows), uncounted(player.exempt), uncounted(player.counters),
    )  # fmt: skip


@kernel
def uncounted_scratch(work: Scratch) -> Scratch:
    """Uncounted arrays."""
    return Scratch(
        uncounted(work.x), uncounted(work.items), uncounted(work.weights), uncounted(work.bonuses), uncounted(work.normals),
        uncounted(work.outcomes), uncounted(work.noise), uncounted(work.report),
    )  # fmt: skip


@kernel(inline="always")
def rule_state(player: Player, normals: FloatArray) -> RuleState:
    """The part of a player that its rule receives, and random numbers."""
    return RuleState(player.params, player.stats, player.memory, player.marks, player.rows, normals)


@kernel(inline="always")
def request_of(work: Scratch) -> Request:
    """The arrays that a rule writes."""
    return Request(work.weights, work.bonuses, work.x)


@kernel(inline="always", calls=True)
def choose(
    rule: Callable[..., int], family: OraclePointers, index: Callable[..., int], oracle: Oracle, player: Player,
    work: Scratch, rng: np.random.Generator,
) -> int:  # fmt: skip
    """Write the decision of the next round into x; return ``DONE``, ``REPLAN`` (then nothing has changed), or ``FAILED``.

    Unseen items come first. If none of them is in any decision, returns ``NONE_LEFT``: then call it once more.
    """
    counters, x, z, action = player.counters, work.x, work.normals, COVER
    if counters[UNSEEN] == 0:
        for i in range(len(z)):
            z[i] = rng.standard_normal()
        action = rule(counters[ROUND] + 1, rule_state(player, work.normals), request_of(work))
    if action == PLAY:
        return DONE
    if action == LINEAR:
        counters[LINEAR_CALLS] += 1
        if family.linear(oracle.data, work.weights, x) == ANSWERED:
            return DONE
        raise_interrupt()
        return FAILED
    if action == INDEX:
        answered = searched(MOST_CALLS, 1.0, 0.0, work.x, family, index, oracle, player, work)
        raise_interrupt()
        return DONE if answered else FAILED
    if action == REPLAN:
        return REPLAN
    return run_rule(action, rule, family, index, oracle, player, work)


@kernel(calls=True)
def choose_next(
    rule: Callable[..., int], family: OraclePointers, index: Callable[..., int], oracle: Oracle, player: Player,
    work: Scratch, rng: np.random.Generator,
) -> int:  # fmt: skip
    """The same for callers in Python, until there is a decision."""
    status = NONE_LEFT
    while status == NONE_LEFT:
        status = choose(rule, family, index, oracle, player, work, rng)
    return status


@kernel(calls=True)
def act(rule: Callable[..., int], t: int, state: RuleState, request: Request) -> int:
    """Call a rule, for callers in Python."""
    return rule(t, state, request)


@kernel
def write_unseen(stats: FloatArray, counts: FloatArray) -> None:
    """The number of open rounds of unseen items; inf for others."""
    for i in range(len(counts)):
        counts[i] = stats[COUNTS, i] if stats[PLAYS, i] == 0.0 else math.inf


@kernel(calls=True)
def covered(linear: Callable[..., int], oracle: Oracle, player: Player, work: Scratch) -> int:
    """Try the unseen items, if there are any, or else those that the rule wants to be tried; statuses as for `choose`."""
    counters, otherwise = player.counters, work.x.copy()
    are_unseen = counters[UNSEEN] > 0
    if are_unseen:
        write_unseen(player.stats, work.bonuses)
    status = try_rarest(linear, oracle, player, work)
    if status != NONE_LEFT:
        return status
    if are_unseen:
        counters[UNSEEN] = 0
        return NONE_LEFT
    write(work.x, otherwise)
    return DONE


@kernel(calls=True)
def try_rarest(linear: Callable[..., int], oracle: Oracle, player: Player, work: Scratch) -> int:
    """Write into x, of the decisions with the most of the rarest items to be tried, the best one by estimates.

    ``bonuses[i]`` is the count of item i if it is to be tried, else inf. Items in no decision are exempt from then on, and others
    take their place. Returns ``DONE``, ``FAILED``, or ``NONE_LEFT`` if no decision has an item that is to be tried.
    """
    fewest = write_objectives(oracle.m, player, work)
    while fewest < math.inf:
        status = maximize_in_order(linear, oracle.data, work.noise, work.outcomes, oracle.m, work.weights, work.x)
        if status != ANSWERED:
            raise_interrupt()
            return FAILED
        if is_tried(fewest, player, work):
            return DONE
        fewest = write_objectives(oracle.m, player, work)
    return NONE_LEFT


@kernel
def write_objectives(m: int, player: Player, work: Scratch) -> float:
    """Write two objectives into `noise` and `outcomes`; return the count of the rarest items to be tried, inf if all are exempt.

    The first one counts these items and then, of decisions with as many, the other unseen items, against them: their outcomes are
    pending already. The second one is the estimate. Exempt items are treated like others of the same counts, so that the decision
    does not depend on when they were found to be exempt.
    """
    counts, exempt, plays, means = work.bonuses, player.exempt, player.stats[PLAYS], player.stats[MEANS]
    fewest, most = math.inf, 0.0
    for i in range(len(counts)):
        if counts[i] < math.inf:
            most = max(most, counts[i])
            if not exempt[i]:
                fewest = min(fewest, counts[i])
    value = 1.0 if most <= fewest else m + 1.0
    for i in range(len(counts)):  # without branches, which would take 20 times as long for a million items
        is_rarest = counts[i] <= fewest
        work.noise[i] = value * is_rarest - (not (is_rarest or plays[i] > 0.0))
        work.outcomes[i] = means[i]
    return fewest


@kernel
def is_tried(fewest: float, player: Player, work: Scratch) -> bool:
    """Whether x has an item of this count to be tried; otherwise no decision has one, and all of them become exempt."""
    counts, x = work.bonuses, work.x
    for i in range(len(x)):
        if x[i] and counts[i] <= fewest:
            return True
    for i in range(len(x)):
        player.exempt[i] |= counts[i] <= fewest
    return False


@kernel
def budget(counters: IntArray, d: int) -> int:
    """Budget of the next search for a gain over d items, in linear maximisations."""
    unspent = counters[ROUND] * CALLS_A_ROUND - counters[SEARCHED]
    return int(min(max(unspent, LEAST_CALLS, MOST_CALLS // d), MOST_CALLS))


@kernel(calls=True)
def searched(
    allowed: int, share: float, hint: float, guess: BoolArray, family: OraclePointers, index: Callable[..., int],
    oracle: Oracle, player: Player, work: Scratch,
) -> bool:  # fmt: skip
    """Write a decision of largest index into x, or the best one found by `allowed` maximisations; return False on failure.

    The budget is counted in linear maximisations, never in seconds, so that the same seed gives the same decisions everywhere.
    """
    counters = player.counters
    question = IndexProblem(work.weights, work.bonuses, player.params[RATIO], share, hint, guess, oracle.m, allowed)
    status = call_index(family, index, oracle.data, question, work.x, work.report)
    counters[INDEX_CALLS] += 1
    counters[SEARCHED] += np.int64(work.report[SPENT])
    counters[UNDECIDED] += status == problem.STOPPED
    return bool(status != problem.FAILED)


# A separate function: inside `choose` this loop would double the time of a round of Thompson sampling.
@kernel(calls=True)
def run_rule(
    action: int, rule: Callable[..., int], family: OraclePointers, index: Callable[..., int], oracle: Oracle,
    player: Player, work: Scratch,
) -> int:  # fmt: skip
    """Answer the requests of a rule until it plays; return ``DONE`` or ``FAILED``."""
    counters = player.counters
    while action in (LINEAR_FIRST, GAIN_FIRST):
        if action == LINEAR_FIRST:
            counters[LINEAR_CALLS] += 1
            answered = family.linear(oracle.data, work.weights, work.x) == ANSWERED
        else:
            allowed = budget(counters, len(work.x))
            answered = searched(allowed, ENOUGH, player.memory[HINT], player.rows[GUESS], family, index, oracle, player, work)
            player.memory[HINT] = work.report[SLOPE]
        if not answered:
            player.marks[WAITING] = 0
        raise_interrupt()
        if not answered:
            return FAILED
        action = rule(counters[ROUND] + 1, rule_state(player, work.normals), request_of(work))
    if action == COVER:
        return covered(family.linear, oracle, player, work)
    return DONE if action == PLAY else FAILED


@kernel
def write_items(x: BoolArray, theta: FloatArray, items: IntArray) -> tuple[int, float]:
    """Write the items of x, ascending; return their number and the sum of their means."""
    k, value = 0, 0.0
    for i in range(len(x)):
        if x[i]:
            items[k] = i
            value += theta[i]
            k += 1
    return k, value


@kernel(calls=True)
def play(
    rule: Callable[..., int], family: OraclePointers, index: Callable[..., int], oracle: Oracle, player: Player,
    environment: Environment, record: Record, work: Scratch, queue: Queue, policy_rng: np.random.Generator,
    reward_rng: np.random.Generator, most: int,
) -> int:  # fmt: skip
    """Play until the last checkpoint, at most `most` rounds; return ``DONE`` or another status.

    Outcomes wait in the queue if it has room for any; otherwise they are observed at once.
    """
    oracle, player, work, queue = (
        uncounted_oracle(oracle),
        uncounted_player(player),
        uncounted_scratch(work),
        uncounted_queue(queue),
    )
    counters, totals, theta, is_late = player.counters, record.totals, environment.theta, len(queue.heap) > 0
    d = len(theta)
    x, items, outcomes, noise = work.x, work.items, work.outcomes, work.noise
    last = counters[ROUND] + most
    every = max(STEPS // d, 1)
    halt = min(counters[ROUND] + every, last)
    while counters[RECORDED] < len(record.checkpoints):
        if counters[ROUND] == halt:
            if halt == last:
                return PAUSED
            check_signals()
            halt = min(halt + every, last)
        if is_late:
            if needs_supply(queue):
                return WANTING
            counters[UNSEEN] = max(counters[UNSEEN] - observe_due(queue, player.stats, player.spread, counters[ROUND]), 0)
        status = choose(rule, family, index, oracle, player, work, policy_rng)
        if status == NONE_LEFT:
            continue
        if status != DONE:
            return status
        k, value = write_items(x, theta, items)
        draw(environment.kind, environment.floats, environment.ints, items, k, reward_rng, noise, outcomes)
        counters[ROUND] += 1
        if is_late:
            postpone(queue, player.stats, player.spread, counters[ROUND], items, k, outcomes)
        else:
            counters[UNSEEN] = max(counters[UNSEEN] - observe(player.stats, player.spread, items, k, outcomes), 0)
        gap = environment.best - value
        totals[0] += gap if gap > environment.tie else 0.0
        totals[2] += 0.0 if gap > environment.tie else 1.0
        for p in range(k):
            totals[1] += outcomes[p]
        if counters[ROUND] == record.checkpoints[counters[RECORDED]]:
            row = counters[RECORDED]
            for p in range(len(totals)):
                record.sums[row, p] = totals[p]
            for i in range(d):
                record.counts[row, i] = np.int64(queue.played[i] if is_late else player.stats[PLAYS, i])
            for p in range(LINEAR_CALLS, UNDECIDED + 1):
                record.counts[row, d + p - LINEAR_CALLS] = counters[p]
            counters[RECORDED] += 1
    return DONE
