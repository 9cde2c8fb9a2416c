"""Exchanges: the ways in which another decision than x* may be the best, and exact search for the one that is refuted least.

An exchange S is a set of items that enter and leave; its gap is the reward that x* loses by it. For Gaussian rewards (other laws
are in `information`) it is refuted by the plays n of the items once ``u(S) <= (gap + within)^2`` with ``u_i = 2 sigma_i^2 / n_i``
(theory I1), so that its *ratio* ``u(S) / (gap + within)^2`` matters. If the decision sought must be the best one, the simple
cycles of the exchange graph are all the exchanges that matter: u and gaps add up over the cycles of a decision, and
``sum gap^2 <= (sum gap)^2``. If it may be worse by `within` > 0, this does not hold, and the exchanges are whole decisions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, final

import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.identification.information import Information, Table, information_of
from semibandits.kernels.graphs.cycle_decomposition import decompose_into_cycles
from semibandits.kernels.graphs.exchange import arcs_of
from semibandits.kernels.machine import tiers
from semibandits.optimization.criteria import SquareRoot
from semibandits.optimization.search import PRECISION, search
from semibandits.regret_bound.certificates.worst_cycle import worst_ratio
from semibandits.regret_bound.cuts.oracle import Oracle
from semibandits.regret_bound.precision import gaps_below, refined, relative_error_of
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.timing import TimeIsUp

MAX_LISTED = 20_000
"""Number of decisions up to which they are listed."""
MAX_LABELS = 50_000_000
"""Labels of one search for the worst cycle."""
USES = 3
"""A swap is added to the master if one of its items is in fewer than this number of those added with it."""
CALLS = 2_000
"""Linear maximisations of one search for the worst decision."""
SLACK = 0.1
"""A decision is searched for whose ratio exceeds the largest one known by more than this share of the gap."""


class Exchange(NamedTuple):
    """Items that enter or leave together, and the reward that is lost by it."""

    items: IntArray  # ascending
    gap: float


class Worst(NamedTuple):
    """Result of a search for the largest ratio."""

    ratio: float  # no exchange has a larger ratio; inf if that was not proved in time
    exchanges: list[Exchange]  # exchanges of large ratio


class Rows:
    """The exchanges known so far, each once."""

    def __init__(self, d: int, within: float) -> None:
        self._d, self._within = d, within
        self._known: dict[bytes, Exchange] = {}

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._known.values())

    def add(self, exchanges: Iterable[Exchange]) -> int:
        """Add exchanges; return how many of them are new."""
        before = len(self)
        for one in exchanges:
            self._known.setdefault(one.items.tobytes(), one)
        return len(self) - before

    @property
    def table(self) -> Table:
        """All of them, in the order in which they were added."""
        ptr = np.cumsum([0, *(len(one.items) for one in self)])
        items = np.concatenate([np.empty(0, dtype=np.int64), *(one.items for one in self)])
        contains = sparse.csr_array((np.ones(len(items)), items, ptr), shape=(len(self), self._d))
        return Table(contains, np.array([one.gap for one in self]) + self._within)


class Exchanges(ABC):
    """The exchanges of one problem: some to start with, and the one of largest ratio."""

    def __init__(self, problem: Problem, within: float) -> None:
        self.problem, self.within = problem, within
        self.oracle = Oracle(problem.decision_set, problem.theta)
        self.decision = self.oracle.optimal  # x*

    @cached_property
    def information(self) -> Information:
        """What plays say against exchanges, and the worst ones."""
        return information_of(self.problem, self.decision, self.within)

    @cached_property
    def variants(self) -> BoolArray:
        """The best decision with each item outside x*, and without each item of x*, as far as there is one, and x*."""
        found, theta = [self.decision], self.problem.theta
        for item in range(len(theta)):
            if tiers.seconds() > self.problem.set_up_by:
                raise TimeIsUp
            x = self.oracle.best_unlike(self.decision, theta, item)
            if x is not None:
                found.append(x.copy())
        return np.unique(np.array(found), axis=0)

    def of_decisions(self, decisions: BoolArray) -> list[Exchange]:
        """The exchanges that lead from x* to these decisions, shape (n, d)."""
        gaps = gaps_below(self.decision, decisions, self.problem.theta)
        pairs = zip(decisions != self.decision, gaps.tolist(), strict=True)
        return [Exchange(np.flatnonzero(differ), gap) for differ, gap in pairs if differ.any()]

    def start(self) -> list[Exchange]:
        """Exchanges that contain each item that is in some exchange."""
        return self.of_decisions(self.variants)

    @abstractmethod
    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """The largest ratio at plays, shape (d,), inf for items in no exchange. Ratios below `at_least` need not be found."""


@final
class Swaps(Exchanges):
    """All single swaps out of the best basis of a matroid."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, 0.0)
        assert isinstance(problem.decision_set, MatroidDecisions)
        members = np.flatnonzero(self.decision)
        row, self._entering = np.nonzero(problem.decision_set.matroid.exchanges(members)[1])
        self._leaving = members[row]
        self._gaps = np.maximum(problem.theta[self._leaving] - problem.theta[self._entering], 0.0)
        pairs = np.sort(np.column_stack((self._entering, self._leaving)), axis=1).ravel()
        ptr = np.arange(0, len(pairs) + 1, 2)
        self._table = Table(sparse.csr_array((np.ones(len(pairs)), pairs, ptr), shape=(len(row), len(self.decision))), self._gaps)

    def _exchange(self, k: int) -> Exchange:
        return Exchange(np.sort(np.array([self._entering[k], self._leaving[k]])), float(self._gaps[k]))

    def _first_of_each_item(self, order: IntArray, most: int) -> list[Exchange]:
        """Swaps in this order, each with an item that is in fewer than `most` of those before."""
        uses, taken = np.zeros(len(self.decision), dtype=np.int64), []
        for k in order.tolist():
            i, j = self._entering[k], self._leaving[k]
            if uses[i] < most or uses[j] < most:
                uses[i] += 1
                uses[j] += 1
                taken.append(self._exchange(k))
        return taken

    def start(self) -> list[Exchange]:
        """The swaps of smallest gap, with every item that can enter or leave."""
        return self._first_of_each_item(np.argsort(self._gaps, kind="stable"), 1)

    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """See `Exchanges.worst`."""
        ratios = self.information.ratios(self._table, plays)
        above = np.flatnonzero(ratios > at_least)
        order = above[np.argsort(-ratios[above], kind="stable")]
        return Worst(float(ratios.max(initial=0.0)), self._first_of_each_item(order, USES))


