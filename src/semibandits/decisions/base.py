"""What every decision set offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from typing import final

import numpy as np

from semibandits._counts import DecisionCount, count_by_listing
from semibandits._typing import ArrayLike, BoolArray, FloatArray
from semibandits._validation import as_decision, checked_answer, finite_number, item_vector
from semibandits.decisions.compiled import CompiledOracle
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.optimization.front import BudgetFront, front_by_search, infeasible, undominated
from semibandits.optimization.problems import IndexAnswer, budgeted_by_search, index_by_search
from semibandits.optimization.rounding import exponent, forgiven, rescaled

LARGEST_NUMBER = 1e100
"""Rewards, budgets and bonuses above this are refused: their sums might overflow. How small they are does not matter."""
ANSWERS = ("maximize", "maximize_index", "_maximize_index")
"""Methods that kernels stand in for."""


class DecisionSet(ABC):
    """A set X of decisions: 0/1 vectors over d items, any of which may be played.

    Decision sets are immutable. To write your own, give it `d`, `m` and `maximize`; everything else has a default
    or says that it is not available.
    """

    @property
    @abstractmethod
    def d(self) -> int:
        """Number of items."""

    @property
    @abstractmethod
    def m(self) -> int:
        """Number of items in the largest decision."""

    @property
    def items(self) -> tuple[Hashable, ...]:
        """Label of each item, in order; 0 .. d - 1 unless the set knows better."""
        return tuple(range(self.d))

    @property
    def upper(self) -> FloatArray | None:
        """Largest mean reward that each item can have, shape (d,), at which `maximize` clips weights; None if unbounded."""
        return None

    def check_means(self, theta: FloatArray) -> None:
        """Refuse mean rewards, shape (d,), that are above `upper`.

        Raises
        ------
        InvalidInputError
            Naming the first such item.
        """
        above = np.flatnonzero(theta > self.upper) if self.upper is not None else ()
        if len(above):
            i, upper = int(above[0]), self.upper
            assert upper is not None
            raise InvalidInputError(
                f"mean rewards must be at most {upper[i]:g} for item {i} ({self.items[i]!r}), got {theta[i]:g}: "
                "rewards are minus costs, and no cost is below its least one; check the sign, or lower least"
            )

    @abstractmethod
    def maximize(self, weights: ArrayLike) -> BoolArray:
        """Decision of largest total weight (P_LM).

        Parameters
        ----------
        weights : array_like of float, shape (d,)
            Weight of each item: finite, of any sign.

        Returns
        -------
        ndarray of bool, shape (d,)
            A maximiser. Ties are broken the same way every time.

        Raises
        ------
        InvalidInputError
            If `weights` has the wrong shape or holds NaN or infinity.
        """

    def maximize_budgeted(
        self, rewards: ArrayLike, budgets: ArrayLike, at_least: float, ratio: float = 1.0
    ) -> BoolArray:
        """Decision of largest reward among those that meet a budget (P_BLM): max rewards·x with budgets·x >= at_least.

        Parameters
        ----------
        rewards : array_like of float, shape (d,)
            Reward of each item: finite, of any sign; >= 0 if `ratio` < 1.
        budgets : array_like of float, shape (d,)
            What each item adds to the budget: finite, of any sign.
        at_least : float
            The budget. It is met iff ``budgets·x >= at_least - 1e-12 * m * max|budgets|``: rounding is forgiven.
        ratio : float
            In (0, 1]. Below 1, ``rewards·x`` is at least `ratio` times the maximum, in polynomial time where the family
            says so; the other families give the exact answer.

        Returns
        -------
        ndarray of bool, shape (d,)
            A decision that meets the budget. Ties are broken the same way every time.

        Raises
        ------
        Infeasible
            If no decision meets the budget.
        InvalidInputError
            If `rewards` or `budgets` is malformed, `at_least` is not finite, or `ratio` is not in (0, 1] or asks for
            rewards >= 0; or if ``maximize`` of a set of your own answers with something else than a 0/1 vector.
        SolverError
            If the labels of a search over paths or m-sets fill the memory set aside for them; the message names a remedy.

        Notes
        -----
        The paper, problem P_BLM. Sets without a faster way search by branch and bound on Lagrangian bounds, through
        ``maximize`` alone: exact, not polynomial. Rewards are compared up to about ``1e-12 * m * max|rewards|``: -1e9 on items
        that are not wanted would cost the others all but a few digits.
        """
        a, c = self._numbers(rewards, "rewards"), self._numbers(budgets, "budgets")
        threshold, r = finite_number(at_least, "at_least"), _ratio(ratio)
        if r < 1 and (a < 0).any():
            raise InvalidInputError(
                f"rewards must be >= 0 for ratio = {r:g}, got {a.min():g}: a share of a negative maximum means nothing, "
                "pass ratio=1"
            )
        largest_a, largest_c = float(np.abs(a).max()), float(np.abs(c).max())
        power, needed = exponent(largest_c), threshold - forgiven(c, self.m)
        x = None
        if needed <= self.m * largest_c:  # else out of reach
            at_least = max(needed, -2.0 * self.m * largest_c)
            scaled = rescaled(a, largest_a, self._power(largest_a)), rescaled(c, largest_c, power)
            x = self._maximize_budgeted(*scaled, float(np.ldexp(at_least, power)), r)
        if x is None:
            raise infeasible(threshold, float(c[checked_answer(self.maximize(c.copy()), self.d, self.m)].sum()))
        return x

    def _maximize_budgeted(
        self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float
    ) -> BoolArray | None:
        """P_BLM on checked input, None if infeasible; `at_least` is lowered already, by what is forgiven."""
        return budgeted_by_search(self.maximize, rewards, budgets, at_least, self.m)

    def maximize_index(self, rewards: ArrayLike, bonuses: ArrayLike, ratio: float = 1.0) -> BoolArray:
        """Decision of largest optimistic index (P_IM): max rewards·x + sqrt(bonuses·x).

        Parameters
        ----------
        rewards : array_like of float, shape (d,)
            Reward of each item: finite, of any sign.
        bonuses : array_like of float, shape (d,)
            Squared bonus of each item: finite, >= 0.
        ratio : float
            In (0, 1]. The maximum is at most ``rewards·x + sqrt(bonuses·x) / ratio``: only the bonus is approximated.

        Returns
        -------
        ndarray of bool, shape (d,)
            A maximiser, or a decision of that ratio. Ties are broken the same way every time.

        Raises
        ------
        InvalidInputError
            If `rewards` or `bonuses` is malformed, a bonus is negative, or `ratio` is not in (0, 1].
        SolverError
            If the labels of a search over paths or m-sets fill the memory set aside for them.

        Notes
        -----
        The paper, problem P_IM. Sets without a faster way search by branch and bound on Lagrangian bounds, through
        ``maximize`` alone, and stop early if the ratio allows: exact, not polynomial.
        """
        a, c, _ = self._index_problem(rewards, bonuses)
        return self._maximize_index(a, c, _ratio(ratio))

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """P_IM on checked input."""
        return index_by_search(self.maximize, rewards, bonuses, ratio, self.m).decision

    def search_index(
        self, rewards: ArrayLike, bonuses: ArrayLike, ratio: float = 1.0, *, most: int = 1_000
    ) -> IndexAnswer:
        """The same with a budget: the best decision that is found, and a bound on what a better one could have.

        Parameters
        ----------
        rewards, bonuses, ratio
            As for :meth:`maximize_index`.
        most : int
            >= 1. The search stops after about so many linear maximisations (P_LM). They are counted rather than seconds, so that
            the answer is the same everywhere.

        Returns
        -------
        IndexAnswer
            The decision, its index, the bound, and whether it is proven to be what was asked for.

        Raises
        ------
        InvalidInputError
            As for :meth:`maximize_index`, or if `most` is no integer >= 1.

        Notes
        -----
        Branch and bound on Lagrangian bounds (``kernels/index``). Items that can stand for each other are branched on by their
        number, so that ties do not multiply the work; where bonuses take one value and decisions are the bases of a matroid, the
        bound is tight. Policies search like this in every round.
        """
        if isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 1:
            raise InvalidInputError(f"most must be an integer >= 1, got {most!r}: pass for instance 1000")
        a, c, power = self._index_problem(rewards, bonuses)
        found = self._search_index(a, c, _ratio(ratio), int(most))
        x = found.decision
        value = float(np.ldexp(self._index_of(a, c, x), -power))
        return replace(found, value=value, bound=max(float(np.ldexp(found.bound, -power)), value))

    def _search_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float, most: int) -> IndexAnswer:
        """P_IM on checked input with a budget; what a subclass says in its own words is taken for proven."""
        oracle = self.compiled()
        if oracle is not None:
            return oracle.search_index(rewards, bonuses, ratio, most)
        if _is_own(type(self)):
            x = checked_answer(self.maximize_index(rewards, bonuses, ratio), self.d, self.m)
            value = float(rewards[x].sum() + np.sqrt(bonuses[x].sum()))
            return IndexAnswer(x, value, value, True, 0)
        return index_by_search(self.maximize, rewards, bonuses, ratio, self.m, most)

    def _index_of(self, rewards: FloatArray, bonuses: FloatArray, x: BoolArray) -> float:
        """Index of a decision."""
        return float(rewards[x].sum() + np.sqrt(bonuses[x].sum()))

    def _power(self, largest: float) -> int:
        """Power of two by which rewards of this size are multiplied; 0 where their unit matters, as that of `upper`."""
        return exponent(largest) if self.upper is None else 0

    def _index_problem(self, rewards: ArrayLike, bonuses: ArrayLike) -> tuple[FloatArray, FloatArray, int]:
        """P_IM checked and rescaled, and the power of two by which rewards were multiplied."""
        a, c = self._numbers(rewards, "rewards"), self._numbers(bonuses, "bonuses")
        if (c < 0).any():
            raise InvalidInputError(f"bonuses must be >= 0, got {c.min():g}: their sum stands under a root")
        largest = max(float(np.abs(a).max()), float(np.sqrt(c.max())))
        power = self._power(largest)
        return rescaled(a, largest, power), rescaled(c, largest**2, 2 * power), power

    def budget_front(self, rewards: ArrayLike, budgets: ArrayLike) -> BudgetFront:
        """Answers of ``maximize_budgeted`` for all budgets at once.

        Parameters
        ----------
        rewards, budgets : array_like of float, shape (d,)
            Reward of each item and what it adds to the budget: finite, of any sign.

        Returns
        -------
        BudgetFront
            The decisions that no other beats in both. Sums that differ by at most ``1e-12 * m`` times the largest number
            summed tie.

        Raises
        ------
        InvalidInputError
            If `rewards` or `budgets` is malformed.
        SolverError
            If the labels of a search over paths or m-sets fill the memory set aside for them.

        Notes
        -----
        There can be exponentially many. Sets without a faster way solve P_BLM for one budget after the other.
        """
        a, c = self._numbers(rewards, "rewards"), self._numbers(budgets, "budgets")
        sizes = float(np.abs(a).max()), float(np.abs(c).max())
        rows = self._budget_front(*(rescaled(v, size, exponent(size)) for v, size in zip((a, c), sizes, strict=True)))
        return undominated(rows, a, c, self.m)

    def _budget_front(self, rewards: FloatArray, budgets: FloatArray) -> BoolArray:
        """Decisions, shape (k, d), among which is one for each point of the front; others may be among them."""
        return front_by_search(self.maximize, rewards, budgets, self.m)

    def _numbers(self, values: ArrayLike, name: str) -> FloatArray:
        array = item_vector(values, self.d, name)
        if np.abs(array).max() > LARGEST_NUMBER:
            raise InvalidInputError(
                f"{name} must be at most {LARGEST_NUMBER:g} in size, got {np.abs(array).max():g}: scale them down"
            )
        return array

    def __contains__(self, x: object) -> bool:
        """Whether `x` is a decision; a vector of another length or with entries other than 0 and 1 is not."""
        decision = as_decision(x, self.d)
        return decision is not None and self._contains(decision)

    def _contains(self, x: BoolArray) -> bool:
        """Membership of a 0/1 vector; x is the only maximiser of 2x - 1 over {0, 1}^d."""
        return bool(np.array_equal(self.maximize(2.0 * x - 1.0), x))

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of decisions.

        Parameters
        ----------
        limit : int
            Families without a counting formula list their decisions, up to this many.

        Raises
        ------
        TooManyDecisionsError
            If counting needs listing and there are more than `limit` decisions.
        UnsupportedError
            If the family can neither count nor list.
        """
        return len(self.enumerate(limit))

    def count_within(self, work: int) -> DecisionCount:
        """Number of decisions, as far as a limited amount of work tells.

        Parameters
        ----------
        work : int
            About how many elementary steps may be spent. They are estimated rather than timed, so that the answer is the same
            everywhere; 10^8 take a fraction of a second.

        Returns
        -------
        DecisionCount
            The exact number; if that takes more work, a number that is exceeded, or nothing. Sets without a formula that are
            too many to list are of this kind.
        """
        try:
            return count_by_listing(self.count, work, self.d * self.m)
        except UnsupportedError:
            return DecisionCount(None)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions, one a row, shape ``(n, d)``, without repetition.

        Raises
        ------
        TooManyDecisionsError
            If there are more than `limit` decisions.
        UnsupportedError
            If the family cannot list its decisions.
        """
        raise UnsupportedError(f"{type(self).__name__} cannot list its decisions")

    def exchange_graph(self, weights: ArrayLike) -> ExchangeGraph:
        """Exchange graph of the optimal decision ``maximize(weights)``, with reduced costs at `weights`.

        Raises
        ------
        UnsupportedError
            If the family has no exchange graph.
        """
        raise UnsupportedError(f"{type(self).__name__} has no exchange graph")

    @final
    def compiled(self) -> CompiledOracle | None:
        """The set as simulation kernels see it; None if they cannot, and simulations play in Python.

        Kernels stand in for `maximize` and `maximize_index`. A subclass that overrides one of them is played in Python, as it
        says: kernels know the class that hands them out, by `_compiled`, and nothing of what is overridden below it.
        """
        kernels = _first(type(self), "_compiled")
        overridden = any(_first(type(self), method) < kernels for method in ANSWERS)
        return None if overridden else self._compiled()

    def _compiled(self) -> CompiledOracle | None:
        """The set as simulation kernels see it, if they answer as the methods of this very class do."""
        return None


def _first(kind: type[DecisionSet], method: str) -> int:
    """Place, in the order in which Python looks for methods, of the class that a method is taken from."""
    return next(place for place, base in enumerate(kind.__mro__) if method in vars(base))


def _is_own(kind: type[DecisionSet]) -> bool:
    """Whether a class has P_IM of its own."""
    inherited = (DecisionSet.maximize_index, DecisionSet._maximize_index)
    return (kind.maximize_index, kind._maximize_index) != inherited


def _ratio(value: float) -> float:
    ratio = finite_number(value, "ratio")
    if not 0.0 < ratio <= 1.0:
        raise InvalidInputError(f"ratio must lie in (0, 1], got {value!r}: 1 asks for the exact maximum")
    return ratio
