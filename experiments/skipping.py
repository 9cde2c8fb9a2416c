"""Rounds that repeat a decision are drawn at once: GLADE takes some 35,000 decisions for e^700 rounds.

GLADE repeats a decision until the count of its rarest item has grown by the fraction `patience`, and ignores the rewards
meanwhile. The means of n such rewards of an item are Gaussian. So one draw per item
replaces the n rounds, and regret has the same distribution as in :func:`semibandits.simulate`. Rounds and counts are floats:
beyond some 10^32 rounds, rounding breaks ties of optimal decisions, which costs no regret.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from noise_free import MOST_DECISIONS, decide
from numba import njit
from numpy.typing import NDArray

import semibandits as sb
from semibandits.kernels.rounds import Player
from semibandits.kernels.rules.glade import PATIENCE, REPEATS
from semibandits.kernels.rules.statistics import COUNTS, MEANS, PLAYS, SCALES

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def regrets(
    policy: sb.GLADE,
    decision_set: sb.DecisionSet,
    theta: Vector,
    variance: float | Vector,
    checkpoints: Sequence[float],
    replications: int,
    seed: int,
) -> Matrix:
    """Pseudo-regret of GLADE under Gaussian rewards up to each checkpoint, shape (replications, len(checkpoints)).

    The set has at most 20,000 decisions, with each item in one of them; checkpoints increase, up to e^700 rounds.
    """
    decisions = decision_set.enumerate(limit=MOST_DECISIONS).astype(np.float64)
    tie = 1e-12 * decision_set.m * float(np.abs(theta).max())
    found = np.zeros((replications, len(checkpoints)))
    for k in range(replications):
        player = policy.start(decision_set, variance).player
        _play(
            player, theta, decisions, float((decisions @ theta).max()), tie, np.array(checkpoints, dtype=np.float64), found[k],
            np.random.default_rng([seed, k]),
        )  # fmt: skip
    return found


@njit(error_model="numpy")  # not cached: a cache would not see that the rule has changed
def _play(
    player: Player, theta: Vector, decisions: Matrix, best: float, tie: float, ends: Vector, regrets: Vector,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Play until the last of the `ends`; first those with the most items without an observation, of these the best by means."""
    d, stats, marks, params = len(theta), player.stats, player.marks, player.params
    weights, bonuses, x = np.zeros(d), np.zeros(d), np.zeros(d, dtype=np.bool_)
    t, regret, planned, recorded = 0.0, 0.0, 0.0, 0
    while recorded < len(ends):
        if planned == 0.0 and (stats[PLAYS] == 0.0).any():
            planned = 1.0
            fresh = decisions @ (stats[PLAYS] == 0.0).astype(np.float64)
            x[:] = decisions[np.argmax(np.where(fresh == fresh.max(), decisions @ stats[MEANS], -np.inf))] > 0.0
        elif planned == 0.0:
            decide(t + 1.0, params, stats, player.memory, marks, player.rows, weights, bonuses, x, decisions)
            marks[REPEATS] = 0  # an integer, too small for this many rounds: they are planned here
            fewest = math.inf
            for i in range(d):
                if x[i]:
                    fewest = min(fewest, stats[PLAYS, i])
            planned = max(np.floor(params[PATIENCE] * fewest), 1.0) if fewest < math.inf else 1.0
        n, value = min(planned, max(ends[recorded] - t, 1.0)), 0.0  # above 2^53, adding one round may not change t
        planned -= n
        t += n
        for i in range(d):
            if x[i]:
                value += theta[i]
                plays = stats[PLAYS, i] + n
                mean = theta[i] + math.sqrt(player.spread[i] / 2.0 / n) * rng.standard_normal()
                stats[MEANS, i] += n / plays * (mean - stats[MEANS, i])
                stats[PLAYS, i] = stats[COUNTS, i] = plays
                stats[SCALES, i] = player.spread[i] / plays
        if best - value > tie:
            regret += n * (best - value)
        if t >= ends[recorded]:
            regrets[recorded] = regret
            recorded += 1
