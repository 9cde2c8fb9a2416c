"""When two decisions tie."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.decisions.base import DecisionSet
from semibandits.decisions.constants import without_constants
from semibandits.kernels.search.outliers import without_outliers

TIE_TOLERANCE = 1e-12
"""The tolerance by default."""
ROWS_AT_ONCE = 4_096
MOST_EXCHANGES = 200
"""Decisions with more items are not compared with others."""


@dataclass(frozen=True, eq=False)
class Ties:
    """Two decisions tie iff their rewards differ by at most ``tolerance * m`` times the largest ``|theta_i|`` of an item in which
    they differ or that is in the best one. So an item in neither of them sets no scale, however large its mean is. An item that
    every decision contains sets none either, if it is out of scale: see `without_constants`.
    """

    sizes: FloatArray  # (d + 1,): |theta_i| of each item, and 0 for the item -1
    share: float  # tolerance * m
    best: float = 0.0  # the largest |theta_i| of an item in the best decision

    @staticmethod
    def of(theta: FloatArray, best: BoolArray, m: int, tolerance: float) -> Ties:
        """The rule for rewards theta, the best decision, decisions of at most m items, and a relative tolerance."""
        sizes = np.abs(theta)
        return Ties(np.append(sizes, 0.0), tolerance * m, float(sizes[best].max(initial=0.0)))

    @property
    def most(self) -> float:
        """The largest difference at which any two decisions tie."""
        return self.share * float(self.sizes.max())

    def between(self, *items: IntArray) -> FloatArray:
        """Largest difference at which decisions tie that differ in the items at each place of these arrays; -1 is no item."""
        sizes: FloatArray = np.max([self.sizes[some] for some in items], axis=0)
        return self.share * np.maximum(sizes, self.best)

    def with_best(self, best: BoolArray, decisions: BoolArray, gaps: FloatArray) -> BoolArray:
        """Which decisions, shape (n, d), with these gaps tie with `best`."""
        tied = gaps <= self.most
        if gaps[tied].any():
            near = np.flatnonzero(tied)
            tied[near] = gaps[near] <= self.apart(best, decisions[near])
        return tied

    def apart(self, best: BoolArray, decisions: BoolArray) -> FloatArray:
        """Largest gap at which each of these decisions, shape (n, d), ties with `best`."""
        parts = [np.empty(0)]
        for k in range(0, len(decisions), ROWS_AT_ONCE):
            differ = decisions[k : k + ROWS_AT_ONCE] ^ best
            parts.append(np.where(differ, self.sizes[:-1], 0.0).max(axis=1, initial=0.0))
        return self.share * np.maximum(np.concatenate(parts), self.best)


def decisions_that_tie(
    decision_set: DecisionSet, theta: FloatArray, best: BoolArray, tolerance: float = TIE_TOLERANCE
) -> BoolArray:
    """The decisions that tie with `best` and are the best ones without one of its items, each once, shape (n, d)."""
    theta = without_constants(decision_set, theta)
    usual, rows = without_outliers(theta.copy(), best.copy(), decision_set.m), [np.empty((0, decision_set.d), np.bool_)]
    items = np.flatnonzero(best)
    for i in items.tolist() if len(items) <= MOST_EXCHANGES else ():
        weights = usual.copy()
        weights[i] -= 4.0 * decision_set.m * float(np.abs(usual).max()) + 1.0
        x = decision_set.maximize(weights)
        if not x[i]:
            rows.append(x[None].copy())
    others: BoolArray = np.unique(np.concatenate(rows), axis=0)
    gaps = np.array([math.fsum([*theta[best & ~x], *-theta[x & ~best]]) for x in others], dtype=np.float64)
    return others[Ties.of(theta, best, decision_set.m, tolerance).with_best(best, others, gaps)]
