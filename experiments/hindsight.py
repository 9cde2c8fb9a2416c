"""A lower bound on regret on listed stars: the least regret that satisfies the test of GLADE if all rewards are known in advance.

The star (:func:`stars.listed_star`) has k single alternatives of gap `single`, each with an item of its own, and a joint one of
gap `joint` with all these items. A policy that exploits in round t only if no single alternative is plausible must have played
item i until its constraint, ``n D_i(n)^2 > 2 sigma^2 (ln(t / n) - discount)``, was met, where D_i(n) is the gap estimated from
its first n rewards. Let N_i be the first such n. This takes j plays of the joint alternative and (N_i - j)+
of single i. The bound uses the best j for known N_i. No policy can attain it, since the N_i are unknown and estimates
may be wrong for a while.

The N_i spread by about sqrt(2 / f) of their mean at level f, and the cost of refuting all of them at once is convex in them. So
regret exceeds C(theta) times the level by a term that grows like the square root of ln t, see docs/policies/optimality.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from panel_sets import VARIANCE

Matrix = NDArray[np.float64]
Counts = NDArray[np.int64]


def least_regrets(
    k: int, single: float, joint: float, discount: float, checkpoints: Sequence[float], replications: int, seed: int
) -> Matrix:
    """Least regret up to each checkpoint, if each were the last, shape (replications, len(checkpoints)).

    `single` and `joint` are gaps, and `discount` is the parameter of GLADE; the means of the optimal decision's items are known.
    """
    found = np.empty((replications, len(checkpoints)))
    for r in range(replications):
        rng = np.random.default_rng([seed, r])
        needed = np.array([first_refuting(single, discount, checkpoints, rng) for _ in range(k)])
        found[r] = [least_cost(single, joint, column) for column in needed.T]
    return found


def least_cost(single: float, joint: float, needed: Counts) -> float:
    """Least regret of playing item i `needed[i]` times. It is piecewise linear in the joint plays, with breaks at `needed`."""
    return min(joint * j + single * float(np.maximum(needed - j, 0).sum()) for j in (0, *needed.tolist()))


def first_refuting(single: float, discount: float, checkpoints: Sequence[float], rng: np.random.Generator) -> Counts:
    """The first number of plays that refutes one single alternative, for each of the checkpoints."""
    needed = np.zeros(len(checkpoints), dtype=np.int64)
    noise = np.zeros(0)
    draws = 10 + int(1.5 * math.log(max(checkpoints)) * 2.0 * VARIANCE / single**2)
    while not needed.all():
        noise = np.concatenate([noise, rng.normal(0.0, math.sqrt(VARIANCE), draws)])
        n = np.arange(1, len(noise) + 1)
        gaps = single - np.cumsum(noise) / n
        information = np.where(gaps > 0.0, n * gaps**2 / (2.0 * VARIANCE), -math.inf)
        for c, t in enumerate(checkpoints):
            refuted = information > np.maximum(math.log(t) - np.log(n) - discount, 0.0)
            needed[c] = int(refuted.argmax()) + 1 if refuted.any() else 0
    return needed


def second_order(k: int, single: float, joint: float, draws: int = 100_000, seed: int = 0) -> float:
    """The factor of sqrt(ln t) in the least regret as t grows, if ``sqrt(k) single <= joint < k single``.

    ``E min over u of (joint u + single sum of (Z_i - u)+)``, with k independent normal Z_i, times
    ``sqrt(2) 2 sigma^2 / single^2``; estimated by drawing.
    """
    z = np.sort(np.random.default_rng(seed).standard_normal((draws, k)), axis=1)
    least = np.min([joint * z[:, j] + single * np.maximum(z - z[:, j : j + 1], 0.0).sum(axis=1) for j in range(k)], axis=0)
    return float(least.mean()) * math.sqrt(2.0) * 2.0 * VARIANCE / single**2
