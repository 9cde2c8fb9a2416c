"""Branch and bound for a + f(c) over decisions that can be maximised linearly, and nothing else."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.optimization.criteria import Criterion

PRECISION = 1e-12
"""A part of the search is closed when it cannot win more than this times the largest possible |rewards·x|."""
STEEPEST = 1e4
"""Largest multiplier of an edge, in units of max|rewards| / max|budgets|: beyond, the rewards would drown in rounding."""


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
        No decision has a larger value, but for rounding; `value` itself unless the search was allowed to stop before.
    oracle_calls : int
        Linear maximisations (P_LM).
    nodes : int
        Parts of the decision set that were bounded.
    found : ndarray of bool, shape (k, d)
        The best of the distinct decisions met on the way, best first.
    """

    decision: BoolArray | None
    value: float
    bound: float
    oracle_calls: int
    nodes: int
    found: BoolArray


def search(
    maximize: Callable[[FloatArray], BoolArray],
    rewards: FloatArray,
    budgets: FloatArray,
    criterion: Criterion,
    *,
    m: int,
    ratio: float = 1.0,
    stop_above: float = math.inf,
    known: BoolArray | None = None,
    keep: int | None = 16,
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
        Below 1 the search may stop as soon as ``criterion.generous`` of the best decision reaches the bound.
    stop_above : float
        The search stops at the first decision of larger value.
    known : ndarray of bool, shape (k, d), optional
        Decisions to start from.
    keep : int or None
        Number of decisions in ``found``, at most; None keeps all.

    Returns
    -------
    SearchResult

    Notes
    -----
    Best-first branch and bound. Each node forces items in and out by weights that outweigh all others. Its bound is the
    minimum over l >= 0 of ``max_x (rewards + l budgets)·x + max_c (f(c) - l c)``: Lagrangian relaxation, which equals the
    maximum of F over the convex hull of the pairs (a, c). The hull is explored by its vertices: each maximisation at the
    slope of the edge below the best point either proves the edge to be one of the hull, or finds a vertex above it. The
    two decisions of that edge differ in the item to branch on. Depends on sums of the given numbers only: values are
    recomputed from the raw vectors for each decision met.
    """
    state = _Search(maximize, rewards, budgets, criterion, m, ratio, stop_above)
    for x in () if known is None else known:
        state.add(x)
    bound = state.run()
    order = sorted(range(len(state.rows)), key=lambda row: -state.values[row])
    found = [state.rows[row] for row in order[:keep]]
    best = state.best
    return SearchResult(
        decision=None if best is None else state.rows[best].copy(),
        value=state.value,
        bound=bound,
        oracle_calls=state.calls,
        nodes=state.nodes,
        found=np.array(found, dtype=np.bool_).reshape(len(found), len(rewards)),
    )


@dataclass(frozen=True, eq=False)
class _Edge:
    """Where F peaks over the hull of some pairs: on the segment between two of them, or at one (left = right)."""

    left: int
    right: int
    multiplier: float


@dataclass(frozen=True, eq=False)
class _Node:
    """A part of the decision set, its bound, and the edge at which it is to be split."""

    bound: float
    forced: IntArray
    rows: IntArray
    edge: _Edge


class _Search:
    """Decisions met so far, by row number, and the best of them."""

    def __init__(
        self,
        maximize: Callable[[FloatArray], BoolArray],
        rewards: FloatArray,
        budgets: FloatArray,
        criterion: Criterion,
        m: int,
        ratio: float,
        stop_above: float,
    ) -> None:
        self._maximize, self._rewards, self._budgets, self._criterion = maximize, rewards, budgets, criterion
        self._m, self._ratio, self._stop_above = m, ratio, stop_above
        self._largest_a = float(np.abs(rewards).max())
        self._largest_c = float(np.abs(budgets).max())
        steepest = STEEPEST * self._largest_a / self._largest_c if self._largest_c > 0 else 1.0
        self._steepest = min(steepest or 1.0, 1e300)
        self.rows: list[BoolArray] = []
        self.a: list[float] = []
        self.c: list[float] = []
        self.values: list[float] = []
        self._index: dict[bytes, int] = {}
        self.best: int | None = None
        self.value = -math.inf
        self.calls = self.nodes = 0

    def run(self) -> float:
        """Search, and return a bound on the value of every decision."""
        open_nodes: list[tuple[float, int, _Node]] = []
        nothing_forced = np.zeros(len(self._rewards), dtype=np.int64)
        self._open(open_nodes, math.inf, nothing_forced, np.arange(len(self.rows)))
        while open_nodes:
            bound = -open_nodes[0][0]
            if self._settled(bound):
                return max(self.value, bound)
            node = heapq.heappop(open_nodes)[2]
            item = self._branching_item(node.edge)
            inside = np.array([self.rows[row][item] for row in node.rows])
            for side, rows in ((1, node.rows[inside]), (-1, node.rows[~inside])):
                forced = node.forced.copy()
                forced[item] = side
                self._open(open_nodes, bound, forced, rows)
        return self.value

    def add(self, x: BoolArray) -> int:
        """Row number of the decision `x`, which may be the best so far."""
        key = x.tobytes()
        row = self._index.get(key)
        if row is not None:
            return row
        row = self._index[key] = len(self.rows)
        self.rows.append(x)
        self.a.append(float(self._rewards[x].sum()))
        self.c.append(float(self._budgets[x].sum()))
        self.values.append(self._criterion.value(self.a[row], self.c[row]))
        if self.values[row] > self.value:
            self.best, self.value = row, self.values[row]
        return row

    def _settled(self, bound: float) -> bool:
        """Whether the best decision is good enough when no other part can exceed `bound`."""
        if self.best is None:
            return bound == -math.inf
        if self.value > self._stop_above or bound <= self.value + self._slack():
            return True
        return self._ratio < 1 and self._criterion.generous(self.a[self.best], self.c[self.best], self._ratio) >= bound

    def _slack(self) -> float:
        return PRECISION * (self._m * self._largest_a + abs(self.value)) if self.best is not None else 0.0

    def _open(self, open_nodes: list[tuple[float, int, _Node]], bound: float, forced: IntArray, rows: IntArray) -> None:
        """Bound the part with the items `forced` (1 in, -1 out), and keep it if it may hold something better."""
        self.nodes += 1
        met: list[int] = []
        bound, edge = self._climb(bound, forced, rows, met)
        if edge is not None and (self.best is None or bound > self.value + self._slack()):
            node = _Node(bound, forced, np.unique(np.append(rows, np.array(met, dtype=np.int64))), edge)
            heapq.heappush(open_nodes, (-bound, self.nodes, node))

    def _climb(self, bound: float, forced: IntArray, rows: IntArray, met: list[int]) -> tuple[float, _Edge | None]:
        """Bound of a part and the edge of its hull at which F peaks; None if nothing better is left in it."""
        if len(rows) == 0:
            first = self._ask(forced, 0.0)
            if first is None:
                return -math.inf, None
            met.append(first)
            bound = min(bound, self._criterion.bound(self.a[first], self.c[first], 0.0))
            edge = self._at(first)
        else:
            edge = self._peak_of(rows)
        while not self._settled(bound):
            slope = edge.multiplier
            row = self._ask(forced, slope)
            if row is None:
                return -math.inf, None
            met.append(row)
            if slope == math.inf:
                if self.c[row] <= self.c[edge.left] or self.values[row] == -math.inf:
                    return self._bound_at_the_end(forced, row), None
            else:
                bound = min(bound, self._criterion.bound(self.a[row], self.c[row], slope))
                if not self._is_above(row, edge):
                    return bound, edge if edge.left != edge.right else None
            edge = self._raise(edge, row)
        return bound, edge if edge.left != edge.right else None

    def _bound_at_the_end(self, forced: IntArray, row: int) -> float:
        """Bound of a part of which `row` has the largest c, when that is too small for any finite slope."""
        if self.values[row] == -math.inf:
            return -math.inf
        top = self._ask(forced, 0.0)  # all c are alike
        return -math.inf if top is None else self._criterion.value(self.a[top], self.c[row])

    def _ask(self, forced: IntArray, multiplier: float) -> int | None:
        """Row of a decision of the part with largest rewards + multiplier * budgets; None if the part is empty."""
        weights = self._budgets.copy() if multiplier == math.inf else self._rewards + multiplier * self._budgets
        inside, outside = forced > 0, forced < 0
        free = forced == 0
        largest = float(np.abs(weights[free]).max(initial=0.0))
        big = (min(2 * self._m, int(np.count_nonzero(free))) + 1) * largest or 1.0
        weights[inside], weights[outside] = big, -big
        self.calls += 1
        x = self._maximize(weights)
        if not x[inside].all() or x[outside].any():
            return None
        return self.add(x)

    def _peak_of(self, rows: IntArray) -> _Edge:
        """Where F peaks over the hull of known decisions: the climb with these in place of the oracle."""
        a, c = np.array([self.a[row] for row in rows]), np.array([self.c[row] for row in rows])
        edge = self._at(int(rows[np.argmax(a)]))
        while True:
            slope = edge.multiplier
            row = int(rows[np.argmax(c if slope == math.inf else a + slope * c)])
            if (slope == math.inf and self.c[row] <= self.c[edge.left]) or (
                slope < math.inf and not self._is_above(row, edge)
            ):
                return edge
            edge = self._raise(edge, row)

    def _is_above(self, row: int, edge: _Edge) -> bool:
        """Whether the decision is beyond the line of slope -multiplier through the edge by more than rounding."""
        slope = edge.multiplier
        gain = min(self.a[row] - self.a[i] + slope * (self.c[row] - self.c[i]) for i in (edge.left, edge.right))
        return gain > 0.1 * PRECISION * self._m * (self._largest_a + slope * self._largest_c)

    def _raise(self, edge: _Edge, row: int) -> _Edge:
        """The edge at which F peaks when a decision above the old one is added."""
        if edge.left == edge.right:
            return self._between(edge.left, row)
        if self._criterion.slope(self.c[row]) >= edge.multiplier:
            return self._between(row, edge.right)
        return self._between(edge.left, row)

    def _between(self, left: int, right: int) -> _Edge:
        """Where F peaks on the segment between two decisions."""
        if self.c[left] > self.c[right]:
            left, right = right, left
        rise, run = self.a[left] - self.a[right], self.c[right] - self.c[left]
        if run == 0:
            return self._at(left if rise >= 0 else right)
        slope = rise / run
        if self._criterion.slope(self.c[left]) <= slope:
            return self._at(left)
        if self._criterion.slope(self.c[right]) >= slope:
            return self._at(right)
        return _Edge(left, right, min(slope, self._steepest))

    def _at(self, row: int) -> _Edge:
        return _Edge(row, row, self._criterion.slope(self.c[row]))

    def _branching_item(self, edge: _Edge) -> int:
        """Of the items in which the ends of the edge differ, the one of largest weight."""
        items = np.flatnonzero(self.rows[edge.left] != self.rows[edge.right])
        weight = np.abs(self._rewards[items]) + edge.multiplier * np.abs(self._budgets[items])
        return int(items[np.argmax(weight)])
