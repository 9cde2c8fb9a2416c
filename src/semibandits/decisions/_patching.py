"""Budgeted bases of a matroid to within a ratio: Lagrangian relaxation, patched by single swaps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import final

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.matroids import Matroid
from semibandits.optimization.problems import budget_criterion
from semibandits.optimization.search import Branching, search

STEEPEST = 1e9
"""Bases are found by comparing weights, without sums, and stand much steeper multipliers than other decisions."""


def budgeted_basis(
    matroid: Matroid,
    maximize: Callable[[FloatArray], BoolArray],
    rewards: FloatArray,
    budgets: FloatArray,
    at_least: float,
    ratio: float,
) -> BoolArray | None:
    """Basis with ``budgets·x >= at_least`` and ``rewards·x >= ratio * max``, for rewards >= 0; None if infeasible.

    Notes
    -----
    Let l be the multiplier at which the Lagrangian bound is least, and among the bases that are optimal for
    ``rewards + l budgets`` let y miss the budget and x meet it. Optimal bases are the bases of a matroid, so y turns into x
    by single swaps through optimal bases, and somewhere on the way a swap -j +i leads from a basis y' that misses the
    budget to one, x', that meets it. As y' is optimal for the relaxation and pays for missing the budget,
    ``rewards·y' >= OPT``. Hence ``rewards·x' >= OPT - rewards[j]``.

    Guess the k = ceil(1 / (1 - ratio)) largest rewards of the best basis: force these items in, and larger ones out. Then
    j, which is not among them, has a reward of at most OPT / k, and ``rewards·x' >= (1 - 1/k) OPT >= ratio * OPT``. There
    are at most d^k guesses. They are made one item after the other, largest reward first, within branch and bound that
    ends once the best basis reaches the ratio times the bound: nearly always before the first guess.

    Ravi and Goemans 1996 (spanning trees), Hassin and Levin 2004: there for budgets of the form "at most". On bases, which
    all have m items, budgets c and max(c) - c turn one form into the other.
    """
    criterion = budget_criterion(rewards, budgets, at_least)
    k = math.ceil(1.0 / (1.0 - ratio) - 1e-9)
    branching = LargestRewards(matroid, rewards, k)
    return search(
        maximize, rewards, budgets, criterion,
        m=matroid.rank, ratio=ratio, keep=0, branching=branching, steepest=STEEPEST,
    ).decision  # fmt: skip


@final
class LargestRewards(Branching):
    """Guess the `k` largest rewards of the best basis; near an edge, walk from one end to the other by single swaps."""

    def __init__(self, matroid: Matroid, rewards: FloatArray, k: int) -> None:
        self._matroid, self._k = matroid, k
        self._order = np.argsort(-rewards, kind="stable")

    def neighbours(self, left: BoolArray, right: BoolArray, weights: FloatArray) -> Iterator[BoolArray]:
        """The bases between `left` and `right`, each a swap away from the one before and nearer to `right`.

        In exact arithmetic all of them are optimal: for i in right - left, of the items of the circuit of i in left that
        are not in right, the lightest weighs as much as i.
        """
        y = left.copy()
        while True:
            entering = np.flatnonzero(right & ~y)
            if len(entering) <= 1:
                return
            i = entering[0]
            members = np.flatnonzero(y)
            j = members[self._matroid.exchanges(members)[1][:, i] & ~right[members]]
            y[i], y[j[np.argmin(weights[j])]] = True, False
            yield y.copy()

    def item(self, forced: IntArray, left: BoolArray, right: BoolArray, weights: FloatArray) -> int | None:
        """The undecided item of largest reward, unless `k` items are guessed."""
        if np.count_nonzero(forced > 0) >= self._k:
            return None
        undecided = self._order[forced[self._order] == 0]
        return int(undecided[0]) if len(undecided) else None
