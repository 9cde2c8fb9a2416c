"""What is maximised over the pairs a = rewards·x and c = budgets·x: a plus a concave function of c."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final


class Criterion(ABC):
    """F(a, c) = a + f(c) with f concave and nondecreasing.

    Its best bound over a half-plane ``a + l c <= h`` is ``h + max over c of f(c) - l c``, and over the convex hull of
    the pairs the least of these bounds is the maximum of F.
    """

    @abstractmethod
    def value(self, a: float, c: float) -> float:
        """F(a, c); -inf where c is not allowed."""

    @abstractmethod
    def slope(self, c: float) -> float:
        """Derivative f'(c) >= 0; inf where c must grow at any price."""

    @abstractmethod
    def bound(self, a: float, c: float, multiplier: float) -> float:
        """Maximum of F over ``a' + l c' <= a + l c`` for a finite multiplier l >= 0; inf if there is none."""

    def generous(self, a: float, c: float, ratio: float) -> float:
        """The value that counts when a solution of ratio `ratio` is enough: stop once it reaches the bound."""
        return self.value(a, c)


@final
@dataclass(frozen=True)
class AtLeast(Criterion):
    """F = a if c >= at_least, else -inf: the budgeted problem P_BLM.

    Attributes
    ----------
    at_least : float
        The budget. Compared as it is: whoever forgives rounding lowers it first.
    step : float
        Every value of a is a multiple of this, so that bounds are rounded down to one; 0 if nothing is known.
    """

    at_least: float
    step: float = 0.0

    def value(self, a: float, c: float) -> float:
        """The reward a if the budget is met."""
        return a if c >= self.at_least else -math.inf

    def slope(self, c: float) -> float:
        """Zero once the budget is met."""
        return 0.0 if c >= self.at_least else math.inf

    def bound(self, a: float, c: float, multiplier: float) -> float:
        """Lagrangian bound a + l (c - at_least)."""
        bound = a + multiplier * (c - self.at_least)
        return bound if self.step == 0 else self.step * math.floor(bound / self.step + 1e-6)

    def generous(self, a: float, c: float, ratio: float) -> float:
        """The reward over the ratio, for rewards >= 0."""
        return self.value(a, c) / ratio


@final
@dataclass(frozen=True)
class SquareRoot(Criterion):
    """F = a + sqrt(c) for c >= 0: the index problem P_IM."""

    def value(self, a: float, c: float) -> float:
        """Reward plus bonus."""
        return a + math.sqrt(max(c, 0.0))

    def slope(self, c: float) -> float:
        """Derivative of the root, inf at 0."""
        return 0.5 / math.sqrt(c) if c > 0 else math.inf

    def bound(self, a: float, c: float, multiplier: float) -> float:
        """Value a + l c + 1/(4 l), since sqrt(c) - l c is largest at c = 1/(4 l^2)."""
        return a + multiplier * c + 0.25 / multiplier if multiplier > 0 else math.inf

    def generous(self, a: float, c: float, ratio: float) -> float:
        """Only the bonus is approximated."""
        return a + math.sqrt(max(c, 0.0)) / ratio
