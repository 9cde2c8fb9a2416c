"""Arithmetic whose bits are the same in compiled code and in Python."""

from __future__ import annotations

from semibandits.kernels.tiers import kernel


@kernel(inline="always")
def square(value: float) -> float:
    """The number times itself, rounded once: ``**`` calls the power function in Python, which may round otherwise."""
    return value * value
