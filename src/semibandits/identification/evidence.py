"""Evidence that the best decision at the estimates is the best one, valid at any time (theory I4, I5).

Another decision x is compared with the best one by the exchange S of the items that enter and leave. Its evidence is the
logarithm of a mixture over c of ``w_c exp(inf sum over S of N_ci d(mean_i, theta_i) - costs_ci)``, over the means theta at which
x is better by at least `within`, divided by the number of exchanges of this size. For each c the exponential is below that of a
nonnegative supermartingale of mean 1 at the true means, so that the chance that the evidence of a decision that is truly better
ever exceeds ``ln(1 / delta)`` is at most delta. The least evidence of all exchanges is bounded from below by linear maximisation:
for fixed multipliers the infimum is linear in S.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, final

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.matchings import Matchings, sides
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.decisions.routes import Routes
from semibandits.errors import InvalidInputError
from semibandits.identification.exchanges import Cycles
from semibandits.identification.information import EPSILON, to_equal_means
from semibandits.inputs.validation import check_choice, checked_answer, number_in
from semibandits.laws import Bernoulli, Gaussian, Law
from semibandits.laws.mixed import Exchanged
from semibandits.regret_bound.cuts.oracle import NOTHING, Oracle
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.raises import cheapest_raises, convex_information

PROVED: Final = "proved"
THRESHOLDS: Final = (PROVED, "customary")
STRENGTHS: Final = 4.0 ** np.arange(12)
"""Numbers of plays that the Gaussian prior of an item is worth; all are mixed."""
SHARES: Final = 0.5 ** np.arange(1, 7)
"""Shares of the information that laws without a mixture of their own give away; all are mixed."""
WORK: Final = 100_000
"""Elementary steps in which decisions are counted."""
STEPS: Final = 6
"""Multipliers that are tried for the exchanges with one item."""
CLIPPED: Final = 1e3
"""The limit at which a set clips weights counts for at most this part of `PRECISE`."""
LARGEST: Final = 1e50
"""Weights above this are scaled down, since sets refuse them."""
MANY: Final = 1e3
"""A loss of this many standard deviations an item, besides the means, is as sure as any larger one."""
UNBOUNDED: Final = 1e9
"""Nats that stand for infinitely many, of items whose means may be anything at some multiplier."""
PRECISE: Final = 1e-3
"""Nats by which the bound may be below the evidence of the weakest exchange that was found."""
CALLS: Final = 300
"""Linear maximisations of branch and bound."""
MOST_SLOPE: Final = 1e6
"""Largest multiplier, relative to that of Gaussian rewards of the same variance."""


@final
@dataclass(frozen=True)
class Stop:
    """When a test may stop: once it is sure enough that the best decision so far is the best one.

    Parameters
    ----------
    confidence : float
        How sure, in (0, 1): see :meth:`Learner.confidence`.
    within : float
        By how much the decision may be worse than the best one, >= 0, in the unit of the rewards.
    threshold : {"proved", "customary"}
        See :meth:`Learner.confidence`.

    Raises
    ------
    InvalidInputError
        If an argument is malformed.

    Examples
    --------
    >>> articles, clicks = sb.MSets(3, 1), sb.BernoulliRewards([0.7, 0.4, 0.2])
    >>> stop = sb.Stop(0.95, within=0.05)
    >>> result = sb.simulate(articles, clicks, sb.CUCB(), horizon=5_000, replications=4, stop_at=stop)
    >>> (5_000 - result.stops["CUCB"][:, -1, 0]).tolist()  # rounds before the stop
    [2781, 2513, 2158, 2925]
    >>> result.summary()[0].stopped.wrong
    0.0
    """

    confidence: float = 0.95
    within: float = 0.0
    threshold: str = PROVED

    def __post_init__(self) -> None:
        values = (
            number_in(self.confidence, "confidence", 0.0, 1.0, "0.95 allows one error in twenty", ends="()"),
            number_in(self.within, "within", 0.0, math.inf, "it is the loss that does not matter, in the unit of the rewards"),
        )
        check_choice(self.threshold, THRESHOLDS, "threshold", "'proved' is valid for any policy, 'customary' needs fewer rounds")
        for name, value in zip(("confidence", "within"), values, strict=True):
            object.__setattr__(self, name, value)


class Observed(NamedTuple):
    """What was observed of the items, shape (d,), in so many rounds, and the law of the rewards."""

    means: FloatArray  # mean reward, 0 without plays
    plays: FloatArray  # number of rewards
    rounds: int
    law: Law


def confidence_of(decision_set: DecisionSet, best: BoolArray, observed: Observed, stop: Stop) -> float:
    """Lower bound on the confidence that no decision is better than `best` by more than the loss that does not matter."""
    return -math.expm1(min(-Evidence(decision_set, best, observed, stop).least(), 0.0)) + 0.0  # not -0.0


def needed_evidence(stop: Stop) -> float:
    """The evidence at which a test may stop."""
    return -math.log1p(-stop.confidence)


class _Mixture(NamedTuple):
    """Weights w_c, as logarithms of shape (k,), and information and costs of the items, shape (k, d)."""

    weights: FloatArray
    information: FloatArray  # N: numbers of plays that count
    costs: FloatArray


def _mixture(observed: Observed, is_proved: bool) -> _Mixture:
    n, law = observed.plays, observed.law
    if not is_proved:
        return _Mixture(np.zeros(1), n[None], np.zeros((1, len(n))))
    if isinstance(law, Gaussian):
        strengths = STRENGTHS[:, None]
        return _Mixture(
            np.full(len(STRENGTHS), -math.log(len(STRENGTHS))), n * n / (n + strengths), 0.5 * np.log1p(n / strengths)
        )
    if isinstance(law, Bernoulli):
        ones, zeros = observed.means * n, (1.0 - observed.means) * n
        likelihood = xlogy(ones, observed.means) + xlogy(zeros, 1.0 - observed.means)
        costs = likelihood - betaln(ones + 0.5, zeros + 0.5) + betaln(0.5, 0.5)
        return _Mixture(np.zeros(1), n[None], np.maximum(costs, 0.0)[None])
    kept = 1.0 - SHARES[:, None]
    with np.errstate(divide="ignore"):
        costs = kept * np.log(n * (n + 1.0)) - np.log(SHARES)[:, None]
    return _Mixture(np.full(len(SHARES), -math.log(len(SHARES))), kept * n, np.where(n > 0.0, costs, 0.0))


class _Point(NamedTuple):
    """The evidence of a decision, and what it was computed with."""

    x: BoolArray  # (d,)
    evidence: float
    multipliers: FloatArray  # (k,), >= 0, of the mean rewards, for each c
    shares: FloatArray  # (k,): shares of the parts of the mixture in the evidence


class Sizes:
    """How many exchanges of each size a decision set has, at most. Of `Routes`, if there are few, the list is used."""

    def __init__(self, decision_set: DecisionSet) -> None:
        listed = decision_set.as_list if isinstance(decision_set, Routes) else None
        self.decision_set = listed or decision_set

    @cached_property
    def is_one(self) -> bool:
        """Whether all decisions have the same number of items."""
        fewest = checked_answer(
            self.decision_set.maximize(np.full(self.decision_set.d, -1.0)), self.decision_set.d, self.decision_set.m
        )
        return bool(np.count_nonzero(fewest) == self.decision_set.m)

    @cached_property
    def counts(self) -> tuple[FloatArray, FloatArray]:
        """Logarithms of the numbers: terms of the number of items that enter, and of that of items that leave.

        The items that enter are those of the truly best decision. Both terms are concave, and contain weights of the numbers.
        """
        d, m = self.decision_set.d, self.decision_set.m
        k = np.arange(min(m, d - m) + 1.0 if self.is_one else m + 1.0)
        enter, leave = _ln_choose(m, k), _ln_choose(d - m if self.is_one else d, k)
        if self.is_one:
            changes = enter + leave
            if isinstance(self.decision_set, Matchings):
                changes = np.minimum(changes, _ln_rematched(self.decision_set, k))
            enter, leave = changes + np.log(np.maximum(k * (k + 1.0), 0.5)), np.zeros(len(k))  # concave from 0 on
        else:
            enter, leave = (each + np.log((k + 1.0) * (k + 2.0)) for each in (enter, leave))
        known = self.decision_set.count_within(WORK).exact
        if len(k) > 1 and known is not None and math.log(max(known - 1, 1)) <= enter[1] + leave[1]:
            return np.full(m + 1, math.log(max(known - 1, 1))), np.zeros(m + 1)
        return enter, leave


class Evidence:
    """The evidence for one decision. `sizes` are those of the decision set, which need to be counted only once."""

    def __init__(
        self, decision_set: DecisionSet, best: BoolArray, observed: Observed, stop: Stop,
        needed: float = 0.0, sizes: Sizes | None = None,
    ) -> None:  # fmt: skip
        self._needed, upper = needed, decision_set.upper  # less evidence need not be computed
        self._sizes = Sizes(decision_set) if sizes is None else sizes
        decision_set = self._sizes.decision_set
        self.weakest: BoolArray | None = None
        self.met: list[tuple[float, BoolArray]] = []  # decisions, with their evidence
        self._set, self._best, self._law = decision_set, best, observed.law
        self._proved = stop.threshold == PROVED
        self._mixture = _mixture(observed, self._proved)
        self._late = 0.0 if self._proved else math.log1p(math.log(max(observed.rounds, 1)))
        self._means = observed.means.copy()
        self._unknown: BoolArray = observed.plays == 0
        self._certain: BoolArray = np.zeros(len(best), dtype=np.bool_)
        if upper is not None:  # items without plays are no better than their upper bound
            self._certain = self._unknown & ~best & np.isfinite(upper)
            self._means[self._certain] = upper[self._certain]
            self._unknown &= ~self._certain
        self._sign = np.where(best, 1.0, -1.0)
        self._free = np.flatnonzero(observed.plays > 0)
        self._is_gaussian = self._law.is_quadratic
        self._gains, self._gain_means = Exchanged.of(self._law, self._means, best)
        self._last: tuple[_Point, float, FloatArray] | None = None  # the last minorant
        self._oracle = Oracle(decision_set, self._means)
        with np.errstate(divide="ignore"):
            variance = self._law.variance_at(self._law.estimates(self._means, observed.plays))
            self._variances = variance / self._mixture.information  # (k, d): of the estimates, by the information that counts
        known = self._variances[:, self._free].max(initial=0.0)
        self._within = min(stop.within, decision_set.m * (2.0 * float(np.abs(self._means).max()) + MANY * math.sqrt(known)))

    def least(self, hint: BoolArray | None = None) -> float:
        """A lower bound on the evidence of all exchanges, inf without any; any number up to `needed` if that is not below it.

        `hint` is a decision against which there may be little evidence; `weakest` becomes the one with the least that was found.
        """
        with np.errstate(all="ignore"):
            if isinstance(self._set, MatroidDecisions) and self._within == 0.0:
                found = self._least_swap(self._set)
            else:
                found = min(self._least_exchange(hint), self._beyond())
        return -math.inf if math.isnan(found) else found

    def _least_swap(self, decision_set: MatroidDecisions) -> float:
        """The least evidence of all swaps, which is exact: some swap is an improvement if another basis is better."""
        members = np.flatnonzero(self._best)
        rows, entering = np.nonzero(decision_set.matroid.exchanges(members)[1])
        leaving = members[rows]
        if not len(rows):
            return math.inf
        if (self._unknown[entering] | self._unknown[leaving]).any() or (self._means[leaving] <= self._means[entering]).any():
            return -math.inf
        d, m = decision_set.d, decision_set.m
        shared = math.log(m * (d - m)) if self._proved else self._late
        weights, _, costs = self._mixture
        evidence = weights[:, None] + self._between(leaving, entering) - costs[:, leaving] - costs[:, entering]
        return float(np.logaddexp.reduce(evidence, axis=0).min()) - shared

    def _between(self, leaving: IntArray, entering: IntArray) -> FloatArray:
        """Information against equal means of two items, shape (k, pairs)."""
        high, low = self._means[leaving], self._means[entering]
        if self._is_gaussian:
            return np.asarray((high - low) ** 2 / (2.0 * (self._variances[:, leaving] + self._variances[:, entering])))
        n, law, means = self._mixture.information, self._gains, self._gain_means
        rise, fall = to_equal_means(law, means, n, entering, leaving, high - low)
        raised, lowered = (law.take(k).divergence(means[k], e) for k, e in ((entering, rise), (leaving, fall)))
        return np.asarray(n[:, entering] * raised + n[:, leaving] * lowered)

    def _least_exchange(self, hint: BoolArray | None) -> float:
        """A bound by linear maximisation: apart for each item that enters or leaves, and then by branch and bound."""
        unknown = np.flatnonzero(self._unknown).tolist()
        if unknown and (self._set.upper is not None or any(self._found(item) is not None for item in unknown)):
            return -math.inf
        if hint is not None and (hint != self._best).any():
            self.weakest = hint
            point = self._at(hint)
            if point.evidence <= self._needed:
                return point.evidence
        if self._is_gaussian and not self._proved and self._within == 0.0:
            problem = Problem(self._set, self._means, self._law, EPSILON, PRECISE, math.inf)
            if problem.has_graph:
                return self._least_cycle(Cycles(problem))
        weakest: _Point | None = None
        parts: list[tuple[float, int, IntArray, list[_Point]]] = []  # a heap: the least bound, and what it was computed for
        for item in self._parts().tolist():
            forced = np.zeros(len(self._best), dtype=np.int64)
            forced[item] = -1 if self._best[item] else 1
            if weakest is None:
                x = self._found(item)
                if x is None:
                    continue
                weakest = self._at(x)
            lower, points = self._bounded(forced, [weakest], weakest, 1)
            if lower < math.inf:
                weakest = min([weakest, *points], key=_evidence)
                heapq.heappush(parts, (lower, item, forced, points))
            self.weakest = weakest.x
            if weakest.evidence <= self._needed:
                return weakest.evidence
        if weakest is None:
            return math.inf
        most, number = self._oracle.calls + CALLS, len(self._best)
        while weakest.evidence > self._needed and parts[0][0] < weakest.evidence - PRECISE and self._oracle.calls < most:
            lower, at, forced, points = parts[0]
            children = [forced]  # at first with multipliers of its own
            if at >= len(self._best):
                if (item := self._branch(points)) < 0:
                    break
                children = [np.where(np.arange(len(forced)) == item, sign, forced) for sign in (-1, 1)]
            heapq.heappop(parts)
            for child in children:
                own = [one for one in points if one.x[child > 0].all() and not one.x[child < 0].any()]
                bound, found = self._bounded(child, own or points, weakest, STEPS)
                if bound < math.inf:
                    weakest = min([weakest, *found], key=_evidence)
                    heapq.heappush(parts, (max(bound, lower), number := number + 1, child, found))
        self.weakest = weakest.x
        return min(weakest.evidence, parts[0][0])

    def _least_cycle(self, cycles: Cycles) -> float:
        """The least evidence without costs, by an exact search over the simple cycles of the exchange graph."""
        if not np.array_equal(cycles.decision, self._best):
            return -math.inf  # another decision is as good
        try:
            ratio, found = cycles.worst(np.where(self._unknown, math.inf, self._mixture.information[0]), 0.0)
        except InvalidInputError:  # a cycle of cost 0: a tie
            return -math.inf
        if found:
            self.weakest = self._best.copy()
            self.weakest[found[0].items] ^= True
        return (1.0 / ratio if ratio > 0.0 else math.inf) - self._late

    def _found(self, item: int) -> BoolArray | None:
        """The best decision with an item outside the best one, or without one of its items."""
        return self._oracle.best_unlike(self._best, self._means, item)

    def _branch(self, points: list[_Point]) -> int:
        """An item in which two decisions of a part differ, the weakest ones; -1 if there are not two."""
        two = sorted(points, key=_evidence)[:2]
        return int(np.flatnonzero(two[0].x != two[1].x)[0]) if len(two) == 2 else -1

    def _bounded(self, forced: IntArray, points: list[_Point], weakest: _Point, steps: int) -> tuple[float, list[_Point]]:
        """A lower bound on the evidence of the decisions with the items forced in (1) and without those forced out (-1).

        By minorants at `points`, and at the decisions found with them, until the bound is as good as needed or they repeat. Also
        returns the decisions of the part among all these; the bound is inf if there are none.
        """
        lower, needed = -math.inf, weakest.evidence
        known, waiting = {point.x.tobytes(): point for point in points}, sorted(points, key=_evidence)
        for _ in range(steps):
            if not waiting or lower >= needed - PRECISE:
                break
            bound, x = self._least_of(waiting.pop(0), forced)
            if x is None:
                return math.inf, []
            lower = max(lower, bound)
            if lower < needed - PRECISE and x.tobytes() not in known:
                known[x.tobytes()] = self._at(x)
                waiting.insert(0, known[x.tobytes()])
                needed = min(needed, waiting[0].evidence)
        return lower, [one for one in known.values() if one.x[forced > 0].all() and not one.x[forced < 0].any()]

    def _parts(self) -> IntArray:
        """Items of which every exchange contains one."""
        if self._set.upper is not None:  # routes, of which none contains another one
            return np.flatnonzero(self._best)
        d = self._set.d
        return np.flatnonzero(~self._best) if self._sizes.is_one else np.arange(d)

    @cached_property
    def _counts(self) -> tuple[FloatArray, FloatArray]:
        """What the union over the exchanges costs, as for `Sizes.counts`."""
        number = self._set.m + 1
        return self._sizes.counts if self._proved else (np.full(number, self._late), np.zeros(number))

    def _at(self, x: BoolArray) -> _Point:
        """The evidence of a decision, up to the accuracy of the multipliers.

        Any multiplier s >= 0 gives a lower bound ``s gap - sum of conjugates`` on the infimum.
        """
        differ = x != self._best
        items = np.flatnonzero(differ & ~self._certain)
        gap = math.fsum((self._means * self._sign)[differ]) + self._within
        weights, information, costs = self._mixture
        if gap <= 0.0 or not len(items):
            return _Point(x, -math.inf if gap <= 0.0 else math.inf, np.zeros(len(weights)), np.zeros(len(weights)))
        s = gap / self._variances[:, items].sum(axis=1)
        if self._is_gaussian:
            values = 0.5 * s * gap
        else:
            n = information[:, items]
            # Unless rewards are Gaussian, the information of the parts is proportional, and so are multipliers.
            k = len(n) if isinstance(self._law, Gaussian) else 1
            each = np.tile(items, k)
            found = cheapest_raises(
                self._gains.take(each), self._gain_means[each], n[:k].ravel(), np.repeat(np.arange(k), len(items)),
                np.arange(len(each)), np.full(k, gap), s[:k],
            )  # fmt: skip
            # Beyond the largest multiplier the law excludes that x is better.
            s = n[:, 0] / n[:k, 0] * np.minimum(found.prices, MOST_SLOPE * s[:k])
            values = s * gap - np.array([self._conjugates(items, c, s[c]).sum() for c in range(len(s))])
        values += weights - costs[:, items].sum(axis=1)
        largest = float(values.max())
        shares = np.exp(values - largest)
        total = float(shares.sum())
        enter, leave = self._counts
        number = float(enter[np.count_nonzero(x & ~self._best)] + leave[np.count_nonzero(self._best & ~x)])
        self.met.append((largest + math.log(total) - number, x))
        return _Point(x, self.met[-1][0], s, shares / total)

    def _conjugates(self, items: IntArray, c: int, s: float) -> FloatArray:
        """``max over e of s e - N_c d(mean, mean +- e)`` of items, which are raised if they enter and lowered if they leave."""
        if self._is_gaussian:
            return np.asarray(0.5 * s * s * self._variances[c, items])
        n = self._mixture.information[c, items]
        return np.asarray(n * self._gains.take(items).conjugate(self._gain_means[items], s / n))

    def _beyond(self) -> float:
        """A lower bound on the evidence of exchanges where a mean has left the convex part of its divergence; inf for most laws.

        The information of the parts is proportional, so that either the bounds from the convex part hold for all of them or none.
        """
        weights, information, costs = self._mixture
        items = self._free
        law, means = self._gains.take(items), self._gain_means[items]
        nats = np.array([convex_information(law, means, n[items]).min(initial=math.inf) for n in information])
        if np.isinf(nats).all():
            return math.inf
        dearest = np.sort(np.where(self._best, 0.0, costs))[:, -self._set.m :].sum(axis=1) + costs[:, self._best].sum(axis=1)
        enter, leave = self._counts
        return float(np.logaddexp.reduce(weights + nats - dearest)) - float(enter.max() + leave.max())

    def _minorant(self, point: _Point) -> tuple[float, FloatArray]:
        """A number and gains of the items, shape (d,), whose sum over S is at most the evidence of S, and equal to it at a point.

        With the multipliers of the point, and the weights of the mixture there (Jensen's inequality).
        """
        weights, _, costs = self._mixture
        used = np.flatnonzero(point.shares)
        shares, s = point.shares[used], point.multipliers[used]
        start = float(shares @ (s * self._within + weights[used] - np.log(shares)))
        gains = float(shares @ s) * self._sign * self._means
        free = self._free
        if self._is_gaussian:
            lost = (0.5 * shares * s * s) @ self._variances[used][:, free]
        else:
            lost = shares @ np.array([self._conjugates(free, c, at) for c, at in zip(used.tolist(), s.tolist(), strict=True)])
        gains[free] -= np.minimum(lost + shares @ costs[used][:, free], UNBOUNDED)
        for counts, items in zip(self._counts, (~self._best, self._best), strict=True):
            k = int(np.count_nonzero(items & (point.x != self._best)))
            near = counts[max(k - 1, 0) : k + 2]
            slope = float(near[-1] - near[0]) / max(len(near) - 1, 1)
            start -= float(counts[k]) - slope * k
            gains[items] -= slope
        return start, gains

    def _least_of(self, point: _Point, forced: IntArray) -> tuple[float, BoolArray | None]:
        """A lower bound on the evidence of some decisions by the minorant at a point, and a decision where that is least."""
        if self._last is None or self._last[0] is not point:
            self._last = point, *self._minorant(point)
        _, start, gains = self._last
        upper, lost, scale = self._set.upper, 0.0, 1.0
        weights = np.where(self._best, gains, -gains)
        if upper is not None:  # weights are clipped there: positive ones count apart, and the others are scaled up
            lost = float(np.sort(np.maximum(weights, 0.0))[-self._set.m :].sum())
            least = float(np.maximum(-upper, 0.0).max())
            scale = max(least * self._set.m / PRECISE * CLIPPED, 1.0)
            weights = np.minimum(weights, 0.0) * scale
            lost += self._set.m * least / scale
        elif (largest := float(np.abs(weights).max())) > LARGEST:
            scale = LARGEST / largest
            weights = weights * scale
        inside, outside = np.flatnonzero(forced > 0), forced < 0
        if isinstance(self._set, Routes):  # no item can be forced in, but those that exclude it can be forced out
            for item in inside:
                beside = (self._set.tails == self._set.tails[item]) | (self._set.heads == self._set.heads[item])
                outside |= beside & (forced <= 0)
            inside = NOTHING
        x = self._oracle.best_with(weights, inside, np.flatnonzero(outside))
        if x is None:
            return math.inf, None
        most = (math.fsum(weights[x]) + self._oracle.rounding(weights, np.abs(weights), x, inside)) / scale
        return start + math.fsum(gains[self._best]) - most - lost, x


def _evidence(point: _Point) -> float:
    return point.evidence


def _ln_choose(n: int, k: FloatArray) -> FloatArray:
    """Logarithm of binomial coefficients."""
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def _ln_rematched(matchings: Matchings, k: FloatArray) -> FloatArray:
    """Logarithm of a bound on the number of matchings with k other items: some nodes get other partners."""
    m, bounds = matchings.m, [np.full(len(k), math.inf)]
    leading, other, _ = sides(matchings)
    for side in (leading, other):
        if side.is_matched:
            bounds.append(_ln_choose(m, k) + k * math.log(max(np.bincount(side.nodes).max() - 1, 1)))
    if other.is_matched:
        bounds.append(gammaln(m + 1.0) - gammaln(m - k + 1.0))
    return np.asarray(np.min(bounds, axis=0))
