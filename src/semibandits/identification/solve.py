"""`identification_time`: validate the input, solve the master problem over more and more exchanges, certify the bracket."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np

from semibandits._typing import ArrayLike, FloatArray
from semibandits.decisions.base import DecisionSet, check_decision_set
from semibandits.decisions.constants import without_constants
from semibandits.decisions.lists import Decisions
from semibandits.decisions.matroid_intersections import MatroidIntersection
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.decisions.polytopes import Polytope, decomposed, mixtures, polytope
from semibandits.decisions.routes import FEW, Routes
from semibandits.decisions.signs import warn_of_signs
from semibandits.errors import InvalidInputError, SolverError, UnsupportedError
from semibandits.identification.exchanges import MAX_LISTED, Cycles, Exchange, Exchanges, Listed, Rows, Searched, Swaps
from semibandits.identification.law_searches import ByEvidence, CyclesByPrices
from semibandits.identification.master import Mixture, fewest_rounds
from semibandits.identification.result import HARDEST, IdentificationTime, SamplingPlan
from semibandits.inputs.arguments import hinted
from semibandits.inputs.costs import item_means
from semibandits.inputs.labelled import in_item_order
from semibandits.inputs.validation import number_in
from semibandits.kernels.machine import tiers
from semibandits.kernels.machine.threads import one_thread
from semibandits.laws import Gaussian, Law
from semibandits.laws.gaussian import DEFAULT_VARIANCE
from semibandits.laws.mixed import Exchanged
from semibandits.regret_bound.cuts.oracle import NOTHING
from semibandits.regret_bound.plan import merged_plan
from semibandits.regret_bound.problem import Problem, Units, check_precision
from semibandits.regret_bound.raises import check_convex, room
from semibandits.regret_bound.result import Status
from semibandits.regret_bound.solve import check_size, law_of
from semibandits.regret_bound.timing import TimeIsUp

MAX_ROUNDS = 200
MAX_LISTED_WITH_LAWS = 2_000
"""Number of decisions up to which they are listed, for laws other than Gaussian, whose information takes longer."""
WORK = 20_000_000
"""Elementary steps in which decisions are counted."""
ACCURACIES = (1e-7, 1e-9, 1e-6, 1e-8)
"""Tolerances of the conic solver. The next one is used when rounds no longer help; the last one is for laws other than Gaussian,
whose items may need no plays at all: then hardly any are asked for."""
LAST = len(ACCURACIES) - 1
PATIENCE = 3

TIE = 1e-12
"""Rewards that differ by this share of a mean are equal."""
MARGIN = 0.1
"""Share of the gap that may be spent on plays of items whose exchanges are no constraint yet, so that they become none."""
POINTS = (0.1, 0.5)
"""Shares of the best plays so far in the points at which more exchanges are searched for."""
LEAST = 1e-2
"""Plays of an item below this share of the gap, divided by the number of items, count as this share: they cost as little."""
NOISE = 1e-4
"""Decisions played in less than this share of the gap, divided by their number, are left out of the plan."""


@hinted
def identification_time(
    decision_set: DecisionSet,
    theta: ArrayLike | None = None,
    *,
    costs: ArrayLike | None = None,
    variance: ArrayLike = DEFAULT_VARIANCE,
    law: Law | str | None = None,
    confidence: float = 0.95,
    within: float = 0.0,
    gap: float = 1e-3,
    time_limit: float | None = None,
    throw: bool = True,
    tie_tolerance: float = 1e-12,
) -> IdentificationTime:
    """How many rounds it takes to be sure of the best decision, how to spend them, and what makes it hard.

    Parameters
    ----------
    decision_set : DecisionSet
        The set X of decisions.
    theta : array_like of float, shape (d,)
        Mean reward of each item: finite, of any sign. Also a mapping or Series by item.
    costs : array_like of float, shape (d,), optional
        Mean cost of each item instead of `theta`: rewards are minus costs.
    variance : float or array_like, shape (d,)
        Variance of the rewards of each item, > 0, in squared rewards.
    law : Law or str, optional
        The law of the rewards instead of `variance`, also as text, such as "bernoulli": see :mod:`semibandits.laws`. A law of
        your own must be an exponential family, as those of the library are.
    confidence : float
        Probability with which the decision must be right, in (0.5, 1).
    within : float
        By how much the decision sought may be worse than the best one, >= 0, in the unit of the rewards. With 0 it must be the
        best one; if another decision ties with it, no number of rounds is enough.
    gap : float
        Relative width of the bracket to reach, in (0, 1).
    time_limit : float, optional
        Seconds after which the solver stops with the bracket that it has.
    throw : bool
        Whether to raise SolverError if the gap is not reached. Otherwise see the status of the result.
    tie_tolerance : float
        Decisions tie if their rewards differ by at most this, relative to m times the means of items, see `graves_lai`.

    Returns
    -------
    IdentificationTime
        With ``lower <= T*(theta) <= value``, both proved outside the conic solver, and the plan.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `theta` and `costs` is given, or if an argument is invalid.
    SolverError
        If the gap is not reached and `throw` is true. Its attribute `result` holds the result.
    UnsupportedError
        For more than 2,000 `Routes`: the largest price of a route cannot be computed, so that no lower bound is known. For gamma
        rewards if a mean must more than double for another decision to be the best one, as for `graves_lai`; matroids apart.

    Warns
    -----
    LongestPathWarning
        If the decisions are paths and all mean rewards are positive.
    EmptyDecisionWarning
        If no mean reward is positive, and the best decision has no items.

    Notes
    -----
    T*(theta) is the characteristic time: a rule that stops and names a decision, which is wrong with
    probability at most delta whatever the means are, needs at least ``T*(theta) kl(delta, 1 - delta)`` rounds on average
    (Garivier, Kaufmann, COLT 2016). It is the fewest rounds N, over plays n in N conv(X), at which
    ``sum over the items of C of 2 sigma_i^2 / n_i <= gap_C^2`` for each simple cycle C of the exchange graph, items that leave
    included (theory I1). With `within` it is that of rules that name x*, and C runs over the decisions, with
    ``(gap + within)^2`` on the right. The bracket: weak duality with one linear maximisation, and the plan times its largest
    ratio, found by exact search (theory I2, I3). With other laws the cheapest changes of means that close the gap must cost 1 nat
    at the plays: entering items are raised, leaving ones lowered. Each round solves the problem of Gaussian rewards that has the
    same information and slope at the last plays, with variances of their own for each exchange; weak duality then uses the
    divergences of those changes. Routes are listed, and their least costs are not used.

    Examples
    --------
    >>> time = sb.identification_time(sb.MSets(4, 2), [0.9, 0.8, 0.5, 0.3], variance=0.25, confidence=0.95)
    >>> f"{time.least_rounds:.0f} rounds at least, on average"
    '38 rounds at least, on average'
    >>> for items, share in zip(time.plan.items, time.plan.shares, strict=True):
    ...     print(f"{items.tolist()} in {share:.0%} of the rounds")
    [1, 2] in 53% of the rounds
    [0, 1] in 21% of the rounds
    [2, 3] in 17% of the rounds
    [0, 2] in 8% of the rounds
    """
    check_decision_set(decision_set)
    means, in_costs = item_means(theta, costs, decision_set), costs is not None
    decision_set.check_means(means, in_costs=in_costs)
    warn_of_signs(decision_set, means, in_costs=in_costs, stacklevel=3)
    number_in(confidence, "confidence", 0.5, 1.0, "0.95 allows one error in twenty", ends="()")
    number_in(within, "within", 0.0, math.inf, "it is the loss that does not matter, in the unit of the rewards")
    check_precision(gap, time_limit, tie_tolerance)
    known = law_of(means, in_item_order(variance, decision_set, "variance"), "gaussian", law, in_costs=in_costs)
    limit = math.inf if time_limit is None else float(time_limit)
    given = Problem(decision_set, means.copy(), known, tie_tolerance, gap, limit)
    problem = replace(given, decision_set=_listed(decision_set))
    if isinstance(given.law, Gaussian):
        problem = replace(problem, theta=without_constants(decision_set, given.theta))
    if 0.0 < within <= problem.ties.share * problem.ties.best:
        raise InvalidInputError(
            "within must be 0 or above the rounding of the reward of the best decision, about "
            f"{problem.ties.share * problem.ties.best:.1g}, got {within:g}: losses as small cannot be told from 0"
        )
    units = Units.of(problem) if given.law.is_quadratic else Units(0, 0)
    if given.law.is_quadratic:
        units = replace(units, reward=max(units.reward, int(np.frexp(within)[1])) if within > 0.0 else units.reward)
        problem = units.scaled(problem)
    else:
        check_size(given.theta, given.law)
    solver = _Solver(problem, float(np.ldexp(within, -units.reward)))
    with one_thread():
        solver.run()
    with np.errstate(over="ignore", under="ignore"):
        bounds = np.ldexp([solver.value, solver.lower], units.variance - 2 * units.reward)
    if (np.isfinite(bounds) != np.isfinite([solver.value, solver.lower])).any() or (solver.value > 0.0 and bounds[0] == 0.0):
        raise InvalidInputError(
            "theta and variance must be of a size at which rounds, 2 * variance / gap^2, are floating-point numbers, got "
            f"rewards up to {np.abs(means).max():g} and variances up to {given.variance.max():g}: choose another unit"
        )
    value, lower = bounds.tolist()
    reached = value == lower or value - lower <= gap * value < math.inf
    result = IdentificationTime(
        value=value,
        lower=lower,
        status=Status.of(reached=reached, late=tiers.seconds() > problem.deadline),
        confidence=confidence,
        within=within,
        plan=SamplingPlan(solver.plan.items, solver.plan.shares, decision_set),
        optimal_decision=solver.decision,
        decision_set=decision_set,
        theta=given.theta,
        variance=given.variance,
        law=known,
        stats={"rounds": solver.rounds, "exchanges": len(solver.rows), "seconds": tiers.seconds() - given.start},
        _hardest=solver.hardest,
    )
    if throw and not reached:
        if len(result.plan) and not (within == 0.0 and isinstance(decision_set, MatroidDecisions)):
            exchanged, raised = Exchanged.of(known, means, solver.decision)
            check_convex(exchanged, raised, value * result.plan.item_shares, np.arange(len(means)))
        raise SolverError(
            f"the relative gap must be at most {gap:g}, reached {result.gap:.2g} ({result.status}): "
            f"{lower:.6g} <= T*(theta) <= {value:.6g}; allow {'more time or ' if result.status is Status.TIME_LIMIT else ''}a "
            "larger gap; in Python, throw=False returns this bracket",
            result,
        )
    return result


class _Solver:
    """One solve: exchanges and, if the decisions have no compact description, decisions are added until the bracket closes."""

    def __init__(self, problem: Problem, within: float) -> None:
        self.problem, self.within = problem, within
        self.decision = problem.decision_set.maximize(problem.theta.copy())  # x*
        self.rows = Rows(problem.decision_set.d, within)
        self.value, self.lower, self.rounds = 0.0, 0.0, 0
        self.hardest: tuple[tuple[Exchange, float], ...] = ()
        self.multipliers, self.prices = np.empty(0), np.empty(0)  # those that prove the lower bound
        self.plan = SamplingPlan(Decisions.empty(problem.decision_set.d), np.empty(0), problem.decision_set)
        self._free = np.empty(0, dtype=np.bool_)  # items in no exchange
        self._hull, self._columns = _description(problem.decision_set), np.empty((0, problem.decision_set.d), dtype=np.bool_)

    def run(self) -> None:
        """Find the bracket and the plan; both bounds are inf if a decision ties with the best one.

        If time is up before the exchanges are set up, nothing is known.
        """
        try:
            self.exchanges = exchanges_of(self.problem, self.within)
            start = self.exchanges.start()
            if self._hull is None:
                self._columns = self.exchanges.variants
        except TimeIsUp:
            self.value = math.inf
            return
        self.decision = self.exchanges.decision
        self.rows.add(start)
        self._free = self.rows.table.contains.sum(axis=0) == 0
        tied = [one for one in start if self.within == 0.0 and one.gap <= self._tie(one)]
        if tied:
            self.value = self.lower = math.inf
            self.hardest = ((min(tied, key=lambda one: one.gap), 1.0),)
        elif start and not self._is_known():
            self.value = math.inf
            self._close()

    def _is_known(self) -> bool:
        """Whether the law excludes that another decision is good enough, even if all means are as far away as they can be."""
        law, means = Exchanged.of(self.problem.law, self.problem.theta, self.decision)
        rooms = room(law, means)
        if not np.isfinite(rooms[~self._free]).all():
            return False
        furthest = self.problem.theta + np.where(self._free, 0.0, np.where(self.decision, -rooms, rooms))
        x = self.exchanges.oracle.best(furthest)
        return math.fsum(furthest[x]) - math.fsum(furthest[self.decision]) <= self.within + TIE * float(np.abs(furthest).max())

    def _tie(self, one: Exchange) -> float:
        """Largest gap at which an exchange counts as a tie."""
        ties = self.problem.ties
        return ties.share * max(float(ties.sizes[one.items].max()), ties.best)

    def _close(self) -> None:
        """Rounds of the master problem, until the plan is proved good enough."""
        gap, level, idle = self.problem.gap, 0, 0
        levels = LAST if self.problem.law.is_quadratic else len(ACCURACIES)
        information, best, estimate = self.exchanges.information, np.empty(0), math.inf
        first = self._first_plays()
        first = np.maximum(first, LEAST * gap * first.max())
        near, plays, most, least = first, first, math.inf, LEAST * gap / len(first)
        while True:
            self.rounds += 1
            hull = mixtures(self._columns) if self._hull is None else self._hull
            weights = information.weights(self.rows.table, plays)
            # Plays are at least the square root of this. Gaussian items need more anyway, items of other laws perhaps none.
            needs = first if level < LAST else np.minimum(first, most)
            margin = (MARGIN * gap if level < LAST else (MARGIN * gap) ** 2 / len(first)) * needs
            mixture = fewest_rounds(hull, weights, near, margin, ACCURACIES[level], self.problem.deadline)
            if mixture.rounds > 0.5 * self.lower:  # a failed solve has no rounds
                most = min(most, mixture.rounds)  # a round plays an item at most once
            plays = np.maximum(mixture.plays, least * max(mixture.rounds, needs.max()))
            before = estimate - self.lower
            fresh = self._bound(mixture, plays)
            ratio, found = self._worst(plays)
            points = [(mixture.rounds, plays, ratio)] if mixture.rounds > 0.5 * self.lower else []
            fresh |= found
            if points and ratio > 1.0 + 0.3 * gap and len(best):
                known = best * (mixture.rounds / estimate)
                for share in POINTS:
                    between = (1.0 - share) * plays + share * known
                    ratio, found = self._worst(between)
                    fresh |= found
                    points.append((mixture.rounds, between, ratio))
            for rounds, point, ratio in points:
                if rounds * ratio < estimate:
                    estimate, best = rounds * ratio, ratio * point
            if estimate - self.lower <= 0.5 * gap * estimate < math.inf and self._finish(hull, mixture, plays):
                return
            near = np.minimum(best, np.maximum(plays, 1e-2 * best)) if len(best) else plays
            idle = 0 if fresh or estimate - self.lower < 0.98 * before else idle + 1
            if idle >= PATIENCE:
                level, idle = level + 1, 0
                if level == LAST and self._finish(hull, mixture, plays):
                    return
            if self.rounds == MAX_ROUNDS or level == levels or tiers.seconds() > self.problem.deadline:
                self._finish(hull, mixture, plays)
                return

    def _first_plays(self) -> FloatArray:
        """Plays of the right size: for each item the most that one of its exchanges needs if plays are free."""
        table = self.rows.table
        roots = np.sqrt(self.exchanges.information.spread(table))
        needs = (table.contains @ roots) / table.distances**2
        plays = roots * np.asarray((table.contains.multiply(needs[:, None])).max(axis=0).todense()).ravel()
        first: FloatArray = np.where(plays > 0.0, plays, plays.max() or 1.0)
        return first

    def _worst(self, plays: FloatArray) -> tuple[float, bool]:
        """The largest ratio at these plays, and whether exchanges were found that are new."""
        plays = np.where(self._free, math.inf, plays)
        known = float(self.exchanges.information.ratios(self.rows.table, plays).max())
        found = self.exchanges.worst(plays, known)
        return max(found.ratio, known), self.rows.add(found.exchanges) > 0

    def _bound(self, mixture: Mixture, plays: FloatArray) -> bool:
        """Raise the lower bound by the multipliers of a mixture; return whether a decision was found that is new (theory I2)."""
        information, oracle, fresh, table = self.exchanges.information, self.exchanges.oracle, False, self.rows.table
        for prices, multipliers in information.proofs(table, mixture, plays):
            x = oracle.best(prices)
            most = math.fsum(prices[x]) + oracle.rounding(prices, prices, x)
            bound = information.bound(table, prices, multipliers, most)
            if bound > self.lower:
                self.lower, self.multipliers, self.prices = bound, multipliers, prices
                shares, exchanges = mixture.multipliers / mixture.multipliers.sum(), list(self.rows)
                order = np.argsort(-shares, kind="stable")[:HARDEST]
                self.hardest = tuple((exchanges[k], float(shares[k])) for k in order if shares[k] > 0.0)
            if self._hull is None and not (self._columns == x).all(axis=1).any():
                self._columns, fresh = np.vstack((self._columns, x)), True
        return fresh

    def _finish(self, hull: Polytope, mixture: Mixture, plays: FloatArray) -> bool:
        """Turn a mixture into a plan, and certify it (theory I3); return whether the gap is reached."""
        decision_set, gap = self.problem.decision_set, self.problem.gap
        if self._hull is None:
            decisions, rates = self._columns[: len(mixture.auxiliaries)], mixture.auxiliaries
        else:
            decisions, rates = decomposed(decision_set, hull, mixture.plays, mixture.rounds)
        worth = rates > NOISE * gap * rates.sum() / max(len(rates), 1)
        decisions, rates = decisions[worth], rates[worth]
        needed = np.where(self._free, 0.0, plays)
        while tiers.seconds() < self.problem.deadline:  # plays that were left out as noise, but are needed
            lack = needed - rates @ decisions
            item = int(np.argmax(np.where(lack > 0.01 * needed, lack / np.where(needed > 0.0, needed, 1.0), 0.0)))
            if not lack[item] > 0.01 * needed[item]:
                break
            x = self.exchanges.oracle.best_with(np.maximum(lack, 0.0), np.array([item]), NOTHING)
            if x is None:
                break
            decisions, rates = np.vstack((decisions, x)), np.append(rates, lack[item])
        plan = merged_plan(decisions, rates)
        total = plan.item_rates
        if (total[needed > 0.0] <= 0.0).any():
            return False
        ratio, _ = self._worst(total)
        value = float(plan.rates.sum()) * ratio
        if value < self.value:
            self.value = value
            self.plan = SamplingPlan(plan.items, plan.rates / plan.rates.sum(), decision_set)
        return self.value - self.lower <= gap * self.value


def exchanges_of(problem: Problem, within: float) -> Exchanges:
    """The exchanges of a problem: swaps of a matroid, cycles of an exchange graph for Gaussian rewards, or decisions."""
    is_quadratic = problem.law.is_quadratic
    if within == 0.0 and isinstance(problem.decision_set, MatroidDecisions):
        return Swaps(problem)
    if within == 0.0 and problem.has_graph and (is_quadratic or not isinstance(problem.decision_set, MatroidIntersection)):
        return Cycles(problem) if is_quadratic else CyclesByPrices(problem)
    count = problem.decision_set.count_within(WORK).exact
    if count is not None and count <= (MAX_LISTED if is_quadratic else MAX_LISTED_WITH_LAWS):
        with suppress(UnsupportedError):
            return Listed(problem, within)
    return Searched(problem, within) if is_quadratic else ByEvidence(problem, within)


def _listed(decision_set: DecisionSet) -> DecisionSet:
    """The set itself, or the list of all routes, whose largest price of any sign can be found."""
    listed = decision_set.as_list if isinstance(decision_set, Routes) else decision_set
    if listed is None:
        raise UnsupportedError(
            f"decision_set must have a linear maximiser for prices of any sign, got more than {FEW:,} routes: if the streets "
            "have one direction and no cycles, use Paths"
        )
    return listed


def _description(decision_set: DecisionSet) -> Polytope | None:
    """The compact description of the decisions, if there is one without auxiliary variables."""
    try:
        hull = polytope(decision_set)
    except UnsupportedError:
        return None
    return None if hull.auxiliaries else hull
