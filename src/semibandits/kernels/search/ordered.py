"""Decisions that are best by one objective and, among those, by a second one; from P_LM only.

One call of P_LM decides by both objectives if the first one counts so much that the second cannot make up for it. But sums of
numbers of very different sizes lose the digits of the small ones: among those that a decision avoids, or that all of the best
decisions share, one large number is enough. Then the choice among the large numbers is kept, and the others are compared once
more at their own scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from semibandits.kernels.machine.tiers import kernel
from semibandits.kernels.machine.typing import BoolArray, FloatArray, IntArray
from semibandits.kernels.oracles.status import ANSWERED

RANGE = 2.0**20
"""Numbers of one scale differ at most by this factor."""


@kernel(calls=True)
def maximize_in_order(
    linear: Callable[..., int], data: tuple[IntArray, ...], first: FloatArray, second: FloatArray, m: int,
    weights: FloatArray, x: BoolArray,
) -> int:  # fmt: skip
    """Write into x, of the decisions of largest ``first·x``, one of largest ``second·x``; return the status of P_LM.

    `first` holds small integers. Both objectives and `weights` are overwritten.
    """
    while True:
        write_weights(first, second, m, weights)
        status = linear(data, weights, x)
        if status != ANSWERED or not keep_largest(first, second, x):
            return status


@kernel
def write_weights(first: FloatArray, second: FloatArray, m: int, weights: FloatArray) -> None:
    """Weights by which decisions of at most m items have the order of both objectives.

    Numbers of the second one are scaled to sizes up to 1, by a power of two, so that two decisions differ by at most 2 m. If all
    are 0, the weights are the first one.
    """
    largest = 0.0
    for value in second:
        largest = max(largest, abs(value))
    power = -math.frexp(largest)[1]
    # In two factors: their product may be too large for a float.
    half, rest = math.ldexp(1.0, power // 2), math.ldexp(1.0, power - power // 2)
    more = 2 * m + 1 if largest > 0.0 else 1
    for i in range(len(weights)):
        weights[i] = second[i] * half * rest + more * first[i]


@kernel
def keep_largest(first: FloatArray, second: FloatArray, x: BoolArray) -> bool:
    """If some numbers are out of the scale of the largest, restrict the best decisions to those that agree with x on the largest.

    These are all numbers of the larger scale. Items in x with such a number gain 1 in the first objective and the others lose 1:
    the best decisions are then those of before that agree with x on all of these items. Returns False if nothing has changed.
    """
    largest, smallest = 0.0, math.inf
    for value in second:
        if value != 0.0:
            largest, smallest = max(largest, abs(value)), min(smallest, abs(value))
    if smallest * RANGE >= largest:
        return False
    for i in range(len(x)):
        if abs(second[i]) * RANGE >= largest:
            first[i] += 1.0 if x[i] else -1.0
            second[i] = 0.0
    return True
