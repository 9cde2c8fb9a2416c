"""Bases of a matroid, with the base class for m-sets and spanning trees."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._labels import checked_frame, different_labels
from semibandits.decisions._matroid_oracles import matroid_oracle
from semibandits.decisions._patching import budgeted_basis
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.frames import ItemSource, column_of
from semibandits.inputs.validation import check_kind, item_vector
from semibandits.matroids import Matroid, quotas
from semibandits.matroids.counts import DecisionCount


@dataclass(frozen=True, eq=False)
class BestSwaps:
    """The optimal basis x* and the best single swap for each other item to enter (theory T2)."""

    decision: BoolArray  # (d,): x*
    leaving: IntArray  # (d,): item j_i whose replacement by item i costs least; -1 for items of x* and for loops
    gaps: FloatArray  # (d,): delta_i = weights[j_i] - weights[i] >= 0, the gap of x* - j_i + i; inf where `leaving` is -1

    def __post_init__(self) -> None:
        for array in (self.decision, self.leaving, self.gaps):
            array.setflags(write=False)


class MatroidDecisions(DecisionSet):
    """Decision sets that are the bases of a matroid.

    Notes
    -----
    ``maximize_budgeted`` with ratio r < 1 takes polynomial time for each fixed r: Lagrangian relaxation, single swaps among
    its optimal bases, and guesses of the ceil(1 / (1 - r)) largest rewards (Ravi and Goemans 1996; Hassin and Levin 2004).
    """

    def __init__(self, matroid: Matroid, items: Iterable[Hashable] | None = None) -> None:
        self._matroid = matroid
        self._d, self._m = matroid.d, matroid.rank
        if self._d == 0:
            raise InvalidInputError(f"a decision set must have items, got none in {matroid!r}: add items")
        self._labels = different_labels(items, self._d)

    @property
    def matroid(self) -> Matroid:
        """The matroid whose bases are the decisions."""
        return self._matroid

    @property
    def d(self) -> int:
        """Number of items."""
        return self._d

    @property
    def m(self) -> int:
        """Number of items in every decision: the rank of the matroid."""
        return self._m

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in order."""
        return self._matroid.items if self._labels is None else self._labels

    @property
    def labels(self) -> tuple[Hashable, ...] | None:
        """The labels that were given; None if items are named by the matroid."""
        return self._labels

    def _contains(self, x: BoolArray) -> bool:
        return int(np.count_nonzero(x)) == self._m and self._matroid.is_independent(np.flatnonzero(x))

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of decisions, by the formula of the matroid if it has one, else by listing up to `limit`.

        Raises
        ------
        TooManyDecisionsError
            If there is no formula and there are more than `limit` decisions.
        """
        known = self._matroid.count_bases()
        return len(self.enumerate(limit)) if known is None else known

    def count_within(self, work: int) -> DecisionCount:
        """Number of decisions within a limited amount of work; see :meth:`DecisionSet.count_within`."""
        return self._matroid.count_within(work)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions in lexicographic order of their items, one per row, shape ``(n, d)``.

        Raises
        ------
        TooManyDecisionsError
            If there are more than `limit` decisions; at most `limit` are built.
        """
        return self._matroid.bases(limit)

    def _maximize_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """P_BLM; below ratio 1 by patching (Ravi and Goemans 1996), in polynomial time for each fixed ratio."""
        if ratio < 1:
            return budgeted_basis(self._matroid, self.maximize, rewards, budgets, at_least, ratio)
        return super()._maximize_budgeted(rewards, budgets, at_least, ratio)

    def swaps(self, weights: ArrayLike) -> BestSwaps:
        """Best single swap for each item outside the optimal decision ``maximize(weights)``.

        Parameters
        ----------
        weights : array_like of float, shape (d,)
            Weight of each item: finite, of any sign.

        Returns
        -------
        BestSwaps
            The optimal decision, and for each item the one that leaves for it (ties go to the smaller index).

        Raises
        ------
        InvalidInputError
            If `weights` is malformed, or a swap improves on the greedy basis, which violates the matroid axioms.

        Notes
        -----
        These gaps determine the Graves-Lai problem, C(theta) = sum of 1 / delta_i for variance 1/2 [theory T2].
        """
        theta = item_vector(weights, self, "weights")
        x = self.maximize(theta)
        j = self._matroid.lightest_partners(np.flatnonzero(x), theta)
        gaps = np.where(j >= 0, theta[j] - theta, np.inf)
        self._check_optimal(j, np.arange(self._d), gaps)
        return BestSwaps(x, j, gaps)

    def exchange_graph(self, weights: ArrayLike) -> ExchangeGraph:
        """Exchange graph of the optimal decision x* = ``maximize(weights)``: a star whose two-arc cycles are the swaps.

        Node 0 is the hub; node 1 + k belongs to the k-th item i outside x* that is not a loop. For each item j of x* that can
        leave for i, an arc of cost ``weights[j] - weights[i]`` leads from the hub to this node, and i enters on one arc back, of
        cost 0. The potential of the node is ``weights[i]``, that of the hub 0.

        Raises
        ------
        InvalidInputError
            If `weights` is malformed, or a swap improves on the greedy basis, which violates the matroid axioms.

        Notes
        -----
        The fundamental circuits of x*.
        """
        theta = item_vector(weights, self, "weights")
        x = self.maximize(theta)
        members = np.flatnonzero(x)
        swaps = self._matroid.exchanges(members)[1]
        i = np.flatnonzero(swaps.any(axis=0))
        node, row = np.nonzero(swaps[:, i].T)
        j, into = members[row], i[node]
        costs = theta[j] - theta[into]
        self._check_optimal(j, into, costs)
        hub, no_item = np.zeros(len(node) + len(i), dtype=np.int64), np.full(len(i), -1, dtype=np.int64)
        nodes = np.arange(1, len(i) + 1)
        return ExchangeGraph(
            decision=x,
            n_nodes=len(i) + 1,
            tails=np.concatenate((hub[: len(node)], nodes)),
            heads=np.concatenate((node + 1, hub[: len(i)])),
            costs=np.concatenate((costs, np.zeros(len(i)))),
            entering=np.concatenate((np.full(len(node), -1, dtype=np.int64), i)),
            leaving=np.concatenate((j, no_item)),
            potentials=np.concatenate((np.zeros(1), theta[i])),
        )

    def _check_optimal(self, leaving: IntArray, entering: IntArray, costs: FloatArray) -> None:
        """Check that no swap improves on the greedy basis. It compares pairs of given weights, so there is no rounding."""
        if (costs < 0).any():
            worst = int(np.argmin(costs))
            raise InvalidInputError(
                f"greedy bases of a matroid must be optimal, got one that improves by {-costs[worst]:g} when item "
                f"{leaving[worst]} leaves for item {entering[worst]}: {self._matroid!r} is not a matroid; "
                "run semibandits.matroids.check_axioms to find the reason"
            )


