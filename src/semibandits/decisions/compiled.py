"""Decision sets for kernels: function pointers and arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np
from numba import types

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.errors import SolverError
from semibandits.kernels.machine.tiers import Pointer
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
from semibandits.kernels.oracles.queries import query_budget, query_index, query_linear
from semibandits.kernels.oracles.status import ANSWERED
from semibandits.kernels.search.branch_and_bound import BOUND, NO_LIMIT, REPORT, SPENT, index_search
from semibandits.kernels.search.problem import FAILED, SOLVED, BudgetProblem, IndexProblem
from semibandits.optimization.problems import IndexAnswer, budget_criterion

_FLOATS, _BOOLS = types.Array(types.float64, 1, "C"), types.Array(types.boolean, 1, "C")
_PROBLEM = types.NamedTuple(  # type: ignore[no-untyped-call]
    (_FLOATS, _FLOATS, *(types.float64,) * 3, _BOOLS, types.int64, types.int64), IndexProblem
)
INDEX: Final = types.int64(FAMILY, DATA, _PROBLEM, _BOOLS, _FLOATS)


@cache
def pointer(kernel: Any, signature: Any) -> Any:
    """Function pointer to a kernel, which other kernels accept at run time.

    Without the compiler (``NUMBA_DISABLE_JIT=1``), the kernel itself.
    """
    return Pointer(kernel, signature) if hasattr(kernel, "py_func") else kernel


@dataclass(frozen=True, eq=False)
class CompiledOracle:
    """P_LM and P_IM over one decision set, callable from kernels."""

    family: OraclePointers  # pointers to P_LM and to the other kernels of a search for P_IM, see `kernels.oracles.pointers`
    index: Any  # pointer to P_IM, for most families `kernels.search.branch_and_bound.index_search`
    data: tuple[IntArray, ...]  # the decision set: 8 arrays
    d: int
    m: int  # number of items in the largest decision

    def without_search(self) -> CompiledOracle:
        """The same oracle for policies that use P_LM only, without kernels for P_IM that would have to be compiled."""
        unavailable = (
            pointer(each, kind) for each, kind in zip((no_exchange_costs, no_swaps, no_cycles), SIGNATURES[1:], strict=True)
        )
        return replace(self, family=OraclePointers(self.family.linear, *unavailable), index=pointer(no_index, INDEX))

    def maximize(self, weights: FloatArray) -> BoolArray:
        """Decision of largest total weight, shape (d,); `SolverError` if sums of weights overflow."""
        x = np.empty(self.d, dtype=np.bool_)
        if query_linear(self.family.linear, self.data, weights, x) != ANSWERED:
            raise SolverError("weights must have finite sums, got weights whose sums overflow: scale them down")
        return x

    def search_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float = 1.0, most: int = NO_LIMIT) -> IndexAnswer:
        """Maximise ``rewards·x + sqrt(bonuses·x)``, to within `ratio`, with a budget of `most` linear maximisations."""
        x, report = np.empty(self.d, dtype=np.bool_), np.zeros(REPORT)
        rewards, bonuses = (np.require(values, requirements=("C", "W")) for values in (rewards, bonuses))  # as kernels expect
        problem = IndexProblem(rewards, bonuses, ratio, 1.0, 0.0, x, self.m, most)
        status = query_index(self.family, self.index, self.data, problem, x, report)
        if status == FAILED:
            raise SolverError("rewards and bonuses must be at most 1e100, got larger numbers: scale them down")
        value = float(rewards[x].sum() + np.sqrt(bonuses[x].sum()))
        is_exact = status == SOLVED and ratio == 1.0
        return IndexAnswer(x, value, value if is_exact else report[BOUND], status == SOLVED, int(report[SPENT]))

    def search_budget(self, rewards: FloatArray, budgets: FloatArray, at_least: float) -> BoolArray | None:
        """Decision of largest reward with ``budgets·x >= at_least``, without a tolerance; None if infeasible. Sums of integers
        are multiples of a common divisor, which sharpens budget and bounds.
        """
        x, report = np.empty(self.d, dtype=np.bool_), np.zeros(REPORT)
        rewards, budgets = (np.require(values, requirements=("C", "W")) for values in (rewards, budgets))
        goal = budget_criterion(rewards, budgets, at_least)
        problem = BudgetProblem(rewards, budgets, goal.at_least, goal.step, self.m)
        if query_budget(self.family, self.data, problem, x, report) == FAILED:
            raise SolverError("rewards and budgets must be at most 1e100, got larger numbers: scale them down")
        return x if report[BOUND] > -np.inf else None


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
    """The oracle with the kernels of a family and up to seven arrays, which must be fresh or never change.

    The last of the eight arrays that kernels receive holds the roles of the items, which mark interchangeable items, see
    ``kernels/search/classes.py``. ``kernels/oracles/pointers.py`` describes the kernels.
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
