"""m-sets: any m of d items."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions._labels import checked_frame
from semibandits.decisions._matroid_oracles import matroid_oracle
from semibandits.decisions.compiled import CompiledOracle
from semibandits.decisions.label_limits import MAX_LABELS, SMALLEST_RATIO, too_many_labels
from semibandits.decisions.matroids import MatroidDecisions
from semibandits.inputs.arguments import hinted
from semibandits.inputs.frames import ItemSource, column_of
from semibandits.inputs.validation import item_vector
from semibandits.kernels.search.grid import NONE, TOO_MANY, best_selection
from semibandits.kernels.search.selection import select_largest
from semibandits.matroids import Uniform
from semibandits.optimization.front import front_by_budgets
from semibandits.optimization.problems import budget_criterion

A_RATIO = "pass a ratio such as 0.999"


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
    C(θ) has a closed form, as for all matroids: docs/explanations/exchange-graph.md. P_BLM and P_IM are those of paths
    in a grid of items and numbers of items, see :class:`Paths`, after items are fixed by reduced costs.

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
        return matroid_oracle(self._matroid, self._m)

    def _contains(self, x: BoolArray) -> bool:
        return int(np.count_nonzero(x)) == self._m

    def _maximize_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """P_BLM by a multiplier, reduced costs and the labels of paths in a grid, see ``kernels/search/grid.py``.

        Exact for real data of any sign; integer budgets of range R leave at most m R labels at each of the d m nodes. With ratio
        r < 1 and rewards >= 0, labels are thinned as for `Paths`, by the factor q = r^(-1/(d + 1)), since a path in the grid has
        at most d + 1 arcs: at most 2 + (d + 1) ln(R / p) / ln(1 / r) labels stay at a node, with R the largest reward of a
        decision and p the smallest positive reward of an item.
        """
        return self._within(rewards, budgets, at_least, max(ratio, SMALLEST_RATIO), A_RATIO)

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """P_IM by the same search; with ratio r < 1 as for `Paths`, by the factor r^(-2/(d + 1)) between bonuses."""
        ratio = max(ratio, SMALLEST_RATIO)
        x = self._best(rewards, bonuses / ratio**2, (0.0, True, 0.0), (1.0, 1.0, ratio**2), A_RATIO)
        assert x is not None  # bonuses are not negative
        return x

    def _within(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float, remedy: str) -> BoolArray | None:
        """P_BLM; the remedy is for the error of a search with too many labels."""
        goal = budget_criterion(rewards, budgets, at_least)
        return self._best(rewards, budgets, (goal.at_least, False, goal.step), (ratio, ratio, 1.0), remedy)

    def _best(
        self, rewards: FloatArray, budgets: FloatArray, wanted: tuple[float, bool, float], ratios: tuple[float, float, float],
        remedy: str,
    ) -> BoolArray | None:  # fmt: skip
        """The decision of ``grid.best_selection``, None if there is none; `need`, `root` and `step` are `wanted`."""
        x, labels = best_selection(rewards.copy(), budgets.copy(), self._m, *wanted, ratios, MAX_LABELS)
        if labels == TOO_MANY:
            raise too_many_labels(MAX_LABELS, "decisions", remedy)
        return None if labels == NONE else x

    def _budget_front(self, rewards: FloatArray, budgets: FloatArray) -> BoolArray:
        """One budget after the other, which takes less than a millisecond each."""
        remedy = "ask for one budget at a time with maximize_budgeted, and a ratio"
        return front_by_budgets(lambda at_least: self._within(rewards, budgets, at_least, 1.0, remedy), budgets, self._m)
