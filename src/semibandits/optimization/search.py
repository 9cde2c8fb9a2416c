"""Branch and bound for a + f(c) over decisions that can be maximised linearly, and nothing else."""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits._validation import checked_answer
from semibandits.optimization.criteria import Criterion
from semibandits.optimization.hull import Edge, Pool

PRECISION = 1e-12
"""A part of the search is closed when it cannot win more than this times the largest possible |rewards·x|."""
STEEPEST = 1e6
"""Largest multiplier of an edge, in units of max|rewards| / max|budgets|, unless both are integers: beyond, rounding of
the budgets would drown the rewards. Any multiplier gives a bound; beyond this one the search branches instead."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search ended with.

    Attributes
    ----------
    decision : ndarray of bool, shape (d,), or None
        The best decision met, None if every decision has the value -inf.
    value : float
        Its value.
    bound : float
        No decision has a larger value, but for rounding; `value` itself if `ratio` is 1 and the search was
        not stopped.
    oracle_calls : int
        Linear maximisations (P_LM).
    nodes : int
        Parts of the decision set that were bounded.
    is_finished : bool
        Whether no part is left that may hold something better; False if the search was stopped before.
    found : ndarray of bool, shape (k, d)
        The best of the distinct decisions met on the way, best first.
    """

    decision: BoolArray | None
    value: float
    bound: float
    oracle_calls: int
    nodes: int
    is_finished: bool
    found: BoolArray

    def __post_init__(self) -> None:
        self.found.setflags(write=False)


class Branching(ABC):
    """What to do at an edge of the hull on which the bound of a node rests."""

    @abstractmethod
    def neighbours(self, left: BoolArray, right: BoolArray, weights: FloatArray) -> Iterable[BoolArray]:
        """Further decisions near the edge between `left` and `right`, which both are optimal for `weights`."""

    @abstractmethod
    def item(self, forced: IntArray, left: BoolArray, right: BoolArray, weights: FloatArray) -> int | None:
        """The free item to force in and out; None gives the node up: for searches with a ratio below 1."""


@final
class HeaviestDifference(Branching):
    """Branch on the heaviest of the items in which the ends of the edge differ."""

    def neighbours(self, left: BoolArray, right: BoolArray, weights: FloatArray) -> Iterable[BoolArray]:
        """None."""
        return ()

    def item(self, forced: IntArray, left: BoolArray, right: BoolArray, weights: FloatArray) -> int:
        """The heaviest difference."""
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
    *,
    m: int,
    ratio: float = 1.0,
    known: BoolArray | None = None,
    keep: int | None = 16,
    branching: Branching = HEAVIEST_DIFFERENCE,
    steepest: float = STEEPEST,
    most: int | None = None,
) -> SearchResult:
    """Decision x that maximises F(rewards·x, budgets·x).

    Parameters
    ----------
    maximize : callable
        P_LM: a decision of largest weight, for weights of any sign, shape (d,).
    rewards, budgets : ndarray of float, shape (d,)
        Finite, of any sign.
    criterion : Criterion
        F, a plus a concave nondecreasing function of c.
    m : int
        No decision has more items.
    ratio : float
        Below 1, the decision found is best by ``criterion.generous``, and parts whose bound that reaches are closed.
    known : ndarray of bool, shape (k, d), optional
        Decisions to start from.
    keep : int or None
        Number of decisions in ``found``, at most; None keeps all.
    branching : Branching
        Which item to branch on.
    steepest : float
        Largest multiplier of an edge, see ``STEEPEST``.
    most : int, optional
        The search stops after about so many linear maximisations; ``bound`` then says how much a better decision could have.

    Returns
    -------
    SearchResult

    Notes
    -----
    Best-first branch and bound. Each node forces items in and out by weights that outweigh all others. Its bound is the
    minimum over l >= 0 of ``max_x (rewards + l budgets)·x + max_c (f(c) - l c)``: Lagrangian relaxation, which equals the
    maximum of F over the convex hull of the pairs (a, c). The hull is explored by its vertices: each maximisation at the
    slope of the edge below the best point either proves the edge to be one of the hull, or finds a vertex above it. The
    ends of that edge differ in an item to branch on. A node starts from the decisions that earlier ones met.
    """
    pool = Pool(rewards, budgets, criterion, m, steepest)
    state = _Search(maximize, pool, m, ratio, criterion, branching)
    for x in () if known is None else known:
        state.meet(x)
    bound = state.run(len(rewards), math.inf if most is None else most)
    order = np.argsort(-np.array(pool.values), kind="stable")[:keep]
    best = state.best
    return SearchResult(
        decision=None if best is None else pool.decisions[best].copy(),
        value=-math.inf if best is None else pool.values[best],
        bound=bound,
        oracle_calls=state.calls,
        nodes=state.nodes,
        is_finished=state.is_finished,
        found=pool.decisions[order],
    )


