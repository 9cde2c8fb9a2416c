"""Intersections of two matroids: sets of items that are independent in both."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar, final

import numpy as np
from numpy.typing import NDArray

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._counting import count_common
from semibandits.decisions._labels import checked_frame, different_labels
from semibandits.decisions._matroid_oracles import intersection_oracle
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.compiled import CompiledOracle
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError
from semibandits.inputs.arguments import hinted
from semibandits.inputs.frames import ItemSource, column_of
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import check_kind, check_sums, item_vector
from semibandits.kernels.graphs.potentials import potentials
from semibandits.kernels.matroids.intersection import NEGATIVE_CYCLE, NO_PATH, Exchanges, augment, neighbours, new_paths
from semibandits.kernels.oracles.intersection import as_integers
from semibandits.kernels.search.outliers import without_outliers
from semibandits.matroids import Matroid, Partition
from semibandits.matroids._listing import too_many
from semibandits.matroids.counts import DecisionCount, count_by_listing, most_listed

T = TypeVar("T")


@final
class MatroidIntersection(DecisionSet):
    """Common independent sets of two matroids, all of the same size.

    Parameters
    ----------
    m1, m2 : Matroid
        Two matroids on the same items.
    size : int, optional
        Number of items in every decision; by default the size of a largest common independent set. With 0 the only decision
        is the empty one.
    items : sequence of hashable, length d, optional
        Different labels of the items; by default those of `m1`, or those of `m2` if the labels of `m1` are 0 .. d - 1.

    Raises
    ------
    InvalidInputError
        If `m1` or `m2` is not a Matroid, they differ in their number of items or have none, `size` is not an integer >= 0,
        there is no common independent set of that size, or there are not d different labels.

    Notes
    -----
    ``maximize_budgeted`` is exact at any ratio, by branch and bound. The approximation scheme of Berger, Bonifaci, Grandoni and
    Schäfer (2011) is for common independent sets of any size under an "at most" budget. It does not extend to sets of one
    fixed size under an "at least" budget.

    Examples
    --------
    Articles with at most one of each section and at most one of each author:

    >>> by_section = sb.matroids.Partition(["news", "news", "sport", "sport"], 1)
    >>> by_author = sb.matroids.Partition(["Ann", "Bob", "Ann", "Bob"], 1)
    >>> X = sb.MatroidIntersection(by_section, by_author)
    >>> X.m, X.count()
    (2, 2)
    >>> X.maximize([0.9, 0.8, 0.7, 0.1]).tolist()
    [False, True, True, False]
    """

    @hinted
    def __init__(self, m1: Matroid, m2: Matroid, size: int | None = None, *, items: Iterable[Hashable] | None = None) -> None:
        for name, matroid in (("m1", m1), ("m2", m2)):
            check_kind(matroid, Matroid, name, "use a class of semibandits.matroids")
        if m1.d != m2.d:
            raise InvalidInputError(
                f"m1 and m2 must have the same items, got {m1.d} and {m2.d} items: item i must be the same in both"
            )
        if m1.d == 0:
            raise InvalidInputError(f"a decision set must have items, got none in {m1!r}: add items")
        wanted = m1.d if size is None else whole_number(size, "size", remedy="pass the number of items in a decision")
        self._m1, self._m2, self._d = m1, m2, m1.d
        self._labels = different_labels(items, m1.d)
        own = m1.items if m1.items != tuple(range(m1.d)) else m2.items
        self._items = own if self._labels is None else self._labels
        largest = int(np.count_nonzero(self._heaviest(np.zeros(m1.d, dtype=np.int64), wanted)))
        if size is not None and largest < wanted:
            raise InvalidInputError(
                f"m1 and m2 must have a common independent set of size = {wanted} items, got at most {largest}: "
                "lower size, or raise capacities"
            )
        self._m = largest

    @classmethod
    @hinted
    def from_frame(
        cls,
        frame: object,
        *,
        item: str = "item",
        groups: Sequence[str] = ("group1", "group2"),
        capacities: int | Sequence[int | Mapping[Hashable, int]],
        size: int | None = None,
    ) -> MatroidIntersection:
        """Selections of rows of a frame of pandas or polars under two quotas: a limit on each group of two columns.

        Parameters
        ----------
        frame : frame
            One row an item.
        item : str
            Column of the labels, which must differ.
        groups : sequence of two str
            Columns of the groups.
        capacities : int, or sequence of two int or mappings from group to int
            Maximum number of items of a group, >= 0: one for all groups of both columns, or one entry per column. A mapping must
            contain every group that occurs in its column.
        size : int, optional
            Number of items in a decision; by default as many as the capacities allow.

        Raises
        ------
        InvalidInputError
            If `frame` is not a frame, it has no such columns or no rows, labels are equal, `groups` or `capacities` is not a
            pair, a capacity is invalid, or no selection has `size` items.
        """
        frame = checked_frame(frame, "MatroidIntersection(m1, m2, size, items=...)")
        labels = column_of(frame, item, "item")
        columns = _pair(groups, "groups", "name two columns")
        every = (capacities, capacities) if isinstance(capacities, int | np.integer) else capacities
        limits = _pair(every, "capacities", "pass an integer, or an integer or a mapping for each column")
        m1, m2 = (Partition(column_of(frame, name, "groups"), limit) for name, limit in zip(columns, limits, strict=True))
        result = cls(m1, m2, size, items=labels)
        result._source = ItemSource.of(frame, item)
        return result

    def __repr__(self) -> str:
        return f"MatroidIntersection({self._m1!r}, {self._m2!r}, size={self._m})"

    @property
    def m1(self) -> Matroid:
        """The first matroid."""
        return self._m1

    @property
    def m2(self) -> Matroid:
        """The second matroid."""
        return self._m2

    @property
    def d(self) -> int:
        """Number of items."""
        return self._d

    @property
    def m(self) -> int:
        """Number of items in every decision."""
        return self._m

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in order."""
        return self._items

    @property
    def labels(self) -> tuple[Hashable, ...] | None:
        """The labels that were given; None if items are named by the matroids."""
        return self._labels

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Common independent set of largest total weight among those of m items; see :meth:`DecisionSet.maximize`.

        The weights are first rounded to multiples of a power of two that is at most ``2**-44 * max|weights|``. Integer weights
        below 2^45 in absolute value are exact; for others the value can be ``m * 2**-44 * max|weights|`` below the maximum.

        Raises
        ------
        InvalidInputError
            If `weights` is malformed, or `m1` or `m2` turns out to violate the matroid axioms.

        Notes
        -----
        Successive shortest augmenting paths by (cost, number of arcs): after k of them the set is the heaviest one of k
        items (Lawler 1975; Schrijver 2003, Theorem 41.3).
        """
        theta = item_vector(weights, self, "weights")
        return self._best(theta)[0]

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of decisions, by a formula for two partitions with few groups and for arborescences, else by listing.

        Raises
        ------
        TooManyDecisionsError
            If decisions must be listed and there are more than `limit`.

        Notes
        -----
        Partitions: a polynomial with one variable for each group of the partition with fewer groups. Arborescences: the
        determinant of Tutte (1948).
        """
        formula = count_common(self._m1, self._m2, self._m)
        return super().count(limit) if formula is None else formula

    def count_within(self, work: int) -> DecisionCount:
        """Number of decisions within a limited amount of work; see :meth:`DecisionSet.count_within`.

        By a formula or by listing; the lower bound for too many decisions is the number of swaps of one decision.
        """
        formula = count_common(self._m1, self._m2, self._m, work)
        if formula is not None:
            return DecisionCount(formula)
        steps = self._m1.exchange_steps + self._m2.exchange_steps
        left = work - self._m * steps  # after finding a first decision
        if left < 0:
            return DecisionCount(None)
        members = np.flatnonzero(self._heaviest(np.zeros(self._d, dtype=np.int64), self._m))
        swaps = int(np.count_nonzero(self._m1.exchanges(members)[1] & self._m2.exchanges(members)[1]))
        if 0 < swaps >= most_listed(left, steps):
            return DecisionCount(None, swaps)
        return count_by_listing(lambda limit: len(self.enumerate(limit)), left, steps)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions in lexicographic order of their items, one per row, shape ``(n, d)``.

        Raises
        ------
        TooManyDecisionsError
            If there are more than `limit` decisions; the search stops as soon as this is certain.

        Notes
        -----
        The search has no dead ends: a decision is changed along shortest cycles of its exchange graph, one for each item that
        can change while the preceding items stay fixed, and each change defines a separate part of the search.
        """
        open_parts = [(self._heaviest(np.zeros(self._d, dtype=np.int64), self._m), 0)]
        rows: list[BoolArray] = []
        while open_parts:
            if len(rows) + len(open_parts) > limit:
                raise too_many(limit, None)
            x, start = open_parts.pop()
            rows.append(x)
            members = np.flatnonzero(x)
            swaps1, swaps2 = self._m1.exchanges(members)[1], self._m2.exchanges(members)[1]
            changed, items = neighbours(x, start, members, swaps1, swaps2)
            open_parts.extend(zip(changed, (items + 1).tolist(), strict=True))
        decisions = np.array(rows)
        return decisions[np.argsort(_as_bytes(np.packbits(~decisions, axis=1)))]

    def exchange_graph(self, weights: ArrayLike) -> ExchangeGraph:
        """Exchange graph of x* = ``maximize(weights)``; see :class:`ExchangeGraph`.

        Its nodes are first the items y of x*, then the *ways in*, classes of items z outside x* that can replace the same items
        y in `m1` (x* - y + z is independent), and then the *ways out*, classes of items that can replace the same y in `m2`.
        Item y leaves on the arcs from y to ways in. Item z enters on its only arc, from its way in to its way out. Arcs without
        items lead from ways out to items y. Items that can replace no y in one of the matroids have no arc.

        Raises
        ------
        InvalidInputError
            If `weights` is malformed or its sums overflow, or `m1` or `m2` turns out to violate the matroid axioms.

        Notes
        -----
        Nodes are shared by the items of a class: a cycle that visits such a node twice is the sum of two shorter
        ones, so neither the cone (T0) nor the constraints (T1, T3) change, and there are fewer arcs.
        """
        theta = item_vector(weights, self, "weights")
        check_sums(float(np.abs(theta).max()) * 4 * (self._m + 1) < np.inf, theta)
        x, usual = self._best(theta)
        integers, shift = as_integers(usual)
        members = np.flatnonzero(x)
        swaps1, swaps2 = self._m1.exchanges(members)[1], self._m2.exchanges(members)[1]
        z = np.flatnonzero(swaps1.any(axis=0) & swaps2.any(axis=0))
        replaced1, way_in = _classes(swaps1[:, z])
        replaced2, way_out = _classes(swaps2[:, z])
        k, n_in = replaced1.shape
        in_class, leaver = np.nonzero(replaced1.T)
        out_class, follower = np.nonzero(replaced2.T)
        n_nodes = k + n_in + replaced2.shape[1]
        tails = np.concatenate((leaver, k + way_in, k + n_in + out_class))
        heads = np.concatenate((k + in_class, k + n_in + way_out, follower))
        leaving, entering = np.full((2, len(tails)), -1, dtype=np.int64)
        leaving[: len(leaver)] = members[leaver]
        entering[len(leaver) : len(leaver) + len(z)] = z
        # Potentials of usual weights are large enough for worse items, which only enter.
        pi, ok = potentials(n_nodes, tails, heads, _raw_costs(integers.astype(np.float64), leaving, entering))
        if not ok:
            raise self._not_matroids()
        pi = np.ldexp(pi, -shift)
        reduced = _raw_costs(theta, leaving, entering) + pi[tails] - pi[heads]
        return ExchangeGraph(
            decision=x,
            n_nodes=n_nodes,
            tails=tails,
            heads=heads,
            costs=np.maximum(reduced, 0.0),  # negative only by the rounding of the weights
            entering=entering,
            leaving=leaving,
            potentials=pi,
        )

    def _compiled(self) -> CompiledOracle | None:
        return intersection_oracle(self._m1, self._m2, self._m)

    def _contains(self, x: BoolArray) -> bool:
        indices = np.flatnonzero(x)
        return len(indices) == self._m and self._m1.is_independent(indices) and self._m2.is_independent(indices)

    def _best(self, theta: FloatArray) -> tuple[BoolArray, FloatArray]:
        """The heaviest decision, and the weights by which it was found: those without outliers."""
        theta = theta.copy()  # kernels are recompiled for read-only arrays
        x = self._heaviest(as_integers(theta)[0], self._m)
        usual = without_outliers(theta, x, self._m)
        return (self._heaviest(as_integers(usual)[0], self._m) if usual.min() > theta.min() else x), usual

    def _heaviest(self, integers: IntArray, size: int) -> BoolArray:
        """Heaviest common independent set of `size` items, or of the largest possible size below it."""
        x, paths = np.zeros(self._d, dtype=np.bool_), new_paths(self._d)
        for _ in range(size):
            members = np.flatnonzero(x)
            first, second = (Exchanges(*matroid.exchanges(members)) for matroid in (self._m1, self._m2))
            status = augment(integers, members, first, second, x, paths, True)
            if status == NEGATIVE_CYCLE:
                raise self._not_matroids()
            if status == NO_PATH:
                break
        return x

    def _not_matroids(self) -> InvalidInputError:
        return InvalidInputError(
            f"m1 and m2 must be matroids, got exchanges that improve on an optimal set in {self._m1!r} and {self._m2!r}: "
            "run semibandits.matroids.check_axioms to find the reason"
        )


def _pair(values: Sequence[T], name: str, remedy: str) -> tuple[T, T]:
    """The two entries of a sequence."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable) or len(entries := tuple(values)) != 2:
        raise InvalidInputError(f"{name} must have two entries, got {values!r}: {remedy}")
    return entries[0], entries[1]


def _classes(columns: BoolArray) -> tuple[BoolArray, IntArray]:
    """Distinct columns, and for each column its index among them."""
    if columns.size == 0:
        return columns, np.zeros(columns.shape[1], dtype=np.int64)
    packed = np.ascontiguousarray(np.packbits(columns, axis=0).T)
    _, first, which = np.unique(_as_bytes(packed), return_index=True, return_inverse=True)
    return columns[:, first], which.astype(np.int64)


def _raw_costs(theta: FloatArray, leaving: IntArray, entering: IntArray) -> FloatArray:
    return np.where(leaving >= 0, theta[leaving], 0.0) - np.where(entering >= 0, theta[entering], 0.0)


def _as_bytes(rows: NDArray[np.uint8]) -> NDArray[np.bytes_]:
    """Each row as one string of fixed length, with the same order and equality as the rows."""
    return rows.view(f"S{rows.shape[1]}").ravel()
