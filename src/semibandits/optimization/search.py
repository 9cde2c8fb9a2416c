"""Branch and bound for a + f(c) over a decision set that only has a linear maximiser."""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.inputs.validation import checked_answer
from semibandits.optimization.criteria import Criterion
from semibandits.optimization.hull import Edge, Pool

PRECISION = 1e-12
"""A node is closed if it cannot improve by more than this times the largest possible |rewards·x|."""
STEEPEST = 1e6
"""Largest multiplier of an edge, in units of max|rewards| / max|budgets|, unless both are integers. With a larger one,
rounding errors of the budgets would exceed the rewards. Every multiplier gives a bound; the search branches instead."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of a search."""

    decision: BoolArray | None  # (d,): the best one found; None if every decision has the value -inf
    value: float
    # Upper bound on the values of all decisions, up to rounding; equal to `value` if `ratio` is 1 and the search finished.
    bound: float
    oracle_calls: int  # number of linear maximisations (P_LM)
    is_finished: bool  # whether no open node can contain a better decision; False if the search was stopped before


class Branching(ABC):
    """Branching rule, applied at the edge of the hull that gives the bound of a node."""

    @abstractmethod
    def neighbours(self, left: BoolArray, right: BoolArray, weights: FloatArray) -> Iterable[BoolArray]:
        """More decisions near the edge between `left` and `right`, both of which are optimal for `weights`."""

    @abstractmethod
    def item(self, forced: IntArray, left: BoolArray, right: BoolArray, weights: FloatArray) -> int | None:
        """The free item to force in and out; None drops the node, for searches with a ratio below 1."""


@final
class HeaviestDifference(Branching):
    """Branch on the item of largest absolute weight in which the ends of the edge differ."""

    def neighbours(self, left: BoolArray, right: BoolArray, weights: FloatArray) -> Iterable[BoolArray]:
        """No decisions."""
        return ()

    def item(self, forced: IntArray, left: BoolArray, right: BoolArray, weights: FloatArray) -> int:
        """The item of largest absolute weight in only one of the two decisions."""
        items = np.flatnonzero(left != right)
        return int(items[np.argmax(np.abs(weights[items]))])


HEAVIEST_DIFFERENCE = HeaviestDifference()
FLAT = Edge(-1, -1, 0.0, 1.0)
"""Multiplier 0, before any decision is known."""


def search(
    maximize: Callable[[FloatArray], BoolArray],
    rewards: FloatArray,
    budgets: FloatArray,
    criterion: Criterion,
    m: int,
    *,
    ratio: float = 1.0,
    branching: Branching = HEAVIEST_DIFFERENCE,
    steepest: float = STEEPEST,
    most: float = math.inf,
    forced: IntArray | None = None,
    above: float = -math.inf,
) -> SearchResult:
    """Decision x that maximises F(rewards·x, budgets·x), where F, the criterion, is a plus a concave nondecreasing function of c.

    `maximize` is P_LM, for weights of any sign, shape (d,); rewards and budgets are finite, of any sign; m is the largest number
    of items in a decision. With a ratio below 1, decisions are compared by ``criterion.generous``, and nodes whose bound does not
    exceed the best are closed. `steepest` is the largest multiplier of an edge, see ``STEEPEST``. The search stops after about
    `most` linear maximisations; ``bound`` then limits the value of a better decision. `forced`, shape (d,), restricts the search
    to decisions with the items of 1 and without those of -1. With `above`, any decision of a larger value is enough: the search
    stops after the node that found one, and closes nodes whose bound is not larger.

    Best-first branch and bound. Each node forces items in and out by weights that outweigh all others. Its bound is the minimum
    over l >= 0 of ``max_x (rewards + l budgets)·x + max_c (f(c) - l c)``: Lagrangian relaxation, which equals the maximum of F
    over the convex hull of the pairs (a, c). The hull is explored vertex by vertex: each maximisation at the slope of the edge
    below the best point either proves that the edge belongs to the hull or finds a vertex above it. The ends of the final edge
    differ in an item to branch on. A node starts from the decisions found by earlier nodes.
    """
    pool = Pool(rewards, budgets, criterion, m, steepest)
    state = _Search(maximize, pool, m, ratio, criterion, branching, above)
    bound, best = state.run(np.zeros(len(rewards), dtype=np.int64) if forced is None else forced, most), state.best
    decision, value = (None, -math.inf) if best is None else (pool.decisions[best].copy(), pool.values[best])
    return SearchResult(decision, value, bound, state.calls, state.is_finished)


@dataclass(frozen=True, eq=False)
class _Node:
    """A subset of the decisions: forced items (1 in, -1 out), decisions found in it, and the edge that gives its bound."""

    bound: float
    forced: IntArray
    numbers: IntArray
    edge: Edge


