"""Pareto fronts of rewards and budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray
from semibandits.errors import Infeasible
from semibandits.formats.text import brief
from semibandits.inputs.validation import finite_number
from semibandits.optimization.rounding import forgiven, granularity


@dataclass(frozen=True, eq=False)
class BudgetFront:
    """Pareto front of rewards·x and budgets·x: the undominated decisions, one for each point."""

    decisions: BoolArray  # (k, d), k >= 1
    rewards: FloatArray  # (k,): rewards·x of each decision, decreasing
    budgets: FloatArray  # (k,): budgets·x of each, increasing
    forgiven: float  # rounding tolerance: a budget that is missed by at most this counts as met

    def __repr__(self) -> str:
        return brief(self)

    def __post_init__(self) -> None:
        for array in (self.decisions, self.rewards, self.budgets):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.rewards)

    def best(self, at_least: float) -> BoolArray:
        """Decision of largest reward among those with ``budgets·x >= at_least``, shape (d,); `Infeasible` if there is none."""
        budget = finite_number(at_least, "at_least")
        position = int(np.searchsorted(self.budgets, budget - self.forgiven))
        if position == len(self):
            raise infeasible(budget, float(self.budgets[-1]))
        decision: BoolArray = self.decisions[position].copy()
        return decision


def infeasible(at_least: float, largest: float) -> Infeasible:
    """Error for a budget that no decision meets."""
    return Infeasible(f"some decision must have budgets·x >= {at_least:g}, got {largest:g} at most: lower at_least to that")


def undominated(rows: BoolArray, rewards: FloatArray, budgets: FloatArray, m: int) -> BudgetFront:
    """Pareto front of the decisions `rows`, shape (n, d) with n >= 1. Sums that differ by rounding only count as equal."""
    a, c = rows @ rewards, rows @ budgets
    slack_a, slack_c = forgiven(rewards, m), forgiven(budgets, m)
    kept: list[int] = []
    largest = np.inf  # of the budgets that count as equal to the last one: differences of many must not add up
    for k in np.lexsort((-a, -c)).tolist():
        if kept and a[k] <= a[kept[-1]] + slack_a:
            continue
        if kept and c[k] >= largest - slack_c:
            kept.pop()
        else:
            largest = c[k]
        kept.append(k)
    kept.reverse()
    return BudgetFront(rows[kept], a[kept], c[kept], slack_c)


def front_by_budgets(best: Callable[[float], BoolArray | None], budgets: FloatArray, m: int) -> BoolArray:
    """Decisions, shape (k, d), that include one for each point of the front. ``best(at_least)`` is a decision of largest reward
    among those that meet this budget, None if there is none.

    Epsilon-constraint method (Haimes, Lasdon, Wismer 1971): find the best reward for a budget, then raise the budget by the
    smallest amount that matters.
    """
    least = max(granularity(budgets), forgiven(budgets, m)) or 1.0
    at_least = float(np.minimum(budgets, 0.0).sum())
    rows: list[BoolArray] = []
    while (x := best(at_least)) is not None:
        rows.append(x)
        at_least = float(budgets[x].sum()) + least
    return np.array(rows)
