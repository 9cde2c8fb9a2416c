"""The Graves-Lai problem over simple paths of a graph with cycles, for costs known to be nonnegative (theory R1, R3).

The plan consists of simple paths, and its constraints are forward detours from the optimal routes (R1). Both are generated:
detours by shortest paths at a grid of prices (R2), which are columns as well, and other columns by shortest paths at prices of
the items, clipped at the least costs (R5). The lower bound holds for all walks without immediate U-turns, of which simple paths
are a part (R3). It may therefore stay below C(theta); the upper bound is the cost of an explicit plan.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, cast

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.routes import Routes
from semibandits.kernels import tiers
from semibandits.kernels.dijkstra import negative_walk, walks_through
from semibandits.regret_bound.arc_items import ArcItems
from semibandits.regret_bound.circulation import thread_pools
from semibandits.regret_bound.cycles import Cycles
from semibandits.regret_bound.enumeration import ROUNDING, Listed, program
from semibandits.regret_bound.lower_certificate import ROUNDING as SUMS_ROUNDING
from semibandits.regret_bound.lower_certificate import proved_ratio
from semibandits.regret_bound.plan import cover_rates, merged_plan
from semibandits.regret_bound.precision import gaps_below, relative_error_of
from semibandits.regret_bound.price_grid import HIGHER, PriceGrid
from semibandits.regret_bound.price_proof import least_information
from semibandits.regret_bound.problem import Bracket, Problem
from semibandits.regret_bound.rates import rates_alone, rates_shared
from semibandits.regret_bound.result import ExplorationPlan, GravesLaiResult, Progress
from semibandits.regret_bound.route_graph import RouteGraph
from semibandits.regret_bound.route_ways import RouteWays, TurnGraph

POINTS = (0.95, 0.5)
"""Where to search, between the best plan so far (0) and the solution of the linear program (1)."""
MAX_ROUNDS = 300
AT_ONCE = 20_000
"""Detours between two looks at the clock."""
FRESH = 100
"""Routes that a round adds at most."""
SHARE = 0.8
"""Share of the gap at which the best plan is proved."""
NEAR = 1.3
"""Rows of more information than this times the least are not cut."""
MAX_WALKS = 50
"""Walks that one set of prices is tried on."""
PROVED = 0.1
"""Share of the gap by which the proof of a plan may fall short of 1 nat."""
SPARE = 0.2
"""Share of the gap that a plan with fewer routes may cost more even if the gap is not reached."""
MAX_SIMPLIFIED = 5
"""Proofs of plans with fewer routes; each one that fails adds detours."""
PATIENCE = 10
"""Rounds without gain before that."""

NEGLIGIBLE = 1e-11
"""Relative error of gaps within the rounding of sums."""


class RouteSolver:
    """One solve: rounds of a linear program, prices, and searches for detours and routes.

    Of the items only those matter that are on a detour that raises could close, and that can be raised themselves.
    """

    def __init__(self, problem: Problem) -> None:
        self._start, self._problem = tiers.seconds(), problem
        self._gap, self._deadline = problem.gap, problem.deadline
        self._last_round = self._start + 0.75 * problem.limit  # the rest is for the proof
        self._routes = cast("Routes", problem.decision_set)
        self._graph = RouteGraph.of(problem, self._routes)
        self._optimal = self._graph.best
        live = np.ones(len(self._graph.items), dtype=np.bool_)
        self._ways = RouteWays(self._routes, self._graph)
        self._arcs = ArcItems.of(problem.law, problem.theta, self._graph.items, live)
        self._items = np.unique(self._graph.items[self._arcs.raising])
        self._number = np.full(self._routes.d, -1, dtype=np.int64)
        self._number[self._items] = np.arange(len(self._items))
        self._law, self._theta = problem.law.take(self._items), problem.theta[self._items]
        self._rows, self._columns, self._walks = self._listed(), self._listed(), self._listed()
        self._decisions = np.empty((0, self._routes.d), dtype=np.bool_)
        self._known: tuple[set[bytes], set[bytes]] = (set(), set())
        self._loops: dict[bytes, bool] = {}  # detours that end where they start: whether they are part of a route
        self._value, self._lower, self._rates = math.inf, 0.0, np.empty(0)
        self._best, self._estimate = np.empty(0), math.inf
        self._rounds = 0

    def _listed(self) -> Listed:
        return Listed(np.empty((0, len(self._items)), dtype=np.bool_), np.empty(0), self._theta, self._law)

    def solve(self) -> GravesLaiResult:
        """Run rounds until the gap is reached, time is up, or nothing new is found; on one thread, for equal bits anywhere."""
        with thread_pools().limit(limits=1, user_api="blas"):
            return self._solve()

    def _solve(self) -> GravesLaiResult:
        if len(self._items):
            self._add_detours(self._graph.detours(self._graph.costs[self._graph.items], 1.0, math.inf))
        if len(self._rows.gaps):
            self._iterate()
        else:
            self._value = 0.0 if self._proved(np.zeros(len(self._items)))[0] > 0.0 else math.inf
        late = tiers.seconds() > self._last_round
        if 0.0 < self._value < math.inf:
            self._simplify()
        self._account_for_rounding()
        plan = merged_plan(self._decisions[: len(self._rates)], self._rates)
        stats = {
            "rounds": self._rounds,
            "routes": len(self._columns.gaps),
            "detours": len(self._rows.gaps),
            "arcs": len(self._graph.items),
            "seconds": tiers.seconds() - self._start,
        }
        return self._problem.result(
            "columns", Bracket(self._value, self._lower, plan), self._optimal, self._graph.suboptimal, stats,
            late=late,
        )  # fmt: skip

    def _account_for_rounding(self) -> None:
        """Widen the bracket if gaps are so small, compared with routes, that they are only known up to a relative error."""
        error = relative_error_of(0.5 * self._graph.rounding, float(self._graph.gaps.min(initial=math.inf)))
        if error > NEGLIGIBLE:
            more = (1.0 - error) ** -2  # rates
            self._rates, self._value = more * self._rates, more * (1.0 + error) * self._value
            self._lower /= more * (1.0 + error)

    @cached_property
    def _turns(self) -> TurnGraph:
        return TurnGraph.of(self._ways)

    # ------------------------------------------------------------------ rounds

    def _iterate(self) -> None:
        self._value, self._rates = self._plain()
        self._best = cover_rates(self._columns.contains, self._columns.gaps, self._columns.first_rates)
        cuts, idle = self._cuts([self._best]), 0
        start = self._best
        while self._rounds < MAX_ROUNDS and tiers.seconds() <= self._last_round:
            self._rounds += 1
            before = self._estimate - self._lower
            plays = self._plays(self._best) + 1e-6 * self._plays(start)
            unit = 1.0 / np.where(plays > 0.0, plays, 1.0)
            solved = program(self._columns, cuts, unit, self._estimate, self._last_round)
            if solved is None:
                break
            rates, multipliers = solved
            new = self._price(multipliers, cuts)
            if len(self._walks.gaps):
                relaxed = _joined(self._columns, self._walks.contains, self._walks.gaps)
                solved = program(relaxed, cuts, unit, self._estimate, self._last_round)
                if solved is not None:
                    new += self._price(solved[1], cuts)
            slack = (cuts @ self._plays(rates) > NEAR) & (multipliers <= 0.0)
            best = self._padded(self._best, len(rates))
            points = [share * rates + (1.0 - share) * best for share in POINTS]
            for point in points:
                if tiers.seconds() <= self._last_round:
                    new += self._search(self._plays(point))
            cuts = np.concatenate((cuts[~slack], self._cuts([*points, best])))
            idle = 0 if self._estimate - self._lower < 0.98 * before else idle + 1
            self._report()
            if self._estimate - self._lower <= SHARE * self._gap * self._estimate < math.inf or idle >= PATIENCE:
                new = self._prove()
                if self._value - self._lower <= self._gap * self._value or not new:
                    return
                cuts, idle = np.concatenate((cuts, self._cuts([self._best]))), 0
        self._prove()

    def _plain(self) -> tuple[float, FloatArray]:
        """Cost and rates of a plan that suffices whatever items are raised together: of k items that close a gap one is raised by
        gap/k or more, and its own gap is no larger.
        """
        gaps = np.full(len(self._items), np.inf)
        on = self._arcs.raising
        np.minimum.at(gaps, self._number[self._graph.items[on]], self._graph.gaps[on])
        covered = self._rows.contains.any(axis=0)
        needs = rates_shared(self._law, self._theta, gaps, min(self._graph.n, len(self._items)))
        rates = cover_rates(self._columns.contains, self._columns.gaps, np.where(covered, needs, 0.0))
        missing = (needs > 0.0) & ~covered
        if missing.any():
            self._add_through(self._items[missing])
            covered = self._columns.contains.any(axis=0)
            rates = cover_rates(self._columns.contains, self._columns.gaps, np.where(covered, needs, 0.0))
            missing &= ~covered
        return (math.inf if missing.any() else math.fsum(rates * self._columns.gaps)), rates

    def _plays(self, rates: FloatArray) -> FloatArray:
        """Rate of each item under rates of the first columns."""
        return rates @ self._columns.contains[: len(rates)]

    @staticmethod
    def _padded(rates: FloatArray, count: int) -> FloatArray:
        return np.append(rates, np.zeros(count - len(rates)))

    def _cuts(self, points: list[FloatArray]) -> FloatArray:
        """Cuts of the rows at these rates; the best of them, scaled so that no known row is violated, is kept."""
        parts, self._estimate = [], math.inf
        needs = self._columns.first_rates
        for point in points:
            point = self._padded(point, len(self._columns.gaps))
            values, raises = self._rows.raises(self._plays(point))
            if values.min() <= 0.0:  # new rows, none of whose items are played
                missed = self._rows.contains[values <= 0.0].any(axis=0) & (self._plays(point) <= 0.0)
                point = point + cover_rates(self._columns.contains, self._columns.gaps, np.where(missed, needs, 0.0))
                values, raises = self._rows.raises(self._plays(point))
            cost, scaled = self._scaled(point, float(values.min()))
            if cost < self._estimate:
                self._estimate, self._best = cost, scaled
            near = values < NEAR * max(1.0, float(values.min()))
            parts.append(
                Listed(self._rows.contains[near], self._rows.gaps[near], self._theta, self._law).cuts(values[near], raises[near])
            )
        return np.concatenate(parts)

    def _scaled(self, rates: FloatArray, least: float) -> tuple[float, FloatArray]:
        """Cost of the rates once they are divided by their least information, and these rates; infinite if it may be 0."""
        if least <= 0.0:
            return math.inf, rates
        rates = rates * ((1.0 + ROUNDING) / least)
        return math.fsum(rates * self._columns.gaps[: len(rates)]), rates

    def _report(self) -> None:
        if self._problem.progress is not None:
            seconds = tiers.seconds() - self._start
            self._problem.progress(
                Progress(self._rounds, len(self._rows.gaps), self._lower, min(self._estimate, self._value), seconds)
            )

    # ------------------------------------------------------------------ rows and columns

    def _search(self, plays: FloatArray) -> int:
        """Add detours that these rates of items leave plausible; the number of new ones."""
        graph = self._graph
        grid = PriceGrid(self._arcs, graph.costs[graph.items], graph.gaps, self._on_arcs(plays), 1.0, graph.n)
        found = []
        for price, weights in list(zip(grid.prices, grid.weights.T, strict=True))[: -len(HIGHER)]:
            found.append(graph.detours(np.maximum(weights, 0.0), price, 1.0))
            if tiers.seconds() > self._last_round:
                break
        return self._add_detours(Cycles.joined(found), plays)

    def _on_arcs(self, plays: FloatArray) -> FloatArray:
        """Rate of the item of each arc; 0 where it cannot be raised."""
        rates = np.zeros(len(self._graph.items))
        on = self._arcs.raising
        rates[on] = plays[self._number[self._graph.items[on]]]
        return rates

    def _add_detours(self, detours: Cycles, plays: FloatArray | None = None) -> int:
        """Add detours within reach to the rows, and the routes that take them to the columns; the number of new ones.

        With rates of items, only those with less than 1 nat of information, as long as there is time.
        """
        new = 0
        for begin in range(0, len(detours), AT_ONCE):
            if plays is not None and tiers.seconds() > self._last_round:
                break
            new += self._add_some(detours.taken(np.arange(begin, min(begin + AT_ONCE, len(detours)))), plays)
        return new

    def _add_some(self, detours: Cycles, plays: FloatArray | None) -> int:
        """Add these detours, as `_add_detours` says."""
        graph = self._graph
        ptr, arcs = detours.ptr, detours.arcs
        first, last = graph.nodes[graph.tails[arcs[ptr[:-1]]]], graph.nodes[graph.heads[arcs[ptr[1:] - 1]]]
        ahead = graph.distance[last] - graph.distance[first]
        detours = detours.select((ahead > 0.0) | ((ahead == 0.0) & self._on_routes(detours, first, last)))
        table = np.zeros((len(detours), len(self._items) + 1), dtype=np.bool_)
        table[detours.rows, self._number[graph.items[detours.arcs]]] = True  # number -1: the last column
        table = table[:, :-1]
        fresh = np.array([self._is_new(row, 0) for row in table], dtype=np.bool_) & table.any(axis=1)
        detours, table = detours.select(fresh), table[fresh]
        if not len(table):
            return 0
        gaps = detours.sums(graph.reduced)
        rates = np.ones(len(self._items)) if plays is None else plays
        values, _ = Listed(table, gaps, self._theta, self._law).raises(rates)
        limit = math.inf if plays is None else 1.0
        chosen = np.flatnonzero(values < limit)
        for row in np.setdiff1d(np.arange(len(table)), chosen):
            self._known[0].discard(np.packbits(table[row]).tobytes())
        if not len(chosen):
            return 0
        self._rows = _joined(self._rows, table[chosen], gaps[chosen])
        routes = []
        for arcs in map(detours.__getitem__, chosen.tolist()):
            u, v = graph.nodes[graph.tails[arcs[0]]], graph.nodes[graph.heads[arcs[-1]]]
            routes.append(self._ways.by_detour(graph.items[arcs], int(u), int(v)))
        self._add_columns(np.array(routes))
        return len(chosen)

    def _is_new(self, row: BoolArray, pool: int) -> bool:
        key = np.packbits(row).tobytes()
        is_new = key not in self._known[pool]
        self._known[pool].add(key)
        return is_new

    def _on_routes(self, detours: Cycles, first: IntArray, last: IntArray) -> BoolArray:
        """Detours between nodes at the same distance from the source for which a simple path with their gap is found."""
        graph, gaps = self._graph, detours.sums(self._graph.reduced)
        found = np.zeros(len(detours), dtype=np.bool_)
        for k in np.flatnonzero(graph.distance[first] == graph.distance[last]).tolist():
            key = detours[k].tobytes()
            if key not in self._loops:
                x = self._ways.by_detour(graph.items[detours[k]], int(first[k]), int(last[k]))
                gap = gaps_below(self._optimal, x[None], self._problem.theta)[0] if x in self._routes else math.inf
                rounding = float(self._problem.ties.between(graph.items[detours[k]]).max())
                self._loops[key] = abs(gap - gaps[k]) <= max(rounding, graph.rounding)
            found[k] = self._loops[key]
        return found

    def _add_columns(self, decisions: BoolArray) -> int:
        """Add routes; the number of new ones."""
        gaps = gaps_below(self._optimal, decisions, self._problem.theta)
        worth = (gaps > 0.0) & decisions[:, self._items].any(axis=1)
        worth &= np.array([self._is_new(x, 1) for x in decisions], dtype=np.bool_)
        self._columns = _joined(self._columns, decisions[worth][:, self._items], gaps[worth])
        self._decisions = np.vstack((self._decisions, decisions[worth]))
        return int(worth.sum())

    # ------------------------------------------------------------------ bounds

    def _price(self, multipliers: FloatArray, cuts: FloatArray) -> int:
        """Lower bound from multipliers of the cuts, and routes that are worth more than they cost; the number of new ones."""
        y = (multipliers @ cuts) * (1.0 + SUMS_ROUNDING + self._law.rounding)
        known = self._columns.contains @ y
        if not known.any():
            return 0
        prices = np.zeros(self._routes.d)
        prices[self._items] = y
        turns = self._turns
        tails, heads, costs, arcs = turns.tails, turns.heads, turns.costs, turns.arcs
        worth = np.where(arcs >= 0, prices[self._ways.arc_items[arcs]], 0.0)
        share = float((self._columns.gaps[known > 0.0] / known[known > 0.0]).min())
        new = 0
        for _ in range(MAX_WALKS):
            if tiers.seconds() > self._deadline:
                return new
            walk, begin = negative_walk(turns.out, costs, share * worth)
            if not len(walk):
                break
            share = min(float(costs[walk].sum() / worth[walk].sum()), share * (1.0 - 1e-13))
            new += self._add_walk(walk)
        share = proved_ratio((turns.n, tails, heads, costs), worth, share, begin, float(self._rows.gaps.min()))
        self._lower = max(self._lower, math.fsum(multipliers) * share * (1.0 - SUMS_ROUNDING))
        return new + self._add_priced(prices)

    def _add_walk(self, walk: IntArray) -> int:
        """Add a closed walk that is worth more than it costs: as a route if it is a simple detour, else to the walks that
        only the lower bound has; the number of new ones.
        """
        tails, costs, arcs = self._turns.tails, self._turns.costs, self._turns.arcs
        walk = walk[::-1]
        at = np.flatnonzero(tails[walk] == 0)
        walk = np.roll(walk, -at[0]) if len(at) else walk
        arcs = arcs[walk][arcs[walk] >= 0]
        ends, graph = self._ways.ends, self._graph
        u, v = int(ends[0][arcs[0]]), int(ends[1][arcs[-1]])
        passed = np.append(ends[0][arcs], v)
        if len(at) and len(np.unique(passed)) == len(passed) and graph.distance[v] > graph.distance[u]:
            return self._add_columns(self._ways.by_detour(self._ways.arc_items[arcs], u, v)[None])
        items = self._number[self._ways.arc_items[arcs]]
        uses = np.bincount(items[items >= 0], minlength=len(self._items))
        self._walks = _joined(self._walks, uses[None], np.array([math.fsum(costs[walk])]))
        return 1

    def _add_through(self, items: IntArray) -> None:
        """Add a route through each of these items, as far as one is found by shortest paths that avoid each other."""
        tails, heads = self._ways.ends
        arcs = np.flatnonzero(np.isin(self._ways.arc_items, items)).tolist()
        found = [
            self._ways.by_separate_ways(self._ways.arc_items[[arc]], int(tails[arc]), int(heads[arc]), self._graph.costs)
            for arc in arcs
        ]
        rows = [x for x in found if x in self._routes]
        if rows:
            self._add_columns(np.array(rows))

    def _add_priced(self, prices: FloatArray) -> int:
        """Add routes whose items are worth more than their gap, from shortest ones at prices clipped at the least costs."""
        items, (tails, heads) = self._ways.arc_items, self._ways.ends
        costs = np.maximum(self._graph.costs - prices, self._routes.least)[items]
        distance, before, ahead, after = self._ways.trees_at(costs)
        values = distance[tails] + costs + ahead[heads] - math.fsum(self._graph.costs[self._optimal])
        low = np.flatnonzero(values < -1e-9 * self._graph.gaps[self._arcs.raising].min())
        if not len(low):
            return 0
        low = low[np.unique(np.round(values[low] / (1e-9 * -values[low].min())), return_index=True)[1]][:FRESH]
        decisions = self._ways.walked(*walks_through(low, tails, heads, before, after))
        gaps = gaps_below(self._optimal, decisions, self._problem.theta)
        worth = decisions @ prices > gaps
        return self._add_columns(decisions[worth]) if worth.any() else 0

    def _prove(self) -> int:
        """Scale the best rates so that they are proved to suffice; the number of new detours that they violate."""
        plays = self._plays(self._best)
        least, violated = self._proved(plays)
        cost, scaled = self._scaled(self._best, least)
        if cost < self._value:
            self._value, self._rates = cost, scaled
        return self._add_detours(_in_order(violated, self._graph), plays)

    def _simplify(self) -> None:
        """Drop routes that the gap does not need, if the plan is proved to suffice without them."""
        most = max((1.0 - ROUNDING) * self._lower / (1.0 - self._gap), (1.0 + SPARE * self._gap) * self._value)
        for _ in range(MAX_SIMPLIFIED):
            rates = self._simpler(most * (1.0 - PROVED * self._gap))
            if tiers.seconds() > self._deadline or not ((rates > 0.0) < (self._rates > 0.0)).any():
                return
            plays = self._plays(rates)
            least, violated = self._proved(plays)
            cost, scaled = self._scaled(rates, least)
            if cost <= most:
                self._value, self._rates = cost, scaled
                return
            if not self._add_detours(_in_order(violated, self._graph), plays):
                return

    def _simpler(self, most: float) -> FloatArray:
        """The rates of the plan without routes that known detours do not need at this cost, the cheapest routes first.

        The other routes on a detour that a dropped route leaves with too little information are played more.
        """
        rates = self._rates.copy()
        contains, gaps = self._columns.contains[: len(rates)], self._columns.gaps[: len(rates)]
        used = np.flatnonzero(rates)
        for k in used[np.argsort((rates * gaps)[used], kind="stable")].tolist():
            if tiers.seconds() > self._deadline:
                break
            fewer = rates.copy()
            fewer[k] = 0.0
            rows = self._rows_with(contains[k])
            values, _ = rows.raises(self._plays(fewer))
            if values.min(initial=1.0) < 0.5:
                continue
            for row in np.flatnonzero(values < 1.0):
                fewer[(contains & rows.contains[row]).any(axis=1)] /= values[row]
            if math.fsum(fewer * gaps) <= most:
                rates = fewer
        return rates

    def _rows_with(self, items: BoolArray) -> Listed:
        """The rows with any of these items."""
        on = (self._rows.contains & items).any(axis=1)
        return Listed(self._rows.contains[on], self._rows.gaps[on], self._theta, self._law)

    def least_information(self, plan: ExplorationPlan) -> float:
        """A proved lower bound on the least information about a route at the item rates of the plan, not much above 1."""
        return self._proved(plan.item_rates[self._items])[0] if len(self._items) else 1.0

    def _proved(self, plays: FloatArray) -> tuple[float, Cycles]:
        """A proved lower bound, at most 1, on the least information about a detour at these rates, and detours with less than 1.

        Detours that leave the optimal routes and come back at the same node are loops at the hub.
        """
        graph = self._graph
        rates, on = self._on_arcs(plays), self._arcs.raising
        ends = np.where(graph.is_hub, -1, np.arange(graph.n))
        tails, heads = ends[graph.tails], ends[graph.heads]
        loops = np.flatnonzero((tails == heads) & on)
        law, theta = self._arcs.take(loops).alone
        asked = rates_alone(law, theta, graph.reduced[loops])
        least = float((rates[loops][asked > 0.0] / asked[asked > 0.0]).min(initial=1.0))
        arcs = np.flatnonzero(tails != heads)
        if not on[arcs].any():
            return least, Cycles.empty()
        number = np.unique(np.concatenate((tails[arcs], heads[arcs])), return_inverse=True)[1]
        proven, met = least_information(
            number[: len(arcs)], number[len(arcs) :], graph.reduced[arcs], graph.gaps[arcs], self._arcs.take(arcs),
            rates[arcs], 1.0 - PROVED * self._gap, self._deadline, hub=0,
        )  # fmt: skip
        return min(least, proven), Cycles(met.ptr, arcs[met.arcs])


def _joined(listed: Listed, table: Any, gaps: FloatArray) -> Listed:
    """The list with more rows, in which walks may count an item more than once."""
    return Listed(np.vstack((listed.contains, table)), np.append(listed.gaps, gaps), listed.theta, listed.law)


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
