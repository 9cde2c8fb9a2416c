"""Validation of the fields of a simulation result."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from semibandits.errors import InvalidInputError


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number, and no truth value."""
    return not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= sys.float_info.max


def as_texts(values: Sequence[str], name: str) -> tuple[str, ...]:
    """Strings as a tuple."""
    if isinstance(values, str) or not isinstance(values, Sequence) or not all(isinstance(value, str) for value in values):
        raise InvalidInputError(f"{name} must be a sequence of strings, got {values!r}: pass str() of each")
    return tuple(values)


def check_bound(bound: object, interval: object) -> tuple[float | None, tuple[float, float] | None]:
    """A lower bound and the interval around it as floats."""
    if bound is None:
        if interval is not None:
            raise InvalidInputError(
                f"lower_bound_interval must be None if lower_bound is None, got {interval}: pass both or neither"
            )
        return None, None
    if not is_number(bound) or bound < 0:
        raise InvalidInputError(f"lower_bound must be a finite number of at least 0 or None, got {bound!r}: pass C(θ)")
    if interval is None:
        return float(bound), None
    ends = tuple(interval) if isinstance(interval, tuple | list) else ()
    open_ended = len(ends) == 2 and ends[1] == math.inf
    if len(ends) != 2 or not all(map(is_number, ends[: 2 - open_ended])) or not 0 <= ends[0] <= bound <= ends[1]:
        raise InvalidInputError(
            f"lower_bound_interval must be two numbers around lower_bound = {bound}, got {interval!r}: "
            "pass (lower, value), where only value may be infinite"
        )
    return float(bound), (float(ends[0]), float(ends[1]))


def fixed_array(values: object, dtype: type[np.generic], name: str, shape: Mapping[str, int | None]) -> Any:
    """A read-only array of the given dtype, copied unless it is read-only and owns its memory.

    `shape` has the length of each axis by its symbol; None matches any length.
    """
    array = np.asarray(values)
    kinds = {np.int64: "iu", np.float64: "f", np.bool_: "b"}[dtype]
    if array.dtype.kind not in kinds:
        raise InvalidInputError(f"{name} must hold {dtype.__name__}, got {array.dtype}: convert it")
    if array.ndim != len(shape) or any(want not in (None, got) for want, got in zip(shape.values(), array.shape, strict=True)):
        lengths = ("any" if length is None else str(length) for length in shape.values())
        symbols, wanted = (", ".join(parts) + "," * (len(shape) == 1) for parts in (shape, lengths))
        raise InvalidInputError(f"{name} must have shape ({symbols}) = ({wanted}), got {array.shape}: see SimulationResult")
    if array.dtype != dtype or not array.flags.c_contiguous or array.flags.writeable or not array.flags.owndata:
        array = np.array(array, dtype=dtype, order="C")
    if kinds == "f" and not np.isfinite(array).all():
        raise InvalidInputError(f"{name} must be finite, got nan or infinity: fix the computation")
    array.setflags(write=False)
    return array
