"""Approximate budgeted maximisation over matroid bases: Lagrangian relaxation, patched by single swaps."""

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
"""Bases are found by comparing weights without sums, which allows much steeper multipliers than for other decisions."""


def budgeted_basis(
    matroid: Matroid,
    maximize: Callable[[FloatArray], BoolArray],
    rewards: FloatArray,
    budgets: FloatArray,
    at_least: float,
    ratio: float,
) -> BoolArray | None:
    """Basis with ``budgets·x >= at_least`` and ``rewards·x >= ratio * max``, for rewards >= 0; None if infeasible.

    Let l be the multiplier that minimises the Lagrangian bound. Among the bases that are optimal for ``rewards + l budgets``, let
    y miss the budget and x meet it. Optimal bases are the bases of a matroid, so single swaps lead from y to x through optimal
    bases, and one of these swaps, -j +i, leads from a basis y' that misses the budget to a basis x' that meets it. As y' is
    optimal for the relaxation and misses the budget, ``rewards·y' >= OPT``. Hence ``rewards·x' >= OPT - rewards[j]``.

    Guess the k = ceil(1 / (1 - ratio)) largest rewards of the best basis: force these items in and larger ones out. Then j, which
    is not among them, has a reward of at most OPT / k, and ``rewards·x' >= (1 - 1/k) OPT >= ratio * OPT``. There are at most d^k
    guesses. They are made item by item, largest reward first, within branch and bound that ends once the best basis reaches the
    ratio times the bound, nearly always before the first guess.

    Ravi and Goemans 1996 (spanning trees), Hassin and Levin 2004, for budgets of the form "at most". All bases have m items, so
    replacing budgets c by max(c) - c converts one form into the other.
    """
    criterion = budget_criterion(rewards, budgets, at_least)
    k = math.ceil(1.0 / (1.0 - ratio) - 1e-9)
    guesses = LargestRewards(matroid, rewards, k)
    found = search(maximize, rewards, budgets, criterion, matroid.rank, ratio=ratio, branching=guesses, steepest=STEEPEST)
    return found.decision


@final
class LargestRewards(Branching):
    """Guess the `k` largest rewards of the best basis; near an edge, go from one end to the other by single swaps."""

    def __init__(self, matroid: Matroid, rewards: FloatArray, k: int) -> None:
        self._matroid, self._k = matroid, k
        self._order = np.argsort(-rewards, kind="stable")

    def neighbours(self, left: BoolArray, right: BoolArray, weights: FloatArray) -> Iterator[BoolArray]:
        """Bases on the way from `left` to `right`, each one swap away from the previous one and nearer to `right`.

        In exact arithmetic all of them are optimal: for i in right - left, the circuit of i in left contains items that are
        not in right, and the lightest of these has the same weight as i.
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
        """The free item of largest reward; None once `k` items are guessed."""
        if np.count_nonzero(forced > 0) >= self._k:
            return None
        free = self._order[forced[self._order] == 0]
        return int(free[0]) if len(free) else None
