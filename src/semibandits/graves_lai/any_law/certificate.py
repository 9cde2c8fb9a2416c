"""Lower bound on C(theta) for any law, from cycles, raises and multipliers, checked outside the solver.

Let f be a feasible circulation and w_i its flow through item i. Raise the means of the items of a cycle C by e_i >= 0 with
sum e_i >= gap(C): x* then is no longer the only best decision, so ``sum_{i in C} w_i d(theta_i, theta_i + e_i) >= 1``. Taken mu
>= 0 times and added up over some cycles, ``sum_i w_i y_i >= sum mu``, y_i being what multiplies w_i. If every cycle of the graph
costs at least t times the sum of its y_i, then so does every circulation, as it is a sum of cycles: cost(f) >= t y.w >= t sum mu.
Potentials show that t is right.
"""

from __future__ import annotations

import math

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.graves_lai.arc_items import ArcItems
from semibandits.graves_lai.cycles import Cycles
from semibandits.graves_lai.raises import stretched
from semibandits.kernels.ratios import least_ratio, negative_cycle

EPSILON = float(np.finfo(np.float64).eps)
MAX_LOWERINGS = 300
SURE = 1e-12
"""What sums of products, and divergences, may be off by, relatively."""


def lower_bound(
    n: int,
    tails: IntArray,
    heads: IntArray,
    costs: FloatArray,
    items: ArcItems,
    cycles: Cycles,
    rises: FloatArray,
    multipliers: FloatArray,
    least_gap: float,
) -> tuple[float, FloatArray]:
    """The bound of the module's docstring, rounded down, and the multipliers in the scale in which they add up to it.

    Parameters
    ----------
    n : int
        Number of nodes.
    tails, heads : ndarray of int, shape (a,)
    costs : ndarray of float, shape (a,)
        Reduced costs >= 0.
    items : ArcItems
        On the arcs.
    cycles : Cycles
        Closed walks of the graph.
    rises : ndarray of float, shape (entries of `cycles`,)
        Raise of the item of each entry. They are stretched until they add up to the gap; a cycle where that fails is left out.
    multipliers : ndarray of float, shape (number of cycles,)
        mu; what is negative or not finite counts as 0.
    least_gap : float
        No cycle through an arc that raises costs less, > 0.
    """
    mu = np.where(np.isfinite(multipliers) & (multipliers > 0.0), multipliers, 0.0)
    if not mu.any() or not closed(cycles, tails, heads, n).all():
        return 0.0, np.zeros(len(cycles))
    entries, valid = entry_divergences(costs, items, cycles, rises)
    first = np.where(valid, mu, 0.0)
    entries = np.where(valid[cycles.rows], entries, 0.0) * (1.0 + SURE + items.law.rounding)
    best = (0.0, first)
    for mu in (first, _lowered(n, tails, heads, costs, cycles, entries, first)):
        y = np.bincount(cycles.arcs, entries * mu[cycles.rows], len(tails)).astype(np.float64)
        share = _share(n, tails, heads, costs, y, least_gap)
        value = float(math.fsum(mu) * share * (1.0 - SURE))
        if value > best[0]:
            best = (value, share * mu)
    return best


def _share(n: int, tails: IntArray, heads: IntArray, costs: FloatArray, y: FloatArray, least_gap: float) -> float:
    """A t up to which every cycle costs at least t times what it is worth."""
    t, pi = least_ratio(n, tails, heads, costs, y, 2.0)
    # A simple cycle leaves each node once, so that what arcs lack adds up to this at most.
    wrong = pi[heads] - pi[tails] - costs + t * y
    rounding = 4.0 * EPSILON * (abs(pi[heads]) + abs(pi[tails]) + costs + t * y)
    lack = np.zeros(n)
    np.maximum.at(lack, tails, np.maximum(wrong, 0.0) + rounding)
    return t / (1.0 + math.fsum(lack) / least_gap)


def _lowered(
    n: int, tails: IntArray, heads: IntArray, costs: FloatArray, cycles: Cycles, entries: FloatArray, mu: FloatArray
) -> FloatArray:
    """Multipliers of which those are lowered that make a cycle worth more than it costs, where that loses least.

    With gaps of very different sizes, a factor for all of them would lose the large multipliers of the small gaps.
    """
    mu = mu.copy()
    for _ in range(MAX_LOWERINGS):
        y = np.bincount(cycles.arcs, entries * mu[cycles.rows], len(tails)).astype(np.float64)
        wrong, _ = negative_cycle(n, tails, heads, costs, y)
        excess = float(y[wrong].sum() - costs[wrong].sum()) * (1.0 + 1e-9)
        if not len(wrong) or not excess > 0.0:
            break
        on = np.zeros(len(tails), dtype=np.bool_)
        on[wrong] = True
        worth = np.bincount(cycles.rows, np.where(on[cycles.arcs], entries, 0.0), len(cycles))
        for k in np.argsort(-worth):
            if excess <= 0.0 or worth[k] <= 0.0:
                break
            less = min(mu[k], excess / worth[k])
            mu[k] -= less
            excess -= less * worth[k]
    return mu


def entry_divergences(
    costs: FloatArray, items: ArcItems, cycles: Cycles, rises: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Divergence of each entry once raises add up to the gap of their cycle, and for which cycles that is possible.

    Raises are stretched by their rounding, too: what a mean next to the end of its reach leaves may have few digits.
    """
    on = items.raising[cycles.arcs]
    arcs, rows = cycles.arcs[on], cycles.rows[on]
    law, theta = items.law.take(arcs), items.theta[arcs]
    found = law.divergence(theta, stretched(law, theta, np.maximum(rises[on], 0.0), rows, cycles.sums(costs)))
    finite = np.isfinite(found)
    valid = (np.bincount(rows, ~finite, len(cycles)) == 0) & (np.bincount(rows, minlength=len(cycles)) > 0)
    entries = np.zeros(len(on))
    entries[on] = np.where(finite, found, 0.0)
    return entries, valid


def closed(cycles: Cycles, tails: IntArray, heads: IntArray, n: int) -> BoolArray:
    """Whether each family of arcs enters every node as often as it leaves it, so that it is a union of cycles."""
    balance = np.zeros((len(cycles), n))
    np.add.at(balance, (cycles.rows, tails[cycles.arcs]), 1.0)
    np.add.at(balance, (cycles.rows, heads[cycles.arcs]), -1.0)
    return np.asarray(~balance.any(axis=1))
