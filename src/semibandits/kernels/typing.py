"""Array types in the signatures of kernels (read by people and type checkers, not by the compiler), and constants."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]

Constant = TypeVar("Constant", int, bool)


def runtime_constant(value: Constant) -> Constant:
    """The same number or flag, for constants that one kernel hands to another.

    Of an int that the compiler can read off in a call, it makes a version of the called kernel for this one int, and of all that
    this kernel calls. It does not read off scalars of NumPy.
    """
    scalar: Any = np.asarray(value)[()]
    return scalar  # type: ignore[no-any-return]
