"""Arithmetic whose bits are the same in compiled code and in Python."""

from __future__ import annotations

import math

from semibandits.kernels.machine.tiers import kernel


@kernel(inline="always")
def square(value: float) -> float:
    """``value * value``, rounded once; in Python ``**`` calls the power function, which may round differently."""
    return value * value


@kernel
def hypotenuse(one: float, other: float) -> float:
    """``sqrt(one^2 + other^2)`` without overflow, to 2 units in the last place; ``math.hypot`` rounds differently in Python."""
    one, other = abs(one), abs(other)
    large, small = max(one, other), min(one, other)
    if large == 0.0 or large == math.inf:
        return large
    ratio = small / large
    return large * math.sqrt(1.0 + ratio * ratio)
