"""Levels of GLADE: the information required on each item, in nats. The levels are the same for all laws."""

from __future__ import annotations

import math

import numpy as np

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray
from semibandits.kernels.rules.statistics import COUNTS

TABLE, MANY = 512, 48
"""With at least MANY items, items that were played at most TABLE times share the level of their count."""
EXPONENTS = 1026
"""Counts, like all floats, have fewer binary digits than this."""


@kernel(error_model="numpy")
def plays_of(stats: FloatArray, i: int) -> float:
    """Number of plays of an item, including open rounds; at least 1."""
    plays: float = max(stats[COUNTS, i], 1.0)
    return plays


@kernel(error_model="numpy")
def time_of_levels(t: float, horizon: float) -> float:
    """The time that levels use in round t: t, but at most the number of rounds that remain until the horizon, and t after it."""
    return t if t > horizon else min(t, horizon - t)


@kernel(error_model="numpy")
def write_levels(
    t: float, discount: float, share: float, places: float, stats: FloatArray, best: BoolArray, levels: FloatArray
) -> None:
    """Write ``(ln(t / h_i) - discount)+`` outside the best decision, and 0 in it.

    ``h_i = (1 - share) n_i + (share / places) sum_j r_ij`` over all j outside the best decision, i among them. ``r_ij`` is n_i,
    or ``sqrt(n_i n_j)`` if n_j has fewer binary digits than n_i; so items need not be sorted. (AdaUCB uses the smaller of the
    two, which is at least 0.7 times as large.)
    """
    table = TABLE if len(levels) >= MANY else 0
    numbers, known = np.zeros(table + 1), np.full(table + 1, -1.0)
    # Number of items with fewer digits, and the sum of the roots of their counts.
    digits_kept = EXPONENTS if share > 0.0 else 0
    fewer, roots, outside, last = np.zeros(digits_kept), np.zeros(digits_kept), 0.0, 0
    if share > 0.0:
        for i in range(len(levels)):
            if not best[i]:
                n = plays_of(stats, i)
                outside += 1.0
                if n <= table:
                    numbers[int(n)] += 1.0
                else:
                    last = max(last, _add(n, 1.0, fewer, roots))
        for k in range(1, table + 1):
            if numbers[k] > 0.0:
                last = max(last, _add(float(k), numbers[k], fewer, roots))
        for digits in range(2, last + 1):
            fewer[digits] += fewer[digits - 1]
            roots[digits] += roots[digits - 1]
    for i in range(len(levels)):
        levels[i] = 0.0
        if not best[i] and t > 0.0:
            n = plays_of(stats, i)
            at = int(n) if n <= table and n == math.floor(n) else 0
            if at > 0 and known[at] >= 0.0:
                levels[i] = known[at]
                continue
            rivals = 0.0
            if share > 0.0:
                digits = math.frexp(n)[1]
                rivals = outside - fewer[digits] + roots[digits] / math.sqrt(n)
            ratio = 1.0 - share + share / places * rivals
            levels[i] = max(math.log(t / n) - math.log(ratio) - discount, 0.0)
            if at > 0:
                known[at] = levels[i]


@kernel(error_model="numpy")
def _add(n: float, number: float, fewer: FloatArray, roots: FloatArray) -> int:
    """Add `number` items played n times to the entry of the next larger number of digits; return the digits of n."""
    digits = int(math.frexp(n)[1])
    fewer[digits + 1] += number
    roots[digits + 1] += number * math.sqrt(n)
    return digits