@final
class MatroidBases(MatroidDecisions):
    """All bases of a matroid.

    Parameters
    ----------
    matroid : Matroid
        One of :mod:`semibandits.matroids`.
    items : sequence of hashable, length d, optional
        Different labels of the items; those of the matroid by default: edges of a graph, otherwise 0 .. d - 1.

    Raises
    ------
    InvalidInputError
        If `matroid` is not a Matroid, or has no items, or there are not d different labels.

    Notes
    -----
    The greedy algorithm is optimal on the bases of a matroid (Edmonds, Mathematical Programming 1, 1971). C(θ) has a closed
    form: docs/explanations/exchange-graph.md.

    Examples
    --------
    One article about news and two about sport:

    >>> page = sb.matroids.Partition(["news", "news", "sport", "sport", "sport"], {"news": 1, "sport": 2})
    >>> X = sb.MatroidBases(page, items=["vote", "storm", "final", "derby", "race"])
    >>> X.d, X.m, X.count()
    (5, 3, 6)
    >>> [X.items[i] for i in np.flatnonzero(X.maximize([0.9, 0.8, 0.1, 0.3, 0.2]))]
    ['vote', 'derby', 'race']
    """

    @hinted
    def __init__(self, matroid: Matroid, *, items: Iterable[Hashable] | None = None) -> None:
        check_kind(matroid, Matroid, "matroid", "use a class of semibandits.matroids")
        super().__init__(matroid, items)

    @classmethod
    @hinted
    def from_frame(
        cls,
        frame: object,
        *,
        item: str = "item",
        group: str = "group",
        capacities: int | Mapping[Hashable, int],
        size: int | None = None,
    ) -> MatroidBases:
        """Selections of rows of a frame of pandas or polars, with at most `capacities` of each group and `size` in all.

        Parameters
        ----------
        frame : frame
            One row an item.
        item : str
            Column of the labels, which must differ.
        group : str
            Column of the groups.
        capacities : int or mapping from group to int
            Maximum number of items of a group, >= 0. A mapping must contain every group that occurs.
        size : int, optional
            Number of items in a decision; by default as many as the capacities allow.

        Raises
        ------
        InvalidInputError
            If `frame` is not a frame, it has no such columns or no rows, labels are equal, or `capacities` or `size` is invalid
            (:func:`semibandits.matroids.quotas`).
        """
        frame = checked_frame(frame, "MatroidBases(sb.matroids.quotas(groups, capacities, size), items=...)")
        labels, groups = column_of(frame, item, "item"), column_of(frame, group, "group")
        result = cls(quotas(groups, capacities, size), items=labels)
        result._source = ItemSource.of(frame, item)
        return result

    def __repr__(self) -> str:
        return f"MatroidBases({self._matroid!r})"

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Basis of largest total weight, by the greedy algorithm; ties go to the smaller index.

        Raises
        ------
        InvalidInputError
            If `weights` has the wrong shape or holds NaN or infinity.
        """
        theta = item_vector(weights, self, "weights")
        return self._matroid.greedy(np.argsort(-theta, kind="stable"))

    def _compiled(self) -> CompiledOracle | None:
        return matroid_oracle(self._matroid, self._m)
