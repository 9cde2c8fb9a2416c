"""C(theta) of any law without code of the library.

A law is only its variance, a polynomial of the mean: the divergence of a raise e has the slope ``e / variance(theta + e)``.
Divergences are integrals by quadrature, raises roots by bisection, and C(theta) a linear program over all decisions with cuts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bernoulli_reference import problem
from scipy.optimize import linprog

STEPS = np.linspace(-3.3, 3.3, 67)
NODES = 0.5 * (1.0 + np.tanh(0.5 * np.pi * np.sinh(STEPS)))
WEIGHTS = 0.1 * 0.25 * np.pi * np.cosh(STEPS) / np.cosh(0.5 * np.pi * np.sinh(STEPS)) ** 2
"""Double-exponential quadrature on [0, 1], exact up to rounding also where the slope has a pole near an end."""
ROUNDS, ENOUGH = 200, 2e-6
SHARES = np.array([[1.0], [0.5], [0.1]])
DIGITS = 4e-15


@dataclass(frozen=True)
class Items:
    """Means, coefficients of the variance as a polynomial of the mean, and the largest means, all of shape (k,)."""

    theta: np.ndarray
    variance: tuple[np.ndarray, ...]
    end: np.ndarray

    @staticmethod
    def of(theta: np.ndarray, *variance: np.ndarray | float, end: np.ndarray | float = np.inf) -> Items:
        """Items of equal coefficients, or of their own."""
        return Items(theta, tuple(np.full(len(theta), c) for c in variance), np.full(len(theta), end))

    def slope(self, rise: np.ndarray) -> np.ndarray:
        """Derivative of the divergence, shape (n, k); inf from the largest mean on."""
        mean = self.theta + rise
        variance = self.variance[-1]
        for coefficient in self.variance[-2::-1]:
            variance = variance * mean + coefficient
        slope = np.full(mean.shape, np.inf)
        np.divide(rise, variance, out=slope, where=variance > 0.0)
        slope[rise <= 0.0] = 0.0
        return slope

    def divergence(self, rise: np.ndarray) -> np.ndarray:
        """Integral of the slope from 0 to each rise, shape (n, k)."""
        total = np.zeros(rise.shape)
        for x, w in zip(NODES, WEIGHTS, strict=True):
            total += np.where(rise > 0.0, w * rise * self.slope(x * rise), 0.0)
        return total

    def raises(self, contains: np.ndarray, gaps: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cheapest raises of each row that add up to its gap, shape (n, k), and which rows can reach it.

        The rates are those of all rows, or have a row for each. Where divergences are not convex, the raises add up to the gap,
        but may not be the cheapest ones.
        """
        able = np.where(contains, self.end - self.theta, 0.0).sum(axis=1) > gaps * (1.0 + 1e-9)
        rise = self._raises(contains, gaps, rates, True)
        missed = able & (abs(rise.sum(axis=1) - gaps) > 1e-6 * gaps)
        if missed.any():
            rates = np.broadcast_to(rates, contains.shape)
            rise[missed] = self._raises(contains[missed], gaps[missed], rates[missed], False)
        return rise, able

    def _raises(self, contains: np.ndarray, gaps: np.ndarray, rates: np.ndarray, is_convex: bool) -> np.ndarray:
        """Bisection over the price. Raises between those at two prices need fewer steps, which needs increasing slopes."""
        limit = np.where(contains, np.minimum(self.end - self.theta, gaps[:, None]), 0.0)
        low, high = np.full(len(gaps), 1e-15), np.full(len(gaps), 1e15)
        below, above = np.zeros(limit.shape), limit  # around the raises at all prices between
        for _ in range(56):
            price = np.sqrt(low * high)
            rise = self._rise_at(price[:, None] / rates, below, above)
            short = rise.sum(axis=1) < gaps
            low, high = np.where(short, price, low), np.where(short, high, price)
            if is_convex:
                below, above = np.where(short[:, None], rise, below), np.where(short[:, None], above, rise)
        below, above = (self._rise_at(one[:, None] / rates, np.zeros(limit.shape), limit) for one in (low, high))
        lack, jump = gaps - below.sum(axis=1), (above - below).sum(axis=1)
        share = np.where(jump > 0.0, lack / np.where(jump > 0.0, jump, 1.0), 0.0)
        return below + np.clip(share, 0.0, 1.0)[:, None] * (above - below)

    def _rise_at(self, slope: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The raises with these slopes, between two others."""
        for _ in range(60):
            if not (high - low > DIGITS * high).any():
                break
            middle = 0.5 * (low + high)
            less = self.slope(middle) < slope
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return high


def least_of_all(items: Items, decisions: np.ndarray, rates: np.ndarray) -> float:
    """The least information about a suboptimal decision at these item rates; inf if none can be made to look optimal."""
    inside, contains, gaps = problem(decisions, items.theta)
    part = taken(items, inside)
    rise, able = part.raises(contains, gaps, np.maximum(rates[inside], 1e-12 * max(rates.max(), 1.0)))
    return float((part.divergence(rise)[able] @ rates[inside]).min(initial=np.inf))


def taken(items: Items, inside: np.ndarray) -> Items:
    """Some of the items."""
    return Items(items.theta[inside], tuple(c[inside] for c in items.variance), items.end[inside])


def bracket(items: Items, decisions: np.ndarray) -> tuple[float, float]:
    """Bounds on C(theta), up to the quadrature."""
    inside, contains, gaps = problem(decisions, items.theta)
    part = taken(items, inside)
    if not inside.any() or not part.raises(contains, gaps, np.ones(inside.sum()))[1].any():
        return 0.0, 0.0
    # A first feasible point, and columns in units of what its decisions cost.
    best = np.full(len(gaps), 1.0 / len(gaps)) / gaps
    cuts, lower, upper = np.empty((0, inside.sum())), 0.0, np.inf
    point = best
    for _ in range(ROUNDS):
        points = SHARES * point + (1.0 - SHARES) * best
        rates = points @ contains
        floors = np.maximum(rates, 1e-12 * rates.max(axis=1, keepdims=True))
        n = len(gaps)
        rise, able = part.raises(np.tile(contains, (len(SHARES), 1)), np.tile(gaps, len(SHARES)), np.repeat(floors, n, axis=0))
        table = part.divergence(rise)
        able &= np.isfinite(table).all(axis=1)
        values = (np.where(able[:, None], table, 0.0) * np.repeat(rates, n, axis=0)).sum(axis=1)
        for at, least in zip(points, np.where(able, values, np.inf).reshape(-1, n).min(axis=1), strict=True):
            if least > 0.0 and at @ gaps / least < upper:
                upper, best = at @ gaps / least, at / least
        cuts = np.unique(np.concatenate((cuts, table[able])), axis=0)
        worth = cuts @ contains.T * (upper / gaps)
        solved = linprog(np.ones(len(gaps)), A_ub=-worth, b_ub=-np.ones(len(cuts)), method="highs")
        if solved.x is None:  # rates of too many orders of magnitude for its tolerances
            break
        lower, point = max(lower, solved.fun * upper), solved.x * upper / gaps
        if upper - lower <= ENOUGH * upper:
            break
    return lower, upper
