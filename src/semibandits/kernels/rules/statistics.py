"""Statistics of the items: the rows of an array of shape (8, d).

A round is open from its choice until its outcome is observed or forgotten. ``PLAYS``: number of observed rewards of the item;
``SUMS``, ``MEANS`` of these; ``COUNTS``: observed rewards plus open rounds with the item; ``SCALES``:
2 sigma_i^2 / max(counts, 1), twice the variance of the mean once all open rounds are observed; ``ROOTS``: their square roots.
When no round is open, counts equal plays. ``INITIAL``: mean before the first observed reward; ``STEPS``: by how much it falls for
each open round with the item, see `enter`. Rules use ``MEANS`` as estimates and ``SCALES``, ``ROOTS`` or ``COUNTS`` for
uncertainty. These include open rounds, so a decision whose items were observed is not repeated while outcomes are
pending.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import FloatArray, IntArray

PLAYS, SUMS, MEANS, SCALES, ROOTS, COUNTS, INITIAL, STEPS = 0, 1, 2, 3, 4, 5, 6, 7
ROWS = 8


def fresh_statistics(variance: FloatArray, means: FloatArray | None = None) -> FloatArray:
    """Statistics without observed rewards; `means` are the largest possible ones, as which unobserved items count."""
    stats = np.zeros((ROWS, len(variance)))
    if means is not None:
        stats[MEANS] = stats[INITIAL] = means
        stats[STEPS] = np.sqrt(variance)
    np.multiply(2.0, variance, out=stats[SCALES])
    np.sqrt(stats[SCALES], out=stats[ROOTS])
    return stats


def enter_prior(stats: FloatArray, spread: FloatArray, means: FloatArray, plays: FloatArray) -> None:
    """Count means as rewards that were observed so many times, before the first round."""
    seen = plays > 0
    stats[PLAYS] = stats[COUNTS] = plays
    stats[SUMS] = plays * means
    stats[MEANS, seen] = means[seen]
    stats[SCALES] = spread / np.maximum(plays, 1.0)
    stats[ROOTS] = np.sqrt(stats[SCALES])


@kernel(error_model="numpy")
def observe(stats: FloatArray, spread: FloatArray, items: IntArray, k: int, outcomes: FloatArray) -> int:
    """Observe the rewards ``outcomes[:k]`` of ``items[:k]``; return the number of items observed for the first time.

    For rounds observed as soon as they are chosen, while no round is open: the same as `enter` and then `observe_open`, in fewer
    steps.
    """
    fresh = 0
    for p in range(k):
        i = items[p]
        n = stats[PLAYS, i] + 1.0
        fresh += n == 1.0
        stats[PLAYS, i] = n
        stats[COUNTS, i] = n
        stats[SUMS, i] += outcomes[p]
        stats[MEANS, i] = stats[SUMS, i] / n
        stats[SCALES, i] = spread[i] / n
        stats[ROOTS, i] = math.sqrt(stats[SCALES, i])
    return fresh


@kernel(error_model="numpy")
def enter(stats: FloatArray, spread: FloatArray, items: IntArray, k: int, change: float) -> None:
    """Open (change 1) or forget (change -1) a round with ``items[:k]``.

    Optimism leads to the observation of an item. While its first outcome is pending, further rounds with it achieve nothing: for
    each open round its mean falls by a standard deviation of a reward, so that other unobserved items come first.
    """
    for p in range(k):
        i = items[p]
        stats[COUNTS, i] = max(stats[COUNTS, i] + change, stats[PLAYS, i])
        stats[SCALES, i] = spread[i] / max(stats[COUNTS, i], 1.0)
        stats[ROOTS, i] = math.sqrt(stats[SCALES, i])
        if stats[PLAYS, i] == 0.0:
            stats[MEANS, i] = stats[INITIAL, i] - stats[COUNTS, i] * stats[STEPS, i]


@kernel(error_model="numpy")
def observe_open(stats: FloatArray, spread: FloatArray, items: IntArray, k: int, outcomes: FloatArray) -> int:
    """Observe the rewards of an open round and close it; return the number of items observed for the first time.

    Rewards of a round that was never opened are also accepted.
    """
    fresh = 0
    for p in range(k):
        i = items[p]
        n = stats[PLAYS, i] + 1.0
        fresh += n == 1.0
        stats[PLAYS, i] = n
        stats[SUMS, i] += outcomes[p]
        stats[MEANS, i] = stats[SUMS, i] / n
        if stats[COUNTS, i] < n:
            stats[COUNTS, i] = n
            stats[SCALES, i] = spread[i] / n
            stats[ROOTS, i] = math.sqrt(stats[SCALES, i])
    return fresh


@kernel
def exploration(t: int, log: float, loglog: float) -> float:
    """f(t) = log * ln t + loglog * ln ln t; the second term is added from round 3 on."""
    log_t = math.log(t)
    return log * log_t + (loglog * math.log(log_t) if t > 2 else 0.0)
