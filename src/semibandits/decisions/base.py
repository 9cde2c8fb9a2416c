"""Base class of decision sets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from typing import final

import numpy as np

from semibandits._typing import ArrayLike, BoolArray, FloatArray, IntArray
from semibandits.decisions.compiled import CompiledOracle
from semibandits.decisions.exchange import ExchangeGraph
from semibandits.errors import InvalidInputError, UnsupportedError
from semibandits.inputs.arguments import whole
from semibandits.inputs.frames import ItemSource
from semibandits.inputs.outcomes import whole_number
from semibandits.inputs.validation import as_decision, check_kind, checked_answer, finite_number, item_vector, number_in
from semibandits.kernels.search.outliers import least_reward, without_outliers
from semibandits.matroids.counts import DecisionCount, count_by_listing
from semibandits.optimization.front import BudgetFront, front_by_budgets, infeasible, undominated
from semibandits.optimization.problems import CalledOracle, IndexAnswer
from semibandits.optimization.rounding import exponent, forgiven, rescaled

LARGEST_NUMBER = 1e100
"""Rewards, budgets and bonuses above this are rejected, since their sums might overflow. There is no lower limit."""
COMPILED_METHODS = ("maximize", "maximize_index", "_maximize_index")
"""Methods that kernels replace."""


class DecisionSet(ABC):
    """A set X of decisions, each a set of items as a bool array of shape (d,).

    Decision sets are immutable. A subclass must implement `d`, `m` and `maximize`. All other methods have a default or
    raise UnsupportedError. :func:`semibandits.testing.check_decision_set` tests a set of your own.

    Notes
    -----
    The problems P_LM, P_BLM and P_IM are those of Cuvelier, Combes and Gourdin, Asymptotically Optimal Strategies For
    Combinatorial Semi-Bandits in Polynomial Time, ALT 2021 ("the paper").

    Examples
    --------
    A machine that is booked for two neighbouring hours out of five:

    >>> class Bookings(sb.DecisionSet):
    ...     d, m = 5, 2
    ...
    ...     def maximize(self, weights):
    ...         start = np.argmax(np.convolve(self.check_weights(weights), [1, 1], "valid"))
    ...         return np.isin(np.arange(5), [start, start + 1])
    >>> bookings = Bookings()
    >>> value = [0.1, 0.4, 0.5, 0.2, 0.3]
    >>> bookings.maximize(value).tolist()
    [False, True, True, False, False]
    >>> [0, 0, 1, 0, 1] in bookings  # by `maximize`, like all other methods
    False
    >>> bookings.maximize_budgeted(value, budgets=[1, 1, 2, 3, 3], at_least=5).tolist()
    [False, False, True, True, False]
    """

    _source: ItemSource | None = None
    """The graph or frame that the set was built from."""

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
        """Label of each item, in order; by default 0 .. d - 1."""
        return tuple(range(self.d))

    def values_of(self, name: str) -> FloatArray:
        """Numbers of the items, in the order of `items`, from the graph or frame that the set was built from.

        Parameters
        ----------
        name : str
            An edge attribute of the networkx graph, or a column of the frame.

        Returns
        -------
        ndarray of float, shape (d,)
            A new array, for instance of costs: ``graves_lai(X, costs=X.values_of("minutes"))``.

        Raises
        ------
        InvalidInputError
            If there is no such attribute or column, an item has no number there, or edges or rows have changed.
        UnsupportedError
            If the set was not built from a graph or frame, or was pickled since, which leaves these out.
        """
        if self._source is None:
            raise UnsupportedError(
                f"values_of reads the graph or frame that a decision set was built from, got {type(self).__name__} without one: "
                "pass a networkx graph or a frame to the constructor, or a list of numbers in the order of items"
            )
        return self._source.numbers(name)

    @property
    def upper(self) -> FloatArray | None:
        """Largest mean reward that each item can have, shape (d,), at which `maximize` clips weights; None if unbounded."""
        return None

    @property
    def best_effort(self) -> bool:
        """Whether rounds with unavailable items may have decisions that are not in the set, such as smaller matchings."""
        return False

    def check_weights(self, weights: ArrayLike) -> FloatArray:
        """Weights as a float64 array of shape (d,), for `maximize` of your own.

        Raises
        ------
        InvalidInputError
            If they are not d finite numbers.
        """
        return item_vector(weights, self, "weights")

    def check_means(self, theta: FloatArray, *, in_costs: bool = False) -> None:
        """Refuse mean rewards `theta`, shape (d,), that are above `upper`; with `in_costs`, the message is about costs.

        Raises
        ------
        InvalidInputError
            Naming the first such item.
        """
        upper = self.upper
        if upper is not None and (theta > upper).any():
            i = int(np.argmax(theta > upper))
            if in_costs:
                raise InvalidInputError(
                    f"costs must be at least {0.0 - upper[i]:g} for item {i} ({self.items[i]!r}), got {0.0 - theta[i]:g}: "
                    "no cost is below its least one; check it, or lower least"
                )
            raise InvalidInputError(
                f"mean rewards must be at most {upper[i] + 0.0:g} for item {i} ({self.items[i]!r}), got {theta[i]:g}: "
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

    def maximize_budgeted(self, rewards: ArrayLike, budgets: ArrayLike, at_least: float, ratio: float = 1.0) -> BoolArray:
        """Budgeted maximisation (P_BLM): maximise rewards·x subject to budgets·x >= at_least.

        Parameters
        ----------
        rewards : array_like of float, shape (d,)
            Reward of each item: finite, of any sign; >= 0 if `ratio` < 1.
        budgets : array_like of float, shape (d,)
            Contribution of each item to the budget: finite, of any sign.
        at_least : float
            The budget. It is met iff ``budgets·x >= at_least - 1e-12 * m * max|budgets|``, which allows for rounding.
        ratio : float
            In (0, 1]. Below 1, ``rewards·x`` is at least `ratio` times the maximum, in polynomial time where the family
            guarantees it (docs/structures.md); other families return an exact answer.

        Returns
        -------
        ndarray of bool, shape (d,)
            A decision that meets the budget. Ties are broken the same way every time.

        Raises
        ------
        Infeasible
            If no decision meets the budget.
        InvalidInputError
            If `rewards` or `budgets` is malformed, `at_least` is not finite, `ratio` is not in (0, 1], or a reward is negative
            and `ratio` < 1; or if ``maximize`` of a user-defined set does not return a 0/1 vector.
        SolverError
            If the labels of a search over paths or m-sets exceed the memory limit; the message suggests a remedy.

        Notes
        -----
        The paper, problem P_BLM. By default, branch and bound on Lagrangian bounds that only calls ``maximize``: exact, not
        polynomial. Rewards are compared up to about ``1e-12 * m`` times the largest one; penalties on items that the best
        decision does without, such as -1e9 for what is unwanted, do not count.
        """
        a, c = self._numbers(rewards, "rewards"), self._numbers(budgets, "budgets")
        threshold, r = finite_number(at_least, "at_least"), _ratio(ratio)
        if r < 1 and (a < 0).any():
            raise InvalidInputError(
                f"rewards must be >= 0 for ratio = {r:g}, got {a.min():g}: a ratio to a negative maximum is undefined, "
                "pass ratio=1"
            )
        largest_a, largest_c = float(np.abs(a).max()), float(np.abs(c).max())
        power, needed = exponent(largest_c), threshold - forgiven(c, self.m)
        x = None
        if needed <= self.m * largest_c:  # else out of reach
            at_least = max(needed, -2.0 * self.m * largest_c)
            budget = rescaled(c, largest_c, power), float(np.ldexp(at_least, power)), r
            x = self._maximize_budgeted(rescaled(a, largest_a, self._power(largest_a)), *budget)
            usual = a if x is None else without_outliers(a, x, self.m)
            if usual.min() > a.min():  # the best decision is the same, and more of its digits count
                largest_a = float(np.abs(usual).max())
                x = self._maximize_budgeted(rescaled(usual, largest_a, self._power(largest_a)), *budget)
        if x is None:
            raise infeasible(threshold, float(c[checked_answer(self.maximize(c.copy()), self.d, self.m)].sum()))
        return x

    def _maximize_budgeted(self, rewards: FloatArray, budgets: FloatArray, at_least: float, ratio: float) -> BoolArray | None:
        """P_BLM on validated input; None if infeasible. `at_least` is already lowered by the rounding tolerance."""
        return self._searches().search_budget(rewards, budgets, at_least)

    def maximize_index(self, rewards: ArrayLike, bonuses: ArrayLike, ratio: float = 1.0) -> BoolArray:
        """Index maximisation (P_IM): maximise the optimistic index rewards·x + sqrt(bonuses·x).

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
            A maximiser, or a decision with that ratio. Ties are broken the same way every time.

        Raises
        ------
        InvalidInputError
            If `rewards` or `bonuses` is malformed, a bonus is negative, or `ratio` is not in (0, 1].
        SolverError
            If the labels of a search over paths or m-sets exceed the memory limit.

        Notes
        -----
        The paper, problem P_IM. By default, branch and bound on Lagrangian bounds that only calls ``maximize`` and stops early
        if the ratio allows it: exact, not polynomial.

        Examples
        --------
        >>> rates, views = np.array([0.5, 0.4, 0.3]), np.array([100, 10, 4])  # of three articles, of which one is shown
        >>> sb.MSets(3, 1).maximize_index(rates, 1.0 / views).tolist()  # 0.3 + sqrt(1 / 4) is the largest
        [False, False, True]
        """
        r = _ratio(ratio)
        a, c, _ = self._index_problem(rewards, bonuses, r)
        return self._maximize_index(a, c, r)

    def _maximize_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> BoolArray:
        """P_IM on validated input."""
        return self._searches().search_index(rewards, bonuses, ratio).decision

    def search_index(self, rewards: ArrayLike, bonuses: ArrayLike, ratio: float = 1.0, *, most: int = 1_000) -> IndexAnswer:
        """Index maximisation with a budget: the best decision found, and an upper bound on the largest index.

        Parameters
        ----------
        rewards, bonuses, ratio
            As for :meth:`maximize_index`.
        most : int
            >= 1. The search stops after about this many linear maximisations (P_LM). The budget is not in seconds, so that
            the result is the same on every machine.

        Returns
        -------
        IndexAnswer
            `decision`, shape (d,), with its index `value`; the `bound`; `is_proven`, whether the decision is proved to be optimal
            or to have the ratio; and `calls`, the number of linear maximisations.

        Raises
        ------
        InvalidInputError
            As for :meth:`maximize_index`, or if `most` is not an integer >= 1.

        Notes
        -----
        Branch and bound on Lagrangian bounds (``kernels/search``). Among interchangeable items, the search branches on how many
        are chosen, so that ties do not multiply the work. If all bonuses are equal and decisions are the bases of a matroid, the
        bound is tight. Policies use this search in every round.
        """
        calls, r = whole_number(whole(most), "most", least=1, remedy="pass for instance 1000"), _ratio(ratio)
        a, c, power = self._index_problem(rewards, bonuses, r)
        found = self._search_index(a, c, r, calls)
        x = found.decision
        value = float(np.ldexp(self.index_of(a, c, x), -power))
        return replace(found, value=value, bound=max(float(np.ldexp(found.bound, -power)), value))

    def _search_index(self, rewards: FloatArray, bonuses: FloatArray, ratio: float, most: int) -> IndexAnswer:
        """P_IM with a budget on validated input; the answer of an overridden method counts as proved."""
        searches, kind = self._searches(), type(self)
        inherited = (DecisionSet.maximize_index, DecisionSet._maximize_index)
        if isinstance(searches, CalledOracle) and (kind.maximize_index, kind._maximize_index) != inherited:
            x = checked_answer(self.maximize_index(rewards, bonuses, ratio), self.d, self.m)
            value = float(rewards[x].sum() + np.sqrt(bonuses[x].sum()))
            return IndexAnswer(x, value, value, True, 0)
        return searches.search_index(rewards, bonuses, ratio, most)

    def _searches(self) -> CompiledOracle | CalledOracle:
        """The searches for P_IM and P_BLM: compiled ones, or those in Python for sets that kernels cannot call."""
        return self.compiled() or CalledOracle(self.maximize, self.m)

    def _power(self, largest: float) -> int:
        """Power of two by which rewards of this size are multiplied; 0 where their unit matters, as that of `upper`."""
        return exponent(largest) if self.upper is None else 0

    def _index_problem(self, rewards: ArrayLike, bonuses: ArrayLike, ratio: float) -> tuple[FloatArray, FloatArray, int]:
        """Validate and rescale P_IM; also return the exponent of the power of two that scales the rewards."""
        a, c = self._numbers(rewards, "rewards"), self._numbers(bonuses, "bonuses")
        if (c < 0).any():
            raise InvalidInputError(f"bonuses must be >= 0, got {c.min():g}: the index takes the root of their sum")
        a = self._without_outliers(a, c, ratio)
        largest = max(float(np.abs(a).max()), float(np.sqrt(c.max())))
        power = self._power(largest)
        return rescaled(a, largest, power), rescaled(c, largest**2, 2 * power), power

    def _without_outliers(self, rewards: FloatArray, bonuses: FloatArray, ratio: float) -> FloatArray:
        """The same as the kernel `rewards_without_outliers`."""
        highest, bonus = float(rewards.max()), math.sqrt(self.m * bonuses.max()) / ratio
        if bonus == 0.0 or rewards.min() >= least_reward(0.0, highest, bonus, self.m):
            return rewards
        value = float(rewards[self.maximize(rewards)].sum())
        return np.maximum(rewards, least_reward(value, highest, bonus, self.m))

    def index_of(self, rewards: FloatArray, bonuses: FloatArray, x: BoolArray) -> float:
        """Index of a decision x, which `maximize_index` maximises: ``rewards·x + sqrt(bonuses·x)``.

        With an `upper` bound, means are raised up to this bound only: the index is the largest ``(rewards + e)·x`` with
        ``sum of e_i^2 / bonuses_i <= 1`` over x and ``0 <= e <= upper - rewards``.
        """
        return float(rewards[x].sum() + np.sqrt(bonuses[x].sum()))

    def budget_front(self, rewards: ArrayLike, budgets: ArrayLike) -> BudgetFront:
        """Solutions of ``maximize_budgeted`` for all budgets at once: the Pareto front of rewards·x and budgets·x.

        Parameters
        ----------
        rewards, budgets : array_like of float, shape (d,)
            Reward of each item and its contribution to the budget: finite, of any sign.

        Returns
        -------
        BudgetFront
            The undominated `decisions`, shape (k, d), and their `rewards` and `budgets`, shape (k,), by increasing budget;
            ``best(at_least)`` is the solution for one budget. Sums that differ by at most ``1e-12 * m`` times the largest number
            summed tie.

        Raises
        ------
        InvalidInputError
            If `rewards` or `budgets` is malformed.
        SolverError
            If the labels of a search over paths or m-sets exceed the memory limit.

        Notes
        -----
        The front can have exponentially many decisions. By default, P_BLM is solved for one budget after the other.

        Examples
        --------
        >>> front = sb.MSets(4, 2).budget_front([4.0, 3.0, 2.0, 1.0], budgets=[1.0, 2.0, 3.0, 5.0])
        >>> front.rewards.tolist(), front.budgets.tolist()
        ([7.0, 6.0, 5.0, 4.0, 3.0], [3.0, 4.0, 6.0, 7.0, 8.0])
        >>> front.best(at_least=6.0).tolist()
        [True, False, False, True]
        """
        a, c = self._numbers(rewards, "rewards"), self._numbers(budgets, "budgets")
        sizes = float(np.abs(a).max()), float(np.abs(c).max())
        rows = self._budget_front(*(rescaled(v, size, exponent(size)) for v, size in zip((a, c), sizes, strict=True)))
        return undominated(rows, a, c, self.m)

    def _budget_front(self, rewards: FloatArray, budgets: FloatArray) -> BoolArray:
        """Decisions, shape (k, d), that include one for each point of the front, and possibly others."""
        searches = self._searches()
        return front_by_budgets(lambda at_least: searches.search_budget(rewards, budgets, at_least), budgets, self.m)

    def _numbers(self, values: ArrayLike, name: str) -> FloatArray:
        array = item_vector(values, self, name)
        if np.abs(array).max() > LARGEST_NUMBER:
            raise InvalidInputError(
                f"{name} must be at most {LARGEST_NUMBER:g} in size, got {np.abs(array).max():g}: scale them down"
            )
        return array

    def __contains__(self, x: object) -> bool:
        """Whether `x` is a decision; False for a vector of another length or with entries other than 0 and 1."""
        decision = as_decision(x, self.d)
        return decision is not None and self._contains(decision)

    def _contains(self, x: BoolArray) -> bool:
        """Whether a 0/1 vector is a decision: x is the only maximiser of 2x - 1 over {0, 1}^d."""
        return bool(np.array_equal(self.maximize(2.0 * x - 1.0), x))

    def count(self, limit: int = 1_000_000) -> int:
        """Exact number of decisions.

        Parameters
        ----------
        limit : int
            Families without a counting formula list at most this many decisions.

        Raises
        ------
        TooManyDecisionsError
            If decisions must be listed and there are more than `limit`.
        UnsupportedError
            If the family can neither count nor list its decisions.
        """
        return len(self.enumerate(limit))

    def count_within(self, work: int) -> DecisionCount:
        """Number of decisions, or a lower bound, within a limited amount of work.

        Parameters
        ----------
        work : int
            Approximate limit on elementary steps. Steps are estimated rather than timed, so that the result is the same on every
            machine; 10^8 take a fraction of a second.

        Returns
        -------
        DecisionCount
            `exact`, the number. If that takes more work, as for sets without a formula and with too many decisions to list, it
            is None, and `more_than` is a number that is exceeded, if one is known.

        Examples
        --------
        >>> sb.MSets(40, 20).count_within(1_000)
        DecisionCount(exact=137846528820, more_than=None)
        """
        try:
            return count_by_listing(self.count, work, self.d * self.m)
        except UnsupportedError:
            return DecisionCount(None)

    def enumerate(self, limit: int = 100_000) -> BoolArray:
        """All decisions, one per row, bool, shape ``(n, d)``, without repetition.

        Parameters
        ----------
        limit : int
            Maximum number of decisions to list.

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

        Parameters
        ----------
        weights : array_like of float, shape (d,)
            Weight of each item, usually its mean reward.

        Raises
        ------
        UnsupportedError
            If the family has no exchange graph.
        """
        raise UnsupportedError(f"{type(self).__name__} has no exchange graph")

    @final
    def compiled(self) -> CompiledOracle | None:
        """Oracle for simulation kernels; None if unavailable, in which case simulations run in Python.

        Kernels replace `maximize` and `maximize_index` of the class that defines `_compiled`. A subclass that overrides one of
        these methods therefore has no compiled oracle, and its simulations run in Python.
        """
        return self._compiled() if self._answers_like("_compiled") else None

    @final
    def restricted_to(self, items: IntArray) -> DecisionSet | None:
        """The decisions that use these items only, as a set of the same family; None if the family has no such set.

        `items` are ascending, shape (k,), at least one, and some decision uses no others, unless the set is one of `best_effort`.
        Item i of the new set is ``items[i]``. There is no such set for a subclass that overrides `maximize` or `maximize_index`.
        """
        return self._restricted_to(items) if self._answers_like("_restricted_to") else None

    def _answers_like(self, method: str) -> bool:
        """Whether no method that answers requests is overridden below the class that defines this method."""
        defining = _mro_index(type(self), method)
        return all(_mro_index(type(self), answer) >= defining for answer in COMPILED_METHODS)

    def _restricted_to(self, items: IntArray) -> DecisionSet | None:
        """See `restricted_to`."""
        return None

    def _compiled(self) -> CompiledOracle | None:
        """Oracle for simulation kernels that give the same answers as the methods of this class; None if unavailable."""
        return None


def check_decision_set(value: object, remedy: str = "build one, for instance MSets(20, 4)") -> None:
    """Refuse anything but a decision set."""
    check_kind(value, DecisionSet, "decision_set", remedy)


def _mro_index(kind: type[DecisionSet], method: str) -> int:
    """Index in the method resolution order of the class that defines a method."""
    return next(index for index, base in enumerate(kind.__mro__) if method in vars(base))


def _ratio(value: float) -> float:
    return number_in(value, "ratio", 0.0, 1.0, "pass 1 for the exact maximum", ends="(]")
