"""Simple paths from a source to a target in any graph, for costs that are known to be nonnegative."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final, final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._labels import checked_frame
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle, compiled_oracle
from semibandits.decisions.enumerated import EnumeratedDecisions
from semibandits.errors import InvalidInputError, TooManyDecisionsError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.frames import ItemSource, as_pairs
from semibandits.inputs.graphs import ends_of, is_graph, numbered_pairs, read_edges
from semibandits.inputs.labelled import in_item_order
from semibandits.inputs.validation import as_decision, as_floats, item_vector
from semibandits.kernels.graphs.dag import ArcGroups
from semibandits.kernels.graphs.dijkstra import distances_from, shortest_path_into, simple_paths, walk_of
from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.graphs.ranked_paths import ranked_paths
from semibandits.kernels.oracles.routes import LARGEST_COST, clip_costs, routes_index, routes_linear
from semibandits.kernels.search.route_raises import raises_of
from semibandits.optimization.problems import IndexAnswer

FIRST_RANKED: Final = 16
"""Routes that are ranked at first; four times as many each time."""
NO_LIMIT: Final = 2**62
FEW: Final = 2_000
"""Number of routes up to which they are listed where weights may have any sign."""
ROUNDING: Final = 1e-9
"""By how much means of costs of at most `LARGEST_COST` may be above it, relatively."""


@final
class Routes(DecisionSet):
    """Simple paths from `source` to `target`, for costs that are known to be at least `least` >= 0.

    The items are the arcs of a directed graph, or the edges of an undirected graph, which can be used in both directions. Rewards
    are minus costs: travel times, fares, lengths. Unlike :class:`Paths`, the graph may have cycles and two-way streets, but
    rewards must not exceed ``-least``.

    Parameters
    ----------
    graph : networkx graph, sequence of (tail, head), or frame
        Any graph or multigraph of networkx, directed or not, a sequence of arcs, or a frame of pandas or polars with one row
        an arc. Parallel edges, self-loops and nodes that are on no path are allowed; self-loops are never chosen.
    source, target : hashable
        Two different nodes. The target must be reachable from the source.
    least : float, sequence of float, shape (d,), or str
        What the mean cost of each item is known to be at least, >= 0; for travel times the free-flow times. A string names an
        edge attribute of the networkx graph or a column of the frame.
    directed : bool, optional
        Whether the pairs of a sequence or frame are arcs (the default) or undirected edges. A networkx graph knows it.
    tail, head : str
        Columns of a frame that hold the ends of the arcs.

    Attributes
    ----------
    nodes : tuple
        Node labels; nodes are numbered in this order.
    tails, heads : ndarray of int, shape (d,)
        Item i joins ``nodes[tails[i]]`` and ``nodes[heads[i]]``.
    directed : bool
        Whether items can only be used from tail to head.
    source, target : hashable
        As given.
    least : ndarray of float, shape (d,)
        Lower bounds on the mean costs.

    Raises
    ------
    InvalidInputError
        If the graph is malformed, source or target is not a node, both are the same node, no path joins them, or `least` is
        malformed or negative.

    Notes
    -----
    Maximising arbitrary weights over simple paths is NP-hard. Weights are therefore clipped at ``-least``, which no mean reward
    exceeds, and a shortest path is found by A* search (Hart, Nilsson, Raphael 1968): docs/routes.md. [theory R1]

    Examples
    --------
    Two-way streets from A to D, of which each takes at least one minute:

    >>> streets = [("A", "B"), ("B", "C"), ("A", "C"), ("C", "D"), ("B", "D")]
    >>> minutes = np.array([2, 1, 5, 2, 4])
    >>> X = sb.Routes(streets, "A", "D", least=1.0, directed=False)
    >>> X.walk(X.maximize(-minutes))  # rewards are minus costs
    ('A', 'B', 'C', 'D')
    >>> [(int(minutes[x].sum()), "-".join(X.walk(x))) for x in X.ranked(-minutes)]
    [(5, 'A-B-C-D'), (6, 'A-B-D'), (7, 'A-C-D'), (10, 'A-C-B-D')]
    """

    @hinted
    def __init__(
        self,
        graph: object,
        source: Hashable,
        target: Hashable,
        least: ArrayLike | str = 0.0,
        *,
        directed: bool | None = None,
        tail: str = "tail",
        head: str = "head",
    ) -> None:
        if is_graph(graph):
            if directed not in (None, graph.is_directed()):
                raise InvalidInputError(
                    f"directed must be left out for a networkx graph, got {directed!r} for a {type(graph).__name__}: "
                    f"convert the graph with to_{'' if directed else 'un'}directed()"
                )
            directed = graph.is_directed()
        self.directed: bool = True if directed is None else bool(directed)
        edges = read_edges(as_pairs(graph, tail=tail, head=head), directed=self.directed)
        self._source = ItemSource.of(graph, tail, head)
        self.nodes, self.tails, self.heads = edges.nodes, edges.tails, edges.heads
        self._first, self._last = ends_of(source, target, edges)
        self.source, self.target, self._items = self.nodes[self._first], self.nodes[self._last], edges.items
        least = self.values_of(least) if isinstance(least, str) else as_floats(in_item_order(least, self, "least"), "least")
        if least.shape not in ((), (self.d,)):
            raise InvalidInputError(
                f"least must be a number or have shape (d,) = ({self.d},), got {least.shape}: pass one number per item"
            )
        if (least < 0).any():
            raise InvalidInputError(f"least must be >= 0, got {least.min():g}: costs are known to be nonnegative, 0 is enough")
        if (least > LARGEST_COST).any():
            raise InvalidInputError(f"least must be at most {LARGEST_COST:g}, got {least.max():g}: scale costs down")
        self.least: FloatArray = np.broadcast_to(least, (self.d,)).copy()
        self._ahead = distances_from(self._into, self.least.copy(), _at(self._last, len(self.nodes)))
        if np.isinf(self._ahead[self._first]):
            way = "arcs point the other way" if self.directed else "they are in different components"
            raise InvalidInputError(
                f"target must be reachable from source, got no path from {source!r} to {target!r}: check whether {way}, "
                "and add what is missing"
            )
        for array in (self.least, self.tails, self.heads):
            array.setflags(write=False)

    @classmethod
    @hinted
    def from_frame(
        cls,
        frame: object,
        source: Hashable,
        target: Hashable,
        least: ArrayLike | str = 0.0,
        *,
        directed: bool | None = None,
        tail: str = "tail",
        head: str = "head",
    ) -> Routes:
        """The same from a frame of pandas or polars with one row an arc or a street: ``Routes(frame, ...)``."""
        frame = checked_frame(frame, "Routes(pairs, source, target)")
        return cls(frame, source, target, least, directed=directed, tail=tail, head=head)

    def __repr__(self) -> str:
        return f"Routes(d={self.d}, m={self.m}, source={self.source!r}, target={self.target!r})"

    @property
    def d(self) -> int:
        """Number of items."""
        return len(self.tails)

    @property
    def m(self) -> int:
        """A bound on the number of items of a route: one less than the number of nodes between source and target.

        The length of a longest simple path itself is NP-hard to find.
        """
        return self._m

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item: (tail, head), or (tail, head, k) where there are parallel edges."""
        return self._items

    @cached_property
    def upper(self) -> FloatArray:
        """Largest mean reward that each item can have, ``-least``, shape (d,)."""
        upper = -self.least
        upper.setflags(write=False)
        return upper

    @cached_property
    def useful_items(self) -> BoolArray:
        """Items on some walk from source to target, shape (d,); the others are on no route."""
        reached = np.isfinite(distances_from(self._out, np.ones(self.d), _at(self._first, len(self.nodes))))
        inside = reached & np.isfinite(self._ahead)
        useful: BoolArray = inside[self.tails] & inside[self.heads] & (self.tails != self.heads)
        useful.setflags(write=False)
        return useful

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Route of largest total weight, weights being clipped at ``-least``; see :meth:`DecisionSet.maximize`.

        Among equally good routes the choice depends on the graph and the weights only.
        """
        costs, x = self._unclipped(weights), np.empty(self.d, dtype=np.bool_)
        share = clip_costs(costs, self.least.copy())
        shortest_path_into(self._out, costs, self._ahead, share, self._first, self._last, x)
        return x

    def costs_of(self, weights: ArrayLike) -> FloatArray:
        """Costs that `weights` stand for, shape (d,): minus the weights, at least `least`, at most 1e100.

        Raises
        ------
        InvalidInputError
            If a cost is above 1e100.
        """
        return np.clip(self._unclipped(weights), self.least, LARGEST_COST)

    def _unclipped(self, weights: ArrayLike) -> FloatArray:
        """Minus the weights."""
        costs: FloatArray = -item_vector(weights, self, "weights")
        if costs.max() > LARGEST_COST * (1.0 + ROUNDING):
            raise InvalidInputError(f"weights must be at least {-LARGEST_COST:g}, got {-costs.max():g}: scale them up, towards 0")
        return costs

    def ranked(self, weights: ArrayLike) -> Iterator[BoolArray]:
        """Routes in order of decreasing total weight, weights being clipped at ``-least``.

        Parameters
        ----------
        weights : array_like of float, shape (d,)
            Weight of each item.

        Yields
        ------
        ndarray of bool, shape (d,)
            All routes, the best one first. The first k take at most k times as many shortest paths as a route has items.

        Notes
        -----
        Yen (1971), with the partition of Lawler (1972).
        """
        costs, seen, most = self.costs_of(weights), 0, FIRST_RANKED
        while True:
            ranking = ranked_paths(self._out, self._into, costs, (self._first, self._last), most, np.inf, NO_LIMIT)
            for p in range(seen, len(ranking.lengths)):
                x = np.zeros(self.d, dtype=np.bool_)
                x[self._out.items[ranking.places[ranking.ptr[p] : ranking.ptr[p + 1]]]] = True
                yield x
            seen, most = len(ranking.lengths), 4 * most
            if seen < most // 4:
                return

    def walk(self, decision: ArrayLike) -> tuple[Hashable, ...]:
        """Nodes of a route in the order of travel, from source to target.

        Raises
        ------
        InvalidInputError
            If `decision` is not a simple path from source to target.
        """
        return tuple(self.nodes[v] for v in self._walk(decision)[0])

    def order(self, decision: ArrayLike) -> IntArray:
        """Items of a route in the order of travel, shape (k,).

        Raises
        ------
        InvalidInputError
            If `decision` is not a simple path from source to target.
        """
        return self._out.items[self._walk(decision)[1]]

    def _walk(self, decision: ArrayLike) -> tuple[IntArray, IntArray]:
        x = as_decision(decision, self.d)
        walk = None if x is None else walk_of(self._out, x, self._first, self._last)
        if walk is None or not len(walk[0]):
            raise InvalidInputError(
                f"decision must be a simple path from {self.source!r} to {self.target!r}, got {decision!r}: "
                f"pass a 0/1 vector of shape (d,) = ({self.d},), for instance from maximize"
            )
        return walk

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of routes, by depth-first search; see :meth:`DecisionSet.count`."""
        none = np.zeros((0, self.d), dtype=np.bool_)
        count = simple_paths(self._out, self._steps, self._first, self._last, limit, none)
        if count > limit:
            raise TooManyDecisionsError(f"listing was limited to {limit} decisions, got more routes: raise the limit")
        return int(count)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All routes, one a row, shape ``(n, d)``, in lexicographic order of their arcs; see :meth:`DecisionSet.enumerate`."""
        rows = np.zeros((self.count(limit), self.d), dtype=np.bool_)
        simple_paths(self._out, self._steps, self._first, self._last, limit, rows)
        return rows

    @cached_property
    def as_list(self) -> EnumeratedDecisions | None:
        """The list of all routes, which has a maximiser for weights of any sign; None if there are more than 2,000."""
        try:
            return EnumeratedDecisions(self.enumerate(FEW), items=self.items)
        except TooManyDecisionsError:
            return None

    def _maximize_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """The first of the ranked routes that meets the budget: exact for any ratio, not polynomial."""
        return next((x for x in self.ranked(rewards) if budgets[x].sum() >= at_least), None)

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """P_IM by the kernel of rounds: the index is that of means that may be raised to ``-least`` at most."""
        return self._compiled().search_index(rewards, bonuses, ratio).decision

    def _search_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float, most: int) -> IndexAnswer:
        found = super()._search_index(rewards, bonuses, ratio, most)
        value = self.index_of(rewards, bonuses, found.decision)
        return replace(found, value=value, bound=value if found.is_proven and ratio == 1.0 else max(found.bound, value))

    def index_of(self, rewards: FloatArray, bonuses: FloatArray, x: BoolArray) -> float:
        """Index of a route, see :meth:`DecisionSet.index_of`."""
        costs = self.costs_of(rewards)
        raises = raises_of(costs, self.least.copy(), bonuses.copy(), np.flatnonzero(x))
        return float(raises.total - costs[x].sum())

    def _budget_front(self, rewards: FloatArray, budgets: FloatArray) -> BoolArray:
        """All routes."""
        return self.enumerate()

    def _restricted_to(self, items: IntArray) -> Routes:
        pairs = numbered_pairs(self.tails[items], self.heads[items])
        return Routes(pairs, self._first, self._last, self.least[items], directed=self.directed)

    def _compiled(self) -> CompiledOracle:
        numbers = np.concatenate((np.array([self._first, self._last]), self.least.view(np.int64), self._ahead.view(np.int64)))
        return compiled_oracle((*self._out, *self._into, numbers), self.d, self.m, routes_linear, index=routes_index)

    def _contains(self, x: BoolArray) -> bool:
        return len(walk_of(self._out, x, self._first, self._last)[0]) > 0

    @cached_property
    def _steps(self) -> FloatArray:
        """Least number of items of a path from each node to the target, inf where there is none."""
        return distances_from(self._into, np.ones(self.d), _at(self._last, len(self.nodes)))

    @cached_property
    def _m(self) -> int:
        return len(np.unique(np.concatenate((self.tails, self.heads))[np.tile(self.useful_items, 2)])) - 1

    @cached_property
    def _ends(self) -> tuple[IntArray, IntArray, IntArray]:
        """Tail, head and item of each arc: of an undirected edge first the given direction; without self-loops."""
        items = np.flatnonzero(self.tails != self.heads)
        tails, heads = self.tails[items], self.heads[items]
        if self.directed:
            return tails, heads, items
        both = np.arange(2 * len(items)).reshape(2, -1).T.ravel()  # the two directions of an edge are neighbours
        parts = ((tails, heads), (heads, tails), (items, items))
        one, other, item = (np.concatenate(pair)[both] for pair in parts)
        return one, other, item

    @cached_property
    def _out(self) -> ArcGroups:
        tails, heads, items = self._ends
        return grouped(len(self.nodes), tails, heads, items)

    @cached_property
    def _into(self) -> ArcGroups:
        tails, heads, items = self._ends
        return grouped(len(self.nodes), heads, tails, items)


def grouped(n: int, ends: IntArray, other_ends: IntArray, items: IntArray) -> ArcGroups:
    """Arcs grouped by one of their ends."""
    ptr, position = incidence(n, ends.copy())
    return ArcGroups(ptr, other_ends[position], items[position])


def _at(v: int, n: int) -> FloatArray:
    """Distances of nodes before a search from v: 0 there, infinite elsewhere."""
    begin = np.full(n, np.inf)
    begin[v] = 0.0
    return begin
