"""The pairs (a, c) of the decisions found so far, and the maximum of F over their convex hull."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from semibandits._typing import BoolArray, FloatArray, IntArray
from semibandits.optimization.criteria import Criterion
from semibandits.optimization.rounding import granularity

ROUNDING = 1e-13
"""A pair lies above a line if the difference exceeds this times m times the largest weight."""


@dataclass(frozen=True)
class Edge:
    """Location of the maximum of F over the hull of some pairs: between two pairs, or at one (left = right)."""

    # Numbers of two decisions; the right one has the larger c.
    left: int
    right: int
    # The line through the edge is run * a + rise * c = constant. The multiplier is rise / run, inf if run is 0.
    rise: float
    run: float

    @property
    def slope(self) -> float:
        """The multiplier."""
        return self.rise / self.run if self.run else math.inf

    @property
    def is_point(self) -> bool:
        """Whether the maximum is attained at a decision."""
        return self.left == self.right


class Pool:
    """Numbered decisions with a = rewards·x, c = budgets·x and F(a, c), each computed once from the original vectors."""

    def __init__(self, rewards: FloatArray, budgets: FloatArray, criterion: Criterion, m: int, steepest: float) -> None:
        self._rewards, self._budgets, self._criterion, self._m = rewards, budgets, criterion, m
        self.largest_a = float(np.abs(rewards).max())
        self._largest_c = float(np.abs(budgets).max())
        self._exact = granularity(rewards) > 0 and granularity(budgets) > 0
        self._steepest = steepest * (self.largest_a or 1.0) / (self._largest_c or 1.0)
        self._numbers: dict[bytes, int] = {}
        self._decisions = np.zeros((16, len(rewards)), dtype=np.bool_)
        self._pairs = np.zeros((16, 2))
        self.a: list[float] = []
        self.c: list[float] = []
        self.values: list[float] = []

    def __len__(self) -> int:
        return len(self.a)

    @property
    def decisions(self) -> BoolArray:
        """All decisions, one per row."""
        return self._decisions[: len(self.a)]

    def add(self, x: BoolArray) -> int:
        """Number of the decision `x`, which is added if it is new."""
        key = x.tobytes()
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.a)
            if number == len(self._decisions):
                self._decisions = np.concatenate((self._decisions, np.zeros_like(self._decisions)))
                self._pairs = np.concatenate((self._pairs, np.zeros_like(self._pairs)))
            self._decisions[number] = x
            self.a.append(float(self._rewards[x].sum()))
            self.c.append(float(self._budgets[x].sum()))
            self._pairs[number] = self.a[number], self.c[number]
            self.values.append(self._criterion.value(self.a[number], self.c[number]))
        return number

    def bound(self, number: int, slope: float) -> float:
        """Bound on F if this decision is optimal at the multiplier `slope`."""
        return self._criterion.bound(self.a[number], self.c[number], slope)

    def weights(self, edge: Edge) -> FloatArray:
        """Weights for which both ends of the edge have equal totals; exact for integers that are not too large."""
        return edge.run * self._rewards + edge.rise * self._budgets

    def at(self, number: int) -> Edge:
        """The edge that consists of one decision, with the slope of F there."""
        slope = self._criterion.slope(self.c[number])
        return Edge(number, number, 1.0, 0.0) if slope == math.inf else Edge(number, number, slope, 1.0)

    def is_above(self, number: int, edge: Edge) -> bool:
        """Whether a decision lies above the line through the edge by more than rounding; right of it if it is vertical."""
        if edge.run == 0:
            return self.c[number] > self.c[edge.left]
        a, c = self.a[number], self.c[number]
        gain = min(edge.run * (a - self.a[i]) + edge.rise * (c - self.c[i]) for i in (edge.left, edge.right))
        return gain > ROUNDING * self._m * (edge.run * self.largest_a + edge.rise * self._largest_c)

    def raised(self, edge: Edge, number: int) -> Edge:
        """The edge of the maximum of F after a decision above `edge` is added."""
        if not edge.is_point and self._criterion.slope(self.c[number]) >= edge.slope:
            return self._between(number, edge.right)
        return self._between(edge.left, number)

    def peak_of(self, numbers: IntArray) -> Edge:
        """The edge of the maximum of F over the hull of the decisions with these numbers, at least one."""
        a, c = self._pairs[numbers].T
        edge = self.at(int(numbers[np.argmax(a)]))
        while True:
            number = int(numbers[np.argmax(edge.run * a + edge.rise * c)])
            if not self.is_above(number, edge):
                return edge
            edge = self.raised(edge, number)

    def _between(self, left: int, right: int) -> Edge:
        """The edge of the maximum of F on the segment between two decisions."""
        if self.c[left] > self.c[right]:
            left, right = right, left
        rise, run = self.a[left] - self.a[right], self.c[right] - self.c[left]
        if run == 0:
            return self.at(left if rise >= 0 else right)
        slope = rise / run
        if self._criterion.slope(self.c[left]) <= slope:
            return self.at(left)
        if self._criterion.slope(self.c[right]) >= slope:
            return self.at(right)
        if self._exact:
            divisor = math.gcd(int(rise), int(run))
            return Edge(left, right, rise / divisor, run / divisor)
        return Edge(left, right, min(slope, self._steepest), 1.0)
