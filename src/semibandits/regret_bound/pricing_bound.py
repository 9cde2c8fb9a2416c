"""Lower bound on C(theta) from multipliers on decisions and prices on items, made sound by P_LM alone (theory T4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.regret_bound.oracle import BestWithItem, Oracle

MAX_PRICINGS = 50


@dataclass(frozen=True, eq=False)
class Priced:
    """What P_LM says about prices: no decision x costs more than ``ratio`` times its gap, ``prices . x <= ratio * gap_x``.

    `met` holds the decisions that the oracle answered with, shape (n, d).
    """

    ratio: float
    met: BoolArray


def priced(oracle: Oracle, best: BestWithItem, prices: FloatArray, start: float) -> Priced:
    """A bound on the largest worth of a decision per unit of its gap, by Dinkelbach's method.

    For a ratio r let x maximise ``(r theta + p) . x``. With the optimal decision x*, which has no item of positive price, the
    excess ``p.x - r gap_x`` is at least 0; if it is 0, then r is the bound, else the ratio of x is larger, and the next r. An
    oracle that loses `Oracle.rounding` e leaves ``p.x <= r gap_x + e`` for all x; a decision with an item of I has a gap of at
    least ``min(delta)``, and one without is worth nothing, so ``r + e / min(delta)`` is a bound whatever the rounding.

    Parameters
    ----------
    oracle : Oracle
    best : BestWithItem
    prices : ndarray of float, shape (k,)
        Prices >= 0 of the items of I; all other items are free.
    start : float
        Ratio to begin with, > 0.

    Returns
    -------
    Priced
        The ratio is infinite if the method did not end within 50 calls.
    """
    full = np.zeros(len(oracle.theta))
    full[best.items] = prices
    met: list[BoolArray] = []
    ratio = start
    for _ in range(MAX_PRICINGS):
        weights = ratio * oracle.theta + full
        x = oracle.best(weights)
        gap, worth = oracle.gap(x), float(full @ x)
        lost = oracle.rounding(weights)
        met.append(x)
        excess = worth - ratio * gap
        if excess <= lost or gap <= 0.0:
            return Priced(ratio + (max(excess, 0.0) + lost) / float(best.gaps.min()), np.array(met))
        ratio = worth / gap
    return Priced(np.inf, np.array(met))


def pricing_bound(
    contains: FloatArray, gaps: FloatArray, twice_variance: FloatArray, multipliers: FloatArray, prices: FloatArray,
    ratio: float,
) -> float:  # fmt: skip
    """``(sum_i sqrt(v_i y_i p_i / ratio))^2 / sum_x mu_x gap_x^2`` with ``y_i = sum_{x containing i} mu_x``.

    Parameters
    ----------
    contains : ndarray of float, shape (n, k)
        Which items of I (columns) each of n decisions holds.
    gaps : ndarray of float, shape (n,)
        Their gaps, > 0.
    twice_variance : ndarray of float, shape (k,)
        v_i, twice the variance of the rewards of each item.
    multipliers : ndarray of float, shape (n,)
        mu >= 0, any.
    prices : ndarray of float, shape (k,)
        p >= 0, any.
    ratio : float
        At least ``max_x p.x / gap_x`` over all decisions of the set, see `priced`.

    Returns
    -------
    float
        A number that C(theta) is not below; 0 if the multipliers or prices prove nothing.

    Notes
    -----
    Theory T4, for decisions instead of cycles. Take a feasible plan alpha with item rates w, and p divided by the ratio. Then
    ``cost = sum_x alpha_x gap_x >= sum_x alpha_x p.x = sum_i p_i w_i``, where optimal decisions add nothing on either side, as
    they hold no item of I. The constraints, weighted by mu, say ``sum_x mu_x gap_x^2 >= sum_i y_i v_i / w_i``. By Cauchy and
    Schwarz the product of the two right-hand sides is at least ``(sum_i sqrt(v_i y_i p_i))^2``.
    """
    y = multipliers @ contains
    weight = float(multipliers @ gaps**2)
    if not (weight > 0.0 and np.isfinite(weight) and 0.0 < ratio < np.inf):
        return 0.0
    root = float(np.sqrt(twice_variance * y * (prices / ratio)).sum())
    # A sum of n products of positive numbers is right to n + 2 units in its last digit.
    allowance = 1.0 - 4.0 * (sum(contains.shape) + 8) * float(np.finfo(np.float64).eps)
    return root**2 / weight * allowance if np.isfinite(root) else 0.0
