"""Matchings of a bipartite graph: perfect ones, those that saturate one side, the largest ones, and all."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import NamedTuple, final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._bipartite import BipartiteEdges, read_bipartite
from semibandits.decisions._labels import checked_frame
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

SATURATE = ("both", "rows", "columns", "most", "none")
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
    saturate : {"both", "rows", "columns", "most", "none"}
        Side that must be matched completely: ``"both"`` for perfect matchings, ``"none"`` for all matchings, including the
        empty one. ``"most"`` for the matchings with the largest possible number of pairs, whatever the weights are; if some pairs
        are not available in a round, for those with the largest number of pairs that are.
    row, column : str
        Columns of a frame that hold the rows and the columns of the pairs.

    Raises
    ------
    InvalidInputError
        If `edges` is malformed, empty or not bipartite, `saturate` is not one of the five values, or a side cannot be matched
        completely as required; the message then lists nodes that have too few neighbours.

    Notes
    -----
    ``maximize`` starts with the reductions of Jonker and Volgenant (Computing 38, 1987) and completes the matching by shortest
    augmenting paths. ``maximize_budgeted`` and ``maximize_index`` are exact at any ratio, by branch and bound. We know of no
    polynomial approximation for "at least" budgets on perfect matchings; the scheme of Berger, Bonifaci, Grandoni and Schaefer
    (Mathematical Programming 128, 2011) is for "at most" budgets on matchings of any size.

    Largest matchings are found in two parts (Dulmage and Mendelsohn, Canadian Journal of Mathematics 10, 1958): where rows can be
    left over, all columns are matched, and elsewhere all rows are. No pair across these parts is in a largest matching.

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

    With three couriers for two districts, as many as possible get one:

    >>> sb.Matchings([("Ann", "park"), ("Bob", "park"), ("Eve", "park"), ("Eve", "port")], saturate="most").enumerate().tolist()
    [[True, False, False, True], [False, True, False, True]]
    """

    @hinted
    def __init__(self, edges: object, saturate: str = "both", *, row: str = "row", column: str = "column") -> None:
        remedy = "'none' allows any matching, 'most' the largest ones, the others name the side that must be matched completely"
        check_choice(saturate, SATURATE, "saturate", remedy)
        self._graph = read_bipartite(as_pairs(edges, row=row, column=column))
        self._source = ItemSource.of(edges, row, column)
        self._saturate = saturate
        n_rows, n_columns = len(self.rows), len(self.columns)
        self._optional = saturate == "none"
        # The leading nodes must be matched: these columns, and the other rows, which lead if no nodes must be matched.
        self._by_column = Nodes(np.full(n_rows, saturate == "columns"), np.full(n_columns, saturate == "columns"))
        if saturate == "most":
            self._by_column = _rows_left_over(_grouped(self._graph, self._by_column))
        self._leaders = _grouped(self._graph, self._by_column)
        # Whether columns beside rows that lead may stay free.
        n_columns_beside = int(np.sum(~self._by_column.columns))
        self._columns_leave = saturate in ("rows", "none") or n_columns_beside > int(np.sum(~self._by_column.rows))
        if saturate == "both" and n_rows != n_columns:
            raise InvalidInputError(
                f"a perfect matching needs as many rows as columns, got {n_rows} rows and {n_columns} columns: pass ",
                Option("saturate", "rows" if n_rows < n_columns else "columns"),
                " to match all of these, or ",
                Option("saturate", "most"),
                " to match as many as possible",
            )
        largest, stuck = self._heaviest(np.ones(self.d))
        if len(stuck):
            raise self._hall_error(stuck)
        self._m = int(largest.sum())

    @classmethod
    @hinted
    def from_frame(cls, frame: object, saturate: str = "both", *, row: str = "row", column: str = "column") -> Matchings:
        """The same from a frame of pandas or polars with one row a pair: ``Matchings(frame, ...)``."""
        return cls(checked_frame(frame, "Matchings(pairs)"), saturate, row=row, column=column)

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
        """Side that must be matched completely: ``"both"``, ``"rows"``, ``"columns"`` or ``"none"``, or ``"most"``."""
        return self._saturate

    @property
    def best_effort(self) -> bool:
        """Whether smaller matchings are decisions if pairs are not available: for ``saturate="most"``."""
        return self._saturate == "most"

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
            fewer, more = sorted((len(self.rows), len(self.columns)))
            if self._saturate != "none":
                return math.perm(more, fewer)
            ways = total = 1  # matchings of k edges, and of at most k
            for k in range(fewer):
                ways = ways * (fewer - k) * (more - k) // (k + 1)
                total += ways
            return total
        leading, other, _ = sides(self)
        if min(leading.size, other.size) > LARGEST_SIDE_WITH_SUBSETS:
            return self._listed(limit, np.empty((0, self.d), dtype=np.bool_))
        small, large = (leading, other) if leading.size <= other.size else (other, leading)
        ptr, entries = incidence(large.size, large.nodes)
        limbs = count_matchings(
            ptr, small.nodes[entries], small.size, not large.is_matched, not small.is_matched, self._n_limbs(small)
        )
        return sum(int(limb) << LIMB_BITS * k for k, limb in enumerate(limbs))

    def count_within(self, work: int) -> DecisionCount:
        """Number of decisions within a limited amount of work; see :meth:`DecisionSet.count_within`."""
        small = min(sides(self)[:2], key=lambda side: side.size)
        is_short = small.size <= LARGEST_SIDE_WITH_SUBSETS and (self.d * self._n_limbs(small) << small.size) <= work
        if is_short or self._is_complete():
            return DecisionCount(self.count())
        rows = np.empty((0, self.d), dtype=np.bool_)
        return count_by_listing(lambda limit: self._listed(limit, rows), work, self.d * self._m)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions, one per row, shape ``(n, d)``; see :meth:`DecisionSet.enumerate`.

        They are in lexicographic order of the items at the rows (at the columns, if these must be saturated); free nodes come
        last. If largest matchings leave rows over, columns of these rows stand for them, after the other rows.
        """
        n = self._listed(limit, np.empty((0, self.d), dtype=np.bool_))
        decisions = np.zeros((n, self.d), dtype=np.bool_)
        self._listed(limit, decisions)
        return decisions

    def exchange_graph(self, weights: ArrayLike) -> ExchangeGraph:
        """Alternating cycles and paths of the heaviest matching x*; see :class:`ExchangeGraph`.

        Node p is the p-th item of x*, with its row and its column. Unless both sides must be saturated, an additional last node
        represents all free rows and columns; largest matchings may have one for free columns and another one for free rows. An
        item outside x* enters on an arc from its row's node to its column's node, and the item of x* at the tail leaves. On arcs
        without an entering item, a row becomes free (arcs to an additional node) or a column does (arcs from one), where
        `saturate` allows it. [theory T1]

        Raises
        ------
        RuntimeError
            If x* is not optimal, which is a bug in the library.
        """
        theta = item_vector(weights, self, "weights")
        x = self.maximize(theta)
        inside, outside = np.flatnonzero(x), np.flatnonzero(~x)
        pairs = np.arange(len(inside))
        rows_leave = pairs[self._optional | self._by_column.rows[self.row_index[inside]]]
        columns_leave = pairs[~self._by_column.columns[self.column_index[inside]] & self._columns_leave]
        free_column = len(inside)
        free_row = free_column + (self._columns_leave and not self._optional)
        node_of_row = np.full(len(self.rows), free_row, dtype=np.int64)
        node_of_column = np.full(len(self.columns), free_column, dtype=np.int64)
        node_of_row[self.row_index[inside]] = node_of_column[self.column_index[inside]] = pairs
        tails = np.concatenate((node_of_row[self.row_index[outside]], rows_leave, np.full(len(columns_leave), free_column)))
        heads = np.concatenate((node_of_column[self.column_index[outside]], np.full(len(rows_leave), free_row), columns_leave))
        entering = np.concatenate((outside, np.full(len(rows_leave) + len(columns_leave), -1)))
        leaving = np.append(inside, (-1, -1))[tails]
        n_nodes = free_row + (self._optional or bool(self._by_column.rows.any()))
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
        return bool(at_row.max() <= 1 and at_column.max() <= 1 and (self._optional or x.sum() == self._m))

    def _n_limbs(self, small: Side) -> int:
        """Number of limbs for the number of decisions: each node of the smaller side has one of its edges or none."""
        most: int = math.prod((np.bincount(small.nodes) + 1).tolist())
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
            Option("saturate", "most"),
            " to match as many as possible",
        )


class Nodes(NamedTuple):
    """Some rows and columns."""

    rows: BoolArray  # (n_rows,)
    columns: BoolArray  # (n_columns,)


class Leaders(NamedTuple):
    """The items that can be in a decision, grouped by leading node; fields as in :class:`Bipartite`."""

    ptr: IntArray
    others: IntArray
    items: IntArray
    n_others: int


class Side(NamedTuple):
    """The leading nodes, or the others."""

    nodes: IntArray  # (k,): the node of each item that can be in a decision
    size: int  # number of nodes
    is_matched: bool  # whether each of them is matched in every decision


def sides(matchings: Matchings) -> tuple[Side, Side, IntArray]:
    """The leading nodes, the others, and the items that can be in a decision, shape (k,)."""
    ptr, others, items, n_others = matchings._leaders
    n, is_matched = len(ptr) - 1, matchings.saturate != "none"
    leading = Side(np.repeat(np.arange(n), np.diff(ptr)), n, is_matched)
    return leading, Side(others, n_others, is_matched and n == n_others), items


def _grouped(graph: BipartiteEdges, by_column: Nodes) -> Leaders:
    """Items grouped by row, or by column where both nodes are in `by_column`; without items of which one node is in it."""
    rows, columns = by_column
    is_flipped = columns[graph.column_index]
    n_rows, n_columns = int(np.sum(~rows)), int(np.sum(~columns))  # of rows that lead, and of their columns
    row = np.where(rows, n_columns + np.cumsum(rows), np.cumsum(~rows))[graph.row_index] - 1
    column = np.where(columns, n_rows + np.cumsum(columns), np.cumsum(~columns))[graph.column_index] - 1
    used = np.flatnonzero(rows[graph.row_index] == is_flipped)
    ptr, entries = incidence(n_rows + len(columns) - n_columns, np.where(is_flipped, column, row)[used])
    items = used[entries]
    return Leaders(ptr, np.where(is_flipped, row, column)[items], items, n_columns + len(rows) - n_rows)


def _rows_left_over(leaders: Leaders) -> Nodes:
    """Rows that some largest matching leaves over, and columns of such rows, given the items by row.

    They are reached from the free rows of one largest matching by paths of items outside and inside it in turn.
    """
    from scipy.sparse import csgraph, csr_array

    ptr, others, _, n_columns = leaders
    n = len(ptr) - 1
    entries, _ = heaviest_matching(np.ones(len(others)), Bipartite(ptr, others, n_columns, True))
    free, matched = np.flatnonzero(entries < 0), np.flatnonzero(entries >= 0)
    # Node n + c is column c, and from the last node all free rows are reached.
    start = n + n_columns
    tails = np.concatenate((np.repeat(np.arange(n), np.diff(ptr)), n + others[entries[matched]], np.full(len(free), start)))
    heads = np.concatenate((n + others, matched, free))
    arcs = csr_array((np.ones(len(tails)), (tails, heads)), shape=(start + 1, start + 1))
    reached = np.zeros(start + 1, dtype=np.bool_)
    reached[csgraph.breadth_first_order(arcs, start, return_predecessors=False)] = True
    return Nodes(reached[:n], reached[n:start])


def _listing(word: str, labels: tuple[Hashable, ...], numbers: IntArray) -> str:
    """Text such as "2 rows ('a', 'b')"."""
    shown = [repr(labels[v]) for v in numbers[:MOST_LABELS_SHOWN]]
    if len(numbers) > len(shown):
        shown.append("...")
    inner = f" ({', '.join(shown)})" if shown else ""
    return f"{len(numbers)} {word}{'' if len(numbers) == 1 else 's'}{inner}"
