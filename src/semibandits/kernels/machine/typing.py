"""Array types in the signatures of kernels (for readers and type checkers, not the compiler), and constants."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]

Constant = TypeVar("Constant", int, bool)


def runtime_constant(value: Constant) -> Constant:
    """The same number or flag, for constants that one kernel passes to another.

    For a literal int in a call, the compiler makes a version of the called kernel, and of all kernels that it calls, for this
    value only. It does not do this for NumPy scalars.
    """
    scalar: Any = np.asarray(value)[()]
    return scalar  # type: ignore[no-any-return]
