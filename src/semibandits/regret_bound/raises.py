"""The cheapest raises of a set of items that add up to a given gap, for any law (theory L1).

A raise e_i of item i of a set C, played w_i times, costs ``w_i d(theta_i, theta_i + e_i)``. The set needs raises that add up to
its gap D, at a cost of

    F(C) = min {sum of w_i d_i(e_i) : sum of e_i >= D} = max over prices s of (s D - sum of w_i g*_i(s / w_i)),

with g* the conjugate of d. At the best price the divergence of every raise has the slope s / w_i. Any price gives a lower bound
on F, and any raises that add up to D give an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import UnsupportedError
from semibandits.laws import Law

MAX_STEPS = 200
NEWTON_STEPS = 40
"""Steps after which bisection takes over: Newton's method may oscillate at kinks of the law."""
LAST_DIGIT = 1e-14
"""Share of the gap that raises may miss. Values are corrected for it to first order, and proofs stretch the raises."""
FURTHEST = 1e3
"""Raises are cut off at this multiple of the gap. Raises above the gap are never needed; they show that the price is too high."""
EPSILON = float(np.finfo(np.float64).eps)
NEAR_REACH = 1e-12
"""Gaps within this relative distance of the total reach count as out of reach."""


def out_of_reach(reach: FloatArray, gaps: FloatArray, margin: FloatArray) -> BoolArray:
    """Whether gaps are out of reach of items with this total `reach`."""
    return np.asarray(reach <= gaps * (1.0 + NEAR_REACH) + margin)


def room(law: Law, theta: FloatArray) -> FloatArray:
    """Largest raise of each item in the convex part of its divergence."""
    return np.minimum(law.reach(theta), law.convex_to(theta))


def convex_information(law: Law, theta: FloatArray, rates: FloatArray) -> FloatArray:
    """Least information of a raise of each item beyond the convex part of its divergence; inf where no raise goes beyond."""
    limit, nats = law.convex_to(theta), np.full(len(theta), np.inf)
    ends = np.flatnonzero(limit < law.reach(theta))
    nats[ends] = rates[ends] * law.take(ends).divergence(theta[ends], limit[ends])
    return nats


def check_convex(law: Law, theta: FloatArray, rates: FloatArray, items: IntArray) -> None:
    """Refuse rates at which raises beyond the convex part of a divergence could cost less than 1 nat, by `UnsupportedError`.

    In the convex part, raises that add up to a gap are cheapest at equal slopes. Beyond it, two small raises may cost more than
    one large one, and the constraints are not known. At the rates of the plan, a raise of each of these `items` to the end of its
    convex part must cost at least 1 nat.
    """
    wrong = np.flatnonzero(convex_information(law, theta, rates) < 1.0 - NEAR_REACH)
    if len(wrong):
        k, limit = wrong[0], law.convex_to(theta)
        raise UnsupportedError(
            f"the divergence of {law} must be convex up to the raises that matter, got item {items[k]} of mean {theta[k]:g}, "
            f"where it is convex only up to a raise of {limit[k]:g}: only matroid bases are supported in this case; use a law "
            "that is convex further, such as Gaussian with a variance that holds for all means"
        )


def stretched(law: Law, theta: FloatArray, raises: FloatArray, rows: IntArray, gaps: FloatArray) -> FloatArray:
    """Increase raises slightly, so that those of each row surely add up to its gap.

    Items at the end of their reach stay there, and the others make up the difference. If they cannot, a raise is infinite.
    """
    count = len(gaps)
    reach = law.reach(theta)
    with np.errstate(invalid="ignore"):
        ends = (raises >= reach) & np.isfinite(law.divergence(theta, reach))
    fixed = np.bincount(rows, np.where(ends, reach, 0.0), count)
    free = np.bincount(rows, np.where(ends, 0.0, raises), count)
    spare = 1.0 + 4.0 * EPSILON * (np.bincount(rows, minlength=count) + 2)
    enough = fixed >= gaps * spare
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(enough, 1.0, np.maximum((gaps * spare - fixed) / free, 1.0) * spare)
        longer = np.where(ends, reach, raises * factor[rows])
    return np.where((enough | (free > 0.0))[rows], longer, np.inf)


@dataclass(frozen=True, eq=False)
class Raises:
    """Cheapest raises of k sets of items."""

    # F(C), and the price s that attains it, shape (k,); both inf if the gap is out of reach.
    values: FloatArray
    prices: FloatArray
    # Best raise of each entry, its divergence (the derivative of F in the rate), and the derivative of the raise in s / w.
    raises: FloatArray
    divergences: FloatArray
    slopes: FloatArray


