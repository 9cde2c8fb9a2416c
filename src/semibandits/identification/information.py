"""What plays say against exchanges, and what that means to the master problem: closed forms for Gaussian rewards, other laws.

The information of plays n against an exchange S is ``h(n) = min {sum over S of n_i d_i(e_i) : sum of e_i >= distance}``, with e_i
the raises of items that enter and the falls of items that leave; it must be at least 1. It is concave and homogeneous.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np
from scipy import sparse

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.laws.mixed import Exchanged
from semibandits.regret_bound.certificates.pricing_bound import pricing_bound
from semibandits.regret_bound.problem import Problem
from semibandits.regret_bound.raises import Raises, cheapest_raises, convex_information, room, stretched
from semibandits.regret_bound.rates import LAST_DIGITS

if TYPE_CHECKING:
    from semibandits.identification.master import Mixture

EPSILON = float(np.finfo(np.float64).eps)
ROUNDING = 1e-11
"""Bound on the relative error of information and of sums of products."""


class Table(NamedTuple):
    """Exchanges, one a row."""

    contains: sparse.csr_array  # (r, d): 1 for the items that enter or leave
    distances: FloatArray  # (r,): gap + within

    @property
    def entries(self) -> tuple[IntArray, IntArray]:
        """Row and item of each entry."""
        return np.repeat(np.arange(len(self.distances)), np.diff(self.contains.indptr)), self.contains.indices.astype(np.int64)


class Information(ABC):
    """The information of plays against exchanges, for a law."""

    @abstractmethod
    def ratios(self, table: Table, plays: FloatArray) -> FloatArray:
        """``1 / h(n)`` of each exchange, rounded up, shape (r,). Plays, shape (d,), are inf for items in no exchange."""

    @abstractmethod
    def weights(self, table: Table, plays: FloatArray) -> sparse.csr_array:
        """Weights, shape (r, d), such that ``sum of weight_i / n_i`` is ``1 / h(n)`` at these plays, with the same gradient."""

    @abstractmethod
    def spread(self, table: Table) -> FloatArray:
        """About ``e_i^2 / d_i(e_i)`` at the distances of the exchanges with an item, shape (d,)."""

    @abstractmethod
    def proofs(self, table: Table, mixture: Mixture, plays: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Prices of the items and multipliers of the exchanges for `bound`; the largest price is 1."""

    @abstractmethod
    def bound(self, table: Table, prices: FloatArray, multipliers: FloatArray, most: float) -> float:
        """Lower bound on the number of rounds if no decision has a price above `most`."""


