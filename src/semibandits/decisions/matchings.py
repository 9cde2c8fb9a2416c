"""Matchings of a bipartite graph: perfect matchings, matchings that saturate one side, and all matchings."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._bipartite import BipartiteEdges, read_bipartite
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle, compiled_oracle
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError, Option
from semibandits.inputs.arguments import hinted
from semibandits.inputs.frames import ItemSource, as_pairs
from semibandits.inputs.graphs import numbered_pairs
from semibandits.inputs.validation import check_choice, check_sums, item_vector
from semibandits.kernels.graphs.assignment import Bipartite, heaviest_matching
from semibandits.kernels.graphs.exchange import incidence
from semibandits.kernels.graphs.listed_matchings import LIMB_BITS, count_matchings, list_matchings
from semibandits.kernels.graphs.potentials import potentials
from semibandits.kernels.oracles.matchings import matchings_cycles, matchings_exchange_costs, matchings_linear
from semibandits.matroids._listing import too_many
from semibandits.matroids.counts import DecisionCount, count_by_listing

SATURATE = ("both", "rows", "columns", "none")
LARGEST_SIDE_WITH_SUBSETS = 20
MOST_LABELS_SHOWN = 8


@final
class Matchings(DecisionSet):
    """Matchings of a bipartite graph: sets of edges of which no two share a row or a column.

    Parameters
    ----------
    edges : sequence of (row, column), networkx Graph or MultiGraph, or frame
        The items, one row each in a frame of pandas or polars. In pairs and frames, rows and columns have separate labels: row 1
        and column 1 are different nodes. Nodes of a networkx graph are rows if their attribute ``bipartite`` is 0 and columns if
        it is 1; without the attribute the first node of each connected component is a row. Parallel edges are allowed, and so
        are edges that are in no decision.
    saturate : {"both", "rows", "columns", "none"}
        Side that must be matched completely: ``"both"`` for perfect matchings, ``"none"`` for all matchings, including the
        empty one.
    row, column : str
        Columns of a frame that hold the rows and the columns of the pairs.

    Raises
    ------
    InvalidInputError
        If `edges` is malformed, empty or not bipartite, `saturate` is not one of the four values, or a side cannot be matched
        completely as required; the message then lists nodes that have too few neighbours.

    Notes
    -----
    ``maximize`` starts with the reductions of Jonker and Volgenant (Computing 38, 1987) and completes the matching by shortest
    augmenting paths. ``maximize_budgeted`` and ``maximize_index`` are exact at any ratio, by branch and bound. We know of no
    polynomial approximation for "at least" budgets on perfect matchings; the scheme of Berger, Bonifaci, Grandoni and Schaefer
    (Mathematical Programming 128, 2011) is for "at most" budgets on matchings of any size.

    Examples
    --------
    Each courier gets one district, and each district at most one courier. Items are the pairs that are possible:

    >>> pairs = [("Ann", "park"), ("Ann", "port"), ("Bob", "park"), ("Bob", "port"), ("Bob", "mill")]
    >>> X = sb.Matchings(pairs, saturate="rows")
    >>> X
    Matchings(d=5, m=2, rows=2, columns=3, saturate='rows')
    >>> [X.items[i] for i in np.flatnonzero(X.maximize([0.9, 0.7, 0.8, 0.3, 0.2]))]
    [('Ann', 'port'), ('Bob', 'park')]
    >>> X.count()
    4
    """

    @hinted
    def __init__(self, edges: object, saturate: str = "both", *, row: str = "row", column: str = "column") -> None:
        remedy = "'none' allows any matching, the others name the side that must be matched completely"
        check_choice(saturate, SATURATE, "saturate", remedy)
        self._graph = read_bipartite(as_pairs(edges, row=row, column=column))
        self._source = ItemSource.of(edges, row, column)
        self._saturate = saturate
        self._rows_leave, self._columns_leave = saturate in ("columns", "none"), saturate in ("rows", "none")
        # The leading side must be matched; it is the rows if both or no sides must be.
        self._leaders = _grouped(self._graph, by_column=saturate == "columns")
        self._optional = saturate == "none"
        n_rows, n_columns = len(self.rows), len(self.columns)
        if saturate == "both" and n_rows != n_columns:
            raise InvalidInputError(
                f"a perfect matching needs as many rows as columns, got {n_rows} rows and {n_columns} columns: pass ",
                Option("saturate", "rows" if n_rows < n_columns else "columns"),
                " to match all of these, or ",
                Option("saturate", "none"),
            )
        largest, stuck = self._heaviest(np.ones(self.d))
        if len(stuck):
            raise self._hall_error(stuck)
        self._m = int(largest.sum())

    def __repr__(self) -> str:
        return (
            f"Matchings(d={self.d}, m={self.m}, rows={len(self.rows)}, columns={len(self.columns)}, saturate={self.saturate!r})"
        )

    @property
    def d(self) -> int:
        """Number of edges."""
        return len(self.row_index)

    @property
    def m(self) -> int:
        """Number of items in the largest decision."""
        return self._m

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each edge: (row, column), or (row, column, k) for parallel edges."""
        return self._graph.items

    @property
    def rows(self) -> tuple[Hashable, ...]:
        """Row labels; rows are numbered in this order."""
        return self._graph.rows

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Column labels; columns are numbered in this order."""
        return self._graph.columns

    @property
    def row_index(self) -> IntArray:
        """Row of each item, ints of shape (d,): item i joins ``rows[row_index[i]]`` to ``columns[column_index[i]]``."""
        return self._graph.row_index

    @property
    def column_index(self) -> IntArray:
        """Column of each item, ints of shape (d,)."""
        return self._graph.column_index

    @property
    def saturate(self) -> str:
        """Side that must be matched completely: ``"both"``, ``"rows"``, ``"columns"`` or ``"none"``."""
        return self._saturate

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Heaviest matching, by shortest augmenting paths; see :meth:`DecisionSet.maximize`.

        If no side must be saturated, only items with positive weight are chosen.
        """
        theta = item_vector(weights, self, "weights")
        x, stuck = self._heaviest(theta)
        check_sums(not len(stuck), theta)
        return x

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of decisions.

        If every row has exactly one edge to every column, a formula is used; else, if one side has at most 20 nodes, dynamic
        programming over its subsets. Otherwise decisions are listed, and only then `limit` applies.

        Raises
        ------
        TooManyDecisionsError
            If decisions must be listed and there are more than `limit`.
        """
        if self._is_complete():
            small, large = sorted((len(self.rows), len(self.columns)))
            if self._saturate != "none":
                return math.perm(large, small)
            ways = total = 1  # matchings of k edges, and of at most k
            for k in range(small):
                ways = ways * (small - k) * (large - k) // (k + 1)
                total += ways
            return total
        if min(len(self.rows), len(self.columns)) > LARGEST_SIDE_WITH_SUBSETS:
            return self._listed(limit, np.empty((0, self.d), dtype=np.bool_))
        rows_small = len(self.rows) <= len(self.columns)
        ptr, others, _, n_small = _grouped(self._graph, by_column=rows_small)
        may_leave = (self._columns_leave, self._rows_leave) if rows_small else (self._rows_leave, self._columns_leave)
        limbs = count_matchings(ptr, others, n_small, *may_leave, self._n_limbs())
        return sum(int(limb) << LIMB_BITS * k for k, limb in enumerate(limbs))

    def count_within(self, work: int) -> DecisionCount:
        """Number of decisions within a limited amount of work; see :meth:`DecisionSet.count_within`."""
        n_small = min(len(self.rows), len(self.columns))
        small = n_small <= LARGEST_SIDE_WITH_SUBSETS and (self.d * self._n_limbs() << n_small) <= work
        if small or self._is_complete():
            return DecisionCount(self.count())
        rows = np.empty((0, self.d), dtype=np.bool_)
        return count_by_listing(lambda limit: self._listed(limit, rows), work, self.d * self._m)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions, one per row, shape ``(n, d)``; see :meth:`DecisionSet.enumerate`.

        They are in lexicographic order of the items at the rows (at the columns, if these must be saturated); free nodes come
        last.
        """
        n = self._listed(limit, np.empty((0, self.d), dtype=np.bool_))
        decisions = np.zeros((n, self.d), dtype=np.bool_)
        self._listed(limit, decisions)
        return decisions

    def exchange_graph(self, weights: ArrayLike) -> ExchangeGraph:
        """Alternating cycles and paths of the heaviest matching x*; see :class:`ExchangeGraph`.

        Node p is the p-th item of x*, with its row and its column. Unless both sides must be saturated, an additional last node
        represents all free rows and columns. An item outside x* enters on an arc from its row's node to its column's node, and
        the item of x* at the tail leaves. On arcs without an entering item, a row becomes free (arcs to the last node) or a
        column does (arcs from it), where `saturate` allows it. [theory T1]

        Raises
        ------
        RuntimeError
            If x* is not optimal, which is a bug in the library.
        """
        theta = item_vector(weights, self, "weights")
        x = self.maximize(theta)
        inside, outside = np.flatnonzero(x), np.flatnonzero(~x)
        free = len(inside)
        pairs = np.arange(free)
        node_of_row = np.full(len(self.rows), free, dtype=np.int64)
        node_of_column = np.full(len(self.columns), free, dtype=np.int64)
        node_of_row[self.row_index[inside]] = node_of_column[self.column_index[inside]] = pairs
        rows_leave = pairs if self._rows_leave else pairs[:0]
        columns_leave = pairs if self._columns_leave else pairs[:0]
        tails = np.concatenate((node_of_row[self.row_index[outside]], rows_leave, np.full(len(columns_leave), free)))
        heads = np.concatenate((node_of_column[self.column_index[outside]], np.full(len(rows_leave), free), columns_leave))
        entering = np.concatenate((outside, np.full(len(rows_leave) + len(columns_leave), -1)))
        leaving = np.append(inside, -1)[tails]
        n_nodes = free + (self._rows_leave or self._columns_leave)
        padded = np.append(theta, 0.0)  # item -1 weighs nothing
        costs = padded[leaving] - padded[entering]
        pi, sound = potentials(n_nodes, tails, heads, costs)
        if not sound:
            raise RuntimeError("a matching that was found optimal can be improved: please report this with the weights")
        costs = np.maximum(costs + pi[tails] - pi[heads], 0.0)  # negative only by rounding
        return ExchangeGraph(x, n_nodes, tails, heads, costs, entering, leaving, pi)

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """P_IM, exact at any `ratio`."""
        return super()._maximize_index(rewards, bonuses, 1.0)

    def _heaviest(self, theta: FloatArray) -> tuple[BoolArray, IntArray]:
        """Heaviest matching, and leading nodes that cannot all be matched (empty if it exists)."""
        ptr, others, items, n_others = self._leaders
        entries, stuck = heaviest_matching(theta[items], Bipartite(ptr, others, n_others, self._optional))
        x = np.zeros(self.d, dtype=np.bool_)
        x[items[entries[entries >= 0]]] = True
        return x, stuck

    def _restricted_to(self, items: IntArray) -> Matchings:
        return Matchings(numbered_pairs(self.row_index[items], self.column_index[items]), self._saturate)

    def _compiled(self) -> CompiledOracle | None:
        ptr, others, items, n_others = self._leaders
        arrays = (ptr, others, items, np.array([n_others, self._optional]))
        return compiled_oracle(
            arrays, self.d, self._m, matchings_linear, exchange_costs=matchings_exchange_costs, cycles=matchings_cycles
        )

    def _contains(self, x: BoolArray) -> bool:
        at_row = np.bincount(self.row_index[x], minlength=len(self.rows))
        at_column = np.bincount(self.column_index[x], minlength=len(self.columns))
        return bool(
            at_row.max() <= 1
            and at_column.max() <= 1
            and (self._rows_leave or at_row.min() == 1)
            and (self._columns_leave or at_column.min() == 1)
        )

    def _n_limbs(self) -> int:
        """Number of limbs for the number of decisions: each node of the smaller side has one of its edges or none."""
        rows_small = len(self.rows) <= len(self.columns)
        degrees = np.bincount(self.row_index if rows_small else self.column_index)
        most: int = math.prod((degrees + 1).tolist())
        return most.bit_length() // LIMB_BITS + 1

    def _is_complete(self) -> bool:
        """Whether each row has exactly one edge to each column."""
        n_rows, n_columns = len(self.rows), len(self.columns)
        return self.d == n_rows * n_columns and len(np.unique(self.row_index * n_columns + self.column_index)) == self.d

    def _listed(self, limit: int, rows: BoolArray) -> int:
        """Number of decisions; they are written into `rows` unless it is empty."""
        found = list_matchings(*self._leaders, self._optional, limit + 1, rows)
        if found > limit:
            raise too_many(limit, None)
        return int(found)

    def _hall_error(self, stuck: IntArray) -> InvalidInputError:
        ends, labels, sides = (self.row_index, self.column_index), (self.rows, self.columns), ("row", "column")
        if self._saturate == "columns":
            ends, labels, sides = ends[::-1], labels[::-1], sides[::-1]
        neighbours = np.unique(ends[1][np.isin(ends[0], stuck)])
        return InvalidInputError(
            f"all {len(labels[0])} {sides[0]}s must be matched with ",
            Option("saturate", self._saturate),
            f", got {_listing(sides[0], labels[0], np.sort(stuck))} with only "
            f"{_listing(sides[1], labels[1], neighbours)} to share: add pairs, drop {sides[0]}s, or pass ",
            Option("saturate", "none"),
        )


def _grouped(graph: BipartiteEdges, *, by_column: bool) -> tuple[IntArray, IntArray, IntArray, int]:
    """Items grouped by node of one side: pointers, nodes on the other side, items; and the number of other nodes."""
    own, other, n, n_others = graph.row_index, graph.column_index, len(graph.rows), len(graph.columns)
    if by_column:
        own, other, n, n_others = other, own, n_others, n
    ptr, items = incidence(n, own.copy())  # kernels are recompiled for read-only arrays
    return ptr, other[items], items, n_others


def _listing(word: str, labels: tuple[Hashable, ...], numbers: IntArray) -> str:
    """Text such as "2 rows ('a', 'b')"."""
    shown = [repr(labels[v]) for v in numbers[:MOST_LABELS_SHOWN]]
    if len(numbers) > len(shown):
        shown.append("...")
    inner = f" ({', '.join(shown)})" if shown else ""
    return f"{len(numbers)} {word}{'' if len(numbers) == 1 else 's'}{inner}"
