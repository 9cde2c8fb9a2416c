"""Lower bound on C(theta) from multipliers on decisions and prices on items, proved with P_LM alone (theory T4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.regret_bound.cuts.oracle import BestWithItem, Oracle

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_PRICINGS = 50

LEAST_SHARE = 1e-3
"""A term of the bound hardly matters if it is below this share of the gap and of its part in the sum of all."""
OUT_OF_SCALE = 1e4
"""A price is large if it is more than this times all prices that matter."""


@dataclass(frozen=True, eq=False)
class Priced:
    """Bound on prices from P_LM: ``prices . x <= ratio * gap_x`` for every decision x.

    `met` holds the decisions that the oracle returned, shape (n, d).
    """

    ratio: float
    met: BoolArray


def priced(oracle: Oracle, best: BestWithItem, prices: FloatArray, start: float) -> Priced:
    """Bound on the largest ratio of worth ``p.x`` to gap of a decision, by Dinkelbach's method.

    For a ratio r let x maximise ``(r theta + p) . x``. Its excess ``p.x - r gap_x`` is at least 0, the excess of the optimal
    decision x*, which contains no item of positive price. If it is 0, then r is the bound. Otherwise the ratio of x is larger
    than r, and becomes the next r. If the oracle loses e = `Oracle.rounding`, then ``p.x <= r gap_x + e`` for all x. A decision
    with an item of I has a gap of at least ``min(delta)``, and one without is worth 0, so ``r + e / min(delta)`` is a bound
    despite rounding.

    `prices`, shape (k,), are those >= 0 of the items of I; all other items have price 0. `start` > 0 is the first ratio. The
    resulting ratio is infinite if the method does not converge within 50 calls.
    """
    full = np.zeros(len(oracle.theta))
    full[best.items] = prices
    met: list[BoolArray] = []
    ratio = start
    for _ in range(MAX_PRICINGS):
        weights = ratio * oracle.theta + full
        x = oracle.best(weights)
        gap, worth = oracle.gap(x), float(full @ x)
        lost = oracle.rounding(weights, ratio * np.abs(oracle.theta) + full, x)
        met.append(x)
        excess = worth - ratio * gap
        if excess <= lost or gap <= 0.0:
            return Priced(ratio + (max(excess, 0.0) + lost) / float(best.gaps.min()), np.array(met))
        ratio = worth / gap
    return Priced(np.inf, np.array(met))


def without_large(prices: FloatArray, terms: FloatArray, gap: float) -> FloatArray:
    """Prices with 0 for items whose `terms` of the bound hardly matter and whose prices would round the other ones away.

    These are items with a gap that is out of scale.
    """
    matters = terms > LEAST_SHARE * gap * terms.sum() / len(terms)
    return np.where(matters | (prices <= OUT_OF_SCALE * prices[matters].max(initial=0.0)), prices, 0.0)


def pricing_bound(
    contains: FloatArray | csr_array, gaps: FloatArray, twice_variance: FloatArray, multipliers: FloatArray, prices: FloatArray,
    ratio: float,
) -> float:  # fmt: skip
    """Lower bound ``(sum_i sqrt(v_i y_i p_i / ratio))^2 / sum_x mu_x gap_x^2`` on C(theta), ``y_i = sum_{x containing i} mu_x``.

    `contains`, shape (n, k), is whether each of n decisions contains each item of I, and `gaps`, shape (n,), are their gaps > 0.
    v, shape (k,), is twice the variance of the rewards of each item. Any multipliers mu >= 0, shape (n,), and prices p >= 0,
    shape (k,), are valid; the bound is 0 if they prove nothing. `ratio` is an upper bound on ``p.x / gap_x`` over all decisions
    of the set, see `priced`.

    Theory I2 has the same form: each decision costs one round, so that `ratio` is the largest ``p.x``, and a row is an exchange
    with the items that leave.

    Theory T4, for decisions instead of cycles. Take a feasible plan alpha with item rates w, and p divided by the ratio. Then
    ``cost = sum_x alpha_x gap_x >= sum_x alpha_x p.x = sum_i p_i w_i``. Optimal decisions contribute nothing to either side, as
    they contain no item of I. The sum of the constraints weighted by mu is ``sum_x mu_x gap_x^2 >= sum_i y_i v_i / w_i``. By
    Cauchy-Schwarz, the product of the two right-hand sides is at least ``(sum_i sqrt(v_i y_i p_i))^2``.
    """
    y = multipliers @ contains
    weight = float(multipliers @ gaps**2)
    if not (weight > 0.0 and np.isfinite(weight) and 0.0 < ratio < np.inf):
        return 0.0
    root = float(np.sqrt(twice_variance * y * (prices / ratio)).sum())
    # A sum of n products of positive numbers is accurate to n + 2 units in the last place.
    allowance = 1.0 - 4.0 * (sum(contains.shape) + 8) * float(np.finfo(np.float64).eps)
    return root**2 / weight * allowance if np.isfinite(root) else 0.0
