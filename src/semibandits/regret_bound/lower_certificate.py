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
from semibandits._validation import item_vector
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError
from semibandits.kernels.components import strong_components
from semibandits.kernels.ratios import least_ratio, negative_cycle
from semibandits.regret_bound.arc_items import ArcItems
from semibandits.regret_bound.cycles import Cycles
from semibandits.regret_bound.raises import stretched

EPSILON = float(np.finfo(np.float64).eps)
MAX_LOWERINGS = 300
GOOD_SHARE = 1.0 - 1e-6
"""Where so much of all multipliers counts there is nothing to be won by lowering some."""
CLOSE = 2e-14
"""What an arc may lack, relative to its cost and worth, which takes that share of the bound: more than all roundings in it."""
SURE = 1e-12
"""What sums of products, and divergences, may be off by, relatively."""


def lower_bound(
    n: int,
    tails: IntArray,
    heads: IntArray,
    costs: FloatArray,
    items: ArcItems,
    cycles: Cycles,
    raises: FloatArray,
    multipliers: FloatArray,
    least_gap: float,
    *,
    quick: bool = False,
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
    raises : ndarray of float, shape (entries of `cycles`,)
        Raise of the item of each entry. They are stretched until they add up to the gap; a cycle where that fails is left out.
    multipliers : ndarray of float, shape (number of cycles,)
        mu; what is negative or not finite counts as 0.
    least_gap : float
        No cycle through an arc that raises costs less, > 0.
    quick : bool
        Whether multipliers are only scaled together, and not lowered one by one where that would lose less.
    """
    mu = np.where(np.isfinite(multipliers) & (multipliers > 0.0), multipliers, 0.0)
    if not mu.any() or not closed(cycles, tails, heads, n).all():
        return 0.0, np.zeros(len(cycles))
    entries, valid = entry_divergences(costs, items, cycles, raises)
    first = np.where(valid, mu, 0.0)
    entries = np.where(valid[cycles.rows], entries, 0.0) * (1.0 + SURE + items.law.rounding)
    component = strong_components(n, tails, heads)
    live = np.flatnonzero(component[tails] == component[heads])
    begin = _beginnings(component, tails, costs, cycles, first > 0.0)
    graph = (n, tails[live], heads[live], costs[live])
    best, mu = (0.0, first), first
    while True:
        y = np.bincount(cycles.arcs, entries * mu[cycles.rows], len(tails)).astype(np.float64)
        known = cycles.sums(y)[mu > 0.0]
        most = float((cycles.sums(costs)[mu > 0.0] / known).min()) if (known > 0.0).all() and len(known) else 0.0
        share = _share(*graph, y[live], most, least_gap, begin) if most > 0.0 else 0.0
        value = float(math.fsum(mu) * share * (1.0 - SURE))
        if value > best[0]:
            best = (value, share * mu)
        if quick or mu is not first or share > GOOD_SHARE:
            return best
        mu = _lowered(*graph, live, cycles, entries, first, begin)


def _beginnings(component: IntArray, tails: IntArray, costs: FloatArray, cycles: Cycles, used: BoolArray) -> FloatArray:
    """Potentials to begin with: 0 at a node of the cycle of least gap of each component, infinite elsewhere.

    Potentials are sums from there. Next to it they are as small as the gap, and their differences keep their digits.
    """
    begin = np.full(len(component), np.inf)
    order = np.argsort(np.where(used, cycles.sums(costs), np.inf), kind="stable")
    nodes = np.concatenate((tails[cycles.arcs[cycles.ptr[order]]], np.arange(len(component))))
    _, first = np.unique(component[nodes], return_index=True)
    begin[nodes[first]] = 0.0
    return begin


def _share(
    n: int, tails: IntArray, heads: IntArray, costs: FloatArray, y: FloatArray, most: float, least_gap: float,
    begin: FloatArray,
) -> float:  # fmt: skip
    """A t <= `most` with ``cost(C) >= t * y(C)`` for every cycle C."""
    t, pi = least_ratio(n, tails, heads, costs, y, most, begin)
    # What an arc lacks beyond rounding: a simple cycle leaves each node once, so that it adds up to this at most.
    worth = t * y
    wrong = pi[heads] - pi[tails] - costs + worth - CLOSE * (costs + worth)
    lack = np.zeros(n)
    np.maximum.at(lack, tails, wrong)
    return t * (1.0 - 2.0 * CLOSE) / (1.0 + 2.0 * CLOSE + math.fsum(lack) / least_gap)


def _lowered(
    n: int, tails: IntArray, heads: IntArray, costs: FloatArray, live: IntArray, cycles: Cycles, entries: FloatArray,
    mu: FloatArray, begin: FloatArray,
) -> FloatArray:  # fmt: skip
    """Multipliers of which those are lowered that make a cycle worth more than it costs, where that loses least.

    With gaps of very different sizes, a factor for all of them would lose the large multipliers of the small gaps.
    """
    mu, n_arcs = mu.copy(), int(cycles.arcs.max()) + 1
    for _ in range(MAX_LOWERINGS):
        y = np.bincount(cycles.arcs, entries * mu[cycles.rows], max(n_arcs, int(live[-1]) + 1)).astype(np.float64)[live]
        wrong, _ = negative_cycle(n, tails, heads, costs, y, begin)
        excess = float(y[wrong].sum() - costs[wrong].sum()) * (1.0 + 1e-9)
        if not len(wrong) or not excess > 0.0:
            break
        on = np.zeros(max(n_arcs, int(live[-1]) + 1), dtype=np.bool_)
        on[live[wrong]] = True
        worth = np.bincount(cycles.rows, np.where(on[cycles.arcs], entries, 0.0), len(cycles))
        for k in np.argsort(-worth):
            if excess <= 0.0 or worth[k] <= 0.0:
                break
            less = min(mu[k], excess / worth[k])
            mu[k] -= less
            excess -= less * worth[k]
    return mu


def entry_divergences(
    costs: FloatArray, items: ArcItems, cycles: Cycles, raises: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Divergence of each entry once raises add up to the gap of their cycle, and for which cycles that is possible.

    Raises are stretched by their rounding, too: what a mean next to the end of its reach leaves may have few digits.
    """
    on = items.raising[cycles.arcs]
    arcs, rows = cycles.arcs[on], cycles.rows[on]
    law, theta = items.law.take(arcs), items.theta[arcs]
    found = law.divergence(theta, stretched(law, theta, np.maximum(raises[on], 0.0), rows, cycles.sums(costs)))
    finite = np.isfinite(found)
    valid = (np.bincount(rows, ~finite, len(cycles)) == 0) & (np.bincount(rows, minlength=len(cycles)) > 0)
    entries = np.zeros(len(on))
    entries[on] = np.where(finite, found, 0.0)
    return entries, valid


def closed(cycles: Cycles, tails: IntArray, heads: IntArray, n: int) -> BoolArray:
    """Whether each family of arcs enters every node as often as it leaves it, so that it is a union of cycles."""
    leaves, enters = (np.sort(cycles.rows * n + ends[cycles.arcs]) for ends in (tails, heads))
    return np.asarray(np.bincount(cycles.rows, leaves != enters, len(cycles)) == 0)


def check_items(entering: IntArray) -> None:
    """Refuse a graph in which an item enters on two arcs: rates of items would then be less than what their arcs carry."""
    items, count = np.unique(entering[entering >= 0], return_counts=True)
    if (count > 1).any():
        raise InvalidInputError(
            f"an item must enter on one arc, got {count.max()} arcs for item {items[count.argmax()]}: split the node it sits on"
        )


def check_costs(graph: ExchangeGraph, theta: FloatArray) -> None:
    """Costs are reduced costs of theta, arc by arc; then gap = theta(leaving) - theta(entering) on every cycle."""
    theta = item_vector(theta, len(graph.decision), "theta")
    lost = np.where(graph.leaving >= 0, theta[graph.leaving], 0.0)
    won = np.where(graph.entering >= 0, theta[graph.entering], 0.0)
    expected = lost - won + graph.potentials[graph.tails] - graph.potentials[graph.heads]
    error = abs(graph.costs - expected)
    unit = abs(theta).max(initial=0.0) + abs(graph.potentials).max(initial=0.0)
    if error.max(initial=0.0) > 1e-9 * unit:
        arc = int(error.argmax())
        raise InvalidInputError(
            f"costs must be the reduced costs of theta, got {graph.costs[arc]} on arc {arc} where theta gives {expected[arc]}: "
            "draw the exchange graph for the same weights"
        )