class Cycles(Exchanges):
    """The simple cycles of an exchange graph."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, 0.0)
        given = problem.decision_set.exchange_graph(problem.theta)
        self.graph, self._lack = refined(given, problem.theta, problem.ties)
        self.decision = self.graph.decision
        graph = self.graph
        self._arcs = arcs_of(graph.n_nodes, graph.tails, graph.heads)
        entering, leaving = np.flatnonzero(graph.entering >= 0), np.flatnonzero(graph.leaving >= 0)
        items = np.concatenate((graph.entering[entering], graph.leaving[leaving]))
        self._arc_of: IntArray | None = None  # the only arc of each item, if there is one
        if len(np.unique(items)) == len(items):
            self._arc_of = np.full(len(self.decision), -1, dtype=np.int64)
            self._arc_of[items] = np.concatenate((entering, leaving))

    def exchange(self, arcs: IntArray) -> Exchange:
        """The exchange along a cycle, with its gap as an exact sum."""
        on = np.concatenate((self.graph.entering[arcs], self.graph.leaving[arcs]))
        items, theta = np.unique(on[on >= 0]), self.problem.theta
        lost = np.where(self.decision[items], theta[items], -theta[items])
        return Exchange(items, math.fsum(lost))

    def of_decisions(self, decisions: BoolArray) -> list[Exchange]:
        """The cycles of each decision, if the arcs of its items are closed walks; otherwise all its items together."""
        found, graph = [], self.graph
        for x in decisions:
            differ, cycles = x != self.decision, []
            if self._arc_of is not None:
                flow = np.zeros(graph.n_arcs)
                flow[self._arc_of[differ]] = 1.0
                _, ptr, arcs = decompose_into_cycles(flow, graph.tails, graph.heads, self._arcs.out_ptr, self._arcs.out_arcs)
                cycles = [self.exchange(arcs[begin:end]) for begin, end in pairwise(ptr.tolist())]
            is_whole = sum(len(one.items) for one in cycles) == np.count_nonzero(differ)
            found.extend(cycles if is_whole else super().of_decisions(x[None]))
        return found

    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """See `Exchanges.worst`."""
        deadline, u = self.problem.deadline, 2.0 * self.problem.variance / plays
        found = worst_ratio(self.graph, u, at_least=at_least, max_labels=MAX_LABELS, deadline=deadline, leaving=True)
        exchanges = [self.exchange(cycle) for cycle in found.cycles]
        error = self.error_of(min((one.gap for one in exchanges), default=math.inf))
        return Worst(found.ratio / (1.0 - error) ** 2, exchanges)

    def error_of(self, least_gap: float) -> float:
        """Relative error of the costs of cycles of at least this gap."""
        return relative_error_of(self._lack, least_gap) if self._lack else 0.0


@final
class Listed(Exchanges):
    """All other decisions, in a list."""

    def __init__(self, problem: Problem, within: float) -> None:
        self._listed = problem.decision_set.enumerate(MAX_LISTED)
        super().__init__(problem, within)
        others = self._listed[(self._listed != self.decision).any(axis=1)]
        self._gaps = gaps_below(self.decision, others, problem.theta)
        self._table = Table(sparse.csr_array((others != self.decision).astype(np.float64)), self._gaps + within)

    @cached_property
    def variants(self) -> BoolArray:
        """All decisions."""
        return self._listed

    def start(self) -> list[Exchange]:
        """For each item the decision of smallest gap that differs in it."""
        rows = self._table.contains.tocsc()
        first = {int(k[np.argmin(self._gaps[k])]) for k in np.split(rows.indices, rows.indptr[1:-1]) if len(k)}
        return [self._exchange(k) for k in sorted(first)]

    def _exchange(self, k: int) -> Exchange:
        differ = self._table.contains
        items = differ.indices[differ.indptr[k] : differ.indptr[k + 1]]
        return Exchange(np.sort(items).astype(np.int64), float(self._gaps[k]))

    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """See `Exchanges.worst`."""
        ratios = self.information.ratios(self._table, plays)
        order = np.argsort(-ratios, kind="stable")[: len(plays)]
        return Worst(float(ratios.max(initial=0.0)), [self._exchange(k) for k in order[ratios[order] > at_least].tolist()])


@final
class Searched(Exchanges):
    """Decisions found by branch and bound with P_LM alone.

    No decision has a ratio above rho iff ``max over x of sqrt(u(S) / rho) - gap_x <= within``, a problem of the index kind (P_IM)
    with an offset, since u(S) is that of all items of x* minus that of those that stay, plus that of those that enter. If a
    decision is found that has a larger ratio, rho becomes a little more than this ratio (Dinkelbach). Without `within`, x* itself
    has the largest value; then the decisions with each item outside x*, or without each item of x*, are searched apart.
    """

    def __init__(self, problem: Problem, within: float) -> None:
        super().__init__(problem, within)
        self._slack = SLACK * problem.gap
        self._parts: list[tuple[IntArray | None, float]] = [(None, within)]  # forced items, and the least gap + within
        if within * self._slack <= PRECISION * problem.decision_set.m * float(np.abs(problem.theta).max()):
            self._parts = list(self._parts_by_item())

    def _parts_by_item(self) -> Iterator[tuple[IntArray, float]]:
        """The decisions that differ from x* in an item and in none of those before, items of large gap first."""
        differ = self.variants != self.decision
        gaps = gaps_below(self.decision, self.variants, self.problem.theta)
        least = np.where(differ, gaps[:, None], math.inf).min(axis=0)
        stay = np.where(self.decision, 1, -1)
        forced = np.zeros(len(stay), dtype=np.int64)
        for item in np.argsort(-least, kind="stable"):
            if math.isfinite(least[item]):
                part = forced.copy()
                part[item] = -stay[item]
                yield part, float(least[item]) + self.within
            forced[item] = stay[item]

    def worst(self, plays: FloatArray, at_least: float) -> Worst:
        """See `Exchanges.worst`."""
        u, found = 2.0 * self.problem.variance / plays, list[Exchange]()
        rho = (1.0 + self._slack) * at_least
        for forced, least in self._parts:
            while True:
                try:
                    bound, x = self._largest(u / rho, forced)
                except TimeIsUp:
                    return Worst(math.inf, found)
                one = [] if x is None else self.of_decisions(x[None])
                ratio = max((float(u[e.items].sum()) / (e.gap + self.within) ** 2 for e in one), default=0.0)
                if ratio <= rho:
                    break
                found.extend(one)
                rho = (1.0 + self._slack) * ratio
            # sqrt(u(S) / rho) <= bound + gap for all decisions of the part, whose gap + within is at least `least`.
            rho *= (1.0 + max(bound - self.within, 0.0) / least) ** 2
        return Worst(rho, found)

    def _maximize(self, weights: FloatArray) -> BoolArray:
        """P_LM, until time is up."""
        if tiers.seconds() > self.problem.deadline:
            raise TimeIsUp
        return self.problem.decision_set.maximize(weights)

    def _largest(self, u: FloatArray, forced: IntArray | None) -> tuple[float, BoolArray | None]:
        """An upper bound on ``sqrt(u(S)) - gap`` in a part, at least `within`, and a decision that exceeds `within`."""
        theta, m = self.problem.theta, self.problem.decision_set.m
        signed, best = np.where(self.decision, -u, u), math.fsum(theta[self.decision])
        found = search(
            self._maximize, theta, signed, SquareRoot(float(u[self.decision].sum())), m, most=CALLS,
            forced=forced, above=best + self.within,
        )  # fmt: skip
        return found.bound - best + PRECISION * (m * float(np.abs(theta).max()) + abs(found.bound)), found.decision