def cheapest_raises(
    law: Law, theta: FloatArray, rates: FloatArray, rows: IntArray, items: IntArray, gaps: FloatArray,
    guesses: FloatArray | None = None,
) -> Raises:  # fmt: skip
    """Compute the cheapest raises of each of k sets: entry p is item ``items[p]`` of set ``rows[p]``, possibly more than once.

    Rows must be in ascending order. The law, means and rates >= 0 are those of d items, and gaps > 0 have shape (k,). `guesses`,
    shape (k,), are first values of the search for s; 0 for no guess.
    """
    problem = _Problem(law.take(items), theta[items], rates[items], rows, gaps)
    k, entries = len(gaps), len(rows)
    result = Raises(np.zeros(k), np.zeros(k), np.zeros(entries), np.zeros(entries), np.zeros(entries))
    short = problem.short
    result.values[short] = result.prices[short] = np.inf
    free = problem.total(np.where(problem.played, 0.0, problem.reach))  # reach of unplayed items, whose raises cost nothing
    problem.raise_unplayed(result, ~short & (free >= gaps))
    rest = np.flatnonzero(~short & (free < gaps))
    if len(rest):
        part, mine = problem.part(rest)
        first = np.zeros(len(rest)) if guesses is None else guesses[rest]
        prices, values, raises, divergences, slopes = part.at_the_best_prices(first)
        result.prices[rest], result.values[rest] = prices, values
        result.raises[mine], result.divergences[mine], result.slopes[mine] = raises, divergences, slopes
    return result


