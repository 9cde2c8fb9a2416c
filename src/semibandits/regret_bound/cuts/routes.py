"""The Graves-Lai problem over simple paths of a graph with cycles, for costs known to be nonnegative (theory R1, R3).

The plan consists of simple paths, and its constraints are forward detours from the optimal routes (R1). Both are generated:
detours by shortest paths at a grid of prices (R2), which are columns as well, and other columns by shortest paths at prices of
the items, clipped at the least costs (R5). The lower bound holds for all walks without immediate U-turns, of which simple paths
are a part (R3). It may therefore stay below C(theta); the upper bound is the cost of an explicit plan.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import cast, final

import numpy as np

from semibandits._typing import FloatArray
from semibandits.decisions.routes import Routes
from semibandits.kernels.graphs.dijkstra import negative_walk
from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.threads import one_thread
from semibandits.regret_bound.certificates.lower import ROUNDING as SUMS_ROUNDING
from semibandits.regret_bound.certificates.lower import proved_ratio
from semibandits.regret_bound.certificates.price_grid import PriceGrid
from semibandits.regret_bound.certificates.price_proof import least_information
from semibandits.regret_bound.cuts.rounds import ROUNDING, CutRounds, Listed
from semibandits.regret_bound.cuts.route_graph import RouteGraph
from semibandits.regret_bound.cuts.route_pools import Detours, RouteColumns, RouteItems
from semibandits.regret_bound.cuts.route_ways import RouteWays, TurnGraph
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.plan import cover_rates, merged_plan
from semibandits.regret_bound.precision import relative_error_of
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.rates import rates_alone, rates_shared
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult

LAST_ROUND = 0.75
"""Share of the time after which no round begins; the rest is for the proof."""
MAX_WALKS = 50
"""Walks that one set of prices is tried on."""
PROVED = 0.1
"""Share of the gap by which the proof of a plan may fall short of 1 nat."""
SPARE = 0.2
"""Share of the gap that a plan with fewer routes may cost more even if the gap is not reached."""
MAX_SIMPLIFIED = 5
"""Proofs of plans with fewer routes; each one that fails adds detours."""
NEGLIGIBLE = 1e-11
"""Relative error of gaps within the rounding of sums."""


@final
class RouteSolver(CutRounds):
    """One solve: rounds over routes, the columns, and detours, the rows, both of which are generated.

    Of the items only those matter that are on a detour that raises could close, and that can be raised themselves.
    """

    share, patience, finds_rows, near, loose = 0.8, 10, True, 1.3, 1.3

    def __init__(self, problem: Problem) -> None:
        start = tiers.seconds()
        routes = cast("Routes", problem.decision_set)
        self._graph = RouteGraph.of(problem, routes)
        self._items = RouteItems.of(problem, self._graph, routes)
        self._ways = RouteWays(routes, self._graph)
        self._pool = RouteColumns(problem.theta, self._items, self._ways)
        self._detours = Detours(problem, self._items, self._pool)
        super().__init__(self._items.nothing, self._items.nothing, problem, start, start + LAST_ROUND * problem.limit)

    def solve(self) -> GravesLaiResult:
        """Run rounds until the gap is reached, time is up, or nothing new is found; on one thread, for equal bits anywhere."""
        with one_thread():
            return self._solve()

    def _solve(self) -> GravesLaiResult:
        graph = self._graph
        if len(self._items.numbers):
            self._add(graph.detours(graph.costs[graph.items], 1.0, math.inf))
        if len(self.rows.gaps):
            self.value, self.rates = self._plain()
            self.run()
        else:
            self.value = 0.0 if self._proved(np.zeros(len(self._items.numbers)))[0] > 0.0 else math.inf
        late = self.is_late
        if 0.0 < self.value < math.inf:
            self._simplify()
        # Widen the bracket if gaps are so small, compared with routes, that they are only known up to a relative error.
        error = relative_error_of(0.5 * graph.rounding, float(graph.gaps.min(initial=math.inf)))
        if error > NEGLIGIBLE:
            more = (1.0 - error) ** -2  # rates
            self.rates, self.value = more * self.rates, more * (1.0 + error) * self.value
            self.lower /= more * (1.0 + error)
        plan = merged_plan(self._pool.decisions[: len(self.rates)], self.rates)
        stats = {
            "rounds": self.rounds,
            "routes": len(self.columns.gaps),
            "detours": len(self.rows.gaps),
            "arcs": len(graph.items),
            "seconds": tiers.seconds() - self.start,
        }
        bracket = Bracket(self.value, self.lower, plan)
        return self.problem.result("columns", bracket, graph.best, graph.suboptimal, stats, late=late)

    def _plain(self) -> tuple[float, FloatArray]:
        """Cost and rates of a plan that suffices whatever items are raised together: of k items that close a gap one is raised by
        gap/k or more, and its own gap is no larger.
        """
        items, graph = self._items, self._graph
        gaps = np.full(len(items.numbers), np.inf)
        on = items.arcs.raising
        np.minimum.at(gaps, items.position[graph.items[on]], graph.gaps[on])
        covered = self.rows.contains.any(axis=0)
        needs = rates_shared(items.law, items.theta, gaps, min(graph.n, len(items.numbers)))
        rates = cover_rates(self.columns.contains, self.columns.gaps, np.where(covered, needs, 0.0))
        missing = (needs > 0.0) & ~covered
        if missing.any():
            self._pool.add_through(items.numbers[missing])
            self._update()
            covered = self.columns.contains.any(axis=0)
            rates = cover_rates(self.columns.contains, self.columns.gaps, np.where(covered, needs, 0.0))
            missing &= ~covered
        return (math.inf if missing.any() else math.fsum(rates * self.columns.gaps)), rates

    def _update(self) -> None:
        """Take over what the pools have found."""
        self.columns, self.rows = self._pool.listed, self._detours.listed

    def _add(self, detours: Cycles, plays: FloatArray | None = None) -> int:
        """Add detours to the rows, see `Detours.add`; the number of new ones."""
        new = self._detours.add(detours, plays, self.stop_at)
        self._update()
        return new

    # ------------------------------------------------------------------ rounds

    @property
    def relaxed(self) -> Listed | None:
        """See `CutRounds.relaxed`: with the walks that only the lower bound has."""
        walks = self._pool.walks
        return self.columns.joined(walks.contains, walks.gaps) if len(walks.gaps) else None

    @cached_property
    def _turns(self) -> TurnGraph:
        return TurnGraph.of(self._ways)

    def search(self, plays: FloatArray) -> None:
        """See `CutRounds.search`: shortest detours at a grid of prices."""
        graph, items = self._graph, self._items
        grid = PriceGrid(items.arcs, graph.costs[graph.items], graph.gaps, items.on_arcs(plays), 1.0, graph.n, beyond=False)
        found = []
        for price, weights in zip(grid.prices, grid.weights.T, strict=True):
            found.append(graph.detours(np.maximum(weights, 0.0), price, 1.0))
            if self.is_late:
                break
        self._add(Cycles.joined(found), plays)

    def price(self, multipliers: FloatArray, cuts: FloatArray) -> None:
        """See `CutRounds.price`: by closed walks of negative cost at prices of the items, and shortest routes."""
        items, turns = self._items, self._turns
        y = (multipliers @ cuts) * (1.0 + SUMS_ROUNDING + items.law.rounding)
        known = self.columns.contains @ y
        if not known.any():
            return
        prices = np.zeros(self._ways.routes.d)
        prices[items.numbers] = y
        worth = np.where(turns.arcs >= 0, prices[self._ways.arc_items[turns.arcs]], 0.0)
        share = float((self.columns.gaps[known > 0.0] / known[known > 0.0]).min())
        for _ in range(MAX_WALKS):
            if tiers.seconds() > self.problem.deadline:
                self._update()
                return
            walk, begin = negative_walk(turns.out, turns.costs, share * worth)
            if not len(walk):
                break
            share = min(float(turns.costs[walk].sum() / worth[walk].sum()), share * (1.0 - 1e-13))
            self._pool.add_walk(walk, turns)
        arcs = (turns.n, turns.tails, turns.heads, turns.costs)
        share = proved_ratio(arcs, worth, share, begin, float(self.rows.gaps.min()))
        self.lower = max(self.lower, math.fsum(multipliers) * share * (1.0 - SUMS_ROUNDING))
        self._pool.add_priced(prices)
        self._update()

    # ------------------------------------------------------------------ proofs

    def prove(self) -> bool:
        """See `CutRounds.prove`: scale the best rates so that they are proved to suffice, and add detours that they violate."""
        plays = self.plays(self.best)
        least, violated = self._proved(plays)
        cost, scaled = self.columns.scaled(self.best, least)
        if cost < self.value:
            self.value, self.rates = cost, scaled
        new = self._add(_in_order(violated, self._graph), plays)
        return new > 0 and self.value - self.lower > self.problem.gap * self.value

    def _simplify(self) -> None:
        """Drop routes that the gap does not need, if the plan is proved to suffice without them."""
        most = max((1.0 - ROUNDING) * self.lower / (1.0 - self.problem.gap), (1.0 + SPARE * self.problem.gap) * self.value)
        for _ in range(MAX_SIMPLIFIED):
            rates = self._simpler(most * (1.0 - PROVED * self.problem.gap))
            if tiers.seconds() > self.problem.deadline or not ((rates > 0.0) < (self.rates > 0.0)).any():
                return
            plays = self.plays(rates)
            least, violated = self._proved(plays)
            cost, scaled = self.columns.scaled(rates, least)
            if cost <= most:
                self.value, self.rates = cost, scaled
                return
            if not self._add(_in_order(violated, self._graph), plays):
                return

    def _simpler(self, most: float) -> FloatArray:
        """The rates of the plan without routes that known detours do not need at this cost, the cheapest routes first.

        The other routes on a detour that a dropped route leaves with too little information are played more.
        """
        rates = self.rates.copy()
        contains, gaps = self.columns.contains[: len(rates)], self.columns.gaps[: len(rates)]
        used = np.flatnonzero(rates)
        for k in used[np.argsort((rates * gaps)[used], kind="stable")].tolist():
            if tiers.seconds() > self.problem.deadline:
                break
            fewer = rates.copy()
            fewer[k] = 0.0
            rows = self.rows.take((self.rows.contains & contains[k]).any(axis=1))
            values, _ = rows.raises(self.plays(fewer))
            if values.min(initial=1.0) < 0.5:
                continue
            for row in np.flatnonzero(values < 1.0):
                fewer[(contains & rows.contains[row]).any(axis=1)] /= values[row]
            if math.fsum(fewer * gaps) <= most:
                rates = fewer
        return rates

    def least_information(self, plan: ExplorationPlan) -> float:
        """A proved lower bound on the least information about a route at the item rates of the plan, not much above 1."""
        return self._proved(plan.item_rates[self._items.numbers])[0] if len(self._items.numbers) else 1.0

    def _proved(self, plays: FloatArray) -> tuple[float, Cycles]:
        """A proved lower bound, at most 1, on the least information about a detour at these rates, and detours with less than 1.

        Detours that leave the optimal routes and come back at the same node are loops at the hub.
        """
        graph = self._graph
        rates, items = self._items.on_arcs(plays), self._items.arcs
        on = items.raising
        ends = np.where(graph.is_hub, -1, np.arange(graph.n))
        tails, heads = ends[graph.tails], ends[graph.heads]
        loops = np.flatnonzero((tails == heads) & on)
        law, theta = items.take(loops).alone
        asked = rates_alone(law, theta, graph.reduced[loops])
        least = float((rates[loops][asked > 0.0] / asked[asked > 0.0]).min(initial=1.0))
        arcs = np.flatnonzero(tails != heads)
        if not on[arcs].any():
            return least, Cycles.empty()
        proven, met = least_information(
            tails[arcs], heads[arcs], graph.reduced[arcs], graph.gaps[arcs], items.take(arcs), rates[arcs],
            1.0 - PROVED * self.problem.gap, self.problem.deadline, hub=-1,
        )  # fmt: skip
        return min(least, proven), Cycles(met.ptr, arcs[met.arcs])


def _in_order(cycles: Cycles, graph: RouteGraph) -> Cycles:
    """Closed walks through the hub, found in reverse order of travel, as detours: in order, beginning at the hub."""
    parts = []
    for k in range(len(cycles)):
        arcs = cycles[k][::-1]
        at = np.flatnonzero(graph.is_hub[graph.tails[arcs]])
        if len(at):
            arcs = np.roll(arcs, -at[0])
            parts.append(Cycles(np.array([0, len(arcs)]), arcs))
    return Cycles.joined(parts)
