"""Stars: instances where one expensive decision is more informative than many cheap ones, and the cost of not playing it.

There are stars among lists, matchings (chains) and paths (side roads), each with given and with drawn parameters. Cheap
alternatives are the most plausible ones, but the Graves-Lai plan learns about all of them with the expensive one.
"""

from __future__ import annotations

import math

import numpy as np
from panel_sets import VARIANCE, Bandit, Vector

import semibandits as sb


def listed_star(k: int, single: float, joint: float) -> Bandit:
    """A star: k decisions of gap `single`, each with an item of its own, and one of gap `joint` with all k of these items.

    The optimal decision has a first item and b_1 .. b_k; single i is {all b but b_i, a_i}; the joint one is {a_1 .. a_k}. With
    variance 1/2 each a_i must be played 1/single² times per ln T. That costs k/single by singles and joint/single² by the joint
    decision. The joint one is never the most plausible alternative if joint² / k > single². So playing
    the most plausible decision costs k single / joint times as much as the plan, up to √k.
    """
    rows = np.zeros((k + 2, 2 * k + 1), dtype=np.bool_)
    rows[:-1, 1 : k + 1] = True
    rows[0, 0] = True
    for i in range(1, k + 1):
        rows[i, i], rows[i, k + i] = False, True
    rows[-1, k + 1 :] = True
    b = (joint - single) / (k - 1)
    return sb.EnumeratedDecisions(rows), np.concatenate([[single - b], np.full(k, b), np.zeros(k)]), VARIANCE


def drawn_listed_star(rng: np.random.Generator) -> Bandit:
    """A star in which the joint decision is 10 to 30 % too expensive to be the most plausible."""
    k, single = int(rng.integers(6, 13)), rng.uniform(0.3, 0.6)
    return listed_star(k, single, rng.uniform(1.1, 1.3) * math.sqrt(k) * single)


def chain(leaving: Vector, entering: Vector) -> Bandit:
    """A star of matchings: any matching of a path whose edges are y_0, z_1, y_1, ..., z_k, y_k in turn.

    The optimal matching has all y; each alternating path z_j .. z_l removes y_{j-1} .. y_l. With y = e and z = e - g its gap
    is e + (l - j + 1) g: the fixed cost e is paid once, whatever the length. Only entering items are explored, so the shortest
    paths concern one item each. Two items are less plausible than one if (e + 2g)² / 2 > (e + g)², that is g > e/√2, and more
    items are even less so. Then singles cost k/(e + g) per ln T, and the whole path (e + kg)/(e + g)²: the ratio is
    k(e + g)/(e + kg), 2.09 for k = 9 and below 1 + √2. With g < e/√2, pairs or longer paths are played, and the ratio is smaller.
    """
    k = len(entering)
    theta = np.empty(2 * k + 1)
    theta[::2], theta[1::2] = leaving, entering
    edges = [(i // 2 + i % 2, i // 2) for i in range(2 * k + 1)]
    return sb.Matchings(edges, "none"), theta, VARIANCE


def drawn_chain(rng: np.random.Generator) -> Bandit:
    """A chain of 8 to 11 items that enter, of which single ones are the most plausible."""
    e, g = _steps(rng)
    k = int(rng.integers(8, 12))
    return chain(np.full(k + 1, e), e - g * rng.uniform(1, 1.02, k))


def side_roads(entrance: float, toll: float, main: Vector, side: Vector, known: float) -> Bandit:
    """A star of paths: a toll road s -> t, or a free one, which has an entrance and k sections with a main and a side road each.

    Items: the toll road, the entrance, the main roads, the side roads; all means are costs. Let e be the extra cost of the free
    road with main roads only, and g the extra cost of a side road over its main road: s side roads have the gap e + s g, and e is
    paid once, as in :func:`chain`. There is one difference: a path with one side road uses the other main roads, so they
    have to be explored as well. Trying side roads one at a time explores the main roads too; trying all side
    roads at once does not, and with equal variances this cancels the gain: the ratio is then about 1. So entrance and main roads
    are well known, with a variance `known` far below 1/2: for k = 9 and g = 0.72 e the ratio is 1.95, 1.83, 1.71, 1.60 and 1.28
    where `known` is 0.0005, 0.002, 0.005, 0.01 and 0.05.
    """
    k = len(main)
    sections = [(j, j + 1) for j in range(k)]
    arcs = [("s", k), ("s", 0), *sections, *sections]
    theta = -np.concatenate([[toll, entrance], main, side])
    variance = np.concatenate([np.full(k + 2, known), np.full(k, VARIANCE)])
    return sb.Paths(arcs, "s", k), theta, variance


def drawn_side_roads(rng: np.random.Generator) -> Bandit:
    """Roads of 9 to 11 sections, of which single side roads are the most plausible."""
    e, g = _steps(rng)
    k = int(rng.integers(9, 12))
    main, entrance = rng.uniform(0.05, 0.2, k), rng.uniform(0.2, 0.5)
    toll = entrance + main.sum() - e
    return side_roads(entrance, toll, main, main + g * rng.uniform(1, 1.02, k), rng.uniform(0.0003, 0.0008))


def _steps(rng: np.random.Generator) -> tuple[float, float]:
    """The fixed cost of an alternative of a chain, and its cost per item."""
    single, ratio = rng.uniform(0.4, 0.6), rng.uniform(0.72, 0.78)
    return single / (1 + ratio), single * ratio / (1 + ratio)


def one_at_a_time(decision_set: sb.DecisionSet, theta: Vector, variance: float | Vector, *, step: float = 0.002) -> float:
    """Cost per ln T of always playing the most plausible alternative, with known theta; no policy is simulated.

    An alternative x is the less plausible the larger Δ² / Σ 2σ_i²/n_i over its items outside the optimal decision; it is played
    until all these values are 1. C(theta) is the least cost of reaching this. A play of x adds the fraction `step` of the plays
    that x alone would need. The set is small enough to be listed, and one decision is optimal.
    """
    decisions = decision_set.enumerate(limit=1_000_000)
    rewards = decisions @ theta
    entering = decisions & ~decisions[rewards.argmax()]
    order = np.argsort(-rewards)  # among decisions with the same entering items, the cheapest comes first
    kinds, first = np.unique(entering[order], axis=0, return_index=True)
    gaps = rewards.max() - rewards[order][first]
    kinds, gaps = kinds[gaps > 1e-9].astype(np.float64), gaps[gaps > 1e-9]
    kinds, gaps = kinds[kinds.any(axis=1)], gaps[kinds.any(axis=1)]
    spread = 2 * np.broadcast_to(variance, theta.shape)
    counts, cost = np.full(len(spread), 1e-9), 0.0
    while True:
        certainty = gaps**2 / (kinds @ (spread / counts))
        x = int(certainty.argmin())
        if certainty[x] >= 1:
            return cost
        plays = step * float(kinds[x] @ spread) / gaps[x] ** 2
        counts += plays * kinds[x]
        cost += plays * gaps[x]