@dataclass(frozen=True, eq=False)
class _Problem:
    """Entries with their laws, means and rates, and the gaps of the rows."""

    law: Law
    theta: FloatArray
    rates: FloatArray
    rows: IntArray
    gaps: FloatArray

    def total(self, values: FloatArray) -> FloatArray:
        """Sum over each row."""
        return np.bincount(self.rows, values, len(self.gaps)).astype(np.float64, copy=False)

    @cached_property
    def reach(self) -> FloatArray:
        """Largest raise of each entry in the convex part."""
        return room(self.law, self.theta)

    @cached_property
    def played(self) -> BoolArray:
        """Entries with a rate above 0."""
        return self.rates > 0.0

    @cached_property
    def divisors(self) -> FloatArray:
        """The rates, with 1 for unplayed entries."""
        return np.where(self.played, self.rates, 1.0)

    @cached_property
    def weights(self) -> FloatArray:
        """1 / w of each entry, 0 of unplayed ones."""
        return np.where(self.played, 1.0 / self.divisors, 0.0)

    @cached_property
    def furthest(self) -> FloatArray:
        """Raise of each entry at which laws with a kink are cut off."""
        return FURTHEST * self.gaps[self.rows]

    @property
    def short(self) -> BoolArray:
        """Rows whose gap is out of reach."""
        margin = self.law.margin(self.theta)
        margins = np.full(len(self.gaps), margin.min(initial=np.inf))
        if margin.max(initial=-np.inf) > margins.min(initial=np.inf):
            np.maximum.at(margins, self.rows, margin)
        return out_of_reach(self.total(self.reach), self.gaps, margins)

    def raise_unplayed(self, result: Raises, done: BoolArray) -> None:
        """Set the raises of the rows `done`, whose unplayed items reach the gap alone, each in proportion to its reach. The price
        is 0.
        """
        mine = done[self.rows] & ~self.played
        reach = np.where(mine, self.reach, 0.0)
        endless = np.isinf(reach)
        parts = np.where(self.total(endless * 1.0)[self.rows] > 0.0, endless * 1.0, reach)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = parts * (self.gaps / self.total(parts))[self.rows]
        result.raises[mine], result.divergences[mine] = share[mine], np.inf

    def _tilted(self, prices: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Raises, their derivatives and divergences at these prices of the rows. Unplayed items rise by their reach."""
        played = self.played
        with np.errstate(divide="ignore", over="ignore"):
            rise, slope, d = self.law.tilt(self.theta, prices[self.rows] / self.divisors)
        # Raises of laws with a kink may be unbounded.
        far = played & (rise > self.furthest)
        if far.any():
            rise, slope = np.where(far, self.furthest, rise), np.where(far, 0.0, slope)
            d = np.where(far, self.law.divergence(self.theta, rise), d)
        if played.all():
            return rise, slope, d
        return np.where(played, rise, self.reach), np.where(played, slope, 0.0), np.where(played, d, np.inf)

    def _first_prices(self, guesses: FloatArray) -> FloatArray:
        """The guesses, or else the exact prices of Gaussian items with the variances of the law at theta."""
        known = (guesses > 0.0) & np.isfinite(guesses)
        if known.all():
            return guesses
        largest = np.zeros(len(self.gaps))
        np.maximum.at(largest, self.rows, self.rates)
        _, slope, _ = self._tilted(1e-9 * largest)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            spread = self.total(np.where(self.played, slope / self.divisors, 0.0))
            first = np.where(spread > 0.0, np.minimum(self.gaps / spread, 4.0 * largest), largest)
        return np.where(known, guesses, first)

    def _jumps(self) -> FloatArray:
        """Lowest price of each row at which a raise jumps to inf; inf if there is none."""
        first = np.full(len(self.gaps), np.inf)
        slopes = self.law.jump_at(self.theta)
        if np.isfinite(slopes).any():
            np.minimum.at(first, self.rows, np.where(self.played, slopes * self.rates, np.inf))
        return first

    def part(self, rows: IntArray) -> tuple[_Problem, IntArray]:
        """The problem restricted to some rows, and the numbers of their entries."""
        number = np.full(len(self.gaps), -1, dtype=np.int64)
        number[rows] = np.arange(len(rows))
        mine = np.flatnonzero(number[self.rows] >= 0)
        part = _Problem(self.law.take(mine), self.theta[mine], self.rates[mine], number[self.rows[mine]], self.gaps[rows])
        return part, mine

    def at_the_best_prices(self, guesses: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Prices, values, raises, divergences and slopes, by Newton's method within brackets, for all rows at once."""
        jumps = self._jumps()
        last = np.nextafter(jumps, 0.0)  # the largest price before the jump
        s, low, high = np.minimum(self._first_prices(guesses), last), np.zeros(len(self.gaps)), jumps.copy()
        raises, slopes, divergences = np.zeros(len(self.rows)), np.zeros(len(self.rows)), np.zeros(len(self.rows))
        over = np.zeros(len(self.gaps))
        rows, part, mine = np.arange(len(self.gaps)), self, np.arange(len(self.rows))
        for step in range(MAX_STEPS):
            raises[mine], slopes[mine], divergences[mine] = part._tilted(s[rows])
            excess, slope = part.total(raises[mine]) - part.gaps, part.total(slopes[mine] * part.weights)
            at, over[rows] = s[rows], excess
            below, above = np.where(excess < 0.0, at, low[rows]), np.where(excess < 0.0, high[rows], at)
            low[rows], high[rows] = below, above
            open_ = (np.abs(excess) > LAST_DIGIT * part.gaps) & (below < above * (1.0 - EPSILON))
            if not open_.any():
                break
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                following = np.where((slope > 0.0) & (step < NEWTON_STEPS), at - excess / slope, -1.0)
                wide = open_ & ~((below < following) & (following < above))
                if wide.any():
                    middle = np.where(below == 0.0, 0.25 * at, np.sqrt(below) * np.sqrt(above))
                    middle = np.where(above == jumps[rows], np.minimum(4.0 * at, last[rows]), middle)
                    following = np.where(wide, middle, following)
            if 2 * np.count_nonzero(open_) <= len(rows):
                rows = rows[open_]
                part, mine = self.part(rows)
                following = following[open_]
            else:
                following = np.where(open_, following, at)
            s[rows] = following
        finite = np.where(np.isfinite(raises), raises, 0.0)
        over = np.where(np.isfinite(over), over, 0.0)
        paid = self.rates * np.where(self.played & np.isfinite(divergences), divergences, 0.0)
        values = self.total(paid) - s * over
        raises, divergences = self._interpolated(low, high, finite, divergences, np.abs(over) > LAST_DIGIT * self.gaps)
        return s, values, raises, divergences, slopes

    def _interpolated(
        self, low: FloatArray, high: FloatArray, raises: FloatArray, divergences: FloatArray, missed: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Interpolate the raises at two prices, equal up to rounding, so that they add up to the gap.

        At a kink of the law, raises change much between adjacent floating-point prices.
        """
        missed = missed & (low > 0.0) & np.isfinite(high)
        if not missed.any():
            return raises, divergences
        here = missed[self.rows]
        from_low = np.where(here, self._tilted(np.where(missed, low, 1.0))[0], 0.0)
        from_high = np.where(here, self._tilted(np.where(missed, high, 1.0))[0], 0.0)
        lack = self.gaps - self.total(from_low)
        jump = from_high - from_low
        endless = np.isinf(jump)
        jump = np.where(self.total(endless * 1.0)[self.rows] > 0.0, endless * 1.0, jump)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = lack / self.total(jump)
        mine = (missed & (share >= 0.0) & np.isfinite(share))[self.rows] & self.played
        met = from_low + jump * np.where(np.isfinite(share), share, 0.0)[self.rows]
        mine &= met < self.reach
        return np.where(mine, met, raises), np.where(mine, self.law.divergence(self.theta, met), divergences)
