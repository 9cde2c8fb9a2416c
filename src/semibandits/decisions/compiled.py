"""Decision sets as kernels see them: function pointers and arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np
from numba import types

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import SolverError
from semibandits.kernels.index.problem import FAILED, SOLVED, IndexProblem
from semibandits.kernels.index.search import BOUND, NO_LIMIT, REPORT, SPENT, index_search
from semibandits.kernels.oracles.calls import no_index
from semibandits.kernels.oracles.pointers import (
    DATA,
    FAMILY,
    PARTS,
    SIGNATURES,
    OraclePointers,
    no_cycles,
    no_exchange_costs,
    no_swaps,
)
from semibandits.kernels.oracles.questions import ask_index, ask_linear
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.tiers import Pointer
from semibandits.optimization.problems import IndexAnswer

_FLOATS, _BOOLS = types.Array(types.float64, 1, "C"), types.Array(types.boolean, 1, "C")
_PROBLEM = types.NamedTuple(  # type: ignore[no-untyped-call]
    (_FLOATS, _FLOATS, *(types.float64,) * 3, _BOOLS, types.int64, types.int64), IndexProblem
)
INDEX: Final = types.int64(FAMILY, DATA, _PROBLEM, _BOOLS, _FLOATS)


@cache
def pointer(kernel: Any, signature: Any) -> Any:
    """A kernel as something that others can be handed at run time.

    Without the compiler (``NUMBA_DISABLE_JIT=1``) the kernel itself.
    """
    return Pointer(kernel, signature) if hasattr(kernel, "py_func") else kernel


@dataclass(frozen=True, eq=False)
class CompiledOracle:
    """P_LM and P_IM over one decision set, callable from kernels.

    Attributes
    ----------
    family : OraclePointers
        Pointers to P_LM and to what a search for P_IM asks, see :mod:`semibandits.kernels.oracles.pointers`.
    index : function pointer
        P_IM: of most families :func:`semibandits.kernels.index.search.index_search`.
    data : tuple of 8 ndarrays of int
        The decision set.
    d, m : int
        Numbers of items, and of items in the largest decision.
    """

    family: OraclePointers
    index: Any
    data: tuple[IntArray, ...]
    d: int
    m: int

    def without_search(self) -> CompiledOracle:
        """The same for policies that ask for P_LM only: nothing of what searches for P_IM has to be compiled for them."""
        none = (
            pointer(each, kind)
            for each, kind in zip((no_exchange_costs, no_swaps, no_cycles), SIGNATURES[1:], strict=True)
        )
        return replace(self, family=OraclePointers(self.family.linear, *none), index=pointer(no_index, INDEX))

    def maximize(self, weights: FloatArray) -> BoolArray:
        """Decision of largest total weight, shape (d,).

        Raises
        ------
        SolverError
            If the kernel gave up.
        """
        x = np.empty(self.d, dtype=np.bool_)
        if ask_linear(self.family.linear, self.data, weights, x) != ANSWERED:
            raise SolverError(
                "no decision of largest weight was found, got weights whose sums overflow: scale them down"
            )
        return x

    def maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float = 1.0) -> BoolArray:
        """Decision of largest ``rewards·x + sqrt(bonuses·x)``, or of that ratio, shape (d,).

        Raises
        ------
        SolverError
            If there is none.
        """
        x = np.empty(self.d, dtype=np.bool_)
        self._search(rewards, bonuses, ratio, NO_LIMIT, x, np.zeros(REPORT))
        return x

    def search_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float, most: int) -> IndexAnswer:
        """The same within a budget of linear maximisations.

        Raises
        ------
        SolverError
            If there is no answer.
        """
        x, report = np.empty(self.d, dtype=np.bool_), np.zeros(REPORT)
        status = self._search(rewards, bonuses, ratio, most, x, report)
        value = float(rewards[x].sum() + np.sqrt(bonuses[x].sum()))
        is_exact = status == SOLVED and ratio == 1.0
        return IndexAnswer(x, value, value if is_exact else report[BOUND], status == SOLVED, int(report[SPENT]))

    def _search(
        self, rewards: FloatArray, bonuses: FloatArray, ratio: float, most: int, x: BoolArray, report: FloatArray
    ) -> int:
        """Search, write the answer into x and how it ended into the report; the status."""
        problem = IndexProblem(rewards, bonuses, ratio, 1.0, 0.0, x, self.m, most)
        status: int = ask_index(self.family, self.index, self.data, problem, x, report)
        if status == FAILED:
            raise SolverError("no decision of largest index was found, got numbers above 1e100: scale them down")
        return status


def compiled_oracle(
    arrays: tuple[IntArray, ...],
    d: int,
    m: int,
    linear: Callable[..., int],
    *,
    exchange_costs: Callable[..., int] = no_exchange_costs,
    swaps: Callable[..., int] = no_swaps,
    cycles: Callable[..., int] = no_cycles,
    roles: IntArray | None = None,
    index: Callable[..., int] = index_search,
) -> CompiledOracle:
    """The oracle of up to seven arrays, which must be fresh or never change, and of the kernels of a family.

    The last of the eight arrays that kernels get are the roles of the items, which say which of them can stand for each other,
    see ``kernels/index/classes.py``. Kernels: see ``kernels/oracles/pointers.py``.
    """
    empty = np.empty(0, dtype=np.int64)
    filled = (*arrays, *(empty,) * (PARTS - 1 - len(arrays)), empty if roles is None else roles)
    kernels = (linear, exchange_costs, swaps, cycles)
    return CompiledOracle(
        family=OraclePointers(*(pointer(each, signature) for each, signature in zip(kernels, SIGNATURES, strict=True))),
        index=pointer(index, INDEX),
        data=tuple(np.require(array, np.int64, ["C", "W"]) for array in filled),
        d=d,
        m=m,
    )
