"""Array types in the signatures of kernels (read by people and type checkers, not by the compiler).

An int that the compiler can read off, in one kernel's call of another, makes it compile a version of that other kernel for this
one int, and of all that it calls. Constants that are handed on are therefore np.int64, and flags np.bool_.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