@final
class Quadratic(Information):
    """Gaussian rewards: with v twice the variance, ``d(e) = e^2 / v`` and ``1 / h(n) = sum of v_i / n_i / distance^2``."""

    def __init__(self, twice_variance: FloatArray) -> None:
        self._twice_variance = twice_variance

    def ratios(self, table: Table, plays: FloatArray) -> FloatArray:
        """See `Information.ratios`."""
        digits = 1.0 + 4.0 * EPSILON * (2.0 + float(np.diff(table.contains.indptr).max(initial=0)))
        return np.asarray((table.contains @ (self._twice_variance / plays)) / table.distances**2 * digits)

    def weights(self, table: Table, plays: FloatArray) -> sparse.csr_array:
        """The same for all plays."""
        rows = sparse.diags_array(1.0 / table.distances**2)
        return sparse.csr_array(rows @ table.contains @ sparse.diags_array(self._twice_variance))

    def spread(self, table: Table) -> FloatArray:
        """Twice the variance."""
        return self._twice_variance

    def proofs(self, table: Table, mixture: Mixture, plays: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Any prices prove a bound. Those of the dual are the most accurate; those of the plays suit other sizes of numbers."""
        multipliers = mixture.multipliers / table.distances**2
        for prices in (mixture.prices, self._twice_variance * (multipliers @ table.contains) / plays**2):
            if 0.0 < prices.max() < np.inf:
                yield prices / prices.max(), multipliers

    def bound(self, table: Table, prices: FloatArray, multipliers: FloatArray, most: float) -> float:
        """Theory I2."""
        return pricing_bound(table.contains, table.distances, self._twice_variance, multipliers, prices, most)


@final
class ByRaises(Information):
    """Any law, by the cheapest raises and falls, whose divergences are the gradient of h.

    For any raises that add up to the distance, ``h(n) <= sum of n_i d_i(e_i)``. With multipliers mu of such rows, and prices p_i
    the sum of ``mu d_i(e_i)`` over the exchanges with an item, N rounds give ``sum of mu <= p.n <= N max over x of p.x``.
    """

    def __init__(self, problem: Problem, decision: BoolArray, within: float) -> None:
        self._law, self._means = Exchanged.of(problem.law, problem.theta, decision)
        self._decision, self._within = decision, within

    def _raises(self, table: Table, plays: FloatArray) -> Raises:
        """The cheapest raises and falls; those of swaps by their formula, which also holds where divergences are not convex."""
        rows, items = table.entries
        pairs = np.flatnonzero((np.diff(table.contains.indptr) == 2) & (self._within == 0.0))
        first = table.contains.indptr[pairs].astype(np.int64)
        is_swap = self._decision[items[first]] != self._decision[items[first + 1]]
        pairs, first = pairs[is_swap], first[is_swap]
        others = np.ones(len(table.distances), dtype=np.bool_)
        others[pairs] = False
        among = others[rows]
        number = np.cumsum(others) - 1
        part = cheapest_raises(self._law, self._means, plays, number[rows[among]], items[among], table.distances[others])
        values, prices = np.zeros(len(others)), np.zeros(len(others))
        raises, divergences = np.zeros(len(rows)), np.zeros(len(rows))
        values[others], prices[others] = part.values, part.prices
        raises[among], divergences[among] = part.raises, part.divergences
        enters, leaves = np.where(self._decision[items[first]], (first + 1, first), (first, first + 1))
        changes = to_equal_means(self._law, self._means, plays, items[enters], items[leaves], table.distances[pairs])
        for at, change in zip((enters, leaves), changes, strict=True):
            raises[at], divergences[at] = change, self._law.take(items[at]).divergence(self._means[items[at]], change)
            values[pairs] += plays[items[at]] * divergences[at]
        beyond = convex_information(self._law, self._means, plays)
        if np.isfinite(beyond).any():
            least = np.full(len(others), np.inf)
            np.minimum.at(least, rows[among], beyond[items[among]])
            values = np.minimum(values, least)
        return Raises(values, prices, raises, divergences, divergences)

    def ratios(self, table: Table, plays: FloatArray) -> FloatArray:
        """See `Information.ratios`."""
        found, sizes = self._raises(table, plays), np.diff(table.contains.indptr)
        finite = np.isfinite(found.values)
        values = np.where(finite, found.values, 1.0)
        # Values are differences of s times the distance and conjugates, which may be far larger than the value.
        lost = LAST_DIGITS * (sizes + 2) * np.where(finite, found.prices, 0.0) * table.distances
        values = values * (1.0 - self._law.rounding - ROUNDING) - lost
        return np.where(finite, np.where(values > 0.0, 1.0 / np.where(values > 0.0, values, 1.0), np.inf), 0.0)

    def weights(self, table: Table, plays: FloatArray) -> sparse.csr_array:
        """See `Information.weights`."""
        found, (rows, items) = self._raises(table, plays), table.entries
        values = np.where(np.isfinite(found.values), found.values, np.inf)[rows]
        entries = np.where(np.isfinite(values), found.divergences * (plays[items] / values) ** 2, 0.0)
        return sparse.csr_array((entries, table.contains.indices, table.contains.indptr), shape=table.contains.shape)

    def spread(self, table: Table) -> FloatArray:
        """See `Information.spread`."""
        rows, items = table.entries
        nearest = np.full(len(self._means), np.inf)
        np.minimum.at(nearest, items, table.distances[rows])
        rise = np.minimum(nearest, 0.5 * room(self._law, self._means))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(np.isfinite(rise), rise**2 / self._law.divergence(self._means, rise), 0.0)
        return np.nan_to_num(found, nan=0.0, posinf=0.0)

    def proofs(self, table: Table, mixture: Mixture, plays: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """The raises at these plays, a little longer, so that they surely add up."""
        rows, items = table.entries
        found, law, means = self._raises(table, plays), self._law.take(items), self._means[items]
        divergences = law.divergence(means, stretched(law, means, found.raises, rows, table.distances)) * (1.0 + law.rounding)
        proves = np.isfinite(found.values) & (np.bincount(rows, ~np.isfinite(divergences), len(table.distances)) == 0)
        with np.errstate(divide="ignore"):
            multipliers = np.where(proves, mixture.multipliers / found.values**2, 0.0)
        worth = np.where(proves[rows], multipliers[rows] * np.where(proves[rows], divergences, 0.0), 0.0)
        prices = np.bincount(items, worth, len(self._means)) * (1.0 + ROUNDING)
        if 0.0 < prices.max() < np.inf:
            yield prices / prices.max(), multipliers / prices.max()

    def bound(self, table: Table, prices: FloatArray, multipliers: FloatArray, most: float) -> float:
        """Weak duality."""
        return float(multipliers.sum()) / most * (1.0 - ROUNDING) if most > 0.0 else 0.0


def information_of(problem: Problem, decision: BoolArray, within: float) -> Information:
    """The information for the law of a problem, with its best decision."""
    return Quadratic(2.0 * problem.variance) if problem.law.is_quadratic else ByRaises(problem, decision, within)


def to_equal_means(
    law: Exchanged, means: FloatArray, plays: FloatArray, entering: IntArray, leaving: IntArray, gap: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Raises and falls by which pairs of items get equal means as cheaply as possible, for plays of shape (..., d).

    In an exponential family of variance V, the slope of ``n d(one, mean) + k d(other, mean)`` has the sign of
    ``n (mean - one) + k (mean - other)``: the nearest equal mean is the weighted average, unless it is out of reach.
    """
    n, k = plays[..., entering], plays[..., leaving]
    rise = np.minimum(gap * (k / (n + k)), law.take(entering).reach(means[entering]))
    return rise, gap - rise
