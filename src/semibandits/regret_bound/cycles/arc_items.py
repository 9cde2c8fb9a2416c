"""The items that enter on the arcs of a graph, and the functions of their law that constraints on cycles need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.laws import Law
from semibandits.regret_bound.cycles.cycles import Cycles
from semibandits.regret_bound.raises import Raises, cheapest_raises, room

DOUBLINGS, HALVINGS = 2_000, 24
SHORT_OF_IT = 0.9
"""Share of the room that is used if a gap is larger."""
ROUNDING = 4e-15
"""Relative amount by which products are rounded up."""


@dataclass(frozen=True, eq=False)
class ArcItems:
    """Items on the a arcs of a graph."""

    # Law and means, shape (a,), of the items of the arcs.
    law: Law
    theta: FloatArray
    # Arcs on which an item of I enters whose mean can rise, shape (a,). Laws and means of other arcs are not used.
    raising: BoolArray

    @staticmethod
    def of(law: Law, theta: FloatArray, entering: IntArray, live: BoolArray) -> ArcItems:
        """Items of arcs from the number of the `entering` item, shape (a,). Only `live` arcs can raise."""
        if not len(theta):
            return ArcItems(law, np.zeros(len(entering)), np.zeros(len(entering), dtype=np.bool_))
        items = np.maximum(entering, 0)
        able = room(law, theta)[items] > 0.0
        return ArcItems(law.take(items), theta[items], live & (entering >= 0) & able)

    def take(self, arcs: IntArray) -> ArcItems:
        """Items of these arcs."""
        return ArcItems(self.law.take(arcs), self.theta[arcs], self.raising[arcs])

    @property
    def alone(self) -> tuple[Law, FloatArray]:
        """Law and means of the arcs that raise."""
        return self.law.take(np.flatnonzero(self.raising)), self.theta[self.raising]

    @cached_property
    def room(self) -> FloatArray:
        """Largest raise of the item of each arc; 0 on arcs that do not raise."""
        return self._spread(room(*self.alone))

    @property
    def margin(self) -> float:
        """Smallest `Law.margin` of the items: a bound on the one within which gaps of any cycle count as out of reach."""
        return float(self.law.margin(self.theta)[self.raising].min(initial=np.inf))

    def twice_variance(self, gaps: FloatArray) -> FloatArray:
        """2 sigma^2 of each raising arc's item, or of a Gaussian item with the same divergence at a raise by this gap; else 0."""
        law, theta = self.alone
        if law.is_quadratic:
            return self._spread(2.0 * law.variance_proxy(theta))
        rise = np.minimum(gaps[self.raising], SHORT_OF_IT * self.room[self.raising])
        return self._spread(rise**2 / law.divergence(theta, rise))

    def raises(self, cycles: Cycles, gaps: FloatArray, rates: FloatArray, guesses: FloatArray | None = None) -> Raises:
        """The cheapest raises of these cycles, per entry of the cycles; 0 on arcs that do not raise."""
        on = self.raising[cycles.arcs]
        found = cheapest_raises(self.law, self.theta, rates, cycles.rows[on], cycles.arcs[on], gaps, guesses)
        entries = []
        for part in (found.raises, found.divergences, found.slopes):
            full = np.zeros(len(on))
            full[on] = part
            entries.append(full)
        return Raises(found.values, found.prices, *entries)

    def caps(self, rates: FloatArray, gaps: FloatArray, level: float) -> FloatArray:
        """Largest raise of each item for `level` nats at these rates, rounded up; its room if its rate is 0.

        The search starts from raises by `gaps`, > 0.
        """
        law, theta = self.alone
        rates, most = rates[self.raising], self.room[self.raising]
        high = np.minimum(gaps[self.raising], most)
        with np.errstate(invalid="ignore", over="ignore"):
            for _ in range(DOUBLINGS):
                below = (rates * law.divergence(theta, high) < level) & (high < most)
                if not below.any():
                    break
                high = np.where(below, np.minimum(2.0 * high, most), high)
            low = np.zeros(len(high))
            for _ in range(HALVINGS):
                middle = np.where(np.isfinite(high), 0.5 * (low + high), high)
                less = ~(rates * law.divergence(theta, middle) >= level)
                low, high = np.where(less, middle, low), np.where(less, high, middle)
        margin = np.where(np.isfinite(most), law.margin(theta), 0.0)
        high = np.where(rates > 0.0, high, most)
        return self._spread(np.minimum(high * (1.0 + 1e-9) + margin, most))

    def conjugates(self, rates: FloatArray, prices: FloatArray, caps: FloatArray) -> FloatArray:
        """``max of s e - w d(e)`` over the raises e of each item up to its cap, for each price s: shape (a, K), rounded up."""
        law, theta = self.alone
        rates, caps = rates[self.raising], caps[self.raising]
        played = rates > 0.0
        rate = np.where(played, rates, 1.0)
        slopes = prices[:, None] / rate
        most = prices[:, None] * caps
        with np.errstate(invalid="ignore", over="ignore"):
            at_cap = law.divergence(theta, caps)
            rise, _, information = law.tilt(theta, slopes)
            # Raises grow with the slope: up to the slope at the cap, the conjugate is that of the law.
            inside = (rise < caps) & np.isfinite(information)
            free = slopes * rise - information + law.conjugate_rounding(theta, slopes, rise, information)
            held = most * (1.0 + ROUNDING) - rate * np.where(np.isfinite(at_cap), at_cap, 0.0) * (1.0 - law.rounding)
        table = np.where(inside, rate * np.where(inside & (rise > 0.0), free, 0.0), held)
        table = np.where(played, table, most * (1.0 + ROUNDING))
        full = np.zeros((len(self.theta), len(prices)))
        full[self.raising] = table.T
        return full

    def _spread(self, values: FloatArray) -> FloatArray:
        """Values of the arcs that raise, with 0 for other arcs."""
        full = np.zeros(len(self.theta))
        full[self.raising] = values
        return full
