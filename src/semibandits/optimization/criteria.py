"""Objectives over the pairs a = rewards·x and c = budgets·x: a plus a concave function of c."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final


class Criterion(ABC):
    """F(a, c) = a + f(c) with f concave and nondecreasing.

    The best bound on F over a half-plane ``a + l c <= h`` is ``h + max over c of f(c) - l c``. The smallest of these bounds
    is the maximum of F over the convex hull of the pairs.
    """

    @abstractmethod
    def value(self, a: float, c: float) -> float:
        """F(a, c); -inf where c is not allowed."""

    @abstractmethod
    def slope(self, c: float) -> float:
        """Derivative f'(c) >= 0; inf where c must increase at any cost."""

    @abstractmethod
    def bound(self, a: float, c: float, multiplier: float) -> float:
        """Maximum of F over ``a' + l c' <= a + l c`` for a finite multiplier l >= 0; inf if unbounded."""

    def generous(self, a: float, c: float, ratio: float) -> float:
        """The value to compare with the bound when a solution of ratio `ratio` suffices."""
        return self.value(a, c)


@final
@dataclass(frozen=True)
class AtLeast(Criterion):
    """F = a if c >= at_least, else -inf: the budgeted problem P_BLM."""

    at_least: float  # compared exactly: the caller lowers it to allow for rounding
    step: float = 0.0  # every value of a is a multiple of this, so bounds are rounded down to a multiple; 0 if unknown

    def value(self, a: float, c: float) -> float:
        """The reward a if the budget is met, else -inf."""
        return a if c >= self.at_least else -math.inf

    def slope(self, c: float) -> float:
        """Zero if the budget is met, else inf."""
        return 0.0 if c >= self.at_least else math.inf

    def bound(self, a: float, c: float, multiplier: float) -> float:
        """Lagrangian bound a + l (c - at_least)."""
        bound = a + multiplier * (c - self.at_least)
        return bound if self.step == 0 else self.step * math.floor(bound / self.step + 1e-6)

    def generous(self, a: float, c: float, ratio: float) -> float:
        """The reward divided by the ratio, for rewards >= 0."""
        return self.value(a, c) / ratio


@final
@dataclass(frozen=True)
class SquareRoot(Criterion):
    """F = a + sqrt(c + offset) for c >= -offset: the index problem P_IM, whose offset is 0."""

    offset: float = 0.0

    def value(self, a: float, c: float) -> float:
        """Reward plus bonus."""
        return a + math.sqrt(max(c + self.offset, 0.0))

    def slope(self, c: float) -> float:
        """Derivative of the square root; inf at 0."""
        return 0.5 / math.sqrt(c + self.offset) if c + self.offset > 0 else math.inf

    def bound(self, a: float, c: float, multiplier: float) -> float:
        """The tangent bound a + l c + 1/(4 l): sqrt(c) - l c is largest at c = 1/(4 l^2)."""
        return a + multiplier * (c + self.offset) + 0.25 / multiplier if multiplier > 0 else math.inf

    def generous(self, a: float, c: float, ratio: float) -> float:
        """Reward plus bonus divided by the ratio: only the bonus is approximated."""
        return a + math.sqrt(max(c + self.offset, 0.0)) / ratio
