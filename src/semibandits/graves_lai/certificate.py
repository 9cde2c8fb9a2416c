"""Certificates of the Graves-Lai value that trust no solver: the worst cycle of given rates, and a lower bound from prices.

Both look at the exchange graph itself, with nothing merged but its hub, and use no code of the solver but the search for
strongly connected components.

**Upper.** Rates w that a circulation carries become feasible when multiplied by rho, the largest ratio ``u(C)/gap(C)^2`` of a
simple cycle C, with u_i = 2 sigma_i^2 / w_i. So ``C(theta) <= rho * cost(w)``. :func:`worst_ratio` finds rho by an exact search
over closed walks, which contain a simple cycle of at least their own ratio: walks split into cycles along which u and the gap
add up, and sum gap^2 <= (sum gap)^2.

**Lower** (T4). Let f be any feasible circulation, w_i its flow through item i, v_i = 2 sigma_i^2. A change of potentials does
not alter the cost of a circulation: with prices p = c + pi[tail] - pi[head], cost(f) = sum_e p_e f_e. Where p >= 0 on all arcs
that a circulation can use, i.e. on all arcs of cycles, cost(f) >= sum_{i in I} p_i w_i. Each constraint of f, taken mu_C >= 0
times, gives sum_C mu_C gap_C^2 >= sum_C mu_C sum_{i in C and I} v_i / w_i = sum_{i in I} y_i v_i / w_i, y_i = sum of mu_C over
the cycles through i. By Cauchy and Schwarz (sum p_i w_i)(sum y_i v_i / w_i) >= (sum sqrt(v_i y_i p_i))^2, hence
``cost(f) >= (sum_{i in I} sqrt(v_i y_i p_i))^2 / sum_C mu_C gap_C^2`` for every feasible f, and so for the best one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits._validation import as_floats, item_vector
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError
from semibandits.graves_lai.cycles import Cycles
from semibandits.kernels import tiers
from semibandits.kernels.components import strong_components
from semibandits.kernels.verification import distances_back, peel, worst_closed_walk

EPSILON = float(np.finfo(np.float64).eps)
FIRST_LABELS = 1 << 18
"""Labels of the first attempt at a start node; the clock is read between attempts, each four times as long."""


@dataclass(frozen=True, eq=False)
class Verification:
    """What a search for the worst cycle has proven.

    Attributes
    ----------
    ratio : float
        No cycle has a larger ratio u(C)/gap(C)^2; inf if the search is not complete. Rounding is accounted for.
    cycle : ndarray of int or None
        Arcs of the worst cycle found, in order of travel; None if none has a ratio above the one that was asked about.
    labels : int
        Number of walks that were looked at.
    complete : bool
        Whether the search came to its end. If not, nothing is proven.
    """

    ratio: float
    cycle: IntArray | None
    labels: int
    complete: bool


def worst_ratio(
    graph: ExchangeGraph, information: FloatArray, *, at_least: float, max_labels: int, deadline: float | None = None
) -> Verification:
    """Largest ratio ``u(C)/gap(C)^2`` over the simple cycles C, if it exceeds `at_least`; else the proof that none does.

    Parameters
    ----------
    graph : ExchangeGraph
        The nodes of its hub count as one node, everything else is taken as it is.
    information : ndarray of float, shape (d,)
        u_i = 2 sigma_i^2 / w_i of the items in I, 0 for others. Unit: squared reward.
    at_least : float
        Ratios up to this one are of no interest, >= 0. The closer it is to the truth, the faster the search.
    max_labels : int
        Labels to spend in all; one takes at most 60 bytes.
    deadline : float or None
        Time of `semibandits.kernels.tiers.seconds` at which to give up.

    Returns
    -------
    Verification
        With ``complete=False`` and an infinite ratio if the labels or the time did not suffice.

    Raises
    ------
    InvalidInputError
        If `information` or `at_least` is negative or not finite, or an item with information lies on a cycle of cost 0.

    Notes
    -----
    theory T1, T3. A simple cycle is looked for from the first of its nodes, in an order by degree: a node is deleted when its
    turn is over, and with it all nodes that are left on no cycle. See `kernels.verification` for the dominance rule.
    """
    search = _Search(graph, information, at_least, max_labels, math.inf if deadline is None else deadline)
    complete = search.run()
    return Verification(search.ratio if complete else math.inf, search.cycle, search.labels, complete)


class _Search:
    """One search: the graph as arrays, the worst cycle so far, and what is left to spend."""

    def __init__(
        self, graph: ExchangeGraph, information: FloatArray, at_least: float, max_labels: int, deadline: float
    ) -> None:
        information = item_vector(information, len(graph.decision), "information")
        if information.min(initial=0.0) < 0:
            raise InvalidInputError(
                f"information must be >= 0, got {information.min()} for item {information.argmin()}: "
                "pass 2 * variance / rate for the items of I, and 0 for others"
            )
        if not 0.0 <= at_least < math.inf:
            raise InvalidInputError(f"at_least must be finite and >= 0, got {at_least}: 0 asks for the largest ratio")
        merged = _merged_nodes(graph)
        tails, heads = merged[graph.tails], merged[graph.heads]
        entering = graph.entering
        self.costs: FloatArray = graph.costs
        self.information = np.where(entering >= 0, information[entering], 0.0)
        _check_free_cycles(tails, heads, self.costs, self.information, entering)
        self.tails, self.heads = tails, heads
        self.n = graph.n_nodes
        # Each of the at most n arcs of a cycle costs its excess less than 16 roundings of r * gap^2: the sums, and two keys
        # if another walk takes over. Distances are rounded down, so the rule of the kernel holds for them as they are.
        self.slack = 16.0 * (self.n + 1) * EPSILON
        self.ratio = float(at_least)
        self.cycle: IntArray | None = None
        self.labels, self.max_labels, self.deadline = 0, max_labels, deadline

    def run(self) -> bool:
        """Search from each start in turn; whether all came to their end."""
        loop = self.tails == self.heads
        for arc in np.flatnonzero(loop & (self.information > 0)):
            self._offer(np.array([arc]))
        between = np.flatnonzero(~loop)
        tails, heads = self.tails[between], self.heads[between]
        out_ptr, out_arcs = _incidence(self.n, tails)
        in_ptr, in_arcs = _incidence(self.n, heads)
        out_degree, in_degree = np.diff(out_ptr), np.diff(in_ptr)
        starts = np.argsort(-(out_degree + in_degree), kind="stable")
        alive = np.ones(self.n, dtype=np.bool_)
        incidence = (tails, heads, out_ptr, out_arcs, in_ptr, in_arcs)
        peel(np.flatnonzero((out_degree == 0) | (in_degree == 0)), alive, *incidence, out_degree, in_degree)
        costs, information = self.costs[between], self.information[between]
        for start in starts:
            if not alive[start]:
                continue
            distance = (1.0 - self.n * EPSILON) * distances_back(start, alive, tails, costs, in_ptr, in_arcs)
            arguments = (start, heads, costs, information, out_ptr, out_arcs, distance)
            if not self._search_from(arguments, between):
                return False
            peel(np.array([start]), alive, *incidence, out_degree, in_degree)
        return True

    def _search_from(
        self,
        arguments: tuple[int, IntArray, FloatArray, FloatArray, IntArray, IntArray, FloatArray],
        arc_ids: IntArray,
    ) -> bool:
        """All closed walks through one node; whether labels and time sufficed."""
        attempt = FIRST_LABELS
        while tiers.seconds() < self.deadline:
            left = self.max_labels - self.labels
            if left <= 0:
                return False
            _, walk, labels, done = worst_closed_walk(*arguments, self.ratio, self.slack, min(attempt, left))
            # An attempt that is repeated does not count: the limit is one on memory.
            if done or attempt >= left:
                self.labels += labels
            for cycle in _simple_cycles(arc_ids[walk], self.tails, self.heads):
                self._offer(cycle)
            if done or attempt >= left:
                return bool(done)
            attempt *= 4
        return False

    def _offer(self, cycle: IntArray) -> None:
        """Note a simple cycle if it is worse than the worst so far."""
        information, gap = math.fsum(self.information[cycle]), math.fsum(self.costs[cycle])
        if information > self.ratio * gap**2:
            self.ratio, self.cycle = information / max(gap**2, 1e-300), cycle


def lower_bound(
    graph: ExchangeGraph,
    two_variance: FloatArray,
    items: BoolArray,
    cycles: Cycles,
    multipliers: FloatArray,
    potential_change: FloatArray,
    *,
    theta: FloatArray | None = None,
) -> float:
    """Lower bound on C(theta) from multipliers over cycles and a change of potentials (theory T4; proof above).

    Parameters
    ----------
    graph : ExchangeGraph
        With reduced costs at theta.
    two_variance : ndarray of float, shape (d,)
        v_i = 2 sigma_i^2.
    items : ndarray of bool, shape (d,)
        The set I.
    cycles : Cycles
        k closed walks of the graph, its hub taken as one node, as arcs.
    multipliers : ndarray of float, shape (k,)
        mu; what is negative counts as 0. Any scale.
    potential_change : ndarray of float, shape (n_nodes,)
        pi, equal on all nodes of the hub. Unit: reward. It need not give prices >= 0: it is scaled down, and lowered node by
        node, until it does, and the best bound on the way is returned.
    theta : ndarray of float, shape (d,), optional
        If given, the costs of all arcs are checked against it.

    Returns
    -------
    float
        The bound, rounded down; 0 if nothing is proven.

    Raises
    ------
    InvalidInputError
        If an argument is not finite, a walk is not closed, the hub's potentials differ, an item enters on two arcs, or costs do
        not fit `theta`.
    """
    v = item_vector(two_variance, len(graph.decision), "two_variance")
    mu = np.maximum(as_floats(multipliers, "multipliers"), 0.0)
    merged = _merged_nodes(graph)
    tails, heads = merged[graph.tails], merged[graph.heads]
    pi = _merged_potentials(graph, as_floats(potential_change, "potential_change"))
    if theta is not None:
        _check_costs(graph, theta)
    _check_closed(cycles, tails, heads, graph.n_nodes)
    _check_items(graph.entering)
    lengths = np.diff(cycles.ptr)
    gaps = np.bincount(np.repeat(np.arange(len(lengths)), lengths), graph.costs[cycles.arcs], len(lengths))
    y = np.bincount(cycles.arcs, np.repeat(mu, lengths), graph.n_arcs)
    weight = math.fsum(mu * gaps**2)
    component = strong_components(graph.n_nodes, tails, heads)
    live = component[tails] == component[heads]
    informative = live & (graph.entering >= 0) & items[graph.entering]
    if not weight > 0.0:
        return 0.0
    rounding = 1e-12 + 4.0 * EPSILON * (lengths.max() + np.bincount(cycles.arcs).max())
    best = 0.0
    for scale in (_blend(graph.costs[live], pi[tails[live]] - pi[heads[live]]), 1.0):
        lowered = _lowered(scale * pi, tails[live], heads[live], graph.costs[live])
        costs, change = graph.costs[informative], lowered[tails[informative]] - lowered[heads[informative]]
        prices = costs + change - 2.0 * EPSILON * (costs + abs(change))
        root = math.fsum(np.sqrt(v[graph.entering[informative]] * y[informative] * np.maximum(prices, 0.0)))
        best = max(best, root**2 / weight)
    return float(best * (1.0 - rounding))


def _blend(costs: FloatArray, change: FloatArray) -> float:
    """Largest t <= 1 with ``costs + t * change >= 0``: prices are blended towards the costs (theory §3, point 5)."""
    falling = change < 0
    return float(np.min(costs[falling] / -change[falling], initial=1.0))


def _lowered(potentials: FloatArray, tails: IntArray, heads: IntArray, costs: FloatArray) -> FloatArray:
    """Largest potentials below the given ones with ``costs + pi[tail] - pi[head] >= 0``, exactly, on every arc.

    Bellman and Ford's method with sums rounded down, but not below pi[tail], which is no more than the exact sum either.
    """
    potentials = potentials.copy()
    while True:
        at_tail = potentials[tails]
        limit = np.where(costs > 0, np.maximum(np.nextafter(at_tail + costs, -np.inf), at_tail), at_tail)
        if (potentials[heads] <= limit).all():
            return potentials
        np.minimum.at(potentials, heads, limit)


def _merged_nodes(graph: ExchangeGraph) -> IntArray:
    """Number of each node when the hub is one node."""
    merged = np.arange(graph.n_nodes, dtype=np.int64)
    if len(graph.hub):
        merged[graph.hub] = graph.hub[0]
    return merged


def _merged_potentials(graph: ExchangeGraph, potentials: FloatArray) -> FloatArray:
    if potentials.shape != (graph.n_nodes,):
        raise InvalidInputError(
            f"potential_change must have shape (n_nodes,) = ({graph.n_nodes},), got {potentials.shape}: pass one per node"
        )
    merged = potentials.copy()
    if len(graph.hub):
        merged[graph.hub] = potentials[graph.hub[0]]
        if abs(merged - potentials).max() > 1e-9 * abs(potentials).max():
            raise InvalidInputError(
                "potential_change must be the same on all nodes of the hub, got differences up to "
                f"{abs(merged - potentials).max():g}: the hub counts as one node"
            )
    return merged


def _incidence(n: int, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Arcs by the node at this end: those of node v are ``arcs[ptr[v]:ptr[v + 1]]``."""
    arcs = np.argsort(ends, kind="stable")
    return np.searchsorted(ends[arcs], np.arange(n + 1)), arcs