class _Search:
    """The tree of open nodes and the best decision so far."""

    def __init__(
        self,
        maximize: Callable[[FloatArray], BoolArray],
        pool: Pool,
        m: int,
        ratio: float,
        criterion: Criterion,
        branching: Branching,
        above: float,
    ) -> None:
        self._maximize, self._pool, self._m, self._ratio = maximize, pool, m, ratio
        self._criterion, self._branching = criterion, branching
        self._open: list[tuple[float, int, _Node]] = []
        self.best: int | None = None
        self._score, self._is_enough = above, above > -math.inf
        self.calls = self._n_nodes = 0

    def run(self, forced: IntArray, most: float) -> float:
        """Search the decisions of a node within the budget `most`; return an upper bound on their values."""
        self._add_node(math.inf, forced, np.empty(0, dtype=np.int64))
        while self.calls < most and not self.is_finished and not (self._is_enough and self.best is not None):
            self._split(heapq.heappop(self._open)[2])
        return max(self._score, -self._open[0][0] if self._open else -math.inf)

    @property
    def is_finished(self) -> bool:
        """Whether no open node can contain a better decision."""
        return not self._open or self._is_closed(-self._open[0][0])

    def add(self, x: BoolArray) -> int:
        """Number of the decision `x`; update the best decision."""
        number = self._pool.add(x)
        if self._pool.values[number] > -math.inf:
            score = self._criterion.generous(self._pool.a[number], self._pool.c[number], self._ratio)
            if score > self._score:
                self.best, self._score = number, score
        return number

    def _is_closed(self, bound: float) -> bool:
        """Whether a node with this bound cannot improve on the best decision."""
        if self._score == -math.inf:
            return bound == -math.inf
        return bound <= self._score + PRECISION * (self._m * self._pool.largest_a + abs(self._score))

    def _split(self, node: _Node) -> None:
        """Add decisions near the edge, then force an item in and out."""
        pool, edge = self._pool, node.edge
        left, right, weights = pool.decisions[edge.left], pool.decisions[edge.right], pool.weights(edge)
        near = [self.add(x) for x in self._branching.neighbours(left, right, weights)]
        item = self._branching.item(node.forced, left, right, weights)
        if item is None:
            return
        numbers = np.union1d(node.numbers, np.array(near, dtype=np.int64))
        inside = pool.decisions[numbers, item]
        for side, part in ((1, numbers[inside]), (-1, numbers[~inside])):
            forced = node.forced.copy()
            forced[item] = side
            self._add_node(node.bound, forced, part)

    def _add_node(self, bound: float, forced: IntArray, numbers: IntArray) -> None:
        """Bound a node, in which the decisions `numbers` are known, and open it if it can contain a better decision."""
        self._n_nodes += 1
        met: list[int] = []
        bound, edge = self._climb(bound, forced, numbers, met)
        if edge is not None and not self._is_closed(bound):
            node = _Node(bound, forced, np.union1d(numbers, np.array(met, dtype=np.int64)), edge)
            heapq.heappush(self._open, (-bound, self._n_nodes, node))

    def _climb(self, bound: float, forced: IntArray, numbers: IntArray, met: list[int]) -> tuple[float, Edge | None]:
        """Bound of a node and the edge that gives it; no edge if a decision attains the bound or the node is empty."""
        pool = self._pool
        edge = FLAT if len(numbers) == 0 else pool.peak_of(numbers)
        while not self._is_closed(bound):
            number = self._best_at(forced, edge)
            if number is None:
                return -math.inf, None
            met.append(number)
            if edge.run > 0:
                bound = min(bound, pool.bound(number, edge.slope))
            elif pool.values[number] == -math.inf:  # the largest c is not allowed
                return -math.inf, None
            if edge is FLAT:
                edge = pool.at(number)
            elif pool.is_above(number, edge):
                edge = pool.raised(edge, number)
            elif edge.run == 0:  # all c are equal, and F is steep there
                top = self._best_at(forced, FLAT)
                return (-math.inf if top is None else self._criterion.value(pool.a[top], pool.c[number])), None
            else:
                return bound, None if edge.is_point else edge
        return bound, edge

    def _best_at(self, forced: IntArray, edge: Edge) -> int | None:
        """Best decision of the node at the slope of the edge; None if the node is empty."""
        weights = self._pool.weights(edge)
        inside, outside, free = forced > 0, forced < 0, forced == 0
        largest = float(np.abs(weights[free]).max(initial=0.0))
        big = (min(2 * self._m, int(np.count_nonzero(free))) + 1) * largest or 1.0
        weights[inside], weights[outside] = big, -big
        self.calls += 1
        x = checked_answer(self._maximize(weights), len(weights), self._m)
        return self.add(x) if x[inside].all() and not x[outside].any() else None
