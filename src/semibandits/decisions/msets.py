"""m-sets: any m of d items."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import final

import numpy as np

from semibandits._arguments import hinted
from semibandits._frames import ItemSource, column_of
from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits._validation import item_vector
from semibandits.decisions._labels import checked_frame
from semibandits.decisions.compiled import CompiledOracle, compiled_oracle
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.errors import SolverError
from semibandits.kernels.index.swaps import bases_search
from semibandits.kernels.knapsack import (
    AT_LEAST,
    BROKEN_OFF,
    NONE,
    ROOT,
    Goal,
    Limits,
    best_multiplier,
    select_best,
    select_front,
)
from semibandits.kernels.oracles.greedy import uniform_linear
from semibandits.kernels.oracles.limits import MAX_LABELS, MAX_NODES
from semibandits.kernels.oracles.swaps import uniform_exchange_costs, uniform_swaps
from semibandits.kernels.selection import select_largest
from semibandits.matroids import Uniform
from semibandits.optimization.problems import budget_criterion

SMALLEST_RATIO = 1e-6
"""Smaller ratios are raised to this one."""
UNLIMITED = Limits(2**62, 0)


@final
class MSets(MatroidDecisions):
    """All sets of exactly `m` of `d` items.

    Parameters
    ----------
    d : int
        Number of items, >= 1.
    m : int
        Number of items in a decision, 0 <= m <= d.
    items : sequence of hashable, length d, optional
        Different labels of the items; 0 .. d - 1 by default.

    Raises
    ------
    InvalidInputError
        If `d` or `m` is not such an integer, or there are not d different labels.

    Notes
    -----
    C(θ) has a closed form, as for all matroids: docs/explanations/exchange-graph.md. P_BLM and P_IM use lists of undominated sums
    (Nemhauser and Ullmann 1969), for a ratio below 1 with rounding (Ibarra and Kim 1975).

    Examples
    --------
    Show two of four articles:

    >>> X = sb.MSets(4, 2, items=["vote", "storm", "final", "derby"])
    >>> x = X.maximize([0.3, 0.9, 0.1, 0.5])
    >>> x.tolist(), [X.items[i] for i in np.flatnonzero(x)]
    ([False, True, False, True], ['storm', 'derby'])
    >>> X.count(), [1, 1, 0, 0] in X, [1, 1, 1, 0] in X
    (6, True, False)
    """

    @hinted
    def __init__(self, d: int, m: int, *, items: Iterable[Hashable] | None = None) -> None:
        super().__init__(Uniform(d, m), items)

    @classmethod
    def from_frame(cls, frame: object, m: int, *, item: str = "item") -> MSets:
        """All sets of exactly `m` rows of a frame of pandas or polars.

        Parameters
        ----------
        frame : frame
            One row an item.
        m : int
            Number of items in a decision.
        item : str
            Column of the labels, which must differ.

        Raises
        ------
        InvalidInputError
            If `frame` is not a frame, it has no such column, labels are equal, or m exceeds the number of rows.
        """
        labels = column_of(checked_frame(frame, "MSets(d, m, items=...)"), item, "item")
        result = cls(len(labels), m, items=labels)
        result._source = ItemSource.of(frame, item)
        return result

    def __repr__(self) -> str:
        return f"MSets(d={self._d}, m={self._m})"

    def maximize(self, weights: ArrayLike) -> BoolArray:
        """The m items of largest weight; ties go to smaller indices.

        Raises
        ------
        InvalidInputError
            If `weights` has the wrong shape or holds NaN or infinity.
        """
        return select_largest(item_vector(weights, self, "weights"), self._m)

    def _restricted_to(self, items: IntArray) -> MSets:
        return MSets(len(items), self._m)

    def _compiled(self) -> CompiledOracle | None:
        arrays = (np.array([self._m]),)
        roles = np.zeros(self._d, dtype=np.int64)
        return compiled_oracle(
            arrays,
            self._d,
            self._m,
            uniform_linear,
            exchange_costs=uniform_exchange_costs,
            swaps=uniform_swaps,
            roles=roles,
            index=bases_search,
        )

    def _contains(self, x: BoolArray) -> bool:
        return int(np.count_nonzero(x)) == self._m

    def _maximize_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """P_BLM by multipliers, reduced costs and label lists: the undominated pairs (reward, budget) for each number of items.

        The multiplier l that minimises the Lagrangian bound ranks the items by rewards + l * budgets. An item is fixed if
        adding it to the first m items, or removing it from them, costs more than the gap. The other items are decided one by
        one (Nemhauser, Ullmann 1969); labels are dropped if their best completion is too low at l, at 0, or in the budget
        alone. Exact for real data of any sign; integer budgets of range R leave at most m R labels for each number of items,
        hence O(d m^2 R) steps.

        With ratio r < 1 and rewards >= 0, the result of the first step is returned if it reaches r times the bound. Otherwise
        let LB be the largest of its reward and the rewards of items that belong to some m-set that meets the budget; all other
        items are dropped. Rewards are rounded down to multiples of u = (1 - r) LB / m, and the rounded problem is solved
        exactly. With a' the rounded rewards, the solution x has rewards·x >= a'·x >= a'·x* >= rewards·x* - m u
        = rewards·x* - (1 - r) LB >= r rewards·x*, since LB <= rewards·x*. As rewards·x* <= m LB, rounded sums are at most
        m^2 / (1 - r) units: at most that many labels plus one for each number of items, and O(d m^3 / (1 - r)) steps
        (after Ibarra, Kim 1975).
        """
        if ratio < 1:
            return self._rounded_budgeted(rewards.copy(), budgets.copy(), at_least, ratio)
        problem = budget_criterion(rewards, budgets, at_least)
        x, status = select_best(
            rewards.copy(), budgets.copy(), self._m, Goal(AT_LEAST, problem.at_least, problem.step), Limits(MAX_LABELS, MAX_NODES)
        )
        if status == BROKEN_OFF:
            raise _broken_off("pass a ratio such as 0.999")
        return None if status == NONE else x

    def _rounded_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """Solution of P_BLM to within `ratio`, see `_maximize_budgeted`."""
        _, bound, known = best_multiplier(rewards, budgets, self._m, Goal(AT_LEAST, at_least, 0.0))
        if bound == -np.inf:
            return None
        value = rewards[known].sum()
        if value >= ratio * bound:
            return known
        largest = select_largest(budgets, self._m)
        spare = budgets[largest].sum() - at_least
        usable = np.flatnonzero(largest | (budgets[largest].min() - budgets <= spare))
        low = max(value, rewards[usable].max())
        if low == 0:
            return known
        unit = (1.0 - ratio) * low / self._m
        rounded = np.floor(rewards[usable] / unit)
        chosen, status = select_best(rounded, budgets[usable], self._m, Goal(AT_LEAST, at_least, 1.0), UNLIMITED)
        x = _within(self._d, usable[chosen])
        return x if status != NONE and rewards[x].sum() > value else known

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """P_IM by the same search, with the tangents a + l c + 1/(4 l) of a + sqrt(c) as bounds at three multipliers l.

        With ratio r < 1, ``rewards @ x + sqrt(bonuses @ x) / r`` must reach the maximum. The result of the first step is
        returned if it reaches the bound. Otherwise each positive bonus G is tried as the largest one in the best decision x*:
        items of larger bonus are dropped, the other bonuses are rounded down to multiples of u = (1 - r^2) G / m, and the
        rounded problem is solved exactly, with the root divided by r. For the right G and the rounded bonuses b',
        b'·x* >= bonuses·x* - m u = bonuses·x* - (1 - r^2) G >= r^2 bonuses·x*, so that its solution x has
        rewards·x + sqrt(bonuses·x) / r >= rewards·x + sqrt(b'·x) / r >= rewards·x* + sqrt(b'·x*) / r, which is at least the
        maximum, for rewards of any sign. (If x* has no bonus, the decision of largest reward suffices.) Rounded sums are at
        most m^2 / (1 - r^2) units: at most that many labels plus one for each number of items, and O(d^2 m^3 / (1 - r)) steps
        over all G.
        """
        if ratio < 1:
            return self._rounded_index(rewards.copy(), bonuses.copy(), max(ratio, SMALLEST_RATIO))
        x, status = select_best(rewards.copy(), bonuses.copy(), self._m, Goal(ROOT, 1.0, 0.0), Limits(MAX_LABELS, MAX_NODES))
        if status == BROKEN_OFF:
            raise _broken_off("pass a ratio such as 0.999")
        return x

    def _rounded_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """Solution of P_IM to within `ratio`, see `_maximize_index`."""

        def generous(x: BoolArray) -> float:
            return float(rewards[x].sum() + np.sqrt(bonuses[x].sum()) / ratio)

        _, bound, best = best_multiplier(rewards, bonuses, self._m, Goal(ROOT, 1.0, 0.0))
        if generous(best) >= bound:
            return best
        for largest in np.unique(bonuses[bonuses > 0]):
            usable = np.flatnonzero(bonuses <= largest)
            if len(usable) < self._m:
                continue
            unit = (1.0 - ratio**2) * largest / self._m
            own, rounded = rewards[usable], np.floor(bonuses[usable] / unit)
            goal = Goal(ROOT, float(np.sqrt(unit)) / ratio, 0.0)
            if best_multiplier(own, rounded, self._m, goal)[1] <= generous(best):
                continue
            x = _within(self._d, usable[select_best(own, rounded, self._m, goal, UNLIMITED)[0]])
            best = max(best, x, key=generous)
        return best

    def _budget_front(self, rewards: FloatArray, budgets: FloatArray) -> BoolArray:
        """The whole front by label lists; labels are dropped if no completion improves on a corner between hull points."""
        within, rows = select_front(rewards.copy(), budgets.copy(), self._m, MAX_LABELS)
        if not within:
            raise _broken_off("ask for one budget at a time with maximize_budgeted")
        return rows


def _within(d: int, items: IntArray) -> BoolArray:
    x = np.zeros(d, dtype=np.bool_)
    x[items] = True
    return x


def _broken_off(remedy: str) -> SolverError:
    return SolverError(
        f"the search is limited to {MAX_LABELS:,} labels of partial decisions and {MAX_NODES:,} nodes, got more: "
        f"{remedy}, or round rewards and budgets to fewer digits"
    )