def _simple_cycles(walk: IntArray, tails: IntArray, heads: IntArray) -> list[IntArray]:
    """Simple cycles that a closed walk splits into."""
    cycles: list[IntArray] = []
    opened: list[int] = []
    for arc in walk.tolist():
        opened.append(arc)
        for k, earlier in enumerate(opened):
            if tails[earlier] == heads[arc]:
                cycles.append(np.array(opened[k:], dtype=np.int64))
                del opened[k:]
                break
    return cycles


def _check_free_cycles(
    tails: IntArray, heads: IntArray, costs: FloatArray, information: FloatArray, entering: IntArray
) -> None:
    free = costs <= 0.0
    if not information[free].any():
        return
    n = int(max(tails.max(initial=0), heads.max(initial=0))) + 1
    component = strong_components(n, tails[free], heads[free])
    wrong = np.flatnonzero(free & (component[tails] == component[heads]) & (information > 0))
    if len(wrong):
        raise InvalidInputError(
            f"information must be 0 for items on a cycle of cost 0, got {information[wrong[0]]} for item "
            f"{entering[wrong[0]]}: such an item is in an optimal decision, so not in I"
        )


def _check_closed(cycles: Cycles, tails: IntArray, heads: IntArray, n: int) -> None:
    """Each family of arcs enters every node as often as it leaves it, so it is a union of cycles: enough for T4."""
    row = np.repeat(np.arange(len(cycles.ptr) - 1), np.diff(cycles.ptr))
    balanced = np.sort(row * n + tails[cycles.arcs]) == np.sort(row * n + heads[cycles.arcs])
    if not balanced.all():
        raise InvalidInputError(
            f"cycles must be closed walks of the graph, got an open one at row {row[np.argmin(balanced)]}: "
            "list the arcs of each cycle in full"
        )


def _check_items(entering: IntArray) -> None:
    items, count = np.unique(entering[entering >= 0], return_counts=True)
    if (count > 1).any():
        raise InvalidInputError(
            f"an item must enter on one arc, got {count.max()} arcs for item {items[count.argmax()]}: split the node it sits on"
        )


def _check_costs(graph: ExchangeGraph, theta: FloatArray) -> None:
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
