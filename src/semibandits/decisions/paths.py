"""Paths from a source to a target in a directed acyclic graph."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._labels import checked_frame
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle, compiled_oracle
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.decisions.label_limits import MAX_LABELS, SMALLEST_RATIO, too_many_labels
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.frames import ItemSource, as_pairs
from semibandits.inputs.graphs import EdgeList, ends_of, numbered_pairs, read_edges
from semibandits.inputs.validation import as_decision, item_vector
from semibandits.kernels.graphs.dag import ArcGroups, acyclic_order, is_path, longest_path, nodes_between, paths_by_rank
from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.oracles.paths import paths_cycles, paths_exchange_costs, paths_linear
from semibandits.kernels.search.labels import Goal, Thinning, best_path, pareto_paths
from semibandits.matroids._listing import too_many
from semibandits.matroids.counts import DecisionCount
from semibandits.optimization.problems import budget_criterion

ROUNDING = 4e-15
"""Rounding of a sum over a path, relative to the number of nodes times the largest summand."""
LONGEST_CYCLE_SHOWN = 8


@final
class Paths(DecisionSet):
    """Paths from `source` to `target`; the items are the arcs of the graph.

    Parameters
    ----------
    graph : networkx DiGraph or MultiDiGraph, sequence of (tail, head), or frame
        Acyclic; a frame of pandas or polars has one row an arc. Parallel arcs are allowed, and so are arcs that lie on no path:
        they are never chosen.
    source, target : hashable
        Two different nodes; `target` must be reachable from `source`.
    tail, head : str
        Columns of a frame that hold the ends of the arcs.

    Attributes
    ----------
    nodes : tuple
        Node labels; nodes are numbered in this order.
    tails, heads : ndarray of int, shape (d,)
        Item i runs from ``nodes[tails[i]]`` to ``nodes[heads[i]]``.
    source, target : hashable
        The ends of all paths.
    topological_order : ndarray of int, shape (n_nodes,)
        Numbers of all nodes, tails before heads.
    useful_items : ndarray of bool, shape (d,)
        Items that lie on some path from source to target.

    Raises
    ------
    InvalidInputError
        If the graph is malformed or has a cycle, source or target is not a node, they are equal, or no path joins them.

    Notes
    -----
    ``maximize`` is dynamic programming in topological order. P_BLM and P_IM use labels of undominated sums, for a ratio below 1
    in groups (Sahni 1976; for paths Warburton 1987, Hassin 1992).

    Examples
    --------
    One-way streets from A to D, with the minutes that each one takes:

    >>> streets = [("A", "B"), ("A", "C"), ("B", "D"), ("C", "D"), ("B", "C")]
    >>> minutes = np.array([4, 2, 5, 6, 1])
    >>> X = sb.Paths(streets, "A", "D")
    >>> X.d, X.m, X.count()
    (5, 3, 3)
    >>> quickest = X.maximize(-minutes)  # rewards are minus costs
    >>> quickest.tolist(), X.walk(quickest)
    ([False, True, False, True, False], ('A', 'C', 'D'))
    """

    @hinted
    def __init__(self, graph: object, source: Hashable, target: Hashable, *, tail: str = "tail", head: str = "head") -> None:
        edges = read_edges(as_pairs(graph, tail=tail, head=head), directed=True)
        self._source = ItemSource.of(graph, tail, head)
        first, last = ends_of(source, target, edges)
        self.nodes, self.tails, self.heads = edges.nodes, edges.tails, edges.heads
        self.source, self.target = edges.nodes[first], edges.nodes[last]
        self._items = edges.items
        tails, heads = edges.tails.copy(), edges.heads.copy()  # kernels are recompiled for read-only arrays
        self.topological_order = acyclic_order(edges.n_nodes, tails, heads)
        if len(self.topological_order) < edges.n_nodes:
            raise _cycle_error(edges, self.topological_order)
        useful = nodes_between(first, last, self.topological_order, tails, heads)
        if not useful[first]:
            raise InvalidInputError(
                f"target must be reachable from source, got no path from {source!r} to {target!r}: "
                "add the missing arcs, or swap source and target if the arcs have the opposite direction"
            )
        # Useful nodes are renumbered in topological order: the source is 0, the target comes last.
        self._places = np.full(edges.n_nodes, -1, dtype=np.int64)
        order = self.topological_order[useful[self.topological_order]]
        self._places[order] = np.arange(len(order))
        self.useful_items = useful[tails] & useful[heads]
        self._into = _grouped(self.useful_items, self._places[heads], self._places[tails], len(order))
        self._out_of = _grouped(self.useful_items, self._places[tails], self._places[heads], len(order))
        self._ends = self._places[tails], self._places[heads]
        self._m = int(longest_path(np.ones(len(tails)), *self._into)[0].sum())
        for array in (self.topological_order, self.useful_items, self._places):
            array.setflags(write=False)

    @classmethod
    @hinted
    def from_frame(cls, frame: object, source: Hashable, target: Hashable, *, tail: str = "tail", head: str = "head") -> Paths:
        """The same from a frame of pandas or polars with one row an arc: ``Paths(frame, ...)``."""
        return cls(checked_frame(frame, "Paths(pairs, source, target)"), source, target, tail=tail, head=head)

    def __repr__(self) -> str:
        return f"Paths(d={self.d}, m={self.m}, source={self.source!r}, target={self.target!r})"

    @property
    def d(self) -> int:
        """Number of arcs."""
        return len(self.tails)

    @property
    def m(self) -> int:
        """Number of arcs on a longest path, the items in the largest decision."""
        return self._m

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each arc: (tail, head), or (tail, head, k) for parallel arcs."""
        return self._items

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Heaviest path, by dynamic programming in topological order; see :meth:`DecisionSet.maximize`.

        Ties between arcs into a node go to the smallest index.
        """
        # A copy, since kernels are recompiled for read-only and strided arrays.
        return longest_path(item_vector(weights, self, "weights").copy(), *self._into)[0]

    def walk(self, decision: ArrayLike) -> tuple[Hashable, ...]:
        """Nodes of a path in the order of travel, from source to target.

        Raises
        ------
        InvalidInputError
            If `decision` is not a path from source to target.
        """
        return (self.source, *(self.nodes[v] for v in self.heads[self.order(decision)]))

    def order(self, decision: ArrayLike) -> IntArray:
        """Items of a path in the order of travel, shape (k,).

        Raises
        ------
        InvalidInputError
            If `decision` is not a path from source to target.
        """
        x = as_decision(decision, self.d)
        if x is None or not self._contains(x):
            raise InvalidInputError(
                f"decision must be a path from {self.source!r} to {self.target!r}, got {decision!r}: "
                f"pass a 0/1 vector of shape (d,) = ({self.d},), for example from maximize"
            )
        return self._arcs(x)

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of paths, by dynamic programming; `limit` is ignored."""
        return self._count

    def count_within(self, work: int) -> DecisionCount:
        """Exact number of paths, by dynamic programming; `work` is ignored."""
        return DecisionCount(self._count)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All paths, one per row, shape ``(n, d)``, in lexicographic order of their items; see :meth:`DecisionSet.enumerate`."""
        if self._count > limit:
            raise too_many(limit, self._count)
        return paths_by_rank(self.d, self._count, *self._out_of)

    def exchange_graph(self, weights: ArrayLike) -> ExchangeGraph:
        """Residual graph of the heaviest path x*; see :class:`ExchangeGraph`.

        Its nodes are those on paths from source to target, in topological order. Items outside x* enter on arcs from tail to
        head, items of x* leave on arcs of cost 0 from head to tail, and the nodes of x* are the hub. Items on no path have no
        arc. The potentials are minus the weights of the heaviest paths from the source. [theory T0]
        """
        theta = item_vector(weights, self, "weights")
        x, heaviest = longest_path(theta.copy(), *self._into)
        items = np.flatnonzero(self.useful_items)
        tails, heads, inside = self._places[self.tails[items]], self._places[self.heads[items]], x[items]
        # Summed as in the dynamic programme, so that no cost is negative and the best arc into each node costs exactly 0.
        costs = np.where(inside, 0.0, heaviest[heads] - (heaviest[tails] + theta[items]))
        return ExchangeGraph(
            decision=x,
            n_nodes=len(heaviest),
            tails=np.where(inside, heads, tails),
            heads=np.where(inside, tails, heads),
            costs=costs,
            entering=np.where(inside, -1, items),
            leaving=np.where(inside, items, -1),
            potentials=-heaviest,
            hub=np.concatenate((np.zeros(1, dtype=np.int64), self._places[self.heads[self._arcs(x)]])),
        )

    def _maximize_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """P_BLM by label setting in topological order; None if no path meets the budget.

        A label is the pair (reward, budget) of a path from the source. It is dropped if another label of the node dominates it,
        or if no completion can reach the budget or exceed the best known reward; this is decided by the largest remaining reward
        and budget and by Lagrangian bounds with potentials from the target. Exact for real data of any sign.

        With ratio r < 1 and rewards >= 0, a node keeps only the label of largest budget among labels whose rewards lie within
        the factor q = r^(-1/m) of each other. For each path P of k arcs to the node, it then has a label with at least P's
        budget and at least q^(-k) times its reward. Proof by induction: an arc adds the same reward >= 0 to P and to the label
        that represents P without its last arc, so the factor q^(-k+1) is preserved. A label that replaces this one loses at
        most one more factor q, and no budget. Paths have at most m arcs, so the result has at least q^(-m) = r times the largest
        reward. (If a bound drops a label, or ends the search because r times the bound is reached, the best known path is as
        good.) Groups begin at rewards a factor q apart: a node keeps at most 2 + m ln(R / p) / ln(1 / r) labels, with R the
        largest reward of a path, p the smallest positive reward of an arc, and ln(1 / r) >= 1 - r. This is interval partitioning
        (Sahni 1976; for paths Warburton 1987, Hassin 1992).
        """
        ratio = max(ratio, SMALLEST_RATIO)
        step = ratio ** (-1.0 / self.m)
        goal = budget_criterion(rewards, budgets, at_least)
        return self._best(rewards, budgets, (goal.at_least, False, goal.step), Thinning(step, 1.0), ratio)

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """P_IM by the same labels, with the tangents a + l c + 1/(4l) of a + sqrt(c) as Lagrangian bounds.

        With ratio r < 1 the path maximises ``rewards @ x + sqrt(bonuses @ x) / r`` over thinned fronts: of labels whose bonuses
        lie within the factor r^(-2/m) of each other, a node keeps the one of largest reward. By the induction of
        `_maximize_budgeted`, with the criteria exchanged, a label represents the best path with at least its reward and r^2
        times its bonus. The result is no worse than this label, so max <= rewards @ x + sqrt(bonuses @ x) / r for rewards of any
        sign. A node keeps at most 2 + (m / 2) ln(B / b) / ln(1 / r) labels, with B the largest bonus of a path and b the
        smallest positive bonus of an arc.
        """
        ratio = max(ratio, SMALLEST_RATIO)
        step = ratio ** (-2.0 / self.m)
        x = self._best(rewards, bonuses / ratio**2, (0.0, True, 0.0), Thinning(1.0, step), 1.0)
        assert x is not None  # bonuses are not negative
        return x

    def _budget_front(self, rewards: FloatArray, budgets: FloatArray) -> BoolArray:
        """The whole front by the same labels without bounds, in order of increasing budget."""
        rows, labels = pareto_paths(rewards.copy(), budgets.copy(), self._into, MAX_LABELS)
        if labels < 0:
            raise too_many_labels(MAX_LABELS, "paths", "ask for one budget at a time with maximize_budgeted")
        return rows

    def _best(
        self, rewards: FloatArray, budgets: FloatArray, wanted: tuple[float, bool, float], thinning: Thinning, enough: float
    ) -> BoolArray | None:
        rounding = ROUNDING * len(self._into[0])
        goal = Goal(*wanted, rounding * float(np.abs(rewards).max()), rounding * float(np.abs(budgets).max()))
        arcs = self._into, self._out_of
        x, labels = best_path(rewards.copy(), budgets.copy(), goal, *arcs, thinning, enough, -np.inf, MAX_LABELS)
        if labels < 0:
            raise too_many_labels(MAX_LABELS, "paths", "pass a ratio such as 0.99")
        return x if x.any() else None

    def _restricted_to(self, items: IntArray) -> Paths:
        first, last = self.nodes.index(self.source), self.nodes.index(self.target)
        return Paths(numbered_pairs(self.tails[items], self.heads[items]), first, last)

    def _compiled(self) -> CompiledOracle | None:
        arrays = (*self._into, *self._out_of, np.array([self._m]))
        return compiled_oracle(arrays, self.d, self._m, paths_linear, exchange_costs=paths_exchange_costs, cycles=paths_cycles)

    def _contains(self, x: BoolArray) -> bool:
        return bool(is_path(x, *self._ends, len(self._into[0]) - 1))

    def _arcs(self, x: BoolArray) -> IntArray:
        """Items of a path in topological order of their tails."""
        arcs = np.flatnonzero(x)
        return arcs[np.argsort(self._places[self.tails[arcs]], kind="stable")]

    @cached_property
    def _count(self) -> int:
        # Python integers: there may be more than 2^63 paths.
        ptr, heads, _ = (array.tolist() for array in self._out_of)
        onward = [0] * (len(ptr) - 2) + [1]
        for v in range(len(ptr) - 3, -1, -1):
            onward[v] = sum(onward[w] for w in heads[ptr[v] : ptr[v + 1]])
        return onward[0]


def _cycle_error(edges: EdgeList, order: IntArray) -> InvalidInputError:
    # Each node missing from the order has an arc from another such node; following these arcs backwards leads to a cycle.
    missing = np.ones(edges.n_nodes, dtype=np.bool_)
    missing[order] = False
    before = {int(v): int(u) for u, v in zip(edges.tails, edges.heads, strict=True) if missing[u]}
    v = int(np.flatnonzero(missing)[0])
    seen: dict[int, int] = {}
    walk: list[int] = []
    while v not in seen:
        seen[v] = len(walk)
        walk.append(v)
        v = before[v]
    cycle = [repr(edges.nodes[w]) for w in [*walk[seen[v] :], v][::-1]]
    if len(cycle) > LONGEST_CYCLE_SHOWN:
        half = LONGEST_CYCLE_SHOWN // 2
        cycle = [*cycle[:half], f"({len(cycle) - LONGEST_CYCLE_SHOWN} more)", *cycle[-half:]]
    return InvalidInputError(
        f"graph must be acyclic, got the cycle {' -> '.join(cycle)}: use Routes if costs are nonnegative, or drop one of its arcs"
    )


def _grouped(useful: BoolArray, ends: IntArray, other_ends: IntArray, n: int) -> ArcGroups:
    """Useful items grouped by one of their ends: pointers, other ends, items."""
    items = np.flatnonzero(useful)
    ptr, position = incidence(n, ends[items])
    items = items[position]
    return ArcGroups(ptr, other_ends[items], items)