@dataclass(frozen=True, eq=False)
class _Node:
    """A part of the decision set: items forced (1 in, -1 out), decisions met in it, and the edge its bound rests on."""

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
    ) -> None:
        self._maximize, self._pool, self._m, self._ratio = maximize, pool, m, ratio
        self._criterion, self._branching = criterion, branching
        self._open: list[tuple[float, int, _Node]] = []
        self.best: int | None = None
        self._score = -math.inf
        self.calls = self.nodes = 0

    def run(self, d: int, most: float = math.inf) -> float:
        """Search, as far as the budget reaches, and return a bound on the value of every decision."""
        self._add_node(math.inf, np.zeros(d, dtype=np.int64), np.arange(len(self._pool)))
        while self.calls < most and not self.is_finished:
            self._split(heapq.heappop(self._open)[2])
        return max(self._score, -self._open[0][0] if self._open else -math.inf)

    @property
    def is_finished(self) -> bool:
        """Whether no part is open that may hold something better."""
        return not self._open or self._is_closed(-self._open[0][0])

    def meet(self, x: BoolArray) -> int:
        """Number of the decision `x`, which may be the best so far."""
        number = self._pool.add(x)
        if self._pool.values[number] > -math.inf:
            score = self._criterion.generous(self._pool.a[number], self._pool.c[number], self._ratio)
            if score > self._score:
                self.best, self._score = number, score
        return number

    def _is_closed(self, bound: float) -> bool:
        """Whether a part of this bound holds nothing that matters."""
        if self.best is None:
            return bound == -math.inf
        return bound <= self._score + PRECISION * (self._m * self._pool.largest_a + abs(self._score))

    def _split(self, node: _Node) -> None:
        """Look for decisions near the edge, then force an item in and out."""
        pool, edge = self._pool, node.edge
        left, right, weights = pool.decisions[edge.left], pool.decisions[edge.right], pool.weights(edge)
        near = [self.meet(x) for x in self._branching.neighbours(left, right, weights)]
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
        """Bound a part, whose decisions `numbers` are known, and keep it if it may hold something better."""
        self.nodes += 1
        met: list[int] = []
        bound, edge = self._climb(bound, forced, numbers, met)
        if edge is not None and not self._is_closed(bound):
            node = _Node(bound, forced, np.union1d(numbers, np.array(met, dtype=np.int64)), edge)
            heapq.heappush(self._open, (-bound, self.nodes, node))

    def _climb(self, bound: float, forced: IntArray, numbers: IntArray, met: list[int]) -> tuple[float, Edge | None]:
        """Bound of a part and the edge of its hull on which it rests; None if a decision attains it or there is none."""
        pool = self._pool
        edge = FLAT if len(numbers) == 0 else pool.peak_of(numbers)
        while not self._is_closed(bound):
            number = self._ask(forced, edge)
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
            elif edge.run == 0:  # all c are alike, and where F is steep
                top = self._ask(forced, FLAT)
                return (-math.inf if top is None else self._criterion.value(pool.a[top], pool.c[number])), None
            else:
                return bound, None if edge.is_point else edge
        return bound, edge

    def _ask(self, forced: IntArray, edge: Edge) -> int | None:
        """A decision of the part that is best at the slope of the edge; None if the part is empty."""
        weights = self._pool.weights(edge)
        inside, outside, free = forced > 0, forced < 0, forced == 0
        largest = float(np.abs(weights[free]).max(initial=0.0))
        big = (min(2 * self._m, int(np.count_nonzero(free))) + 1) * largest or 1.0
        weights[inside], weights[outside] = big, -big
        self.calls += 1
        x = checked_answer(self._maximize(weights), len(weights), self._m)
        return self.meet(x) if x[inside].all() and not x[outside].any() else None
