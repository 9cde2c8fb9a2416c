"""Budgeted and index maximisation (P_BLM, P_IM) over any decision set, by branch and bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from semibandits._typing import BoolArray, FloatArray
from semibandits.formats.text import brief
from semibandits.optimization.criteria import AtLeast, SquareRoot
from semibandits.optimization.rounding import granularity
from semibandits.optimization.search import search


def budget_criterion(rewards: FloatArray, budgets: FloatArray, at_least: float) -> AtLeast:
    """Criterion of P_BLM. For integer data, sums are multiples of a common divisor, which sharpens budget and bounds."""
    step = granularity(budgets)
    return AtLeast(step * math.ceil(at_least / step) if step else at_least, granularity(rewards))


@dataclass(frozen=True, eq=False)
class IndexAnswer:
    """Result of index maximisation with a budget."""

    decision: BoolArray  # (d,): the best one found
    value: float  # its index, rewards·x + sqrt(bonuses·x)
    bound: float  # upper bound on the index of all decisions (up to rounding)
    is_proven: bool  # whether the search finished, which proves that the decision is optimal or has the requested ratio
    calls: int  # number of linear maximisations (P_LM)

    def __repr__(self) -> str:
        return brief(self)

    def __post_init__(self) -> None:
        self.decision.setflags(write=False)


@dataclass(frozen=True)
class CalledOracle:
    """P_IM and P_BLM over a decision set that kernels cannot call: the searches of `CompiledOracle`, in Python."""

    maximize: Callable[[FloatArray], BoolArray]  # P_LM, as in `optimization.search.search`
    m: int  # largest number of items in a decision

    def search_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float = 1.0, most: float = math.inf) -> IndexAnswer:
        """Maximise ``rewards·x + sqrt(bonuses·x)``, to within `ratio`, with a budget of linear maximisations."""
        found = search(self.maximize, rewards, bonuses, SquareRoot(), self.m, ratio=ratio, most=most)
        assert found.decision is not None  # every decision has a value
        return IndexAnswer(found.decision, found.value, max(found.bound, found.value), found.is_finished, found.oracle_calls)

    def search_budget(self, rewards: FloatArray, budgets: FloatArray, at_least: float) -> BoolArray | None:
        """Decision of largest reward with ``budgets·x >= at_least`` (no tolerance); None if infeasible."""
        criterion = budget_criterion(rewards, budgets, at_least)
        return search(self.maximize, rewards, budgets, criterion, self.m).decision
