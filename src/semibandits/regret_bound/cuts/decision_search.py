"""Exact separation over decisions with P_LM alone: the largest ratio u(x) / gap_x^2, by branch and bound."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from semibandits._typing import FloatArray, IntArray
from semibandits.kernels.machine import tiers
from semibandits.regret_bound.cuts.oracle import BestWithItem, DecisionPool, Oracle

MAX_STEPS = 100
HURRY = 3.0
"""Relative growth of the ratio to be proved during the second half of the time."""


@dataclass(frozen=True)
class Separation:
    """Outcome: ``u(x) <= ratio * gap_x^2`` for every decision x. If not `complete`, a bound that needs no search."""

    ratio: float
    complete: bool
    nodes: int


@dataclass(frozen=True, eq=False)
class _Node:
    """Decisions with all items `inside` and none `outside` (positions in I); `known` are their row numbers in the pool."""

    inside: IntArray
    outside: IntArray
    known: IntArray
    gap: float  # lower bound on the gaps of these decisions


@dataclass(frozen=True)
class _Lowest:
    """Minimum of the Lagrangian bound over known decisions, and the two that meet there, the one of larger gap first."""

    multiplier: float
    value: float
    left: int
    right: int


class DecisionSearch:
    """Search for the largest ratio, for given u.

    Let ``F(x) = u(x) - rho gap_x^2``. For every multiplier l, ``F(x) <= u(x) - l gap_x + l^2 / (4 rho)``, and P_LM finds the
    largest right-hand side among the decisions of a node. If this bound is at most 0 for some l, the node contains no decision
    with a ratio above rho. Near x* the bound is positive for every l (theory T3), so the first branching is on the item of I with
    the largest delta_i among those in x: there the gap is at least delta_i, and u(x) at most m times the largest u allowed.
    Later, a node is split at an item in which the two decisions that attain the minimum of the bound differ. Decisions known from
    this search or from earlier ones replace calls of the oracle as long as they keep the bound above 0.

    u, shape (k,), is ``2 sigma_i^2 / w_i`` for the items of I, > 0. All decisions that the search finds are added to the pool.
    `slack` is the relative excess of the returned ratio over the largest one that is allowed, unless time runs short. The search
    stops at the value `deadline` of `tiers.seconds`.
    """

    def __init__(
        self, oracle: Oracle, best: BestWithItem, pool: DecisionPool, u: FloatArray, slack: float, deadline: float
    ) -> None:
        self._oracle, self._best, self._pool = oracle, best, pool
        self._u, self._slack, self._deadline = u, slack, deadline
        self._full = np.zeros(len(oracle.theta))
        self._full[best.items] = u
        self._rho = (1.0 + slack) * float((pool.contains @ u / pool.gaps**2).max())
        self._worths = np.empty(0)
        self._left_open = 0.0
        self._nodes = 0

    def run(self) -> Separation:
        """Search until all nodes are closed or time is up."""
        heap: list[tuple[float, int, _Node]] = []
        order, rest = np.argsort(-self._best.gaps, kind="stable"), np.arange(len(self._pool))
        for k, item in enumerate(order):
            with_item = self._pool.contains[rest, item] > 0
            node = _Node(order[k : k + 1], order[:k], rest[with_item], float(self._best.gaps[item]))
            heap.append((-np.inf, -k, node))
            rest = rest[~with_item]
        heapq.heapify(heap)
        start, first = tiers.seconds(), self._rho
        half = start + 0.5 * (self._deadline - start)
        while heap:
            now = tiers.seconds()
            if now > self._deadline:
                return Separation(max(self._rho, simple_ratio(self._oracle, self._best, self._u)), False, self._nodes)
            if now > half:  # too many nodes: try to prove larger and larger ratios, which leave fewer nodes open
                late = (now - half) / (self._deadline - half)
                self._rho = max(self._rho, first * (1.0 + HURRY * late))
            self._expand(heapq.heappop(heap)[2], heap)
        return Separation(self._rho + self._left_open, True, self._nodes)

    def _expand(self, node: _Node, heap: list[tuple[float, int, _Node]]) -> None:
        """Close the node, or split it and put both parts on the heap."""
        self._nodes += 1
        outcome = self._lower(node)
        if outcome is None:
            return
        known, lowest = outcome
        contains = self._pool.contains
        differ = contains[lowest.left] > contains[lowest.right]
        if not differ.any():
            differ = contains[lowest.left] != contains[lowest.right]
        item = int(np.argmax(np.where(differ, self._u, -1.0)))
        has_it = contains[known, item] > 0
        priority = -lowest.value / node.gap**2
        at = np.array([item])
        gap = max(node.gap, float(self._best.gaps[item]))
        parts = (
            _Node(np.append(node.inside, at), node.outside, known[has_it], gap),
            _Node(node.inside, np.append(node.outside, at), known[~has_it], node.gap),
        )
        for side, part in enumerate(parts):
            heapq.heappush(heap, (priority, 2 * self._nodes + side, part))

    def _lower(self, node: _Node) -> tuple[IntArray, _Lowest] | None:
        """Lower the bound of the node until the node is closed (None) or known decisions show that it stays above 0."""
        items, theta = self._best.items, self._oracle.theta
        inside, outside = items[node.inside], items[node.outside]
        known = node.known
        while True:  # each step closes the node or adds a known decision
            lowest = self._lowest(known, node.gap)
            if lowest.value > 0.0 and lowest.left != lowest.right:
                return known, lowest
            weights = self._full + lowest.multiplier * theta
            # Excluded items get weight 0: large numbers beside small ones would cost digits.
            sizes = self._full + lowest.multiplier * np.abs(theta)
            weights[outside] = sizes[outside] = 0.0
            x = self._oracle.best_with(weights, inside, outside)
            if x is None:
                return None
            gap = self._oracle.gap(x)
            row, better = self._pool.add(x, gap)
            worth = float(self._full @ x)
            if worth > self._rho * gap**2:
                self._rho = (1.0 + self._slack) * worth / gap**2
            lost = self._oracle.rounding(weights, sizes, x, inside)
            bound = worth - lowest.multiplier * gap + lost + lowest.multiplier**2 / (4.0 * self._rho)
            if bound <= 0.0:
                return None
            if row not in known:
                known = np.append(known, row)
            elif not better:  # only rounding keeps the bound above 0
                self._left_open = max(self._left_open, bound / node.gap**2)
                return None

    def _lowest(self, known: IntArray, gap: float) -> _Lowest:
        """Minimum over l >= 0 of ``max_x u(x) - l gap_x + l^2 / (4 rho)`` over the known decisions."""
        rho = self._rho
        if not len(known):
            return _Lowest(2.0 * rho * gap, -np.inf, -1, -1)
        if len(self._worths) < len(self._pool):
            self._worths = np.append(self._worths, self._pool.contains[len(self._worths) :] @ self._u)
        worths, gaps = self._worths[known], self._pool.gaps[known]
        left = right = int(np.argmax(worths - rho * gaps**2))
        multiplier = 2.0 * rho * gaps[left]
        for _ in range(MAX_STEPS):
            values = worths - multiplier * gaps
            top = int(np.argmax(values))
            if values[top] <= max(values[left], values[right]):
                break
            if 2.0 * rho * gaps[top] > multiplier:
                left = top
            else:
                right = top
            apart = gaps[left] - gaps[right]
            meet = (worths[left] - worths[right]) / apart if apart > 0 else multiplier
            multiplier = min(max(meet, 2.0 * rho * gaps[right]), 2.0 * rho * gaps[left])
        values = worths - multiplier * gaps
        value = float(max(values[left], values[right])) + multiplier**2 / (4.0 * rho)
        return _Lowest(float(multiplier), value, int(known[left]), int(known[right]))


def simple_ratio(oracle: Oracle, best: BestWithItem, u: FloatArray) -> float:
    """Bound on the largest ratio without a search: each item of x has ``delta_i <= gap_x``, and there are at most m of them."""
    ratios = np.sort(u / best.gaps**2)[::-1][: oracle.m]
    return float(ratios.sum()) * (1.0 + 1e-12)
