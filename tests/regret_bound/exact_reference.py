"""C(theta) of Gaussian rewards from a list of all decisions, with exact gaps and ties: for means of very different sizes.

Gaps are fractions of the decimal numbers given, so that only decisions with equal sums of these tie. C(theta) is a linear program
with cuts, independent of the library.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

ROUNDS, ENOUGH = 300, 1e-6
SHARES = (1.0, 0.9, 0.5, 0.1, 0.02)
"""Points of new cuts, between the best point so far (0) and that of the linear program (1)."""
OUT_OF_REACH = 1e-12
"""Raises that close a gap only by this share count as unable to, as in the library."""


@dataclass(frozen=True)
class Exact:
    """Bounds on C(theta), the gap of each decision, shape (n,), and the items of I, shape (d,)."""

    lower: float
    upper: float
    gaps: np.ndarray
    suboptimal: np.ndarray


def exact_gaps(decisions, theta):
    """Gaps, shape (n,), 0 only for decisions that tie exactly."""
    means = [Fraction(repr(mean)) for mean in theta.tolist()]
    sums = [sum((means[i] for i in np.flatnonzero(x)), Fraction(0)) for x in decisions]
    best = max(sums)
    return np.array([float(best - reward) for reward in sums])


def solved(decisions, theta, variance, end, tied_up_to=0.0):
    """The reference; `variance` and the largest means `end` have shape (d,). Smaller gaps than `tied_up_to` count as 0."""
    gaps = exact_gaps(decisions, theta)
    gaps[gaps <= tied_up_to] = 0.0
    suboptimal = decisions.any(axis=0) & ~decisions[gaps == 0].any(axis=0)
    rows = (gaps > 0) & decisions[:, suboptimal].any(axis=1)
    contains, delta = decisions[rows][:, suboptimal], gaps[rows]
    order = np.argsort(delta, kind="stable")  # of decisions with the same items of I, only the best one matters
    first = np.unique(contains[order], axis=0, return_index=True)[1] if len(order) else []
    contains, delta = contains[order][first], delta[order][first]
    v, room = 2.0 * variance[suboptimal], (end - theta)[suboptimal]
    rows = [k for k in range(len(delta)) if room[contains[k]].sum() > delta[k] * (1.0 + OUT_OF_REACH)]
    lower, upper = _bracket(contains, delta, v, room, rows) if rows else (0.0, 0.0)
    return Exact(lower, upper, gaps, suboptimal)


def _bracket(contains, delta, v, room, rows):
    def information(rates):
        plays = rates @ contains
        cuts = np.array([_raises(contains[k], delta[k], v, room, plays) ** 2 / v for k in rows])
        return cuts @ plays, cuts

    item_gaps = np.where(contains, delta[:, None], np.inf)
    best = np.zeros(len(delta))
    np.add.at(best, item_gaps.argmin(axis=0), v / item_gaps.min(axis=0) ** 2)
    values, cuts = information(best)
    best = best / values.min()
    lower, upper = 0.0, best @ delta
    for _ in range(ROUNDS):
        worth = np.clip(cuts @ contains.T.astype(float) * (upper / delta), 0.0, 1e8)
        program = linprog(np.ones(len(delta)), A_ub=-np.where(worth > 1e-10, worth, 0.0), b_ub=-np.ones(len(cuts)))
        if program.x is None:
            break
        lower, point, fresh = max(lower, program.fun * upper), program.x * upper / delta, []
        for share in SHARES:
            at = share * point + (1.0 - share) * best
            values, more = information(at)
            fresh.append(more)
            if values.min() > 0 and at @ delta / values.min() < upper:
                upper, best = at @ delta / values.min(), at / values.min()
        cuts = np.unique(np.concatenate((cuts, *fresh)), axis=0)
        if upper - lower <= ENOUGH * upper:
            break
    return lower, upper


def _raises(contains, delta, v, room, plays):
    """Cheapest raises of the items of one decision that add up to its gap: in proportion to v / plays, up to their room."""
    items = np.flatnonzero(contains)
    slope, limit = v[items] / np.maximum(plays[items], 1e-300), np.minimum(room[items], delta)
    order = np.argsort(limit / slope)
    rest = np.cumsum(slope[order][::-1])[::-1]
    found, left = limit.copy(), delta
    for n, k in enumerate(order):
        if left / rest[n] <= limit[k] / slope[k]:
            found[order[n:]] = left / rest[n] * slope[order[n:]]
            break
        left -= limit[k]
    raises = np.zeros(len(contains))
    raises[items] = np.minimum(found, limit)
    return raises
